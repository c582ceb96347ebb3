// Ranks in a whole column (ranks.hpp) turned into ranks among some of its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "grow/rankorder.hpp"

namespace bosco {

class Renumbering {
public:
    // to[i] becomes the rank of ranks[i] among the n of them, whose ranks have so many bits: 0 is missing,
    // equal ones stay equal. holder[r] becomes an i with to[i] = r.
    void run(const std::uint32_t* ranks, std::size_t n, int bits, std::uint16_t* to, std::uint16_t* holder);

private:
    std::vector<std::uint64_t> words_;   // one bit a rank that is there; nothing between two runs
    std::vector<std::uint16_t> before_;  // how many there are before a word
    RankOrder order_;
};

}  // namespace bosco
