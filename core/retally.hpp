// What the nodes of a finished tree hold, counted again as growing would have: after tests have
// moved to other nodes.
#pragma once

#include "column.hpp"
#include "growth.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bosco {

// Tallies, counts, known weights, values, impurities and gains from the rows the tree was grown on;
// for classes.
Tree retally(Tree tree, const Frame& frame, const Target& target, const Growth& growth);

}  // namespace bosco
