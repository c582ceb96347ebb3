#include "many/forest.hpp"

#include <algorithm>
#include <cmath>
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

std::int32_t Forest::intern(const TestView& test) {
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };  // 0 and -0 stay apart
    std::uint64_t key = mix(static_cast<std::uint64_t>(test.column), static_cast<std::uint64_t>(test.kind));
    key = mix(key, static_cast<std::uint64_t>(test.missing));
    for (const double cut : test.thresholds) key = mix(key, bits(cut));
    for (const std::uint32_t jump : test.jumps) key = mix(key, jump);
    const auto fresh = static_cast<std::uint32_t>(tests.size());
    const std::uint32_t number = known_tests_.number(key, fresh, [&](std::size_t k) {
        const TestView t = tests[k];
        return t.kind == test.kind && t.column == test.column && t.branches == test.branches &&
               t.missing == test.missing && t.flip == test.flip &&
               std::ranges::equal(t.thresholds, test.thresholds, {}, bits, bits) &&
               std::ranges::equal(t.jumps, test.jumps);
    });
    if (number == fresh) tests.push(test);
    return static_cast<std::int32_t>(number);
}

Forest Forest::apart() const {
    Forest f = *this;
    f.known_tests_.clear();
    f.tests = {};
    for (Hop& node : f.nodes)
        if (!node.leaf() && node.other())
            node.slot = std::bit_cast<double>(std::int64_t{f.tests.push(tests[node.bits()])});
    return f;
}

void Forest::share() {
    const TestPool all = std::move(tests);
    tests = {};
    known_tests_.clear();
    for (Hop& node : nodes)
        if (!node.leaf() && node.other())
            node.slot = std::bit_cast<double>(std::int64_t{intern(all[node.bits()])});
}

void Forest::add(const Tree& tree) {
    if (medians()) {
        value.insert(value.end(), tree.value.begin(), tree.value.end());
        gain.insert(gain.end(), tree.gain.begin(), tree.gain.end());
    }
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (tree.leaf(i)) {
            std::int32_t says = i;
            while (tree.weight(says) == 0 && says > 0) says = tree.parent[says];
            const Count* tally = tree.tally_at(says);
            const double sum = n_classes == 0 ? std::bit_cast<double>(tally[1]) : 0;
            nodes.push_back({sum, says == i ? -1 : -2, intern(tally)});
            continue;
        }
        const TestView test = tree.tests[tree.test[i]];
        const std::int32_t first = tree.first_child[i];
        nodes.push_back(test.binary_cut() ? Hop::cut(test, test.missing, first)
                                          : Hop::other(test, intern(test), first));
    }
    begin.push_back(static_cast<std::int64_t>(nodes.size()));
}

void Forest::expect(int trees) {
    const auto last = static_cast<std::size_t>(begin[begin.size() - 1] - begin[begin.size() - 2]);
    constexpr std::size_t most = std::size_t{1} << 24;  // forests may stay smaller than they were meant to be
    nodes.reserve(nodes.size() + std::min(most, last * static_cast<std::size_t>(trees) / 16 * 17));
}

Tree Forest::tree(int t) const {
    const Hop* const from = nodes.data() + begin[t];
    const auto n = static_cast<std::size_t>(begin[t + 1] - begin[t]);
    Target like;
    like.n_classes = n_classes;
    like.weight_scale = weight_scale;
    like.center = center;
    like.scale = scale;
    if (criterion == Criterion::poisson) like.loss = Loss::poisson;
    const Scales scales(like, 1);
    const Shape shape = scales.shape;
    Tree tree;
    tree.n_classes = n_classes;
    tree.weight_scale = weight_scale;
    tree.count_scale = weight_scale;  // a forest keeps weights only: they stand for samples
    tree.center = center;
    tree.scale = scale;
    const auto slots = static_cast<std::size_t>(tree.slots()), width = value_width();
    tree.parent.assign(n, -1);
    tree.first_child.assign(n, -1);
    tree.n_children.assign(n, 0);
    tree.tally.assign(n * slots, 0);
    tree.test.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const Hop& node = from[i];
        if (node.leaf()) {
            if (node.first == -2) continue;
            std::copy_n(tallies.data() + node.what * tally_width(), tally_width(), &tree.tally[i * slots]);
            if (n_classes == 0) tree.tally[i * slots + 1] = node.bits();
            continue;
        }
        tree.first_child[i] = node.first;
        tree.test[i] = tree.tests.push(node.other() ? tests[node.bits()] : node.test());
        tree.n_children[i] = tree.tests.branches.back();
        for (const auto c : tree.children(i)) tree.parent[c] = static_cast<std::int32_t>(i);
    }
    sum_up<Count>(tree.parent, tree.tally, slots);
    tree.value.resize(n * width);
    for (std::size_t i = 0; i < n; ++i) {
        const Count* tally = tree.tally_at(i);
        const Count w = shape.weight(tally);
        tree.count.push_back(w);
        tree.known.push_back(w);
        tree.impurity.push_back(n_classes > 0 ? impurity_of(criterion, shape, tally, 0) : 0.0);
        if (medians()) {
            tree.value[i] = value[begin[t] + i];
            tree.gain.push_back(gain[begin[t] + i]);
            continue;
        }
        if (w > 0)
            scales.values(tally, &tree.value[i * width]);
        else
            std::copy_n(&tree.value[std::max(0, tree.parent[i]) * width], width, &tree.value[i * width]);
        std::vector<const Count*> branches;
        for (const auto c : tree.children(i)) branches.push_back(tree.tally_at(c));
        const Judge judge(criterion, shape, tally);
        tree.gain.push_back(
            tree.leaf(i) || w == 0 ? 0 : scales.gain(judge.decrease(branches.data(), tree.n_children[i]), w));
    }
    tree.surrogate_begin.assign(n + 1, 0);
    tree.candidate_begin.assign(n + 1, 0);
    return tree;
}

