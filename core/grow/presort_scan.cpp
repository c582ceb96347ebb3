// The best test of one sorted column: mostly a cut found in one loop (plain thresholds, rows that count once
// or by a small multiplicity, nothing missing), else by its table.
#include <algorithm>
#include <array>

#include "grow/outputsrace.hpp"
#include "grow/presort.hpp"
#include "grow/twoclass.hpp"

namespace bosco {
namespace {

// Who scores the cuts of a run of sorted values, each rows' weights and classes being at hand. What lies left
// of a cut is a value apart, so that the loop over rows has it in registers:
//   add(left, row, more)  the row, of that weight, lies left from now on
//   offer(left, i, w)     is the cut after entry i, with w left of it, the best so far?
//   decrease()            of the best; pure(): is nothing mixed on either side of it?

// Gini of two classes.
struct TwoClasses : TwoClassRace {
    TwoClasses(const LocalRows& rows, const Judge& judge, double floor)
        : TwoClassRace(judge, floor), cls(rows.cls.data()) {}
    using Left = Count;  // of the second class
    void add(Left& ones, std::uint32_t row, Count more) const { ones += more * static_cast<Count>(cls[row]); }
    bool offer(Left ones, std::uint32_t, Count w) { return TwoClassRace::offer(ones, w); }

    const std::uint32_t* cls;
};

// A real target, of counts or any. Sums centred by `shift`, the whole part of the node's mean, keep their
// digits; the exact decrease settles what comes close.
template <bool counts>
class Numbers {
public:
    Numbers(const LocalRows& rows, const Judge& judge, double floor, Count shift)
        : judge_(judge),
          sum_(rows.sum.data()),
          shift_(shift),
          rest_(static_cast<double>(judge.node()[1] - shift * judge.weight())),
          n_(static_cast<double>(judge.weight())),
          all_(static_cast<double>(judge.node()[1])),
          best_(floor),
          limit_(floor > 0 ? limit_of(floor) : 0) {}
    using Left = Count;  // the sum
    void add(Left& left, std::uint32_t row, Count more) const { left += sum_[row] - shift_ * more; }
    bool offer(Left left, std::uint32_t, Count wl) {
        const auto w = static_cast<double>(wl);
        const double d = static_cast<double>(left) * n_ - rest_ * w;
        if (d * d * stretch(d, w) < limit_ * (w * (n_ - w))) return false;
        const Count tally[2] = {wl, left + shift_ * wl};
        const double exact = judge_.decrease(tally, wl);
        if (exact <= best_ || !judge_.allows_parts(tally)) return false;
        best_ = exact;
        limit_ = limit_of(exact);
        return true;
    }
    double decrease() const { return best_; }
    bool pure() const { return false; }

private:
    // Of counts, with x how far a side's mean is from the node's, in units of that, the deviance falls by
    // w m ((1 + x) ln(1 + x) - x) for each side, which is at most w m x^2 / 2, times 1 - x where x is
    // negative. So it is at most the decrease of squares, the sum of w m^2 x^2, so stretched and
    // over 2 m.
    double stretch(double d, double w) const {
        if constexpr (!counts) return 1;
        const double lower = d < 0 ? w : n_ - w;  // whose mean is below the node's
        return 1 + std::abs(d) / (lower * all_) * ((n_ - lower) / n_);
    }
    double limit_of(double decrease) const {
        const double limit = decrease * n_ * (1 - 1e-9);
        return counts ? limit * (2 * all_ / n_) : limit;
    }

