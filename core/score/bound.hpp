// How good a cut inside a coarse bin can be at most.
//
// The decrease is convex in the tally left of the cut. Inside one bin that tally lies in a box
// (every class of the bin, none to all of it), so it is at most the value at a corner of the box.
#pragma once

#include "score/criterion.hpp"

namespace bosco {

// `left`: the tally left of the bin; `bin`: the bin's own; `squares`: its sum of squares (real
// targets). Up to a relative 1e-11 the result is an upper bound, rounding included.
double bound_inside(const Judge& judge, const Count* left, const Count* bin, double squares);

// A closer bound where one is known, at more cost; infinity otherwise. For what survives the first.
double bound_inside_closely(const Judge& judge, const Count* left, const Count* bin, double squares);

// Can a cut inside the bin reach `least`? By these bounds, where two classes need no division.
bool may_reach(const Judge& judge, const Count* left, const Count* bin, double squares, double least);

}  // namespace bosco
