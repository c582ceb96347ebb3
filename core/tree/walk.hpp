// One row at a time down a finished tree of any kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "data/column.hpp"
#include "data/error.hpp"
#include "tree/tree.hpp"

namespace bosco {

class Walker {
public:
    Walker(const Tree& tree, const Frame& frame) : tree_(tree), frame_(frame) {
        const auto check = [&](const TestPool& pool) {
            for (std::int32_t i = 0; i < pool.size(); ++i) check_test(pool, static_cast<std::size_t>(i));
        };
        check(tree.tests);
        check(tree.surrogates);
        heaviest_.assign(tree.test.size(), 0);
        for (std::size_t i = 0; i < tree.test.size(); ++i) {
            Count most = -1;
            for (std::int32_t b = 0; b < tree.n_children[i]; ++b)
                if (const Count w = weight(tree.first_child[i] + b); w > most) most = w, heaviest_[i] = b;
        }
    }

    // What decides a branch's share of the rows without a value.
    Count weight(std::int32_t node) const { return tree_.known[static_cast<std::size_t>(node)]; }

    // The branch that a row's own value leads to; -1 if that is missing.
    int ask(std::int32_t node, std::size_t row) const {
        return ask_pool(tree_.tests, static_cast<std::size_t>(tree_.test[static_cast<std::size_t>(node)]),
                        row);
    }
    // The branch of a row at a node; by_share if it goes down all of them.
    int branch(std::int32_t node, std::size_t row) const {
        const auto at = static_cast<std::size_t>(tree_.test[static_cast<std::size_t>(node)]);
        const int b = ask_pool(tree_.tests, at, row);
        if (b >= 0) return b;
        const auto n = static_cast<std::size_t>(node);
        for (auto s = tree_.surrogate_begin[n]; s < tree_.surrogate_begin[n + 1]; ++s)
            if (const int c = ask_pool(tree_.surrogates, static_cast<std::size_t>(s), row); c >= 0) return c;
        return tree_.tests.missing[at];
    }
    std::int32_t leaf(std::size_t row) const {
        std::int32_t i = 0;
        while (!tree_.leaf(i)) {
            const int b = branch(i, row);
            const auto at = static_cast<std::size_t>(i);
            i = tree_.first_child[at] + (b >= 0 ? b : heaviest_[at]);
        }
        return i;
    }
    std::int32_t heaviest(std::int32_t node) const { return heaviest_[static_cast<std::size_t>(node)]; }

private:
    void check_test(const TestPool& pool, std::size_t i) const {
        const auto j = static_cast<std::uint32_t>(pool.column[i]);
        if (j >= frame_.n_columns())
            throw Error("the tree asks for column " + std::to_string(j) + ", there are " +
                        std::to_string(frame_.n_columns()));
        const Column& c = frame_.column(j);
        const bool map = pool.kind[i] == static_cast<std::uint8_t>(TestKind::map);
        if (map == c.ordered())
            throw Error("column " + std::to_string(j) + " is of another kind than the tree's");
        if (map && pool.jump_begin[i + 1] - pool.jump_begin[i] != std::int64_t{c.n_codes} + 1)
            throw Error("column " + std::to_string(j) + " has another number of levels");
    }
    int ask_pool(const TestPool& pool, std::size_t i, std::size_t row) const {
        const Column& c = frame_.column(static_cast<std::uint32_t>(pool.column[i]));
        if (pool.kind[i] == static_cast<std::uint8_t>(TestKind::map)) {
            const std::uint32_t code = c.code(row);
            return code == 0
                       ? -1
                       : static_cast<int>(pool.jumps[static_cast<std::size_t>(pool.jump_begin[i]) + code]);
        }
        double x = 0;
        if (c.kind == ColumnKind::ordinal) {
            const std::uint32_t code = c.code(row);
            if (code == 0) return -1;
            x = c.value(code);
        } else {
            x = c.raw.at(row);
            if (x != x) return -1;
        }
        const double* t = pool.thresholds.data() + pool.threshold_begin[i];
        const double* end = pool.thresholds.data() + pool.threshold_begin[i + 1];
        const auto b = static_cast<int>(std::lower_bound(t, end, x) - t);
        return pool.flip[i] ? 1 - b : b;
    }

    const Tree& tree_;
    const Frame& frame_;
    std::vector<std::int32_t> heaviest_;
};

}  // namespace bosco
