// The waist: one column at one node, as (code, tally) of the codes present, in order of code.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tally.hpp"

namespace bosco {

struct Table {
    Shape shape;
    std::vector<std::uint32_t> codes;
    std::vector<double> values;  // of ordered columns; empty for nominal ones
    std::vector<Count> cells;    // size() * slots
    std::vector<Count> missing;  // one cell
    std::uint32_t n_codes = 0;   // of the column's domain

    void reset(Shape s) {
        shape = s;
        codes.clear();
        values.clear();
        cells.clear();
        missing.assign(static_cast<std::size_t>(s.slots()), 0);
        n_codes = 0;
    }
    // Makes room for so many values.
    void reserve(std::size_t n) {
        codes.reserve(n);
        values.reserve(n);
        cells.reserve(n * static_cast<std::size_t>(shape.slots()));
    }
    int size() const { return static_cast<int>(codes.size()); }
    const Count* cell(int i) const { return cells.data() + i * static_cast<std::size_t>(shape.slots()); }
    Count weight(int i) const { return shape.weight(cell(i)); }
    Count samples(int i) const { return shape.samples(cell(i), weight(i)); }
    bool any_missing() const { return shape.weight(missing.data()) > 0; }
    // Adds a cell for a new code and returns it, zeroed.
    Count* push(std::uint32_t code) {
        codes.push_back(code);
        cells.resize(cells.size() + static_cast<std::size_t>(shape.slots()), 0);
        return cells.data() + cells.size() - static_cast<std::size_t>(shape.slots());
    }
    std::vector<Count> total() const {
        std::vector<Count> t(static_cast<std::size_t>(shape.slots()), 0);
        for (int i = 0; i < size(); ++i) add(t.data(), cell(i), shape.slots());
        return t;
    }
};

}  // namespace bosco
