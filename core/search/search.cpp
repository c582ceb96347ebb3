#include "search/search.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "search/solver.hpp"

namespace bosco::search {
namespace {

// How many tests of the whole are looked at, at any time, by however few threads: what is known when a test
// is begun depends on nothing else, and so neither does the search.
constexpr int ahead = 6;

class Search {
public:
    Search(const Cases& cases, const Wanted& wanted, int n_threads, const std::function<bool()>& asked)
        : wanted_(wanted),
          most_leaves_(std::min<std::int64_t>(
              {wanted.max_leaf_nodes, cases.n_rows, std::int64_t{1} << std::min(wanted.max_depth, 40)})),
          depth_(static_cast<int>(std::min<std::int64_t>(wanted.max_depth, most_leaves_ - 1))),
          halt_(wanted.time_limit, asked),
          pool_(std::min(n_threads, ahead)) {
        gather(cases, root_);
        if (depth_ > most_depth) throw Error("a search goes at most 20 levels deep");
        sweep_.emplace(cases, root_.weight, root_.sample_count, wanted.min_samples_leaf, wanted.vector_bytes);
        frame_.emplace(search::Frame{cases, Objective(wanted.alpha, root_.weight, most_leaves_),
                                     wanted.min_samples_leaf, *sweep_});
        for (int i = 0; i < pool_.size(); ++i) solvers_.emplace_back(*frame_, Meter(halt_, i == 0));
    }

    Found run() {
        Task task;
        task.leaves = most_leaves_;
        task.ruled = true;
        if (!wanted_.root) start_ = look_ahead(root_, depth_);
        Result best = wanted_.root ? rooted(task) : solve(root_, depth_, task);
        if (start_.cost < best.cost) {  // the search had no time
            start_.low = best.low;
            best = start_;
        }
        Found found;
        const Objective& o = frame_->objective;
        const bool done = best.low >= best.cost;
        if (best.cost < unreachable) plant(best, done, found);
        found.bound = o.penalised(std::min(best.low, best.cost));
        found.objective = found.wrong * wanted_.alpha.parts + wanted_.alpha.of * found.leaves;
        // A search may end before all trees of the least objective are compared.
        found.end = (found.nodes.empty() ? done : found.bound == found.objective) ? End::proved
                    : halt_.late()                                                ? End::time
                    : halt_.stopped()                                             ? End::asked
                                                                                  : End::work;
        found.work = work_;
        return found;
    }

private:
    // A good tree to begin with: at every node the first test of the best tree with two levels. (It calls
    // itself for the sides, with a level less.)
    Result look_ahead(const Group& group, int depth) {
        Result best;
        if (depth < 3 || most_leaves_ < std::int64_t{1} << depth_) return best;
        Task task;
        task.leaves = 4;
        Solver& own = solvers_.front();
        own.meter().start(left());
        best = own.solve(group, 2, task);
        work_ += own.meter().work();
        if (!best.question || over()) return best;
        Group sides[2];
        splitter_.split(frame_->cases, group, *best.question, sides[0], sides[1]);
        auto plan = std::make_shared<Plan>();
        plan->question = best.question;
        Cost cost = 0;
        for (int side = 0; side < 2; ++side) {
            task.side = side;
            Result below;
            if (depth > 3) {
                below = look_ahead(sides[side], depth - 1);
            } else {
                own.meter().start(left());
                below = own.solve(sides[side], 2, task);
                work_ += own.meter().work();
            }
            cost += below.cost;
            (side == 0 ? plan->left : plan->right) = below.plan;
        }
        if (cost < best.cost) best.cost = cost, best.plan = std::move(plan);
        return best;
    }

