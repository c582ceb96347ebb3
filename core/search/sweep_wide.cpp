// The kernels for machines that have AVX2.
#include <algorithm>
#include <limits>

#include "search/sweep_kernels.hpp"

#ifdef BOSCO_MANY_MACHINES
// Everything is inlined: no vector crosses a call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bosco::search {
namespace {

#pragma GCC push_options
#pragma GCC target("avx2")
#define SWEEP_BYTES 32
#define SWEEP_INLINE __attribute__((always_inline, target("avx2")))
#include "search/sweep_kernel.hpp"
#pragma GCC pop_options

}  // namespace

Kernel wide_kernel(const Kernels& of) { return choose(of); }

}  // namespace bosco::search
#endif
