// When a node stays a leaf, and what its branches must hold (docs/growing.md §5).
#pragma once

#include <algorithm>
#include <cmath>

#include "growth.hpp"
#include "sprout.hpp"
#include "target.hpp"

namespace bosco {

class Stop {
public:
    // `unit`: fixed-point units of one sample; `weight`: that of all rows of the tree.
    Stop(const Growth& growth, const Target& target, double unit, Count weight)
        : growth_(growth), shape_(target.shape()), unit_(unit) {
        total_ = static_cast<double>(weight);
        least_gain_ = growth.min_gain;
        if (target.real()) {  // decreases are measured in the fixed point of y
            total_ *= target.scale * target.scale;
            least_gain_ *= target.scale * target.scale;
        }
        limits_.samples =
            std::max<Count>(1, static_cast<Count>(static_cast<double>(growth.min_samples_leaf) * unit));
        limits_.weight = std::max<Count>(
            1, static_cast<Count>(std::ceil(growth.min_weight_leaf * target.weight_scale * unit)));
        limits_.monotone = !growth.monotonic.empty();
    }

    double unit() const { return unit_; }

    bool leaf(const Count* tally, bool pure, int depth) const {
        const auto samples = static_cast<double>(shape_.samples(tally, shape_.weight(tally)));
        return pure || depth >= growth_.max_depth ||
               samples < static_cast<double>(growth_.min_samples_split) * unit_ ||
               samples < 2 * static_cast<double>(growth_.min_samples_leaf) * unit_;
    }
    // All that choosing a test for a node needs to know of it. The judge is one of its tally.
    Node node(const Judge& judge, const Bounds& bounds, std::uint64_t key, double impurity) const {
        Limits limits = limits_;
        if (limits.monotone) limits.low = bounds.low, limits.high = bounds.high;
        return {&judge, limits, key, unit_, impurity, total_, shape_.classes, least_gain_};
    }
    Node node(const Judge& judge, const Sprout& s, std::uint64_t key) const {
        return node(judge, s.bounds(), key, s.impurity);
    }

    // A split on a constrained column bounds its two branches at the middle of their values.
    void bound_children(const Sprout& s) const {
        Sprout& left = s.children[0];
        Sprout& right = s.children[1];
        const auto value = [&](const Sprout& c) {
            return static_cast<double>(c.tally[1]) / static_cast<double>(shape_.weight(c.tally));
        };
        const double middle = (value(left) + value(right)) / 2;
        const bool rising = growth_.direction(s.column) > 0;
        left.rare().bounds = right.rare().bounds = s.bounds();
        (rising ? left.rare().bounds.high : left.rare().bounds.low) = middle;
        (rising ? right.rare().bounds.low : right.rare().bounds.high) = middle;
    }

private:
    const Growth& growth_;
    Shape shape_;
    double unit_;
    double total_, least_gain_;
    Limits limits_;
};

}  // namespace bosco
