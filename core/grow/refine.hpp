// The fine table of coarse bins: the raw values of their rows, sorted. With tabulate, all that
// touches rows while choosing a test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

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

// Sorts the items into a table. The missing rows' tally is left as it is.
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

// Sorts by value what is nearly in order.
template <class Item>
void insert_all(Item* first, Item* last) {
    for (Item* i = first; i < last; ++i) {
        if (i == first || !(i->value < (i - 1)->value)) continue;
        const Item item = *i;
        Item* j = i;
        for (; j > first && item.value < (j - 1)->value; --j) *j = *(j - 1);
        *j = item;
    }
}
// Sorts by value what lies within one bin: mostly few.
constexpr std::ptrdiff_t few_to_sort = 24;
template <class Item>
void sort_few(Item* first, Item* last) {
    if (last - first <= few_to_sort) return insert_all(first, last);
    std::sort(first, last, [](const Item& a, const Item& b) { return a.value < b.value; });
}

// Values of a bin are spread about evenly: where they are many, each is put near its place first.
template <class Item>
void sort_bin(Item* first, Item* last, std::vector<Item>& aside) {
    constexpr std::size_t many = 128, to_a_part = 8;
    const auto n = static_cast<std::size_t>(last - first);
    if (n < many) return sort_few(first, last);
    double low = first->value, high = low;
    for (const Item* i = first; i < last; ++i) {
        low = std::min(low, i->value);
        high = std::max(high, i->value);
    }
    const std::size_t parts = n / to_a_part;
    const double scale = static_cast<double>(parts - 1) / (high - low);
    if (!(scale > 0 && scale < std::numeric_limits<double>::max())) return sort_few(first, last);
    const auto part = [&](const Item& item) { return static_cast<std::size_t>((item.value - low) * scale); };
    std::vector<std::uint32_t> next(parts + 1, 0);
    for (const Item* i = first; i < last; ++i) ++next[part(*i) + 1];
    for (std::size_t p = 1; p <= parts; ++p) next[p] += next[p - 1];
    aside.assign(first, last);
    for (const Item& item : aside) first[next[part(item)]++] = item;
    for (std::size_t p = 0, begin = 0; p < parts; begin = next[p++]) sort_few(first + begin, first + next[p]);
}

// The largest value with code `low` and the smallest with code `high`.
std::pair<double, double> neighbours(const Rows& rows, Segment segment, std::uint32_t column,
                                     std::uint32_t low, std::uint32_t high);

}  // namespace bosco
