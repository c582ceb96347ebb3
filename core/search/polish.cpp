#include "search/polish.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "data/random.hpp"
#include "search/bottom.hpp"
#include "search/retest.hpp"

namespace bosco::search {
namespace {

constexpr int most_rounds = 50;

using Rows = std::vector<std::uint32_t>;

// A node of a tree that changes: what is below it, and the rows that reach it.
struct Twig {
    Node node;
    std::int32_t parent = -1;
    int depth = 0;
    Rows rows;
    std::vector<Count> tally;  // what each answer saves of them
    Count weight = 0;
    // Of all below it.
    Count wrong = 0;
    std::int64_t leaves = 1;
    int levels = 0;
};

class Polish {
public:
    Polish(const Cases& cases, const Wanted& wanted, const std::function<bool()>& asked)
        : cases_(cases),
          wanted_(wanted),
          halt_(std::numeric_limits<double>::infinity(), asked),
          sweep_(cases, weight_of_all(), samples_of_all(), wanted.min_samples_leaf, wanted.vector_bytes),
          frame_{cases, Objective({}, weight_of_all(), most_below), wanted.min_samples_leaf, sweep_},
          bottoms_(frame_, Meter(halt_, true)) {}

    Polished run(const std::vector<Node>& tree) {
        plant(tree);
        Polished done;
        done.before = twigs_[0].wrong;
        most_leaves_ = twigs_[0].leaves;
        for (Count last = done.before; last > 0 && done.rounds < most_rounds; last = twigs_[0].wrong) {
            const std::vector<Twig> kept = twigs_;
            look_again();
            move_leaves();
            // It could rise only where the search of a bottom was too long.
            if (twigs_[0].wrong >= last) {
                twigs_ = kept;
                break;
            }
            ++done.rounds;
        }
        done.after = twigs_[0].wrong;
        done.nodes = listed();
        done.work = bottoms_.work() + work_;
        return done;
    }

private:
    Twig& at(std::int32_t i) { return twigs_[static_cast<std::size_t>(i)]; }
    Count weight_of_all() const {
        Count sum = 0;
        for (std::uint32_t i = 0; i < cases_.n_rows; ++i) sum += cases_.weight_of(i);
        return sum;
    }
    Count samples_of_all() const {
        Count sum = 0;
        for (std::uint32_t i = 0; i < cases_.n_rows; ++i) sum += cases_.samples_of(i);
        return sum;
    }
    std::int32_t side(const Node& node, std::uint32_t row) const {
        return cases_.left(node.question, cases_.ranks[node.question.column][row]) ? node.left : node.right;
    }

    void plant(const std::vector<Node>& tree) {
        twigs_.resize(tree.size());
        for (std::size_t i = 0; i < tree.size(); ++i) twigs_[i].node = tree[i];
        twigs_[0].rows.resize(cases_.n_rows);
        std::iota(twigs_[0].rows.begin(), twigs_[0].rows.end(), 0u);
        send(0);
    }

