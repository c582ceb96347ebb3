// What a forest says of rows.
#include <algorithm>

#include "forest.hpp"
#include "route.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 4096;

// Are all tests binary cuts of numeric columns of one type?
bool plain(const Forest& forest, const Frame& frame) {
    if (forest.tests.size() > 0) return false;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) {
        const Column& c = frame.column(j);
        if (c.kind != ColumnKind::numeric || c.raw.dtype != frame.column(0).raw.dtype) return false;
    }
    return true;
}

// What the leaves of a tally say; for a real target leaves have their own sums.
std::vector<double> votes_of(const Forest& forest, Vote vote) {
    std::vector<double> votes;
    const std::size_t width = forest.tally_width();
    const Shape shape{forest.n_classes, false};
    for (std::size_t i = 0; i < forest.tallies.size(); i += width) {
        const Count* tally = forest.tallies.data() + i;
        const auto w = static_cast<double>(shape.classes > 0 ? shape.weight(tally) : tally[0]);
        const int most = shape.classes > 0 ? shape.majority(tally) : 0;
        for (std::size_t k = 0; k < width; ++k)
            votes.push_back(vote == Vote::mode ? static_cast<double>(static_cast<int>(k) == most)
                                               : static_cast<double>(tally[k]) / w);
    }
    return votes;
}

}  // namespace

void leaves_of(const Forest& forest, int t, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf) {
    route(forest.tree(t), frame, pool, leaf);
}

void sum_votes(const Forest& forest, const Frame& frame, std::span<const double> tree_weight, Vote vote,
               Pool& pool, std::span<double> out) {
    const std::size_t n = frame.n_rows(), width = forest.value_width();
    const auto blocks = static_cast<std::int64_t>((n + block_rows - 1) / block_rows);
    const std::vector<double> votes = votes_of(forest, vote);
    const auto value = [&](const ForestNode& leaf) {
        const auto w = static_cast<double>(forest.tallies[leaf.what]);
        return forest.center + static_cast<double>(leaf.bits()) / w / forest.scale;
    };
    std::fill(out.begin(), out.end(), 0.0);
    // A row's sum runs over the trees in order, whoever adds it up.
    const auto add_leaf = [&](const ForestNode& leaf, double weight, double* to) {
        if (forest.n_classes == 0) {
            *to += weight * value(leaf);
            return;
        }
        const double* from = votes.data() + std::size_t{leaf.what} * width;
        for (std::size_t k = 0; k < width; ++k) to[k] += weight * from[k];
    };
    if (!plain(forest, frame)) {
        std::vector<std::int32_t> leaf(n);
        for (int t = 0; t < forest.n_trees(); ++t) {
            leaves_of(forest, t, frame, pool, leaf);
            const ForestNode* const nodes = forest.nodes.data() + forest.begin[static_cast<std::size_t>(t)];
            for (std::size_t row = 0; row < n; ++row)
                add_leaf(nodes[leaf[row]], tree_weight[static_cast<std::size_t>(t)],
                         out.data() + row * width);
        }
        return;
    }
    std::vector<Raw> raws;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) raws.push_back(frame.column(j).raw);
    raws[0].visit([&](auto type) {
        using T = decltype(type);
        pool.run(blocks, [&](std::int64_t block, int) {
            const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
            const std::size_t end = std::min(n, begin + block_rows);
            for (int t = 0; t < forest.n_trees(); ++t) {
                const ForestNode* const nodes =
                    forest.nodes.data() + forest.begin[static_cast<std::size_t>(t)];
                const double weight = tree_weight[static_cast<std::size_t>(t)];
                // Several rows walk at once, so that waiting for memory overlaps.
                constexpr std::size_t together = 16;
                std::size_t row[together];
                const ForestNode* at[together];
                std::size_t next = begin, walking = 0;
                while (walking < together && next < end) at[walking] = nodes, row[walking++] = next++;
                while (walking > 0) {
                    for (std::size_t i = 0; i < walking;) {
                        const ForestNode& node = *at[i];
                        if (!node.leaf()) {
                            const auto x = static_cast<double>(raws[node.column()].as<T>(row[i]));
                            const bool right =
                                (x > node.slot) | ((x != x) & ((node.what & ForestNode::missing_right) != 0));
                            at[i++] = nodes + node.first + right;
                            continue;
                        }
                        add_leaf(node, weight, out.data() + row[i] * width);
                        if (next < end) {
                            row[i] = next++;
                            at[i++] = nodes;
                        } else {
                            --walking;
                            row[i] = row[walking];
                            at[i] = at[walking];
                        }
                    }
                }
            }
        });
    });
}

}  // namespace bosco
