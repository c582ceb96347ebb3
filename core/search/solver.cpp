#include "search/solver.hpp"

#include <algorithm>

namespace bosco::search {

Result Solver::solve(const Group& group, int depth, const Task& given) {
    Task task = given;
    depth = static_cast<int>(std::min<std::int64_t>(depth, task.leaves - 1));
    if (depth <= 2) {
        // With one level every side is a leaf: the pairs whose sides may not be parted.
        if (depth <= 1) task.leaves = std::min<std::int64_t>(task.leaves, depth + 1);
        return pairs_.solve(group, task, meter_, hints_);
    }
    Result best;
    if (settled(frame_, group, task, best)) return best;
    Task less = given;
    less.ruled = false;
    less.known = {};
    Result shallow = solve(group, depth - 1, less);
    const Bound one_less{shallow.low, shallow.free};
    // By rule, the test must be the first of all that are as good: that of a shallow tree may not be.
    if (task.ruled) shallow.question.reset();
    if (meter_.stopped() || (!task.ruled && shallow.cost <= task.known.low)) {
        shallow.low = std::min(shallow.cost, task.known.low);
        shallow.free = std::min(shallow.cost, task.known.free);
        return shallow;
    }
    const auto side = static_cast<std::size_t>(task.side);
    auto& hint = hints_[static_cast<std::size_t>(depth)][side];
    Front front(frame_, group, task, depth, std::move(shallow), one_less, hint);
    Job job;
    while (!meter_.stopped() && !front.done() && front.take(job)) {
        const Outcome found = look(group, depth, job, front);
        front.give(job, found);
        if (front.best().question) hint = front.best().question;
    }
    return front.finish(meter_.stopped());
}

Outcome Solver::look(const Group& group, int depth, const Job& job, const Front& front) {
    while (rooms_.size() <= static_cast<std::size_t>(depth)) rooms_.push_back(std::make_unique<Room>());
    Room& room = *rooms_[static_cast<std::size_t>(depth)];
    splitter_.split(frame_.cases, group, job.question, room.left, room.right);
    meter_.add(static_cast<std::int64_t>(group.size) *
               static_cast<std::int64_t>(frame_.cases.columns.size()) / 8);
    const Interval& v = job.interval;
    // A side that costs so much rules out the tests beyond this one; more need not be known.
    Cost limit[2] = {job.limit - v.right_after, job.limit - v.left_before};
    if (job.only) {
        limit[0] = std::min(limit[0], job.limit - job.right.low);
        limit[1] = std::min(limit[1], job.limit - job.left.low);
    }
    Outcome found;
    found.side[0] = job.left;
    found.side[1] = job.right;
    Result solved[2];
    const auto solve_side = [&](int side) {
        Task task;
        task.leaves = side == 0 ? v.share.left : v.share.right;
        task.limit = limit[side];
        task.known = found.side[side];
        task.side = side;
        solved[side] = solve(side == 0 ? room.left : room.right, depth - 1, task);
        found.side[side].low = std::max(found.side[side].low, solved[side].low);
        found.side[side].free = std::max(found.side[side].free, solved[side].free);
    };
    // The larger side first; the other one only if it still matters.
    const int large = room.left.size >= room.right.size ? 0 : 1, small = 1 - large;
    solve_side(large);
    if (job.only) limit[small] = std::min(limit[small], job.limit - found.side[large].low);
    const Interval rest = large == 0 ? v.before(job.test, job.weight, found.side[0], found.side[1])
                                     : v.after(job.test, job.weight, found.side[0], found.side[1]);
    if (meter_.stopped() ||
        !(found.side[0].low + found.side[1].low < job.limit || front.matters(rest, job.limit)))
        return found;
    solve_side(small);
    found.cost = solved[0].cost + solved[1].cost;
    found.left = solved[0].plan;
    found.right = solved[1].plan;
    return found;
}

}  // namespace bosco::search
