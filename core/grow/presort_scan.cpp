// The best test of one sorted column: mostly a cut found in one loop (plain thresholds, rows that count once
// or by a small multiplicity, nothing missing), else by its table.
#include <algorithm>
#include <array>

#include "grow/presort.hpp"
#include "grow/twoclass.hpp"

namespace bosco {

namespace {

constexpr Count most_heavy = Count{1} << 31;  // the weight below which products are whole numbers

}  // namespace

// The weight left of a cut: rows count once each, or by their multiplicity.
template <bool weighted>
struct Left {
    const std::vector<Count>& weights;
    Count weight = 0;

    Count add(std::uint32_t row, std::uint32_t i) {
        if constexpr (!weighted) {
            weight = static_cast<Count>(i) + 1;
            return 1;
        } else {
            weight += weights[row];
            return weights[row];
        }
    }
};

// Gini of two classes.
template <class Entry>
template <bool weighted>
Presort<Entry>::Cut Presort<Entry>::scan_two(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const Count total = judge.weight();
    Left<weighted> left{plot_.weight};
    TwoClassRace race(judge, floor);
    Cut best{range.n, floor};
    Count l = 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t row = row_of(e[i]);
        l += left.add(row, i) * static_cast<Count>(plot_.cls[row]);
        const Count w = left.weight;
        if (rank_of(e[i]) == rank_of(e[i + 1]) || w < range.least) continue;
        if (weighted && total - w < range.least) break;
        if (race.offer(l, w)) best.at = i;
    }
    if (race.any()) best = {best.at, race.decrease(), race.weight(), race.pure()};
    return best;
}

// The same in heavy nodes, whose squares are too large to be compared as whole numbers.
template <class Entry>
template <bool weighted>
Presort<Entry>::Cut Presort<Entry>::scan_two_heavy(const Range& range, const Judge& judge,
                                                   double floor) const {
    const Entry* const e = range.e;
    const Count total = judge.weight(), ones = judge.node()[1];
    const auto n = static_cast<double>(total);
    Left<weighted> left{plot_.weight};
    Cut best{range.n, floor};
    double limit = floor > 0 ? floor * n * (1 - 1e-12) : 0;
    Count l = 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t row = row_of(e[i]);
        l += left.add(row, i) * static_cast<Count>(plot_.cls[row]);
        const Count w = left.weight;
        const auto d = static_cast<double>(l * total - ones * w);
        if (2 * d * d < limit * static_cast<double>(w * (total - w))) continue;
        if (rank_of(e[i]) == rank_of(e[i + 1]) || w < range.least) continue;
        if (weighted && total - w < range.least) break;
        const Count tally[2] = {w - l, l};
        const double exact = judge.decrease(tally, w);
        if (exact <= best.decrease) continue;
        best = {i, exact, w};
        limit = exact * n * (1 - 1e-12);
    }
    return best;
}

// A real target. Centred sums keep their digits; the exact decrease settles what comes close.
template <class Entry>
template <bool weighted>
Presort<Entry>::Cut Presort<Entry>::scan_real(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const Count total = judge.weight();
    const Count shift = shift_;
    const auto rest = static_cast<double>(judge.node()[1] - shift * total);
    const auto n = static_cast<double>(total);
    Left<weighted> left{plot_.weight};
    Cut best{range.n, floor};
    double limit = floor > 0 ? floor * n * (1 - 1e-9) : 0;
    Count s = 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t row = row_of(e[i]);
        s += plot_.sum[row] - shift * left.add(row, i);
        const Count wl = left.weight;
        if (rank_of(e[i]) == rank_of(e[i + 1]) || wl < range.least) continue;
        if (weighted && total - wl < range.least) break;
        const auto w = static_cast<double>(wl);
        const double d = static_cast<double>(s) * n - rest * w;
        if (d * d < limit * (w * (n - w))) continue;
        const Count tally[2] = {wl, s + shift * wl};
        const double exact = judge.decrease(tally, wl);
        if (exact <= best.decrease) continue;
        best = {i, exact, wl};
        limit = exact * n * (1 - 1e-9);
    }
    best.pure = best.at < range.n && range.n == 2;
    return best;
}

