#include "tree/route.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tree/packed.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 4096;

// The leaves of rows, all or some.
template <class Node, class Number, class Other>
void walk_rows(const std::vector<Node>& hops, const Number& number, const Other& other, Pool& pool,
               std::span<std::int32_t> leaf, std::span<const std::uint32_t> rows) {
    pool.run_blocks(leaf.size(), block_rows, [&](std::size_t begin, std::size_t end) {
        const auto start = [&](std::size_t k) {
            return Stand{hops.data(), rows.empty() ? begin + k : rows[begin + k], 0};
        };
        walk(end - begin, start, number, other,
             [&](std::size_t k, const auto& at) { leaf[begin + k] = at.node; });
    });
}

// The same of binary cuts alone.
void walk_cuts(std::vector<Hop> hops, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf,
               std::span<const std::uint32_t> rows) {
    std::vector<char> asked(frame.n_columns(), 0);
    for (const Hop& hop : hops)
        if (!hop.leaf()) asked[hop.column()] = 1;
    with_numbers(frame, asked, [&](const auto& number) {
        if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(number)>::Real, float>) {
            std::vector<HopFor<float>> small(hops.size());
            std::ranges::transform(hops, small.begin(), HopFor<float>::of);
            hops = {};
            walk_rows(small, number, NoOther{}, pool, leaf, rows);
        } else {
            walk_rows(hops, number, NoOther{}, pool, leaf, rows);
        }
    });
}

}  // namespace

std::vector<Hop> hops_of(const Tree& tree, const Walker& walker) {
    std::vector<Hop> hops(tree.test.size());
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (tree.leaf(i)) continue;
        const TestView test = tree.tests[tree.test[i]];
        const std::int32_t first = tree.first_child[i];
        if (!test.binary_cut() || tree.surrogate_begin[i] < tree.surrogate_begin[i + 1])
            hops[i] = Hop::other(test, i, first);
        else
            hops[i] = Hop::cut(test, test.missing == by_share ? walker.heaviest(i) : test.missing, first);
    }
    return hops;
}

void route(const Tree& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf,
           std::span<const std::uint32_t> rows) {
    const Walker walker(tree, frame);
    std::vector<Hop> hops = hops_of(tree, walker);
    if (std::ranges::none_of(hops, [](const Hop& hop) { return hop.other(); }))
        return walk_cuts(std::move(hops), frame, pool, leaf, rows);
    const auto other = [&](std::size_t row, const Hop& hop) {
        return walker.one_branch(static_cast<std::int32_t>(hop.bits()), row);
    };
    walk_rows(hops, AnyNumbers{frame}, other, pool, leaf, rows);
}

void route(const Packed& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf) {
    std::vector<Hop> hops(static_cast<std::size_t>(tree.n_nodes()));
    tree.visit([&](std::int32_t i, const TestView& test, std::int32_t first) {
        test.require_fit(frame);
        hops[i] = Hop::cut(test, test.missing, first);
    });
    walk_cuts(std::move(hops), frame, pool, leaf, {});
}

void values_by_share(const Tree& tree, const Frame& frame, std::span<const double> values, std::size_t width,
                     Pool& pool, std::span<double> out) {
    const Walker walker(tree, frame);
    std::ranges::fill(out, 0.0);
    const auto deal = [](double share, std::span<const Count> weights, const auto& put) {
        Count total = 0;
        for (const Count w : weights) total += w;
        for (std::size_t b = 0; b < weights.size(); ++b)
            if (weights[b] > 0)
                put(b, share * (static_cast<double>(weights[b]) / static_cast<double>(total)));
    };
    pool.run_blocks(frame.n_rows(), block_rows, [&](std::size_t begin, std::size_t end) {
        walker.each_leaf(begin, end, 1.0, deal, [&](std::size_t row, std::size_t leaf, double share) {
            for (std::size_t k = 0; k < width; ++k) out[row * width + k] += share * values[leaf * width + k];
        });
    });
}

}  // namespace bosco
