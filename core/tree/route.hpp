// Sending rows down a finished tree.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "tree/tree.hpp"

namespace bosco {

// Among floats, x > t holds for the same x as x > the largest float not above t.
template <class Real>
Real threshold_for(double t) {
    if constexpr (std::is_same_v<Real, float>) {
        const auto near = static_cast<float>(t);
        return static_cast<double>(near) > t ? std::nextafter(near, -std::numeric_limits<float>::infinity())
                                             : near;
    } else {
        return t;
    }
}

// The leaf of every row. Where missing values go down all branches, the heaviest is taken.
void route(const Tree& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf);
// Of some rows only.
void route(const Tree& tree, const Frame& frame, std::span<const std::uint32_t> rows, Pool& pool,
           std::span<std::int32_t> leaf);

// The same for a few rows of a matrix of numbers, made ready in no time: the tree must be plain, all
// its tests binary cuts, every missing value with one branch. `at(row, column)` gives a number.
template <class At>
void route_few(const Tree& tree, std::size_t n_columns, At at, std::span<std::int32_t> leaf) {
    const TestPool& tests = tree.tests;
    if (tree.surrogates.size() > 0 || tests.thresholds.size() != tests.kind.size() || !tests.jumps.empty())
        throw Error("the tree is not plain");
    for (std::size_t row = 0; row < leaf.size(); ++row) {
        std::size_t i = 0;
        while (tree.test[i] >= 0) {
            const auto t = static_cast<std::size_t>(tree.test[i]);
            const auto column = static_cast<std::size_t>(tests.column[t]);
            if (column >= n_columns || tests.missing[t] < 0) throw Error("the tree does not fit these rows");
            const double x = at(row, column);
            const std::int32_t branch = x == x ? x > tests.thresholds[t] : tests.missing[t];
            i = static_cast<std::size_t>(tree.first_child[i] + branch);
        }
        leaf[row] = static_cast<std::int32_t>(i);
    }
}

// For every row the sum over the leaves it reaches of share times the leaf's row of `values`.
void mix(const Tree& tree, const Frame& frame, std::span<const double> values, std::size_t width, Pool& pool,
         std::span<double> out);

}  // namespace bosco
