// The compiled form of a node, and the one loop that sends rows from node to node: of a tree, of one that is
// being pruned, of a forest.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "data/values.hpp"
#include "score/test.hpp"

namespace bosco {

// `Real`: of the numbers that binary cuts ask for. Where all are floats, float thresholds answer the same and
// a third more nodes fit the cache.
template <class Real>
struct HopFor {
    Real slot = 0;  // a binary cut's threshold; the number (as bits) by which another test is found;
                    // what a leaf says, if its owner wants that here
    std::int32_t first = -1;  // its first child; below 0: a leaf
    std::uint32_t what = 0;   // a test's column and flags; of a leaf, its owner's

    static constexpr std::uint32_t missing_right = 0x80000000u, other_test = 0x40000000u;

    // `missing`: the branch of missing values.
    static HopFor cut(const TestView& test, std::int32_t missing, std::int32_t first) {
        return {test.thresholds[0], first, about(test, missing)};
    }
    static HopFor other(const TestView& test, std::int64_t number, std::int32_t first) {
        return {std::bit_cast<Real>(number), first, about(test, test.missing) | other_test};
    }
    // A leaf or a binary cut, for numbers that are all of this type: one is above the threshold if it is
    // above the largest of its type that is not.
    static HopFor of(const HopFor<double>& hop) { return {not_above<Real>(hop.slot), hop.first, hop.what}; }
    bool leaf() const { return first < 0; }
    bool other() const { return (what & other_test) != 0; }
    std::uint32_t column() const { return what & ~(missing_right | other_test); }
    std::int64_t bits() const { return std::bit_cast<std::int64_t>(slot); }
    // A binary cut as a test.
    TestView test() const {
        const auto own = static_cast<std::int32_t>(column()), missing = static_cast<std::int32_t>(what >> 31);
        return {TestKind::cut, own, 2, missing, false, {&slot, 1}, {}};
    }
    // What it answers, in the fewest operations; NaN is missing.
    std::int32_t branch(Real x) const { return (x > slot) | ((x != x) & (what >> 31)); }

private:
    static std::uint32_t about(const TestView& test, std::int32_t missing) {
        return static_cast<std::uint32_t>(test.column) | (missing == 1 ? missing_right : 0);
    }
};
using Hop = HopFor<double>;
static_assert(sizeof(Hop) == 16 && sizeof(HopFor<float>) == 12);

// Where a row is: at a node of a tree.
template <class Node>
struct Stand {
    const Node* tree;
    std::size_t row;
    std::int32_t node;
    const Node& hop() const { return tree[node]; }
};

// For trees of binary cuts alone: there is nothing else to ask.
struct NoOther {
    std::int32_t operator()(std::size_t, const auto&) const { return 0; }
};

// Takes n walks: the k-th begins at start(k), asks number(row, column) at cuts and other(row, hop) for its
// branch at other tests, and ends with arrive(k, where). Several go on at once, so that waiting for memory
// overlaps; who arrives makes room.
template <class Start, class Number, class Other, class Arrive>
void walk(std::size_t n, const Start& start, const Number& number, const Other& other, const Arrive& arrive) {
    constexpr std::size_t together = 12;
    std::array<std::invoke_result_t<Start, std::size_t>, together> at;
    std::array<std::size_t, together> who;
    std::size_t next = 0, walking = 0;
    const auto enter = [&](std::size_t i) {
        who[i] = next;
        at[i] = start(next++);
    };
    const auto branch = [&](const auto& hop, std::size_t row) {
        if constexpr (!std::is_same_v<Other, NoOther>)
            if (hop.other()) return other(row, hop);
        return hop.branch(number(row, hop.column()));
    };
    while (walking < together && next < n) enter(walking++);
    while (walking > 0) {
        for (std::size_t i = 0; i < walking;) {
            const auto& hop = at[i].hop();
            if (!hop.leaf()) {
                at[i].node = hop.first + branch(hop, at[i].row);
                ++i;
                continue;
            }
            arrive(who[i], at[i]);
            if (next < n) {
                enter(i++);
            } else {
                --walking;
                who[i] = who[walking], at[i] = at[walking];
            }
        }
    }
}

}  // namespace bosco
