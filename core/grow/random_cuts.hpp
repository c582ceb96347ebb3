// A node's best random cut. Nothing is sorted and nothing coded: one pass over a column's values
// gives its extremes, a second what lies left of the cut drawn between them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/values.hpp"
#include "grow/driver.hpp"
#include "grow/local_rows.hpp"
#include "grow/stop.hpp"
#include "score/choose.hpp"

namespace bosco {

// Rows by number: what they hold, and their values. All of the table, or a copy of a small node.
template <class T>
struct RowsAndValues {
    const LocalRows* rows = nullptr;
    const Values<T>* values = nullptr;
};

// Of the values of some rows; and is one missing?
template <class T>
struct Extremes {
    T low, high;
    bool missing;
};

// A plain cut, kept without allocating anything.
struct DrawnCut {
    std::uint32_t column = 0;
    double decrease = nothing;
    double threshold = 0;
    Count weight = 0;  // left of it
};

template <class T>
class RandomCuts {
public:
    RandomCuts(const Frame& frame, const Growth& growth, const Stop& stop, Shape shape)
        : frame_(frame),
          growth_(growth),
          stop_(stop),
          shape_(shape),
          closed_(frame.n_columns(), 0),
          left_(static_cast<std::size_t>(shape.slots())),
          best_left_(left_) {}

    // Finds the test of a node among the open columns; false if there is none. A plain cut is `best()`,
    // any other test (best().decrease is `nothing`) is `other`.
    bool find(const RowsAndValues<T>& given, const Seedling& seedling, std::span<const std::uint32_t> rows,
              std::span<const std::uint32_t> open, Candidate& other);

    const DrawnCut& best() const { return best_; }
    const T* values() const { return best_x_.data(); }       // of its column, row by row
    const Count* left() const { return best_left_.data(); }  // what lies left of it
    bool any_closed() const { return any_closed_; }          // were columns found constant?
    bool closed(std::uint32_t column) const { return closed_[column]; }

private:
    void gather_targets(std::span<const std::uint32_t> rows);
    Extremes<T> gather_values(std::uint32_t column, std::span<const std::uint32_t> rows);
    // Tallies what lies left of a cut, and returns its weight.
    Count tally_left(T threshold, std::size_t n, Count* left) const;
    void tally_missing(std::span<const std::uint32_t> rows, Count* missing) const;
    void read_levels(std::uint32_t column, std::span<const std::uint32_t> rows);
    void read_sides(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node,
                    Extremes<T> range);
    // Looks at one column; false if it is constant.
    bool look_at_table(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node,
                       Extremes<T> range);
    bool look(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node);

    const Frame& frame_;
    const Growth& growth_;
    const Stop& stop_;
    Shape shape_;
    RowsAndValues<T> given_;

    DrawnCut best_;
    std::vector<char> closed_;
    bool any_closed_ = false;
    std::vector<std::uint32_t> order_;  // of drawing columns
    // Of the node at hand, row by row: a column's values, and those of the best; weights and targets.
    std::vector<T> x_, best_x_;
    std::vector<std::uint64_t> pair_;  // two classes, weighted: weight << 32 | weight of the second
    std::vector<Count> weight_, sum_, samples_;
    std::vector<std::uint32_t> class_;
    bool units_ = false;  // two classes, every row weighs 1
    std::vector<Count> left_, best_left_;
    Table table_;
    std::vector<Count> cells_;  // of levels
    std::vector<char> met_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> items_;
    std::vector<Candidate> candidates_;
};

}  // namespace bosco
