// Growing node by node, each node looking two levels ahead: where the best pair of tests (one for the node,
// one for each of its sides) gets less wrong than the learner's own test followed by the best tests of its
// sides, the node and its sides have the pair (less wrong, or what costs less); else the node has the
// learner's own. The last leaf that a limit allows goes to a learner's own test: half a pair may part
// nothing.
#pragma once

#include <functional>
#include <vector>

#include "score/growth.hpp"
#include "search/cases.hpp"
#include "search/search.hpp"

namespace bosco::search {

// Sets of levels that the learner asks for are added to the cases; `asked` throws to stop.
std::vector<Node> grow_ahead(Cases& cases, const bosco::Frame& frame, const Target& target,
                             const Growth& growth, const std::function<bool()>& asked);

}  // namespace bosco::search
