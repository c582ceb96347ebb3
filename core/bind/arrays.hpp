// The only ownership code: arrays from Python are viewed and kept alive, arrays to Python are
// read-only views that keep their owner alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bosco::bind {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& a) {
    return {a.data(), a.shape(0)};
}

template <class T, class U>
std::vector<T> list(const Vector<U>& a) {
    return {a.data(), a.data() + a.shape(0)};
}

template <class T>
using Out = nb::ndarray<nb::numpy, const T>;

// A view of memory that `owner` holds.
template <class T>
Out<T> view(const std::vector<T>& v, nb::handle owner) {
    const std::size_t shape[1] = {v.size()};
    return Out<T>(v.data(), 1, shape, owner);
}
template <class T>
Out<T> view(const std::vector<T>& v, std::size_t columns, nb::handle owner) {
    const std::size_t shape[2] = {columns ? v.size() / columns : 0, columns};
    return Out<T>(v.data(), 2, shape, owner);
}

// Memory given away to Python.
template <class T>
Out<T> give(std::vector<T>&& v) {
    auto* kept = new std::vector<T>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const std::size_t shape[1] = {kept->size()};
    return Out<T>(kept->data(), 1, shape, owner);
}
template <class T>
Out<T> give(std::vector<T>&& v, std::size_t columns) {
    auto* kept = new std::vector<T>(std::move(v));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    const std::size_t shape[2] = {columns ? kept->size() / columns : 0, columns};
    return Out<T>(kept->data(), 2, shape, owner);
}

}  // namespace bosco::bind
