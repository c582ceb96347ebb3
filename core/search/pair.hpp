// The best tree with two levels of tests: every first test is looked at together with the best second ones,
// batch by batch, and only those that their neighbours do not rule out.
#pragma once

#include <cstdint>
#include <vector>

#include "search/chains.hpp"
#include "search/interval.hpp"
#include "search/meter.hpp"
#include "search/result.hpp"
#include "search/sweep.hpp"

namespace bosco::search {

// What all parts of one search share.
struct Frame {
    const Cases& cases;
    Objective objective;
    Count least;  // samples of a leaf
    const Sweep& sweep;
};

// What is asked of a search of a group. Costs at or above `limit` need not be told apart. `known`: no
// tree of the group costs less. `ruled`: of equally good trees the one with the first test is wanted.
struct Task {
    std::int64_t leaves = 0;
    Cost limit = unreachable;
    Bound known;
    int side = 0;
    bool ruled = false;
    std::optional<std::uint32_t> column;  // of a Front: that the first test is to ask
};

// What all that is ruled out, or looked at, costs at least.
struct Closed {
    Cost low = unreachable, free = unreachable;

    void add(Cost own, Cost own_free) {
        low = std::min(low, own);
        add_free(own_free);
    }
    void add_free(Cost own_free) { free = std::min(free, own_free); }
    // An interval is done with, since all tests in it cost at least so much.
    void retire(const Interval& v, Cost limit, Count least) {
        add(std::max(v.key, limit), least > 1 ? v.key_free : std::max(v.key, limit));
    }
    // What is known when nothing more is open, or the best known cannot get better.
    void conclude(Result& best, const Task& task) const {
        best.low =
            best.cost <= task.known.low ? best.cost : std::max(task.known.low, std::min(best.cost, low));
        best.free =
            best.cost <= task.known.free ? best.cost : std::max(task.known.free, std::min(best.cost, free));
    }
};

// What a test of an interval must cost less than to matter: by rule, a first test that comes before the best
// one may cost as much.
Cost limit_of(const Frame& frame, const Group& group, const Chains& chains, const Task& task,
              const Result& best, const Interval& of);

class Pairs {
public:
    explicit Pairs(const Frame& frame) : frame_(frame) {}

    Result solve(const Group& group, const Task& task, Meter& meter, Hints& hints);

private:
    struct Candidate {
        std::uint32_t interval;
        Alive alive;
    };
    struct Lane {
        std::uint32_t interval;
        std::int32_t test;
        std::uint32_t chain;
        Bound left, right;  // what its sides cost
    };
    void make_strips(const Group& group);
    void open(const Group& group, const Task& task);
    bool choose(const Group& group, const Task& task);
    void select(const Group& group, const Task& task, bool first, const Hints& hints);
    void paint(const Group& group, bool first);
    void look(const Group& group, bool first, Meter& meter);
    void begin(const Group& group);
    void consider(const Group& group, const Task& task, bool first);
    void part(const Group& group, const Task& task);
    void push(const Interval& v, const Group& group, const Task& task);

    Frame frame_;
    Chains chains_;
    std::vector<Strip> strips_;
    std::vector<std::vector<Entry>> turned_;
    std::vector<Interval> open_;
    std::vector<std::pair<Cost, std::uint32_t>> queue_;  // a heap: what open intervals cost at least
    std::vector<Candidate> candidates_;
    std::vector<Lane> lanes_;
    std::vector<std::uint32_t> masks_;
    Scratch scratch_;
    Sides sides_[most_lanes];
    Result best_;
    Closed closed_;
};

// The least that any tree of a group costs, and what it costs as a leaf. True if there is nothing to search.
bool settled(const Frame& frame, const Group& group, Task& task, Result& result);

}  // namespace bosco::search
