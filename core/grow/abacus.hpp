// Small nodes that look at a few columns drawn (forests), of two classes. A node is a list of rows, and a
// column it draws is counted from its codes, which lie side by side: nothing is sorted or kept in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/machine.hpp"
#include "grow/local_source.hpp"
#include "grow/renumbering.hpp"

namespace bosco {

class Abacus : LocalSource {
public:
    using NodeRows = bosco::NodeRows;
    static constexpr std::size_t most_rows = 65535;             // local row numbers and codes have 16 bits
    static constexpr Count most_weight = (Count{1} << 15) - 1;  // as sums of weights do

    explicit Abacus(const LocalSource& source) : LocalSource(source) {}

    // Can subtrees of this growth be grown so? The gain of two classes by Gini decides, between two
    // branches, in some of the columns; codes are small.
    static bool suits(const Rows& rows, const Growth& growth);

    // From how many rows on: all codes must stay in the cache, and coarse columns, which have as many as
    // there are rows, their counts too.
    static std::size_t rows_at_a_time(const Rows& rows, std::size_t small);

    // Grows everything below a node; false, and nothing done, if the node is too heavy.
    bool grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
              int thread);

private:
    using Code = std::uint16_t;  // 0 is missing; of a coarse column: the rank among the rows here
    // Weight, and above it the weight of the second class, in 16 bits each: sums stay below 2^15.
    using Pair = std::uint32_t;
    static Count weight_of(Pair p) { return p & 0xffff; }
    static Count ones_of(Pair p) { return p >> 16; }
    // The best test so far, kept without allocating anything where it can be.
    struct Lead {
        enum Kind : std::uint8_t { none, cut, levels, other } kind = none;
        std::uint32_t column = 0;
        double decrease = nothing, net = nothing;
        Count weight = 0;        // of the left branch
        Code low = 0, high = 0;  // a cut's neighbours
        bool pure = false;       // is nothing mixed on either side?
        std::vector<Code> left;  // levels
        Candidate candidate;     // any other test
    };

    void read_codes(Segment segment);
    void make_room(std::size_t most_codes);
    const Code* codes(std::uint32_t column) const { return codes_.data() + std::size_t{column} * n_; }
    Code* codes(std::uint32_t column) { return codes_.data() + std::size_t{column} * n_; }
    std::span<std::uint16_t> rows_of(const NodeRows& at_node) {
        return {list_.data() + at_node.begin, list_.data() + at_node.end};
    }
    // Asks for a value ahead of its use.
    void fetch(std::uint32_t column, Code code) const {
        const Column& c = rows_.frame().column(column);
        if (!c.coarse) return;
        const std::size_t row = local_.number[holder_[std::size_t{column} * (n_ + 1) + code]];
        prefetch(c.raw.data + static_cast<std::ptrdiff_t>(row) * c.raw.stride);
    }
    double value(std::uint32_t column, Code code) const {
        const Column& c = rows_.frame().column(column);
        return c.coarse ? c.raw.at(local_.number[holder_[std::size_t{column} * (n_ + 1) + code]])
                        : c.value(code);
    }

    bool constant(std::uint32_t column, std::span<const std::uint16_t> rows) const;
    void count(std::uint32_t column, std::span<const std::uint16_t> rows);
    template <std::size_t room>
    void count_few(const Code* code, std::uint32_t n_codes, std::span<const std::uint16_t> rows);
    void count_many(const Code* code, std::span<const std::uint16_t> rows);
    Pair group(std::size_t k) const { return k == 0 ? up_to_[0] : up_to_[k] - up_to_[k - 1]; }
    void look(std::uint32_t column, const Node& node);
    void look_at_cuts(std::uint32_t column, const Node& node);
    void look_at_levels(std::uint32_t column, const Node& node);
    void look_at_table(std::uint32_t column, const Node& node);
    void lead(Lead::Kind kind, std::uint32_t column, double decrease, double net);
    void take_lead(Sprout& s, Nursery& nursery);
    friend class Driver<Abacus>;
    // The verbs of a source.
    bool enter(const NodeRows& at_node);
    bool find(const NodeRows& at_node);
    void part(const NodeRows& at_node, Nursery& nursery);
    NodeRows branch(std::uint32_t b) const { return {{}, first_[b], first_[b + 1]}; }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery) const;
    void keep(const NodeRows& at_node, std::span<NodeRows> branches);

    std::vector<Code> codes_;                  // by column and row
    std::vector<std::uint16_t> holder_;        // by coarse column and code: a row that has it
    std::vector<Pair> pair_;                   // by row
    std::vector<std::uint16_t> list_, aside_;  // rows, node by node
    std::vector<char> open_;                   // by column: may it differ in the node at hand?
    std::array<std::uint32_t, 3> first_;       // of a split: where branches begin
    Pair right_ = 0;                           // what goes right
    const Sprout* parent_ = nullptr;
    std::vector<Pair> counts_;                // by code; nothing between two columns
    std::vector<std::uint64_t> present_;      // one bit a code …
    std::vector<std::uint64_t> any_present_;  // … and one a word of these
    // The codes of the column at hand, ascending, and what has them or a lower one.
    std::size_t n_groups_ = 0;
    std::vector<Code> group_;
    std::vector<Pair> up_to_;
    std::vector<std::uint64_t> keys_;
    Lead lead_;
    Table table_;
    Renumbering renumbering_;
    ValueOrder order_by_value_;
};

}  // namespace bosco
