#include "search/ahead.hpp"

#include <algorithm>
#include <optional>

#include "grow/verbs.hpp"
#include "search/bottom.hpp"

namespace bosco::search {
namespace {

struct Open {
    std::int32_t node = 0, family = 0;  // family: how many nodes were split before its parent
    std::vector<std::uint32_t> path;
    Group group;
    std::optional<Question> question;
    std::optional<Question> alone;     // what the learner asks
    std::optional<Question> below[2];  // of a pair: what the sides ask
    double decrease = 0;               // of the criterion, for every leaf more
};

class Ahead {
public:
    Ahead(Cases& cases, const bosco::Frame& frame, const Target& target, const Growth& growth,
          const std::function<bool()>& asked)
        : cases_(cases), frame_(frame), target_(target), growth_(growth), halt_(1e300, asked) {}

    std::vector<Node> run() {
        Open root;
        gather(cases_, root.group);
        task_.emplace(growth_, target_, 1, target_.shape().weight(tally_of(root.group).data()));
        sweep_.emplace(cases_, root.group.weight, root.group.sample_count, growth_.min_samples_leaf);
        bottoms_.emplace(search::Frame{cases_, Objective({}, root.group.weight, most_below),
                                       growth_.min_samples_leaf, *sweep_},
                         Meter(halt_, true));
        nodes_.resize(1);
        std::vector<Open> open;
        add(open, std::move(root));
        std::int64_t leaves = 1;
        for (std::int32_t families = 1; !open.empty() && leaves < growth_.max_leaf_nodes; ++families) {
            const auto next = std::ranges::max_element(open, [&](const Open& a, const Open& b) {
                if (growth_.order == Order::best && a.decrease != b.decrease) return a.decrease < b.decrease;
                if (growth_.order == Order::depth && a.family != b.family) return a.family < b.family;
                return a.node > b.node;
            });
            Open now = std::move(*next);
            open.erase(next);
            if (leaves + 1 == growth_.max_leaf_nodes && (now.below[0] || now.below[1])) {
                if (!now.alone) continue;
                now.question = now.alone;
            }
            ++leaves;
            Open sides[2];
            splitter_.split(cases_, now.group, *now.question, sides[0].group, sides[1].group);
            now.group = {};
            const auto left = static_cast<std::int32_t>(nodes_.size());
            nodes_[static_cast<std::size_t>(now.node)] = {false, *now.question, left, left + 1};
            nodes_.resize(nodes_.size() + 2);
            for (std::int32_t b = 0; b < 2; ++b) {
                Open& side = sides[b];
                side.node = left + b;
                side.family = families;
                side.path = now.path;
                side.path.push_back(static_cast<std::uint32_t>(b));
                add(open, std::move(side), now.below[b]);
            }
        }
        return std::move(nodes_);
    }

private:
    // A node that gets a test.
    void add(std::vector<Open>& open, Open now, const std::optional<Question>& decided = {}) {
        halt_.look(true);
        Standing standing;
        standing.path = now.path;
        const bosco::Open known(*task_, tally_of(now.group), 0, standing);
        if (known.leaf()) return;
        own_test(known, now);
        if (decided)
            now.question = decided;
        else if (standing.depth() + 2 <= growth_.max_depth)
            look_ahead(now);
        if (now.question) open.push_back(std::move(now));
    }
    std::vector<Count> tally_of(const Group& group) const {
        std::vector<Count> tally(static_cast<std::size_t>(target_.shape().slots()), 0);
        for (const std::uint32_t row : group.row) target_.add_row(tally.data(), cases_.row[row], 1);
        return tally;
    }

