// All columns of one node: tables, bounds, refinement, candidates.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "grow/binorder.hpp"
#include "grow/look.hpp"
#include "grow/refine.hpp"
#include "grow/tabulate.hpp"
#include "score/choose.hpp"
#include "score/growth.hpp"

namespace bosco {

// Where one way of counting gives way to another. They change the time, never the tree.
struct Tuning {
    std::size_t small_rows = 4096;      // up to here a node's columns are sorted, not counted
    std::size_t parallel_rows = 20000;  // above it the threads share the columns of a node
    bool presort = true;                // sort a small node's columns once for all below it
    std::size_t pack_rows = 1 << 17;    // from here on a tree comes packed, if it may
};

// What one thread reuses from node to node.
struct Scratch {
    Table table;
    FineTable fine;
    std::vector<double> squares;
    Histogram histogram;
    std::vector<std::byte> bytes;
};

// How many cells were looked at coarsely, and how many again finely, by depth.
struct Refined {
    static constexpr int depths = 64;
    std::array<std::atomic<std::int64_t>, depths> cells{}, refined{};
};

class Evaluator {
public:
    Evaluator(const Rows& rows, const Growth& growth, const HistogramLayout& layout, const Tuning& tuning)
        : rows_(rows), growth_(growth), layout_(layout), tuning_(tuning) {}

    // The candidates of the columns that take part, in ascending order of column. `histogram` may
    // be null: then tables are made as needed. `share_out` lets the pool's threads share columns.
    std::vector<Candidate> candidates(Segment segment, const Node& node, int depth,
                                      const std::vector<char>& banned, const std::uint64_t* histogram,
                                      Pool& pool, bool share_out, std::vector<Scratch>& scratch, int thread,
                                      Refined& refined) const;

    // Remembers the order of bins from one call to the next, for segments that keep their order.
    void remember(BinOrder* order) { order_ = order; }

    // Looks up the values beside a cut that lies between two bins.
    void locate(Segment segment, Candidate& c) const;

private:
    struct Coarse;  // a coarse column between the first look and the second

    void first_look(Segment segment, const Node& node, std::uint32_t column, const std::uint64_t* histogram,
                    Scratch& scratch, Candidate& candidate, Coarse& coarse) const;
    void mark(const Node& node, double floor, Coarse& coarse, int depth, Refined& refined) const;
    void gather_all(Segment segment, const std::vector<std::uint32_t>& columns, std::vector<Coarse>& coarse,
                    Pool& pool, bool share_out) const;
    Candidate second_look(Segment segment, const Node& node, std::uint32_t column, Scratch& scratch,
                          Coarse& coarse) const;
    bool boundable(const Column& c, std::size_t n) const {
        return c.coarse && n > tuning_.small_rows && !growth_.penalty && !growth_.random_cuts &&
               growth_.numeric_test == NumericTest::threshold;
    }

    const Rows& rows_;
    const Growth& growth_;
    const HistogramLayout& layout_;
    const Tuning& tuning_;
    BinOrder* order_ = nullptr;
};

}  // namespace bosco
