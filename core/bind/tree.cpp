// Tree and TestPool: read-only views of their arrays, and their state for pickling.
#include "bind.hpp"

namespace bosco::bind {

template <class Visit>
void each_field(const Tree&, Visit visit) {
    visit("n_classes", &Tree::n_classes);
    visit("weight_scale", &Tree::weight_scale);
    visit("count_scale", &Tree::count_scale);
    visit("center", &Tree::center);
    visit("scale", &Tree::scale);
    visit("test", &Tree::test);
    visit("parent", &Tree::parent);
    visit("first_child", &Tree::first_child);
    visit("n_children", &Tree::n_children);
    visit("tally", &Tree::tally, &Tree::slots);
    visit("count", &Tree::count);
    visit("known", &Tree::known);
    visit("value", &Tree::value, &Tree::width);
    visit("impurity", &Tree::impurity);
    visit("gain", &Tree::gain);
    visit("tests", &Tree::tests);
    visit("surrogates", &Tree::surrogates);
    visit("surrogate_begin", &Tree::surrogate_begin);
    visit("candidates", &Tree::candidates);
    visit("candidate_begin", &Tree::candidate_begin);
    visit("candidate_gain", &Tree::candidate_gain);
    visit("candidate_split_info", &Tree::candidate_split_info);
    visit("candidate_penalty", &Tree::candidate_penalty);
}

void bind_tree(nb::module_& m) {
    nb::class_<TestPool> pool(m, "TestPool", "Tests as parallel arrays.");
    pool.def("__len__", &TestPool::size);
    show_fields(pool);
    nb::class_<Tree> tree(m, "Tree", "A learned tree: parallel arrays, children after their parent.");
    tree.def_prop_ro("n_nodes", &Tree::n_nodes);
    show_fields(tree);
    tree.def(
        "state",
        [](nb::object self) {
            const Tree& t = nb::cast<Tree&>(self);
            nb::dict state = state_of(t, self);
            if (t.sums > 1) state["sums"] = t.sums;  // of several outputs: most trees have one
            return state;
        },
        "Everything in it, as plain arrays and numbers.");
    m.def(
        "tree_from_state",
        [](const nb::dict& state) {
            Tree t = from_state<Tree>(state);
            if (state.contains("sums")) t.sums = nb::cast<int>(state["sums"]);
            t.check();
            return t;
        },
        nb::arg("state"), "A tree from its state, checked throughout.");
}

}  // namespace bosco::bind
