// Rows down a tree that is being pruned: its nodes become leaves, or stand for others.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/walk.hpp"

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

    // The leaves of some rows below a node, where no row is shared out. They go in step, so that waiting
    // for memory overlaps.
    static constexpr std::size_t together = 64;
    void leaves_below(std::int32_t top, std::span<const std::uint32_t> rows, std::int32_t* leaf) const {
        std::array<std::uint8_t, together> walking;
        std::size_t n = rows.size();
        for (std::size_t k = 0; k < n; ++k) walking[k] = static_cast<std::uint8_t>(k), leaf[k] = top;
        while (n > 0) {
            std::size_t left = 0;
            for (std::size_t w = 0; w < n; ++w) {
                const std::size_t k = walking[w];
                const Hop& hop = hops_[static_cast<std::size_t>(leaf[k])];
                if (hop.column == at_leaf) continue;
                const double x = hop.column < 0 ? std::numeric_limits<double>::quiet_NaN()
                                                : raws_[static_cast<std::size_t>(hop.column)].at(rows[k]);
                leaf[k] = hop.first + (x == x ? x > hop.cut : walker_.branch(hop.node, rows[k]));
                walking[left++] = static_cast<std::uint8_t>(k);
            }
            n = left;
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
