// The best of many ways to part two classes by Gini: D = 2 d^2 / (W w_l w_r) with d = l_1 W - N_1 w_l. Most
// are told apart without a division; what comes near the best is scored as everywhere.
#pragma once

#include "score/criterion.hpp"
#include "score/propose.hpp"

namespace bosco {

class TwoClassRace {
public:
    static constexpr Count most_weight = Count{1} << 31;  // below it products are whole numbers

    // Only what is better than `floor` may lead.
    TwoClassRace(const Judge& judge, double floor)
        : judge_(judge), total_(judge.weight()), ones_(judge.node()[1]), best_(floor) {
        if (floor > 0) limit_ = limit_of(floor);
    }

    // Does a left side of weight w, l of it of the second class, lead from now on? The first of equals does.
    bool offer(Count l, Count w) {
        const auto d = static_cast<double>(l * total_ - ones_ * w);
        if (d * d < limit_ * static_cast<double>(w * (total_ - w))) return false;
        const Count here[2] = {w - l, l};
        const double exact = judge_.decrease(here, w);
        if (exact <= best_) return false;
        any_ = true;
        best_ = exact;
        limit_ = limit_of(exact);
        left_[0] = here[0], left_[1] = here[1];
        return true;
    }

    // What d^2 / (w_l w_r) must come near.
    double limit() const { return limit_; }

    bool any() const { return any_; }
    Count weight() const { return left_[0] + left_[1]; }
    double decrease() const { return best_; }
    // Is nothing mixed on either side?
    bool pure() const {
        return any_ && (left_[0] == 0 || left_[1] == 0) &&
               (left_[0] == judge_.node()[0] || left_[1] == judge_.node()[1]);
    }

private:
    double limit_of(double decrease) const {
        return decrease * static_cast<double>(total_) / 2 * (1 - 1e-12);
    }

    const Judge& judge_;
    Count total_, ones_;
    bool any_ = false;
    double best_, limit_ = 0;
    Count left_[2] = {0, 0};
};

}  // namespace bosco
