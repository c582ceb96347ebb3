// Trees that look ahead, and trees that are polished, against plain enumeration.
#include "search/polish.hpp"

#include "enumeration.hpp"
#include "search/ahead.hpp"
#include "search/sapling.hpp"

namespace bosco::check {
namespace {

// What a tree is, by its own nodes.
struct Measured {
    Count wrong = 0, least = std::numeric_limits<Count>::max();  // samples of the smallest leaf
    std::int64_t leaves = 0;
    int depth = 0;
    bool operator==(const Measured&) const = default;
};

Measured measured(const std::vector<search::Node>& nodes, const Cases& cases, const Costs& costs) {
    Measured m;
    const std::vector<Rows> rows = rows_of(nodes, cases);
    std::vector<int> depth(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!nodes[i].leaf)
            for (const auto child : {nodes[i].left, nodes[i].right})
                depth[static_cast<std::size_t>(child)] = depth[i] + 1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].leaf) continue;
        ++m.leaves;
        Count samples = 0;
        for (const auto row : rows[i]) samples += cases.samples_of(row);
        m.wrong += leaf_cost(cases, costs, rows[i]);
        m.least = std::min(m.least, samples);
        m.depth = std::max(m.depth, depth[i]);
    }
    return m;
}

// The same of a tree of the core, by the tallies of its leaves.
Count tree_cost(const Tree& tree, int classes, const Costs& costs) {
    Count all = 0;
    const auto k = static_cast<std::size_t>(classes);
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (!tree.leaf(i)) continue;
        Count least = std::numeric_limits<Count>::max();
        for (std::size_t answer = 0; answer < k; ++answer) {
            Count sum = 0;
            for (std::size_t t = 0; t < k; ++t)
                sum += tree.tally_at(i)[t] * (costs.empty() ? Count{t != answer} : costs[t * k + answer]);
            least = std::min(least, sum);
        }
        all += least;
    }
    return all;
}

Growth growth_for(const search::Wanted& wanted, bool subsets) {
    Growth g;
    g.max_depth = wanted.max_depth;
    g.max_leaf_nodes = wanted.max_leaf_nodes;
    if (g.max_leaf_nodes < 1000) g.order = Order::best;
    g.min_samples_leaf = wanted.min_samples_leaf;
    g.nominal_test = subsets ? NominalTest::subset : NominalTest::one_vs_rest;
    return g;
}

Count enumerated_wrong(const Cases& cases, search::Wanted wanted, const Costs& costs, std::int64_t leaves) {
    wanted.alpha = {};
    Rows all(cases.n_rows);
    for (std::uint32_t i = 0; i < cases.n_rows; ++i) all[i] = i;
    return Enumeration{cases, wanted, costs}.best(all, wanted.max_depth, leaves).cost / 64;
}

const Test polished{
    "polishing never makes a tree worse, and of two levels it makes the best there is", [] {
        for (std::uint64_t number = 0; number < cases_to_try(); ++number) {
            const Case c = drawn(number);
            const bool subsets = number % 4 != 0;
            Cases cases = c.cases(subsets);
            const Growth g = growth_for(c.wanted, subsets);
            const Tree grown = grow(c.data.frame(), c.goal.target(), g, 1, {}, {}).tree;
            const auto nodes = search::nodes_of(grown, c.data.frame(), cases);
            const Measured before = measured(nodes, cases, c.costs);
            const search::Polished done = search::polish(cases, nodes, c.wanted, {});
            const Measured after = measured(done.nodes, cases, c.costs);
            equal(done.before, before.wrong);
            equal(done.after, after.wrong);
            holds(after.leaves <= before.leaves && after.depth <= std::max(before.depth, c.wanted.max_depth));
            holds(after.least >= std::min(before.least, c.wanted.min_samples_leaf));
            holds(done.rounds > 0 ? after.wrong < before.wrong : after == before);
            // (A set of many levels that the grower asked for may be of no family, and better.)
            if (c.wanted.max_depth == 2 && before.leaves > 1 && before.least >= c.wanted.min_samples_leaf &&
                after.wrong > enumerated_wrong(cases, c.wanted, c.costs, before.leaves)) {
                std::cerr << "case " << number << ": " << after.wrong << " wrong, not the best\n";
                holds(false);
            }
            // The tree of the core gets as much wrong.
            search::Found found;
            found.nodes = done.nodes;
            const Tree tree = search::sapling(found, cases, c.data.frame(), c.goal.target(), g, 1, {});
            tree.check();
            equal(tree_cost(tree, cases.classes, c.costs), done.after);
        }
    }};

const Test ahead{
    "a node that looks ahead has the best pair, if that is better than its own test", [] {
        for (std::uint64_t number = 0; number < cases_to_try(); ++number) {
            Case c = drawn(number);
            const bool subsets = number % 4 != 0;
            c.wanted.max_depth = 2;
            c.wanted.max_leaf_nodes = std::numeric_limits<std::int64_t>::max();
            // The grower counts samples of rows without weight, which never come from Python.
            for (Count& w : c.goal.weight) w = std::max<Count>(w, 1);
            Cases cases = c.cases(subsets);
            const Growth g = growth_for(c.wanted, subsets);
            const auto nodes = search::grow_ahead(cases, c.data.frame(), c.goal.target(), g, {});
            const Measured found = measured(nodes, cases, c.costs);
            holds(found.depth <= 2 && (found.leaves == 1 || found.least >= c.wanted.min_samples_leaf));
            // The learner's own test, then the best one on each side.
            const Tree own = grow(c.data.frame(), c.goal.target(), g, 1, {}, {}).tree;
            const auto greedy = search::nodes_of(own, c.data.frame(), cases);
            Count beside = 0;
            if (greedy[0].leaf) {
                beside = measured(greedy, cases, c.costs).wrong;
            } else {
                Rows sides[2];
                const Question& q = greedy[0].question;
                for (std::uint32_t i = 0; i < cases.n_rows; ++i)
                    sides[cases.left(q, cases.ranks[q.column][i]) ? 0 : 1].push_back(i);
                search::Wanted plain = c.wanted;
                plain.alpha = {};
                for (const Rows& side : sides)
                    beside += Enumeration{cases, plain, c.costs}.best(side, 1, 2).cost / 64;
            }
            const Count best = enumerated_wrong(cases, c.wanted, c.costs, 4);
            // A side that the pair leaves whole has the learner's own test, which may be of another family.
            const Count expected = best < beside ? best : measured(greedy, cases, c.costs).wrong;
            if (best < beside ? found.wrong > expected : found.wrong != expected) {
                std::cerr << "case " << number << ": " << found.wrong << " wrong, not " << expected
                          << " (best " << best << ", beside " << beside << ")\n";
                holds(false);
            }
        }
    }};

}  // namespace
}  // namespace bosco::check
