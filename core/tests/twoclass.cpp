// The cuts that floats leave out are worse than the best: the same winner as by a race of all.
#include "grow/twoclass.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

struct Entry {
    Count ones, weight;
    bool last;  // of the rows of its value
};

struct Winner {
    std::size_t at;
    double decrease;
};

template <class Each>
Winner winner(const Judge& judge, double floor, std::size_t n, const Each& each) {
    TwoClassRace race(judge, floor);
    Winner best{n, nothing};
    each(race, [&](std::size_t i) { best.at = i; });
    best.decrease = race.decrease();
    return best;
}

const Test same_winner{
    "heights of two classes: the same cut as by looking at all", [] {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Draws draw(seed);
            const std::size_t n = 2 + draw.below(400);
            const auto ties = 1 + draw.below(4), most = 1 + draw.below(3), pull = draw.below(5);
            std::vector<Entry> entries;
            Count tally[2] = {0, 0};
            for (std::size_t i = 0; i < n; ++i) {
                const Count w = 1 + static_cast<Count>(draw.below(most));
                const bool one = draw.below(10) < (i > n / 2 ? 5 + pull : 5 - pull);
                entries.push_back({one ? w : 0, w, draw.below(ties) == 0});
                tally[one] += w;
            }
            const Judge judge(Criterion::gini, {2}, tally);
            const Count total = tally[0] + tally[1], least = 1 + static_cast<Count>(draw.below(9));
            for (const double floor : {nothing, 0.0, static_cast<double>(total) / 50}) {
                const Winner plain = winner(judge, floor, n, [&](TwoClassRace& race, const auto& took) {
                    Count ones = 0, w = 0;
                    for (std::size_t i = 0; i + 1 < n; ++i) {
                        ones += entries[i].ones, w += entries[i].weight;
                        if (entries[i].last && w >= least && total - w >= least && race.offer(ones, w))
                            took(i);
                    }
                });
                TwoClassHeights heights;
                heights.take(n, [&](std::size_t i) {
                    return TwoClassHeights::pair_of(entries[i].ones > 0, entries[i].weight);
                });
                const Winner quick = winner(judge, floor, n, [&](TwoClassRace& race, const auto& took) {
                    heights.each_near(least, [&](std::size_t i) { return entries[i].last; }, race, took);
                });
                equal(quick.at, plain.at);
                holds(quick.decrease == plain.decrease);
            }
        }
    }};

}  // namespace
}  // namespace bosco::check
