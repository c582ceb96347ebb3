// The source of large nodes: their codes are counted, and bounds say which bins to look into. It takes any
// growth: rows that are shared out, stand-ins, limits of leaves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "grow/binorder.hpp"
#include "grow/driver.hpp"
#include "grow/look.hpp"
#include "grow/tabulate.hpp"
#include "grow/tuning.hpp"
#include "score/growth.hpp"

namespace bosco {

class Histograms {
public:
    // What one thread reuses from node to node.
    struct Scratch {
        Table table;
        FineTable fine;
        Histogram histogram;
        Room aside;
    };
    // What the threads of one tree share.
    struct Shared {
        Shared(Rows& rows_, const Growth& growth_, const Tuning& tuning_, Pool& pool_)
            : rows(rows_),
              growth(growth_),
              tuning(tuning_),
              layout(rows_),
              columns(columns_but({}, rows_.frame().n_columns())),
              pool(pool_),
              in_order(rows_.in_files()),
              scratch(static_cast<std::size_t>(pool_.size())) {}

        Rows& rows;
        const Growth& growth;
        const Tuning& tuning;
        HistogramLayout layout;
        std::vector<std::uint32_t> columns;
        Pool& pool;
        bool in_order;                 // are values looked up in the order of the rows?
        std::vector<Scratch> scratch;  // one a thread
        BinOrder* order = nullptr;     // remembers the order inside bins, if records never move
    };
    struct NodeRows {
        Seedling seedling;
        Segment segment;
        std::shared_ptr<std::byte[]> owner;    // of the segment, where rows are shared out
        std::unique_ptr<Histogram> histogram;  // of all columns, so that a branch's comes by subtraction
        std::vector<char> banned;              // columns that take no part; empty: all do
        Candidate choice;                      // its test, once it is found

        std::size_t size() const { return segment.n; }
    };
    // Who is asked first whether a node is theirs.
    using Takes = std::function<bool(NodeRows&)>;

    // `share_out`: the other threads take part.
    Histograms(Shared& shared, const Stop& stop, bool share_out, int thread, Takes takes = {})
        : shared_(shared), stop_(stop), share_out_(share_out), thread_(thread), takes_(std::move(takes)) {}

    // What the root of a growth holds; and its histogram, if it keeps one.
    void begin(NodeRows& root, Nursery& nursery);
    void count(NodeRows& root);

    bool enter(NodeRows& at_node) { return !takes_ || !takes_(at_node); }
    bool find(NodeRows& at_node);
    int branches(const NodeRows& at_node) const { return at_node.choice.branches; }
    void part(NodeRows& at_node, Nursery& nursery);
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    NodeRows branch(std::uint32_t branch) const;
    void keep(NodeRows& at_node, std::span<NodeRows> branches);

private:
    struct Coarse;  // a coarse column between the first look and the second

    bool fill(Segment segment, Sprout& sprout, Nursery& nursery) const;
    bool keeps_histogram(const NodeRows& at_node) const;
    void count(Segment segment, Histogram& into, Histogram* parent);
    Scratch& scratch() { return shared_.scratch[static_cast<std::size_t>(thread_)]; }
    bool many_threads(const NodeRows& at_node) const {
        return share_out_ && at_node.size() > shared_.tuning.parallel_rows;
    }

    // The candidates of the columns that take part, in ascending order of column.
    std::vector<Candidate> candidates(const NodeRows& at_node, const Node& node);
    template <class Work>
    void each(const NodeRows& at_node, const std::vector<std::uint32_t>& columns, const Work& work);
    bool bounded(const NodeRows& at_node, const Column& c) const;
    void read_codes(const NodeRows& at_node, std::uint32_t column, Scratch& scratch, Table& table,
                    std::vector<double>* squares) const;
    void first_look(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& scratch,
                    Candidate& candidate, Coarse& coarse) const;
    std::vector<std::vector<std::uint32_t>> batches(const std::vector<std::uint32_t>& columns,
                                                    const std::vector<Coarse>& coarse) const;
    void gather_all(const NodeRows& at_node, const std::vector<std::uint32_t>& columns,
                    std::vector<Coarse>& coarse) const;
    Candidate second_look(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& scratch,
                          Coarse& coarse) const;
    // Looks up the values beside a cut that lies between two bins.
    void locate(const NodeRows& at_node, Candidate& c) const;

    Shared& shared_;
    const Stop& stop_;
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
