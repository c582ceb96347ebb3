#include "score/choose.hpp"

#include <algorithm>
#include <cmath>

namespace bosco {

bool counts(double net, const Node& node, const Growth& growth) {
    const auto weight = static_cast<double>(node.judge->weight());
    if (growth.penalty && net <= 0) return false;
    if (!growth.zero_gain && !(net > 1e-12 * weight * node.impurity)) return false;
    const double gain = std::max(net, 0.0);
    return gain / weight >= node.least_gain && gain / node.total >= growth.min_impurity_decrease;
}

int choose(const std::vector<Candidate>& candidates, const Node& node, const Growth& growth) {
    const auto weight = static_cast<double>(node.judge->weight());
    // The decrease that counts: less the penalty, and else not negative by rounding. A subset that
    // pays more than it gains is the last resort, where tests that gain nothing are taken at all.
    const auto net = [&](const Candidate& c) {
        return c.penalty > 0 ? c.net(weight) : std::max(c.decrease, 0.0);
    };
    // A test that was tried counts in the average even if it gains nothing; a threshold that does not
    // pay for its search was none.
    const auto tried = [&](const Candidate& c) {
        const bool pays = c.penalty > 0 || (growth.penalty && c.kind == TestKind::cut);
        return c.found && (!pays || net(c) > 0);
    };
    double sum = 0;
    int n = 0;
    for (const Candidate& c : candidates)
        if (tried(c)) sum += net(c), ++n;
    // C4.5 lets gains within a thousandth of a bit of the average pass.
    const double slack = 1e-12 * std::abs(sum) + (growth.penalty ? 1e-3 * weight * n : 0);
    const auto score = [&](const Candidate& c) {
        if (!c.found || !counts(net(c), node, growth)) return nothing;
        if (growth.score == Score::gain) return net(c);
        if (growth.score == Score::gain_ratio_above_average && net(c) * n < sum - slack) return nothing;
        return c.split_info > 0 ? net(c) / weight / c.split_info : nothing;
    };
    double enough = nothing;
    for (const Candidate& c : candidates) enough = std::max(enough, score(c));
    if (enough == nothing) return -1;
    // Equal ratios differ by rounding: that of every test which parts no class is 1.
    if (growth.score != Score::gain) enough -= 1e-12 * std::abs(enough);
    int best = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const bool lower =
            best < 0 || candidates[i].column < candidates[static_cast<std::size_t>(best)].column;
        if (lower && score(candidates[i]) >= enough) best = static_cast<int>(i);
    }
    return best;
}

}  // namespace bosco
