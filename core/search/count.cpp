#include "search/count.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "search/solver.hpp"

namespace bosco::search {
namespace {

constexpr std::uint64_t many = std::numeric_limits<std::uint64_t>::max();

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > many - b ? many : a + b; }
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b > 0 && a > many / b ? many : a * b; }

// How many trees cost how much. The number of leaves is part of a cost.
using Tallied = std::map<Cost, std::uint64_t>;

void add(Tallied& to, Cost cost, std::uint64_t trees) {
    std::uint64_t& own = to[cost];
    own = plus(own, trees);
}

class Counter {
public:
    Counter(const Cases& cases, const Wanted& wanted, const std::function<bool()>& asked)
        : wanted_(wanted),
          leaves_(std::min<std::int64_t>(
              {wanted.max_leaf_nodes, cases.n_rows, std::int64_t{1} << std::min(wanted.max_depth, 40)})),
          depth_(static_cast<int>(std::min<std::int64_t>(wanted.max_depth, leaves_ - 1))),
          halt_(wanted.time_limit, asked),
          meter_(halt_, true) {
        gather(cases, root_);
        if (depth_ > most_depth) throw Error("a search goes at most 20 levels deep");
        sweep_.emplace(cases, root_.weight, root_.sample_count, wanted.min_samples_leaf, wanted.vector_bytes);
        // Two sides may have more leaves together than are allowed, which their cost must show.
        frame_.emplace(Frame{cases, Objective(wanted.alpha, root_.weight, 2 * leaves_),
                             wanted.min_samples_leaf, *sweep_});
        solver_.emplace(*frame_, Meter(halt_, true));
        meter_.start(wanted.work_limit);
    }

    Many run(Count most) {
        const Objective& o = frame_->objective;
        Tallied found;
        Many result;
        if (most >= 0) {
            const Wide budget = static_cast<Wide>(most) * o.step + o.step - 1;
            trees(root_, depth_, leaves_, static_cast<Cost>(std::min<Wide>(budget, unreachable)), true,
                  found);
        }
        for (const auto& [cost, n] : found) result.trees = plus(result.trees, n);
        result.exact = !meter_.stopped() && result.trees < many;
        result.work = meter_.work();
        return result;
    }

private:
    struct Room {
        Chains chains;
        Group left, right;
    };
    struct Side {
        Bound bound;
        int answer = 0;  // as a leaf
        Cost leaf = 0;
    };

    // All trees of a group that cost at most `budget`. (This calls itself for the sides of a test, with a
    // level less.)
    void trees(const Group& group, int depth, std::int64_t leaves, Cost budget, bool first, Tallied& found) {
        const Objective& o = frame_->objective;
        const Cases& cases = frame_->cases;
        const Cost leaf = o.of(group.wrong(), 1);
        if (leaf <= budget && !(first && wanted_.root)) add(found, leaf, 1);
        if (depth < 1 || leaves < 2 || group.sample_count < 2 * frame_->least) return;
        if (o.of(group.doomed, 2) > budget) return;
        while (rooms_.size() <= static_cast<std::size_t>(depth)) rooms_.push_back(std::make_unique<Room>());
        Chains& chains = rooms_[static_cast<std::size_t>(depth)]->chains;
        chains.make(cases, group, frame_->least);
        std::set<std::vector<bool>> partings;  // of the levels of a column: two chains may part them alike
        std::uint32_t column = ~0u;
        for (const Chain& chain : chains.all()) {
            const std::uint32_t own = chain.question.column;
            if (chain.first == chain.last || (first && wanted_.root && own != *wanted_.root)) continue;
            if (own != column) partings.clear();
            column = own;
            if (!chain.cuts && !partings.insert(parting(group, chain.question)).second) continue;
            if (depth == 1 || leaves == 2)
                stumps(group, chains, chain, budget, found);
            else
                subtrees(group, depth, leaves, chain, budget, found);
            if (meter_.stopped()) return;
        }
    }

    // Which levels go with the first one of the group.
    std::vector<bool> parting(const Group& group, const Question& question) const {
        const Cases& cases = frame_->cases;
        const Entry* const list = group.list(question.column);
        std::vector<bool> with;
        bool fresh = true;
        for (std::uint32_t i = 0; i < group.size; ++i) {
            if (fresh)
                with.push_back(
                    cases.left(question, cases.ranks[question.column][group.row[row_of(list[i])]]));
            fresh = ends(list[i]);
        }
        if (!with.front()) with.flip();
        return with;
    }

