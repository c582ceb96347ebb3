#include "data/values.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace bosco {
namespace {

bool fits_float(const Column& c) {
    if (c.kind == ColumnKind::nominal) return c.n_codes < (1u << 24);
    if (c.kind == ColumnKind::ordinal)
        return std::all_of(c.values.begin(), c.values.end(),
                           [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
    return c.raw.visit([](auto type) {
        using T = decltype(type);
        return std::is_same_v<T, float> || sizeof(T) <= 2;
    });
}

// May the column be read where it lies?
template <class T>
bool readable(const Column& c) {
    return c.kind == ColumnKind::numeric && c.raw.dtype == (sizeof(T) == 4 ? DType::f32 : DType::f64) &&
           c.raw.stride == sizeof(T) && reinterpret_cast<std::uintptr_t>(c.raw.data) % alignof(T) == 0;
}

template <class T>
void copy(const Column& c, std::size_t begin, std::size_t end, T* to) {
    if (c.kind != ColumnKind::numeric) {
        for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<T>(c.number(i));
        return;
    }
    c.raw.visit([&](auto type) {
        using From = decltype(type);
        for (std::size_t i = begin; i < end; ++i) to[i] = static_cast<T>(c.raw.as<From>(i));
    });
}

}  // namespace

template <class T>
Values<T>::Values(const Frame& frame, Pool& pool) : Values(frame) {
    const std::size_t n = frame.n_rows();
    std::vector<std::uint32_t> copied;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
        if (readable<T>(frame.column(j)))
            columns_[j] = reinterpret_cast<const T*>(frame.column(j).raw.data);
        else
            copied.push_back(j);
    own_.resize(n * copied.size());
    for (std::size_t k = 0; k < copied.size(); ++k) columns_[copied[k]] = own_.data() + k * n;
    constexpr std::size_t block = 4096;
    pool.run_blocks(n, block, [&](std::size_t begin, std::size_t end) {
        constexpr std::size_t near = 16;  // rows whose values stay in the nearest cache
        for (std::size_t i = begin; i < end; i += near)
            for (std::size_t k = 0; k < copied.size(); ++k)
                copy(frame.column(copied[k]), i, std::min(end, i + near), own_.data() + k * n);
    });
}

template <class T>
void Values<T>::load(const Values& from, std::span<const std::uint32_t> columns,
                     std::span<const std::uint32_t> rows) {
    const std::size_t n = rows.size();
    own_.resize(std::max(own_.size(), n * columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) {
        T* const to = own_.data() + k * n;
        const T* const x = from.column(columns[k]);
        for (std::size_t i = 0; i < n; ++i) to[i] = x[rows[i]];
        columns_[columns[k]] = to;
    }
}

std::unique_ptr<AnyValues> values_of(const Frame& frame, Pool& pool) {
    bool narrow = true;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) narrow = narrow && fits_float(frame.column(j));
    if (narrow) return std::make_unique<AnyValues>(std::in_place_type<Values<float>>, frame, pool);
    return std::make_unique<AnyValues>(std::in_place_type<Values<double>>, frame, pool);
}

template class Values<float>;
template class Values<double>;

}  // namespace bosco
