// Pruning: a mask, then one rebuild. Bottom-up costs; the cost-complexity sequence by a heap of weakest
// links.
#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "grow/frontier.hpp"
#include "score/functions.hpp"
#include "tree/tree.hpp"

namespace bosco {

namespace {

// The node whose test each node is to have: itself, or one below it.
std::vector<std::int32_t> sources(const Tree& tree, const std::vector<std::int32_t>& stand_in) {
    if (stand_in.empty()) {
        std::vector<std::int32_t> own(tree.test.size());
        std::iota(own.begin(), own.end(), 0);
        return own;
    }
    if (stand_in.size() != tree.test.size()) throw Error("there must be one stand-in per node");
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        std::int32_t up = stand_in[i];
        if (up < 0 || up >= tree.n_nodes()) throw Error("a stand-in is no node");
        while (up > i) up = tree.parent[up];
        if (up != i) throw Error("a stand-in is not below its node");
    }
    return stand_in;
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
        if (cut[i]) continue;
        for (const auto c : tree.children(from[i])) number[c] = 0;
    }
    return number;
}

namespace {

// Copies nodes of finished trees, one after the other, into a new tree.
class Copy {
public:
    explicit Copy(const Tree& like) {
        out_.n_classes = like.n_classes;
        out_.sums = like.sums;
        out_.weight_scale = like.weight_scale;
        out_.count_scale = like.count_scale;
        out_.center = like.center;
        out_.scale = like.scale;
        out_.surrogate_begin.push_back(0);
        out_.candidate_begin.push_back(0);
    }
    // A node that holds what node `i` of a tree holds, and asks what `asks` does there if it is inner; its
    // children will have the numbers from `first_child` on.
    void add(const Tree& from, std::int32_t i, std::int32_t asks, bool inner, std::int32_t parent,
             std::int32_t first_child) {
        out_.test.push_back(inner ? out_.tests.push(from.tests[from.test[asks]]) : -1);
        out_.parent.push_back(parent);
        out_.first_child.push_back(inner ? first_child : -1);
        out_.n_children.push_back(inner ? from.n_children[asks] : 0);
        out_.tally.insert(out_.tally.end(), from.tally_at(i), from.tally_at(i) + from.slots());
        const double* const value = from.value.data() + std::int64_t{i} * from.width();
        out_.value.insert(out_.value.end(), value, value + from.width());
        out_.count.push_back(from.count[i]);
        out_.known.push_back(from.known[i]);
        out_.impurity.push_back(from.impurity[i]);
        out_.gain.push_back(inner ? from.gain[asks] : 0);
        for (auto s = from.surrogate_begin[asks]; s < from.surrogate_begin[asks + 1] && inner; ++s)
            out_.surrogates.push(from.surrogates[s]);
        // A test that comes from elsewhere was compared with others on other rows than it has now.
        for (auto s = from.candidate_begin[i]; s < from.candidate_begin[i + 1] && (asks == i || !inner);
             ++s) {
            out_.candidates.push(from.candidates[s]);
            out_.candidate_gain.push_back(from.candidate_gain[s]);
            out_.candidate_split_info.push_back(from.candidate_split_info[s]);
            out_.candidate_penalty.push_back(from.candidate_penalty[s]);
        }
        out_.surrogate_begin.push_back(out_.surrogates.size());
        out_.candidate_begin.push_back(out_.candidates.size());
    }
    void know(Count known) { out_.known.back() = known; }  // of the last node
    Tree tree() { return std::move(out_); }

private:
    Tree out_;
};

}  // namespace

Tree prune(const Tree& tree, const std::vector<char>& cut, const std::vector<std::int32_t>& stand_in) {
    const auto number = survivors(tree, cut, stand_in);
    const auto from = sources(tree, stand_in);
    std::vector<std::int32_t> parent(number.size(), -1);
    Copy copy(tree);
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (number[i] < 0) continue;
        const std::int32_t f = from[i];  // what the node asks; i: what it holds
        const bool inner = !tree.leaf(f) && !cut[i];
        if (inner)
            for (const auto c : tree.children(f)) parent[c] = number[i];
        copy.add(tree, i, f, inner, parent[i], inner ? number[tree.first_child[f]] : -1);
    }
    return copy.tree();
}

