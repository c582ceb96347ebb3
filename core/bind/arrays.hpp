// The only ownership code: arrays from Python are viewed and kept alive, arrays to Python are
// read-only views that keep their owner alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <type_traits>
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

// A view of memory that `owner` holds; with `columns`, as rows of so many.
template <class T>
Out<T> view(const T* data, std::size_t size, nb::handle owner) {
    return Out<T>(data, 1, &size, owner);
}
template <class T>
Out<T> view(const T* data, std::size_t size, std::size_t columns, nb::handle owner) {
    const std::size_t shape[2] = {columns ? size / columns : 0, columns};
    return Out<T>(data, 2, shape, owner);
}

// Memory given away to Python; `columns`, if any, as above.
template <class As = void, class T, class... Columns>
auto give(std::vector<T>&& v, Columns... columns) {
    using Seen = std::conditional_t<std::is_void_v<As>, T, As>;
    static_assert(sizeof(Seen) == sizeof(T));
    auto* kept = new std::vector<T>(std::move(v));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return view(reinterpret_cast<const Seen*>(kept->data()), kept->size(), columns..., owner);
}

}  // namespace bosco::bind
