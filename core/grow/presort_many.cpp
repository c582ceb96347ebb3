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

// Entries in order, from the first known one on, whose rows are counted by the node's own classes.
template <class RankAt, class RowAt>
class EntryRun {
public:
    EntryRun(const LocalRows& rows, const std::uint32_t* cls, Running& running, std::vector<Count>& left,
             std::uint32_t first, std::uint32_t end, RankAt rank_at, RowAt row_at)
        : rows_(rows),
          cls_(cls),
          running_(running),
          left_(left),
          from_(first),
          to_(first),
          at_(first),
          end_(end),
          rank_at_(rank_at),
          row_at_(row_at) {}

    bool done() const { return at_ == end_; }
    OneValue next() {
        from_ = to_;
        to_ = at_;
        const std::uint32_t rank = rank_at_(at_);
        OneValue v{0, 0, static_cast<int>(cls_[row_at_(at_)])};
        for (; at_ < end_ && rank_at_(at_) == rank; ++at_) {
            const std::uint32_t row = row_at_(at_);
            v.weight += rows_.weight_of(row);
            v.samples += rows_.shape.apart ? rows_.samples[row] : rows_.weight_of(row);
            if (v.only != static_cast<int>(cls_[row])) v.only = -1;
        }
        coming_ = going_;
        going_ = v.samples;
        return v;
    }
    void pass() {
        for (std::uint32_t i = from_; i < to_; ++i)
            running_.add(cls_[row_at_(i)], rows_.weight_of(row_at_(i)));
        samples_ += coming_;
        if (rows_.shape.apart) left_.back() = samples_;
    }
    const Count* left() const { return left_.data(); }
    Count weight() const { return running_.weight(); }
    Count samples() const { return samples_; }
    int entry() const { return static_cast<int>(to_); }
    bool below(double floor, bool missing_left) const { return running_.below(floor, missing_left); }

private:
    const LocalRows& rows_;
    const std::uint32_t* cls_;
    Running& running_;
    std::vector<Count>& left_;
    std::uint32_t from_, to_, at_, end_;  // the last two values are entries [from, to) and [to, at)
    RankAt rank_at_;
    RowAt row_at_;
    Count coming_ = 0, going_ = 0, samples_ = 0;
};

}  // namespace

template <class Entry>
bool Presort<Entry>::streams(std::uint32_t column, const Node& node) const {
    return many_ && growth_.numeric_test == NumericTest::threshold && !growth_.random_cuts &&
           !node.limits.monotone && rows_.frame().column(column).ordered();
}

template <class Entry>
Candidate Presort<Entry>::stream(std::uint32_t column, const NodeRows& at_node, const Node& given,
                                 double floor, Scratch& scratch) const {
    const Entry* const e = entries(column);
    const Shape shape = given.judge->shape();
    Table& table = scratch.table;  // of the missing rows, then of the two branches
    table.reset(shape);
    table.n_codes = rows_.frame().column(column).n_codes;
    std::uint32_t first = at_node.begin;
    for (; first < at_node.end && rank_of(e[first]) == 0; ++first)
        palette_.add_to(table.missing.data(), local_, row_of(e[first]));
    Candidate c;
    c.column = static_cast<std::int32_t>(column);
    if (first == at_node.end) return c;

    std::vector<Count> known(given.judge->node(), given.judge->node() + shape.slots());
    subtract(known.data(), table.missing.data(), shape.slots());
    const Count all_samples = shape.samples(given.judge->node(), given.judge->weight());
    Node node = given;
    if (growth_.penalty)
        node.limits.samples = least_side(given, shape.samples(known.data(), shape.weight(known.data())));
    const Trial trial(table, node, growth_, c.column);
    const Count* const placed = trial.absent == Absent::none ? nullptr : table.missing.data();
    Running running(trial.judge(), placed, at_node.size(), scratch.left);
    EntryRun run(
        local_, palette_.classes(), running, scratch.left, first, at_node.end,
        [e](std::uint32_t i) { return rank_of(e[i]); }, [e](std::uint32_t i) { return row_of(e[i]); });
    CutBest best;
    if (!trial.any_missing) best.decrease = floor;  // only what is better is asked for
    const std::int64_t tries = scan_run(trial, run, 0, 1, best);
    if (trial.absent == Absent::learn)  // known against missing
        best.take(trial.score(known.data(), best.decrease), at_node.end, static_cast<int>(at_node.end),
                  false);
    if (best.at < 0) return c;

    const auto middle = static_cast<std::uint32_t>(best.at);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool all_left = middle == at_node.end;
    c.kind = TestKind::cut;
    c.gaps = {all_left ? Gaps::Gap{infinity, infinity}
                       : Gaps::Gap{value(column, e[middle - 1]), value(column, e[middle])}};
    table.push(1);
    table.push(2);
    for (std::uint32_t i = first; i < at_node.end; ++i)
        palette_.add_to(table.cells.data() + (i < middle ? 0 : shape.slots()), local_, row_of(e[i]));
    const int chosen = trial.absent == Absent::none ? -1 : (best.missing_left ? 0 : 1);
    trial.settle(c, {table.cell(0), table.cell(1)}, chosen);
    if (growth_.penalty) c.penalty = price_of(tries, node, all_samples);
    return c;
}

template bool Presort<std::uint32_t>::streams(std::uint32_t, const Node&) const;
template bool Presort<std::uint64_t>::streams(std::uint32_t, const Node&) const;
template Candidate Presort<std::uint32_t>::stream(std::uint32_t, const NodeRows&, const Node&, double,
                                                  Scratch&) const;
template Candidate Presort<std::uint64_t>::stream(std::uint32_t, const NodeRows&, const Node&, double,
                                                  Scratch&) const;

}  // namespace bosco
