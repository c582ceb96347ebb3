// The fine table of coarse bins: the raw values of their rows, sorted. With tabulate, all that
// touches rows while choosing a test.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rows.hpp"
#include "table.hpp"

namespace bosco {

// One entry per distinct value of the rows whose code is wanted; `bin` keeps each entry's code.
struct FineTable {
    Table table;
    std::vector<std::uint32_t> bin;
};

// `wanted[code]` selects bins; an empty vector selects all. Missing rows are tallied apart.
void refine(const Rows& rows, Segment segment, std::uint32_t column,
            const std::vector<char>& wanted, FineTable& fine);

// The largest value with code `low` and the smallest with code `high`.
std::pair<double, double> neighbours(const Rows& rows, Segment segment, std::uint32_t column,
                                     std::uint32_t low, std::uint32_t high);

}  // namespace bosco
