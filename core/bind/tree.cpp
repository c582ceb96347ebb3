// Tree and TestPool: read-only views of their arrays, and their state for pickling.
#include <nanobind/stl/string.h>

#include <string>

#include "bind.hpp"

namespace bosco::bind {
namespace {

template <class T>
nb::object as_object(const std::vector<T>& v, nb::handle owner) {
    return nb::cast(view(v, owner));
}

}  // namespace

nb::dict pool_state(const TestPool& p, nb::handle owner) {
    nb::dict d;
    d["kind"] = as_object(p.kind, owner);
    d["column"] = as_object(p.column, owner);
    d["branches"] = as_object(p.branches, owner);
    d["missing"] = as_object(p.missing, owner);
    d["flip"] = as_object(p.flip, owner);
    d["threshold_begin"] = as_object(p.threshold_begin, owner);
    d["thresholds"] = as_object(p.thresholds, owner);
    d["jump_begin"] = as_object(p.jump_begin, owner);
    d["jumps"] = as_object(p.jumps, owner);
    return d;
}

TestPool pool_of(const nb::dict& d) {
    TestPool p;
    fetch(d, "kind", p.kind);
    fetch(d, "column", p.column);
    fetch(d, "branches", p.branches);
    fetch(d, "missing", p.missing);
    fetch(d, "flip", p.flip);
    fetch(d, "threshold_begin", p.threshold_begin);
    fetch(d, "thresholds", p.thresholds);
    fetch(d, "jump_begin", p.jump_begin);
    fetch(d, "jumps", p.jumps);
    return p;
}

namespace {

nb::dict tree_state(nb::object self) {
    const Tree& t = nb::cast<Tree&>(self);
    nb::dict d;
    d["n_classes"] = t.n_classes;
    d["weight_scale"] = t.weight_scale;
    d["count_scale"] = t.count_scale;
    d["center"] = t.center;
    d["scale"] = t.scale;
    d["test"] = as_object(t.test, self);
    d["parent"] = as_object(t.parent, self);
    d["first_child"] = as_object(t.first_child, self);
    d["n_children"] = as_object(t.n_children, self);
    d["tally"] = as_object(t.tally, self);
    d["count"] = as_object(t.count, self);
    d["known"] = as_object(t.known, self);
    d["value"] = as_object(t.value, self);
    d["impurity"] = as_object(t.impurity, self);
    d["gain"] = as_object(t.gain, self);
    d["tests"] = pool_state(t.tests, self);
    d["surrogates"] = pool_state(t.surrogates, self);
    d["surrogate_begin"] = as_object(t.surrogate_begin, self);
    d["candidates"] = pool_state(t.candidates, self);
    d["candidate_begin"] = as_object(t.candidate_begin, self);
    d["candidate_gain"] = as_object(t.candidate_gain, self);
    d["candidate_split_info"] = as_object(t.candidate_split_info, self);
    d["candidate_penalty"] = as_object(t.candidate_penalty, self);
    return d;
}

}  // namespace

Tree tree_of(const nb::dict& d) {
    Tree t;
    t.n_classes = nb::cast<int>(d["n_classes"]);
    t.weight_scale = nb::cast<double>(d["weight_scale"]);
    t.count_scale = nb::cast<double>(d["count_scale"]);
    t.center = nb::cast<double>(d["center"]);
    t.scale = nb::cast<double>(d["scale"]);
    fetch(d, "test", t.test);
    fetch(d, "parent", t.parent);
    fetch(d, "first_child", t.first_child);
    fetch(d, "n_children", t.n_children);
    fetch(d, "tally", t.tally);
    fetch(d, "count", t.count);
    fetch(d, "known", t.known);
    fetch(d, "value", t.value);
    fetch(d, "impurity", t.impurity);
    fetch(d, "gain", t.gain);
    t.tests = pool_of(nb::cast<nb::dict>(d["tests"]));
    t.surrogates = pool_of(nb::cast<nb::dict>(d["surrogates"]));
    fetch(d, "surrogate_begin", t.surrogate_begin);
    t.candidates = pool_of(nb::cast<nb::dict>(d["candidates"]));
    fetch(d, "candidate_begin", t.candidate_begin);
    fetch(d, "candidate_gain", t.candidate_gain);
    fetch(d, "candidate_split_info", t.candidate_split_info);
    fetch(d, "candidate_penalty", t.candidate_penalty);
    t.check();
    return t;
}

#define BOSCO_ARRAY(Class, field) \
    def_prop_ro(#field, [](nb::object self) { return view(nb::cast<Class&>(self).field, self); })

void bind_tree(nb::module_& m) {
    nb::class_<TestPool>(m, "TestPool", "Tests as parallel arrays.")
        .def("__len__", &TestPool::size)
        .BOSCO_ARRAY(TestPool, kind)
        .BOSCO_ARRAY(TestPool, column)
        .BOSCO_ARRAY(TestPool, branches)
        .BOSCO_ARRAY(TestPool, missing)
        .BOSCO_ARRAY(TestPool, flip)
        .BOSCO_ARRAY(TestPool, threshold_begin)
        .BOSCO_ARRAY(TestPool, thresholds)
        .BOSCO_ARRAY(TestPool, jump_begin)
        .BOSCO_ARRAY(TestPool, jumps);
    nb::class_<Tree>(m, "Tree", "A learned tree: parallel arrays, children after their parent.")
        .def_prop_ro("n_nodes", &Tree::n_nodes)
        .def_ro("n_classes", &Tree::n_classes)
        .def_ro("weight_scale", &Tree::weight_scale)
        .def_ro("count_scale", &Tree::count_scale)
        .def_ro("center", &Tree::center)
        .def_ro("scale", &Tree::scale)
        .BOSCO_ARRAY(Tree, test)
        .BOSCO_ARRAY(Tree, parent)
        .BOSCO_ARRAY(Tree, first_child)
        .BOSCO_ARRAY(Tree, n_children)
        .def_prop_ro("tally",
                     [](nb::object self) {
                         const Tree& t = nb::cast<Tree&>(self);
                         return view(t.tally, static_cast<std::size_t>(t.slots()), self);
                     })
        .BOSCO_ARRAY(Tree, count)
        .BOSCO_ARRAY(Tree, known)
        .def_prop_ro("value",
                     [](nb::object self) {
                         const Tree& t = nb::cast<Tree&>(self);
                         return view(t.value, static_cast<std::size_t>(t.width()), self);
                     })
        .BOSCO_ARRAY(Tree, impurity)
        .BOSCO_ARRAY(Tree, gain)
        .def_ro("tests", &Tree::tests)
        .def_ro("surrogates", &Tree::surrogates)
        .BOSCO_ARRAY(Tree, surrogate_begin)
        .def_ro("candidates", &Tree::candidates)
        .BOSCO_ARRAY(Tree, candidate_begin)
        .BOSCO_ARRAY(Tree, candidate_gain)
        .BOSCO_ARRAY(Tree, candidate_split_info)
        .BOSCO_ARRAY(Tree, candidate_penalty)
        .def("state", &tree_state, "Everything in it, as plain arrays and numbers.");
    m.def("tree_from_state", &tree_of, nb::arg("state"), "A tree from its state, checked throughout.");
}

}  // namespace bosco::bind
