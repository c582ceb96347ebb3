// A tree that was grown node by node gets better as a whole: with no more leaves, and no deeper, it gets less
// wrong of the rows. Round after round, until nothing helps:
//   a test        is looked for again, all below it staying as it is
//   a bottom      of at most four leaves becomes the best one there is (bottom)
//   a leaf        moves from where it saves least to where it saves most
// Where mistakes have costs, less wrong is what costs less. Every step lowers the weight that is wrong, a
// whole number: so it ends, and never rises.
#pragma once

#include <functional>
#include <vector>

#include "search/cases.hpp"
#include "search/search.hpp"

namespace bosco::search {

struct Polished {
    std::vector<Node> nodes;      // children after their parent
    Count before = 0, after = 0;  // the weight that is wrong
    int rounds = 0;               // that lowered it
    std::int64_t work = 0;
};

// `wanted`: how deep, and how many samples a leaf has; `asked` throws to stop.
Polished polish(const Cases& cases, const std::vector<Node>& tree, const Wanted& wanted,
                const std::function<bool()>& asked);

}  // namespace bosco::search
