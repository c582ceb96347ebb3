// Every column as plain numbers, to be looked up by row: for random cuts, which need no codes.
//   ordered columns: the value; nominal ones: the code of the level; NaN where it is missing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"

namespace bosco {

template <class T>
class Values {
public:
    // A column whose values lie side by side already is read where it is; others are copied.
    Values(const Frame& frame, Pool& pool);
    // None yet: room for copies.
    explicit Values(const Frame& frame) : columns_(frame.n_columns()) {}

    // Copies some columns of some rows, which get the numbers 0, 1, ... here.
    void load(const Values& from, std::span<const std::uint32_t> columns,
              std::span<const std::uint32_t> rows);

    const T* column(std::uint32_t j) const { return columns_[j]; }  // by row

private:
    std::vector<const T*> columns_;
    std::vector<T> own_;
};

// The largest number of the type that is not above t: x <= t is the same asked of it.
template <class T>
T not_above(double t) {
    const auto near = static_cast<T>(t);
    if (!(static_cast<double>(near) > t)) return near;
    if (near == 0) return -std::numeric_limits<T>::denorm_min();
    using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto bits = std::bit_cast<Word>(near);
    return std::bit_cast<T>(near > 0 ? bits - 1 : bits + 1);
}

using AnyValues = std::variant<Values<float>, Values<double>>;

// Floats where they hold every number of the frame exactly, doubles otherwise.
std::unique_ptr<AnyValues> values_of(const Frame& frame, Pool& pool);

}  // namespace bosco
