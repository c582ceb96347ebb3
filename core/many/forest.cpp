#include "many/forest.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "grow/sprout.hpp"

namespace bosco {
namespace {

std::uint64_t hash_of(const Count* tally, std::size_t width) {
    std::uint64_t h = 0;
    for (std::size_t k = 0; k < width; ++k) h = mix(h, static_cast<std::uint64_t>(tally[k]));
    return h;
}

}  // namespace

std::uint32_t Forest::intern(const Count* tally) {
    const std::size_t width = tally_width();
    const std::size_t kept = tallies.size() / width;
    const auto number_of = [&](const Count* t, std::size_t fresh) {
        return known_tallies_.number(
            hash_of(t, width), static_cast<std::uint32_t>(fresh),
            [&](std::size_t k) { return std::equal(t, t + width, tallies.data() + k * width); });
    };
    // Those of a file are not known yet.
    for (; met_ < kept; ++met_) number_of(tallies.data() + met_ * width, met_);
    const std::uint32_t number = number_of(tally, kept);
    if (number < kept) return number;
    tallies.insert(tallies.end(), tally, tally + width);
    ++met_;
    return number;
}

std::int32_t Forest::intern(const TestPool& from, std::int32_t test) {
    const auto t = static_cast<std::size_t>(test);
    const auto range = [](const auto& values, const auto& from_at, std::size_t i) {
        return std::span(values).subspan(static_cast<std::size_t>(from_at[i]),
                                         static_cast<std::size_t>(from_at[i + 1] - from_at[i]));
    };
    const auto cuts = range(from.thresholds, from.threshold_begin, t);
    const auto jumps = range(from.jumps, from.jump_begin, t);
    std::uint64_t key = mix(static_cast<std::uint64_t>(from.column[t]), from.kind[t]);
    key = mix(key, static_cast<std::uint64_t>(from.missing[t]));
    for (const double cut : cuts) key = mix(key, std::bit_cast<std::uint64_t>(cut));
    for (const std::uint32_t jump : jumps) key = mix(key, jump);
    const auto fresh = static_cast<std::uint32_t>(tests.size());
    const std::uint32_t number = known_tests_.number(key, fresh, [&](std::size_t k) {
        // Bits, so that 0 and -0 stay apart.
        const auto alike = [](double a, double b) {
            return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        };
        return tests.kind[k] == from.kind[t] && tests.column[k] == from.column[t] &&
               tests.branches[k] == from.branches[t] && tests.missing[k] == from.missing[t] &&
               tests.flip[k] == from.flip[t] &&
               std::ranges::equal(range(tests.thresholds, tests.threshold_begin, k), cuts, alike) &&
               std::ranges::equal(range(tests.jumps, tests.jump_begin, k), jumps);
    });
    if (number == fresh) tests.push(from, test);
    return static_cast<std::int32_t>(number);
}

namespace {

bool has_other_test(const ForestNode& node) {
    return !node.leaf() && (node.what & ForestNode::other_test) != 0;
}

}  // namespace

Forest Forest::apart() const {
    Forest f = *this;
    f.known_tests_.clear();
    f.tests = {};
    for (ForestNode& node : f.nodes)
        if (has_other_test(node))
            node.slot = std::bit_cast<double>(
                std::int64_t{f.tests.push(tests, static_cast<std::int32_t>(node.bits()))});
    return f;
}

void Forest::share() {
    const TestPool all = std::move(tests);
    tests = {};
    known_tests_.clear();
    for (ForestNode& node : nodes)
        if (has_other_test(node))
            node.slot =
                std::bit_cast<double>(std::int64_t{intern(all, static_cast<std::int32_t>(node.bits()))});
}

void Forest::add(const Tree& tree) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    const auto slots = static_cast<std::size_t>(tree.slots());
    const Shape shape{n_classes, false};
    for (std::size_t i = 0; i < n; ++i) {
        ForestNode node;
        if (tree.test[i] < 0) {
            std::size_t says = i;
            while (shape.weight(tree.tally.data() + says * slots) == 0 && says > 0)
                says = static_cast<std::size_t>(tree.parent[says]);
            const Count* tally = tree.tally.data() + says * slots;
            if (says != i) node.first = -2;
            node.what = intern(tally);
            if (n_classes == 0) node.slot = std::bit_cast<double>(tally[1]);
        } else {
            const auto t = static_cast<std::size_t>(tree.test[i]);
            node.first = tree.first_child[i];
            node.what = static_cast<std::uint32_t>(tree.tests.column[t]);
            if (tree.tests.missing[t] == 1) node.what |= ForestNode::missing_right;
            if (tree.tests.kind[t] == static_cast<std::uint8_t>(TestKind::cut) &&
                tree.tests.branches[t] == 2) {
                node.slot = tree.tests.thresholds[static_cast<std::size_t>(tree.tests.threshold_begin[t])];
            } else {
                node.what |= ForestNode::other_test;
                node.slot = std::bit_cast<double>(std::int64_t{intern(tree.tests, tree.test[i])});
            }
        }
        nodes.push_back(node);
    }
    begin.push_back(static_cast<std::int64_t>(nodes.size()));
}

