// The columns of a node are sorted once; below it every table is read off the sorted order, and
// splitting keeps it. Of few rows: the whole subtree grows inside the cache. Of all rows: where every
// column must give its own best test, so that bounds would leave little out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/local_source.hpp"
#include "grow/palette.hpp"
#include "grow/twoclass.hpp"

namespace bosco {

// Entry: rank above, local row below, in half of the bits each. Rank 0 is missing, and ranks ascend
// with the values.
template <class Entry>
class Presort : LocalSource {
public:
    using NodeRows = bosco::NodeRows;
    static constexpr int half = 4 * sizeof(Entry);
    static constexpr std::size_t most_rows = (std::size_t{1} << half) - 1;

    explicit Presort(const LocalSource& source)
        : LocalSource(source), many_(shape_.classes > Palette::few), scratch_(1) {}

    // Can subtrees of this growth be grown so? Every row must have one branch to go to, by its own
    // value, and codes must be small.
    static bool suits(const Rows& rows, const Growth& growth);

    // Grows everything below a node. `banned` columns take no part.
    void grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
              int thread);

    // The same, the threads sharing the columns, as far as nodes have more rows than `small`; the others
    // are handed over. Every column gives its own best test. Where the branches end, so that no order is
    // needed again, a column is sorted when it is looked at, and each thread has room for one.
    std::vector<Handover> grow_top(Segment segment, const Seedling& root, const std::vector<char>& banned,
                                   Nursery& nursery, std::size_t small);
    // Grows everything below a node whose rows are in order already.
    template <class From>
    void grow(const Presort<From>& from, const Handover& node, Nursery& nursery, int thread);

private:
    template <class>
    friend class Presort;
    static constexpr std::uint32_t rank_of(Entry entry) { return static_cast<std::uint32_t>(entry >> half); }
    static constexpr std::uint32_t row_of(Entry entry) {
        return static_cast<std::uint32_t>(entry & static_cast<Entry>(most_rows));
    }
    static constexpr Entry entry_of(std::uint32_t rank, std::uint32_t row) {
        return static_cast<Entry>(Entry{rank} << half | row);
    }
    // What a thread needs for itself.
    struct Scratch {
        std::vector<Entry> aside;
        Table table;
        ValueOrder order_by_value;
        std::vector<std::uint32_t> counts;  // of sorting
        std::vector<Count> left;            // of a cut
        TwoClassHeights heights;            // of all cuts of a column
    };
    void make_room();
    void pair_up();
    NodeRows sort_all(Segment segment, const Seedling& root, const std::vector<char>& banned);
    void sort_coded(std::uint32_t column, Segment segment, Scratch& scratch);
    void sort(std::uint32_t column, Segment segment, Scratch& scratch);
    void sort_here(std::uint32_t column, Scratch& scratch);
    friend class Driver<Presort>;
    void run(const NodeRows& root, Nursery& nursery, int thread) {
        Driver<Presort>(*this, stop_, pool_).run(root, nursery, thread);
    }
    // The verbs of a source.
    bool enter(const NodeRows& at_node);
    bool find(const NodeRows& at_node);
    void part(const NodeRows& at_node, Nursery& nursery);
    NodeRows branch(std::uint32_t b) const { return {{}, first_[b], first_[b + 1]}; }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    void keep(const NodeRows& at_node, std::span<NodeRows> branches);
    // Calls work(i, scratch) for i below n: here, or by all threads.
    template <class Work>
    void each(std::size_t n, const Work& work) {
        if (scratch_.size() == 1)
            for (std::size_t i = 0; i < n; ++i) work(i, scratch_[0]);
        else
            pool_.run(static_cast<std::int64_t>(n), [&](std::int64_t i, int thread) {
                work(static_cast<std::size_t>(i), scratch_[static_cast<std::size_t>(thread)]);
            });
    }
    Entry* entries(std::uint32_t column) { return entries_.data() + std::size_t{place_[column]} * n_; }
    const Entry* entries(std::uint32_t column) const {
        return entries_.data() + std::size_t{place_[column]} * n_;
    }
    double value(std::uint32_t column, Entry entry) const {
        const Column& c = rows_.frame().column(column);
        return c.coarse ? c.raw.at(local_.number[row_of(entry)]) : c.value(rank_of(entry));
    }
    void read_table(std::uint32_t column, const NodeRows& at_node, Shape shape, Table& table) const;
    // The best cut of a column's entries: the entry it follows (n if none) and its decrease.
    struct Cut {
        std::uint32_t at;
        double decrease;
        Count weight = 0;   // left of it
        bool pure = false;  // nothing is mixed on either side
        double penalty = 0;
    };
    // The best cut of one column that is better than `floor`, without building a table; false if
    // this column needs one.
    bool scan(std::uint32_t column, const NodeRows& at_node, const Node& node, double floor, Scratch& scratch,
              Cut& cut) const;
    Candidate candidate_of(std::uint32_t column, const NodeRows& at_node, const Cut& cut) const;
    // The same of many classes, with missing rows and any weights.
    bool streams(std::uint32_t column, const Node& node) const;
    Candidate stream(std::uint32_t column, const NodeRows& at_node, const Node& node, double floor,
                     Scratch& scratch) const;
    struct Range {
        const Entry* e;
        std::uint32_t n;
        std::uint32_t last;  // cuts after entries [0, last) may be feasible
        Count least;         // weight of a side
    };
    bool scans(std::uint32_t column, const Entry* e, const Node& node) const;
    Cut scan_heights(const Range& range, TwoClassRace race, TwoClassHeights& heights) const;
    template <bool weighted, class Race>
    Cut scan_by(const Range& range, Count total, Race race) const;
    std::int64_t feasible_cuts(const Range& range, Count total) const;
    bool constant(std::uint32_t column, const NodeRows& at_node) const;
    std::span<const std::uint32_t> columns_of(const NodeRows& at_node);
    void find_own(const NodeRows& at_node, const Node& node);
    void find_best(const NodeRows& at_node, const Node& node);
    Candidate own_candidate(std::uint32_t column, const NodeRows& at_node, const Node& node, double floor,
                            Scratch& scratch) const;
    void arrange(std::uint32_t column, const NodeRows& at_node, std::vector<Entry>& aside);
    void arrange_one(std::uint32_t column, const NodeRows& at_node, const NodeRows& branch,
                     std::uint16_t number);

    bool own_ = false;  // does every column give its own best test at the node at hand?
    bool many_;         // are there so many classes that nodes number their own?

    std::vector<Scratch> scratch_;  // one, or as many as threads
    Palette palette_;               // of the node at hand, if there are many classes
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> place_;       // by column: of its entries
    bool one_by_one_ = false;                // are columns sorted when they are looked at?
    Segment segment_;                        // the rows that they are sorted of
    std::vector<std::uint16_t> branch_;      // by local number
    std::vector<std::uint32_t> first_;       // of a split: where branches begin
    Candidate choice_;                       // of the node at hand
    std::size_t small_ = 0;                  // nodes of at most so many rows are handed over …
    std::vector<Handover>* rest_ = nullptr;  // … to these
    std::vector<std::uint32_t> pair_;        // of two classes: what a local row adds to both sums
    Count shift_ = 0;                        // of a node: the whole part of its mean
    std::vector<Candidate> candidates_;      // of one node
    std::vector<char> takes_part_;
    RankOrder order_by_rank_;
    std::vector<std::uint32_t> number_;  // by the other's local row: ours
};

}  // namespace bosco
