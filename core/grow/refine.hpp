// The fine table of coarse bins: the raw values of their rows, sorted. With tabulate, all that
// touches rows while choosing a test.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "data/spread.hpp"
#include "data/table.hpp"
#include "grow/rows.hpp"
#include "score/propose.hpp"

namespace bosco {

// One entry per distinct value of the rows whose code is wanted; `bin` keeps each entry's code.
struct FineTable {
    Table table;
    std::vector<std::uint32_t> bin;
};

// A row of a wanted bin: its value, its number in the segment, its bin and (if it fits) its class, which
// spares a visit to the row's record.
struct FineItem {
    double value;
    std::uint32_t index;
    std::uint16_t bin;
    std::uint16_t cls;
};
using Wanted = std::vector<char>;  // by code

// Collects the rows [begin, end) of a segment that lie in wanted bins, for several columns in one
// pass; items[i] belongs to columns[i]. A row's number in the table stands in for its value.
void gather(const Rows& rows, Segment segment, std::size_t begin, std::size_t end,
            const std::vector<std::uint32_t>& columns, const std::vector<Wanted>& wanted,
            std::vector<std::vector<FineItem>>& items);

// Replaces the numbers of rows by the values of their column; those of a file are read in order.
void look_up(const Rows& rows, std::uint32_t column, std::vector<FineItem>& items);

// Brings items into the order of their bins, in place, and returns where each begins.
std::array<std::size_t, 257> sort_by_bin(std::vector<FineItem>& items);

// Adds items to a table that are in order of bin and value; `sieve` may have left some of them together.
class Sieve;
void fill_fine(const Rows& rows, Segment segment, std::span<const FineItem> items, const Sieve* sieve,
               FineTable& fine);

// Sorts items into a table. The missing rows' tally is left as it is.
void build_fine(const Rows& rows, Segment segment, std::vector<FineItem>& items, FineTable& fine);

// All of a column at once.
void refine(const Rows& rows, Segment segment, std::uint32_t column, FineTable& fine);

// What random cuts ask of the rows of a node, for several coarse columns in one pass: the least value with
// code `low` and the largest with code `high`, between which a cut is drawn;
struct Ends {
    std::uint32_t column, low, high;
};
std::vector<std::pair<double, double>> ends_of(const Rows& rows, Segment segment,
                                               const std::vector<Ends>& asked);
// and the tallies, one after the other, of what has a code and lies not above a threshold.
struct UpTo {
    std::uint32_t column, code;
    double threshold;
};
std::vector<Count> tallies_up_to(const Rows& rows, Segment segment, const std::vector<UpTo>& asked);
// The bin in which a threshold lies. Bins hold (edge before, edge].
std::uint32_t bin_around(const Column& column, double threshold);

// All that a random cut asks of a column whose coarse table is given: two entries, at the extremes, that
// hold what lies up to the threshold drawn between them and what lies beyond. One if all values are equal.
void refine_random(const Rows& rows, Segment segment, const Table& coarse, std::uint32_t column,
                   const Node& node, Table& table);

// The largest value with code `low` and the smallest with code `high`.
std::pair<double, double> neighbours(const Rows& rows, Segment segment, std::uint32_t column,
                                     std::uint32_t low, std::uint32_t high);

}  // namespace bosco
