// The best test of one column by absolute error or a quantile's loss.
#include <algorithm>
#include <numeric>

#include "grow/medians.hpp"

namespace bosco {
namespace {

std::uint32_t rank_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
std::uint32_t row_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }

}  // namespace

Middle Medians::middle(std::span<const std::uint32_t> places) const {
    return middle_of(
        loss_, places.size(), [&](std::size_t i) { return here_.y[places[i]]; },
        [&](std::size_t i) { return here_.weight[places[i]]; });
}

Count Medians::weight_of(std::span<const std::uint32_t> places) const {
    Count weight = 0;
    for (const std::uint32_t k : places) weight += here_.weight[k];
    return weight;
}

Count Medians::samples_of(std::span<const std::uint32_t> places) const {
    if (!shape_.apart) return weight_of(places);
    Count samples = 0;
    for (const std::uint32_t k : places) samples += here_.samples[k];
    return samples;
}

Candidate Medians::look(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s) const {
    Candidate c;
    if (growth_.random_cuts)
        c = look_random(at_node, node, column, s);
    else if (frame_.column(column).ordered())
        c = look_ordered(at_node, node, column, s);
    else if (growth_.nominal_test == NominalTest::subset)
        c = look_subset(node, column, s);
    else if (growth_.nominal_test == NominalTest::one_vs_rest)
        c = look_one(node, column, s);
    else
        c = look_multiway(node, column, s);
    c.column = static_cast<std::int32_t>(column);
    return c;
}

// The rows of an ordered column in its order.
void Medians::order_rows(const NodeRows& at_node, std::uint32_t column, Scratch& s) const {
    const std::uint64_t* const e = by_x_[column].data() + at_node.begin;
    s.sequence.resize(at_node.size());
    s.group.resize(at_node.size());
    for (std::size_t i = 0; i < s.sequence.size(); ++i)
        s.sequence[i] = place_[row_of(e[i])], s.group[i] = rank_of(e[i]);
}

// The rows of a nominal column level by level, each in order of y: level(code) has those of one.
void Medians::order_levels(std::uint32_t column, Scratch& s) const {
    const std::size_t n = here_.row.size();
    s.sequence.resize(n);
    s.first.assign(frame_.column(column).n_codes + std::size_t{2}, 0);
    for (std::uint32_t k = 0; k < n; ++k) ++s.first[code_of(column, k) + 1];
    std::partial_sum(s.first.begin(), s.first.end(), s.first.begin());
    std::vector<std::uint32_t> next(s.first.begin(), s.first.end() - 1);
    for (std::uint32_t k = 0; k < n; ++k) s.sequence[next[code_of(column, k)]++] = k;
}

std::span<const std::uint32_t> Medians::level(const Scratch& s, std::uint32_t code) const {
    return {s.sequence.data() + s.first[code], s.sequence.data() + s.first[code + 1]};
}

// What lies left and right of a cut before the i-th row of the sequence costs, the first `n_missing` being
// without a value: on neither side, or on both.
void Medians::cost_cuts(Scratch& s, std::size_t n_missing, bool with_missing) const {
    const std::size_t n = s.sequence.size();
    std::vector<Wide>&left = s.left[with_missing], &right = s.right[with_missing];
    left.resize(n + 1);
    right.resize(n + 1);
    const auto begin = [&] {
        s.thin.begin(loss_, here_.y, here_.weight);
        for (std::size_t i = 0; i < n_missing && !with_missing; ++i) s.thin.remove(s.sequence[i]);
    };
    const auto apart = [&](std::size_t i) {
        return i == n_missing || i == n || s.group[i] != s.group[i - 1];
    };
    begin();
    for (std::size_t i = n_missing; i < n; ++i) {
        if (apart(i)) right[i] = s.thin.cost();
        s.thin.remove(s.sequence[i]);
    }
    right[n] = s.thin.cost();
    begin();
    for (std::size_t i = n; i > n_missing; --i) {
        if (apart(i)) left[i] = s.thin.cost();
        s.thin.remove(s.sequence[i - 1]);
    }
    left[n_missing] = s.thin.cost();
}

