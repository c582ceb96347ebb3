#include "arrange.hpp"

#include <algorithm>
#include <bit>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define BOSCO_BITS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif

namespace bosco {

namespace {

template <class Entry>
void arrange_by(Entry* entries, std::size_t n, const std::uint16_t* branch, Entry* aside) {
    constexpr Entry row = (Entry{1} << 4 * sizeof(Entry)) - 1;
    Entry* left = entries;
    Entry* right = aside;
    for (std::size_t i = 0; i < n; ++i) {  // both are written and one moves on: nothing to predict
        const Entry entry = entries[i];
        const std::uint32_t to = branch[entry & row];
        *left = entry;
        *right = entry;
        left += 1 - to;
        right += to;
    }
    std::copy(aside, right, left);
}

}  // namespace

void arrange(std::uint32_t* entries, std::size_t n, const std::uint16_t* branch, std::uint32_t* aside) {
    arrange_by(entries, n, branch, aside);
}
void arrange(std::uint64_t* entries, std::size_t n, const std::uint16_t* branch, std::uint64_t* aside) {
    arrange_by(entries, n, branch, aside);
}

#ifdef BOSCO_BITS

bool parts_by_bits() {
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
    return has;
}

namespace {

// The lowest byte of 64 words.
BOSCO_BITS inline __m512i bytes(__m512i a, __m512i b, __m512i c, __m512i d) {
    const __m256i ab = _mm256_set_m128i(_mm512_cvtepi32_epi8(b), _mm512_cvtepi32_epi8(a));
    const __m256i cd = _mm256_set_m128i(_mm512_cvtepi32_epi8(d), _mm512_cvtepi32_epi8(c));
    return _mm512_inserti64x4(_mm512_castsi256_si512(ab), cd, 1);
}

}  // namespace

// 64 entries at a time. All 4,096 bits are in eight registers: two look-ups in 128 bytes by the lower
// seven bits of the byte's number, the upper two choose among them.
BOSCO_BITS void arrange(std::uint32_t* entries, std::size_t n, const Bits& bits, std::uint32_t* aside) {
    __m512i table[8];
    for (std::size_t k = 0; k < 8; ++k) table[k] = _mm512_load_si512(bits.byte.data() + 64 * k);
    const __m512i bit_of = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201ull));
    std::uint32_t* left = entries;
    std::uint32_t* right = aside;
    for (std::size_t i = 0; i < n; i += 64) {
        __m512i v[4];
        __mmask16 here[4];
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t rest = n - std::min(n, i + 16 * k);
            here[k] = static_cast<__mmask16>(rest >= 16 ? 0xffff : (1u << rest) - 1);
            v[k] = _mm512_maskz_loadu_epi32(here[k], entries + i + 16 * k);
        }
        const auto shifted = [&](auto by) BOSCO_BITS {
            return bytes(_mm512_srli_epi32(v[0], by), _mm512_srli_epi32(v[1], by),
                         _mm512_srli_epi32(v[2], by), _mm512_srli_epi32(v[3], by));
        };
        const __m512i which = shifted(3u), high = shifted(10u), low = shifted(0u);
        const __m512i a = _mm512_permutex2var_epi8(table[0], which, table[1]);
        const __m512i b = _mm512_permutex2var_epi8(table[2], which, table[3]);
        const __m512i c = _mm512_permutex2var_epi8(table[4], which, table[5]);
        const __m512i d = _mm512_permutex2var_epi8(table[6], which, table[7]);
        const __mmask64 odd = _mm512_test_epi8_mask(high, _mm512_set1_epi8(1));
        const __mmask64 upper = _mm512_test_epi8_mask(high, _mm512_set1_epi8(2));
        const __m512i byte = _mm512_mask_blend_epi8(upper, _mm512_mask_blend_epi8(odd, a, b),
                                                    _mm512_mask_blend_epi8(odd, c, d));
        const __m512i bit = _mm512_shuffle_epi8(bit_of, _mm512_and_si512(low, _mm512_set1_epi8(7)));
        const std::uint64_t goes = _mm512_test_epi8_mask(byte, bit);
        for (std::size_t k = 0; k < 4; ++k) {
            const auto to_right = static_cast<__mmask16>(goes >> (16 * k) & here[k]);
            const auto to_left = static_cast<__mmask16>(~to_right & here[k]);
            const int n_left = std::popcount(static_cast<unsigned>(to_left));
            // What lies beyond the left side has been read; beyond the last entry nothing is written.
            _mm512_mask_storeu_epi32(left, here[k], _mm512_maskz_compress_epi32(to_left, v[k]));
            _mm512_storeu_si512(right, _mm512_maskz_compress_epi32(to_right, v[k]));
            left += n_left;
            right += std::popcount(static_cast<unsigned>(to_right));
        }
    }
    std::copy(aside, right, left);
}

#else

bool parts_by_bits() { return false; }

void arrange(std::uint32_t* entries, std::size_t n, const Bits& bits, std::uint32_t* aside) {
    std::uint32_t* right = aside;
    std::uint32_t* left = entries;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t entry = entries[i], row = entry & 0xffff;
        *((bits.byte[row / 8] >> row % 8 & 1) != 0 ? right++ : left++) = entry;
    }
    std::copy(aside, right, left);
}

#endif

}  // namespace bosco
