// Binary thresholds and k intervals over an ordered table.
#include <algorithm>
#include <numeric>

#include "data/random.hpp"
#include "score/heights.hpp"
#include "score/propose.hpp"

namespace bosco {
namespace {

constexpr int many_cuts = 24;  // that are weighed at once

std::vector<const Count*> pointers(const std::vector<std::vector<Count>>& branches) {
    std::vector<const Count*> p;
    for (const auto& b : branches) p.push_back(b.data());
    return p;
}

// The tally of entries [first, last).
std::vector<Count> sum_of(const Table& table, int first, int last) {
    std::vector<Count> t(static_cast<std::size_t>(table.shape.slots()), 0);
    for (int i = first; i < last; ++i) add(t.data(), table.cell(i), table.shape.slots());
    return t;
}

std::pair<double, double> gap_after(const Table& table, int at) {
    const auto i = static_cast<std::size_t>(at);
    const double high =
        i + 1 < table.values.size() ? table.values[i + 1] : std::numeric_limits<double>::infinity();
    return {table.values[i], high};
}

// The entries of a table, from one on.
class TableRun {
public:
    TableRun(const Table& table, int first, int last, const Count* start)
        : table_(table), at_(first), last_(last), left_(static_cast<std::size_t>(table.shape.slots()), 0) {
        if (start != nullptr) add(left_.data(), start, table.shape.slots());
        count();
    }
    bool done() const { return at_ >= last_; }
    OneValue next() {
        const Count* const cell = table_.cell(at_++);
        const Count w = table_.shape.weight(cell);
        return {w, table_.shape.samples(cell, w), table_.shape.only_class(cell)};
    }
    void pass() {
        add(left_.data(), table_.cell(entry()), table_.shape.slots());
        count();
    }
    const Count* left() const { return left_.data(); }
    Count weight() const { return weight_; }
    Count samples() const { return samples_; }
    int entry() const { return at_ - 2; }
    static bool below(double, bool) { return false; }

private:
    void count() {
        weight_ = table_.shape.weight(left_.data());
        samples_ = table_.shape.samples(left_.data(), weight_);
    }

