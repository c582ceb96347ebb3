#include "search/sapling.hpp"

#include <limits>
#include <numeric>

#include "grow/sketch.hpp"
#include "tree/recount.hpp"

namespace bosco::search {
namespace {

using Rows = std::vector<std::uint32_t>;

// What a node's question is as a test, given the rows of its sides.
Candidate test_at(const Question& q, const Rows (&sides)[2], const Cases& cases, const bosco::Frame& frame,
                  const Growth& growth) {
    const auto& ranks = cases.ranks[q.column];
    const bosco::Column& column = frame.column(q.column);
    Count known[2] = {0, 0}, missing[2] = {0, 0};
    std::uint32_t least = 0, most = 0;  // the rows next to the cut
    std::uint32_t high = std::numeric_limits<std::uint32_t>::max(), low = 0;
    for (int side = 0; side < 2; ++side)
        for (const std::uint32_t i : sides[side]) {
            const std::uint32_t rank = ranks[i];
            (rank == 0 ? missing : known)[side] += cases.plain_of(i);
            if (side == 0 && rank > low) low = rank, most = cases.row[i];
            if (side == 1 && rank > 0 && rank < high) high = rank, least = cases.row[i];
        }
    Candidate c;
    c.found = true;
    c.column = static_cast<std::int32_t>(q.column);
    c.branches = 2;
    c.missing =
        missing[0] + missing[1] > 0 ? (missing[0] > 0 ? 0 : 1) : missing_branch(growth, known[0], known[1]);
    if (column.ordered()) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        c.kind = TestKind::cut;
        c.gaps = {q.code == all_known ? Gaps::Gap{infinity, infinity}
                                      : Gaps::Gap{column.number(most), column.number(least)}};
        return c;
    }
    c.kind = TestKind::map;
    // Levels that the node has not seen are among the rest, or go where most weight goes.
    const bool heavier = known[1] + missing[1] > known[0] + missing[0];
    const std::uint32_t rest = q.kind == Question::Kind::one || heavier ? 1 : 0;
    c.jumps.assign(column.n_codes + 1, rest);
    for (std::uint32_t side = 0; side < 2; ++side)
        for (const std::uint32_t i : sides[side]) c.jumps[ranks[i]] = side;
    c.jumps[0] = static_cast<std::uint32_t>(c.missing);
    return c;
}

}  // namespace

std::vector<Node> nodes_of(const Tree& tree, const bosco::Frame& frame, Cases& cases) {
    std::vector<Node> nodes(static_cast<std::size_t>(tree.n_nodes()));
    std::vector<Rows> rows(nodes.size());
    rows[0].resize(cases.n_rows);
    std::iota(rows[0].begin(), rows[0].end(), 0u);
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        Node& node = nodes[at];
        node.leaf = tree.leaf(static_cast<std::int64_t>(at));
        if (node.leaf) continue;
        const TestView test = tree.tests[tree.test[at]];
        if (test.branches != 2 || test.missing == by_share) throw Error("a test must have two branches");
        const auto column = static_cast<std::uint32_t>(test.column);
        const bosco::Column& of = frame.column(column);
        Question& q = node.question;
        q.column = column;
        q.missing_left = test.missing == 0;
        if (test.kind == TestKind::map) {
            q.kind = Question::Kind::given;
            q.code = static_cast<std::uint32_t>(cases.given.size());
            std::vector<char>& set = cases.given.emplace_back();
            for (const std::uint32_t branch : test.jumps) set.push_back(branch == 0 ? 1 : 0);
            set[0] = q.missing_left ? 1 : 0;
        } else {
            // The last rank that goes left here; where all do, any other rank would, too.
            bool right = false;
            for (const std::uint32_t i : rows[at]) {
                const std::uint32_t rank = cases.ranks[column][i];
                if (rank == 0) continue;
                if (test.ask(of.number(cases.row[i])) == 0)
                    q.code = std::max(q.code, rank);
                else
                    right = true;
            }
            if (!right) q.code = all_known;
        }
        node.left = tree.first_child[at];
        node.right = node.left + 1;
        for (const std::uint32_t i : rows[at])
            rows[static_cast<std::size_t>(cases.left(q, cases.ranks[column][i]) ? node.left : node.right)]
                .push_back(i);
        rows[at] = {};
    }
    return nodes;
}

Tree sapling(const Found& found, const Cases& cases, const bosco::Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll,
             std::span<const std::uint32_t> rows_counted) {
    const Shape shape = target.shape();
    const auto held = [&](const Rows& rows) {
        Sketch::Held made{std::vector<Count>(static_cast<std::size_t>(shape.slots()), 0), 0};
        for (const std::uint32_t i : rows) target.add_row(made.tally.data(), cases.row[i], 1);
        return made;
    };
    Rows all(cases.n_rows);
    std::iota(all.begin(), all.end(), 0u);
    const Sketch::Held whole = held(all);
    const bosco::Task task(growth, target, 1, shape.weight(whole.tally.data()));
    Sketch sketch(task, whole);
    // Nodes of the search, in the order of the sketch's own.
    std::vector<std::int32_t> number{0};
    std::vector<Rows> rows{std::move(all)};
    for (std::size_t at = 0; at < number.size(); ++at) {
        const Node& node = found.nodes[static_cast<std::size_t>(number[at])];
        if (node.leaf) continue;
        Rows sides[2];
        for (const std::uint32_t i : rows[at])
            sides[cases.left(node.question, cases.ranks[node.question.column][i]) ? 0 : 1].push_back(i);
        sketch.choose(static_cast<std::int32_t>(at), test_at(node.question, sides, cases, frame, growth));
        const Sketch::Held branches[2] = {held(sides[0]), held(sides[1])};
        sketch.split(static_cast<std::int32_t>(at), {}, branches, {});
        for (int side = 0; side < 2; ++side) {
            number.push_back(side == 0 ? node.left : node.right);
            rows.push_back(std::move(sides[side]));
        }
        rows[at].clear();
    }
    return recount(sketch.tree(), {}, frame, target, growth, n_threads, poll, rows_counted);
}

}  // namespace bosco::search
