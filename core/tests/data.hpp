// Small data for tests: columns and targets that own what a Frame and a Target only refer to.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "data/random.hpp"
#include "grow/grow.hpp"

namespace bosco::check {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

class Data {
public:
    explicit Data(std::size_t n_rows) : frame_(n_rows) {}

    Data& numeric(std::vector<double> x) {
        numbers_.push_back(std::move(x));
        Raw raw;
        raw.data = reinterpret_cast<const std::byte*>(numbers_.back().data());
        raw.stride = sizeof(double);
        frame_.add_numeric(raw);
        return *this;
    }
    Data& coded(std::vector<std::uint8_t> codes, std::uint32_t n_codes, bool ordered) {
        codes_.push_back(std::move(codes));
        frame_.add_coded(reinterpret_cast<const std::byte*>(codes_.back().data()), 1, n_codes, ordered);
        return *this;
    }
    Data& nominal(std::vector<std::uint8_t> codes, std::uint32_t n) {
        return coded(std::move(codes), n, false);
    }
    Data& ordinal(std::vector<std::uint8_t> codes, std::uint32_t n) {
        return coded(std::move(codes), n, true);
    }
    Data& lie_in(const std::string& folder) {
        frame_.lie_in(folder);
        return *this;
    }
    Data& encode(int max_bins = 255, int n_threads = 1) {
        frame_.encode(n_threads, max_bins);
        return *this;
    }
    const Frame& frame() const { return frame_; }

private:
    std::deque<std::vector<double>> numbers_;
    std::deque<std::vector<std::uint8_t>> codes_;
    Frame frame_;
};

struct Goal {
    std::vector<std::uint32_t> classes;
    std::vector<Count> y;
    int n_classes = 0;
    std::vector<Count> weight, count;

    Target target() const {
        Target t;
        t.classes = classes;
        t.y = y;
        t.n_classes = n_classes;
        t.weight = weight;
        t.count = count;
        return t;
    }
};

inline Goal classes(std::vector<std::uint32_t> codes, int n) {
    Goal g;
    g.classes = std::move(codes);
    g.n_classes = n;
    return g;
}
inline Goal reals(std::vector<Count> y) {
    Goal g;
    g.y = std::move(y);
    return g;
}

inline Tuning tuning(std::size_t small_rows, std::size_t parallel_rows) {
    Tuning t;
    t.small_rows = small_rows;
    t.cheaper = 1;  // small is what is said here
    t.parallel_rows = parallel_rows;
    return t;
}

inline Tree grown(const Data& data, const Goal& goal, const Growth& growth, int n_threads = 1,
                  const Tuning& how = {}) {
    Tree tree = grow(data.frame(), goal.target(), growth, n_threads, how, {}).tree;
    tree.check();
    return tree;
}

// A stream of keyed draws, the same on every machine.
struct Draws {
    std::uint64_t key, at = 0;
    explicit Draws(std::uint64_t seed) : key(seed) {}
    std::uint64_t bits() { return mix(key, at++); }
    double real() { return unit(bits()); }
    Count below(Count n) { return static_cast<Count>(bits() % static_cast<std::uint64_t>(n)); }
};

// Five columns of numbers with ties, missing and infinite ones; not encoded yet.
inline Data rough(std::size_t n, Draws& draw) {
    Data data(n);
    for (int j = 0; j < 5; ++j) {
        std::vector<double> x;
        for (std::size_t i = 0; i < n; ++i) {
            const double u = draw.real();
            x.push_back(j == 1 && u < 0.1   ? none
                        : j == 2 && u < 0.1 ? infinite
                        : j == 3            ? static_cast<double>(draw.below(400))
                                            : u);
        }
        data.numeric(std::move(x));
    }
    return data;
}

inline bool same(const TestPool& a, const TestPool& b) {
    return a.kind == b.kind && a.column == b.column && a.branches == b.branches && a.missing == b.missing &&
           a.flip == b.flip && a.threshold_begin == b.threshold_begin && a.jump_begin == b.jump_begin &&
           a.thresholds == b.thresholds && a.jumps == b.jumps;
}
inline bool same(const Tree& a, const Tree& b) {
    return a.n_classes == b.n_classes && a.test == b.test && a.parent == b.parent &&
           a.first_child == b.first_child && a.n_children == b.n_children && a.tally == b.tally &&
           a.count == b.count && a.known == b.known && a.value == b.value && a.impurity == b.impurity &&
           a.gain == b.gain && same(a.tests, b.tests) && same(a.surrogates, b.surrogates) &&
           a.surrogate_begin == b.surrogate_begin && same(a.candidates, b.candidates) &&
           a.candidate_begin == b.candidate_begin && a.candidate_gain == b.candidate_gain &&
           a.candidate_split_info == b.candidate_split_info && a.candidate_penalty == b.candidate_penalty;
}

}  // namespace bosco::check
