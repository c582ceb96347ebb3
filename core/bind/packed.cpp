// PackedTree: a large tree that sends rows to its leaves, and unfolds into arrays.
#include "tree/packed.hpp"

#include <memory>

#include "bind.hpp"

namespace bosco::bind {
namespace {

template <class T>
void bind_leaf_of_few(nb::class_<PyPacked>& c) {
    c.def(
        "route_few",
        [](const PyPacked& self, const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x) {
            std::vector<std::int32_t> leaf(x.shape(0));
            for (std::size_t row = 0; row < leaf.size(); ++row)
                leaf[row] = self.tree->leaf([&](std::uint32_t column) {
                    if (column >= x.shape(1)) throw Error("the tree does not fit these rows");
                    return static_cast<double>(x.data()[static_cast<std::int64_t>(row) * x.stride(0) +
                                                        static_cast<std::int64_t>(column) * x.stride(1)]);
                });
            return give(std::move(leaf));
        },
        nb::arg("x").noconvert(), "The leaves of a few rows of floats.");
}

}  // namespace

void bind_packed(nb::module_& m) {
    nb::class_<PyPacked> c(m, "PackedTree",
                           "A large tree of binary cuts in few bytes: all that cannot be derived.");
    c.def_prop_ro("n_nodes", [](const PyPacked& self) { return self.tree->n_nodes(); });
    c.def_prop_ro("n_leaves", [](const PyPacked& self) { return self.tree->n_leaves(); });
    c.def_prop_ro("depth", [](const PyPacked& self) { return self.tree->depth(); });
    c.def_prop_ro("n_bytes", [](const PyPacked& self) { return self.tree->n_bytes(); });
    c.def(
        "unfold",
        [](const PyPacked& self) { return unlocked([&](const auto&) { return self.tree->unfold(); }); },
        "The tree as arrays.");
    c.def(
        "leaf_value",
        [](const PyPacked& self) {
            return give(self.tree->leaf_values(), static_cast<std::size_t>(self.tree->width()));
        },
        "What every leaf says, by node; 0 for inner nodes.");
    c.def(
        "route",
        [](const PyPacked& self, const PyFrame& frame, int n_threads) {
            std::vector<std::int32_t> leaf(frame.frame.n_rows());
            unlocked([&](const auto& poll) {
                Pool pool(frame.frame.n_rows() < 20000 ? 1 : n_threads, poll);
                route(*self.tree, frame.frame, pool, leaf);
            });
            return give(std::move(leaf));
        },
        nb::arg("frame"), nb::arg("n_threads") = 1, "The leaf of every row.");
    bind_leaf_of_few<double>(c);
    bind_leaf_of_few<float>(c);
}

}  // namespace bosco::bind