void Forest::expect(int trees) {
    const auto last = static_cast<std::size_t>(begin[begin.size() - 1] - begin[begin.size() - 2]);
    constexpr std::size_t most = std::size_t{1} << 24;  // forests may stay smaller than they were meant to be
    nodes.reserve(nodes.size() + std::min(most, last * static_cast<std::size_t>(trees) / 16 * 17));
}

Tree Forest::tree(int t) const {
    const ForestNode* const from = nodes.data() + begin[static_cast<std::size_t>(t)];
    const auto n =
        static_cast<std::size_t>(begin[static_cast<std::size_t>(t) + 1] - begin[static_cast<std::size_t>(t)]);
    Tree tree;
    tree.n_classes = n_classes;
    tree.weight_scale = weight_scale;
    tree.count_scale = weight_scale;  // a forest keeps weights only: they stand for samples
    tree.center = center;
    tree.scale = scale;
    const Shape shape{n_classes, false};
    const auto slots = static_cast<std::size_t>(tree.slots()), width = static_cast<std::size_t>(tree.width());
    tree.parent.assign(n, -1);
    tree.first_child.assign(n, -1);
    tree.n_children.assign(n, 0);
    tree.tally.assign(n * slots, 0);
    tree.test.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const ForestNode& node = from[i];
        if (node.leaf()) continue;
        tree.first_child[i] = node.first;
        if (node.what & ForestNode::other_test)
            tree.test[i] = tree.tests.push(tests, static_cast<std::int32_t>(node.bits()));
        else
            tree.test[i] = tree.tests.push_cut(static_cast<std::int32_t>(node.column()),
                                               node.what & ForestNode::missing_right ? 1 : 0, node.slot);
        tree.n_children[i] = tree.tests.branches[static_cast<std::size_t>(tree.test[i])];
        for (std::int32_t b = 0; b < tree.n_children[i]; ++b)
            tree.parent[static_cast<std::size_t>(node.first + b)] = static_cast<std::int32_t>(i);
    }
    for (std::size_t i = n; i-- > 0;) {  // children come after their parent
        Count* tally = tree.tally.data() + i * slots;
        if (from[i].leaf() && !from[i].empty()) {
            const Count* kept = tallies.data() + std::size_t{from[i].what} * tally_width();
            std::copy_n(kept, tally_width(), tally);
            if (n_classes == 0) tally[1] = from[i].bits();
        }
        if (i > 0)
            bosco::add(tree.tally.data() + static_cast<std::size_t>(tree.parent[i]) * slots, tally,
                       static_cast<int>(slots));
    }
    tree.value.resize(n * width);
    for (std::size_t i = 0; i < n; ++i) {
        const Count* tally = tree.tally.data() + i * slots;
        const Count w = shape.weight(tally);
        const auto dw = static_cast<double>(w);
        const auto up = static_cast<std::size_t>(std::max(0, tree.parent[i]));
        for (std::size_t k = 0; k < width; ++k)
            tree.value[i * width + k] = w == 0          ? tree.value[up * width + k]
                                        : n_classes > 0 ? static_cast<double>(tally[k]) / dw
                                                        : center + static_cast<double>(tally[1]) / dw / scale;
        tree.count.push_back(w);
        tree.known.push_back(w);
        tree.impurity.push_back(n_classes > 0 ? impurity_of(criterion, shape, tally, 0) : 0.0);
        double gain = 0;
        if (tree.test[i] >= 0 && w > 0) {
            const Judge judge(criterion, shape, tally);
            std::vector<const Count*> branches;
            for (std::int32_t b = 0; b < tree.n_children[i]; ++b)
                branches.push_back(tree.tally.data() +
                                   static_cast<std::size_t>(tree.first_child[i] + b) * slots);
            gain = std::max(0.0, judge.decrease(branches.data(), tree.n_children[i])) / dw;
            if (n_classes == 0) gain /= scale * scale;
        }
        tree.gain.push_back(gain);
    }
    tree.surrogate_begin.assign(n + 1, 0);
    tree.candidate_begin.assign(n + 1, 0);
    return tree;
}

