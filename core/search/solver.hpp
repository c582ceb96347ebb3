// The best tree of any depth: of two levels by Pairs, of more by looking at the sides of one test after the
// other (Front). One solver for each thread; it keeps its memory.
#pragma once

#include <memory>
#include <vector>

#include "search/front.hpp"

namespace bosco::search {

class Solver {
public:
    Solver(const Frame& frame, Meter meter) : frame_(frame), meter_(meter), pairs_(frame) {}

    // This calls itself for the sides of a test, with a level less: no deeper than the tree that is asked
    // for.
    Result solve(const Group& group, int depth, const Task& task);
    // The sides of one test.
    Outcome look(const Group& group, int depth, const Job& job, const Front& front);

    Meter& meter() { return meter_; }
    Hints& hints() { return hints_; }

private:
    struct Room {
        Group left, right;
    };
    Frame frame_;
    Meter meter_;
    Pairs pairs_;
    Splitter splitter_;
    Hints hints_;
    std::vector<std::unique_ptr<Room>> rooms_;  // by depth
};

}  // namespace bosco::search
