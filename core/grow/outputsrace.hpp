// The best cut of one sorted column where there are several outputs: row after row adds its numbers to the
// sums left of the cut, and no table is built. See presort_scan.cpp for what a race is.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "grow/local_rows.hpp"
#include "score/criterion.hpp"

namespace bosco {

class OutputsRace {
public:
    OutputsRace(const LocalRows& rows, const Judge& judge, double floor)
        : rows_(rows),
          judge_(judge),
          left_(static_cast<std::size_t>(judge.shape().slots()), 0),
          squares_(judge.criterion() == Criterion::mean_squared),
          all_(static_cast<double>(judge.weight())),
          best_(floor) {}
    struct Left {};  // nothing: any number of sums has no place in registers

    void add(Left, std::uint32_t row, Count more) {
        left_[0] += more;
        rows_.target.add_numbers(left_.data(), rows_.number[row], more);
    }
    bool offer(Left, std::uint32_t, Count w) {
        if (squares_ && below(static_cast<double>(w))) return false;
        const double exact = judge_.decrease(left_.data(), w);
        if (exact <= best_ || !judge_.allows_parts(left_.data())) return false;
        best_ = exact;
        return true;
    }
    double decrease() const { return best_; }
    bool pure() const { return false; }

private:
    // Is the decrease surely below the best, whatever rounding takes away?
    bool below(double w) const {
        double sum = 0;
        for (std::size_t j = 1; j < left_.size(); ++j) {
            const double a = static_cast<double>(left_[j]) * all_;
            const double b = static_cast<double>(judge_.node()[j]) * w;
            const double d = std::abs(a - b) + 0x1p-50 * (std::abs(a) + std::abs(b));
            sum += d * d;
        }
        return sum * (1 + 1e-12) < best_ * (w * (all_ - w)) * all_ * judge_.shape().outputs;
    }

    const LocalRows& rows_;
    const Judge& judge_;
    std::vector<Count> left_;
    bool squares_;
    double all_, best_;
};

}  // namespace bosco
