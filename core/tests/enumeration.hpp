// Random tables to search in, and plain enumeration of all small trees on them.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "search/group.hpp"
#include "search/search.hpp"

namespace bosco::check {

using search::Cases;
using search::Question;
using Kind = Question::Kind;
using Rows = std::vector<std::uint32_t>;

// A tree as one list: tests in the order root, left, right; nothing for a leaf.
using Listed = std::vector<std::optional<Question>>;

struct Enumerated {
    Count cost = 0;  // errors + alpha * leaves, times more than any number of leaves, plus leaves
    Listed tree;
};

// What mistakes cost, by class and answer; none: 1 each.
using Costs = std::vector<Count>;

// What a leaf of some rows costs: that of the best of all answers.
inline Count leaf_cost(const Cases& cases, const Costs& costs, const Rows& rows) {
    Count least = std::numeric_limits<Count>::max();
    const auto k = static_cast<std::size_t>(cases.classes);
    for (std::size_t answer = 0; answer < k; ++answer) {
        Count sum = 0;
        for (const auto i : rows) {
            const std::size_t label = cases.label[i];
            const Count each = costs.empty() ? Count{label != answer} : costs[label * k + answer];
            sum += each * cases.plain_of(i);
        }
        least = std::min(least, sum);
    }
    return least;
}

struct Enumeration {
    const Cases& cases;
    const search::Wanted& wanted;
    const Costs& costs;

    std::set<Question> questions(const Rows& rows) const {
        std::set<Question> all;
        for (std::uint32_t j = 0; j < cases.columns.size(); ++j) {
            const auto& column = cases.columns[j];
            std::set<std::uint32_t> codes;
            for (const auto i : rows) codes.insert(cases.ranks[j][i]);
            const bool missing = codes.contains(0);
            std::vector<std::uint32_t> known(codes.begin(), codes.end());
            if (missing) known.erase(known.begin());
            if (column.ordered) {
                for (std::size_t k = 0; k < known.size(); ++k)
                    for (const bool left : {false, true}) {
                        if (left && (!missing || k + 1 == known.size())) continue;
                        if (!left && !missing && k + 1 == known.size()) continue;
                        const bool last = k + 1 == known.size();
                        all.insert({j, Kind::cut, 0, last ? search::all_known : known[k], left});
                    }
            } else if (column.subsets) {
                const std::vector<std::uint32_t> list(codes.begin(), codes.end());
                for (std::uint32_t k = 1; k + 1 < 1u << list.size(); ++k) {
                    if (k >> (list.size() - 1) & 1) continue;
                    std::uint32_t bits = 0;
                    for (std::size_t i = 0; i < list.size(); ++i)
                        if (k >> i & 1) bits |= 1u << list[i];
                    all.insert({j, Kind::subset, 0, bits, (bits & 1) != 0});
                }
            } else {
                if (missing) all.insert({j, Kind::one, 0, 0, true});
                for (const bool left : {false, true}) {
                    if (left && !missing) continue;
                    for (const auto code : known) all.insert({j, Kind::one, 0, code, left});
                    for (std::uint32_t o = 0; o < column.orders.size(); ++o)
                        for (const auto code : known)
                            all.insert({j, Kind::prefix, o, column.place[o][code] + 1, left});
                }
            }
        }
        return all;
    }

    Enumerated best(const Rows& rows, int depth, std::int64_t leaves) const {
        Enumerated found{(leaf_cost(cases, costs, rows) * wanted.alpha.parts + wanted.alpha.of) * 64 + 1,
                         {std::nullopt}};
        if (depth == 0 || leaves < 2) return found;
        for (const Question& q : questions(rows)) {
            Rows sides[2];
            Count samples[2] = {0, 0};
            for (const auto i : rows) {
                const int side = cases.left(q, cases.ranks[q.column][i]) ? 0 : 1;
                sides[side].push_back(i);
                samples[side] += cases.samples_of(i);
            }
            if (sides[0].empty() || sides[1].empty()) continue;
            if (std::min(samples[0], samples[1]) < wanted.min_samples_leaf) continue;
            // With all leaves to spare one way to share them out includes the others.
            const std::int64_t most = std::int64_t{1} << (depth - 1);
            for (std::int64_t left = std::max<std::int64_t>(1, std::min(most, leaves - most));
                 left <= std::min(most, leaves - 1); ++left) {
                const Enumerated a = best(sides[0], depth - 1, left);
                if (a.cost >= found.cost) continue;
                const Enumerated b = best(sides[1], depth - 1, std::min(most, leaves - left));
                if (a.cost + b.cost >= found.cost) continue;
                found.cost = a.cost + b.cost;
                found.tree = {q};
                found.tree.insert(found.tree.end(), a.tree.begin(), a.tree.end());
                found.tree.insert(found.tree.end(), b.tree.begin(), b.tree.end());
            }
        }
        return found;
    }
};

inline Listed listed(const search::Found& found, std::int32_t node = 0) {
    const search::Node& at = found.nodes[static_cast<std::size_t>(node)];
    if (at.leaf) return {std::nullopt};
    Listed list{at.question};
    for (const auto side : {at.left, at.right}) {
        const Listed below = listed(found, side);
        list.insert(list.end(), below.begin(), below.end());
    }
    return list;
}

struct Case {
    Data data;
    Goal goal;
    search::Wanted wanted;
    Costs costs;

