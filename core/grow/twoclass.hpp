// The best of many ways to part two classes by Gini: D = 2 d^2 / (W w_l w_r) with d = l_1 W - N_1 w_l. Most
// are told apart by cross products; only what comes near the best is scored as everywhere.
#pragma once

#include "score/criterion.hpp"
#include "score/propose.hpp"

namespace bosco {

class TwoClassRace {
public:
    static constexpr Count most_weight = Count{1} << 31;  // below it products are whole numbers

    // Only what is better than `floor` may lead.
    TwoClassRace(const Judge& judge, double floor)
        : judge_(judge),
          total_(judge.weight()),
          ones_(judge.node()[1]),
          num_(floor * static_cast<double>(total_) / 2),
          best_(floor) {}

    // Does a left side of weight w, l of it of the second class, lead from now on? The first of equals does.
    bool offer(Count l, Count w) {
        const auto d = static_cast<double>(l * total_ - ones_ * w), q = static_cast<double>(w * (total_ - w));
        const double own = d * d * den_, best = num_ * q;
        if (own < best * (1 - surely)) return false;
        const Count here[2] = {w - l, l};
        if (own <= best * (1 + surely)) {
            const double decrease = judge_.decrease(here, w);
            if (decrease <= this->decrease()) return false;
        }
        any_ = true;
        known_ = false;
        num_ = d * d, den_ = q;
        left_[0] = here[0], left_[1] = here[1];
        return true;
    }

    // What d^2 / (w_l w_r) must come near.
    double limit() const { return num_ > 0 ? num_ / den_ * (1 - surely) : 0; }

    bool any() const { return any_; }
    Count weight() const { return left_[0] + left_[1]; }
    double decrease() {
        if (!known_) best_ = judge_.decrease(left_, weight());
        known_ = true;
        return best_;
    }
    // Is nothing mixed on either side?
    bool pure() const {
        return any_ && (left_[0] == 0 || left_[1] == 0) &&
               (left_[0] == judge_.node()[0] || left_[1] == judge_.node()[1]);
    }

private:
    static constexpr double surely = 1e-12;  // rounding does less

    const Judge& judge_;
    Count total_, ones_;
    bool any_ = false;
    double num_, den_ = 1;  // of the best d^2 / (w_l w_r)
    bool known_ = true;     // is its decrease?
    double best_;
    Count left_[2] = {0, 0};
};

}  // namespace bosco
