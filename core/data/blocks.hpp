// Values of a column that lies in a file, asked for row by row: read block by block in the order of the file,
// as disks like it, some blocks ahead of their use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "data/column.hpp"

namespace bosco {

// Of one column so many rows are read at a time.
constexpr std::size_t rows_in_stretch = 4 * rows_in_block;

// Brings items into the order of the stretches in which their rows lie, and returns where each begins.
template <class Item, class RowOf>
std::vector<std::size_t> sort_by_stretch(std::size_t n_rows, std::vector<Item>& items, const RowOf& row_of) {
    const auto stretch_of = [&](const Item& item) {
        return static_cast<std::size_t>(row_of(item)) / rows_in_stretch;
    };
    std::vector<std::size_t> begin((n_rows + rows_in_stretch - 1) / rows_in_stretch + 1, 0);
    for (const Item& item : items) ++begin[stretch_of(item) + 1];
    for (std::size_t b = 1; b < begin.size(); ++b) begin[b] += begin[b - 1];
    if (std::ranges::is_sorted(items, {}, stretch_of)) return begin;
    std::vector<std::size_t> next = begin;
    std::vector<Item> sorted(items.size());
    for (const Item& item : items) sorted[next[stretch_of(item)]++] = item;
    items.swap(sorted);
    return begin;
}

// Calls take(item, value) for every item; they change their order. One stretch is left to whoever has it.
template <class Item, class RowOf, class Take>
void each_in_order(const Raw& raw, std::size_t n_rows, std::vector<Item>& items, const RowOf& row_of,
                   const Take& take) {
    constexpr std::size_t ahead = 4;  // stretches
    constexpr std::size_t few = 2;    // so few rows of a stretch are pages of their own
    const std::vector<std::size_t> begin = sort_by_stretch(n_rows, items, row_of);
    const std::size_t stretches = begin.size() - 1;
    const auto end_of = [&](std::size_t b) { return std::min(n_rows, (b + 1) * rows_in_stretch); };
    const auto expect = [&](std::size_t b) {
        if (b < stretches && begin[b + 1] - begin[b] > few && stretches > 1)
            raw.expect(b * rows_in_stretch, end_of(b));
    };
    for (std::size_t b = 0; b < std::min(ahead, stretches); ++b) expect(b);
    for (std::size_t b = 0; b < stretches; ++b) {
        expect(b + ahead);
        if (begin[b] == begin[b + 1]) continue;
        raw.visit([&](auto type) {
            using T = decltype(type);
            for (std::size_t k = begin[b]; k < begin[b + 1]; ++k)
                take(items[k], static_cast<double>(raw.as<T>(static_cast<std::size_t>(row_of(items[k])))));
        });
        if (stretches > 1) raw.leave(b * rows_in_stretch, end_of(b));
    }
}

// The same of all rows of several columns: a block is at hand, and the next ones are asked for.
inline void expect_after(const Raw& raw, std::size_t begin, std::size_t n_rows) {
    const std::size_t end = std::min(n_rows, begin + rows_in_block);
    raw.expect(begin == 0 ? begin : end, std::min(n_rows, end + 2 * rows_in_block));
}

}  // namespace bosco
