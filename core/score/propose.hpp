// From a table to the best test of its column (docs/growing.md §3): pure functions of tables.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "data/table.hpp"
#include "score/criterion.hpp"
#include "score/growth.hpp"
#include "score/test.hpp"

namespace bosco {

constexpr double nothing = -std::numeric_limits<double>::infinity();

// The neighbouring values on both sides of each cut. Most tests have one, which needs no memory of
// its own.
class Gaps {
public:
    using Gap = std::pair<double, double>;

    Gaps() = default;
    Gaps(std::initializer_list<Gap> gaps) {
        for (const Gap& gap : gaps) push_back(gap);
    }
    std::size_t size() const { return n_; }
    void push_back(const Gap& gap) {
        if (n_++ == 0)
            first_ = gap;
        else
            more_.push_back(gap);
    }
    Gap& operator[](std::size_t i) { return i == 0 ? first_ : more_[i - 1]; }
    const Gap& operator[](std::size_t i) const { return i == 0 ? first_ : more_[i - 1]; }
    bool operator==(const Gaps&) const = default;

private:
    std::size_t n_ = 0;
    Gap first_{};
    std::vector<Gap> more_;
};

// The best test of one column at one node.
struct Candidate {
    std::int32_t column = -1;
    TestKind kind = TestKind::cut;
    std::int32_t branches = 0;
    std::int32_t missing = 0;
    bool found = false;
    double decrease = nothing;  // D
    double split_info = 0;
    double penalty = 0;  // taken from the gain
    // A cut between two coarse bins knows only the bins (edge_codes); its values are looked up if it
    // wins.
    Gaps gaps;
    std::pair<std::uint32_t, std::uint32_t> edge_codes{0, 0};
    bool at_edge = false;
    double drawn = 0;  // a random threshold, used instead of the gap's rule
    bool random = false;

    // The decrease less the penalty, at a node of this weight.
    double net(double weight) const { return penalty > 0 ? decrease - penalty * weight : decrease; }
    std::vector<std::uint32_t> jumps;  // maps
};

// What proposals and the choice need to know of their node; growers have it from Stop::node.
struct Node {
    const Judge* judge = nullptr;  // of all rows of the node
    Limits limits;
    std::uint64_t key = 0;
    double unit = 1;             // fixed-point units of one sample
    double impurity = 0;         // of the node; known if subsets pay a penalty or gains must be positive
    double total = 1;            // weight of all rows of the tree, in the units of the decrease
    int classes = 0;             // of the tree; the judge may know fewer (palette.hpp)
    double least_gain = 0;       // of the node alone, in the units of the decrease of one weight
    double measure = 1;          // units of a decrease of 1
    const Paid* paid = nullptr;  // for answers, on the way here; null: nothing
};

// Where missing rows go that had no say in the choice of a test with two branches: to the heavier one, or to
// both by their shares.
inline std::int32_t missing_branch(const Growth& growth, Count left, Count right) {
    return growth.missing == Missing::fractional ? by_share : left >= right ? 0 : 1;
}

// C4.5, release 8: either side of a threshold holds at least a tenth of the known samples per class, but
// never needs more than 25; and what trying so many thresholds costs, in bits a row.
Count least_side(const Node& node, Count samples);
double price_of(std::int64_t tries, const Node& node, Count samples);
// The node with the limits that thresholds have there.
class Trial;
Node for_thresholds(const Trial& trial);

// How the missing rows of one column enter the score of a binary test under trial.
enum class Absent : std::uint8_t { none, learn, majority };

// Shared by all proposals of one column: the judge to scan with and the rule for missing rows.
class Trial {
public:
    Trial(const Table& table, const Node& node, const Growth& growth, int column);

    const Table& table;
    const Node& node;
    const Growth& growth;
    int column;
    Absent absent;  // what scanning does with missing rows
    bool any_missing;
    const Judge& judge() const { return scanned_; }  // of the rows that a scan sees
    const Count* missing() const { return table.missing.data(); }
    std::vector<Count> known() const { return table.total(); }

    // May a branch of known rows hold this, as far as the criterion goes?
    bool allows(const Count* tally) const { return sound_ && judge().allows(tally); }

    // May a binary test have this left tally (of the rows that the scanning judge sees)?
    bool feasible(const Count* left, Count weight, Count samples) const;

    // Decrease of the binary test with this left tally, `nothing` if it is not feasible or surely
    // below `floor`.
    double score(const Count* left, double floor) const;

    // The same with the missing rows placed. Decrease of the binary test whose known left tally is given;
    // `missing_left` is read under `learn` and written under `majority`.
    double binary(const Count* left, bool& missing_left, double floor) const;

    // Completes a candidate from the known tallies of its branches: missing branch, decrease,
    // split information. `chosen` >= 0 says where `learn` has put the missing rows already.
    void settle(Candidate& c, std::vector<const Count*> branches, int chosen) const;

    // What a branch of their own for the missing rows adds to the decrease that scans see.
    double offset() const {
        if (!any_missing || growth.missing != Missing::branch) return 0;
        const Count w = table.shape.weight(missing());
        const Judge& all = *node.judge;
        return all.purity(judge().node(), judge().weight()) + all.purity(missing(), w) - all.node_purity();
    }

