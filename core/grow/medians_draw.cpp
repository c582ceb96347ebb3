// The random test of one column by absolute error or a quantile's loss.
#include <algorithm>

#include "data/random.hpp"
#include "grow/medians.hpp"

namespace bosco {

// A threshold; false: the column does not vary.
bool Medians::draw_cut(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s,
                       Candidate& c, Parts& parts) const {
    order_rows(at_node, column, s);
    const std::size_t n = here_.row.size();
    std::size_t first = 0;
    while (first < n && s.group[first] == 0) ++first;
    if (first == n || s.group[first] == s.group[n - 1]) return false;
    const Column& of = frame_.column(column);
    const auto value = [&](std::size_t i) { return of.number(here_.row[s.sequence[i]]); };
    c.random = true;
    c.drawn = draw_threshold(node, static_cast<int>(column), value(first), value(n - 1));
    std::size_t at = first;
    while (value(at) <= c.drawn) ++at;
    c.gaps = {Gaps::Gap{value(at - 1), value(at)}};
    for (std::size_t i = 0; i < n; ++i) parts.rows[i < first ? 2 : i < at ? 0 : 1].push_back(s.sequence[i]);
    for (auto& rows : parts.rows) std::ranges::sort(rows);
    return true;
}

// A side for every level that the node has; false: it has one at most.
bool Medians::draw_levels(const Node& node, std::uint32_t column, std::vector<std::int32_t>& side,
                          Parts& parts) const {
    const std::uint64_t key = column_key(node.key, column);
    const auto n = static_cast<std::uint32_t>(here_.row.size());
    side.assign(frame_.column(column).n_codes + std::size_t{1}, -1);
    for (std::uint32_t k = 0; k < n; ++k) side[code_of(column, k)] = 0;
    side[0] = -1;
    std::vector<std::uint32_t> present;
    for (std::uint32_t code = 1; code < side.size(); ++code)
        if (side[code] == 0) present.push_back(code);
    if (present.size() < 2) return false;
    int right = 0;
    for (std::size_t i = 1; i < present.size(); ++i)
        right += side[present[i]] = static_cast<std::int32_t>(mix(key, present[i]) & 1);
    if (right == 0) side[present.back()] = 1;
    for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t code = code_of(column, k);
        parts.rows[code == 0 ? 2 : side[code]].push_back(k);
    }
    return true;
}

// What both branches cost with the missing rows in one of them (-1: in none); -1: one holds too little.
Wide Medians::cost_of(const Parts& parts, int missing_to, const Limits& limits) const {
    Wide cost = 0;
    for (const int b : {0, 1}) {
        const bool with = missing_to == b;
        const Count held = parts.samples[b] + (with ? parts.samples[2] : 0);
        if (!limits.allow(held, parts.weight[b] + (with ? parts.weight[2] : 0))) return -1;
        cost += middle(with ? joined(parts.rows[b], parts.rows[2]) : parts.rows[b]).cost;
    }
    return cost;
}

Candidate Medians::look_random(const NodeRows& at_node, const Node& node, std::uint32_t column,
                               Scratch& s) const {
    const bool ordered = frame_.column(column).ordered();
    std::vector<std::int32_t> side;
    Parts parts;
    Candidate c;
    if (!(ordered ? draw_cut(at_node, node, column, s, c, parts) : draw_levels(node, column, side, parts)))
        return {};
    for (const int part : {0, 1, 2}) {
        parts.weight[part] = weight_of(parts.rows[part]);
        parts.samples[part] = samples_of(parts.rows[part]);
    }
    const Count w[2] = {parts.weight[0], parts.weight[1]}, mw = parts.weight[2];
    Wide whole = here_.cost;
    std::vector<int> ways = {-1};
    if (mw > 0 && growth_.missing == Missing::branch)
        whole -= middle(parts.rows[2]).cost;
    else if (mw > 0 && growth_.missing == Missing::majority)
        ways = {w[0] >= w[1] ? 0 : 1};
    else if (mw > 0)
        ways = {1, 0};
    Wide best = -1;
    int chosen = -1;
    for (const int to : ways)
        if (const Wide cost = cost_of(parts, to, node.limits); cost >= 0 && whole - cost > best)
            best = whole - cost, chosen = to;
    if (best < 0) return {};
    finish(c, best, {w[0], w[1]}, mw, chosen);
    if (ordered) return c;
    std::vector<Count> weights(w, w + 2);
    if (mw > 0 && c.missing < 2) weights[static_cast<std::size_t>(c.missing)] += mw;
    fill_jumps(c, column, side, weights, -1);
    return c;
}

}  // namespace bosco
