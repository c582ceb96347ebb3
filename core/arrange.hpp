// Parting the sorted entries of a column between two branches, either side staying in order: the inner
// loop of splitting small nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bosco {

// One bit a row: does it go to the second branch?
struct Bits {
    static constexpr std::size_t most_rows = 4096;
    alignas(64) std::array<std::uint8_t, most_rows / 8> byte{};

    void set(std::uint32_t row) { byte[row / 8] = static_cast<std::uint8_t>(byte[row / 8] | 1u << row % 8); }
};

// Has this machine the instructions to part entries by bits?
bool parts_by_bits();
constexpr std::size_t least_to_part_by_bits = 24;  // entries; fewer are parted as quickly one by one

constexpr std::size_t aside_slack = 64;  // entries that `aside` has room for beyond n

// The lower half of an entry's bits are its row.
void arrange(std::uint32_t* entries, std::size_t n, const std::uint16_t* branch, std::uint32_t* aside);
void arrange(std::uint64_t* entries, std::size_t n, const std::uint16_t* branch, std::uint64_t* aside);
void arrange(std::uint32_t* entries, std::size_t n, const Bits& bits, std::uint32_t* aside);

}  // namespace bosco