    // As Solver::solve, by all threads.
    Result solve(const Group& group, int depth, const Task& given) {
        Task task = given;
        depth = static_cast<int>(std::min<std::int64_t>(depth, task.leaves - 1));
        Solver& own = solvers_.front();
        if (depth <= 2) {
            own.meter().start(left());
            Result result = own.solve(group, depth, task);
            work_ += own.meter().work();
            return result;
        }
        Result best;
        if (settled(*frame_, group, task, best)) return best;
        Task less = given;
        less.ruled = false;
        less.known = {};
        const bool whole = &group == &root_ && depth == depth_;
        if (whole) less.limit = std::min(less.limit, start_.cost);
        Result shallow = solve(group, depth - 1, less);
        const Bound one_less{shallow.low, shallow.free};
        if (whole && start_.cost < shallow.cost) {
            shallow.cost = start_.cost;
            shallow.plan = start_.plan;
            shallow.question = start_.question;
            shallow.leaf = false;
        }
        if (task.ruled) shallow.question.reset();
        if (over() || (!task.ruled && shallow.cost <= task.known.low)) {
            shallow.low = std::min(shallow.cost, task.known.low);
            shallow.free = std::min(shallow.cost, task.known.free);
            return shallow;
        }
        Front front(*frame_, group, task, depth, std::move(shallow), one_less,
                    own.hints()[static_cast<std::size_t>(depth)][0]);
        const Hints known = share_out(front, group, depth);
        for (Solver& solver : solvers_) solver.hints() = known;
        return front.finish(over());
    }

    // The best tree whose first test asks one column: what is known of the sides is as ever.
    Result rooted(Task task) {
        if (depth_ < 1) {
            Result none;
            none.low = none.free = unreachable;
            return none;
        }
        Task less = task;
        less.ruled = false;
        const Result shallow = solve(root_, depth_ - 1, less);
        task.column = wanted_.root;
        Front front(*frame_, root_, task, depth_, {}, {shallow.low, shallow.free}, {});
        share_out(front, root_, depth_);
        return front.finish(over());
    }

    std::int64_t left() const { return wanted_.work_limit - work_; }
    bool over() const { return halt_.stopped() || left() <= 0; }

    // One test that is looked at, and what came of it.
    struct Turn {
        Job job;
        Hints hints;
        std::int64_t limit = 0, work = 0;
        bool taken = false, done = false;
        Outcome outcome;
    };

    // Tests are taken in the order that the front says, and given back in the same order: the k-th is taken
    // when all but the last few before it are given back, whoever looks at them.
    Hints share_out(Front& front, const Group& group, int depth) {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<Turn> turns;
        Hints known = solvers_.front().hints();
        const auto fill = [&] {
            while (turns.size() < ahead && !over() && !front.done()) {
                Turn turn;
                if (!front.take(turn.job)) return;
                turn.hints = known;
                turn.limit = left();
                turns.push_back(std::move(turn));
            }
        };
        fill();
        pool_.run(pool_.size(), [&](std::int64_t, int thread) {
            Solver& solver = solvers_[static_cast<std::size_t>(thread)];
            std::unique_lock lock(mutex);
            while (!turns.empty()) {
                const auto next = std::ranges::find(turns, false, &Turn::taken);
                if (next == turns.end()) {
                    changed.wait(lock);
                    continue;
                }
                Turn& turn = *next;  // stays where it is while others come and go at the ends
                turn.taken = true;
                lock.unlock();
                solver.hints() = turn.hints;
                solver.meter().start(turn.limit);
                Outcome outcome = solver.look(group, depth, turn.job, front);
                lock.lock();
                turn.outcome = std::move(outcome);
                turn.hints = solver.hints();
                turn.work = solver.meter().work();
                turn.done = true;
                while (!turns.empty() && turns.front().done) {
                    const Turn& first = turns.front();
                    work_ += first.work;
                    known = first.hints;
                    front.give(first.job, first.outcome);
                    if (front.best().question)
                        known[static_cast<std::size_t>(depth)][0] = front.best().question;
                    turns.pop_front();
                    fill();
                }
                changed.notify_all();
            }
        });
        return known;
    }

