// One row at a time down a finished tree of any kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tree/tree.hpp"

namespace bosco {

class Walker {
public:
    Walker(const Tree& tree, const Frame& frame) : tree_(tree), frame_(frame) {
        for (const TestPool* pool : {&tree.tests, &tree.surrogates})
            for (std::int32_t i = 0; i < pool->size(); ++i) (*pool)[i].require_fit(frame);
    }

    // The branch that a row's own value leads to; -1 if that is missing.
    int ask(std::int32_t node, std::size_t row) const { return ask(tree_.tests[tree_.test[node]], row); }

    // The branch of a row at a node; by_share if it goes down all of them.
    int branch(std::int32_t node, std::size_t row) const {
        const TestView test = tree_.tests[tree_.test[node]];
        if (const int b = ask(test, row); b >= 0) return b;
        for (auto s = tree_.surrogate_begin[node]; s < tree_.surrogate_begin[node + 1]; ++s)
            if (const int b = ask(tree_.surrogates[s], row); b >= 0) return b;
        return test.missing;
    }
    // The same where a row goes one way only: the heaviest of all.
    int one_branch(std::int32_t node, std::size_t row) const {
        const int b = branch(node, row);
        return b >= 0 ? b : heaviest(node);
    }
    int heaviest(std::int32_t node) const {
        const auto known = tree_.known_below(node);
        return static_cast<int>(std::ranges::max_element(known) - known.begin());
    }

    // Calls add(row, leaf, share) for every leaf that each of these rows comes to. Where one is shared out,
    // deal(share, weights of the branches, put) calls put(branch, part).
    template <class Share, class Deal, class Add>
    void each_leaf(std::size_t begin, std::size_t end, Share whole, const Deal& deal, const Add& add) const {
        std::vector<std::pair<std::int32_t, Share>> open;
        for (std::size_t row = begin; row < end; ++row) {
            open.assign(1, {0, whole});
            while (!open.empty()) {
                const auto [i, share] = open.back();
                open.pop_back();
                if (tree_.leaf(i)) {
                    add(row, static_cast<std::size_t>(i), share);
                    continue;
                }
                const auto go = [&](std::size_t b, Share part) {
                    open.emplace_back(tree_.first_child[i] + static_cast<std::int32_t>(b), part);
                };
                const auto before = static_cast<std::ptrdiff_t>(open.size());
                if (const int b = branch(i, row); b >= 0)
                    go(static_cast<std::size_t>(b), share);
                else
                    deal(share, tree_.known_below(i), go);
                std::reverse(open.begin() + before, open.end());  // leaves are added from the left
            }
        }
    }

private:
    int ask(const TestView& test, std::size_t row) const { return test.ask(test.column_of(frame_), row); }

    const Tree& tree_;
    const Frame& frame_;
};

}  // namespace bosco
