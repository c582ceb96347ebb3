// The weights of boosted rows, all of them or a part: a double for one sample of each row, and the whole
// numbers that a round counts. What becomes of a row's weight depends on that row and on sums alone.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/parallel.hpp"
#include "data/tally.hpp"
#include "tree/tree.hpp"

namespace bosco {

constexpr int boost_bits = 50;  // a round's weights are whole numbers over 2^50

// The weight of the rows that a tree has right, and of those that it has wrong, by what its leaves hold.
std::pair<Count, Count> weighed(const Tree& tree);

class Weighing {
public:
    // `share`: of one sample of each row; `times`: samples of each row (empty: one), looked at while this
    // lives.
    Weighing(std::span<const double> share, std::span<const Count> times, Pool& pool);

    std::size_t n_rows() const { return share_.size(); }
    // The round's whole numbers; they stay where they are.
    std::span<const Count> fixed() const { return fixed_; }
    double weight(std::size_t row) const { return share_[row] * static_cast<double>(times(row)); }

    // Marks the rows that the leaves they ended in have wrong; returns the samples of every node, which the
    // round's weights do not tell.
    std::vector<Count> mark(const Tree& tree, std::span<const std::int32_t> leaf,
                            std::span<const std::uint32_t> classes, Pool& pool);
    // Multiplies what is marked wrong by `times_wrong`, and all so that they sum to 1 again; `right` and
    // `wrong` are the weights of all rows, whole numbers.
    void multiply(Count right, Count wrong, double times_wrong, Pool& pool);

private:
    Count times(std::size_t row) const { return times_.empty() ? 1 : times_[row]; }
    void fix(std::size_t row);

    std::vector<double> share_;
    std::span<const Count> times_;
    std::vector<Count> fixed_;
    std::vector<std::uint8_t> wrong_;
};

}  // namespace bosco
