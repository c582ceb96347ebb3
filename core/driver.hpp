// One driver for all growers of subtrees. A source has the rows of a node and all below it, and finds tests
// in its own way (sorted columns, counted columns, random cuts); which node is next, what its branches are
// and whether they stay leaves is decided here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"

namespace bosco {

// A node to be grown to the end.
struct Seedling {
    Sprout* sprout = nullptr;
    std::uint64_t key = 0;
    int depth = 0;
    bool pure = false;
};

// A node and its rows, which a source keeps one behind the other; and the columns that may differ in it, as
// a part of the source's list of them.
struct Place {
    Seedling seedling;
    std::uint32_t begin = 0, end = 0;
    std::uint32_t columns_begin = 0, columns_end = 0;

    std::uint32_t size() const { return end - begin; }
};

// Grows everything below a node. A source has
//   bool enter(place)            the node is next; false: somebody else will grow it
//   bool find(place)             its test; false: it stays a leaf
//   void part(place, nursery)    gives it the test and sends its rows: branch b has those from first(b) on
//   bool fill(b, child, nursery) what branch b holds; returns whether it is pure
//   void keep(place)             some branch goes on: `place` gets the columns that may differ below it
template <class Source>
class Driver {
public:
    Driver(Source& source, const Stop& stop, Pool& pool) : source_(source), stop_(stop), pool_(pool) {}

    void run(const Place& root, Nursery& nursery, int thread) {
        std::vector<Place> stack{root};
        while (!stack.empty()) {
            Place place = stack.back();
            stack.pop_back();
            check(place.size(), thread);
            if (!source_.enter(place) || !source_.find(place)) continue;
            source_.part(place, nursery);
            open_branches(place, nursery, stack);
        }
    }

private:
    void open_branches(Place& place, Nursery& nursery, std::vector<Place>& stack) {
        Sprout& s = *place.seedling.sprout;
        const auto first = static_cast<std::ptrdiff_t>(stack.size());
        for (std::int32_t b = s.n_children; b-- > 0;) {  // the last lies lowest on the stack
            Sprout& child = s.children[b];
            const auto branch = static_cast<std::uint32_t>(b);
            const bool pure = source_.fill(branch, child, nursery);
            const int depth = place.seedling.depth + 1;
            if (stop_.leaf(child.tally, pure, depth)) continue;
            stack.push_back({{&child, child_key(place.seedling.key, branch), depth, pure},
                             source_.first(branch), source_.first(branch + 1)});
        }
        stop_.bound_children(s);
        if (first == static_cast<std::ptrdiff_t>(stack.size())) return;
        source_.keep(place);
        for (auto open = stack.begin() + first; open != stack.end(); ++open) {
            open->columns_begin = place.columns_begin;
            open->columns_end = place.columns_end;
        }
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
    // Gives a node the columns of which `stays` is true.
    template <class Stays>
    void narrow(Place& place, const Stays& stays) {
        const auto begin = static_cast<std::uint32_t>(all.size());
        for (std::uint32_t i = place.columns_begin; i < place.columns_end; ++i)
            if (const std::uint32_t column = all[i]; stays(column)) all.push_back(column);
        place.columns_begin = begin;
        place.columns_end = static_cast<std::uint32_t>(all.size());
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
