// Counting codes against the target: one pass over a node's records fills all columns' histograms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/table.hpp"
#include "grow/rows.hpp"

namespace bosco {

// Where each column's counts lie in a node's histogram. A cell is, per code,
//   packed: two class counts in one word (two classes, less than 2^32 of weight)
//   else:   the tally's slots, and for a real target the sum of squares as a double (for bounds).
class HistogramLayout {
public:
    explicit HistogramLayout(const Rows& rows);

    std::size_t size() const { return size_; }
    std::size_t offset(std::uint32_t column) const { return offset_[column]; }
    int cell() const { return cell_; }
    bool packed() const { return packed_; }
    bool squares() const { return squares_; }

private:
    std::vector<std::size_t> offset_;
    std::size_t size_ = 0;
    int cell_ = 1;
    bool packed_ = false;
    bool squares_ = false;
};

using Histogram = std::vector<std::uint64_t>;

// Fills the histograms of some columns (zeroing them first).
void tabulate(const Rows& rows, const HistogramLayout& layout, Segment segment,
              std::span<const std::uint32_t> columns, std::uint64_t* histogram);

// larger -= smaller: the sibling's histogram from the parent's.
void subtract(const HistogramLayout& layout, const Frame& frame, std::uint32_t column, std::uint64_t* from,
              const std::uint64_t* what);

// The table of one column, codes present only; `squares` receives the sums of squares.
void read_table(const Rows& rows, const HistogramLayout& layout, std::uint32_t column,
                const std::uint64_t* histogram, Table& table, std::vector<double>* squares);

// The table of one column straight from the records, for few rows or many codes (dense columns).
void count_table(const Rows& rows, Segment segment, std::uint32_t column, Table& table);

}  // namespace bosco
