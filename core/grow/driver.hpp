// One driver for all growers of subtrees. A source has the rows of a node and all below it, and finds tests
// in its own way (sorted columns, counted columns, random cuts); which node is next, what its branches are
// and whether they stay leaves is decided here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "data/parallel.hpp"
#include "grow/stop.hpp"
#include "score/choose.hpp"

namespace bosco {

// A node to be grown to the end.
struct Seedling {
    Sprout* sprout = nullptr;
    std::uint64_t key = 0;
    int depth = 0;
    bool pure = false;
};

// A node with its rows, which most sources keep one behind the other; and the columns that may differ in it,
// as a part of the source's list of them.
struct NodeRows {
    Seedling seedling;
    std::uint32_t begin = 0, end = 0;
    std::uint32_t columns_begin = 0, columns_end = 0;

    std::uint32_t size() const { return end - begin; }
};

// A node to be grown by somebody else, who is told its columns.
struct Handover {
    NodeRows at_node;
    std::vector<std::uint32_t> columns;
};
// The largest first, so that threads end together.
inline bool largest_first(const Handover& a, const Handover& b) {
    return a.at_node.size() > b.at_node.size();
}

// Grows everything below a node. A source has its own kind of NodeRows (a seedling and its rows) and
//   bool enter(at_node)          the node is next; false: somebody else will grow it
//   bool find(at_node)           its test; false: it stays a leaf
//   void part(at_node, nursery)  gives it the test, and sends its rows to the branches
//   bool fill(b, child, nursery) what branch b holds; returns whether it is pure
//   NodeRows branch(b)           the rows of a branch that goes on
//   void keep(at_node, branches) hands what is known of the node on to the branches that go on
template <class Source>
class Driver {
public:
    using NodeRows = typename Source::NodeRows;

    Driver(Source& source, const Stop& stop, Pool& pool) : source_(source), stop_(stop), pool_(pool) {}

    // The root is not one that must stay a leaf.
    void run(NodeRows root, Nursery& nursery, int thread) {
        std::vector<NodeRows> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            NodeRows at_node = std::move(stack.back());
            stack.pop_back();
            check(at_node.size(), thread);
            if (source_.enter(at_node) && source_.find(at_node)) split(at_node, nursery, stack);
        }
    }

    // As long as there are at most so many leaves, in the order asked for. Places keep their own tests.
    void run_limited(NodeRows root, Nursery& nursery, Order order, std::int64_t most_leaves) {
        struct Waiting {
            NodeRows at_node;
            bool found;
            std::size_t family;  // how many nodes were split before its parent
        };
        std::vector<Waiting> nodes;
        const auto later = [&](std::size_t a, std::size_t b) {
            if (order == Order::depth && nodes[a].family != nodes[b].family)
                return nodes[a].family < nodes[b].family;
            const double da = nodes[a].at_node.seedling.sprout->decrease;
            const double db = nodes[b].at_node.seedling.sprout->decrease;
            return order == Order::best && da != db ? da < db : a > b;
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
        std::size_t families = 0;
        std::int64_t leaves = 1;
        const auto add = [&](NodeRows at_node) {
            const bool found = order == Order::best && source_.find(at_node);
            nodes.push_back({std::move(at_node), found, families});
            queue.push(nodes.size() - 1);
        };
        add(std::move(root));
        while (!queue.empty()) {
            Waiting next = std::move(nodes[queue.top()]);
            queue.pop();
            if (!(order == Order::best ? next.found : source_.find(next.at_node))) continue;
            const std::int64_t more = source_.branches(next.at_node) - 1;
            if (leaves + more > most_leaves) continue;
            leaves += more;
            ++families;
            std::vector<NodeRows> open;
            split(next.at_node, nursery, open);
            for (std::size_t i = open.size(); i-- > 0;) add(std::move(open[i]));
        }
    }

private:
    // Splits a node by its test; branches that may go on are put on the stack, the first on top.
    void split(NodeRows& at_node, Nursery& nursery, std::vector<NodeRows>& stack) {
        source_.part(at_node, nursery);
        Sprout& s = *at_node.seedling.sprout;
        const std::size_t first = stack.size();
        const int depth = at_node.seedling.depth + 1;
        for (std::int32_t b = s.n_children; b-- > 0;) {
            Sprout& child = s.children[b];
            const auto branch = static_cast<std::uint32_t>(b);
            const bool pure = source_.fill(branch, child, nursery);
            if (stop_.leaf(child.tally, pure, depth)) continue;
            stack.push_back(source_.branch(branch));
            stack.back().seedling = {&child, child_key(at_node.seedling.key, branch), depth, pure};
        }
        stop_.tell_children(s);
        if (stack.size() > first) source_.keep(at_node, std::span(stack).subspan(first));
    }
    // Nodes may be small, and the clock is not free.
    void check(std::size_t rows, int thread) {
        unchecked_ += rows + 64;
        if (unchecked_ < 4096) return;
        unchecked_ = 0;
        pool_.check(thread);
    }

    Source& source_;
    const Stop& stop_;
    Pool& pool_;
    std::size_t unchecked_ = 0;  // rows looked at since the last check
};

// The columns that may differ in the nodes at hand: a stack of lists, those of a node being dropped when all
// below it is done.
class OpenColumns {
public:
    std::vector<std::uint32_t> all;

