// Rows down a tree that is being pruned: its nodes become leaves, or stand for others.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "walk.hpp"

namespace bosco {

class Descent {
public:
    Descent(const Tree& tree, const Frame& frame, const std::vector<char>& leaf)
        : tree_(tree), walker_(tree, frame) {
        for (std::uint32_t j = 0; j < frame.n_columns(); ++j) raws_.push_back(frame.column(j).raw);
        for (std::int32_t i = 0; i < tree.n_nodes(); ++i)
            hops_.push_back(leaf[static_cast<std::size_t>(i)] ? Hop{} : hop_of(i, frame));
    }

    const Walker& walker() const { return walker_; }
    void make_leaf(std::int32_t i) { hops_[static_cast<std::size_t>(i)] = {}; }
    void stand_for(std::int32_t i, std::int32_t other) {
        hops_[static_cast<std::size_t>(i)] = hops_[static_cast<std::size_t>(other)];
    }

    // The leaf of a row below a node, where no row is shared out.
    std::int32_t leaf_below(std::int32_t i, std::uint32_t row) const {
        for (;;) {
            const Hop& hop = hops_[static_cast<std::size_t>(i)];
            if (hop.column == at_leaf) return i;
            const double x = hop.column < 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : raws_[static_cast<std::size_t>(hop.column)].at(row);
            i = hop.first + (x == x ? x > hop.cut : walker_.branch(hop.node, row));
        }
    }

private:
    // Most nodes are binary cuts of numbers, and one compact read serves them.
    struct Hop {
        double cut = 0;
        std::int32_t first = 0;
        std::int32_t column = at_leaf;
        std::int32_t node = 0;  // whose test it is
    };
    static constexpr std::int32_t at_leaf = -1, at_other = -2;

    Hop hop_of(std::int32_t i, const Frame& frame) const {
        const auto at = static_cast<std::size_t>(i);
        const auto t = static_cast<std::size_t>(tree_.test[at]);
        const TestPool& tests = tree_.tests;
        const auto column = tests.column[t];
        const bool plain = tests.kind[t] == static_cast<std::uint8_t>(TestKind::cut) &&
                           tests.branches[t] == 2 &&
                           frame.column(static_cast<std::uint32_t>(column)).kind == ColumnKind::numeric;
        if (!plain) return {0, tree_.first_child[at], at_other, i};
        return {tests.thresholds[static_cast<std::size_t>(tests.threshold_begin[t])], tree_.first_child[at],
                column, i};
    }

    const Tree& tree_;
    Walker walker_;
    std::vector<Raw> raws_;
    std::vector<Hop> hops_;
};

}  // namespace bosco
