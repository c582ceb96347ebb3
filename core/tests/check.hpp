// The smallest test frame that will do, without macros:
//   static const Test stump{"a stump has two leaves", [] { equal(grow(...).leaves(), 2); }};
// A failed check is reported with its place, and the test goes on; main.cpp runs all of them.
#pragma once

#include <cmath>
#include <iostream>
#include <source_location>
#include <string_view>
#include <vector>

namespace bosco::check {

using Place = std::source_location;

struct Test {
    std::string_view name;
    void (*body)();

    Test(std::string_view name_, void (*body_)()) : name(name_), body(body_) { all().push_back(*this); }

    static std::vector<Test>& all() {
        static std::vector<Test> tests;
        return tests;
    }
};

inline int failures = 0;

inline std::ostream& fail(const Place& at) {
    ++failures;
    return std::cerr << at.file_name() << ":" << at.line() << ": ";
}

inline void holds(bool condition, const Place& at = Place::current()) {
    if (!condition) fail(at) << "does not hold\n";
}

template <class Got, class Expected>
void equal(const Got& got, const Expected& expected, const Place& at = Place::current()) {
    if (got == expected) return;
    if constexpr (requires { std::cerr << got << expected; })
        fail(at) << "got " << got << ", expected " << expected << "\n";
    else
        fail(at) << "not equal\n";
}

inline void near(double got, double expected, double tolerance, const Place& at = Place::current()) {
    if (std::abs(got - expected) <= tolerance) return;
    fail(at) << "got " << got << ", expected " << expected << " ± " << tolerance << "\n";
}

template <class Exception, class Act>
void throws(Act&& act, const Place& at = Place::current()) {
    try {
        act();
    } catch (const Exception&) {
        return;
    }
    fail(at) << "did not throw\n";
}

}  // namespace bosco::check