    // Sends the rows of a node to all below it, and counts there. A test that leaves a side without rows
    // goes: the other side takes its place.
    void send(std::int32_t top) {
        std::vector<std::int32_t> order{top};
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::int32_t i = order[k];
            while (!at(i).node.leaf) {
                const Node node = at(i).node;
                at(node.left).rows.clear();
                at(node.right).rows.clear();
                for (const std::uint32_t row : at(i).rows) at(side(node, row)).rows.push_back(row);
                if (!at(node.left).rows.empty() && !at(node.right).rows.empty()) {
                    part_missing(i);
                    break;
                }
                take_place(i, at(node.left).rows.empty() ? node.right : node.left);
            }
            at(i).tally.assign(static_cast<std::size_t>(cases_.classes), 0);
            at(i).weight = 0;
            for (const std::uint32_t row : at(i).rows) {
                cases_.save(row, at(i).tally.data());
                at(i).weight += cases_.weight_of(row);
            }
            if (at(i).node.leaf) continue;
            for (const std::int32_t child : {at(i).node.left, at(i).node.right}) {
                at(child).parent = i;
                at(child).depth = at(i).depth + 1;
                order.push_back(child);
            }
        }
        for (std::size_t k = order.size(); k-- > 0;) sum_up(order[k]);
        for (std::int32_t i = at(top).parent; i >= 0; i = at(i).parent) sum_up(i);
    }
    // A cut with no known value on one side parts the missing from all others, whatever it said.
    void part_missing(std::int32_t i) {
        Node& node = at(i).node;
        if (node.question.kind != Question::Kind::cut) return;
        const auto& ranks = cases_.ranks[node.question.column];
        const auto known = [&](std::int32_t side) {
            return std::ranges::any_of(at(side).rows, [&](std::uint32_t row) { return ranks[row] != 0; });
        };
        if (!known(node.left)) {
            std::swap(node.left, node.right);
            node.question.missing_left = false;
            node.question.code = all_known;
        } else if (!known(node.right)) {
            node.question.code = all_known;
        }
    }
    void sum_up(std::int32_t i) {
        Twig& own = at(i);
        own.wrong = Objective::wrong(own.weight, own.tally), own.leaves = 1, own.levels = 0;
        if (own.node.leaf) return;
        const Twig &l = at(own.node.left), &r = at(own.node.right);
        own.wrong = l.wrong + r.wrong;
        own.leaves = l.leaves + r.leaves;
        own.levels = 1 + std::max(l.levels, r.levels);
    }
    // What a node asks, and all below it, is that of another node below it.
    void take_place(std::int32_t i, std::int32_t of) { at(i).node = at(of).node; }
    // A node and all below it become the best tree with so many leaves.
    void rebuild(std::int32_t i, const Group& group, std::int64_t leaves) {
        const std::vector<Node> made = bottoms_.make(group, levels_below(i), leaves);
        const auto first = static_cast<std::int32_t>(twigs_.size()) - 1;
        twigs_.resize(twigs_.size() + made.size() - 1);
        for (std::size_t k = 0; k < made.size(); ++k) {
            Twig& to = k == 0 ? at(i) : at(first + static_cast<std::int32_t>(k));
            to.node = made[k];
            if (!to.node.leaf) to.node.left += first, to.node.right += first;
        }
        send(i);
    }
    int levels_below(std::int32_t i) { return std::clamp(wanted_.max_depth - at(i).depth, 0, 2); }
    bool is_bottom(std::int32_t i) { return at(i).leaves <= most_below && at(i).levels <= 2; }

    // Calls `visit` for nodes from the root on, with their rows in order; it says whether to go on below.
    template <class Visit>
    void walk(const Visit& visit) {
        struct Open {
            std::int32_t node;
            Group group;
        };
        std::vector<Open> open(1);
        open[0].node = 0;
        gather(cases_, open[0].group);
        while (!open.empty()) {
            const Open now = std::move(open.back());
            open.pop_back();
            if (!visit(now.node, now.group)) continue;
            const Node& node = at(now.node).node;
            if (node.leaf) continue;
            Open sides[2];
            sides[0].node = node.left, sides[1].node = node.right;
            bottoms_.splitter().split(cases_, now.group, node.question, sides[0].group, sides[1].group);
            count_work(now.group);
            open.push_back(std::move(sides[1]));
            open.push_back(std::move(sides[0]));
        }
    }
    void count_work(const Group& group) {
        work_ += static_cast<std::int64_t>(group.size) * static_cast<std::int64_t>(cases_.columns.size());
        halt_.look(true);
    }

