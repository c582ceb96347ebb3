// Sending rows down a finished tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "column.hpp"
#include "parallel.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bosco {

// The leaf of every row. Where missing values go down all branches, the heaviest is taken.
void route(const Tree& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf);

// For every row the sum over the leaves it reaches of share times the leaf's row of `values`.
void mix(const Tree& tree, const Frame& frame, std::span<const double> values, std::size_t width, Pool& pool,
         std::span<double> out);

// The tree's tallies and counts again, from other rows.
struct Recount {
    std::vector<Count> tally, count;
};
Recount recount(const Tree& tree, const Frame& frame, const Target& target);

}  // namespace bosco