std::size_t Forest::bytes() const {
    return nodes.size() * sizeof(Hop) + tallies.size() * sizeof(Count) + begin.size() * sizeof begin[0] +
           tests.kind.size() * (2 + 3 * sizeof(std::int32_t) + 2 * sizeof(std::int64_t)) +
           (value.size() + gain.size() + tests.thresholds.size()) * sizeof(double) +
           tests.jumps.size() * sizeof(std::uint32_t);
}

void Forest::check() const {
    if (begin.empty() || begin.front() != 0 || begin.back() != static_cast<std::int64_t>(nodes.size()))
        throw Error("the trees of the forest do not add up to its nodes");
    if (tallies.size() % tally_width() != 0) throw Error("the tallies of the forest have another width");
    for (std::size_t t = 0; t + 1 < begin.size(); ++t)
        if (begin[t + 1] <= begin[t] || begin[t + 1] - begin[t] > std::numeric_limits<std::int32_t>::max())
            throw Error("a tree of the forest is empty or too large");
    check_pool(tests, "tests");
    check_medians();
    for (int t = 0; t < n_trees(); ++t) {
        std::vector<char> claimed(static_cast<std::size_t>(begin[t + 1] - begin[t]), 0);
        claimed[0] = 1;  // each node but the root, once
        for (std::size_t i = 0; i < claimed.size(); ++i) check_node(nodes[begin[t] + i], i, claimed);
        if (std::ranges::count(claimed, 0) > 0)
            throw Error("a tree of the forest has nodes without a parent");
        tree(t).check();
    }
}

// That medians are there where they are wanted, and are numbers.
void Forest::check_medians() const {
    const std::size_t wanted = medians() ? nodes.size() : 0;
    if (value.size() != wanted || gain.size() != wanted)
        throw Error("the forest has a value and a gain for each node where leaves say medians");
    const auto sound = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(value, sound)) throw Error("a value of the forest is not finite");
    if (!std::ranges::all_of(gain, sound)) throw Error("a gain of the forest is not finite");
}

// That a node's numbers lead somewhere; it claims its children.
void Forest::check_node(const Hop& node, std::size_t i, std::vector<char>& claimed) const {
    if (node.leaf()) {
        if (node.first < -2) throw Error("a leaf of the forest is marked wrongly");
        if (node.what >= tallies.size() / tally_width()) throw Error("a leaf of the forest has no tally");
        return;
    }
    if (node.other() && (node.bits() < 0 || node.bits() >= tests.size()))
        throw Error("a node of the forest has no test");
    const TestView test = node.other() ? tests[node.bits()] : node.test();
    if (test.flaw() != nullptr) throw Error("a threshold of the forest is not a number");
    if (node.first <= static_cast<std::int64_t>(i) ||
        std::int64_t{node.first} + test.branches > static_cast<std::int64_t>(claimed.size()))
        throw Error("a child of the forest is out of range");
    for (std::int32_t b = 0; b < test.branches; ++b)
        if (std::exchange(claimed[node.first + b], 1) != 0)
            throw Error("a node of the forest has two parents");
}

}  // namespace bosco