    // The tree, node by node. Where it is proved, every side is searched once more for its first test by
    // rule; else what was found is made.
    struct Pending {
        std::int32_t node;
        int depth;
        std::int64_t leaves;
        Result result;
        Group group;
    };
    void plant(const Result& best, bool proved, Found& found) {
        std::deque<Pending> open;
        found.leaves = 0;
        const auto add = [&](int depth, std::int64_t leaves, Result result, Group group) {
            const auto node = static_cast<std::int32_t>(found.nodes.size());
            found.nodes.emplace_back();
            if (result.leaf || (!result.question && !result.plan->question && result.plan->depth == 0)) {
                found.wrong += group.wrong();
                ++found.leaves;
            } else {
                open.push_back({node, depth, leaves, std::move(result), std::move(group)});
            }
            return node;
        };
        add(depth_, most_leaves_, best, root_);
        while (!open.empty()) {
            const Pending now = std::move(open.front());
            open.pop_front();
            const Plan& plan = *now.result.plan;
            const Question question = plan.question ? *plan.question : first_test(now.group);
            Group sides[2];
            splitter_.split(frame_->cases, now.group, question, sides[0], sides[1]);
            Result results[2];
            std::int64_t leaves[2];
            share_leaves(now, proved, sides, results, leaves);
            const std::int32_t left = add(now.depth - 1, leaves[0], results[0], std::move(sides[0]));
            const std::int32_t right = add(now.depth - 1, leaves[1], results[1], std::move(sides[1]));
            found.nodes[static_cast<std::size_t>(now.node)] = {false, question, left, right};
        }
    }
    // The best test alone.
    Question first_test(const Group& group) {
        Task task;
        task.leaves = 2;
        task.ruled = true;
        return *again(group, 1, task, false).question;
    }
    // What is made of a finished search has no limit of work.
    Result again(const Group& group, int depth, const Task& task, bool heeds) {
        Solver& own = solvers_.front();
        own.meter().start(std::numeric_limits<std::int64_t>::max(), heeds);
        Result result = own.solve(group, depth, task);
        work_ += own.meter().work();
        return result;
    }
    void share_leaves(const Pending& now, bool proved, const Group (&sides)[2], Result (&results)[2],
                      std::int64_t (&leaves)[2]) {
        if (proved && !halt_.stopped() &&
            search_sides(now.depth - 1, now.leaves, true, sides, results, leaves))
            return;
        // As it was found: there is no proof, or no time to choose among equals.
        const Plan& plan = *now.result.plan;
        if (!plan.left) {
            search_sides(std::max(0, plan.depth - 1), plan.leaves, false, sides, results, leaves);
            return;
        }
        for (int side = 0; side < 2; ++side) {
            results[side].plan = side == 0 ? plan.left : plan.right;
            results[side].leaf = !results[side].plan->question && results[side].plan->depth == 0;
            leaves[side] = now.leaves;
        }
    }
    // The best trees of both sides, by rule; false if the search was to stop meanwhile.
    bool search_sides(int depth, std::int64_t all, bool heeds, const Group (&sides)[2], Result (&results)[2],
                      std::int64_t (&leaves)[2]) {
        const std::int64_t most = std::int64_t{1} << std::min(depth, 40);
        Cost least = unreachable;
        for (std::int64_t left = std::max<std::int64_t>(1, std::min(most, all - most));
             left <= std::min(most, all - 1); ++left) {
            const std::int64_t share[2] = {left, std::min(most, all - left)};
            Result tried[2];
            for (int side = 0; side < 2; ++side) {
                Task task;
                task.leaves = share[side];
                task.ruled = true;
                tried[side] = again(sides[side], depth, task, heeds);
                if (heeds && halt_.stopped()) return false;
            }
            if (tried[0].cost + tried[1].cost >= least) continue;
            least = tried[0].cost + tried[1].cost;
            for (int side = 0; side < 2; ++side)
                results[side] = std::move(tried[side]), leaves[side] = share[side];
        }
        return true;
    }

    Wanted wanted_;
    std::int64_t most_leaves_;
    int depth_;
    Halt halt_;
    Pool pool_;
    Group root_;
    std::optional<Sweep> sweep_;
    std::optional<search::Frame> frame_;
    std::vector<Solver> solvers_;
    Splitter splitter_;
    Result start_;
    std::int64_t work_ = 0;
};

}  // namespace

Found search(const Cases& cases, const Wanted& wanted, int n_threads, const std::function<bool()>& asked) {
    return Search(cases, wanted, n_threads, asked).run();
}

}  // namespace bosco::search