    Cases cases(bool subsets) const {
        Pool pool(1);
        return Cases(data.frame(), goal.target(), subsets, pool, {costs});
    }
};

// What mistakes cost: now and then.
inline Costs drawn_costs(Draws& draw, int classes) {
    const auto k = static_cast<std::size_t>(classes);
    Costs costs;
    const std::int64_t kind = draw.below(6), most = draw.below(3) == 0 ? 1000 : 5;
    if (kind > 1) return costs;
    for (std::size_t t = 0; t < k; ++t) {
        const Count own = 1 + draw.below(most);
        for (std::size_t answer = 0; answer < k; ++answer)
            costs.push_back(t == answer ? 0 : kind == 0 ? own : 1 + draw.below(most));
    }
    return costs;
}

inline Case drawn(std::uint64_t number) {
    Draws draw(number);
    const auto below = [&](int n) { return static_cast<int>(draw.below(n)); };
    const auto one_in = [&](int n) { return below(n) == 0; };
    search::Wanted wanted;
    wanted.max_depth = 2 + below(3);
    const int size = wanted.max_depth == 4   ? 5 + below(11)
                     : wanted.max_depth == 3 ? 6 + below(22)
                                             : 4 + below(80);
    const auto n = static_cast<std::size_t>(size);
    Data data(n);
    const int columns = 1 + below(wanted.max_depth == 4 ? 2 : 3), values = 2 + below(size);
    std::vector<int> hidden(n, 0);
    for (int j = 0; j < columns; ++j) {
        const bool gaps = one_in(3);
        if (one_in(3)) {
            const int levels = 2 + below(wanted.max_depth == 2 ? 9 : 4);
            std::vector<std::uint8_t> codes;
            for (std::size_t i = 0; i < n; ++i) {
                const int code = 1 + below(levels);
                hidden[i] += code % 3;
                codes.push_back(static_cast<std::uint8_t>(gaps && one_in(5) ? 0 : code));
            }
            data.nominal(std::move(codes), static_cast<std::uint32_t>(levels));
        } else {
            std::vector<double> x;
            for (std::size_t i = 0; i < n; ++i) {
                const int value = below(values);
                hidden[i] += value * 5 / values;
                x.push_back(gaps && one_in(5) ? none : value);
            }
            data.numeric(std::move(x));
        }
    }
    data.encode();
    const int k = 2 + (one_in(2) ? 0 : below(4));
    std::vector<std::uint32_t> y;
    for (std::size_t i = 0; i < n; ++i)
        y.push_back(static_cast<std::uint32_t>(one_in(3) ? below(k) : hidden[i] % k));
    Goal goal = classes(std::move(y), k);
    if (one_in(3)) {
        const Count most = one_in(3) ? 100000 : one_in(2) ? Count{1} << 40 : 4;
        for (std::size_t i = 0; i < n; ++i) {
            goal.weight.push_back(one_in(10) ? 0 : 1 + below(4) * (most / 4));
            goal.count.push_back(1);
        }
        goal.weight[0] = 1;
        if (one_in(2)) goal.count.clear();
    }
    if (one_in(3)) wanted.alpha = {below(4), 1 + below(3)};
    if (one_in(3)) wanted.min_samples_leaf = 1 + below(4);
    if (one_in(4)) wanted.max_leaf_nodes = 2 + below(5);
    wanted.vector_bytes = 16 << below(3);
    Costs costs = drawn_costs(draw, k);
    if (!costs.empty())
        for (Count& w : goal.weight) w = std::min<Count>(w, 1 << 24);
    return {std::move(data), std::move(goal), wanted, std::move(costs)};
}

// The rows of every node, by the tree's own tests.
inline std::vector<Rows> rows_of(const std::vector<search::Node>& nodes, const Cases& cases) {
    std::vector<Rows> rows(nodes.size());
    for (std::uint32_t i = 0; i < cases.n_rows; ++i) {
        std::size_t node = 0;
        while (!nodes[node].leaf) {
            const search::Node& at = nodes[node];
            const bool left = cases.left(at.question, cases.ranks[at.question.column][i]);
            node = static_cast<std::size_t>(left ? at.left : at.right);
        }
        rows[node].push_back(i);
    }
    return rows;
}

// What a tree costs.
inline Count wrong_of(const search::Found& found, const Cases& cases, const Costs& costs) {
    Count wrong = 0;
    for (const Rows& rows : rows_of(found.nodes, cases)) wrong += leaf_cost(cases, costs, rows);
    return wrong;
}

inline std::uint64_t cases_to_try() {
    const char* const said = std::getenv("BOSCO_SEARCH_CASES");
    return said == nullptr ? 400 : std::strtoull(said, nullptr, 10);
}

}  // namespace bosco::check
