// The random test of one column by absolute error or a quantile's loss.
#include <algorithm>

#include "data/random.hpp"
#include "grow/medians.hpp"

namespace bosco {

Candidate Medians::look_random(const NodeRows& at_node, const Node& node, std::uint32_t column,
                               Scratch& s) const {
    const Column& of = frame_.column(column);
    const std::size_t n = here_.row.size();
    std::vector<std::int32_t> side(of.ordered() ? 0 : of.n_codes + std::size_t{1}, -1);
    std::vector<std::uint32_t> parts[3];  // left, right, without a value: in order of y
    Candidate c;
    if (of.ordered()) {
        order_rows(at_node, column, s);
        std::size_t first = 0;
        while (first < n && s.group[first] == 0) ++first;
        const auto value = [&](std::size_t i) { return of.number(here_.row[s.sequence[i]]); };
        if (first == n || s.group[first] == s.group[n - 1]) return c;
        c.random = true;
        c.drawn = draw_threshold(node, static_cast<int>(column), value(first), value(n - 1));
        std::size_t at = first;
        while (value(at) <= c.drawn) ++at;
        c.gaps = {Gaps::Gap{value(at - 1), value(at)}};
        for (std::size_t i = 0; i < n; ++i) parts[i < first ? 2 : i < at ? 0 : 1].push_back(s.sequence[i]);
        for (auto& part : parts) std::ranges::sort(part);
    } else {
        const std::uint64_t key = column_key(node.key, column);
        for (std::uint32_t k = 0; k < n; ++k) side[code_of(column, k)] = 0;
        const bool missing = side[0] == 0;
        side[0] = -1;
        std::vector<std::uint32_t> present;
        for (std::uint32_t code = 1; code < side.size(); ++code)
            if (side[code] == 0) present.push_back(code);
        if (present.size() < 2) return c;
        int right = 0;
        for (std::size_t i = 1; i < present.size(); ++i)
            right += side[present[i]] = static_cast<std::int32_t>(mix(key, present[i]) & 1);
        if (right == 0) side[present.back()] = 1;
        for (std::uint32_t k = 0; k < n; ++k) {
            const std::uint32_t code = code_of(column, k);
            parts[code == 0 && missing ? 2 : side[code]].push_back(k);
        }
    }
    const Count mw = weight_of(parts[2]), ms = samples_of(parts[2]);
    const Count w[2] = {weight_of(parts[0]), weight_of(parts[1])};
    const Count held[2] = {samples_of(parts[0]), samples_of(parts[1])};
    const bool apart = growth_.missing == Missing::branch;
    Wide best = -1;
    int chosen = -1;
    for (const int to : {1, 0}) {
        const bool placed = mw > 0 && !apart;
        if (to == 0 && !placed) break;
        if (placed && growth_.missing == Missing::majority && to != (w[0] >= w[1] ? 0 : 1)) continue;
        Wide cost = mw > 0 && apart ? middle(parts[2]).cost : 0;
        bool allowed = true;
        for (int b = 0; b < 2; ++b) {
            const bool with = placed && to == b;
            allowed = allowed && node.limits.allow(held[b] + (with ? ms : 0), w[b] + (with ? mw : 0));
            std::vector<std::uint32_t> both(parts[b]);
            if (with) {
                both.resize(parts[b].size() + parts[2].size());
                std::ranges::merge(parts[b], parts[2], both.begin());
            }
            cost += middle(both).cost;
        }
        if (allowed && here_.cost - cost > best) best = here_.cost - cost, chosen = placed ? to : -1;
    }
    if (best < 0) return Candidate{};
    finish(c, best, {w[0], w[1]}, mw, chosen);
    if (of.ordered()) return c;
    std::vector<Count> weights(w, w + 2);
    if (mw > 0 && c.missing < 2) weights[static_cast<std::size_t>(c.missing)] += mw;
    fill_jumps(c, column, side, weights, -1);
    return c;
}

}  // namespace bosco
