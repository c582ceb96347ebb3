// Which column's test splits the node (docs/growing.md §4): a pure function of the candidates.
#pragma once

#include <vector>

#include "score/propose.hpp"

namespace bosco {

// Is a test that lowers the impurity by so much, its penalty taken off, worth a split?
bool is_enough(double net, const Node& node, const Growth& growth);

// The index of the winner, -1 if no candidate counts.
int choose(const std::vector<Candidate>& candidates, const Node& node, const Growth& growth);

}  // namespace bosco
