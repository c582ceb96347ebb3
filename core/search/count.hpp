// How many trees of the family cost at most so much: counted without making them. Two trees are one where
// every question parts the rows that reach it alike, by the same column. A tree in which two leaves under one
// question give the same answer is not counted: without that question it is the same tree.
#pragma once

#include <cstdint>
#include <functional>

#include "search/search.hpp"

namespace bosco::search {

struct Many {
    std::uint64_t trees = 0;
    bool exact = true;  // else there are so many at least: the work came to its end, or the number to its own
    std::int64_t work = 0;
};

// `most`: errors + alpha * leaves, in parts of a unit of weight. With `wanted.root` only trees whose first
// test asks that column.
Many count(const Cases& cases, const Wanted& wanted, Count most, const std::function<bool()>& asked);

}  // namespace bosco::search
