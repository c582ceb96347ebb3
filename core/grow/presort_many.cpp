// The best threshold of one sorted column where there are many classes: row after row changes one number of
// the tally left of the cut, and running sums tell which cuts can be better. Scores as scan_cuts does, cut by
// cut, any weights and missing rows included, but no table is built.
#include <algorithm>

#include "grow/presort.hpp"

namespace bosco {
namespace {

// What the rows left of a cut hold, and sums over the classes that make an estimate of the decrease.
class Running {
public:
    // Sums of squares are whole numbers below this weight.
    static constexpr Count most_weight = Count{1} << 31;

    // `missing`: the rows that a cut places left or right; null where they are not its business.
    Running(const Judge& judge, const Count* missing, std::size_t rows, std::vector<Count>& left)
        : judge_(judge),
          missing_(missing),
          left_(left),
          squares_(judge.criterion() == Criterion::gini && judge.weight() < most_weight),
          logs_(judge.criterion() == Criterion::entropy || judge.criterion() == Criterion::scaled_entropy) {
        const Shape shape = judge.shape();
        left_.assign(static_cast<std::size_t>(shape.slots()), 0);
        if (missing != nullptr) missing_weight_ = shape.weight(missing);
        const Count* const node = judge.node();
        for (int c = 0; c < shape.classes && squares_; ++c) {
            nn_ += node[c] * node[c];
            if (missing == nullptr) continue;
            mm_ += missing[c] * missing[c];
            nm_ += node[c] * missing[c];
        }
        const auto w = static_cast<double>(judge.weight());
        if (logs_) {
            for (int c = 0; c < shape.classes; ++c) right_logs_ += x_log2_x(node[c]);
            // What all additions together can lose.
            rounding_ = 4e-16 * static_cast<double>(rows + 64) * w * (2 + log2_fixed(w));
        }
    }

    void add(std::uint32_t c, Count weight) {
        Count& l = left_[c];
        const Count n = judge_.node()[c];
        if (squares_) {
            ll_ += (2 * l + weight) * weight;
            ln_ += n * weight;
            if (missing_ != nullptr) lm_ += missing_[c] * weight;
        }
        if (logs_) {
            left_logs_ += x_log2_x(l + weight) - x_log2_x(l);
            right_logs_ += x_log2_x(n - l - weight) - x_log2_x(n - l);
        }
        l += weight;
        weight_ += weight;
    }
    Count weight() const { return weight_; }

