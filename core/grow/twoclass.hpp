// The best of many ways to part two classes by Gini, compared as exact fractions:
// D = 2 d^2 / (W w_l w_r) with d = l_1 W - N_1 w_l. For nodes lighter than 2^15.
#pragma once

#include <cstdint>

#include "score/criterion.hpp"
#include "score/propose.hpp"

namespace bosco {

class TwoClassRace {
public:
    static constexpr Count most_weight = (1 << 15) - 1;

    // Only what is better than `floor` may lead.
    TwoClassRace(const Judge& judge, double floor)
        : judge_(judge), total_(judge.weight()), ones_(judge.node()[1]), floor_(floor) {
        if (floor > 0) num_ = floor * static_cast<double>(total_) / 2 * (1 - 1e-12);
    }

    // Does a left side of weight w, l of it of the second class, lead from now on? The first of equals does.
    bool offer(Count l, Count w) {
        const Count d = l * total_ - ones_ * w;
        const Count q = w * (total_ - w);
        const auto square = static_cast<double>(d) * static_cast<double>(d);
        if (square * den_ < num_ * static_cast<double>(q)) return false;
        const auto exact_num = static_cast<std::uint64_t>(d * d);
        const auto exact_den = static_cast<std::uint64_t>(q);
        const Count here[2] = {w - l, l};
        if (any_) {
            if (static_cast<unsigned __int128>(exact_num) * best_den_ <=
                static_cast<unsigned __int128>(best_num_) * exact_den)
                return false;
        } else if (floor_ != nothing && judge_.decrease(here, w) <= floor_) {
            return false;
        }
        any_ = true;
        best_num_ = exact_num, best_den_ = exact_den;
        num_ = square * (1 - 1e-12), den_ = static_cast<double>(q);
        left_[0] = here[0], left_[1] = here[1];
        return true;
    }

    // What d^2 / (w_l w_r) must come near.
    double least() const { return num_ / den_; }

    bool any() const { return any_; }
    Count weight() const { return left_[0] + left_[1]; }
    double decrease() const { return judge_.decrease(left_, weight()); }
    // Is nothing mixed on either side?
    bool pure() const {
        return (left_[0] == 0 || left_[1] == 0) &&
               (left_[0] == judge_.node()[0] || left_[1] == judge_.node()[1]);
    }

private:
    const Judge& judge_;
    Count total_, ones_;
    double floor_;
    bool any_ = false;
    double num_ = 0, den_ = 1;
    std::uint64_t best_num_ = 0, best_den_ = 1;
    Count left_[2] = {0, 0};
};

}  // namespace bosco