std::vector<std::uint32_t> Medians::joined(std::span<const std::uint32_t> some,
                                           std::span<const std::uint32_t> more) {
    std::vector<std::uint32_t> both(some.size() + more.size());
    std::ranges::merge(some, more, both.begin());
    return both;
}

// Where missing rows have a branch of their own, only the others, which cost so much, are parted in two.
Medians::Offers Medians::offers(const Node& node, Wide known, std::span<const std::uint32_t> missing) const {
    if (growth_.missing != Missing::branch)
        return {node.limits, here_.cost, here_.total, here_.all_samples, {}};
    const Count total = here_.total - weight_of(missing), samples = here_.all_samples - samples_of(missing);
    return {node.limits, known, total, samples, {}};
}

// The best of all, with what a branch of their own for missing rows takes away.
Medians::Best Medians::best_of(const Offers& offers, std::span<const std::uint32_t> missing) const {
    Best best = offers.best;
    if (growth_.missing == Missing::branch && best.decrease >= 0)
        best.decrease += here_.cost - offers.whole - middle(missing).cost;
    return best;
}

// The best place of a cut in the sequence.
Medians::Best Medians::best_cut(const Node& node, Scratch& s, std::size_t n_missing,
                                bool against_missing) const {
    const std::size_t n = s.sequence.size();
    const auto missing = std::span<const std::uint32_t>(s.sequence).first(n_missing);
    const Count mw = weight_of(missing), ms = samples_of(missing);
    const bool placed = n_missing > 0 && growth_.missing != Missing::branch;
    cost_cuts(s, n_missing, false);
    if (placed) cost_cuts(s, n_missing, true);
    Offers all = offers(node, s.right[0][n_missing], missing);
    Count w = 0, held = 0;
    const auto offer = [&](std::size_t i) {
        if (!placed) {
            all.take(i, false, w, held, s.left[0][i], s.right[0][i]);
            return;
        }
        const bool majority = growth_.missing == Missing::majority, heavier = w >= here_.total - mw - w;
        if (!majority || !heavier) all.take(i, false, w, held, s.left[0][i], s.right[1][i]);
        if (!majority || heavier) all.take(i, true, w + mw, held + ms, s.left[1][i], s.right[0][i]);
    };
    for (std::size_t i = n_missing; i < n; ++i) {
        if (i > n_missing && s.group[i] != s.group[i - 1]) offer(i);
        const std::uint32_t k = s.sequence[i];
        w += here_.weight[k];
        held += shape_.apart ? here_.samples[k] : here_.weight[k];
    }
    if (against_missing && growth_.missing == Missing::learn && n_missing > 0 && n_missing < n)
        all.take(n, false, w, held, s.left[0][n], s.left[1][n_missing]);
    return best_of(all, missing);
}

void Medians::finish(Candidate& c, Wide decrease, std::vector<Count> weights, Count missing,
                     int chosen) const {
    c.found = true;
    c.branches = static_cast<std::int32_t>(weights.size());
    c.missing = chosen;
    if (chosen < 0)
        c.missing = static_cast<std::int32_t>(std::ranges::max_element(weights) - weights.begin());
    if (missing > 0 && growth_.missing == Missing::branch) {
        c.missing = c.branches++;
        weights.push_back(missing);
    } else if (missing > 0) {
        weights[static_cast<std::size_t>(c.missing)] += missing;
    }
    c.decrease = static_cast<double>(decrease) / loss_.unit;
    c.split_info = split_information(std::move(weights));
}

Candidate Medians::look_ordered(const NodeRows& at_node, const Node& node, std::uint32_t column,
                                Scratch& s) const {
    order_rows(at_node, column, s);
    const std::size_t n = s.sequence.size();
    std::size_t n_missing = 0;
    while (n_missing < n && s.group[n_missing] == 0) ++n_missing;
    Candidate c;
    const Best best = best_cut(node, s, n_missing, true);
    if (best.decrease < 0) return c;
    const std::span<const std::uint32_t> all(s.sequence);
    const Count mw = weight_of(all.first(n_missing));
    const Count wl = weight_of(all.subspan(n_missing, best.at - n_missing));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto value = [&](std::size_t i) { return frame_.column(column).number(here_.row[s.sequence[i]]); };
    c.kind = TestKind::cut;
    c.gaps = {best.at == n ? Gaps::Gap{infinity, infinity} : Gaps::Gap{value(best.at - 1), value(best.at)}};
    finish(c, best.decrease, {wl, here_.total - mw - wl}, mw,
           n_missing > 0 ? (best.missing_left ? 0 : 1) : -1);
    return c;
}

