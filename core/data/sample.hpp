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

// Draws over n places lie in blocks of consecutive places, each with its own share of the draws. So whoever
// holds some of the places draws for those alone, and what is counted up stays in the cache.
inline constexpr std::uint64_t block_places = 65536;

// Adds the draws of the block [begin, end) to `times`, one entry per place. Of `size` draws over n places,
// exactly floor(size b / n) are numbered before place b.
inline void draw_block(std::uint64_t key, std::uint64_t n, std::uint64_t size, bool replace,
                       std::uint64_t begin, std::uint64_t end, std::uint32_t* times) {
    const auto draws_before = [&](std::uint64_t place) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(size) * place / n);
    };
    const std::uint64_t first = draws_before(begin), last = draws_before(end);
    if (replace) {
        for (std::uint64_t i = first; i < last; ++i) ++times[below(mix(key, i), end - begin)];
        return;
    }
    // Vitter's simplest way, place by place: exactly as many as are due are taken, each set as likely.
    std::uint64_t left = last - first;
    for (std::uint64_t place = begin; place < end && left > 0; ++place)
        if (below(mix(key, place), end - place) < left) times[place - begin] = 1, --left;
}

// How often each of the places [begin, end) is among `size` draws over n places.
inline std::vector<std::uint32_t> draw_places(std::uint64_t key, std::uint64_t n, std::uint64_t size,
                                              bool replace, std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint32_t> times(end - begin, 0), whole;
    for (std::uint64_t at = begin / block_places * block_places; at < end; at += block_places) {
        const std::uint64_t stop = std::min(n, at + block_places);
        if (begin <= at && stop <= end) {
            draw_block(key, n, size, replace, at, stop, times.data() + (at - begin));
            continue;
        }
        // Somebody else has a part of this block: it is drawn as a whole.
        whole.assign(stop - at, 0);
        draw_block(key, n, size, replace, at, stop, whole.data());
        const std::uint64_t low = std::max(at, begin), high = std::min(stop, end);
        std::copy(whole.begin() + static_cast<std::ptrdiff_t>(low - at),
                  whole.begin() + static_cast<std::ptrdiff_t>(high - at),
                  times.begin() + static_cast<std::ptrdiff_t>(low - begin));
    }
    return times;
}

// `size` of n rows. Draws choose places; the row at place i is order[i], or i.
inline Sample draw_sample(std::uint64_t key, std::size_t n, std::size_t size, bool replace,
                          std::span<const std::uint32_t> order) {
    std::vector<std::uint32_t> times = draw_places(key, n, size, replace, 0, n);
    if (!order.empty()) {
        std::vector<std::uint32_t> by_row(n);
        for (std::size_t place = 0; place < n; ++place) by_row[order[place]] = times[place];
        times.swap(by_row);
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
