#include "search/bottom.hpp"

#include <algorithm>

namespace bosco::search {
namespace {

// How often a group's columns are read at most in one search; hardly any needs so many.
constexpr std::int64_t most_sweeps = 400;

}  // namespace

Result Bottoms::solve(const Group& group, std::int64_t leaves, bool ruled) {
    Task task;
    task.leaves = leaves;
    task.ruled = ruled;
    Hints none;
    meter_.start(most_sweeps * static_cast<std::int64_t>(group.size) *
                 static_cast<std::int64_t>(frame_.cases.columns.size()));
    Result result = pairs_.solve(group, task, meter_, none);
    work_ += meter_.work();
    return result;
}

Cost Bottoms::cost(const Group& group, int levels, std::int64_t leaves) {
    const std::int64_t most = std::min(leaves, std::int64_t{1} << levels);
    return most < 2 ? frame_.objective.of(group.wrong(), 1) : solve(group, most, false).cost;
}

std::vector<Node> Bottoms::make(const Group& group, int levels, std::int64_t leaves) {
    leaves = std::min(leaves, std::int64_t{1} << levels);
    std::vector<Node> nodes(1);
    if (leaves < 2) return nodes;
    Result best = solve(group, leaves, true);
    if (best.leaf) return nodes;
    if (!best.question) best = solve(group, leaves = 2, true);
    Group sides[2];
    splitter_.split(frame_.cases, group, *best.question, sides[0], sides[1]);
    // Of ways to share the leaves out the first that costs no more.
    Cost least = unreachable;
    std::int64_t share = 1;
    const std::int64_t more = leaves == 4 ? 2 : 1;
    for (std::int64_t left = more; left <= leaves - more && left <= 2; ++left) {
        const Cost cost = this->cost(sides[0], 1, left) + this->cost(sides[1], 1, leaves - left);
        if (cost < least) least = cost, share = left;
    }
    nodes[0].leaf = false;
    nodes[0].question = *best.question;
    const std::int64_t own[2] = {share, leaves - share};
    for (int side = 0; side < 2; ++side) {
        const auto at = static_cast<std::int32_t>(nodes.size());
        (side == 0 ? nodes[0].left : nodes[0].right) = at;
        nodes.emplace_back();
        if (own[side] < 2) continue;
        const Result below = solve(sides[side], 2, true);
        if (below.leaf || !below.question) continue;
        nodes[static_cast<std::size_t>(at)] = {false, *below.question, at + 1, at + 2};
        nodes.resize(nodes.size() + 2);
    }
    return nodes;
}

}  // namespace bosco::search
