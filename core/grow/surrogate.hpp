// Surrogate tests (CART): other columns that imitate the chosen test, for rows it cannot judge.
#pragma once

#include <vector>

#include "data/table.hpp"
#include "grow/rows.hpp"
#include "score/growth.hpp"

namespace bosco {

// Of the rows that have a value in both columns: the weight that the test of column `own` (in the sorter)
// sends to either branch, by value of another column. Tables of parts add up.
Table branch_table(const Rows& rows, Segment segment, const Sorter& sorter, std::uint32_t own,
                   std::uint32_t column);

// The tests of other columns that agree best with a binary one, by these tables, one a column: at most
// five, best first (docs/growing.md §3).
std::vector<Test> imitate(const std::vector<Table>& tables, const Test& primary, Threshold rule);

// Both in one.
std::vector<Test> surrogates_of(const Rows& rows, Segment segment, const Test& primary, Threshold rule);

}  // namespace bosco
