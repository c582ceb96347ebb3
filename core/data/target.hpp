// What is to be learned, in fixed point: class codes or whole-number y, whole-number weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "data/error.hpp"
#include "data/tally.hpp"

namespace bosco {

// How far numbers are from what is said of them: by squares; of counts, by Poisson's deviance; unit by unit.
enum class Loss : std::uint8_t { squared, poisson, absolute };

struct Target {
    std::span<const std::uint32_t> classes;  // classification
    std::span<const Count> y;                // regression; of several outputs, `sums` numbers a row
    int n_classes = 0;
    int sums = 1, outputs = 1;      // see Shape
    std::span<const Count> weight;  // empty: all 1
    std::span<const Count> count;   // empty: samples are the weight
    double weight_scale = 1;
    double center = 0;
    double scale = 1;
    Loss loss = Loss::squared;  // of a real target

    std::size_t n_rows() const {
        return n_classes > 0 ? classes.size() : y.size() / static_cast<std::size_t>(sums);
    }
    // The fixed-point units of an impurity, or of a decrease, of 1.
    double measure() const {
        if (n_classes > 0) return 1;
        return loss == Loss::squared ? scale * scale : scale;
    }
    bool real() const { return n_classes == 0; }
    Shape shape() const { return {n_classes, !count.empty(), sums, outputs}; }
    Count weight_at(std::size_t i) const { return weight.empty() ? 1 : weight[i]; }
    Count count_at(std::size_t i) const { return count.empty() ? weight_at(i) : count[i]; }

    // The numbers of row i.
    std::span<const Count> numbers(std::size_t i) const {
        const auto width = static_cast<std::size_t>(sums);
        return y.subspan(i * width, width);
    }
    bool same_numbers(std::size_t i, std::size_t j) const {
        return std::ranges::equal(numbers(i), numbers(j));
    }
    // Adds those, of a row of this weight, to the sums of a tally.
    void add_numbers(Count* tally, std::size_t i, Count w) const {
        Count* sum = tally;
        for (const Count number : numbers(i)) *++sum += w * number;
    }

    // Adds row i, `share` times (fractional rows; otherwise 1), to a tally.
    void add_row(Count* tally, std::size_t i, Count share) const {
        const Count w = weight_at(i) * share;
        if (real()) {
            tally[0] += w;
            sums == 1 ? void(tally[1] += w * y[i]) : add_numbers(tally, i, w);
        } else {
            tally[classes[i]] += w;
        }
        if (!count.empty()) tally[shape().tally()] += count[i] * share;
    }
};

}  // namespace bosco
