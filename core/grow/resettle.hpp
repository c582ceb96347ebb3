// Rows of files moved together, node by node. The rows of a node lie further apart in the files the deeper it
// is, and each is a page to be read from the disk. So now and then all columns are read once, in order, and
// the values of every node at hand are written side by side: what is looked up below it is near, and fits
// into memory sooner or later.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/pages.hpp"
#include "data/parallel.hpp"
#include "grow/refine.hpp"
#include "grow/rows.hpp"
#include "grow/tuning.hpp"
#include "score/growth.hpp"

namespace bosco {

// Do these rows lie in files, and are they more than should be looked up here and there?
bool far_apart(const Rows& rows, const Tuning& tuning);
// Can they be moved? Each must be one record, and be asked by codes and coarse columns alone.
bool movable(const Rows& rows, const Growth& growth);

// The rows of one node, when they have moved: columns and target of their own, and the same records.
class Home {
public:
    Home(const Rows& from, Segment segment, const std::vector<Raw>& raw);
    Home(const Home&) = delete;
    Rows& rows() { return rows_; }

private:
    Frame frame_;
    std::vector<std::uint32_t> classes_;
    std::vector<Count> y_, weight_, count_;
    Target target_;
    Rows rows_;
};

class Resettled {
public:
    // Moves the rows of nodes; their records stay where they are, in another order, and get new numbers.
    Resettled(const Rows& rows, std::vector<Segment> nodes, Pool* pool);

    // Where the rows of the i-th node are now.
    Home home(std::size_t i) const { return {rows_, nodes_[i], raw_of(i)}; }
    // They are not needed any more.
    void leave(std::size_t i) const;

private:
    struct Stretch {  // the records of a node whose rows lie in one block, up to where the next begins
        std::size_t block, begin;
    };
    std::vector<Stretch> sort(Segment segment) const;
    std::vector<Raw> raw_of(std::size_t node) const;
    void move_block(std::size_t block, const std::vector<std::vector<Stretch>>& stretches);
    std::size_t bytes_of(std::size_t node) const { return nodes_[node].n * row_bytes_; }

    const Rows& rows_;
    std::vector<Segment> nodes_;
    std::vector<std::uint32_t> columns_;  // the coarse ones
    std::size_t row_bytes_ = 0;           // of their values
    std::vector<std::size_t> first_;      // by node: where its values begin
    Pages values_;                        // by node, column and row
};

}  // namespace bosco
