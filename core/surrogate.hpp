// Surrogate tests (CART): other columns that imitate the chosen test, for rows it cannot judge.
#pragma once

#include <vector>

#include "growth.hpp"
#include "rows.hpp"

namespace bosco {

// At most five, best first (docs/growing.md §3).
std::vector<Test> surrogates_of(const Rows& rows, Segment segment, const Test& primary, Threshold rule);

}  // namespace bosco
