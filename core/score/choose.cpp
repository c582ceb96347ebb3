#include "score/choose.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bosco {

bool is_enough(double net, const Node& node, const Growth& growth) {
    const auto weight = static_cast<double>(node.judge->weight());
    if (growth.penalty && net <= 0) return false;
    if (!growth.zero_gain && !(net > 1e-12 * weight * node.impurity)) return false;
    const double gain = std::max(net, 0.0);
    return gain / weight >= node.least_gain && gain / node.total >= growth.min_impurity_decrease;
}

namespace {

// What decides between the candidates of one node.
class Scores {
public:
    Scores(const std::vector<Candidate>& candidates, const Node& node, const Growth& growth)
        : node_(node), growth_(growth), weight_(static_cast<double>(node.judge->weight())) {
        for (const Candidate& c : candidates)
            if (tried(c)) sum_ += net(c), ++n_;
    }

    // The gain, or the gain ratio, weighed against the price; `nothing` if the candidate is out.
    double of(const Candidate& c) const {
        if (!c.found || !is_enough(net(c), node_, growth_)) return nothing;
        if (growth_.largest_wins()) return net(c);
        if (growth_.score == Score::gain) return growth_.asking.worth(net(c) / weight_ / whole(), price(c));
        // C4.5 lets gains within a thousandth of a bit of the average pass.
        const double slack = 1e-12 * std::abs(sum_) + (growth_.penalty ? 1e-3 * weight_ * n_ : 0);
        if (growth_.score == Score::gain_ratio_above_average && net(c) * n_ < sum_ - slack) return nothing;
        if (!(c.split_info > 0)) return nothing;
        const double ratio = net(c) / weight_ / c.split_info;
        return growth_.asking.weighs() ? growth_.asking.worth(ratio / whole(), price(c)) : ratio;
    }
    double price(const Candidate& c) const {
        if (!growth_.asking.weighs()) return 0;
        static const Paid none;
        return growth_.asking.price(c.column, node_.paid ? *node_.paid : none, node_.judge->weight());
    }

private:
    // Gains of numbers have no unit of their own: what counts is the part of the node's impurity.
    double whole() const { return node_.classes > 0 ? 1 : node_.impurity; }
    // The decrease that counts: less the penalty, and else not negative by rounding. A subset that
    // pays more than it gains is the last resort, where tests that gain nothing are taken at all.
    double net(const Candidate& c) const {
        return c.penalty > 0 ? c.net(weight_) : std::max(c.decrease, 0.0);
    }
    // A test that was tried counts in the average even if it gains nothing; a threshold that does not
    // pay for its search was none.
    bool tried(const Candidate& c) const {
        const bool pays = c.penalty > 0 || (growth_.penalty && c.kind == TestKind::cut);
        return c.found && (!pays || net(c) > 0);
    }

    const Node& node_;
    const Growth& growth_;
    double weight_, sum_ = 0;  // of the gains that were tried …
    int n_ = 0;                // … so many
};

}  // namespace

int choose(const std::vector<Candidate>& candidates, const Node& node, const Growth& growth) {
    const Scores scores(candidates, node, growth);
    double enough = nothing;
    for (const Candidate& c : candidates) enough = std::max(enough, scores.of(c));
    if (enough == nothing) return -1;
    // A test that sends every class as a whole to one branch gains exactly its split information. Its ratio
    // is 1, but for rounding, whatever the column: so ratios that agree to twelve digits are equal, and the
    // cheapest, then the lowest column wins.
    if (!growth.largest_wins()) enough -= 1e-12 * std::abs(enough);
    int best = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!(scores.of(candidates[i]) >= enough)) continue;
        const auto rank = [&](std::size_t k) {
            return std::pair{scores.price(candidates[k]), candidates[k].column};
        };
        if (best < 0 || rank(i) < rank(static_cast<std::size_t>(best))) best = static_cast<int>(i);
    }
    return best;
}

}  // namespace bosco
