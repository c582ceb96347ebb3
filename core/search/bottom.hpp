// The best trees with at most two levels of tests, which is where trees that grow or are polished end.
#pragma once

#include <cstdint>
#include <vector>

#include "search/pair.hpp"
#include "search/search.hpp"

namespace bosco::search {

constexpr std::int64_t most_below = 4;  // leaves of two levels of tests

class Bottoms {
public:
    Bottoms(const Frame& frame, Meter meter) : frame_(frame), meter_(meter), pairs_(frame) {}

    // What a group costs at least with so many leaves (1 to 4) below so many levels of tests.
    Cost cost(const Group& group, int levels, std::int64_t leaves);
    // And the tree that costs no more, by rule the first one: children after their parent.
    std::vector<Node> make(const Group& group, int levels, std::int64_t leaves);

    std::int64_t work() const { return work_; }
    const Frame& frame() const { return frame_; }
    Splitter& splitter() { return splitter_; }

private:
    Result solve(const Group& group, std::int64_t leaves, bool ruled);

    Frame frame_;
    Meter meter_;
    Pairs pairs_;
    Splitter splitter_;
    std::int64_t work_ = 0;
};

}  // namespace bosco::search