void Medians::fill_jumps(Candidate& c, std::uint32_t column, const std::vector<std::int32_t>& side,
                         const std::vector<Count>& weights, int rest) const {
    const int most = static_cast<int>(std::ranges::max_element(weights) - weights.begin());
    c.kind = TestKind::map;
    c.jumps.assign(frame_.column(column).n_codes + std::size_t{1},
                   static_cast<std::uint32_t>(rest < 0 ? most : rest));
    for (std::size_t code = 1; code < side.size(); ++code)
        if (side[code] >= 0) c.jumps[code] = static_cast<std::uint32_t>(side[code]);
    c.jumps[0] = static_cast<std::uint32_t>(c.missing);
}

Candidate Medians::look_subset(const Node& node, std::uint32_t column, Scratch& s) const {
    order_levels(column, s);
    const bool learns = growth_.missing == Missing::learn;
    struct Level {
        Wide twice;
        std::uint32_t code;
    };
    std::vector<Level> levels;
    for (std::uint32_t code = learns ? 0 : 1; code + 1 < s.first.size(); ++code)
        if (const auto rows = level(s, code); !rows.empty()) levels.push_back({middle(rows).twice, code});
    std::ranges::stable_sort(levels, {}, &Level::twice);
    const std::size_t n_missing = learns ? 0 : s.first[1];
    std::vector<std::uint32_t> sequence(s.sequence.begin(),
                                        s.sequence.begin() + static_cast<std::ptrdiff_t>(n_missing));
    s.group.assign(n_missing, 0);
    for (const Level& one : levels) {
        const auto rows = level(s, one.code);
        sequence.insert(sequence.end(), rows.begin(), rows.end());
        s.group.insert(s.group.end(), rows.size(), one.code + 1);
    }
    s.sequence = std::move(sequence);
    Candidate c;
    const Best best = best_cut(node, s, n_missing, false);
    if (best.decrease < 0) return c;
    std::vector<std::int32_t> side(s.first.size() - 1, -1);
    for (std::size_t i = n_missing; i < s.sequence.size(); ++i) side[s.group[i] - 1] = i < best.at ? 0 : 1;
    const std::span<const std::uint32_t> all(s.sequence);
    const Count mw = weight_of(all.first(n_missing));
    Count wl = weight_of(all.subspan(n_missing, best.at - n_missing)), here = 0;
    int chosen = n_missing > 0 ? (best.missing_left ? 0 : 1) : -1;
    if (side[0] >= 0) {  // one of the levels: its rows are in their branch already
        chosen = side[0];
        for (std::size_t i = 0; i < s.sequence.size(); ++i)
            here += s.group[i] == 1 ? here_.weight[s.sequence[i]] : 0;
        if (chosen == 0) wl -= here;
    }
    const Count known[2] = {wl, here_.total - mw - here - wl};
    finish(c, best.decrease, {known[0], known[1]}, mw + here, chosen);
    std::vector<Count> weights(known, known + 2);
    if (mw + here > 0 && c.missing < 2) weights[static_cast<std::size_t>(c.missing)] += mw + here;
    fill_jumps(c, column, side, weights, -1);
    c.penalty = subset_charge(growth_, node, static_cast<int>(levels.size()));
    return c;
}

