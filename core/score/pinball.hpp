// What being off costs where every unit counts the same: absolute error, and the loss of a quantile. It is
// least at the median, or at that quantile, and all of it is whole numbers (docs/growing.md, medians).
#pragma once

#include <cstdint>
#include <numeric>

#include "data/tally.hpp"

namespace bosco {

// A unit above what is said costs `above`, one below it `below`, in units of 1 / `unit`.
struct Pinball {
    Count above = 1, below = 1;
    double unit = 1;

    Count whole() const { return above + below; }
    // The loss of a quantile, in millionths.
    static Pinball of_quantile(Count millionths) {
        constexpr Count all = 1000000;
        const Count by = std::gcd(millionths, all);
        return {millionths / by, (all - millionths) / by, static_cast<double>(all / by)};
    }
};

// The number that costs least for some rows: where there is an interval of them, its middle.
struct Middle {
    Wide twice = 0;  // it, doubled: both ends added up
    Wide cost = 0;

    double value() const { return static_cast<double>(twice) / 2; }
};

// Of rows in order of y: y_at(i), weight_at(i), i < n. A row of weight 0 is none.
template <class YAt, class WeightAt>
Middle middle_of(const Pinball& loss, std::size_t n, const YAt& y_at, const WeightAt& weight_at) {
    Wide weight = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Count w = weight_at(i);
        weight += w;
        sum += static_cast<Wide>(w) * y_at(i);
    }
    if (weight == 0) return {};
    const Wide least = weight * loss.above;
    Wide before = 0, sum_before = 0;
    std::size_t i = 0;
    for (;; ++i) {
        const Count w = weight_at(i);
        if ((before + w) * loss.whole() >= least && w > 0) break;
        before += w;
        sum_before += static_cast<Wide>(w) * y_at(i);
    }
    const Count w = weight_at(i), y = y_at(i);
    Middle found;
    found.cost =
        loss.above * ((sum - sum_before) - y * (weight - before)) + loss.below * (y * before - sum_before);
    found.twice = 2 * static_cast<Wide>(y);
    if ((before + w) * loss.whole() == least)  // any number up to the next is as good
        for (std::size_t k = i + 1; k < n; ++k)
            if (weight_at(k) > 0) {
                found.twice = static_cast<Wide>(y) + y_at(k);
                break;
            }
    return found;
}

}  // namespace bosco
