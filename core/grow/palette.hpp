// The classes of a small node, numbered anew. A node of n rows has at most n of them: what is counted and
// scored there should not cost as much as all the classes of the tree.
//
// New numbers ascend with the old ones, and sums over classes skip nothing but zeros, so that every score
// is the same to the last digit. One class that the node has not (the lowest) stays, for all of those.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "grow/local_rows.hpp"

namespace bosco {

class Palette {
public:
    // Classes above which it pays.
    static constexpr int few = 64;

    // Takes the classes of the rows at(0) .. at(n - 1) given.
    template <class At>
    void take(const LocalRows& rows, std::size_t n, At at) {
        if (own_.size() < rows.cls.size()) own_.resize(rows.cls.size());
        number_.resize(static_cast<std::size_t>(rows.shape.classes), absent);
        classes_.clear();
        for (std::size_t k = 0; k < n; ++k) {
            std::uint32_t& number = number_[rows.cls[at(k)]];
            if (number == absent) number = 0, classes_.push_back(rows.cls[at(k)]);
        }
        std::sort(classes_.begin(), classes_.end());
        std::uint32_t other = 0;
        while (other < classes_.size() && classes_[other] == other) ++other;
        const bool lacks = other < number_.size();
        tally_.assign(classes_.size() + lacks + rows.shape.apart, 0);
        for (std::uint32_t k = 0; k < classes_.size(); ++k) number_[classes_[k]] = k + (lacks && k >= other);
        for (std::size_t k = 0; k < n; ++k) {
            const auto row = at(k);
            own_[row] = number_[rows.cls[row]];
            tally_[own_[row]] += rows.weight_of(row);
            if (rows.shape.apart) tally_.back() += rows.samples[row];
        }
        for (const std::uint32_t c : classes_) number_[c] = absent;
        shape_ = {static_cast<int>(classes_.size() + lacks), rows.shape.apart};
    }

    void add_to(Count* cell, const LocalRows& rows, std::size_t row) const {
        cell[own_[row]] += rows.weight_of(row);
        if (shape_.apart) cell[shape_.tally()] += rows.samples[row];
    }
    Shape shape() const { return shape_; }
    const Count* tally() const { return tally_.data(); }
    // The class of a row of the node, by its new number.
    const std::uint32_t* classes() const { return own_.data(); }

private:
    static constexpr std::uint32_t absent = 0xffffffff;

    Shape shape_;
    std::vector<Count> tally_;
    std::vector<std::uint32_t> own_;      // by local row
    std::vector<std::uint32_t> classes_;  // of the node, by their old numbers
    std::vector<std::uint32_t> number_;   // by old number: the new one
};

}  // namespace bosco
