// A tree grown from outside, node by node: sketch.hpp.
#include "grow/sketch.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "wide.hpp"

namespace bosco::bind {
namespace {

using PyHeld = std::pair<Vector<Count>, nb::int_>;

Sketch::Held held_of(const PyHeld& held) { return {list<Count>(held.first), wide_of(held.second)}; }

}  // namespace

void bind_sketch(nb::module_& m) {
    nb::class_<Sketch>(m, "Sketch", "A tree that is grown node by node, from tables alone.")
        .def(
            "__init__",
            [](Sketch* self, const Task& task, const PyHeld& root) {
                new (self) Sketch(task, held_of(root));
            },
            nb::arg("task"), nb::arg("root"), nb::keep_alive<1, 2>(),
            "`root`: what it holds, a tally and the sum of w y^2 of a real target.")
        .def("__len__", &Sketch::n_nodes)
        .def(
            "weight",
            [](const Sketch& self, std::int32_t node) {
                return self.task().scales.shape.weight(self.held(node).tally.data());
            },
            nb::arg("node"), "The weight of its rows, in fixed point.")
        .def(
            "samples",
            [](const Sketch& self, std::int32_t node) {
                const Shape shape = self.task().scales.shape;
                const Count* tally = self.held(node).tally.data();
                return shape.samples(tally, shape.weight(tally));
            },
            nb::arg("node"), "Its samples, in fixed-point units of one.")
        .def(
            "open",
            [](const Sketch& self, std::int32_t node) {
                const Sketch::Held& held = self.held(node);
                return std::make_unique<Open>(self.task(), held.tally, held.squares, self.standing(node));
            },
            nb::arg("node"), nb::keep_alive<0, 1>(), "A node, to choose its test.")
        .def(
            "path", [](const Sketch& self, std::int32_t node) { return self.standing(node).path; },
            nb::arg("node"), "The branches that lead to it.")
        .def(
            "bounds",
            [](const Sketch& self, std::int32_t node) {
                const Bounds b = self.standing(node).bounds;
                return std::make_pair(b.low, b.high);
            },
            nb::arg("node"), "Its monotone bounds.")
        .def(
            "banned",
            [](const Sketch& self, std::int32_t node, std::size_t n_columns) {
                std::vector<char> banned = self.standing(node).banned;
                banned.resize(n_columns, 0);
                std::vector<std::uint8_t> marks(banned.begin(), banned.end());
                return give(std::move(marks));
            },
            nb::arg("node"), nb::arg("n_columns"), "Which columns take no part below it.")
        .def(
            "asked", [](const Sketch& self, std::int32_t node) { return self.standing(node).asked; },
            nb::arg("node"), "The columns asked on the way, if they have prices, and the weights that asked.")
        .def("decrease", &Sketch::decrease, nb::arg("node"), "Of the test that was chosen.")
        .def("records", &Sketch::records, nb::arg("node"), "Whether what is compared there is kept.")
        .def("records_all", &Sketch::records_all, nb::arg("node"),
             "Whether every column's own best is kept there, not only what is near the best.")
        .def("record", &Sketch::record, nb::arg("node"), nb::arg("candidates"))
        .def("choose", &Sketch::choose, nb::arg("node"), nb::arg("candidate"))
        .def(
            "split",
            [](Sketch& self, std::int32_t node, std::vector<Test> surrogates,
               const std::vector<PyHeld>& branches, const std::vector<Count>& known) {
                std::vector<Sketch::Held> held;
                for (const PyHeld& branch : branches) held.push_back(held_of(branch));
                return self.split(node, std::move(surrogates), held, known);
            },
            nb::arg("node"), nb::arg("surrogates"), nb::arg("branches"), nb::arg("known"),
            "Gives a node the test that was chosen, and its branches what they hold; returns the first.")
        .def("tree", &Sketch::tree, "The tree, as a growth would have laid it out.");
}

}  // namespace bosco::bind