    // What decides between numbers of branches: the decrease, or the gain ratio.
    double score_of(const Candidate& c) const {
        if (growth.score == Score::gain) return c.decrease;
        const double gain = c.decrease / static_cast<double>(node.judge->weight());
        return c.split_info > 0 ? gain / c.split_info : nothing;
    }

private:
    std::vector<Count> known_tally_;
    Judge scanned_;
    Count node_samples_;
    bool sound_;  // may the branch that missing rows have of their own be there?
    mutable std::vector<Count> buffer_;
};

// A cut of an ordered table: after entry `at`; `position` orders cuts of one column.
struct CutBest {
    double decrease = nothing;
    std::uint64_t position = std::numeric_limits<std::uint64_t>::max();
    int at = -1;
    bool missing_left = false;

    bool take(double d, std::uint64_t where, int entry, bool left) {
        if (d == nothing || d < decrease || (d == decrease && where >= position)) return false;
        decrease = d, position = where, at = entry, missing_left = left;
        return true;
    }
};

// The rows of one value; their class, if all have the same, else -1.
struct OneValue {
    Count weight = 0, samples = 0;
    int only = -1;
};

// Scores the cuts between the values of a run of rows in order; the i-th cut has position base + i * step.
// Returns how many the limits allow, as far as the known rows go. A run says
//   OneValue next()       the next value; none is left when done() says so
//   void pass()           the value before the last `next` lies left from now on
//   const Count* left()   what lies left; weight(), samples() of it
//   int entry()           what stands for the cut here
//   bool below(floor, missing_left)   is the cut here surely worse than that?
template <class Run>
std::int64_t scan_run(const Trial& trial, Run& run, std::uint64_t base, std::uint64_t step, CutBest& best) {
    const Shape shape = trial.table.shape;
    const Limits& limits = trial.node.limits;
    const Count total = trial.judge().weight();
    const Count samples = shape.samples(trial.judge().node(), total);
    const Count mw = shape.weight(trial.missing()), ms = shape.samples(trial.missing(), mw);
    const bool majority = trial.absent == Absent::majority;
    // Of the rows that the judge sees, those that are known.
    const Count known_w = trial.absent == Absent::none ? total : total - mw;
    const Count known_s = trial.absent == Absent::none ? samples : samples - ms;
    const auto allowed = [&](Count w, Count s) {
        return limits.allow(s, w) && limits.allow(samples - s, total - w);
    };
    // A cut inside a run of one class can be skipped unless it is the first or last feasible one
    // (docs/growing.md §3); a monotone constraint can make any cut the last feasible one.
    const bool skip = shape.classes > 0 && !limits.monotone && !majority;
    const int variants = trial.absent == Absent::learn ? 2 : 1;
    std::int64_t tries = 0;
    OneValue here = run.next();
    for (std::uint64_t i = 0; !run.done(); ++i) {
        const OneValue next = run.next();
        const Count before_w = run.weight(), before_s = run.samples();
        run.pass();
        const Count w = run.weight(), s = run.samples();
        tries += limits.allow(s, w) && limits.allow(known_s - s, known_w - w);
        const bool inside = skip && here.only >= 0 && here.only == next.only && before_w > 0;
        here = next;
        for (int v = 0; v < variants; ++v) {
            bool missing_left = majority ? w >= total - mw - w : v == 1;
            const Count xw = missing_left ? mw : 0, xs = missing_left ? ms : 0;
            if (inside && allowed(before_w + xw, before_s + xs) &&
                allowed(w + next.weight + xw, s + next.samples + xs))
                continue;
            if (run.below(best.decrease, missing_left)) continue;
            const double d = trial.binary(run.left(), missing_left, best.decrease);
            best.take(d, base + step * i, run.entry(), missing_left);
        }
    }
    return tries;
}

// The same of the entries [first, last) of the trial's table, given the tally of what lies left of them.
std::int64_t scan_cuts(const Trial& trial, int first, int last, const Count* start, std::uint64_t base,
                       std::uint64_t step, CutBest& best);
// The cut x <= +inf: known against missing.
void scan_known_against_missing(const Trial& trial, const Count* known, std::uint64_t position,
                                CutBest& best);

Candidate propose_threshold(const Trial& trial);
Candidate propose_intervals(const Trial& trial);
Candidate propose_one_vs_rest(const Trial& trial);
Candidate propose_subset(const Trial& trial);
// What a subset test of so many levels is charged, a unit of weight: the gain that chance gives it.
double subset_charge(const Growth& growth, const Node& node, int levels);
Candidate propose_group(const Trial& trial);
Candidate propose_multiway(const Trial& trial);
Candidate propose_random(const Trial& trial, bool ordered);

// The threshold drawn for a column between its extremes at the node.
double draw_threshold(const Node& node, int column, double low, double high);

// The best test of a column, by the settings.
Candidate propose(const Table& table, const Node& node, const Growth& growth, int column, bool ordered);

// Entries of a table, parted into branches.
using Grouping = std::vector<std::vector<int>>;

// For 2 .. max_branches the best parting of the entries, in the given order, into runs.
std::vector<Grouping> best_runs(const Trial& trial, const std::vector<int>& order);

// Of groupings by ascending number of groups the best one, completed in `best`.
Grouping best_number(const Trial& trial, const std::vector<Grouping>& groupings, Candidate& best);

// The jumps of a map that sends entry i to branch side[i]. Levels of the domain that are absent at
// the node go to `rest` or, if that is negative, to the branch with the most weight.
void fill_jumps(const Trial& trial, const std::vector<int>& side, const std::vector<const Count*>& branches,
                int rest, Candidate& c);

// The threshold between two neighbouring values.
double threshold_between(double low, double high, Threshold rule);

}  // namespace bosco
