// Rows as numbers of 40 bits, made of their values: equal rows have the same number, and it depends
// neither on where a row stands, nor on the types that hold its values, nor on threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/column.hpp"

namespace bosco {

// What is true of the rows: classes, or numbers, or nothing (both empty).
struct Truth {
    std::span<const std::uint32_t> classes;
    std::span<const double> numbers;

    bool known() const { return !classes.empty() || !numbers.empty(); }
    std::size_t size() const { return classes.empty() ? numbers.size() : classes.size(); }
};

constexpr int column_bits = 32, truth_bits = 8;  // of a key, the first from the columns alone

// The key of every row. Numbers count as float64, with one zero and one missing value; levels by their
// codes. Without a truth its bits are 0.
std::vector<std::uint64_t> row_keys(const Frame& frame, const Truth& truth, std::uint64_t seed, int n_threads,
                                    const std::function<void()>& poll = {});

// The smallest different keys, at most so many, ascending: those whose column bits are below `below`.
struct Fingerprint {
    std::vector<std::uint64_t> keys;
    std::uint64_t below = std::uint64_t{1} << column_bits;
};
Fingerprint fingerprint(const std::vector<std::uint64_t>& keys, std::size_t most);

}  // namespace bosco
