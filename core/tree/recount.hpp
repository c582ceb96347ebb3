// What the nodes of a finished tree hold, counted again as growing would have: after tests have moved to
// other nodes, or with other rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/target.hpp"
#include "score/growth.hpp"
#include "tree/tree.hpp"

namespace bosco {

// Tallies, counts, known weights, values, impurities and gains of the nodes with changed[i] and all below
// them; no mask: of all nodes. The rows, all or some (ascending), go down the tree by its tests; a tree on
// the rows that it was grown on is itself.
Tree recount(Tree tree, const std::vector<char>& changed, const Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll,
             std::span<const std::uint32_t> rows = {});

}  // namespace bosco
