// Rows in the order of a coarse column's values: by code, by the place inside the bin, then compared.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/column.hpp"
#include "grow/refine.hpp"

namespace bosco {

class ValueOrder {
public:
    // Sorts places 0 .. n - 1; place i holds the row row_at(i), whose code is code_at(i).
    template <class RowAt, class CodeAt>
    void sort(const Column& c, std::size_t n, RowAt row_at, CodeAt code_at) {
        // In a bin between two edges the place between them comes first, so that there are more places than
        // rows, and few rows are left to be compared. Code and place are monotone in the value.
        const std::size_t parts = n >= 512 ? std::clamp<std::size_t>(n / 128, 8, 128) : 1;
        std::array<double, 256> low{}, per_part{};
        for (std::size_t code = 2; code < c.n_codes && parts > 1; ++code) {
            low[code] = c.values[code - 2];
            const double width = c.values[code - 1] - low[code];
            if (std::isfinite(width) && std::isfinite(static_cast<double>(parts) / width))
                per_part[code] = static_cast<double>(parts) / width;
        }
        items_.resize(n);
        bucket_.resize(n);
        begin_.assign(257 * parts + 1, 0);
        c.raw.visit([&](auto type) {
            using T = decltype(type);
            for (std::size_t i = 0; i < n; ++i) {
                const auto x = static_cast<double>(c.raw.as<T>(row_at(i)));
                const std::size_t code = code_at(i);
                const double at = (x - low[code]) * per_part[code];
                // Infinities may give NaN, in bins of one part: 0.
                const std::size_t part = at > 0 ? std::min(static_cast<std::size_t>(at), parts - 1) : 0;
                const std::size_t bucket = code * parts + part;
                items_[i] = {x, static_cast<std::uint32_t>(i)};
                bucket_[i] = static_cast<std::uint16_t>(bucket);
                ++begin_[bucket + 1];
            }
        });
        std::uint32_t most = 0;  // in one place
        for (std::size_t k = 1; k < begin_.size(); ++k) {
            if (k > parts) most = std::max(most, begin_[k]);
            begin_[k] += begin_[k - 1];
        }
        known_ = begin_[parts];
        sorted_.resize(n);
        for (std::size_t i = 0; i < n; ++i) sorted_[begin_[bucket_[i]]++] = items_[i];
        if (most <= few_to_sort) return insert_all(sorted_.data() + known_, sorted_.data() + n);
        for (std::size_t k = parts, first = known_; k < 256 * parts; ++k) {  // begin_[k] is now its end
            sort_few(sorted_.data() + first, sorted_.data() + begin_[k]);
            first = begin_[k];
        }
    }

    // Calls f(k, place, rank) for k = 0, 1, … in order; rank 0 is missing, equal values rank alike.
    template <class F>
    void each(F f) const {
        std::uint32_t rank = 0;
        for (std::size_t k = 0; k < sorted_.size(); ++k) {
            rank += k >= known_ && (k == known_ || sorted_[k].value != sorted_[k - 1].value);
            f(k, sorted_[k].index, rank);
        }
    }

private:
    struct Item {
        double value;
        std::uint32_t index;
    };
    std::vector<Item> items_, sorted_;
    std::vector<std::uint16_t> bucket_;
    std::vector<std::uint32_t> begin_;
    std::size_t known_ = 0;  // rows before it have no value
};

}  // namespace bosco