    std::span<const std::uint32_t> of(const NodeRows& at_node) const {
        return {all.data() + at_node.columns_begin, all.data() + at_node.columns_end};
    }
    void drop_after(const NodeRows& at_node) { all.resize(at_node.columns_end); }
    // All columns that take part; returns a node with so many rows that may differ in each.
    NodeRows begin(const Seedling& root, std::size_t n_rows, std::vector<std::uint32_t> columns) {
        all = std::move(columns);
        return {root, 0, static_cast<std::uint32_t>(n_rows), 0, static_cast<std::uint32_t>(all.size())};
    }
    Handover hand_over(const NodeRows& at_node) const {
        const auto open = of(at_node);
        return {at_node, {open.begin(), open.end()}};
    }
    // Gives branches the columns of their node of which `stays` is true.
    template <class Stays>
    void narrow(const NodeRows& at_node, std::span<NodeRows> branches, const Stays& stays) {
        const auto begin = static_cast<std::uint32_t>(all.size());
        for (std::uint32_t i = at_node.columns_begin; i < at_node.columns_end; ++i)
            if (const std::uint32_t column = all[i]; stays(column)) all.push_back(column);
        hand_on({{}, 0, 0, begin, static_cast<std::uint32_t>(all.size())}, branches);
    }
    // Gives branches the columns of a node.
    static void hand_on(const NodeRows& at_node, std::span<NodeRows> branches) {
        for (NodeRows& branch : branches) {
            branch.columns_begin = at_node.columns_begin;
            branch.columns_end = at_node.columns_end;
        }
    }
};

// Draws columns in a node's own order of them until as many as asked vary.
template <class Varies>
void each_drawn(std::uint64_t key, std::uint32_t n, int most, std::vector<std::uint32_t>& room,
                const Varies& varies) {
    Shuffle order(key, n, room);
    for (int seen = 0; seen < most && !order.done();) seen += varies(order.next()) ? 1 : 0;
}
// Those that vary, ascending, into `drawn`.
template <class Varies>
void draw_columns(std::uint64_t key, std::uint32_t n, int most, const Varies& varies,
                  std::vector<std::uint32_t>& room, std::vector<std::uint32_t>& drawn) {
    drawn.clear();
    each_drawn(key, n, most, room, [&](std::uint32_t column) {
        if (!varies(column)) return false;
        drawn.push_back(column);
        return true;
    });
    std::sort(drawn.begin(), drawn.end());
}

// All that take part in a growth where some may be banned.
inline std::vector<std::uint32_t> columns_but(const std::vector<char>& banned, std::uint32_t n) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t j = 0; j < n; ++j)
        if (banned.empty() || !banned[j]) columns.push_back(j);
    return columns;
}

// Are candidates of a node recorded? Leaves those that are.
inline bool keep_recorded(std::vector<Candidate>& candidates, const Node& node, const Growth& growth) {
    const Judge& judge = *node.judge;
    if (!growth.records(judge.shape(), judge.node(), node.unit)) return false;
    if (growth.records_all(judge.shape(), judge.node(), node.unit)) return true;
    const auto net = [w = static_cast<double>(judge.weight())](const Candidate& c) { return c.net(w); };
    double best = nothing;
    for (const Candidate& c : candidates) best = std::max(best, net(c));
    std::erase_if(candidates, [&](const Candidate& c) { return net(c) < Growth::near(best); });
    return true;
}

// Chooses the test of a node among the candidates, which stay with it if they are to be recorded; false:
// none is worth a split.
inline bool settle(std::vector<Candidate>& candidates, const Node& node, const Growth& growth, Sprout& s,
                   Candidate& choice) {
    const bool records = keep_recorded(candidates, node, growth);
    const int winner = choose(candidates, node, growth);
    if (winner >= 0) {
        Candidate& best = candidates[static_cast<std::size_t>(winner)];
        s.decrease = best.decrease;
        choice = records ? best : std::move(best);
    }
    if (records &&
        !candidates.empty())  // no more room than they need: a large tree keeps those of thousands of nodes
        s.rare().candidates.assign(std::make_move_iterator(candidates.begin()),
                                   std::make_move_iterator(candidates.end()));
    return winner >= 0;
}

// Parts what belongs to a node in two, either side keeping its order; right(i) is 1 if the i-th goes right, 0
// if not. Returns where the right side begins.
template <class Item, class Right>
Item* part_in_two(std::span<Item> items, Item* aside, const Right& right) {
    Item *left = items.data(), *other = aside;
    for (std::size_t i = 0; i < items.size(); ++i) {  // both are written and one moves on: nothing to predict
        const Item item = items[i];
        const std::uint32_t to = right(i);
        *left = item;
        *other = item;
        left += 1 - to;
        other += to;
    }
    std::copy(aside, other, left);
    return left;
}
// The same with any number of branches, which begin at `first` (counted from first[0]).
template <class Item, class Branch>
void part_in_order(std::span<Item> items, Item* aside, std::span<const std::uint32_t> first,
                   const Branch& branch) {
    if (first.size() == 3) {
        part_in_two(items, aside, branch);
        return;
    }
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < items.size(); ++i) aside[next[branch(i)]++ - first[0]] = items[i];
    std::copy_n(aside, items.size(), items.data());
}

}  // namespace bosco
