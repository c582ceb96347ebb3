// What the nodes of a finished tree hold, counted again as growing would have: after tests have
// moved to other nodes.
#pragma once

#include <functional>
#include <vector>

#include "data/column.hpp"
#include "data/target.hpp"
#include "score/growth.hpp"
#include "tree/tree.hpp"

namespace bosco {

// Tallies, counts, known weights, values, impurities and gains of the nodes with changed[i] and all
// below them, from the rows the tree was grown on; for classes.
Tree retally(Tree tree, const std::vector<char>& changed, const Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll);

}  // namespace bosco