Tree graft(const Tree& tree, const std::vector<std::int32_t>& at_nodes, const std::vector<const Tree*>& below,
           Order order) {
    if (at_nodes.size() != below.size()) throw Error("there must be one tree per node");
    std::vector<const Tree*> stands(static_cast<std::size_t>(tree.n_nodes()), nullptr);
    for (std::size_t k = 0; k < below.size(); ++k) {
        const Tree& b = *below[k];
        if (at_nodes[k] < 0 || at_nodes[k] >= tree.n_nodes()) throw Error("there is no such node");
        if (tree.n_classes != b.n_classes || tree.weight_scale != b.weight_scale ||
            tree.count_scale != b.count_scale || tree.center != b.center || tree.scale != b.scale)
            throw Error("the trees are not of one target");
        stands[static_cast<std::size_t>(at_nodes[k])] = &b;
    }
    struct Twig {
        const Tree* tree;
        std::int32_t node;
    };
    const auto at = [&](std::int32_t i) {
        const Tree* other = stands[static_cast<std::size_t>(i)];
        return other != nullptr ? Twig{other, 0} : Twig{&tree, i};
    };
    std::vector<Twig> nodes{at(0)};
    std::vector<std::int32_t> parent{-1}, first{-1}, place{0};
    const auto expand = [&](std::int32_t i) {
        const Twig t = nodes[i];
        const auto begin = static_cast<std::int32_t>(nodes.size());
        if (!t.tree->leaf(t.node)) first[i] = begin;
        for (const auto child : t.tree->children(t.node)) {
            nodes.push_back(t.tree == &tree ? at(child) : Twig{t.tree, child});
            place.push_back(t.tree == &tree ? child : -1);
            parent.push_back(i);
            first.push_back(-1);
        }
        return std::pair{begin, t.tree->n_children[t.node]};
    };
    number_in_order(order, expand, [&](std::int32_t i) {
        const auto [from, own] = nodes[i];
        return from->gain[own] * static_cast<double>(from->weight(own));
    });
    Copy copy(tree);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto [from, own] = nodes[i];
        copy.add(*from, own, own, first[i] >= 0, parent[i], first[i]);
        const std::int32_t was = place[i];  // which weight came by a value of its own, the test above says
        if (was >= 0 && tree.weight(was) == from->weight(own)) copy.know(tree.known[was]);
    }
    return copy.tree();
}

Collapsed collapse(const Tree& tree, const std::vector<double>& as_leaf, const std::vector<double>& of_test) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (as_leaf.size() != n || of_test.size() != n) throw Error("there must be one cost per node");
    Collapsed out{std::vector<char>(n, 0), std::vector<double>(n, 0)};
    std::vector<double> cost(as_leaf);  // of the subtree, as pruned so far
    for (std::size_t i = n; i-- > 0;) {
        if (tree.test[i] < 0) continue;
        double sum = of_test[i];
        for (const auto c : tree.children(i)) sum += cost[c];
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
    const auto up = [&](std::size_t i) -> double& { return values[tree.parent[i]]; };
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
        for (const auto c : tree.children(i)) below[i] += below[c], leaves[i] += leaves[c];
    }
    WeakestLinks path;
    path.cut_at.assign(n, std::numeric_limits<double>::infinity());
    path.alpha.push_back(0);
    path.risk.push_back(below[0]);
    path.leaves.push_back(leaves[0]);

    const auto strength = [&](std::int32_t i) { return (risk[i] - below[i]) / (leaves[i] - 1); };
    // An entry is stale once its node's strength has changed (its version moved on).
    struct Link {
        double strength;
        std::int32_t node;
        std::uint32_t version;
        bool operator<(const Link& o) const {
            return strength != o.strength ? strength > o.strength : node > o.node;
        }
    };
    std::priority_queue<Link> links;
    std::vector<std::uint32_t> version(n, 0);
    std::vector<char> gone(n, 0);
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i)
        if (!tree.leaf(i)) links.push({strength(i), i, 0});
    double alpha = 0;
    while (!links.empty()) {
        const Link link = links.top();
        links.pop();
        if (gone[link.node] || link.version != version[link.node]) continue;
        alpha = std::max(alpha, link.strength);
        path.cut_at[link.node] = alpha;
        // The subtree goes: its inner nodes can no longer be cut.
        std::vector<std::int32_t> stack{link.node};
        while (!stack.empty()) {
            const std::int32_t i = stack.back();
            stack.pop_back();
            if (std::exchange(gone[i], 1)) continue;
            for (const auto c : tree.children(i)) stack.push_back(c);
        }
        const double change = risk[link.node] - below[link.node];
        const std::int32_t fewer = leaves[link.node] - 1;
        for (auto i = link.node; i >= 0; i = tree.parent[i]) {
            below[i] += change;
            leaves[i] -= fewer;
            if (i != link.node) links.push({strength(i), i, ++version[i]});
        }
        path.alpha.push_back(alpha);
        path.risk.push_back(below[0]);
        path.leaves.push_back(leaves[0]);
    }
    return path;
}

}  // namespace bosco
