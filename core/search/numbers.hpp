// The best tree of numbers with at most two levels of tests: the least squared error plus a price for every
// leaf. What a leaf explains of the squares is a whole number, (sum of w y)^2 / (sum of w) rounded down, so
// that every error is one, too, and the same for any order of the rows. The unit is as fine as 128 bits
// allow.
#pragma once

#include <functional>
#include <vector>

#include "search/cases.hpp"
#include "search/search.hpp"

namespace bosco::search {

struct FoundNumbers {
    std::vector<Node> nodes;  // children after their parent
    int bits = 0;             // errors are in units of 2^-bits of the target's fixed point, squared
    Wide error = 0;
    Wide objective = 0, bound = 0;  // error + price * leaves: of the tree; no tree has less
    std::int64_t leaves = 1;
    End end = End::proved;
    std::int64_t work = 0;
};

constexpr int price_bits = 30;

// `wanted`: max_depth 1 or 2; its price of a leaf is not read, but `price`, in units of 2^-price_bits of the
// target's fixed point, squared.
FoundNumbers search_numbers(const Cases& cases, const Wanted& wanted, Wide price,
                            const std::function<bool()>& asked);

}  // namespace bosco::search