    // What the learner asks.
    void own_test(const bosco::Open& known, Open& now) {
        const Group& group = now.group;
        const auto d = static_cast<std::uint32_t>(cases_.columns.size());
        std::vector<char> varies(d, 0);
        for (std::uint32_t j = 0; j < d; ++j)
            for (std::uint32_t i = 0; i + 1 < group.size && varies[j] == 0; ++i)
                varies[j] = ends(group.list(j)[i]) ? 1 : 0;
        std::vector<Candidate> candidates;
        for (const std::uint32_t j : known.columns(std::vector<char>(d, 1), varies)) {
            make_table(group, j);
            candidates.push_back(known.propose(table_, j, cases_.columns[j].ordered));
        }
        const int best = known.choose(candidates);
        if (best < 0) return;
        const Candidate& c = candidates[static_cast<std::size_t>(best)];
        now.question = now.alone = question_of(c, group);
        now.decrease = c.decrease;
    }
    void make_table(const Group& group, std::uint32_t j) {
        const Shape shape = target_.shape();
        const bosco::Column& column = frame_.column(j);
        const Entry* const list = group.list(j);
        table_.reset(shape);
        table_.n_codes = cases_.columns[j].n_codes;
        Count* cell = nullptr;
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const std::uint32_t row = group.row[row_of(list[i])], rank = cases_.ranks[j][row];
            if (rank == 0) {
                target_.add_row(table_.missing.data(), cases_.row[row], 1);
                continue;
            }
            if (cell == nullptr) {
                cell = table_.push(rank);
                if (column.ordered()) table_.values.push_back(column.number(cases_.row[row]));
            }
            target_.add_row(cell, cases_.row[row], 1);
            if (ends(list[i])) cell = nullptr;
        }
    }
    Question question_of(const Candidate& c, const Group& group) {
        Question q;
        q.column = static_cast<std::uint32_t>(c.column);
        q.missing_left = c.missing == 0;
        if (c.kind == TestKind::map) {
            q.kind = Question::Kind::given;
            q.code = static_cast<std::uint32_t>(cases_.given.size());
            std::vector<char>& set = cases_.given.emplace_back();
            for (const std::uint32_t branch : c.jumps) set.push_back(branch == 0 ? 1 : 0);
            set[0] = q.missing_left ? 1 : 0;
            return q;
        }
        // The last rank below the gap; where all are, the missing values are apart.
        const bosco::Column& column = frame_.column(q.column);
        const Entry* const list = group.list(q.column);
        q.code = all_known;
        for (std::uint32_t i = group.size; i-- > group.missing[q.column];) {
            const std::uint32_t row = group.row[row_of(list[i])];
            if (!(column.number(cases_.row[row]) <= c.gaps[0].first)) continue;
            if (i + 1 < group.size) q.code = cases_.ranks[q.column][row];
            break;
        }
        return q;
    }

    // The best pair of tests, if it gets less wrong than the learner's own test and the best ones below.
    void look_ahead(Open& now) {
        const Group& group = now.group;
        const Objective& o = bottoms_->frame().objective;
        const Count pair = o.penalised(bottoms_->cost(group, 2, most_below));
        Count own = group.wrong();
        Group sides[2];
        if (now.question) {
            splitter_.split(cases_, group, *now.question, sides[0], sides[1]);
            own = 0;
            for (const Group& side : sides) own += o.penalised(bottoms_->cost(side, 1, 2));
        }
        if (pair >= own) return;
        const std::vector<Node> made = bottoms_->make(group, 2, most_below);
        if (made[0].leaf) return;
        now.question = made[0].question;
        // Of the criterion, by leaves.
        splitter_.split(cases_, group, made[0].question, sides[0], sides[1]);
        double impurity = impure(group);
        for (int side = 0; side < 2; ++side) {
            const Node& below = made[static_cast<std::size_t>(side == 0 ? made[0].left : made[0].right)];
            if (below.leaf) {
                impurity -= impure(sides[side]);
                continue;
            }
            now.below[side] = below.question;
            Group ends[2];
            splitter_.split(cases_, sides[side], below.question, ends[0], ends[1]);
            impurity -= impure(ends[0]) + impure(ends[1]);
        }
        now.decrease = impurity / (1.0 + (now.below[0] ? 1 : 0) + (now.below[1] ? 1 : 0));
    }
    double impure(const Group& group) const {
        const std::vector<Count> tally = tally_of(group);
        return impurity_of(growth_.criterion, target_.shape(), tally.data(), 0) *
               static_cast<double>(target_.shape().weight(tally.data()));
    }

    Cases& cases_;
    const bosco::Frame& frame_;
    const Target& target_;
    const Growth& growth_;
    Halt halt_;
    std::optional<bosco::Task> task_;
    std::optional<Sweep> sweep_;
    std::optional<Bottoms> bottoms_;
    Splitter splitter_;
    Table table_;
    std::vector<Node> nodes_;
};

}  // namespace

std::vector<Node> grow_ahead(Cases& cases, const bosco::Frame& frame, const Target& target,
                             const Growth& growth, const std::function<bool()>& asked) {
    return Ahead(cases, frame, target, growth, asked).run();
}

}  // namespace bosco::search
