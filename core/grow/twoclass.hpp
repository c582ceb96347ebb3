// The best of many ways to part two classes by Gini: D = 2 d^2 / (W w_l w_r) with d = l_1 W - N_1 w_l. Most
// are told apart by cross products; only what comes near the best is scored as everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

// The cuts of a sorted column, all at once in floats: what falls short of the best by more than these can
// tell need not take part in the race.
class TwoClassHeights {
public:
    static constexpr Count most_weight = (Count{1} << 15) - 1;  // products fit 32 bits
    static constexpr std::uint32_t least_rows = 24;             // fewer are looked at one by one
    static std::uint32_t pair_of(std::uint32_t cls, Count weight) {
        return static_cast<std::uint32_t>(weight) * (cls << 16 | 1);
    }

    // Takes n rows in order; pair(i) is what the i-th adds to both sums.
    template <class Pair>
    void take(std::size_t n, const Pair& pair) {
        n_ = n;
        up_to_.resize(n);
        height_.resize(n);
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) up_to_[i] = sum += pair(i);
    }

    // Offers the cuts that may win to a race, in order; parts(i): is there one after entry i? `least`: on
    // either side. Calls took(i) for each that leads.
    template <class Parts, class Took>
    void each_near(Count least, const Parts& parts, TwoClassRace& race, const Took& took) {
        const Count total = weight(n_ - 1);
        std::size_t k = 0, end = n_ - 1;
        while (k < end && weight(k) < least) ++k;
        while (k < end && total - weight(end - 1) < least) --end;
        if (k == end) return;
        const float most = measure(k, end);
        float limit = rounded_down(race.limit());
        if (most < limit) return;
        // The highest may lie between equal values: then the cut after these sets a limit.
        std::size_t top = k;
        while (height_[top] < most) ++top;
        while (top < end && !parts(top)) ++top;
        if (top < end) limit = std::max(limit, rounded_down(height_[top]));
        for (; (k = near(k, end, limit)) < end; ++k)
            if (parts(k) && race.offer(ones(k), weight(k))) {
                took(k);
                limit = std::max(limit, rounded_down(race.limit()));
            }
    }

private:
    static float rounded_down(double height) { return static_cast<float>(height * (1 - 1e-6)); }
    Count weight(std::size_t i) const { return up_to_[i] & 0xffff; }
    Count ones(std::size_t i) const { return up_to_[i] >> 16; }
    float measure(std::size_t begin, std::size_t end);  // returns the highest
    // The first cut from k on that is so high.
    std::size_t near(std::size_t k, std::size_t end, float limit) const;

    std::size_t n_ = 0;
    std::vector<std::uint32_t> up_to_;  // of entries up to each: the second class above, all below
    std::vector<float> height_;         // of the cut after each, d^2 / (w_l w_r)
};

}  // namespace bosco
