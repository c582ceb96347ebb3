// The rows that one tree of many sees, and how often each: a keyed draw, so that a forest does not
// depend on who draws when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/random.hpp"

namespace bosco {

struct Sample {
    std::vector<std::uint32_t> rows;   // ascending
    std::vector<std::uint32_t> times;  // empty: once each
    bool shares = false;               // are the times shares of rows, in units of 2^-24?
};

// A number below n, from 64 random bits.
inline std::uint64_t below(std::uint64_t bits, std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * n >> 64);
}

// `size` of n rows. Draws choose places; the row at place i is order[i], or i.
inline Sample draw_sample(std::uint64_t key, std::size_t n, std::size_t size, bool replace,
                          std::span<const std::uint32_t> order) {
    std::vector<std::uint32_t> times(n, 0);
    const auto row = [&](std::size_t place) { return order.empty() ? place : order[place]; };
    if (replace) {
        for (std::size_t i = 0; i < size; ++i) ++times[row(below(mix(key, i), n))];
    } else {
        // Vitter's simplest way, place by place: exactly `size` are taken, each set as likely.
        std::size_t left = size;
        for (std::size_t place = 0; place < n && left > 0; ++place)
            if (below(mix(key, place), n - place) < left) times[row(place)] = 1, --left;
    }
    Sample sample;
    sample.rows.resize(n);
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < n; ++i) {  // every row is written, and those not drawn again by the next
        sample.rows[drawn] = static_cast<std::uint32_t>(i);
        times[drawn] = times[i];
        drawn += times[i] > 0;
    }
    sample.rows.resize(drawn);
    times.resize(drawn);
    if (replace) sample.times = std::move(times);
    return sample;
}

}  // namespace bosco
