#include "tree/route.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "grow/rows.hpp"
#include "tree/packed.hpp"
#include "tree/walk.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 4096;

// One binary cut, compact. A leaf leads to itself.
template <class Real>
struct Hop {
    Real threshold;
    std::uint32_t column;  // highest bit: missing values go right
    std::int32_t first;
};
constexpr std::uint32_t missing_right = 0x80000000u;

// All tests binary cuts of numeric columns of one type, every missing value with one branch?
bool plain(const Tree& tree, const Frame& frame) {
    if (tree.surrogates.size() > 0) return false;
    const TestPool& t = tree.tests;
    for (std::size_t i = 0; i < t.kind.size(); ++i) {
        const Column& c = frame.column(static_cast<std::uint32_t>(t.column[i]));
        if (t.kind[i] != 1 || t.branches[i] != 2 || t.missing[i] < 0 || c.kind != ColumnKind::numeric ||
            c.raw.dtype != frame.column(static_cast<std::uint32_t>(t.column[0])).raw.dtype)
            return false;
    }
    return t.size() > 0;
}

template <class T, class Real, class RowAt>
void walk_block(const std::vector<Hop<Real>>& hops, const std::vector<Raw>& raws, RowAt row_at,
                std::size_t begin, std::size_t end, std::int32_t* leaf) {
    // Several rows walk at once, so that waiting for memory overlaps; who arrives makes room.
    constexpr std::size_t together = 16;
    std::size_t row[together], place[together];
    std::int32_t at[together] = {};
    std::size_t next = begin, walking = 0;
    const auto enter = [&](std::size_t i) {
        place[i] = next;
        row[i] = row_at(next++);
        at[i] = 0;
    };
    while (walking < together && next < end) enter(walking++);
    while (walking > 0) {
        for (std::size_t i = 0; i < walking;) {
            const Hop<Real>& h = hops[static_cast<std::size_t>(at[i])];
            const Raw& raw = raws[h.column & ~missing_right];
            const auto x = static_cast<Real>(raw.as<T>(row[i]));
            const bool right = (x > h.threshold) | ((x != x) & ((h.column & missing_right) != 0));
            const std::int32_t to = h.first + right;
            if (to != at[i]) {
                at[i++] = to;
                continue;
            }
            leaf[place[i]] = to;
            if (next < end) {
                enter(i++);
            } else {
                --walking;
                place[i] = place[walking];
                row[i] = row[walking];
                at[i] = at[walking];
            }
        }
    }
}

template <class Real>
std::vector<Hop<Real>> hops_of(const Tree& tree) {
    std::vector<Hop<Real>> hops(tree.test.size());
    for (std::size_t i = 0; i < hops.size(); ++i) {
        if (tree.test[i] < 0) {
            hops[i] = {std::numeric_limits<Real>::infinity(),
                       static_cast<std::uint32_t>(tree.tests.column[0]), static_cast<std::int32_t>(i)};
            continue;
        }
        const auto t = static_cast<std::size_t>(tree.test[i]);
        const std::uint32_t flag = tree.tests.missing[t] == 1 ? missing_right : 0;
        const double cut = tree.tests.thresholds[static_cast<std::size_t>(tree.tests.threshold_begin[t])];
        hops[i] = {threshold_for<Real>(cut), static_cast<std::uint32_t>(tree.tests.column[t]) | flag,
                   tree.first_child[i]};
    }
    return hops;
}

// Calls work(begin, end) for all blocks of n rows.
template <class Work>
void each_block(std::size_t n, Pool& pool, const Work& work) {
    const auto blocks = static_cast<std::int64_t>((n + block_rows - 1) / block_rows);
    pool.run(blocks, [&](std::int64_t b, int) {
        const std::size_t begin = static_cast<std::size_t>(b) * block_rows;
        work(begin, std::min(n, begin + block_rows));
    });
}

// Walks n rows down the hops that make(number type) gives; `first`: a column that is asked for.
template <class RowAt, class Make>
void walk_rows(const Frame& frame, std::uint32_t first, std::size_t n, RowAt row_at, Pool& pool,
               std::span<std::int32_t> leaf, const Make& make) {
    std::vector<Raw> raws;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) raws.push_back(frame.column(j).raw);
    raws[first].visit([&](auto type) {
        using T = decltype(type);
        using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
        const std::vector<Hop<Real>> hops = make(Real{});
        each_block(n, pool, [&](std::size_t begin, std::size_t end) {
            walk_block<T>(hops, raws, row_at, begin, end, leaf.data());
        });
    });
}

