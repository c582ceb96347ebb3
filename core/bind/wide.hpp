// Whole numbers of 128 bits, which sums of squares need, as Python's.
#pragma once

#include <nanobind/nanobind.h>

#include "data/tally.hpp"

namespace bosco::bind {

inline nanobind::int_ int_of(Wide x) {
    namespace nb = nanobind;
    return nb::int_((nb::int_(static_cast<std::int64_t>(x >> 64)) << nb::int_(64)) |
                    nb::int_(static_cast<std::uint64_t>(x)));
}
inline Wide wide_of(const nanobind::int_& x) {
    namespace nb = nanobind;
    const auto high = nb::cast<std::int64_t>(x >> nb::int_(64));
    const auto low = nb::cast<std::uint64_t>(x & nb::int_(~std::uint64_t{0}));
    return (static_cast<Wide>(high) << 64) | static_cast<Wide>(low);
}

}  // namespace bosco::bind