    // Every node's test again, and every bottom.
    void look_again() {
        walk([&](std::int32_t i, const Group& group) {
            if (at(i).wrong == 0 || at(i).node.leaf) return false;
            if (!is_bottom(i)) look_for_test(i, group);
            if (at(i).leaves <= most_below && levels_below(i) > 0 &&
                wrong_with(i, group, at(i).leaves) < at(i).wrong)
                rebuild(i, group, at(i).leaves);
            return !is_bottom(i);
        });
    }
    void look_for_test(std::int32_t i, const Group& group) {
        const Node node = at(i).node;
        gain_.assign(group.size, 0);
        Count own = 0;
        for (std::uint32_t k = 0; k < group.size; ++k) {
            const std::uint32_t row = group.row[k];
            gain_[k] = cases_.cost(row, answer(node.right, row)) - cases_.cost(row, answer(node.left, row));
            if (gain_[k] != 0 && side(node, row) == node.left) own += gain_[k];
        }
        count_work(group);
        const auto best = retest_.find(cases_, group, wanted_.min_samples_leaf, gain_);
        if (!best || best->worth <= own || starves(i, best->question)) return;
        at(i).node.question = best->question;
        send(i);
    }
    int answer(std::int32_t i, std::uint32_t row) {
        while (!at(i).node.leaf) i = side(at(i).node, row);
        return heaviest(at(i).tally.data(), cases_.classes);
    }
    // Would a leaf have too few samples, though some, if the node asked this?
    bool starves(std::int32_t i, const Question& question) {
        if (wanted_.min_samples_leaf < 2) return false;
        Node node = at(i).node;
        node.question = question;
        std::map<std::int32_t, Count> samples;
        for (const std::uint32_t row : at(i).rows) {
            std::int32_t k = side(node, row);
            while (!at(k).node.leaf) k = side(at(k).node, row);
            samples[k] += cases_.samples_of(row);
        }
        return std::ranges::any_of(samples,
                                   [&](const auto& of) { return of.second < wanted_.min_samples_leaf; });
    }

    // The weight that the best bottom with so many leaves gets wrong; looked for once for the same rows.
    Count wrong_with(std::int32_t i, const Group& group, std::int64_t leaves) {
        const int levels = levels_below(i);
        std::array<std::uint64_t, 3> key{static_cast<std::uint64_t>(leaves * 4 + levels), 0, 0};
        for (const std::uint32_t row : group.row) key[1] += mix(1, row), key[2] += mix(2, row);
        const auto [found, fresh] = known_.try_emplace(key, 0);
        if (fresh) found->second = frame_.objective.penalised(bottoms_.cost(group, levels, leaves));
        return found->second;
    }

