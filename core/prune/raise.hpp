// C4.5's pruning: every node is weighed as a leaf, as its subtree and, where the training rows are at
// hand, as its heaviest branch with all rows of the node sent down it (subtree raising).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/column.hpp"
#include "data/target.hpp"
#include "score/functions.hpp"
#include "tree/tree.hpp"

namespace bosco {

struct Pessimism {
    double confidence, z, bits;
    std::array<double, 64> small{};  // errors to be feared of so many cases without one

    Pessimism(double at = 0.25) : confidence(at), z(normal_quantile(at)), bits(log2_fixed(at)) {
        for (std::size_t n = 1; n < small.size(); ++n) small[n] = none(static_cast<double>(n));
    }

    // No error among n: (1 - p)^n = confidence.
    double none(double n) const { return -n * exp2_less_one(bits / n); }
};

// The upper confidence bound of the errors among n cases of which e were errors.
inline double upper_errors(double n, double e, const Pessimism& by) {
    if (n <= 0) return 0;
    if (e < 1) {  // in proportion
        const auto whole = static_cast<std::size_t>(n);
        const bool known = n < static_cast<double>(by.small.size()) && n == static_cast<double>(whole);
        const double none = known ? by.small[whole] : by.none(n);
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
