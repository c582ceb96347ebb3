// Small nodes. The columns of a node of few rows are sorted once; below it every table is read
// off the sorted order, and splitting keeps it: the whole subtree grows inside the cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrange.hpp"
#include "bed.hpp"
#include "choose.hpp"
#include "rankorder.hpp"
#include "valueorder.hpp"

namespace bosco {

class Presort : Bed {
public:
    static constexpr std::size_t most_rows = 65535;  // local row numbers and ranks have 16 bits

    explicit Presort(const Bed& bed) : Bed(bed) {
        const Growth& g = growth_;
        binary_ = g.numeric_test == NumericTest::threshold && g.missing != Missing::branch &&
                  (g.nominal_test == NominalTest::subset || g.nominal_test == NominalTest::one_vs_rest);
        pairs_ = binary_ && !rows_.weighted() && g.score == Score::gain && !g.record && g.max_features < 0 &&
                 !g.random_cuts && !g.penalty && g.monotonic.empty() && g.reuse &&
                 g.min_impurity_decrease == 0 && g.min_weight_leaf <= 1;
    }

    // Can subtrees of this growth be grown so? Every row must have one place to go, by its own
    // value, and codes must be small.
    static bool suits(const Rows& rows, const Growth& growth);

    // Grows everything below a node. `banned` columns take no part.
    void grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
              int thread);

private:
    // rank << 16 | local row; rank 0 is missing, ranks ascend with the values.
    using Entry = std::uint32_t;
    static constexpr std::uint32_t rank_of(Entry entry) { return entry >> 16; }
    static constexpr std::uint32_t row_of(Entry entry) { return entry & 0xffff; }
    struct Place {
        Seedling seedling;
        std::uint32_t begin, end;     // of every column's entries
        std::uint32_t columns_begin;  // its columns: columns_[columns_begin, columns_end)
        std::uint32_t columns_end;
    };

    void load(Segment segment, const std::vector<char>& banned);
    void sort_coded(std::uint32_t column, Segment segment);
    Entry* entries(std::uint32_t column) { return entries_.data() + std::size_t{column} * n_; }
    const Entry* entries(std::uint32_t column) const { return entries_.data() + std::size_t{column} * n_; }
    double value(std::uint32_t column, Entry entry) const {
        const Column& c = rows_.frame().column(column);
        return c.coarse ? c.raw.at(plot_.number[row_of(entry)]) : c.value(rank_of(entry));
    }
    void read_table(std::uint32_t column, const Place& place, Table& table);
    // The best cut of a column's entries: the entry it follows (n if none) and its decrease.
    struct Cut {
        std::uint32_t at;
        double decrease;
        Count weight = 0;   // left of it
        bool pure = false;  // nothing is mixed on either side
    };
    // The best cut of one column that is better than `floor`, without building a table; false if
    // this column needs one.
    bool scan(std::uint32_t column, const Place& place, const Node& node, double floor, Cut& cut) const;
    Candidate candidate_of(std::uint32_t column, const Place& place, const Cut& cut) const;
    struct Range {
        const Entry* e;
        std::uint32_t n;
        std::uint32_t last;  // cuts after entries [0, last) may be feasible
        Count least;         // weight of a side
    };
    template <bool weighted>
    Cut scan_two(const Range& range, const Judge& judge, double floor) const;
    template <bool weighted>
    Cut scan_many(const Range& range, const Judge& judge, double floor) const;
    template <bool weighted>
    Cut scan_real(const Range& range, const Judge& judge, double floor) const;
    bool constant(std::uint32_t column, const Place& place) const;
    std::span<const std::uint32_t> columns_of(const Place& place);
    bool find(const Place& place, Candidate& choice);
    void split(const Place& place, const Candidate& choice, Nursery& nursery, std::vector<Place>& stack);
    bool split_pair(const Place& place, std::uint32_t arranged, std::size_t branch, Nursery& nursery);
    bool fill(Sprout& child, const Entry* e, std::uint32_t n, Nursery& nursery) const {
        return plot_.fill(child, n, [e](std::size_t k) { return row_of(e[k]); }, growth_, nursery);
    }

    bool binary_;  // have all tests two branches?
    bool pairs_;   // may two rows be split without a search?

    std::vector<Entry> entries_, aside_;
    std::vector<std::uint32_t> columns_;  // a stack of lists
    std::vector<std::uint16_t> branch_;   // by local number
    Bits bits_;                           // the same of a split in two
    std::vector<std::uint32_t> first_;    // of a split: where branches begin
    std::vector<char> open_;              // of a split: branches that may split again
    Count shift_ = 0;                     // of a node: the whole part of its mean
    Table table_;
    std::vector<Candidate> candidates_;  // of one node
    std::vector<std::uint32_t> order_, drawn_;
    std::vector<char> takes_part_;
    ValueOrder order_by_value_;
    RankOrder order_by_rank_;
    std::vector<std::uint32_t> rank_, counts_;  // of sorting
};

}  // namespace bosco
