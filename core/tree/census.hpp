// Any rows, counted at every node of a finished tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "data/tally.hpp"
#include "data/target.hpp"
#include "tree/packed.hpp"
#include "tree/tree.hpp"

namespace bosco {

// The tree's tallies and counts, of these rows. If rows are shared out where a value is missing, a whole row
// is as many units as the tree's scale of counts says; otherwise it is 1, and goes where most go.
struct Tallies {
    std::vector<Count> tally, count;
};
Tallies tallies(const Tree& tree, const Frame& frame, const Target& target, bool shared);

// Rows as rows, whatever they weigh.
struct Counted {
    std::span<const std::uint32_t> classes;
    int n_classes = 1;
    std::span<const Count> times;   // how many rows each stands for; empty: one
    std::span<const Count> weight;  // empty: all alike
};
// Of every node: its rows by class, and if rows have weights, their sum and that of their squares. Those of
// parts of the rows add up.
struct Census {
    std::vector<Count> rows, weight;
    std::vector<Wide> squares;
};
Census census(const Tree& tree, const Frame& frame, const Counted& counted, bool shared, Pool& pool);
Census census(const Packed& tree, const Frame& frame, const Counted& counted, Pool& pool);
// The number of rows of equal weight that would say as much, (sum of w)^2 / sum of w^2; `whole`: how many
// units a row is.
double effective_rows(Count weight, Wide squares, Count whole);

}  // namespace bosco