// Any number of classes, any criterion.
template <class Entry>
template <bool weighted>
Presort<Entry>::Cut Presort<Entry>::scan_many(const Range& range, const Judge& judge, double floor) const {
    const Entry* const e = range.e;
    const Count total = judge.weight();
    const auto n = static_cast<double>(total);
    const bool gini = judge.criterion() == Criterion::gini && total < most_heavy;
    const bool whole = total < (1 << 14);
    // Gini: the sum of d_c^2 is W^2 S1 - 2 W w S2 + w^2 Q, all whole numbers. Where they are too large the
    // terms are rounded, by less than what is then added.
    const auto spread = [&, t = static_cast<double>(total)](Count w, Count s1, Count s2, Count q) {
        if (whole) return static_cast<double>(total * total * s1 - 2 * total * w * s2 + w * w * q);
        const auto dw = static_cast<double>(w);
        const double a = t * t * static_cast<double>(s1), b = 2 * t * dw * static_cast<double>(s2);
        const double c = dw * dw * static_cast<double>(q);
        return a - b + c + 1e-15 * (a + b + c);
    };
    std::array<Count, Palette::few> tally{};
    Left<weighted> left{plot_.weight};
    Count s1 = 0, s2 = 0, q = 0;
    for (int c = 0; c < shape_.classes; ++c) q += judge.node()[c] * judge.node()[c];
    // Entropy of two classes: W KL <= chi^2 / ln 2 on either side, d^2 / (W w_l w_r p (1 - p)) together.
    const bool bits = judge.criterion() == Criterion::entropy && shape_.classes == 2 && total < most_heavy;
    const Count ones = bits ? judge.node()[1] : 0;
    const double p = static_cast<double>(ones) / n, rounding = 1e-13 * n * (2 + log2_fixed(n));
    const auto limit_of = [&](double decrease) {
        if (!bits) return std::max(0.0, decrease * n * (1 - 1e-12));
        return std::max(0.0, (decrease - rounding) * n * p * (1 - p) * 0.6931471805);
    };
    // What lies left of the next value's end, if all its rows are of one class; else -1.
    const auto through = [&](std::uint32_t i, Count w, std::uint32_t of) -> Count {
        const std::uint32_t rank = rank_of(e[i + 1]);
        for (std::uint32_t k = i + 1; k < range.n && rank_of(e[k]) == rank; ++k) {
            if (plot_.cls[row_of(e[k])] != of) return -1;
            w += plot_.weight_of(row_of(e[k]));
        }
        return w;
    };
    Count before = 0;    // what lies left of the value at hand …
    bool mixed = false;  // … and has it rows of several classes?
    Cut best{range.n, floor};
    double limit = limit_of(floor);
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t row = row_of(e[i]);
        const std::uint32_t c = plot_.cls[row];
        if (i == 0 || rank_of(e[i]) != rank_of(e[i - 1]))
            before = left.weight, mixed = false;
        else
            mixed = mixed || c != plot_.cls[row_of(e[i - 1])];
        const Count more = left.add(row, i);
        s1 += (2 * tally[c] + more) * more;
        s2 += judge.node()[c] * more;
        tally[c] += more;
        const Count w = left.weight;
        if (rank_of(e[i]) == rank_of(e[i + 1]) || w < range.least) continue;
        if (weighted && total - w < range.least) break;
        if (gini) {
            if (spread(w, s1, s2, q) < limit * static_cast<double>(w * (total - w))) continue;
        } else {
            if (bits) {
                const auto d = static_cast<double>(tally[1] * total - ones * w);
                if (d * d < limit * static_cast<double>(w * (total - w))) continue;
            }
            // Between two values of one class there is no boundary point, but for the first and the last cut
            // allowed. Tables are scanned so too: or else rounding might tell such cuts apart.
            if (!mixed && before >= range.least)
                if (const Count after = through(i, w, c); after >= 0 && total - after >= range.least)
                    continue;
        }
        const double exact = judge.decrease(tally.data(), w);
        if (exact <= best.decrease) continue;
        best = {i, exact, w};
        limit = limit_of(exact);
    }
    return best;
}

// How many cuts leave enough on either side.
template <class Entry>
std::int64_t Presort<Entry>::feasible_cuts(const Range& range, Count total) const {
    std::int64_t cuts = 0;
    Count left = 0;
    for (std::uint32_t i = 0; i + 1 < range.n; ++i) {
        left += plot_.weight_of(row_of(range.e[i]));
        cuts += rank_of(range.e[i]) != rank_of(range.e[i + 1]) && left >= range.least &&
                total - left >= range.least;
    }
    return cuts;
}