    // Trees of one test.
    void stumps(const Group& group, const Chains& chains, const Chain& chain, Cost budget, Tallied& found) {
        const Objective& o = frame_->objective;
        const Cases& cases = frame_->cases;
        const std::uint32_t column = chain.question.column;
        const Entry* const list = group.list(column);
        meter_.add(group.size);
        std::vector<Count> left(group.tally.size(), 0), right = group.tally;
        const auto move = [&](std::uint32_t i) {
            const std::uint32_t row = group.row[row_of(list[i])];
            cases.save(row, left.data());
            cases.save(row, right.data(), -1);
        };
        const auto look = [&] {
            if (heaviest(left.data(), cases.classes) == heaviest(right.data(), cases.classes)) return;
            const Cost cost =
                o.of(group.weight - *std::ranges::max_element(left) - *std::ranges::max_element(right), 2);
            if (cost <= budget) add(found, cost, 1);
        };
        if (!chain.cuts) {
            for (std::uint32_t i = 0; i < group.size; ++i)
                if (cases.left(chain.question, cases.ranks[column][group.row[row_of(list[i])]])) move(i);
            return look();
        }
        const std::uint32_t missing = group.missing[column];
        if (chain.question.missing_left)
            for (std::uint32_t i = 0; i < missing; ++i) move(i);
        std::uint32_t i = missing;
        for (std::uint32_t j = 0; j < chain.last; ++j) {
            for (const std::uint32_t until = chains.end(column, j); i < until; ++i) move(i);
            if (j >= chain.first) look();
        }
    }

    // Trees whose first test is one of a chain.
    void subtrees(const Group& group, int depth, std::int64_t leaves, const Chain& chain, Cost budget,
                  Tallied& found) {
        const Objective& o = frame_->objective;
        const Cases& cases = frame_->cases;
        Room& room = *rooms_[static_cast<std::size_t>(depth)];
        std::size_t j = chain.first;
        while (j < chain.last && !meter_.stopped()) {
            const Count weight = room.chains.weight(chain, j);
            splitter_.split(cases, group, room.chains.question(cases, group, chain, j), room.left,
                            room.right);
            meter_.add(static_cast<std::int64_t>(group.size) *
                       static_cast<std::int64_t>(cases.columns.size()) / 8);
            const Side left = side(room.left, depth, leaves, budget - o.price, 0);
            // Along a chain the left side only grows.
            if (left.bound.free > budget - o.price) return;
            const Side right = side(room.right, depth, leaves, budget - left.bound.low, 1);
            if (left.bound.low + right.bound.low <= budget)
                join(room, depth, leaves, budget, left, right, found);
            ++j;
            // And the right one costs less by no more than what leaves it.
            const Cost over = left.bound.free + right.bound.free - budget;
            if (over > 0) {
                const Count until = weight + (over + o.unit - 1) / o.unit;
                while (j < chain.last && room.chains.weight(chain, j) < until) ++j;
            }
        }
    }

    // What a side costs at least: nothing above the limit is of use.
    Side side(const Group& group, int depth, std::int64_t leaves, Cost limit, int which) {
        Side result;
        Task task;
        task.leaves = std::min(leaves - 1, std::int64_t{1} << std::min(depth - 1, 40));
        task.limit = limit + 1;
        task.side = which;
        solver_->meter().start(std::max<std::int64_t>(0, wanted_.work_limit - meter_.work()));
        const Result found = solver_->solve(group, depth - 1, task);
        meter_.add(solver_->meter().work());
        result.bound = {found.low, found.free};
        result.answer = heaviest(group.tally.data(), frame_->cases.classes);
        result.leaf = frame_->objective.of(group.wrong(), 1);
        return result;
    }

    void join(const Room& room, int depth, std::int64_t leaves, Cost budget, const Side& left,
              const Side& right, Tallied& found) {
        Tallied a, b;
        trees(room.left, depth - 1, leaves - 1, budget - right.bound.low, false, a);
        if (a.empty()) return;
        trees(room.right, depth - 1, leaves - 1, budget - a.begin()->first, false, b);
        for (const auto& [cost, n] : a)
            for (const auto& [more, m] : b) {
                if (cost + more > budget) break;
                if ((cost + more) % frame_->objective.step > leaves) continue;
                std::uint64_t both = times(n, m);
                // Not the one of two leaves that say the same.
                if (cost == left.leaf && more == right.leaf && left.answer == right.answer) --both;
                if (both > 0) add(found, cost + more, both);
            }
    }

    Wanted wanted_;
    std::int64_t leaves_;
    int depth_;
    Halt halt_;
    Meter meter_;
    Group root_;
    std::optional<Sweep> sweep_;
    std::optional<Frame> frame_;
    std::optional<Solver> solver_;
    Splitter splitter_;
    std::vector<std::unique_ptr<Room>> rooms_;  // by depth
};

}  // namespace

Many count(const Cases& cases, const Wanted& wanted, Count most, const std::function<bool()>& asked) {
    return Counter(cases, wanted, asked).run(most);
}

}  // namespace bosco::search
