#include "score/heights.hpp"

#include <algorithm>

#include "data/machine.hpp"

namespace bosco {
namespace {

// Of a cut with so much on its left: (what the sides differ by)^2, as Judge::below has it, and what that is
// divided by in the decrease.
struct Cut {
    double apart, over;

    Cut(double zeros, double ones, double all, double ones_all) {
        const double w = zeros + ones, a = ones * all, b = ones_all * w;
        const double d = std::abs(a - b) + 0x1p-50 * (a + b);
        apart = 2 * (d * d) * (1 + 4e-12);
        over = std::max(w * (all - w), 1.0) * all;  // where a side is empty, so is the difference
    }
};

BOSCO_CLONES void heights(const double* zeros, const double* ones, std::size_t n, double all, double ones_all,
                          double* to) {
    for (std::size_t i = 0; i < n; ++i) {
        const Cut after(zeros[i + 1], ones[i + 1], all, ones_all);
        to[i] = after.apart / after.over;
    }
}

// The corners of what may lie left of a cut inside entry i; height[i] is that of the cut before it.
BOSCO_CLONES void reaching(const double* zeros, const double* ones, const double* height, std::size_t n,
                           double all, double ones_all, double floor, char* to) {
    for (std::size_t i = 0; i < n; ++i) {
        const Cut first(zeros[i + 1], ones[i], all, ones_all), second(zeros[i], ones[i + 1], all, ones_all);
        to[i] = static_cast<char>(static_cast<int>(std::max(height[i], height[i + 1]) >= floor) |
                                  static_cast<int>(first.apart >= floor * first.over) |
                                  static_cast<int>(second.apart >= floor * second.over));
    }
}

}  // namespace

bool Heights::suits(const Trial& trial) {
    const Judge& judge = trial.judge();
    return judge.criterion() == Criterion::gini && judge.shape().classes == 2 && !judge.shape().apart &&
           !trial.any_missing && !trial.node.limits.monotone && judge.weight() < (Count{1} << 50);
}

void Heights::take(const Trial& trial) {
    const Table& table = trial.table;
    n_ = static_cast<std::size_t>(table.size());
    zeros_.resize(n_ + 1);
    ones_.resize(n_ + 1);
    height_.resize(n_ + 1);
    near_.resize(n_);
    Count zeros = 0, ones = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        zeros_[i] = static_cast<double>(zeros), ones_[i] = static_cast<double>(ones);
        zeros += table.cells[2 * i], ones += table.cells[2 * i + 1];
    }
    zeros_[n_] = zeros_all_ = static_cast<double>(zeros);
    ones_[n_] = ones_all_ = static_cast<double>(ones);
    height_[0] = 0;
    heights(zeros_.data(), ones_.data(), n_, zeros_all_ + ones_all_, ones_all_, height_.data() + 1);
}

void Heights::scan(const Trial& trial, std::uint64_t base, std::uint64_t step, CutBest& best) {
    if (n_ < 2) return;
    const double all = zeros_all_ + ones_all_;
    const Limits& limits = trial.node.limits;
    const auto least = static_cast<double>(std::max(limits.samples, limits.weight));
    const auto weight = [&](std::size_t i) { return zeros_[i + 1] + ones_[i + 1]; };
    std::size_t first = 0, last = n_ - 1;
    while (first < last && weight(first) < least) ++first;
    while (first < last && all - weight(last - 1) < least) --last;
    const auto score = [&](std::size_t i) {
        const Count left[2] = {static_cast<Count>(zeros_[i]), static_cast<Count>(ones_[i])};
        const auto at = static_cast<int>(i);
        scan_cuts(trial, at, at + 2, left, base + step * i, step, best);
    };
    if (first == last) return;
    const auto begin = height_.begin() + 1;
    score(static_cast<std::size_t>(std::max_element(begin + first, begin + last) - begin));
    for (std::size_t i = first; i < last; ++i)
        if (!(begin[i] < best.decrease)) score(i);
}

const std::vector<char>& Heights::near(double floor) {
    reaching(zeros_.data(), ones_.data(), height_.data(), n_, zeros_all_ + ones_all_, ones_all_, floor,
             near_.data());
    return near_;
}

}  // namespace bosco
