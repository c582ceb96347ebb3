#include "grow/twoclass.hpp"

#include <bit>

#include "data/machine.hpp"

namespace bosco {
namespace {

// Returns the highest. Numbers that are not negative have the order of their bits.
BOSCO_CLONES std::int32_t heights(const std::uint32_t* up_to, std::size_t n, std::int32_t total,
                                  std::int32_t ones, float* to) {
    std::int32_t most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto w = static_cast<std::int32_t>(up_to[i] & 0xffff);
        const auto l = static_cast<std::int32_t>(up_to[i] >> 16);
        const auto d = static_cast<float>(l * total - ones * w), q = static_cast<float>(w * (total - w));
        to[i] = d * d / q;
        most = std::max(most, std::bit_cast<std::int32_t>(to[i]));
    }
    return most;
}

// The first block of which one is so high, so far as blocks are whole.
constexpr std::size_t block = 32;
BOSCO_CLONES std::size_t near_block(const float* height, std::size_t k, std::size_t end, float limit) {
    for (; k + block <= end; k += block) {
        int near = 0;
#pragma GCC unroll 1  // or else it is unrolled before it can become a loop over vectors
        for (std::size_t i = 0; i < block; ++i) near |= height[k + i] >= limit ? 1 : 0;
        if (near != 0) break;
    }
    return k;
}

}  // namespace

float TwoClassHeights::measure(std::size_t begin, std::size_t end) {
    const std::uint32_t all = up_to_[n_ - 1];
    return std::bit_cast<float>(heights(up_to_.data() + begin, end - begin,
                                        static_cast<std::int32_t>(all & 0xffff),
                                        static_cast<std::int32_t>(all >> 16), height_.data() + begin));
}

std::size_t TwoClassHeights::near(std::size_t k, std::size_t end, float limit) const {
    for (; k < end; ++k) {
        if (k % block == 0) k = near_block(height_.data(), k, end, limit);
        if (k == end || height_[k] >= limit) break;
    }
    return k;
}

}  // namespace bosco
