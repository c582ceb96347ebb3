// A tree of one test, again and again on the same rows with other weights: the rows' records are
// made once, a round is one pass that counts, one that sorts.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grow/evaluate.hpp"
#include "grow/rows.hpp"
#include "grow/stop.hpp"
#include "tree/tree.hpp"

namespace bosco {

class Stumps {
public:
    // Does a growth make stumps that this class can grow?
    static bool suits(const Growth& growth) {
        return growth.max_depth == 1 && !growth.known_only() && growth.reuse && !growth.record;
    }

    // `target`'s weights may change between rounds; everything else stays.
    Stumps(const Frame& frame, const Target& target, const Growth& growth, const Tuning& tuning, Pool& pool);

    // Grows the stump of a round and notes which rows it gets wrong.
    Tree grow(std::uint64_t round, std::vector<std::uint8_t>& wrong);

    // The weight of the rows that the last stump has right, and wrong.
    std::pair<Count, Count> sums() const { return sums_; }

    // The node of the last stump that a row ended in.
    std::size_t leaf(std::size_t row) const { return split_ ? branch_[row] + std::size_t{1} : 0; }

private:
    std::byte* record(std::size_t row) { return rows_.all().data + row * rows_.stride(); }
    // Calls work(first, last, thread) on blocks of rows.
    template <class Work>
    void each_block(const Work& work);
    // Tallies of the rows by branch; `branch` may say 0 for all.
    template <class Branch>
    std::vector<Count> tallies(std::size_t branches, const Branch& branch);
    const std::uint64_t* count();

    const Target& target_;
    Growth growth_;
    const Tuning& tuning_;
    Pool& pool_;
    Rows rows_;
    HistogramLayout layout_;
    BinOrder order_;
    Evaluator evaluator_;
    Histogram histogram_;
    std::vector<Scratch> scratch_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> branch_;
    bool split_ = false;
    std::pair<Count, Count> sums_{0, 0};
};

}  // namespace bosco
