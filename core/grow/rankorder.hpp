// Rows in the order of their ranks in a column (ranks.hpp): a radix sort of 16-bit places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bosco {

class RankOrder {
public:
    // Sorts places 0 .. n - 1 by `ranks`, which have so many bits, and calls f(k, place, rank) for
    // k = 0, 1, … in order. Ranks are counted anew: 0 is missing, equal ones stay equal.
    template <class F>
    void sort(const std::uint32_t* ranks, std::size_t n, int rank_bits, F f) {
        places_.resize(n);
        if (n < 128) {
            std::iota(places_.begin(), places_.end(), std::uint16_t{0});
            std::sort(places_.begin(), places_.end(),
                      [ranks](std::uint16_t a, std::uint16_t b) { return ranks[a] < ranks[b]; });
        } else {
            aside_.resize(n);
            const int passes = (rank_bits + 10) / 11, bits = (rank_bits + passes - 1) / passes;
            const std::uint32_t mask = (1u << bits) - 1;
            for (int pass = 0; pass < passes; ++pass) {
                const int shift = pass * bits;
                counts_.assign(mask + 2, 0);
                for (std::size_t i = 0; i < n; ++i) ++counts_[(ranks[i] >> shift & mask) + 1];
                for (std::size_t k = 1; k < counts_.size(); ++k) counts_[k] += counts_[k - 1];
                for (std::size_t i = 0; i < n; ++i) {
                    const auto place = pass == 0 ? static_cast<std::uint16_t>(i) : places_[i];
                    aside_[counts_[ranks[place] >> shift & mask]++] = place;
                }
                places_.swap(aside_);
            }
        }
        std::uint32_t last = 0, rank = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint16_t place = places_[k];
            rank += ranks[place] != last;
            last = ranks[place];
            f(k, place, rank);
        }
    }

private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint16_t> places_, aside_;
};

}  // namespace bosco