    const Judge& judge_;
    const Count* sum_;
    Count shift_;
    double rest_, n_, all_, best_, limit_;
};

// Any number of classes, any criterion. `rank_at(i)` and `row_at(i)` are those of entry i < n; either side
// must hold `least`.
template <class RankAt, class RowAt>
class Classes {
public:
    Classes(const LocalRows& rows, const Judge& judge, double floor, RankAt rank_at, RowAt row_at,
            std::uint32_t n, Count least)
        : rows_(rows),
          judge_(judge),
          rank_at_(rank_at),
          row_at_(row_at),
          n_(n),
          least_(least),
          total_(judge.weight()),
          weight_(static_cast<double>(total_)),
          gini_(judge.criterion() == Criterion::gini && total_ < TwoClassRace::most_weight),
          bits_(judge.criterion() == Criterion::entropy && judge.shape().classes == 2 &&
                total_ < TwoClassRace::most_weight),
          best_(floor) {
        for (int c = 0; c < judge.shape().classes; ++c) q_ += judge.node()[c] * judge.node()[c];
        limit_ = limit_of(floor);
    }
    struct Left {
        std::array<Count, Palette::few> tally{};
        Count s1 = 0, s2 = 0;  // sums over classes: of squares, of products with what the node has
    };
    void add(Left& left, std::uint32_t row, Count more) const {
        const std::uint32_t c = rows_.cls[row];
        left.s1 += (2 * left.tally[c] + more) * more;
        left.s2 += judge_.node()[c] * more;
        left.tally[c] += more;
    }
    bool offer(const Left& left, std::uint32_t i, Count w) {
        const auto sides = static_cast<double>(w * (total_ - w));
        if (gini_ && spread(left, w) < limit_ * sides) return false;
        if (bits_) {
            const auto d = static_cast<double>(left.tally[1] * total_ - judge_.node()[1] * w);
            if (d * d < limit_ * sides) return false;
        }
        if (!gini_ && within_class(i, w)) return false;
        const double exact = judge_.decrease(left.tally.data(), w);
        if (exact <= best_) return false;
        best_ = exact;
        limit_ = limit_of(exact);
        return true;
    }
    double decrease() const { return best_; }
    bool pure() const { return false; }

private:
    // Gini: the sum of d_c^2 is W^2 S1 - 2 W w S2 + w^2 Q, all whole numbers. Where they are too large the
    // terms are rounded, by less than what is then added.
    double spread(const Left& left, Count w) const {
        if (total_ < (1 << 14))
            return static_cast<double>(total_ * total_ * left.s1 - 2 * total_ * w * left.s2 + w * w * q_);
        const auto dw = static_cast<double>(w);
        const double a = weight_ * weight_ * static_cast<double>(left.s1);
        const double b = 2 * weight_ * dw * static_cast<double>(left.s2),
                     c = dw * dw * static_cast<double>(q_);
        return a - b + c + 1e-15 * (a + b + c);
    }
    // Entropy of two classes. The gain is what either side's shares diverge from the node's
    // (Kullback-Leibler, in bits), and that is at most their chi-square over ln 2: d^2 / (W w_l w_r p (1 -
    // p)) for both together.
    double limit_of(double decrease) const {
        if (!bits_) return std::max(0.0, decrease * weight_ * (1 - 1e-12));
        const double p = static_cast<double>(judge_.node()[1]) / weight_;
        const double rounding = 1e-13 * weight_ * (2 + log2_fixed(weight_));
        return std::max(0.0,
                        (decrease - rounding) * weight_ * p * (1 - p) * 0.6931471805);  // ln 2, a little less
    }
    // Between two values of one class there is no boundary point, but for the first and the last cut allowed.
    // Tables are scanned so too: or else rounding might tell such cuts apart.
    bool within_class(std::uint32_t i, Count w) const {
        const std::uint32_t of = rows_.cls[row_at_(i)];
        Count before = w, after = w;
        for (std::uint32_t k = i + 1; k-- > 0 && rank_at_(k) == rank_at_(i);) {
            if (rows_.cls[row_at_(k)] != of) return false;
            before -= rows_.weight_of(row_at_(k));
        }
        for (std::uint32_t k = i + 1; k < n_ && rank_at_(k) == rank_at_(i + 1); ++k) {
            if (rows_.cls[row_at_(k)] != of) return false;
            after += rows_.weight_of(row_at_(k));
        }
        return before >= least_ && total_ - after >= least_;
    }

