// The kernels of a sweep, compiled for vectors of 64, 32 and 16 bytes, each in a file of its own so that they
// are compiled side by side; what the machine has is taken at run time.
#pragma once

#include "data/machine.hpp"
#include "search/sweep.hpp"

namespace bosco::search {

using Kernel = void (*)(SweepJob&);

// What the sums of a sweep must know.
struct Kernels {
    int lane = 2;           // bytes of a sum
    bool many = false;      // more than two classes
    bool weighted = false;  // rows have weights
    bool least = false;     // leaves hold a number of samples
    bool savings = false;   // several answers save something of a row
};

Kernel any_kernel(const Kernels& of);
#ifdef BOSCO_MANY_MACHINES
Kernel wide_kernel(const Kernels& of);
Kernel widest_kernel(const Kernels& of);
#endif

}  // namespace bosco::search