Candidate Medians::look_one(const Node& node, std::uint32_t column, Scratch& s) const {
    order_levels(column, s);
    const auto missing = level(s, 0);
    const Count mw = weight_of(missing), ms = samples_of(missing);
    const bool some = !missing.empty(), placed = some && growth_.missing != Missing::branch;
    const bool majority = growth_.missing == Missing::majority;
    s.thin.begin(loss_, here_.y, here_.weight);
    for (const std::uint32_t k : missing) s.thin.remove(k);
    const Wide known = s.thin.cost();
    Offers all = offers(node, known, missing);
    for (std::uint32_t code = 1; code + 1 < s.first.size(); ++code) {
        const auto rows = level(s, code);
        if (rows.empty()) continue;
        const Count w = weight_of(rows), held = samples_of(rows);
        for (const std::uint32_t k : rows) s.thin.remove(k);
        const Wide rest = s.thin.cost();
        for (std::size_t i = rows.size(); i-- > 0;) s.thin.restore(rows[i]);
        const bool heavier = w >= here_.total - mw - w;
        if (!placed)
            all.take(code, false, w, held, middle(rows).cost, rest);
        else if (!majority || !heavier)
            all.take(code, false, w, held, middle(rows).cost, middle(all_but(column, code)).cost);
        if (placed && (!majority || heavier))
            all.take(code, true, w + mw, held + ms, middle(joined(rows, missing)).cost, rest);
    }
    if (growth_.missing == Missing::learn && some && missing.size() < here_.row.size())
        all.take(0, true, mw, ms, middle(missing).cost, known);
    const Best best = best_of(all, missing);
    return best.decrease < 0 ? Candidate{} : one_against_rest(column, best, s);
}

// The rows of all levels but one, those without a value, too.
std::vector<std::uint32_t> Medians::all_but(std::uint32_t column, std::uint32_t code) const {
    std::vector<std::uint32_t> rest;
    for (std::uint32_t k = 0; k < here_.row.size(); ++k)
        if (code_of(column, k) != code) rest.push_back(k);
    return rest;
}

// The test of a level against the rest; of code 0, of missing values against all others.
Candidate Medians::one_against_rest(std::uint32_t column, const Best& best, const Scratch& s) const {
    const auto at = static_cast<std::uint32_t>(best.at);
    const auto missing = level(s, 0);
    const Count mw = weight_of(missing), wl = at == 0 ? 0 : weight_of(level(s, at));
    const std::vector<Count> weights = {wl, here_.total - mw - wl};
    Candidate c;
    finish(c, best.decrease, weights, mw, missing.empty() ? -1 : best.missing_left ? 0 : 1);
    std::vector<std::int32_t> side(s.first.size() - 1, 1);
    if (at > 0) side[at] = 0;
    fill_jumps(c, column, side, weights, 1);
    return c;
}

Candidate Medians::look_multiway(const Node& node, std::uint32_t column, Scratch& s) const {
    order_levels(column, s);
    const std::uint32_t n_codes = frame_.column(column).n_codes;
    const auto missing = level(s, 0);
    const Count mw = weight_of(missing), ms = samples_of(missing);
    std::vector<Count> weights(n_codes, 0);
    Wide cost = 0;
    for (std::uint32_t code = 1; code <= n_codes; ++code) {
        weights[code - 1] = weight_of(level(s, code));
        cost += middle(level(s, code)).cost;
    }
    const auto heaviest = static_cast<std::uint32_t>(std::ranges::max_element(weights) - weights.begin());
    const bool majority = growth_.missing == Missing::majority && mw > 0;
    int enough = 0;
    for (std::uint32_t code = 1; code <= n_codes; ++code) {
        const bool with = majority && code - 1 == heaviest;
        const Count w = weights[code - 1] + (with ? mw : 0);
        const Count held = samples_of(level(s, code)) + (with ? ms : 0);
        if (weights[code - 1] > 0 && node.limits.allow(held, w)) ++enough;
    }
    if (enough < 2) return {};
    int chosen = -1;
    if (mw > 0 && growth_.missing == Missing::branch) {
        cost += middle(missing).cost;
    } else if (mw > 0) {
        Wide least = 0;
        for (std::uint32_t code = 1; code <= n_codes; ++code) {
            const auto rows = level(s, code);
            if (rows.empty() || (majority && code - 1 != heaviest)) continue;
            const Wide more = middle(joined(rows, missing)).cost - middle(rows).cost;
            if (chosen < 0 || more < least) least = more, chosen = static_cast<int>(code) - 1;
        }
        cost += least;
    }
    Candidate c;
    finish(c, here_.cost - cost, weights, mw, chosen);
    std::vector<std::int32_t> side(n_codes + std::size_t{1}, 0);
    std::iota(side.begin(), side.end(), -1);
    fill_jumps(c, column, side, weights, 0);
    return c;
}

}  // namespace bosco
