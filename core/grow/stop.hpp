// When a node stays a leaf, and what its branches must hold (docs/growing.md §5).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "data/random.hpp"
#include "data/target.hpp"
#include "grow/sprout.hpp"
#include "score/growth.hpp"

namespace bosco {

// The columns asked on the way to a node, each with the weight of the node that asked.
using Asked = std::vector<std::pair<std::uint32_t, Count>>;

// Where a growth begins: at the root of a tree, or at one of its nodes.
struct Standing {
    std::vector<std::uint32_t> path;  // the branches that lead there
    std::optional<Count> weight;      // of all rows of the tree; none: those given are all
    Bounds bounds;                    // under monotone constraints
    std::vector<char> banned;         // columns that take no part; empty: all do
    std::optional<Count> unit;  // fixed-point units of a sample in the tree; none: what the rows given need
    Asked asked;

    std::uint64_t key(const Growth& growth) const {
        std::uint64_t key = mix(growth.seed, growth.tree);
        for (const auto branch : path) key = child_key(key, branch);
        return key;
    }
    int depth() const { return static_cast<int>(path.size()); }
    Paid paid(const Asking& asking) const {
        Paid paid;
        for (const auto& [column, by] : asked) paid = asking.after(paid, static_cast<int>(column), by);
        return paid;
    }
    // Tells the node where a growth begins what holds of it.
    void tell(Sprout& s, const Growth& growth) const {
        if (!growth.monotonic.empty() && depth() > 0) s.rare().bounds = bounds;
        if (growth.asking.weighs()) s.rare().paid = paid(growth.asking);
    }
};

class Stop {
public:
    // `unit`: fixed-point units of one sample; `weight`: that of all rows of the tree.
    Stop(const Growth& growth, const Target& target, double unit, Count weight)
        : growth_(growth), shape_(target.shape()), unit_(unit) {
        total_ = static_cast<double>(weight);
        least_gain_ = growth.min_gain;
        measure_ = target.measure();  // decreases are in the fixed point of y
        total_ *= measure_;
        least_gain_ *= measure_;
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
    Node node(const Judge& judge, const Bounds& bounds, std::uint64_t key, double impurity,
              const Paid* paid) const {
        Limits limits = limits_;
        if (limits.monotone) limits.low = bounds.low, limits.high = bounds.high;
        return {&judge, limits, key, unit_, impurity, total_, shape_.classes, least_gain_, measure_, paid};
    }
    Node node(const Judge& judge, const Sprout& s, std::uint64_t key) const {
        return node(judge, s.bounds(), key, s.impurity, s.rarity ? &s.rarity->paid : nullptr);
    }

    // The bounds of the two branches of a node that has these: a split on a constrained column sets them
    // apart at the middle of their values.
    std::pair<Bounds, Bounds> bounds_below(int column, Bounds own, const Count* left,
                                           const Count* right) const {
        std::pair<Bounds, Bounds> below{own, own};
        const int direction = growth_.direction(column);
        if (direction == 0) return below;
        const auto value = [&](const Count* tally) {
            return static_cast<double>(tally[1]) / static_cast<double>(shape_.weight(tally));
        };
        const double middle = (value(left) + value(right)) / 2;
        (direction > 0 ? below.first.high : below.first.low) = middle;
        (direction > 0 ? below.second.low : below.second.high) = middle;
        return below;
    }
    // Gives the branches of a node their bounds, and what was paid.
    void tell_children(Sprout& s) const {
        for (std::int32_t b = 0; growth_.asking.weighs() && b < s.n_children; ++b)
            s.children[b].rare().paid = growth_.asking.after(s.rare().paid, s.column, shape_.weight(s.tally));
        if (growth_.monotonic.empty()) return;
        for (std::int32_t b = 0; b < s.n_children; ++b) s.children[b].rare().bounds = s.bounds();
        if (growth_.direction(s.column) == 0) return;
        std::tie(s.children[0].rare().bounds, s.children[1].rare().bounds) =
            bounds_below(s.column, s.bounds(), s.children[0].tally, s.children[1].tally);
    }

private:
    const Growth& growth_;
    Shape shape_;
    double unit_;
    double total_, least_gain_, measure_;
    Limits limits_;
};

}  // namespace bosco
