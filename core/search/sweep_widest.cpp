// The kernels for machines that have AVX-512.
#include <algorithm>
#include <limits>

#include "search/sweep_kernels.hpp"

#ifdef BOSCO_MANY_MACHINES
// Everything is inlined: no vector crosses a call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bosco::search {
namespace {

#pragma GCC push_options
#pragma GCC target("avx512bw,avx512vl")
#define SWEEP_BYTES 64
#define SWEEP_INLINE __attribute__((always_inline, target("avx512bw,avx512vl")))
#include "search/sweep_kernel.hpp"
#pragma GCC pop_options

}  // namespace

Kernel widest_kernel(const Kernels& of) { return choose(of); }

}  // namespace bosco::search
#endif
