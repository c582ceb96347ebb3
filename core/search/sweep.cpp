#include "search/sweep.hpp"

#include <algorithm>
#include <limits>

#include "search/sweep_kernels.hpp"

namespace bosco::search {
namespace {

Kernel best([[maybe_unused]] int bytes, const Kernels& of) {
#ifdef BOSCO_MANY_MACHINES
    if (bytes >= 64 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return widest_kernel(of);
    if (bytes >= 32 && __builtin_cpu_supports("avx2")) return wide_kernel(of);
#endif
    return any_kernel(of);
}

}  // namespace

Sweep::Sweep(const Cases& cases, Count weight, Count samples, Count least, int bytes) {
    Kernels of;
    of.weighted = !cases.weight.empty(), of.least = least > 1, of.many = cases.classes > 2;
    of.savings = !cases.savings.empty();
    // Half of the room is kept free for sums that stand for "none".
    const Count most = std::max(weight, of.least ? std::max(samples, least) : 0);
    const auto fits = [&](auto lane) {
        return most <= std::numeric_limits<decltype(lane)>::max() / (of.least ? 4 : 1);
    };
    of.lane = fits(std::int16_t{}) ? 2 : fits(std::int32_t{}) ? 4 : 8;
    width_ = 64 / of.lane;
    run_ = best(bytes, of);
}

}  // namespace bosco::search
