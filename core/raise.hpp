// C4.5's pruning: every node is weighed as a leaf, as its subtree and, where the training rows are at
// hand, as its heaviest branch with all rows of the node sent down it (subtree raising).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "column.hpp"
#include "functions.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace bosco {

struct Pessimism {
    double confidence = 0.25;
    double z = normal_quantile(confidence), bits = log2_fixed(confidence);
};

// The upper confidence bound of the errors among n cases of which e were errors.
inline double upper_errors(double n, double e, const Pessimism& by) {
    if (n <= 0) return 0;
    if (e < 1) {
        // No error: (1 - p)^n = confidence. Below one error, in proportion.
        const double none = -n * exp2_less_one(by.bits / n);
        return e <= 0 ? none : none + e * (upper_errors(n, 1, by) - none);
    }
    if (e + 0.5 >= n) return std::max(n, e);
    return n * wilson((e + 0.5) / n, n, by.z);
}

struct Raised {
    std::vector<char> cut;               // the node becomes a leaf
    std::vector<std::int32_t> stand_in;  // whose test and branches the node has; mostly its own
    std::vector<double> kept, pruned;    // what was compared last at a node; NaN: nothing was
};

// Nodes with cut[i] are leaves from the start. Without rows nothing is raised.
Raised pessimistic(const Tree& tree, std::vector<char> cut, const Pessimism& by, const Frame* frame,
                   const Target* target, int n_threads, const std::function<void()>& poll);

}  // namespace bosco
