#include "many/weighing.hpp"

#include <algorithm>
#include <numeric>

namespace bosco {
namespace {

constexpr double whole = static_cast<double>(std::int64_t{1} << boost_bits);

std::uint32_t says(const Tree& tree, std::size_t node) {
    const auto width = static_cast<std::size_t>(tree.width());
    return static_cast<std::uint32_t>(heaviest(tree.value.data() + node * width, tree.width()));
}

}  // namespace

std::pair<Count, Count> weighed(const Tree& tree) {
    const auto width = static_cast<std::size_t>(tree.width());
    std::pair<Count, Count> sum{0, 0};
    for (std::size_t i = 0; i < tree.test.size(); ++i) {
        if (tree.test[i] >= 0) continue;
        const Count* const tally = tree.tally.data() + i * width;
        const Count right = tally[says(tree, i)];
        sum.first += right;
        sum.second += std::accumulate(tally, tally + width, Count{0}) - right;
    }
    return sum;
}

Weighing::Weighing(std::span<const double> share, std::span<const Count> times, Pool& pool)
    : share_(share.begin(), share.end()), times_(times), fixed_(share.size()), wrong_(share.size(), 0) {
    if (!times.empty() && times.size() != share.size()) throw Error("rows and weights differ in number");
    each_block(pool, n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) fix(i);
    });
}

void Weighing::fix(std::size_t row) {
    const auto one = static_cast<Count>(share_[row] * whole + 0.5);
    fixed_[row] = times(row) * std::max<Count>(1, one);
}

std::vector<Count> Weighing::mark(const Tree& tree, std::span<const std::int32_t> leaf,
                                  std::span<const std::uint32_t> classes, Pool& pool) {
    if (leaf.size() != n_rows() || classes.size() != n_rows())
        throw Error("rows, classes and weights differ in number");
    const std::size_t n_nodes = tree.test.size();
    std::vector<std::uint32_t> said;
    for (std::size_t i = 0; i < n_nodes; ++i) said.push_back(says(tree, i));
    std::vector<std::vector<Count>> counts(static_cast<std::size_t>(pool.size()),
                                           std::vector<Count>(n_nodes, 0));
    each_block(pool, n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        Count* const count = counts[thread].data();
        for (std::size_t i = first; i < last; ++i) {
            const auto at = static_cast<std::size_t>(leaf[i]);
            wrong_[i] = said[at] != classes[i];
            count[at] += times(i);
        }
    });
    for (std::size_t t = 1; t < counts.size(); ++t)
        for (std::size_t i = 0; i < n_nodes; ++i) counts[0][i] += counts[t][i];
    for (std::size_t i = n_nodes; i-- > 1;)  // children come after their parent
        counts[0][static_cast<std::size_t>(tree.parent[i])] += counts[0][i];
    return std::move(counts[0]);
}

void Weighing::multiply(Count right, Count wrong, double times_wrong, Pool& pool) {
    const double if_right = whole / (static_cast<double>(right) + static_cast<double>(wrong) * times_wrong);
    const double if_wrong = if_right * times_wrong;
    each_block(pool, n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) {
            share_[i] *= wrong_[i] ? if_wrong : if_right;
            fix(i);
        }
    });
}

}  // namespace bosco
