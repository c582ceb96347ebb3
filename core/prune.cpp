// Pruning: a mask, then one rebuild. Bottom-up costs; the cost-complexity sequence by a heap of weakest
// links.
#include <algorithm>
#include <limits>
#include <queue>

#include "functions.hpp"
#include "tree.hpp"

namespace bosco {

namespace {

// The node whose test each node is to have: itself, or one below it.
std::vector<std::size_t> sources(const Tree& tree, const std::vector<std::int32_t>& stand_in) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    std::vector<std::size_t> from(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = i;
    if (stand_in.empty()) return from;
    if (stand_in.size() != n) throw Error("there must be one stand-in per node");
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t up = stand_in[i];
        if (up < 0 || static_cast<std::size_t>(up) >= n) throw Error("a stand-in is no node");
        from[i] = static_cast<std::size_t>(up);
        while (up > static_cast<std::int32_t>(i)) up = tree.parent[static_cast<std::size_t>(up)];
        if (up != static_cast<std::int32_t>(i)) throw Error("a stand-in is not below its node");
    }
    return from;
}

}  // namespace

std::vector<std::int32_t> survivors(const Tree& tree, const std::vector<char>& cut,
                                    const std::vector<std::int32_t>& stand_in) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (cut.size() != n) throw Error("the mask must have one entry per node");
    const auto from = sources(tree, stand_in);
    std::vector<std::int32_t> number(n, -1);
    number[0] = 0;
    std::int32_t next = 0;
    // Parents come first, so a node's fate is known when it is reached; 0 marks one that stays.
    for (std::size_t i = 0; i < n; ++i) {
        if (number[i] < 0) continue;
        number[i] = next++;
        if (tree.test[from[i]] < 0 || cut[i]) continue;
        for (std::int32_t c = 0; c < tree.n_children[from[i]]; ++c)
            number[static_cast<std::size_t>(tree.first_child[from[i]] + c)] = 0;
    }
    return number;
}

Tree prune(const Tree& tree, const std::vector<char>& cut, const std::vector<std::int32_t>& stand_in) {
    const auto number = survivors(tree, cut, stand_in);
    const auto from = sources(tree, stand_in);
    const std::size_t n = number.size();
    const auto splits = [&](std::size_t i) { return tree.test[from[i]] >= 0 && !cut[i]; };
    Tree out;
    out.n_classes = tree.n_classes;
    out.weight_scale = tree.weight_scale;
    out.count_scale = tree.count_scale;
    out.center = tree.center;
    out.scale = tree.scale;
    out.surrogate_begin.push_back(0);
    out.candidate_begin.push_back(0);
    const auto slots = static_cast<std::size_t>(tree.slots());
    const auto width = static_cast<std::size_t>(tree.width());
    for (std::size_t i = 0; i < n; ++i) {
        if (number[i] < 0) continue;
        const bool inner = splits(i);
        const std::size_t f = from[i];  // what the node asks; i: what it holds
        out.test.push_back(inner ? out.tests.push(tree.tests, tree.test[f]) : -1);
        if (i == 0) out.parent.push_back(-1);
        out.first_child.push_back(inner ? number[static_cast<std::size_t>(tree.first_child[f])] : -1);
        out.n_children.push_back(inner ? tree.n_children[f] : 0);
        if (inner) {  // children's numbers follow each other
            const auto first = static_cast<std::size_t>(out.first_child.back());
            out.parent.resize(
                std::max(out.parent.size(), first + static_cast<std::size_t>(tree.n_children[f])));
            std::fill_n(out.parent.begin() + static_cast<std::ptrdiff_t>(first), tree.n_children[f],
                        number[i]);
        }
        for (std::size_t k = 0; k < slots; ++k) out.tally.push_back(tree.tally[i * slots + k]);
        for (std::size_t k = 0; k < width; ++k) out.value.push_back(tree.value[i * width + k]);
        out.count.push_back(tree.count[i]);
        out.known.push_back(tree.known[i]);
        out.impurity.push_back(tree.impurity[i]);
        out.gain.push_back(inner ? tree.gain[f] : 0);
        if (inner)
            for (auto s = tree.surrogate_begin[f]; s < tree.surrogate_begin[f + 1]; ++s)
                out.surrogates.push(tree.surrogates, static_cast<std::int32_t>(s));
        // A raised test was compared with others on fewer rows than it has now.
        for (auto s = tree.candidate_begin[i]; s < tree.candidate_begin[i + 1] && (f == i || !inner); ++s) {
            out.candidates.push(tree.candidates, static_cast<std::int32_t>(s));
            out.candidate_gain.push_back(tree.candidate_gain[static_cast<std::size_t>(s)]);
            out.candidate_split_info.push_back(tree.candidate_split_info[static_cast<std::size_t>(s)]);
            out.candidate_penalty.push_back(tree.candidate_penalty[static_cast<std::size_t>(s)]);
        }
        out.surrogate_begin.push_back(out.surrogates.size());
        out.candidate_begin.push_back(out.candidates.size());
    }
    return out;
}