// The leaves of n rows; row_at(k) is the k-th.
template <class RowAt>
void route_all(const Tree& tree, const Frame& frame, std::size_t n, RowAt row_at, Pool& pool,
               std::span<std::int32_t> leaf) {
    const Walker walker(tree, frame);
    if (!plain(tree, frame)) {
        each_block(n, pool, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) leaf[k] = walker.leaf(row_at(k));
        });
        return;
    }
    walk_rows(frame, static_cast<std::uint32_t>(tree.tests.column[0]), n, row_at, pool, leaf,
              [&](auto real) { return hops_of<decltype(real)>(tree); });
}

}  // namespace

void route(const Tree& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf) {
    route_all(tree, frame, frame.n_rows(), [](std::size_t k) { return k; }, pool, leaf);
}

void route(const Tree& tree, const Frame& frame, std::span<const std::uint32_t> rows, Pool& pool,
           std::span<std::int32_t> leaf) {
    route_all(tree, frame, rows.size(), [rows](std::size_t k) { return std::size_t{rows[k]}; }, pool, leaf);
}

bool route(const Packed& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf) {
    std::vector<char> asked(frame.n_columns(), 0);
    tree.visit(
        [&](std::int32_t, std::uint32_t column, std::uint32_t, double, std::int32_t) {
            if (column >= asked.size())
                throw Error("the tree asks for column " + std::to_string(column) + ", there are " +
                            std::to_string(asked.size()));
            asked[column] = 1;
        },
        [](std::int32_t) {});
    const auto first = static_cast<std::uint32_t>(std::ranges::find(asked, 1) - asked.begin());
    for (std::uint32_t j = first; j < frame.n_columns(); ++j) {
        const Column& c = frame.column(j);
        if (asked[j] != 0 && (c.kind != ColumnKind::numeric || c.raw.dtype != frame.column(first).raw.dtype))
            return false;
    }
    const auto make = [&](auto real) {
        using Real = decltype(real);
        std::vector<Hop<Real>> hops(static_cast<std::size_t>(tree.n_nodes()));
        tree.visit(
            [&](std::int32_t i, std::uint32_t column, std::uint32_t missing, double threshold,
                std::int32_t child) {
                hops[static_cast<std::size_t>(i)] = {threshold_for<Real>(threshold),
                                                     column | (missing != 0 ? missing_right : 0), child};
            },
            [&](std::int32_t i) {
                hops[static_cast<std::size_t>(i)] = {std::numeric_limits<Real>::infinity(), first, i};
            });
        return hops;
    };
    walk_rows(frame, first, frame.n_rows(), [](std::size_t k) { return k; }, pool, leaf, make);
    return true;
}

void mix(const Tree& tree, const Frame& frame, std::span<const double> values, std::size_t width, Pool& pool,
         std::span<double> out) {
    const Walker walker(tree, frame);
    each_block(frame.n_rows(), pool, [&](std::size_t begin, std::size_t end) {
        std::vector<std::pair<std::int32_t, double>> open;
        for (std::size_t row = begin; row < end; ++row) {
            double* to = out.data() + row * width;
            std::fill_n(to, width, 0.0);
            open.assign(1, {0, 1.0});
            while (!open.empty()) {
                const auto [i, share] = open.back();
                open.pop_back();
                if (tree.leaf(i)) {
                    const double* from = values.data() + static_cast<std::size_t>(i) * width;
                    for (std::size_t k = 0; k < width; ++k) to[k] += share * from[k];
                    continue;
                }
                const std::int32_t first = tree.first_child[static_cast<std::size_t>(i)];
                const std::int32_t k = tree.n_children[static_cast<std::size_t>(i)];
                if (const int b = walker.branch(i, row); b >= 0) {
                    open.emplace_back(first + b, share);
                    continue;
                }
                Count total = 0;
                for (std::int32_t b = 0; b < k; ++b) total += walker.weight(first + b);
                for (std::int32_t b = k; b-- > 0;)
                    if (const Count w = walker.weight(first + b); w > 0)
                        open.emplace_back(first + b,
                                          share * (static_cast<double>(w) / static_cast<double>(total)));
            }
        }
    });
}

}  // namespace bosco
