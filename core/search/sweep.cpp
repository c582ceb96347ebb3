// Vectors are written as the compiler's own (GCC, Clang), so that one text serves every machine. It is
// compiled for vectors of 64, 32 and 16 bytes, and what the machine has is taken at run time; narrow vectors
// take the tests of a batch in several goes, so that all machines see the same batches.
#include "search/sweep.hpp"

#include <algorithm>
#include <limits>

#include "data/machine.hpp"

// Everything is inlined: no vector crosses a call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bosco::search {
namespace {

using Kernel = void (*)(SweepJob&);

#ifdef BOSCO_MANY_MACHINES
#pragma GCC push_options
#pragma GCC target("avx512bw,avx512vl")
namespace widest {
#define SWEEP_BYTES 64
#define SWEEP_INLINE __attribute__((always_inline, target("avx512bw,avx512vl")))
#include "search/sweep_kernel.hpp"
#undef SWEEP_BYTES
#undef SWEEP_INLINE
}  // namespace widest
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2")
namespace wide {
#define SWEEP_BYTES 32
#define SWEEP_INLINE __attribute__((always_inline, target("avx2")))
#include "search/sweep_kernel.hpp"
#undef SWEEP_BYTES
#undef SWEEP_INLINE
}  // namespace wide
#pragma GCC pop_options
#endif
namespace any {
#define SWEEP_BYTES 16
#define SWEEP_INLINE __attribute__((always_inline))
#include "search/sweep_kernel.hpp"
#undef SWEEP_BYTES
#undef SWEEP_INLINE
}  // namespace any

template <class Lane>
Kernel best([[maybe_unused]] int bytes, bool many, bool weighted, bool least) {
#ifdef BOSCO_MANY_MACHINES
    if (bytes >= 64 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return widest::choose<Lane>(many, weighted, least);
    if (bytes >= 32 && __builtin_cpu_supports("avx2")) return wide::choose<Lane>(many, weighted, least);
#endif
    return any::choose<Lane>(many, weighted, least);
}

}  // namespace

Sweep::Sweep(const Cases& cases, Count weight, Count samples, Count least, int bytes) {
    const bool weighted = !cases.weight.empty(), limited = least > 1, many = cases.classes > 2;
    // Half of the room is kept free for sums that stand for "none".
    const Count most = std::max(weight, limited ? std::max(samples, least) : 0);
    const auto fits = [&](auto lane) {
        return most <= std::numeric_limits<decltype(lane)>::max() / (limited ? 4 : 1);
    };
    const auto take = [&](auto lane) {
        using Lane = decltype(lane);
        width_ = 64 / static_cast<int>(sizeof(Lane));
        run_ = best<Lane>(bytes, many, weighted, limited);
    };
    if (fits(std::int16_t{}))
        take(std::int16_t{});
    else if (fits(std::int32_t{}))
        take(std::int32_t{});
    else
        take(std::int64_t{});
}

}  // namespace bosco::search
