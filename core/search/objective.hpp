// What a tree costs: its errors, or what they cost, a price for every leaf, and, where both are equal, the
// number of leaves. All in one whole number, so that comparing costs is all that a search does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "data/error.hpp"
#include "data/tally.hpp"

namespace bosco::search {

using Cost = std::int64_t;
constexpr Cost unreachable = Cost{1} << 62;

// The price of a leaf, in units of weight: a fraction, so that prices such as 0.5 or 6.1 are exact.
struct Price {
    Count of = 0, parts = 1;
};

struct Objective {
    Cost step = 1;   // more than the number of leaves that any tree may have
    Cost unit = 1;   // what one unit of weight costs where its class is not the leaf's
    Cost price = 1;  // of a leaf

    // `weight`: of all rows.
    Objective(Price alpha, Count weight, std::int64_t leaves)
        : step(static_cast<Cost>(std::bit_ceil(static_cast<std::uint64_t>(leaves) + 1))) {
        const Wide most =
            (static_cast<Wide>(weight) * alpha.parts + static_cast<Wide>(alpha.of) * leaves) * step + leaves;
        if (most >= unreachable / 4) throw Error("weights or the price of a leaf are too large for a search");
        unit = step * alpha.parts;
        price = step * alpha.of + 1;
    }

    // What a leaf gets wrong, of a weight of which answers save so much.
    static Count wrong(Count weight, std::span<const Count> saved) {
        return weight - *std::ranges::max_element(saved);
    }
    Cost of(Count wrong, std::int64_t leaves) const { return unit * wrong + price * leaves; }
    // And back: errors plus the price of leaves, in parts of a unit of weight.
    Count penalised(Cost cost) const { return cost / step; }
};

}  // namespace bosco::search
