// Growth by absolute error, or by the loss of a quantile. What a branch costs is no function of a tally, so
// this source has no tables: the rows of a node stand in the order of every column, and in that of y. In the
// order of a column they go one by one (thinning.hpp), from either end, and every cut is known by what is
// left.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "grow/driver.hpp"
#include "grow/grow.hpp"
#include "grow/local_rows.hpp"
#include "grow/thinning.hpp"

namespace bosco {

class Medians {
public:
    struct NodeRows : bosco::NodeRows {
        Candidate choice;
        std::vector<char> banned;  // columns; empty: none
    };

    Medians(const Frame& frame, const LocalRows& rows, const Growth& growth, const Stop& stop, Pool& pool,
            const Ranks& ranks, std::vector<std::uint32_t> order);

    // The node that has all rows.
    NodeRows root(const Seedling& seedling, const std::vector<char>& banned) const;
    // What a node that has these rows says and costs, which the sprout then knows; is it pure?
    bool fill_root(Sprout& top, Nursery& nursery);

private:
    friend class Driver<Medians>;
    // The verbs of a source.
    bool enter(const NodeRows&) { return true; }
    bool find(NodeRows& at_node);
    std::int64_t branches(const NodeRows& at_node) const { return at_node.choice.branches; }
    void part(const NodeRows& at_node, Nursery& nursery);
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    NodeRows branch(std::uint32_t b) const;
    void keep(const NodeRows& at_node, std::span<NodeRows> branches) const;

    // The rows of the node at hand, in order of y, and what it costs.
    struct Here {
        std::vector<std::uint32_t> row;
        std::vector<Count> y, weight, samples;
        Count total = 0, all_samples = 0;
        Wide cost = 0;
    };
    // What a thread needs to look at a column. Rows are places in the order of y.
    struct Scratch {
        Thinning thin;
        std::vector<std::uint32_t> sequence;  // in the order of the column; those without a value first …
        std::vector<std::uint32_t> group;     // … and which of them are alike; 0: without a value
        std::vector<Wide> left[2], right[2];  // costs of a cut before a row, without and with those
        std::vector<std::uint32_t> first;     // of levels
    };
    // A test with two branches, while the best is looked for.
    struct Best {
        Wide decrease = -1;
        std::size_t at = 0;
        bool missing_left = false;
    };
    // Tests with two branches: of those whose branches hold enough the best is kept, of equals the first.
    struct Offers {
        const Limits& limits;
        Wide whole;            // what the rows that are parted cost
        Count total, samples;  // and how much they are
        Best best;

        // The left branch has so much; both cost so much.
        void take(std::size_t at, bool missing_left, Count w, Count held, Wide left, Wide right) {
            if (!limits.allow(held, w) || !limits.allow(samples - held, total - w)) return;
            if (whole - left - right > best.decrease) best = {whole - left - right, at, missing_left};
        }
    };
    // What a random test sends left and right, and rows without a value: in order of y.
    struct Parts {
        std::vector<std::uint32_t> rows[3];
        Count weight[3], samples[3];
    };

    void load(std::uint32_t begin, std::uint32_t end);
    bool fill_from(std::uint32_t begin, std::uint32_t end, Sprout& child, Nursery& nursery);
    bool varies(const NodeRows& at_node, std::uint32_t column) const;
    std::uint32_t code_of(std::uint32_t column, std::uint32_t place) const;

    Candidate look(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s) const;
    Candidate look_ordered(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s) const;
    Candidate look_subset(const Node& node, std::uint32_t column, Scratch& s) const;
    Candidate look_one(const Node& node, std::uint32_t column, Scratch& s) const;
    Candidate look_multiway(const Node& node, std::uint32_t column, Scratch& s) const;
    Candidate look_random(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s) const;

    void order_rows(const NodeRows& at_node, std::uint32_t column, Scratch& s) const;
    void order_levels(std::uint32_t column, Scratch& s) const;
    std::span<const std::uint32_t> level(const Scratch& s, std::uint32_t code) const;
    void cost_cuts(Scratch& s, std::size_t n_missing, bool with_missing) const;
    Best best_cut(const Node& node, Scratch& s, std::size_t n_missing, bool against_missing) const;

    Offers offers(const Node& node, Wide known, std::span<const std::uint32_t> missing) const;
    Best best_of(const Offers& offers, std::span<const std::uint32_t> missing) const;
    std::vector<std::uint32_t> all_but(std::uint32_t column, std::uint32_t code) const;
    Candidate one_against_rest(std::uint32_t column, const Best& best, const Scratch& s) const;

    bool draw_cut(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& s, Candidate& c,
                  Parts& parts) const;
    bool draw_levels(const Node& node, std::uint32_t column, std::vector<std::int32_t>& side,
                     Parts& parts) const;
    Wide cost_of(const Parts& parts, int missing_to, const Limits& limits) const;

    // Both, in order of y.
    static std::vector<std::uint32_t> joined(std::span<const std::uint32_t> some,
                                             std::span<const std::uint32_t> more);
    // What some places cost, given in order of y.
    Middle middle(std::span<const std::uint32_t> places) const;
    Count weight_of(std::span<const std::uint32_t> places) const;
    Count samples_of(std::span<const std::uint32_t> places) const;
    // Completes a test of branches that weigh so much: where missing rows go, the figures.
    void finish(Candidate& c, Wide decrease, std::vector<Count> weights, Count missing, int chosen) const;
    void fill_jumps(Candidate& c, std::uint32_t column, const std::vector<std::int32_t>& side,
                    const std::vector<Count>& weights, int rest) const;

    const Frame& frame_;
    const LocalRows& rows_;
    const Growth& growth_;
    const Stop& stop_;
    Pool& pool_;
    Pinball loss_;
    Shape shape_;
    std::vector<std::uint32_t> by_y_;               // rows, node by node
    std::vector<std::vector<std::uint64_t>> by_x_;  // rank and row of ordered columns, node by node
    std::vector<std::uint32_t> aside_, branch_of_, place_, first_;
    std::vector<std::uint64_t> aside_x_;
    Here here_;
    std::vector<Scratch> scratch_;
    std::vector<std::uint32_t> order_, drawn_;  // of drawing columns
};

// Grows a tree so.
Tree grow_by_medians(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
                     const std::function<void()>& poll, const Among& among);

}  // namespace bosco
