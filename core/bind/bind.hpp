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

    // For those who know of one output only.
    const Target& one() const {
        if (target.shape().several()) throw Error("this is for one output, and the target has several");
        return target;
    }
};

// A packed tree, which nobody changes.
struct PyPacked {
    std::shared_ptr<const Packed> tree;
};

Growth growth_of(const nb::dict& settings);
Tuning tuning_of(const nb::dict& settings);
Criterion criterion_of(const nb::dict& settings);
const char* word_of(Criterion criterion);

// An array of a state, copied; an Error says what is missing or wrong.
template <class T>
void fetch(const nb::dict& d, const char* key, std::vector<T>& to) {
    if (!d.contains(key)) throw Error(std::string("the state lacks '") + key + "'");
    Vector<T> a;
    if (!nb::try_cast(d[key], a))
        throw Error(std::string("'") + key + "' of the state is not an array of the right type");
    to.assign(a.data(), a.data() + a.shape(0));
}

// The fields of a value that can be taken apart, by name: numbers, arrays, and pools of tests. Each such type
// has its own list; of an array that is shown as a matrix the list says how many columns it has.
template <class Visit>
void each_field(const TestPool&, Visit visit) {
    visit("kind", &TestPool::kind);
    visit("column", &TestPool::column);
    visit("branches", &TestPool::branches);
    visit("missing", &TestPool::missing);
    visit("flip", &TestPool::flip);
    visit("threshold_begin", &TestPool::threshold_begin);
    visit("thresholds", &TestPool::thresholds);
    visit("jump_begin", &TestPool::jump_begin);
    visit("jumps", &TestPool::jumps);
}

// All of them as plain values; the arrays are views of what `owner` holds.
template <class T>
nb::dict state_of(const T& from, nb::handle owner) {
    nb::dict d;
    each_field(from, [&](const char* name, auto field, auto...) {
        const auto& value = from.*field;
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
            d[name] = value;
        else if constexpr (std::is_same_v<decltype(value), const TestPool&>)
            d[name] = state_of(value, owner);
        else
            d[name] = nb::cast(view(value.data(), value.size(), owner));
    });
    return d;
}
// And back: not checked yet.
template <class T>
T from_state(const nb::dict& d) {
    T made;
    each_field(made, [&](const char* name, auto field, auto...) {
        auto& value = made.*field;
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<Value>)
            value = nb::cast<Value>(d[name]);
        else if constexpr (std::is_same_v<Value, TestPool>)
            value = from_state<TestPool>(nb::cast<nb::dict>(d[name]));
        else
            fetch(d, name, value);
    });
    return made;
}
// Each as a property that cannot be set.
template <class T>
void show_fields(nb::class_<T>& c) {
    each_field(T{}, [&](const char* name, auto field, auto... columns) {
        using Value = std::remove_cvref_t<decltype(std::declval<T&>().*field)>;
        if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, TestPool>)
            c.def_ro(name, field);
        else
            c.def_prop_ro(name, [=](nb::object self) {
                const T& own = nb::cast<T&>(self);
                const auto& value = own.*field;
                return view(value.data(), value.size(), static_cast<std::size_t>((own.*columns)())..., self);
            });
    });
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
void bind_search(nb::module_& m);
void bind_farther(nb::module_& m);

}  // namespace bosco::bind
