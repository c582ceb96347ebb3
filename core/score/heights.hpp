// How high the cuts of a table of two classes stand by Gini's criterion, in doubles and from above: what
// stays below the best so far, also by all that rounding can take, need not be scored. Of many bins few come
// near.
#pragma once

#include <vector>

#include "score/propose.hpp"

namespace bosco {

class Heights {
public:
    // Does the plain rule decide on such a table: two classes, nothing missing, no bounds?
    static bool suits(const Trial& trial);

    // Takes the tallies of a table.
    void take(const Trial& trial);

    // Scores the cuts between entries that may be the best: the others are left out.
    void scan(const Trial& trial, std::uint64_t base, std::uint64_t step, CutBest& best);

    // By entry: may a cut inside it, or beside it, reach a floor above 0?
    const std::vector<char>& near(double floor);

private:
    std::size_t n_ = 0;
    double zeros_all_ = 0, ones_all_ = 0;
    std::vector<double> zeros_, ones_;  // left of each entry, and of the end
    std::vector<double> height_;        // of the cut before each entry, at most, and of the end
    std::vector<char> near_;
};

}  // namespace bosco
