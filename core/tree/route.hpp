// Sending rows down a finished tree.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "tree/hop.hpp"
#include "tree/tree.hpp"
#include "tree/walk.hpp"

namespace bosco {

// The nodes of a tree, compiled. Where missing values go down all branches, the heaviest is taken. A test
// that is no binary cut, or has surrogates, is found by its node.
std::vector<Hop> hops_of(const Tree& tree, const Walker& walker);

// Reads the values of columns as numbers, by row: of columns that are all numbers of one type, quickly, or of
// any. `Real`: the smallest of float and double that holds them; void: not known.
template <class T>
struct Numbers {
    using Type = T;
    using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    std::vector<Raw> raws;
    Real operator()(std::size_t row, std::uint32_t column) const {
        return static_cast<Real>(raws[column].as<T>(row));
    }
    // Do a row's values lie side by side?
    bool by_row() const {
        for (std::size_t j = 1; j < raws.size(); ++j)
            if (raws[j].data != raws[0].data + j * sizeof(T) || raws[j].stride != raws[0].stride)
                return false;
        return true;
    }
};
struct AnyNumbers {
    using Real = void;
    const Frame& frame;
    double operator()(std::size_t row, std::uint32_t column) const {
        return frame.column(column).number(row);
    }
};
// Calls work(number) with what reads the columns that are asked for.
template <class Work>
void with_numbers(const Frame& frame, const std::vector<char>& asked, const Work& work) {
    const Column* first = nullptr;
    bool alike = true;
    std::vector<Raw> raws;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) {
        const Column& c = frame.column(j);
        raws.push_back(c.raw);
        if (!asked[j]) continue;
        if (first == nullptr) first = &c;
        alike = alike && c.kind == ColumnKind::numeric && c.raw.dtype == first->raw.dtype;
    }
    if (first == nullptr || !alike) return work(AnyNumbers{frame});
    first->raw.visit([&](auto type) {
        if constexpr (std::is_same_v<decltype(type), Stored>)
            work(AnyNumbers{frame});
        else
            work(Numbers<decltype(type)>{std::move(raws)});
    });
}

// The leaf of every row, or of some.
void route(const Tree& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf,
           std::span<const std::uint32_t> rows = {});

// The same for a few rows of a matrix of numbers, made ready in no time. `at(row, column)` gives a number.
template <class At>
void route_few(const Tree& tree, std::size_t n_columns, At at, std::span<std::int32_t> leaf) {
    if (tree.surrogates.size() > 0 || !tree.tests.jumps.empty()) throw Error("the tree is not plain");
    for (std::size_t row = 0; row < leaf.size(); ++row) {
        std::int32_t i = 0;
        while (!tree.leaf(i)) {
            const TestView test = tree.tests[tree.test[i]];
            const auto column = static_cast<std::size_t>(test.column);
            if (column >= n_columns || test.missing < 0) throw Error("the tree does not fit these rows");
            const int branch = test.ask(at(row, column));
            i = tree.first_child[i] + (branch >= 0 ? branch : test.missing);
        }
        leaf[row] = i;
    }
}

// For every row the sum of the rows of `values` of the leaves that it comes to, each times the row's share.
void values_by_share(const Tree& tree, const Frame& frame, std::span<const double> values, std::size_t width,
                     Pool& pool, std::span<double> out);

}  // namespace bosco