    const LocalRows& rows_;
    const Judge& judge_;
    RankAt rank_at_;
    RowAt row_at_;
    std::uint32_t n_;
    Count least_, total_;
    double weight_;
    bool gini_, bits_;
    double best_, limit_;
    Count q_ = 0;
};

}  // namespace

template <class Entry>
template <bool weighted, class Race>
Presort<Entry>::Cut Presort<Entry>::scan_by(const Range& range, Count total, Race race) const {
    const Entry* const e = range.e;
    Cut best{range.n, nothing};
    typename Race::Left left{};
    Count w = 0;
    for (std::uint32_t i = 0; i < range.last; ++i) {
        const std::uint32_t row = row_of(e[i]);
        const Count more = weighted ? local_.weight[row] : 1;
        w += more;
        race.add(left, row, more);
        if (rank_of(e[i]) == rank_of(e[i + 1]) || w < range.least) continue;
        if (weighted && total - w < range.least) break;
        if (race.offer(left, i, w)) best.at = i, best.weight = w;
    }
    best.decrease = race.decrease();
    best.pure = race.pure();
    return best;
}

// The same of two classes whose sums are small: the height of every cut first, then those that may win.
template <class Entry>
Presort<Entry>::Cut Presort<Entry>::scan_heights(const Range& range, TwoClassRace race,
                                                 TwoClassHeights& heights) const {
    const Entry* const e = range.e;
    Cut best{range.n, nothing};
    heights.take(range.n, [&](std::size_t i) { return pair_[row_of(e[i])]; });
    const auto parts = [e](std::size_t i) { return rank_of(e[i]) != rank_of(e[i + 1]); };
    heights.each_near(range.least, parts, race, [&](std::size_t i) {
        best.at = static_cast<std::uint32_t>(i), best.weight = race.weight();
    });
    best.decrease = race.decrease();
    best.pure = race.pure();
    return best;
}

// How many cuts leave enough on either side.
template <class Entry>
std::int64_t Presort<Entry>::feasible_cuts(const Range& range, Count total) const {
    std::int64_t cuts = 0;
    Count left = 0;
    for (std::uint32_t i = 0; i + 1 < range.n; ++i) {
        left += local_.weight_of(row_of(range.e[i]));
        cuts += rank_of(range.e[i]) != rank_of(range.e[i + 1]) && left >= range.least &&
                total - left >= range.least;
    }
    return cuts;
}

// A plain threshold, nothing missing, small weights (but for Gini, whose sums stay whole): the common case.
// What a heavy node's decrease by logarithms or squares loses by rounding is left to tables.
template <class Entry>
bool Presort<Entry>::scans(std::uint32_t column, const Entry* e, const Node& node) const {
    const Judge& judge = *node.judge;
    const Count most = judge.criterion() == Criterion::gini ? TwoClassRace::most_weight : Count{1} << 15;
    if (!local_.weight.empty() && (shape_.apart || judge.weight() >= most)) return false;
    return growth_.numeric_test == NumericTest::threshold && !growth_.random_cuts &&
           !(growth_.penalty && !own_) && !node.limits.monotone && rows_.frame().column(column).ordered() &&
           !many_ && rank_of(e[0]) != 0;
}

template <class Entry>
bool Presort<Entry>::scan(std::uint32_t column, const NodeRows& at_node, const Node& node, double floor,
                          Scratch& scratch, Cut& cut) const {
    const Entry* const e = entries(column) + at_node.begin;
    if (!scans(column, e, node)) return false;
    const std::uint32_t n = at_node.size();
    const Judge& judge = *node.judge;
    const Count total = judge.weight();
    cut = {n, nothing};
    const Count samples = growth_.penalty ? least_side(node, total) : node.limits.samples;
    const Count least = std::max(samples, node.limits.weight);
    if (rank_of(e[0]) == rank_of(e[n - 1]) || 2 * least > total) return true;
    const bool units = local_.weight.empty();
    // With units the last feasible cut is known; else the loop finds it.
    const Range range{e, n, units ? n - static_cast<std::uint32_t>(least) : n - 1, least};
    const auto run = [&](const auto& race) {
        cut = units ? scan_by<false>(range, total, race) : scan_by<true>(range, total, race);
    };
    if (shape_.several()) {
        run(OutputsRace(local_, judge, floor));
        cut.pure = cut.at < n && n == 2;
    } else if (shape_.classes == 0) {
        if (judge.criterion() == Criterion::poisson)
            run(Numbers<true>(local_, judge, floor, shift_));
        else
            run(Numbers<false>(local_, judge, floor, shift_));
        cut.pure = cut.at < n && n == 2;
    } else if (shape_.classes == 2 && judge.criterion() == Criterion::gini &&
               total < TwoClassRace::most_weight) {
        if (n >= TwoClassHeights::least_rows && !pair_.empty())
            cut = scan_heights(range, TwoClassRace(judge, floor), scratch.heights);
        else
            run(TwoClasses(local_, judge, floor));
    } else {
        run(Classes(
            local_, judge, floor, [e](std::uint32_t i) { return rank_of(e[i]); },
            [e](std::uint32_t i) { return row_of(e[i]); }, n, least));
    }
    if (growth_.penalty) cut.penalty = price_of(feasible_cuts(range, total), node, total);
    return true;
}

template <class Entry>
Candidate Presort<Entry>::candidate_of(std::uint32_t column, const NodeRows& at_node, const Cut& cut) const {
    const Entry* const e = entries(column) + at_node.begin;
    Candidate c;
    c.column = static_cast<std::int32_t>(column);
    c.kind = TestKind::cut;
    c.found = true;
    c.decrease = cut.decrease;
    c.penalty = cut.penalty;
    c.branches = 2;
    c.gaps = {{value(column, e[cut.at]), value(column, e[cut.at + 1])}};
    const Count wl = cut.weight;
    const Count wr = shape_.weight(at_node.seedling.sprout->tally) - wl;
    c.missing = missing_branch(growth_, wl, wr);
    if (own_) c.split_info = split_information(wl, wr);
    return c;
}

template <class Entry>
void Presort<Entry>::read_table(std::uint32_t column, const NodeRows& at_node, Shape shape,
                                Table& table) const {
    const Column& c = rows_.frame().column(column);
    table.reset(shape);
    table.n_codes = c.n_codes;
    const Entry* const e = entries(column);
    Count* cell = table.missing.data();
    std::uint32_t current = 0;
    for (std::uint32_t k = at_node.begin; k < at_node.end; ++k) {
        const std::uint32_t rank = rank_of(e[k]);
        if (rank != current) {
            current = rank;
            cell = table.push(rank);
            if (c.ordered()) table.values.push_back(value(column, e[k]));
        }
        if (many_)
            palette_.add_to(cell, local_, row_of(e[k]));
        else
            local_.add_to(cell, row_of(e[k]));
    }
}

// A column's best test, by a quick scan or by its table.
template <class Entry>
Candidate Presort<Entry>::own_candidate(std::uint32_t column, const NodeRows& at_node, const Node& node,
                                        double floor, Scratch& scratch) const {
    if (streams(column, node)) return stream(column, at_node, node, floor, scratch);
    if (Cut cut; scan(column, at_node, node, floor, scratch, cut))
        return cut.at == at_node.end - at_node.begin ? Candidate{} : candidate_of(column, at_node, cut);
    read_table(column, at_node, node.judge->shape(), scratch.table);
    return propose(scratch.table, node, growth_, static_cast<int>(column),
                   rows_.frame().column(column).ordered());
}

// The rest of them is made in presort.cpp.
template Candidate Presort<std::uint32_t>::own_candidate(std::uint32_t, const NodeRows&, const Node&, double,
                                                         Scratch&) const;
template Candidate Presort<std::uint64_t>::own_candidate(std::uint32_t, const NodeRows&, const Node&, double,
                                                         Scratch&) const;
template bool Presort<std::uint32_t>::scan(std::uint32_t, const NodeRows&, const Node&, double, Scratch&,
                                           Cut&) const;
template bool Presort<std::uint64_t>::scan(std::uint32_t, const NodeRows&, const Node&, double, Scratch&,
                                           Cut&) const;
template Candidate Presort<std::uint32_t>::candidate_of(std::uint32_t, const NodeRows&, const Cut&) const;
template Candidate Presort<std::uint64_t>::candidate_of(std::uint32_t, const NodeRows&, const Cut&) const;

}  // namespace bosco