std::size_t Forest::bytes() const {
    return nodes.size() * sizeof(ForestNode) + tallies.size() * sizeof(Count) +
           begin.size() * sizeof begin[0] +
           tests.kind.size() * (2 + 3 * sizeof(std::int32_t) + 2 * sizeof(std::int64_t)) +
           tests.thresholds.size() * sizeof(double) + tests.jumps.size() * sizeof(std::uint32_t);
}

void Forest::check() const {
    if (begin.empty() || begin.front() != 0 || begin.back() != static_cast<std::int64_t>(nodes.size()))
        throw Error("the trees of the forest do not add up to its nodes");
    const std::size_t width = tally_width();
    if (tallies.size() % width != 0) throw Error("the tallies of the forest have another width");
    for (std::size_t t = 0; t + 1 < begin.size(); ++t)
        if (begin[t + 1] <= begin[t] || begin[t + 1] - begin[t] > std::numeric_limits<std::int32_t>::max())
            throw Error("a tree of the forest is empty or too large");
    check_pool(tests, "tests");
    for (std::size_t t = 0; t + 1 < begin.size(); ++t) {
        const std::int64_t n = begin[t + 1] - begin[t];
        std::vector<char> claimed(static_cast<std::size_t>(n), 0);  // each node but the root, once
        std::int64_t next = 1;
        for (std::int64_t i = 0; i < n; ++i) {
            const ForestNode& node = nodes[static_cast<std::size_t>(begin[t] + i)];
            if (node.leaf()) {
                if (node.first < -2) throw Error("a leaf of the forest is marked wrongly");
                if (node.what >= tallies.size() / width) throw Error("a leaf of the forest has no tally");
                continue;
            }
            std::int64_t branches = 2;
            if (node.what & ForestNode::other_test) {
                if (node.bits() < 0 || node.bits() >= tests.size())
                    throw Error("a node of the forest has no test");
                branches = tests.branches[static_cast<std::size_t>(node.bits())];
            } else if (node.slot != node.slot) {
                throw Error("a threshold of the forest is not a number");
            }
            if (node.first <= i || node.first + branches > n)
                throw Error("a child of the forest is out of range");
            for (std::int64_t b = 0; b < branches; ++b)
                if (std::exchange(claimed[static_cast<std::size_t>(node.first + b)], 1) != 0)
                    throw Error("a node of the forest has two parents");
            next += branches;
        }
        if (next != n) throw Error("a tree of the forest has nodes without a parent");
        tree(static_cast<int>(t)).check();
    }
}

}  // namespace bosco
