#include "score/propose.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace bosco {

Trial::Trial(const Table& table_, const Node& node_, const Growth& growth_, int column_)
    : table(table_),
      node(node_),
      growth(growth_),
      column(column_),
      absent(Absent::none),
      any_missing(table_.any_missing()),
      scanned_(*node_.judge) {
    // The scanning judge sees all rows, or the known ones where missing rows stand apart.
    const bool apart = any_missing && (growth.known_only() || growth.missing == Missing::branch);
    if (apart) {
        known_tally_.assign(node.judge->node(), node.judge->node() + table.shape.slots());
        subtract(known_tally_.data(), missing(), table.shape.slots());
        scanned_ = Judge(growth.criterion, table.shape, known_tally_.data());
    } else {
        if (any_missing && growth.missing == Missing::learn) absent = Absent::learn;
        if (any_missing && growth.missing == Missing::majority) absent = Absent::majority;
    }
    node_samples_ = table.shape.samples(judge().node(), judge().weight());
    sound_ = !any_missing || growth.missing != Missing::branch || judge().allows(missing());
    buffer_.resize(static_cast<std::size_t>(table.shape.slots()));
}

bool Trial::feasible(const Count* left, Count weight, Count samples) const {
    const Limits& limits = node.limits;
    const Count rest = judge().weight() - weight;
    if (!limits.allow(samples, weight) || !limits.allow(node_samples_ - samples, rest)) return false;
    if (!sound_ || !judge().allows_parts(left)) return false;
    if (!limits.monotone) return true;
    const int slot = 1;  // the second class, or the sum of y
    const double lv = static_cast<double>(left[slot]) / static_cast<double>(weight);
    const double rv = static_cast<double>(judge().node()[slot] - left[slot]) / static_cast<double>(rest);
    const int direction = growth.direction(column);
    if (direction > 0 && lv > rv) return false;
    if (direction < 0 && lv < rv) return false;
    return lv >= limits.low && lv <= limits.high && rv >= limits.low && rv <= limits.high;
}

double Trial::score(const Count* left, double floor) const {
    const Shape shape = table.shape;
    const Count w = shape.weight(left);
    if (!feasible(left, w, shape.samples(left, w))) return nothing;
    // A quick estimate spares the exact fraction for most cuts.
    if (scanned_.criterion() == Criterion::gini && scanned_.below(left, w, floor)) return nothing;
    return scanned_.decrease(left, w);
}

double Trial::binary(const Count* left, bool& missing_left, double floor) const {
    const Shape shape = table.shape;
    if (absent == Absent::majority) {
        const Count wl = shape.weight(left);
        missing_left = wl >= scanned_.weight() - shape.weight(missing()) - wl;
    }
    if (absent == Absent::none || !missing_left) return score(left, floor);
    std::copy(left, left + shape.slots(), buffer_.begin());
    add(buffer_.data(), missing(), shape.slots());
    return score(buffer_.data(), floor);
}

void Trial::settle(Candidate& c, std::vector<const Count*> branches, int chosen) const {
    const Shape shape = table.shape;
    std::vector<Count> weights;
    for (const Count* b : branches) weights.push_back(shape.weight(b));
    const auto heaviest = [&] {
        return static_cast<int>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    };
    const Judge& all = *node.judge;
    const Count absent_weight = shape.weight(missing());
    const auto with_missing = [&](int b) {
        const auto at = static_cast<std::size_t>(b);
        std::copy(branches[at], branches[at] + shape.slots(), buffer_.begin());
        add(buffer_.data(), missing(), shape.slots());
        auto copy = branches;
        copy[at] = buffer_.data();
        return all.decrease(copy.data(), static_cast<int>(copy.size()));
    };
    c.branches = static_cast<std::int32_t>(branches.size());
    if (!any_missing) {
        c.missing = growth.missing == Missing::fractional ? by_share : heaviest();
        c.decrease = all.decrease(branches.data(), c.branches);
    } else if (growth.known_only()) {
        c.missing = growth.missing == Missing::fractional ? by_share : heaviest();
        c.decrease = judge().decrease(branches.data(), c.branches);
        weights.push_back(absent_weight);
    } else if (growth.missing == Missing::branch) {
        c.missing = c.branches++;
        branches.push_back(missing());
        weights.push_back(absent_weight);
        c.decrease = all.decrease(branches.data(), c.branches);
    } else {
        if (chosen >= 0) {
            c.missing = chosen;
        } else if (growth.missing == Missing::majority) {
            c.missing = heaviest();
        } else {
            double best = nothing;
            for (int b = 0; b < c.branches; ++b) {
                if (weights[static_cast<std::size_t>(b)] == 0) continue;  // no row leads there
                const double d = with_missing(b);
                if (d > best) best = d, c.missing = b;
            }
        }
        c.decrease = with_missing(c.missing);
        weights[static_cast<std::size_t>(c.missing)] += absent_weight;
    }
    c.split_info = split_information(std::move(weights));
    c.found = true;
}

namespace {

double rounded_to(double x, int digits) {
    char text[64];
    const auto end =
        std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1).ptr;
    double y = 0;
    std::from_chars(text, end, y);
    return y;
}

}  // namespace

double threshold_between(double low, double high, Threshold rule) {
    low += 0.0;  // no negative zero: which zero a column shows first depends on the order of rows
    if (rule == Threshold::observed || !std::isfinite(low) || !std::isfinite(high)) return low;
    const double middle = low / 2 + high / 2;
    const double halfway = middle >= low && middle < high ? middle : low;
    if (rule == Threshold::midpoint) return halfway;
    if (low <= 0 && high > 0) return 0;
    for (int digits = 1; digits < 17; ++digits) {
        double t = rounded_to(halfway, digits);
        if (t > halfway) {
            // Midway between two decimals the lower is meant, where rounding may take the upper.
            const double lower = rounded_to(std::nextafter(halfway, low), digits);
            if (lower >= low) t = lower;
        }
        if (t >= low && t < high) return t;
        if (rounded_to(low, digits) == low) return low;
    }
    return halfway;
}

namespace {

Candidate propose_now(const Table& table, const Node& node, const Growth& growth, int column, bool ordered) {
    const Trial trial(table, node, growth, column);
    Candidate c;
    const bool splits_on_missing = trial.absent == Absent::learn;
    if (table.size() + (splits_on_missing ? 1 : 0) >= 2) {
        if (growth.random_cuts) {
            c = propose_random(trial, ordered);
        } else if (ordered) {
            c = growth.numeric_test == NumericTest::threshold ? propose_threshold(trial)
                                                              : propose_intervals(trial);
        } else {
            switch (growth.nominal_test) {
                case NominalTest::multiway: c = propose_multiway(trial); break;
                case NominalTest::subset: c = propose_subset(trial); break;
                case NominalTest::one_vs_rest: c = propose_one_vs_rest(trial); break;
                case NominalTest::group: c = propose_group(trial); break;
            }
        }
    }
    c.column = column;
    return c;
}

}  // namespace

Candidate propose(const Table& table, const Node& node, const Growth& growth, int column, bool ordered) {
    return growth.criterion.together([&] { return propose_now(table, node, growth, column, ordered); });
}

}  // namespace bosco
