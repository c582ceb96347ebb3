// Pruning: a mask, then one rebuild. The cost-complexity sequence by a heap of weakest links.
#include <algorithm>
#include <limits>
#include <queue>

#include "tree.hpp"

namespace bosco {

Tree prune(const Tree& tree, const std::vector<char>& cut) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (cut.size() != n) throw Error("the mask must have one entry per node");
    std::vector<std::int32_t> number(n, -1);
    std::vector<char> keep(n, 0);
    keep[0] = 1;
    std::int32_t next = 0;
    // Parents come first, so a node's fate is known when it is reached.
    for (std::size_t i = 0; i < n; ++i) {
        if (!keep[i]) continue;
        number[i] = next++;
        if (tree.test[i] < 0 || cut[i]) continue;
        for (std::int32_t c = 0; c < tree.n_children[i]; ++c)
            keep[static_cast<std::size_t>(tree.first_child[i] + c)] = 1;
    }
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
        if (!keep[i]) continue;
        const bool inner = tree.test[i] >= 0 && !cut[i];
        out.test.push_back(inner ? out.tests.push(tree.tests, tree.test[i]) : -1);
        out.parent.push_back(i == 0 ? -1 : number[static_cast<std::size_t>(tree.parent[i])]);
        out.first_child.push_back(inner ? number[static_cast<std::size_t>(tree.first_child[i])] : -1);
        out.n_children.push_back(inner ? tree.n_children[i] : 0);
        for (std::size_t k = 0; k < slots; ++k) out.tally.push_back(tree.tally[i * slots + k]);
        for (std::size_t k = 0; k < width; ++k) out.value.push_back(tree.value[i * width + k]);
        out.count.push_back(tree.count[i]);
        out.known.push_back(tree.known[i]);
        out.impurity.push_back(tree.impurity[i]);
        out.gain.push_back(inner ? tree.gain[i] : 0);
        if (inner) {
            for (auto s = tree.surrogate_begin[i]; s < tree.surrogate_begin[i + 1]; ++s)
                out.surrogates.push(tree.surrogates, static_cast<std::int32_t>(s));
            for (auto s = tree.candidate_begin[i]; s < tree.candidate_begin[i + 1]; ++s) {
                out.candidates.push(tree.candidates, static_cast<std::int32_t>(s));
                out.candidate_gain.push_back(tree.candidate_gain[static_cast<std::size_t>(s)]);
                out.candidate_split_info.push_back(tree.candidate_split_info[static_cast<std::size_t>(s)]);
                out.candidate_penalty.push_back(tree.candidate_penalty[static_cast<std::size_t>(s)]);
            }
        }
        out.surrogate_begin.push_back(out.surrogates.size());
        out.candidate_begin.push_back(out.candidates.size());
    }
    return out;
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
