// The settings of one growth: an algorithm is a row of these (docs/growing.md).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "grow/frontier.hpp"
#include "score/asking.hpp"
#include "score/criterion.hpp"
#include "score/pinball.hpp"

namespace bosco {

class Frame;
struct Target;

enum class Score : std::uint8_t { gain, gain_ratio, gain_ratio_above_average };
enum class NumericTest : std::uint8_t { threshold, intervals };
enum class NominalTest : std::uint8_t { multiway, subset, one_vs_rest, group };
enum class Search : std::uint8_t { greedy, optimal };
enum class Threshold : std::uint8_t { midpoint, observed, round };
enum class Missing : std::uint8_t { learn, fractional, surrogate, branch, majority, error };

struct Growth {
    std::shared_ptr<const Psi> psi;  // the criterion, if it is given from outside
    Criterion criterion = Criterion::gini;
    Pinball pinball;  // of absolute error, and of a quantile
    Score score = Score::gain;
    NumericTest numeric_test = NumericTest::threshold;
    NominalTest nominal_test = NominalTest::subset;
    Threshold threshold = Threshold::midpoint;
    Missing missing = Missing::learn;
    Order order = Order::depth;
    Search search = Search::greedy;  // node by node, or the best tree there is (search/)
    bool random_cuts = false;
    int max_branches = 4;
    int max_depth = std::numeric_limits<int>::max();
    std::int64_t max_leaf_nodes = std::numeric_limits<std::int64_t>::max();
    Count min_samples_split = 2;
    Count min_samples_leaf = 1;
    double min_weight_leaf = 0;        // in real weight
    double min_impurity_decrease = 0;  // weighed by the node's share of all rows
    double min_gain = 0;               // of the node alone
    bool zero_gain = true;
    bool reuse = true;
    bool penalty = false;         // thresholds pay for the search among many (C4.5)
    bool subset_penalty = false;  // subsets pay for what chance gives many levels
    int max_features = -1;
    std::uint64_t seed = 0;
    std::uint64_t tree = 0;
    std::vector<int> monotonic;                              // empty: none
    Asking asking;                                           // what answers cost
    bool record = false;                                     // are candidates kept …
    Count record_samples = 0;                                // … of nodes with at least so many samples? …
    Count record_whole = std::numeric_limits<Count>::max();  // … and of more than so many those near the best

    // Are those of a node kept that holds this? `unit`: of one sample.
    bool records(Shape shape, const Count* tally, double unit) const {
        return record && static_cast<double>(shape.samples(tally, shape.weight(tally))) >=
                             static_cast<double>(record_samples) * unit;
    }
    // Does the largest decrease win, whatever its column? Then a column need not say its own best.
    bool largest_wins() const { return score == Score::gain && !asking.weighs(); }
    // Every column's own best, too?
    bool records_all(Shape shape, const Count* tally, double unit) const {
        if (!largest_wins()) return records(shape, tally, unit);
        return records(shape, tally, unit) &&
               static_cast<double>(shape.samples(tally, shape.weight(tally))) <=
                   static_cast<double>(record_whole) * unit;
    }
    // The decrease that is near a node's best: what a candidate needs to be kept where not all are.
    static double near(double best) {
        return best > 0 ? best * (1 - near_tie) : -std::numeric_limits<double>::infinity();
    }
    static constexpr double near_tie = 0.01;
    // Does a node look at some of so many columns only?
    bool draws(std::uint32_t n_columns) const {
        return max_features >= 0 && static_cast<std::uint32_t>(max_features) < n_columns;
    }
    // How many of so many threads take part? A function from outside is asked by one.
    int threads(int most) const { return criterion == Criterion::custom ? 1 : most; }
    bool medians() const { return criterion.medians(); }
    // Has every test two branches, the missing rows being in one of them?
    bool binary() const {
        return numeric_test == NumericTest::threshold && missing != Missing::branch &&
               (nominal_test == NominalTest::subset || nominal_test == NominalTest::one_vs_rest);
    }
    // Do the missing rows stay out of the score?
    bool known_only() const { return missing == Missing::fractional || missing == Missing::surrogate; }
    int direction(int column) const {
        return monotonic.empty() ? 0 : monotonic[static_cast<std::size_t>(column)];
    }
};

// How many fixed-point units one sample is: more than one where rows are shared out, which they are only if
// a value is missing somewhere.
Count sample_unit(const Frame& frame, const Growth& growth);

// Can trees of this criterion learn the target?
bool fits(Criterion criterion, const Target& target);

// Throws Error unless trees can grow so on these rows.
void require_fit(const Growth& growth, const Frame& frame, const Target& target);

// The least a branch must hold, in the fixed-point units of the tallies.
struct Limits {
    Count samples = 1;
    Count weight = 1;
    // Bounds of a node's value under monotone constraints.
    bool monotone = false;
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    bool allow(Count samples_, Count weight_) const { return samples_ >= samples && weight_ >= weight; }
};

}  // namespace bosco