template <class Entry>
bool Presort<Entry>::scan(std::uint32_t column, const Place& place, const Node& node, double floor,
                          Cut& cut) const {
    // Small weights (but for Gini, whose sums stay whole), a plain threshold, nothing missing: the common
    // case. What a heavy node's decrease by logarithms or squares loses by rounding is left to tables.
    const Entry* const e = entries(column) + place.begin;
    const std::uint32_t n = place.end - place.begin;
    const Judge& judge = *node.judge;
    const Count most = judge.criterion() == Criterion::gini ? most_heavy : Count{1} << 15;
    if ((!plot_.weight.empty() && (shape_.apart || judge.weight() >= most)) ||
        growth_.numeric_test != NumericTest::threshold || growth_.random_cuts || (growth_.penalty && !own_) ||
        node.limits.monotone || !rows_.frame().column(column).ordered() || many_ || rank_of(e[0]) == 0)
        return false;
    cut = {n, nothing};
    const Count samples = growth_.penalty ? least_side(node, judge.weight()) : node.limits.samples;
    const Count least = std::max(samples, node.limits.weight);
    if (rank_of(e[0]) == rank_of(e[n - 1]) || 2 * least > judge.weight()) return true;
    const bool units = plot_.weight.empty();
    // With units the last feasible cut is known; else the loop finds it.
    const Range range{e, n, units ? n - static_cast<std::uint32_t>(least) : n - 1, least};
    const auto run = [&]<bool weighted>() {
        if (shape_.classes == 0) return scan_real<weighted>(range, judge, floor);
        if (shape_.classes == 2 && judge.criterion() == Criterion::gini) {
            if (judge.weight() <= TwoClassRace::most_weight) return scan_two<weighted>(range, judge, floor);
            if (judge.weight() < most_heavy) return scan_two_heavy<weighted>(range, judge, floor);
        }
        return scan_many<weighted>(range, judge, floor);
    };
    cut = units ? run.template operator()<false>() : run.template operator()<true>();
    if (growth_.penalty) cut.penalty = price_of(feasible_cuts(range, judge.weight()), node, judge.weight());
    return true;
}

template <class Entry>
Candidate Presort<Entry>::candidate_of(std::uint32_t column, const Place& place, const Cut& cut) const {
    const Entry* const e = entries(column) + place.begin;
    Candidate c;
    c.column = static_cast<std::int32_t>(column);
    c.kind = TestKind::cut;
    c.found = true;
    c.decrease = cut.decrease;
    c.penalty = cut.penalty;
    c.branches = 2;
    c.gaps = {{value(column, e[cut.at]), value(column, e[cut.at + 1])}};
    const Count wl = cut.weight;
    const Count wr = shape_.weight(place.seedling.sprout->tally) - wl;
    c.missing = growth_.missing == Missing::fractional ? by_share : (wl >= wr ? 0 : 1);
    if (own_) c.split_info = split_information(wl, wr);
    return c;
}

template <class Entry>
void Presort<Entry>::read_table(std::uint32_t column, const Place& place, Shape shape, Table& table) const {
    const Column& c = rows_.frame().column(column);
    table.reset(shape);
    table.n_codes = c.n_codes;
    const Entry* const e = entries(column);
    Count* cell = table.missing.data();
    std::uint32_t current = 0;
    for (std::uint32_t k = place.begin; k < place.end; ++k) {
        const std::uint32_t rank = rank_of(e[k]);
        if (rank != current) {
            current = rank;
            cell = table.push(rank);
            if (c.ordered()) table.values.push_back(value(column, e[k]));
        }
        if (many_)
            palette_.add_to(cell, plot_, row_of(e[k]));
        else
            plot_.add_to(cell, row_of(e[k]));
    }
}

// A column's best test, by a quick scan or by its table.
template <class Entry>
Candidate Presort<Entry>::own_candidate(std::uint32_t column, const Place& place, const Node& node,
                                        double floor, Scratch& scratch) const {
    if (streams(column, node)) return stream(column, place, node, floor, scratch);
    if (Cut cut; scan(column, place, node, nothing, cut))
        return cut.at == place.end - place.begin ? Candidate{} : candidate_of(column, place, cut);
    read_table(column, place, node.judge->shape(), scratch.table);
    return propose(scratch.table, node, growth_, static_cast<int>(column),
                   rows_.frame().column(column).ordered());
}

// The rest of them is made in presort.cpp.
template Candidate Presort<std::uint32_t>::own_candidate(std::uint32_t, const Place&, const Node&, double,
                                                         Scratch&) const;
template Candidate Presort<std::uint64_t>::own_candidate(std::uint32_t, const Place&, const Node&, double,
                                                         Scratch&) const;
template bool Presort<std::uint32_t>::scan(std::uint32_t, const Place&, const Node&, double, Cut&) const;
template bool Presort<std::uint64_t>::scan(std::uint32_t, const Place&, const Node&, double, Cut&) const;
template Candidate Presort<std::uint32_t>::candidate_of(std::uint32_t, const Place&, const Cut&) const;
template Candidate Presort<std::uint64_t>::candidate_of(std::uint32_t, const Place&, const Cut&) const;

}  // namespace bosco