Collapsed collapse(const Tree& tree, const std::vector<double>& as_leaf, const std::vector<double>& of_test) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (as_leaf.size() != n || of_test.size() != n) throw Error("there must be one cost per node");
    Collapsed out{std::vector<char>(n, 0), std::vector<double>(n, 0)};
    std::vector<double> cost(as_leaf);  // of the subtree, as pruned so far
    for (std::size_t i = n; i-- > 0;) {
        if (tree.test[i] < 0) continue;
        double sum = of_test[i];
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
            sum += cost[static_cast<std::size_t>(tree.first_child[i] + c)];
        out.kept[i] = sum;
        out.cut[i] = no_dearer(as_leaf[i], sum);
        if (!out.cut[i]) cost[i] = sum;
    }
    return out;
}

std::vector<double> fold(const Tree& tree, std::vector<double> values, Fold how, bool downwards) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (values.size() != n) throw Error("there must be one value per node");
    const auto join = [how](double& to, double value) {
        switch (how) {
            case Fold::sum: to += value; break;
            case Fold::least: to = std::min(to, value); break;
            case Fold::most: to = std::max(to, value); break;
        }
    };
    const auto up = [&](std::size_t i) -> double& {
        return values[static_cast<std::size_t>(tree.parent[i])];
    };
    if (downwards)
        for (std::size_t i = 1; i < n; ++i) join(values[i], up(i));
    else
        for (std::size_t i = n; i-- > 1;) join(up(i), values[i]);
    return values;
}

WeakestLinks weakest_links(const Tree& tree, const std::vector<double>& risk) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (risk.size() != n) throw Error("there must be one risk per node");
    std::vector<double> below(risk);  // risk of the leaves below a node
    std::vector<std::int32_t> leaves(n, 1);
    for (std::size_t i = n; i-- > 0;) {
        if (tree.test[i] < 0) continue;
        below[i] = 0;
        leaves[i] = 0;
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c) {
            const auto child = static_cast<std::size_t>(tree.first_child[i] + c);
            below[i] += below[child];
            leaves[i] += leaves[child];
        }
    }
    WeakestLinks path;
    path.cut_at.assign(n, std::numeric_limits<double>::infinity());
    path.alpha.push_back(0);
    path.risk.push_back(below[0]);
    path.leaves.push_back(leaves[0]);

    const auto strength = [&](std::size_t i) { return (risk[i] - below[i]) / (leaves[i] - 1); };
    // An entry is stale once its node's strength has changed (its version moved on).
    struct Link {
        double strength;
        std::size_t node;
        std::uint32_t version;
        bool operator<(const Link& o) const {
            return strength != o.strength ? strength > o.strength : node > o.node;
        }
    };
    std::priority_queue<Link> links;
    std::vector<std::uint32_t> version(n, 0);
    std::vector<char> gone(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        if (tree.test[i] >= 0) links.push({strength(i), i, 0});
    double alpha = 0;
    while (!links.empty()) {
        const Link link = links.top();
        links.pop();
        if (gone[link.node] || link.version != version[link.node]) continue;
        alpha = std::max(alpha, link.strength);
        path.cut_at[link.node] = alpha;
        // The subtree goes: its inner nodes can no longer be cut.
        std::vector<std::size_t> stack{link.node};
        while (!stack.empty()) {
            const std::size_t i = stack.back();
            stack.pop_back();
            if (gone[i] || tree.test[i] < 0) continue;
            gone[i] = 1;
            for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
                stack.push_back(static_cast<std::size_t>(tree.first_child[i] + c));
        }
        const double change = risk[link.node] - below[link.node];
        const std::int32_t fewer = leaves[link.node] - 1;
        for (std::int64_t i = static_cast<std::int64_t>(link.node); i >= 0;
             i = tree.parent[static_cast<std::size_t>(i)]) {
            const auto at = static_cast<std::size_t>(i);
            below[at] += change;
            leaves[at] -= fewer;
            if (at != link.node) links.push({strength(at), at, ++version[at]});
        }
        path.alpha.push_back(alpha);
        path.risk.push_back(below[0]);
        path.leaves.push_back(leaves[0]);
    }
    return path;
}

}  // namespace bosco
