// Two records change places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bosco {

// Records are a few words long: swapping them inline beats calls.
inline void swap_records(std::byte* a, std::byte* b, std::size_t stride) {
    std::size_t at = 0;
    const auto swap_bytes = [&](auto word) {
        auto other = word;
        std::memcpy(&word, a + at, sizeof word);
        std::memcpy(&other, b + at, sizeof word);
        std::memcpy(a + at, &other, sizeof word);
        std::memcpy(b + at, &word, sizeof word);
        at += sizeof word;
    };
    while (at + 8 <= stride) swap_bytes(std::uint64_t{});
    if (at < stride) swap_bytes(std::uint32_t{});
}

}  // namespace bosco