    // Is the decrease of the cut, with the missing rows left of it or not, surely below `floor`?
    bool below(double floor, bool with_missing) const {
        const Count w = weight_ + (with_missing ? missing_weight_ : 0), rest = judge_.weight() - w;
        if (!(floor > 0) || w <= 0 || rest <= 0) return false;
        if (squares_) {
            // The sum of d_c^2 with d_c = l_c W - n_c w.
            const auto all = static_cast<double>(judge_.weight()), dw = static_cast<double>(w);
            const Count ll = with_missing ? ll_ + 2 * lm_ + mm_ : ll_, ln = with_missing ? ln_ + nm_ : ln_;
            const double a = all * all * static_cast<double>(ll), b = 2 * all * dw * static_cast<double>(ln);
            const double c = dw * dw * static_cast<double>(nn_);
            const double sum = a - b + c + 4e-15 * (a + b + c);
            return sum < floor * all * (1 - 1e-12) * (dw * static_cast<double>(rest));
        }
        if (logs_ && !with_missing) {
            const double left = left_logs_ - x_log2_x(w), right = right_logs_ - x_log2_x(rest);
            const double half = judge_.criterion() == Criterion::entropy ? 1 : 0.5;
            return half * (left + right + rounding_) - judge_.node_purity() < floor;
        }
        return false;
    }

private:
    const Judge& judge_;
    const Count* missing_;
    std::vector<Count>& left_;
    bool squares_, logs_;
    Count weight_ = 0, missing_weight_ = 0;
    Count ll_ = 0, ln_ = 0, lm_ = 0, nn_ = 0, mm_ = 0, nm_ = 0;
    double left_logs_ = 0, right_logs_ = 0, rounding_ = 0;
};

// The rows of one value.
struct Value {
    std::uint32_t end;
    Count weight = 0, samples = 0;
    int only = -1;  // their class, if all have the same
};

}  // namespace

template <class Entry>
bool Presort<Entry>::streams(std::uint32_t column, const Node& node) const {
    return many_ && growth_.numeric_test == NumericTest::threshold && !growth_.random_cuts &&
           !node.limits.monotone && rows_.frame().column(column).ordered();
}

template <class Entry>
Candidate Presort<Entry>::stream(std::uint32_t column, const Place& place, const Node& given, double floor,
                                 Scratch& scratch) const {
    const Entry* const e = entries(column);
    const std::uint32_t* const cls = palette_.classes();
    const Shape shape = given.judge->shape();
    Table& table = scratch.table;  // of the missing rows, then of the two branches
    table.reset(shape);
    table.n_codes = rows_.frame().column(column).n_codes;
    const auto samples_of = [&](std::uint32_t row) {
        return shape.apart ? plot_.samples[row] : plot_.weight_of(row);
    };
    std::uint32_t at = place.begin;
    for (; at < place.end && rank_of(e[at]) == 0; ++at)
        palette_.add_to(table.missing.data(), plot_, row_of(e[at]));
    const std::uint32_t first = at;
    Candidate c;
    c.column = static_cast<std::int32_t>(column);
    if (first == place.end) return c;

    Node node = given;
    const Count missing_weight = shape.weight(table.missing.data());
    const Count missing_samples = shape.samples(table.missing.data(), missing_weight);
    const Count all_samples = shape.samples(given.judge->node(), given.judge->weight());
    if (growth_.penalty) node.limits.samples = least_side(given, all_samples - missing_samples);
    const Limits& limits = node.limits;
    const Trial trial(table, node, growth_, c.column);
    const Judge& judge = trial.judge();
    const Count total = judge.weight(), samples = shape.samples(judge.node(), total);
    const auto allowed = [&](Count w, Count s) {
        return limits.allow(s, w) && limits.allow(samples - s, total - w);
    };
    const auto value_from = [&](std::uint32_t begin) {
        Value v{begin};
        const std::uint32_t rank = rank_of(e[begin]);
        v.only = static_cast<int>(cls[row_of(e[begin])]);
        for (; v.end < place.end && rank_of(e[v.end]) == rank; ++v.end) {
            const std::uint32_t row = row_of(e[v.end]);
            v.weight += plot_.weight_of(row);
            v.samples += samples_of(row);
            if (v.only != static_cast<int>(cls[row])) v.only = -1;
        }
        return v;
    };

    std::vector<Count>& left = scratch.left;
    const Count* const placed = trial.absent == Absent::none ? nullptr : table.missing.data();
    Running running(judge, placed, place.end - place.begin, left);
    const int variants = trial.absent == Absent::learn ? 2 : 1;
    CutBest best;
    if (!trial.any_missing) best.decrease = floor;  // only what is better is asked for
    Count left_samples = 0;
    std::int64_t tries = 0;
    std::uint64_t position = 0;
    Value here = value_from(first);
    for (std::uint32_t i = first; here.end < place.end; ++position) {
        const Count before_w = running.weight(), before_s = left_samples;
        for (; i < here.end; ++i) {
            const std::uint32_t row = row_of(e[i]);
            running.add(cls[row], plot_.weight_of(row));
        }
        left_samples += here.samples;
        if (shape.apart) left.back() = left_samples;
        const Value next = value_from(here.end);
        const Count w = running.weight(), s = left_samples;
        const Count known_w = given.judge->weight() - missing_weight - w;
        tries += limits.allow(s, w) && limits.allow(all_samples - missing_samples - s, known_w);
        const bool inside = here.only >= 0 && here.only == next.only && trial.absent != Absent::majority;
        for (int v = 0; v < variants; ++v) {
            bool missing_left = v == 1;
            if (trial.absent == Absent::majority) missing_left = w >= total - missing_weight - w;
            const Count xw = missing_left ? missing_weight : 0, xs = missing_left ? missing_samples : 0;
            if (inside && before_w > 0 && allowed(before_w + xw, before_s + xs) &&
                allowed(w + next.weight + xw, s + next.samples + xs))
                continue;
            if (!allowed(w + xw, s + xs) || running.below(best.decrease, missing_left)) continue;
            const double d = trial.binary(left.data(), missing_left, best.decrease);
            best.take(d, position, static_cast<int>(here.end), missing_left);
        }
        here = next;
    }
    if (trial.absent == Absent::learn) {  // known against missing
        std::vector<Count> known(given.judge->node(), given.judge->node() + shape.slots());
        subtract(known.data(), table.missing.data(), shape.slots());
        best.take(trial.score(known.data(), best.decrease), position, static_cast<int>(place.end), false);
    }
    if (best.at < 0) return c;

    const auto middle = static_cast<std::uint32_t>(best.at);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool all_left = middle == place.end;
    c.kind = TestKind::cut;
    c.gaps = {all_left ? Gaps::Gap{infinity, infinity}
                       : Gaps::Gap{value(column, e[middle - 1]), value(column, e[middle])}};
    table.push(1);
    table.push(2);
    for (std::uint32_t i = first; i < place.end; ++i)
        palette_.add_to(table.cells.data() + (i < middle ? 0 : shape.slots()), plot_, row_of(e[i]));
    const int chosen = trial.absent == Absent::none ? -1 : (best.missing_left ? 0 : 1);
    trial.settle(c, {table.cell(0), table.cell(1)}, chosen);
    if (growth_.penalty) c.penalty = price_of(tries, node, all_samples);
    return c;
}

template bool Presort<std::uint32_t>::streams(std::uint32_t, const Node&) const;
template bool Presort<std::uint64_t>::streams(std::uint32_t, const Node&) const;
template Candidate Presort<std::uint32_t>::stream(std::uint32_t, const Place&, const Node&, double,
                                                  Scratch&) const;
template Candidate Presort<std::uint64_t>::stream(std::uint32_t, const Place&, const Node&, double,
                                                  Scratch&) const;

}  // namespace bosco
