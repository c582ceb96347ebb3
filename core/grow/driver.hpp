// One driver for all growers of subtrees. A source has the rows of a node and all below it, and finds tests
// in its own way (sorted columns, counted columns, random cuts); which node is next, what its branches are
// and whether they stay leaves is decided here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "data/parallel.hpp"
#include "grow/stop.hpp"

namespace bosco {

// A node to be grown to the end.
struct Seedling {
    Sprout* sprout = nullptr;
    std::uint64_t key = 0;
    int depth = 0;
    bool pure = false;
};

// A node and its rows, which most sources keep one behind the other; and the columns that may differ in it,
// as a part of the source's list of them.
struct Place {
    Seedling seedling;
    std::uint32_t begin = 0, end = 0;
    std::uint32_t columns_begin = 0, columns_end = 0;

    std::uint32_t size() const { return end - begin; }
};

// Grows everything below a node. A source has its own kind of Place (a seedling and its rows) and
//   bool enter(place)            the node is next; false: somebody else will grow it
//   bool find(place)             its test; false: it stays a leaf
//   void part(place, nursery)    gives it the test, and sends its rows to the branches
//   bool fill(b, child, nursery) what branch b holds; returns whether it is pure
//   Place branch(b)              the rows of a branch that goes on
//   void keep(place, branches)   hands what is known of the node on to the branches that go on
template <class Source>
class Driver {
public:
    using Place = typename Source::Place;

    Driver(Source& source, const Stop& stop, Pool& pool) : source_(source), stop_(stop), pool_(pool) {}

    // The root is not one that must stay a leaf.
    void run(Place root, Nursery& nursery, int thread) {
        std::vector<Place> stack;
        stack.push_back(std::move(root));
        while (!stack.empty()) {
            Place place = std::move(stack.back());
            stack.pop_back();
            check(place.size(), thread);
            if (source_.enter(place) && source_.find(place)) split(place, nursery, stack);
        }
    }

    // As long as there are at most so many leaves, in the order asked for. Places keep their own tests.
    void run_limited(Place root, Nursery& nursery, Order order, std::int64_t most_leaves) {
        struct Waiting {
            Place place;
            bool found;
            std::size_t family;  // how many nodes were split before its parent
        };
        std::vector<Waiting> nodes;
        const auto later = [&](std::size_t a, std::size_t b) {
            if (order == Order::depth && nodes[a].family != nodes[b].family)
                return nodes[a].family < nodes[b].family;
            const double da = nodes[a].place.seedling.sprout->decrease;
            const double db = nodes[b].place.seedling.sprout->decrease;
            return order == Order::best && da != db ? da < db : a > b;
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
        std::size_t families = 0;
        std::int64_t leaves = 1;
        const auto add = [&](Place place) {
            const bool found = order == Order::best && source_.find(place);
            nodes.push_back({std::move(place), found, families});
            queue.push(nodes.size() - 1);
        };
        add(std::move(root));
        while (!queue.empty()) {
            Waiting next = std::move(nodes[queue.top()]);
            queue.pop();
            if (!(order == Order::best ? next.found : source_.find(next.place))) continue;
            const std::int64_t more = source_.branches(next.place) - 1;
            if (leaves + more > most_leaves) continue;
            leaves += more;
            ++families;
            std::vector<Place> open;
            split(next.place, nursery, open);
            for (std::size_t i = open.size(); i-- > 0;) add(std::move(open[i]));
        }
    }

private:
    // Splits a node by its test; branches that may go on are put on the stack, the first on top.
    void split(Place& place, Nursery& nursery, std::vector<Place>& stack) {
        source_.part(place, nursery);
        Sprout& s = *place.seedling.sprout;
        const std::size_t first = stack.size();
        const int depth = place.seedling.depth + 1;
        for (std::int32_t b = s.n_children; b-- > 0;) {
            Sprout& child = s.children[b];
            const auto branch = static_cast<std::uint32_t>(b);
            const bool pure = source_.fill(branch, child, nursery);
            if (stop_.leaf(child.tally, pure, depth)) continue;
            stack.push_back(source_.branch(branch));
            stack.back().seedling = {&child, child_key(place.seedling.key, branch), depth, pure};
        }
        stop_.bound_children(s);
        if (stack.size() > first) source_.keep(place, std::span(stack).subspan(first));
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

    std::span<const std::uint32_t> of(const Place& place) const {
        return {all.data() + place.columns_begin, all.data() + place.columns_end};
    }
    void drop_after(const Place& place) { all.resize(place.columns_end); }
    // Gives branches the columns of their node of which `stays` is true.
    template <class Stays>
    void narrow(const Place& place, std::span<Place> branches, const Stays& stays) {
        const auto begin = static_cast<std::uint32_t>(all.size());
        for (std::uint32_t i = place.columns_begin; i < place.columns_end; ++i)
            if (const std::uint32_t column = all[i]; stays(column)) all.push_back(column);
        hand_on({{}, 0, 0, begin, static_cast<std::uint32_t>(all.size())}, branches);
    }
    // Gives branches the columns of a node.
    static void hand_on(const Place& place, std::span<Place> branches) {
        for (Place& branch : branches) {
            branch.columns_begin = place.columns_begin;
            branch.columns_end = place.columns_end;
        }
    }
};

// The columns that a node looks at, ascending, into `drawn`: as many as asked of those that vary, in the
// node's own order of them.
template <class Varies>
void draw_columns(std::uint64_t key, std::uint32_t n, int most, const Varies& varies,
                  std::vector<std::uint32_t>& room, std::vector<std::uint32_t>& drawn) {
    drawn.clear();
    Shuffle order(key, n, room);
    while (static_cast<int>(drawn.size()) < most && !order.done())
        if (const std::uint32_t column = order.next(); varies(column)) drawn.push_back(column);
    std::sort(drawn.begin(), drawn.end());
}

}  // namespace bosco
