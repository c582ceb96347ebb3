// A run of tests of one chain between two that are known, and what the tests inside it can cost at least.
// Along a chain the left side grows and the right one shrinks, so the cost of the best subtree on the left
// never falls and that on the right never rises; and a row more adds at most its own weight. Where leaves
// must hold a number of samples, only the latter is so: a tree that has too few for a side may have enough
// for a larger one. So that costs never fall is said of trees whose leaves hold any number ("free"), which
// cost no more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/chains.hpp"
#include "search/objective.hpp"

namespace bosco::search {

// How many leaves the two sides may have.
struct Share {
    std::int64_t left = 0, right = 0;
};

// What a side costs at least; and what it does where leaves may hold any number of samples.
struct Bound {
    Cost low = 0, free = 0;
};

struct Interval {
    std::uint32_t chain = 0;
    std::int32_t first = 0, last = -1;  // the tests inside, both ends included
    Share share;
    // What the tests around send left, and what their sides cost at least: the smaller sides free.
    Count weight_before = 0, weight_after = 0;
    Cost left_before = 0, right_before = 0, left_after = 0, right_after = 0;
    Cost right_before_free = 0, left_after_free = 0;  // the larger ones free, too
    Cost key = 0, key_free = 0;                       // what any test inside costs at least

    bool empty() const { return first > last; }
    // The part before a test, or after it, given what it sends left and what its sides cost at least.
    Interval before(std::int32_t test, Count weight, const Bound& left, const Bound& right) const {
        Interval part = *this;
        part.last = test - 1;
        part.weight_after = weight;
        part.left_after = left.low, part.left_after_free = left.free, part.right_after = right.free;
        return part;
    }
    Interval after(std::int32_t test, Count weight, const Bound& left, const Bound& right) const {
        Interval part = *this;
        part.first = test + 1;
        part.weight_before = weight;
        part.left_before = left.free, part.right_before = right.low, part.right_before_free = right.free;
        return part;
    }
    // What the sides of the test that sends so much left cost at least.
    Bound left_at(const Objective& objective, Count weight) const {
        const Cost off = objective.unit * (weight_after - weight);
        return {std::max(left_before, left_after - off), std::max(left_before, left_after_free - off)};
    }
    Bound right_at(const Objective& objective, Count weight) const {
        const Cost off = objective.unit * (weight - weight_before);
        return {std::max(right_after, right_before - off), std::max(right_after, right_before_free - off)};
    }
};

// The tests of an interval that may cost less than a limit: [first, last], none if first > last. Sets the
// key.
struct Alive {
    std::int32_t first = 0, last = -1;
    bool none() const { return first > last; }
};
inline Alive alive(Interval& of, const Chains& chains, const Objective& objective, Cost limit) {
    Alive some{of.first, of.last};
    const auto key = [&](Cost left_after, Cost right_before) {
        const Cost gap = (right_before - of.right_after) + (left_after - of.left_before) -
                         objective.unit * (of.weight_after - of.weight_before);
        return of.left_before + of.right_after + std::max(Cost{0}, gap);
    };
    of.key = key(of.left_after, of.right_before);
    of.key_free = key(of.left_after_free, of.right_before_free);
    if (of.key >= limit) return {0, -1};
    const Chain& chain = chains[of.chain];
    if (const Cost over = of.left_before + of.right_before - limit; over >= 0)
        some.first = chains.reach(chain, some.first, some.last, of.weight_before + over / objective.unit + 1);
    if (const Cost over = of.left_after + of.right_after - limit; over >= 0)
        some.last = chains.reach(chain, some.first, some.last, of.weight_after - over / objective.unit) - 1;
    return some;
}

}  // namespace bosco::search
