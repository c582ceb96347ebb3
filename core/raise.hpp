// C4.5's pruning: every node is weighed as a leaf, as its subtree and, where the training rows are at
// hand, as its heaviest branch with all rows of the node sent down it (subtree raising).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "column.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bosco {

struct Pessimism {
    double confidence = 0.25;
    double z = 0.6744897501960817;  // the normal quantile of 1 - confidence
};

// The upper confidence bound of the errors among n cases of which e were errors.
double upper_errors(double n, double e, const Pessimism& by);

struct Raised {
    std::vector<char> cut;               // the node becomes a leaf
    std::vector<std::int32_t> stand_in;  // whose test and branches the node has; mostly its own
    std::vector<double> kept, pruned;    // what was compared where a node was cut or raised
};

// Nodes with cut[i] are leaves from the start. Without rows nothing is raised.
Raised pessimistic(const Tree& tree, std::vector<char> cut, const Pessimism& by, const Frame* frame,
                   const Target* target, int n_threads, const std::function<void()>& poll);

}  // namespace bosco
