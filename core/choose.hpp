// Which column's test splits the node (docs/growing.md §4): a pure function of the candidates.
#pragma once

#include <vector>

#include "propose.hpp"

namespace bosco {

// Is a test that lowers the impurity by so much, its penalty taken off, worth a split?
bool counts(double net, const Judge& node, const Growth& growth, double impurity, double total);

// The index of the winner, -1 if no candidate counts. `impurity` is the node's ψ and `total` the
// weight of all rows, both in the units of the decrease.
int choose(const std::vector<Candidate>& candidates, const Judge& node, const Growth& growth, double impurity,
           double total);

}  // namespace bosco
