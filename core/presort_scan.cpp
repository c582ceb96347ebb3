// The best cut of one sorted column, in one loop: plain thresholds, unit weights, nothing missing.
#include <algorithm>
#include <array>

#include "presort.hpp"

namespace bosco {

namespace {

constexpr int most_classes = 64;  // of a quick scan

}  // namespace

// Gini of two classes: D = 2 d^2 / (W w_l w_r) with d = l_1 W - N_1 w_l, compared as fractions.
Presort::Cut Presort::scan_two(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const auto total = static_cast<Count>(range.n);
    const Count ones = judge.node()[1];
    Count l = 0, left[2];
    Cut best{range.n, floor};
    // num / den: what a cut must come near to be looked at exactly.
    double num = floor > 0 ? floor * static_cast<double>(total) / 2 * (1 - 1e-12) : 0, den = 1;
    std::uint64_t best_num = 0, best_den = 1;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        l += static_cast<Count>(class_[row_of(e[i])]);
        if (rank_of(e[i]) == rank_of(e[i + 1]) || i < range.first) continue;
        const Count w = i + 1;
        const Count d = l * total - ones * w;
        const Count q = w * (total - w);
        const auto square = static_cast<double>(d) * static_cast<double>(d);
        if (square * den < num * static_cast<double>(q)) continue;
        const auto exact_num = static_cast<std::uint64_t>(d * d);
        const auto exact_den = static_cast<std::uint64_t>(q);
        if (best.at < range.n) {
            if (static_cast<unsigned __int128>(exact_num) * best_den <=
                static_cast<unsigned __int128>(best_num) * exact_den)
                continue;
        } else if (floor != nothing) {
            left[0] = w - l, left[1] = l;
            if (judge.decrease(left, w) <= floor) continue;
        }
        best = {i, 0};
        best_num = exact_num, best_den = exact_den;
        num = square * (1 - 1e-12), den = static_cast<double>(q);
        left[0] = w - l, left[1] = l;
    }
    if (best.at < range.n) {
        best.decrease = judge.decrease(left, static_cast<Count>(best.at) + 1);
        best.pure =
            (left[0] == 0 || left[1] == 0) && (left[0] == judge.node()[0] || left[1] == judge.node()[1]);
    }
    return best;
}

// A real target. Centred sums keep their digits; the exact decrease settles what comes close.
Presort::Cut Presort::scan_real(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const auto total = static_cast<Count>(range.n);
    const Count shift = shift_;
    const auto rest = static_cast<double>(judge.node()[1] - shift * total);
    const auto n = static_cast<double>(total);
    Cut best{range.n, floor};
    double limit = floor > 0 ? floor * n * (1 - 1e-9) : 0;
    Count s = 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        s += sum_[row_of(e[i])] - shift;
        if (rank_of(e[i]) == rank_of(e[i + 1]) || i < range.first) continue;
        const double w = i + 1;
        const double d = static_cast<double>(s) * n - rest * w;
        if (d * d < limit * (w * (n - w))) continue;
        const Count left[2] = {static_cast<Count>(i) + 1, s + shift * (static_cast<Count>(i) + 1)};
        const double exact = judge.decrease(left, left[0]);
        if (exact <= best.decrease) continue;
        best = {i, exact};
        limit = exact * n * (1 - 1e-9);
    }
    best.pure = best.at < range.n && range.n == 2;
    return best;
}

// Any number of classes, any criterion.
Presort::Cut Presort::scan_many(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const auto total = static_cast<Count>(range.n);
    const auto n = static_cast<double>(total);
    const bool gini = judge.criterion() == Criterion::gini && range.n < (1u << 14);
    // Gini: the sum of d_c^2 is W^2 S1 - 2 W w S2 + w^2 Q, all whole numbers.
    std::array<Count, most_classes> left{};
    Count s1 = 0, s2 = 0, q = 0;
    for (int c = 0; c < shape_.classes; ++c) q += judge.node()[c] * judge.node()[c];
    Cut best{range.n, floor};
    double limit = floor > 0 ? floor * n * (1 - 1e-12) : 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t c = class_[row_of(e[i])];
        s1 += 2 * left[c] + 1;
        s2 += judge.node()[c];
        ++left[c];
        if (rank_of(e[i]) == rank_of(e[i + 1]) || i < range.first) continue;
        const Count w = i + 1;
        if (gini) {
            const Count sum = total * total * s1 - 2 * total * w * s2 + w * w * q;
            if (static_cast<double>(sum) < limit * static_cast<double>(w * (total - w))) continue;
        } else if (i > range.first && i + 1 < range.last && class_[row_of(e[i + 1])] == c &&
                   rank_of(e[i - 1]) != rank_of(e[i]) && rank_of(e[i + 1]) != rank_of(e[i + 2])) {
            continue;  // between two single rows of one class: not a boundary point
        }
        const double exact = judge.decrease(left.data(), w);
        if (exact <= best.decrease) continue;
        best = {i, exact};
        limit = exact * n * (1 - 1e-12);
    }
    return best;
}

bool Presort::scan(std::uint32_t column, const Place& place, const Node& node, double floor, Cut& cut) const {
    // Unit weights, a plain threshold, nothing missing: the common case.
    const Entry* const e = entries(column) + place.begin;
    const std::uint32_t n = place.end - place.begin;
    if (!weight_.empty() || growth_.numeric_test != NumericTest::threshold || growth_.random_cuts ||
        growth_.penalty || node.limits.monotone || !rows_.frame().column(column).ordered() ||
        shape_.classes > most_classes || rank_of(e[0]) == 0)
        return false;
    cut = {n, nothing};
    const Judge& judge = *node.judge;
    const Count least = std::max(node.limits.samples, node.limits.weight);
    if (rank_of(e[0]) == rank_of(e[n - 1]) || 2 * least > n) return true;
    const Range range{e, n, static_cast<std::uint32_t>(least - 1), n - static_cast<std::uint32_t>(least)};
    const bool two = shape_.classes == 2 && judge.criterion() == Criterion::gini && n < (1u << 15);
    cut = two                   ? scan_two(range, judge, floor)
          : shape_.classes == 0 ? scan_real(range, judge, floor)
                                : scan_many(range, judge, floor);
    return true;
}

Candidate Presort::candidate_of(std::uint32_t column, const Place& place, const Cut& cut) const {
    const Entry* const e = entries(column) + place.begin;
    Candidate c;
    c.column = static_cast<std::int32_t>(column);
    c.kind = TestKind::cut;
    c.found = true;
    c.decrease = cut.decrease;
    c.branches = 2;
    c.gaps = {{value(column, rank_of(e[cut.at])), value(column, rank_of(e[cut.at + 1]))}};
    const Count wl = static_cast<Count>(cut.at) + 1;
    const Count wr = static_cast<Count>(place.end - place.begin) - wl;
    c.missing = growth_.missing == Missing::fractional ? by_share : (wl >= wr ? 0 : 1);
    if (growth_.score != Score::gain || growth_.record) c.split_info = split_information(wl, wr);
    return c;
}

}  // namespace bosco
