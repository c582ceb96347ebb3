#include "score/tried.hpp"

#include <algorithm>

namespace bosco {
namespace {

using Tallies = std::vector<std::vector<Count>>;

Tallies parted(const Table& table, const TestView& test, int n_branches) {
    const auto slots = static_cast<std::size_t>(table.shape.slots());
    Tallies parts(static_cast<std::size_t>(n_branches), std::vector<Count>(slots, 0));
    for (int i = 0; i < table.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const int b = test.kind == TestKind::cut ? test.ask(table.values[at]) : test.ask(table.codes[at]);
        add(parts[static_cast<std::size_t>(b)].data(), table.cell(i), table.shape.slots());
    }
    return parts;
}

// How many branches a test has for values that are known: the last may be of missing ones alone.
int known_branches(const TestView& test) {
    if (test.missing != test.branches - 1) return test.branches;
    const auto last = static_cast<std::uint32_t>(test.missing);
    const bool alone = test.kind == TestKind::cut
                           ? test.branches > static_cast<int>(test.thresholds.size()) + 1
                           : std::find(test.jumps.begin() + 1, test.jumps.end(), last) == test.jumps.end();
    return test.branches - (alone ? 1 : 0);
}

// The best cut so far of a stretch of cuts: one that is allowed before others, of equals the first.
struct Best {
    std::size_t stretch = 0;
    bool any = false, may = false, again = false;
    double score = 0;

    // Is a cut kept? `again`: in the place of the last.
    bool beaten(std::size_t by_stretch, bool by_may, double by_score) {
        again = any && by_stretch == stretch;
        if (again && (by_may < may || (by_may == may && by_score <= score))) return false;
        stretch = by_stretch, any = true, may = by_may, score = by_score;
        return true;
    }
};

double ratio(const Candidate& c) { return c.split_info > 0 ? c.decrease / c.split_info : 0; }

}  // namespace

void Curve::drop_last(std::size_t slots) {
    for (auto* part : {&low, &high, &decrease, &split_info}) part->pop_back();
    for (auto* part : {&allowed, &missing_left}) part->pop_back();
    left.resize(left.size() - slots);
}

Weighed weigh(const Trial& trial, const TestView& test) {
    const Shape shape = trial.table.shape;
    const bool learns = trial.absent == Absent::learn && test.missing >= 0;
    Tallies parts = parted(trial.table, test, learns ? test.branches : known_branches(test));
    std::vector<const Count*> branches;
    for (const auto& part : parts) branches.push_back(part.data());
    Weighed made;
    trial.settle(made.figures, branches, learns ? test.missing : -1);
    made.figures.kind = test.kind;
    made.figures.column = trial.column;
    if (trial.any_missing && !trial.growth.known_only()) {
        const auto to = static_cast<std::size_t>(made.figures.missing);
        parts.resize(std::max(parts.size(), to + 1),
                     std::vector<Count>(static_cast<std::size_t>(shape.slots())));
        add(parts[to].data(), trial.missing(), shape.slots());
    }
    int holding = 0;
    made.allowed = true;
    for (const auto& part : parts) {
        const Count w = shape.weight(part.data());
        made.branches.insert(made.branches.end(), part.begin(), part.end());
        if (w <= 0) continue;
        ++holding;
        made.allowed = made.allowed && trial.allows(part.data()) &&
                       trial.node.limits.allow(shape.samples(part.data(), w), w);
    }
    made.allowed = made.allowed && holding > 1;
    return made;
}

Curve curve(const Trial& given, std::size_t most) {
    const Node node = for_thresholds(given);
    const Trial trial(given.table, node, given.growth, given.column);
    const Table& table = trial.table;
    const Shape shape = table.shape;
    const std::vector<Count> all = trial.known();
    std::vector<Count> left(all.size(), 0), right = all, with(all.size());
    Curve made;
    const std::size_t cuts = table.size() > 1 ? static_cast<std::size_t>(table.size()) - 1 : 0;
    most = most == 0 ? cuts : std::min(most, cuts);
    Best last;  // of the stretch at hand
    for (int i = 0; i + 1 < table.size(); ++i) {
        add(left.data(), table.cell(i), shape.slots());
        subtract(right.data(), table.cell(i), shape.slots());
        const auto allowed = [&](bool missing_left) {
            with = left;
            if (missing_left) add(with.data(), trial.missing(), shape.slots());
            const Count w = shape.weight(with.data());
            return trial.feasible(with.data(), w, shape.samples(with.data(), w));
        };
        Candidate best;
        bool may = false;
        const int sides = trial.absent == Absent::learn ? 2 : 1;
        for (int v = sides; v-- > 0;) {  // of equals, missing rows go right, as proposals have it
            Candidate c;
            trial.settle(c, {left.data(), right.data()}, sides == 2 ? 1 - v : -1);
            const bool can = allowed(trial.absent != Absent::none && c.missing == 0);
            if (!best.found || can > may || (can == may && c.decrease >= best.decrease)) best = c, may = can;
        }
        allowed(trial.absent != Absent::none && best.missing == 0);  // leaves its tally in `with`
        const auto at = static_cast<std::size_t>(i);
        if (!last.beaten(at * most / cuts, may,
                         trial.growth.score == Score::gain ? best.decrease : ratio(best)))
            continue;
        if (last.again) made.drop_last(with.size());
        made.low.push_back(table.values[at]);
        made.high.push_back(table.values[at + 1]);
        made.decrease.push_back(best.decrease);
        made.split_info.push_back(best.split_info);
        made.allowed.push_back(may ? 1 : 0);
        made.missing_left.push_back(best.missing == 0 ? 1 : 0);
        made.left.insert(made.left.end(), with.begin(), with.end());
    }
    return made;
}

}  // namespace bosco
