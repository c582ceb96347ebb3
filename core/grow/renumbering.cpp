#include "grow/renumbering.hpp"

#include <bit>

#include "data/machine.hpp"

namespace bosco {
namespace {

// How many of the bits come before each word, and up to each rank; then the bits are cleared.
BOSCO_CLONES void count_bits(std::uint64_t* words, std::uint16_t* before, std::size_t n_words,
                             const std::uint32_t* ranks, std::size_t n, std::uint16_t* to,
                             std::uint16_t* holder) {
    int sum = 0;
    for (std::size_t k = 0; k < n_words; ++k) {
        before[k] = static_cast<std::uint16_t>(sum);
        sum += std::popcount(words[k]);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t rank = ranks[i];
        const std::uint64_t up_to = words[rank / 64] << (63 - rank % 64);
        to[i] = static_cast<std::uint16_t>(before[rank / 64] + std::popcount(up_to));
        holder[to[i]] = static_cast<std::uint16_t>(i);
    }
    for (std::size_t k = 0; k < n_words; ++k) words[k] = 0;
}

}  // namespace

void Renumbering::run(const std::uint32_t* ranks, std::size_t n, int bits, std::uint16_t* to,
                      std::uint16_t* holder) {
    const std::size_t n_words = (std::size_t{1} << bits) / 64 + 1;
    if (n_words > 2 * n) {
        order_.sort(ranks, n, bits, [&](std::size_t, std::uint32_t i, std::uint32_t rank) {
            to[i] = static_cast<std::uint16_t>(rank);
            holder[rank] = static_cast<std::uint16_t>(i);
        });
        return;
    }
    words_.resize(n_words);
    before_.resize(n_words);
    for (std::size_t i = 0; i < n; ++i) words_[ranks[i] / 64] |= std::uint64_t{1} << ranks[i] % 64;
    words_[0] &= ~std::uint64_t{1};  // missing
    count_bits(words_.data(), before_.data(), n_words, ranks, n, to, holder);
}

}  // namespace bosco
