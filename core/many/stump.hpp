// A tree of one test, again and again on the same rows with other weights: the rows' records are made once
// and never move, a round is one pass that counts, one that sorts.
#pragma once

#include <cstdint>
#include <vector>

#include "grow/histograms.hpp"
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

    // Grows the stump of a round.
    Tree grow(std::uint64_t round);

    // The nodes of the last stump that the rows ended in.
    const std::vector<std::int32_t>& leaves() const { return leaf_; }

private:
    class Source;
    std::byte* record(std::size_t row) { return rows_.all().data + row * rows_.stride(); }
    // Tallies of the rows by branch.
    template <class Branch>
    std::vector<Count> tallies(std::size_t branches, const Branch& branch);
    bool plant(Sprout& s, const Count* tally, Nursery& nursery) const;

    const Target& target_;
    Growth growth_;
    Pool& pool_;
    Rows rows_;
    BinOrder order_;
    Histograms::Shared shared_;
    std::vector<std::int32_t> leaf_;
};

}  // namespace bosco
