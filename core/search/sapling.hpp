// The tree that a search found, as the rest of the core knows trees: with thresholds by the rule of the
// growth, a place for levels and missing values that a node has not seen, and all that its nodes hold: of all
// rows, or of some.
#pragma once

#include <functional>
#include <span>

#include "data/column.hpp"
#include "data/target.hpp"
#include "score/growth.hpp"
#include "search/search.hpp"
#include "tree/tree.hpp"

namespace bosco::search {

// And back: a tree with two branches at every test, as nodes. Sets of levels are added to the cases.
std::vector<Node> nodes_of(const Tree& tree, const bosco::Frame& frame, Cases& cases);

Tree sapling(const Found& found, const Cases& cases, const bosco::Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll,
             std::span<const std::uint32_t> rows = {});

}  // namespace bosco::search
