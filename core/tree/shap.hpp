// What each column added to a prediction (SHAP of a tree, path-dependent): exact, and it adds up.
//
// For a leaf whose path asks m columns, with z_j the share of the training weight that the questions
// on column j let through and o_j = 1 if the row passes them all, column i is given
//
//     value * (o_i - z_i) * sum over sets T of the others: |T|! (m-|T|-1)! / m! * prod_T o_j * prod_rest z_j
//
// which depends on the row through the set of columns it passes only: 2^m cases, worked out once.
#pragma once

#include <span>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "tree/tree.hpp"

namespace bosco {

// Adds weight * contribution to out[(row * n_columns + column) * width + k], and the root's
// expectation to base[k]. `values` holds `width` numbers per node. Refuses trees whose rows may go
// down several branches, or by a surrogate.
void add_contributions(const Tree& tree, const Frame& frame, std::span<const double> values,
                       std::size_t width, double weight, Pool& pool, std::span<double> out,
                       std::span<double> base);

}  // namespace bosco