    const Table& table_;
    int at_, last_;
    std::vector<Count> left_;
    Count weight_ = 0, samples_ = 0;
};

}  // namespace

std::int64_t scan_cuts(const Trial& trial, int first, int last, const Count* start, std::uint64_t base,
                       std::uint64_t step, CutBest& best) {
    if (last - first < 2) return 0;
    TableRun run(trial.table, first, last, start);
    return scan_run(trial, run, base, step, best);
}

void scan_known_against_missing(const Trial& trial, const Count* known, std::uint64_t position,
                                CutBest& best) {
    if (trial.absent != Absent::learn) return;
    const double d = trial.score(known, best.decrease);
    best.take(d, position, trial.table.size() - 1, false);
}

Node for_thresholds(const Trial& trial) {
    Node node = trial.node;
    const Shape shape = trial.table.shape;
    if (!trial.growth.penalty) return node;
    const auto known = trial.known();
    const Count samples = shape.samples(known.data(), shape.weight(known.data()));
    node.limits.samples = least_side(node, samples);
    return node;
}

Count least_side(const Node& node, Count samples) {
    if (node.classes == 0) return node.limits.samples;
    const Count tenth = (samples + 10 * node.classes - 1) / (10 * node.classes);
    return std::max(node.limits.samples, std::min(tenth, static_cast<Count>(25 * node.unit)));
}

double price_of(std::int64_t tries, const Node& node, Count samples) {
    if (tries < 2) return 0;
    return log2_fixed(static_cast<double>(tries)) / (static_cast<double>(samples) / node.unit);
}

Candidate propose_threshold(const Trial& given) {
    const Table& table = given.table;
    const Node node = for_thresholds(given);
    const Trial trial(table, node, given.growth, given.column);
    CutBest best;
    std::int64_t tries = 0;  // which are counted only where they have a price
    if (!trial.growth.penalty && table.size() >= many_cuts && Heights::suits(trial)) {
        Heights heights;
        heights.take(trial);
        heights.scan(trial, 0, 1, best);
    } else {
        tries = scan_cuts(trial, 0, table.size(), nullptr, 0, 1, best);
    }
    const int n = table.size();
    if (n > 0)
        scan_known_against_missing(trial, sum_of(table, 0, n).data(), static_cast<std::uint64_t>(n), best);
    Candidate c;
    if (best.at < 0) return c;
    c.kind = TestKind::cut;
    c.gaps = {gap_after(table, best.at)};
    if (best.at == n - 1) c.gaps[0].first = std::numeric_limits<double>::infinity();
    const std::vector<std::vector<Count>> parts = {sum_of(table, 0, best.at + 1),
                                                   sum_of(table, best.at + 1, n)};
    const int chosen = trial.absent == Absent::none ? -1 : (best.missing_left ? 0 : 1);
    trial.settle(c, pointers(parts), chosen);
    const Judge& all = *node.judge;
    if (trial.growth.penalty)
        c.penalty = price_of(tries, node, table.shape.samples(all.node(), all.weight()));
    return c;
}

Candidate propose_intervals(const Trial& trial) {
    std::vector<int> order(static_cast<std::size_t>(trial.table.size()));
    std::iota(order.begin(), order.end(), 0);
    Candidate c;
    const Grouping runs = best_number(trial, best_runs(trial, order), c);
    if (!c.found) return c;
    c.kind = TestKind::cut;
    for (std::size_t b = 0; b + 1 < runs.size(); ++b)
        c.gaps.push_back(gap_after(trial.table, runs[b].back()));
    return c;
}

double draw_threshold(const Node& node, int column, double low, double high) {
    low += 0.0;  // as in threshold_between(): no negative zero
    const std::uint64_t key = column_key(node.key, static_cast<std::uint32_t>(column));
    const double t = low + unit(key) * (high - low);
    return t >= low && t < high ? t : low;
}

Candidate propose_random(const Trial& trial, bool ordered) {
    const Table& table = trial.table;
    const int n = table.size();
    Candidate c;
    if (n < 2) return c;
    std::vector<std::vector<Count>> parts(
        2, std::vector<Count>(static_cast<std::size_t>(table.shape.slots()), 0));
    std::vector<int> side(static_cast<std::size_t>(n), 0);
    if (ordered) {
        const double t = draw_threshold(trial.node, trial.column, table.values.front(), table.values.back());
        for (int i = 0; i < n; ++i)
            side[static_cast<std::size_t>(i)] = table.values[static_cast<std::size_t>(i)] > t;
        const auto at = std::count(side.begin(), side.end(), 0) - 1;
        c.kind = TestKind::cut;
        c.gaps = {gap_after(table, static_cast<int>(at))};
        c.random = true;
        c.drawn = t;
    } else {
        const std::uint64_t key = column_key(trial.node.key, static_cast<std::uint32_t>(trial.column));
        for (int i = 1; i < n; ++i)
            side[static_cast<std::size_t>(i)] =
                static_cast<int>(mix(key, table.codes[static_cast<std::size_t>(i)]) & 1);
        if (std::count(side.begin(), side.end(), 1) == 0) side.back() = 1;
        c.kind = TestKind::map;
    }
    for (int i = 0; i < n; ++i)
        add(parts[static_cast<std::size_t>(side[static_cast<std::size_t>(i)])].data(), table.cell(i),
            table.shape.slots());
    // Under `learn` the better side; feasibility is judged with the missing rows in place.
    double best = nothing;
    int chosen = -1;
    for (int v = 0; v < (trial.absent == Absent::learn ? 2 : 1); ++v) {
        bool left = v == 1;
        const double d = trial.binary(parts[0].data(), left, nothing);
        if (d > best) best = d, chosen = trial.absent == Absent::none ? -1 : (left ? 0 : 1);
    }
    if (best == nothing) return Candidate{};
    trial.settle(c, pointers(parts), chosen);
    if (!ordered) {
        fill_jumps(trial, side, {parts[0].data(), parts[1].data()}, -1, c);
    }
    return c;
}

}  // namespace bosco
