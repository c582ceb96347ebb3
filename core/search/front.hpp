// The tests of a group that are still open while its best tree of three levels or more is searched:
// intervals, the most promising first. Each test that is looked at splits its interval; what its sides cost
// rules out others. Who looks at them, and how many at a time, is not known here.
#pragma once

#include <cstdint>
#include <vector>

#include "search/pair.hpp"

namespace bosco::search {

// A test to be looked at: what is known of its sides, and how much they may cost to matter.
struct Job {
    Interval interval;
    std::int32_t test = 0;
    bool only = false;  // no other test of the interval matters
    Question question;
    Count weight = 0;
    Cost limit = 0;
    Bound left, right;
};

struct Outcome {
    Bound side[2];
    Cost cost = unreachable;  // if both sides were solved
    PlanRef left, right;
};

class Front {
public:
    // `best`: the best tree known; `one_less`: what the group costs at least with a level less.
    Front(const Frame& frame, const Group& group, const Task& task, int depth, Result best, Bound one_less,
          const std::optional<Question>& hint);

    bool take(Job& job);  // false: nothing is open
    void give(const Job& job, const Outcome& outcome);
    // All is looked at, or the search was stopped.
    Result finish(bool stopped);
    const Result& best() const { return best_; }
    bool done() const { return !task_.ruled && best_.cost <= task_.known.low; }
    // Would the interval still matter if the test of the job had sides that cost this? (The part before it,
    // or after it.)
    bool matters(const Interval& part, Cost limit) const;

private:
    void push(Interval v);
    static bool later(const Interval& a, const Interval& b);

    Frame frame_;
    const Group& group_;
    Task task_;
    Chains chains_;
    std::vector<Interval> heap_;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> hinted_;
    Result best_;
    Closed closed_;
};

}  // namespace bosco::search
