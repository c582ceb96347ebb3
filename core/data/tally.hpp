// What a cell of a table adds up: exact integers, so sums are order-free.
//   classes: one weight per class;  real target: weight, weighted sum of y;
//   several outputs: weight, a sum for each number (a class is a number too: 1 where it is the row's, else
//   0).
// Where samples cannot be read off the weights, one more slot counts them ("apart").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace bosco {

using Count = std::int64_t;
using Wide = __int128;

constexpr int share_bits = 24;  // fractional rows: shares are in units of 2^-24

// The class with the largest number; a tie goes to the second of two classes, to the first of more
// (docs/growing.md §5).
template <class Number>
int heaviest(const Number* of, int classes) {
    if (classes == 2) return of[1] >= of[0] ? 1 : 0;
    int best = 0;
    for (int c = 1; c < classes; ++c)
        if (of[c] > of[best]) best = c;
    return best;
}

struct Shape {
    int classes = 0;  // 0: a real target
    bool apart = false;
    int sums = 1;     // of a real target: more than one where there are several outputs …
    int outputs = 1;  // … which are so many: of classes, each has several sums

    int tally() const { return classes > 0 ? classes : 1 + sums; }
    bool several() const { return sums > 1; }
    int slots() const { return tally() + (apart ? 1 : 0); }

    Count weight(const Count* t) const {
        if (classes == 0) return t[0];
        Count w = 0;
        for (int c = 0; c < classes; ++c) w += t[c];
        return w;
    }
    Count samples(const Count* t, Count weight) const { return apart ? t[tally()] : weight; }

    // The only class in a tally, or -1 (always -1 for a real target).
    int only_class(const Count* t) const {
        int found = -1;
        for (int c = 0; c < classes; ++c)
            if (t[c] != 0) {
                if (found >= 0) return -1;
                found = c;
            }
        return found;
    }
    int majority(const Count* t) const { return heaviest(t, classes); }
};

inline void add(Count* to, const Count* from, int slots) {
    for (int i = 0; i < slots; ++i) to[i] += from[i];
}
inline void subtract(Count* to, const Count* from, int slots) {
    for (int i = 0; i < slots; ++i) to[i] -= from[i];
}

// Deals a share of a row out to branches by their weights, of which some must be above 0: put(branch, part)
// for every part. What rounding leaves goes to the heaviest (docs/growing.md, fractional shares).
template <class Put>
void deal_out(Count share, std::span<const Count> weights, Put put) {
    Wide total = 0;
    for (const Count w : weights) total += w;
    const auto part = [&](Count w) { return static_cast<Count>(static_cast<Wide>(share) * w / total); };
    Count left = share;
    for (const Count w : weights) left -= part(w);
    const auto heaviest = std::ranges::max_element(weights) - weights.begin();
    for (std::size_t b = 0; b < weights.size(); ++b) {
        const Count own = part(weights[b]) + (static_cast<std::ptrdiff_t>(b) == heaviest ? left : 0);
        if (own > 0) put(b, own);
    }
}

}  // namespace bosco
