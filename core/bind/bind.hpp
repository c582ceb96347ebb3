// What the parts of the module share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "grow/grow.hpp"

namespace bosco::bind {

// A frame or a target, and the Python arrays that it looks at.
struct PyFrame {
    Frame frame;
    std::vector<nb::object> kept;
};
struct PyTarget {
    Target target;
    std::vector<nb::object> kept;
};

// A packed tree, which nobody changes.
struct PyPacked {
    std::shared_ptr<const Packed> tree;
};

Growth growth_of(const nb::dict& settings);
Tuning tuning_of(const nb::dict& settings);
Tree tree_of(const nb::dict& state);
nb::dict pool_state(const TestPool& pool, nb::handle owner);
TestPool pool_of(const nb::dict& state);

// An array of a state, copied; an Error says what is missing or wrong.
template <class T>
void fetch(const nb::dict& d, const char* key, std::vector<T>& to) {
    if (!d.contains(key)) throw Error(std::string("the state lacks '") + key + "'");
    Vector<T> a;
    if (!nb::try_cast(d[key], a))
        throw Error(std::string("'") + key + "' of the state is not an array of the right type");
    to.assign(a.data(), a.data() + a.shape(0));
}

// Runs work without the interpreter lock; Ctrl-C stops it.
template <class F>
auto unlocked(F&& work) {
    const std::function<void()> poll = [] {
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw Interrupted{};
    };
    try {
        nb::gil_scoped_release release;
        return work(poll);
    } catch (const Interrupted&) {
        throw nb::python_error();
    }
}

void bind_growth(nb::module_& m);
void bind_frame(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_packed(nb::module_& m);
void bind_verbs(nb::module_& m);
void bind_sketch(nb::module_& m);
void bind_prune(nb::module_& m);
void bind_shap(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_boost(nb::module_& m);

}  // namespace bosco::bind
