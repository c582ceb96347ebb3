// The columns of a node are sorted once; below it every table is read off the sorted order, and
// splitting keeps it. Of few rows: the whole subtree grows inside the cache. Of all rows: where every
// column must give its own best test, so that bounds would leave little out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grow/bed.hpp"
#include "grow/driver.hpp"
#include "grow/palette.hpp"
#include "grow/rankorder.hpp"
#include "grow/valueorder.hpp"
#include "score/choose.hpp"

namespace bosco {

// A node whose rows are in order, to be grown by somebody else.
struct Handover {
    Place place;
    std::vector<std::uint32_t> columns;  // that can differ in it
};

// Entry: rank above, local row below, in half of the bits each. Rank 0 is missing, and ranks ascend
// with the values.
template <class Entry>
class Presort : Bed {
public:
    using Place = bosco::Place;
    static constexpr int half = 4 * sizeof(Entry);
    static constexpr std::size_t most_rows = (std::size_t{1} << half) - 1;

    explicit Presort(const Bed& bed) : Bed(bed), scratch_(1) {
        const Growth& g = growth_;
        many_ = shape_.classes > Palette::few;
        binary_ = g.numeric_test == NumericTest::threshold && g.missing != Missing::branch &&
                  (g.nominal_test == NominalTest::subset || g.nominal_test == NominalTest::one_vs_rest);
        pairs_ = binary_ && !rows_.weighted() && g.score == Score::gain &&
                 (!g.record || g.record_samples > 2) && !shape_.apart && g.max_features < 0 &&
                 !g.random_cuts && !g.penalty && g.monotonic.empty() && g.reuse &&
                 g.min_impurity_decrease == 0 && g.min_gain == 0 && g.min_weight_leaf <= 1;
    }

    // Can subtrees of this growth be grown so? Every row must have one place to go, by its own
    // value, and codes must be small.
    static bool suits(const Rows& rows, const Growth& growth);

    // Grows everything below a node. `banned` columns take no part.
    void grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
              int thread);

    // The same, the threads sharing the columns, as far as nodes have more rows than `small`; the others
    // are handed over. Every column gives its own best test.
    std::vector<Handover> grow_top(Segment segment, const Seedling& root, const std::vector<char>& banned,
                                   Nursery& nursery, std::size_t small);
    // Grows everything below a node whose rows are in order already.
    template <class Wide>
    void grow(const Presort<Wide>& from, const Handover& node, Nursery& nursery, int thread);

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
    };
    void load(Segment segment, const std::vector<char>& banned);
    void make_room();
    void sort_coded(std::uint32_t column, Segment segment, Scratch& scratch);
    void sort(std::uint32_t column, Segment segment, Scratch& scratch);
    friend class Driver<Presort>;
    void run(const Seedling& root, Nursery& nursery, int thread);
    // The verbs of a source.
    bool enter(const Place& place);
    bool find(const Place& place);
    void part(const Place& place, Nursery& nursery);
    Place branch(std::uint32_t b) const { return {{}, first_[b], first_[b + 1]}; }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    void keep(const Place& place, std::span<Place> branches);
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
    Entry* entries(std::uint32_t column) { return entries_.data() + std::size_t{column} * n_; }
    const Entry* entries(std::uint32_t column) const { return entries_.data() + std::size_t{column} * n_; }
    double value(std::uint32_t column, Entry entry) const {
        const Column& c = rows_.frame().column(column);
        return c.coarse ? c.raw.at(plot_.number[row_of(entry)]) : c.value(rank_of(entry));
    }
    void read_table(std::uint32_t column, const Place& place, Shape shape, Table& table) const;
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
    bool scan(std::uint32_t column, const Place& place, const Node& node, double floor, Cut& cut) const;
    Candidate candidate_of(std::uint32_t column, const Place& place, const Cut& cut) const;
    // The same of many classes, with missing rows and any weights.
    bool streams(std::uint32_t column, const Node& node) const;
    Candidate stream(std::uint32_t column, const Place& place, const Node& node, double floor,
                     Scratch& scratch) const;
    struct Range {
        const Entry* e;
        std::uint32_t n;
        std::uint32_t last;  // cuts after entries [0, last) may be feasible
        Count least;         // weight of a side
    };
    template <bool weighted>
    Cut scan_two(const Range& range, const Judge& judge, double floor) const;
    template <bool weighted>
    Cut scan_two_heavy(const Range& range, const Judge& judge, double floor) const;
    template <bool weighted>
    Cut scan_many(const Range& range, const Judge& judge, double floor) const;
    template <bool weighted>
    Cut scan_real(const Range& range, const Judge& judge, double floor) const;
    std::int64_t feasible_cuts(const Range& range, Count total) const;
    bool constant(std::uint32_t column, const Place& place) const;
    std::span<const std::uint32_t> columns_of(const Place& place);
    void find_own(const Place& place, const Node& node);
    void find_best(const Place& place, const Node& node);
    Candidate own_candidate(std::uint32_t column, const Place& place, const Node& node, double floor,
                            Scratch& scratch) const;
    void arrange(std::uint32_t column, const Place& place, std::vector<Entry>& aside);

    bool fill(Sprout& child, const Entry* e, std::uint32_t n, Nursery& nursery) const {
        return plot_.fill(child, n, [e](std::size_t k) { return row_of(e[k]); }, growth_, nursery);
    }
    bool split_pair(std::uint32_t branch, Sprout& s, Nursery& nursery);

    bool own_ = false;  // does every column give its own best test at the node at hand?
    bool many_;         // are there so many classes that nodes number their own?
    bool binary_;       // have all tests two branches?
    bool pairs_;        // may two rows be split without a search?

    std::vector<Scratch> scratch_;  // one, or as many as threads
    Palette palette_;               // of the node at hand, if there are many classes
    std::vector<Entry> entries_;
    OpenColumns columns_;
    std::vector<std::uint16_t> branch_;      // by local number
    std::vector<std::uint32_t> first_;       // of a split: where branches begin
    Candidate choice_;                       // of the node at hand …
    Place here_;                             // … and its place
    std::size_t small_ = 0;                  // nodes of at most so many rows are handed over …
    std::vector<Handover>* rest_ = nullptr;  // … to these
    Count shift_ = 0;                        // of a node: the whole part of its mean
    std::vector<Candidate> candidates_;      // of one node
    std::vector<std::uint32_t> order_, drawn_;
    std::vector<char> takes_part_;
    RankOrder order_by_rank_;
    std::vector<std::uint32_t> rank_;    // of sorting
    std::vector<std::uint32_t> number_;  // by the other's local row: ours
};

}  // namespace bosco
