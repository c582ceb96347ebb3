// The kernels for any machine.
#include <algorithm>
#include <limits>

#include "search/sweep_kernels.hpp"

// Everything is inlined: no vector crosses a call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bosco::search {
namespace {

#define SWEEP_BYTES 16
#define SWEEP_INLINE __attribute__((always_inline))
#include "search/sweep_kernel.hpp"

}  // namespace

Kernel any_kernel(const Kernels& of) { return choose(of); }

}  // namespace bosco::search
