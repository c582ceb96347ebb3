#include "choose.hpp"

#include <algorithm>
#include <cmath>

namespace bosco {

int choose(const std::vector<Candidate>& candidates, const Judge& node, const Growth& growth, double impurity,
           double total) {
    const auto weight = static_cast<double>(node.weight());
    // The decrease that counts: less the penalty, and else not negative by rounding. A subset that
    // pays more than it gains is the last resort, where tests that gain nothing are taken at all.
    const auto net = [&](const Candidate& c) {
        return c.penalty > 0 ? c.net(weight) : std::max(c.decrease, 0.0);
    };
    const auto counts = [&](const Candidate& c) {
        if (!c.found) return false;
        if (growth.penalty && net(c) <= 0) return false;
        if (!growth.zero_gain && !(net(c) > 1e-12 * weight * impurity)) return false;
        return std::max(net(c), 0.0) / total >= growth.min_impurity_decrease;
    };
    double sum = 0;
    int n = 0;
    for (const Candidate& c : candidates)
        if (counts(c)) sum += net(c), ++n;
    // C4.5 lets gains within a thousandth of a bit of the average pass.
    const double slack = 1e-12 * std::abs(sum) + (growth.penalty ? 1e-3 * weight * n : 0);
    int best = -1;
    double best_score = nothing;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& c = candidates[i];
        if (!counts(c)) continue;
        double score = net(c);
        if (growth.score != Score::gain) {
            if (growth.score == Score::gain_ratio_above_average && net(c) * n < sum - slack) continue;
            if (c.split_info <= 0) continue;
            score = net(c) / weight / c.split_info;
        }
        const bool lower = best >= 0 && c.column < candidates[static_cast<std::size_t>(best)].column;
        if (score > best_score || (score == best_score && lower))
            best = static_cast<int>(i), best_score = score;
    }
    return best;
}

}  // namespace bosco
