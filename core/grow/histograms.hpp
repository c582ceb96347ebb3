// The source of large nodes: their codes are counted, and bounds say which bins to look into. It takes any
// growth: rows that are shared out, stand-ins, limits of leaves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "grow/driver.hpp"
#include "grow/evaluate.hpp"
#include "score/growth.hpp"

namespace bosco {

// What the threads of one tree share.
struct Shared {
    Rows& rows;
    const Growth& growth;
    const Tuning& tuning;
    const Stop& stop;
    const HistogramLayout& layout;
    const Evaluator& evaluator;
    const std::vector<std::uint32_t>& columns;
    Pool& pool;
    std::vector<Scratch>& scratch;  // one a thread
    Refined& refined;
};

class Histograms {
public:
    struct Place {
        Seedling seedling;
        Segment segment;
        std::shared_ptr<std::byte[]> owner;    // of the segment, where rows are shared out
        std::unique_ptr<Histogram> histogram;  // of all columns, so that a branch's comes by subtraction
        std::vector<char> banned;              // columns that take no part; empty: all do
        Candidate choice;                      // its test, once it is found

        std::size_t size() const { return segment.n; }
    };
    // Who is asked first whether a node is theirs.
    using Takes = std::function<bool(Place&)>;

    // `share_out`: the other threads take part.
    Histograms(const Shared& shared, bool share_out, int thread, Takes takes = {})
        : shared_(shared), share_out_(share_out), thread_(thread), takes_(std::move(takes)) {}

    // The root of a growth: all rows.
    void begin(Place& root, Nursery& nursery, bool counted);

    bool enter(Place& place) { return !takes_ || !takes_(place); }
    bool find(Place& place);
    int branches(const Place& place) const { return place.choice.branches; }
    void part(Place& place, Nursery& nursery);
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    Place branch(std::uint32_t branch) const;
    void keep(Place& place, std::span<Place> branches);

private:
    bool fill(Segment segment, Sprout& sprout, Nursery& nursery) const;
    bool counts(const Place& place) const;
    void count(Segment segment, Histogram& into, Histogram* parent);
    Scratch& scratch() { return shared_.scratch[static_cast<std::size_t>(thread_)]; }

    const Shared& shared_;
    bool share_out_;
    int thread_;
    Takes takes_;
    // Of a split: the branches' rows, who owns them if they are shared out, and what came by its own value.
    std::vector<Segment> parts_;
    std::shared_ptr<std::byte[]> owner_;
    std::vector<Count> known_;
    std::vector<char> banned_;
    Histogram spare_;
};

}  // namespace bosco