    // A leaf less here, and what that costs; or one more, and what that saves.
    struct Step {
        Count weight = 0;
        std::int32_t node = 0;
        std::int32_t raised = -1;  // the branch that takes the node's place
    };
    struct Steps {
        std::vector<Step> less, more;
    };
    void move_leaves() {
        const Steps chosen = chosen_of(steps());
        for (const Step& one : chosen.less) apply(one, -1);
        for (const Step& one : chosen.more) apply(one, +1);
    }
    // All there are, the best first.
    Steps steps() {
        Steps all;
        walk([&](std::int32_t i, const Group& group) {
            if (is_bottom(i)) add_resized(i, group, all);
            if (at(i).node.leaf) return false;
            add_raised(i, group, all.less);
            return true;
        });
        std::ranges::stable_sort(all.less, {}, &Step::weight);
        std::ranges::stable_sort(all.more, std::greater{}, &Step::weight);
        return all;
    }
    // A bottom with a leaf less, or one more.
    void add_resized(std::int32_t i, const Group& group, Steps& to) {
        const Twig& own = at(i);
        if (own.leaves > 1) to.less.push_back({wrong_with(i, group, own.leaves - 1) - own.wrong, i, -1});
        if (own.wrong > 0 && own.leaves < std::int64_t{1} << levels_below(i))
            to.more.push_back({own.wrong - wrong_with(i, group, own.leaves + 1), i, -1});
    }
    // Beside a leaf, the other branch in the node's place.
    void add_raised(std::int32_t i, const Group& group, std::vector<Step>& to) {
        const Node& node = at(i).node;
        for (const auto& [leaf, other] : {std::pair{node.left, node.right}, std::pair{node.right, node.left}})
            if (at(leaf).node.leaf && !at(other).node.leaf) {
                to.push_back({wrong_if_raised(i, other) - at(i).wrong, i, other});
                count_work(group);
            }
    }
    // Those that do not touch each other, as long as they save more than they cost: leaves that are left over
    // are spent first, then each is paid for by the cheapest one elsewhere.
    Steps chosen_of(const Steps& all) {
        Steps chosen;
        std::set<std::int32_t> used;
        const auto free = [&](std::int32_t i) {
            return std::ranges::none_of(used, [&](std::int32_t k) { return touch(i, k); });
        };
        std::int64_t spare = most_leaves_ - at(0).leaves;
        for (const Step& one : all.more) {
            if (one.weight <= 0) break;
            if (!free(one.node)) continue;
            if (spare > 0) {
                --spare;
            } else {
                const auto pays = [&](const Step& l) {
                    return l.weight < one.weight && free(l.node) && !touch(l.node, one.node);
                };
                const auto pay = std::ranges::find_if(all.less, pays);
                if (pay == all.less.end()) continue;
                chosen.less.push_back(*pay);
                used.insert(pay->node);
            }
            chosen.more.push_back(one);
            used.insert(one.node);
        }
        return chosen;
    }
    bool touch(std::int32_t a, std::int32_t b) { return above(a, b) || above(b, a); }
    bool above(std::int32_t high, std::int32_t low) {
        while (low >= 0 && low != high) low = at(low).parent;
        return low == high;
    }
    Count wrong_if_raised(std::int32_t i, std::int32_t branch) {
        std::map<std::int32_t, std::vector<Count>> tallies;
        Count wrong = 0;
        for (const std::uint32_t row : at(i).rows) {
            std::int32_t k = branch;
            while (!at(k).node.leaf) k = side(at(k).node, row);
            auto& tally = tallies[k];
            tally.resize(static_cast<std::size_t>(cases_.classes));
            cases_.save(row, tally.data());
            wrong += cases_.weight_of(row);
        }
        for (const auto& of : tallies) wrong -= *std::ranges::max_element(of.second);
        return wrong;
    }
    void apply(const Step& step, std::int64_t leaves) {
        if (step.raised >= 0) {
            take_place(step.node, step.raised);
            send(step.node);
            return;
        }
        const Group group = group_of(step.node);
        rebuild(step.node, group, at(step.node).leaves + leaves);
    }
    // The rows of one node, in order.
    Group group_of(std::int32_t i) {
        std::vector<std::int32_t> path;
        for (; i > 0; i = at(i).parent) path.push_back(i);
        Group group, sides[2];
        gather(cases_, group);
        for (std::int32_t from = 0; !path.empty(); path.pop_back()) {
            const Node& node = at(from).node;
            bottoms_.splitter().split(cases_, group, node.question, sides[0], sides[1]);
            count_work(group);
            from = path.back();
            std::swap(group, sides[from == node.left ? 0 : 1]);
        }
        return group;
    }

    std::vector<Node> listed() {
        std::vector<Node> nodes;
        std::vector<std::int32_t> from{0};
        for (std::size_t k = 0; k < from.size(); ++k) {
            Node node = at(from[k]).node;
            if (!node.leaf) {
                from.insert(from.end(), {node.left, node.right});
                node.left = static_cast<std::int32_t>(from.size()) - 2;
                node.right = node.left + 1;
            }
            nodes.push_back(node);
        }
        return nodes;
    }

    const Cases& cases_;
    Wanted wanted_;
    Halt halt_;
    Sweep sweep_;
    Frame frame_;
    Bottoms bottoms_;
    Retest retest_;
    std::vector<Twig> twigs_;
    std::int64_t most_leaves_ = 1;
    std::vector<Count> gain_;
    std::map<std::array<std::uint64_t, 3>, Count> known_;
    std::int64_t work_ = 0;
};

}  // namespace

Polished polish(const Cases& cases, const std::vector<Node>& tree, const Wanted& wanted,
                const std::function<bool()>& asked) {
    return Polish(cases, wanted, asked).run(tree);
}

}  // namespace bosco::search
