// What tests other than the best are worth at a node: any test that somebody has in mind, and every cut of a
// column. Pure functions of tables, by the scores that proposals use.
#pragma once

#include <vector>

#include "score/propose.hpp"

namespace bosco {

// A given test at a node: its figures, and what each branch holds, one tally behind the other. Missing rows
// are in the branch that they go to; where they are shared out, or had no say, in none.
struct Weighed {
    Candidate figures;
    std::vector<Count> branches;
    bool allowed = false;  // by what each branch must hold
};
// The test has no say in where missing rows go, unless the growth learns it.
Weighed weigh(const Trial& trial, const TestView& test);

// Every cut between neighbouring values of an ordered column, ascending; or of many cuts the best of each
// stretch.
struct Curve {
    std::vector<double> low, high;  // the values on both sides
    std::vector<double> decrease;   // of the better side for missing rows; as it is, allowed or not
    std::vector<double> split_info;
    std::vector<char> allowed, missing_left;
    std::vector<Count> left;  // tallies, with the missing rows if they go there

    void drop_last(std::size_t slots);
};
// `most`: about so many cuts, evenly along all of them; 0: every one.
Curve curve(const Trial& trial, std::size_t most = 0);

}  // namespace bosco
