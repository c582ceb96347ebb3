// C4.5's pruning: the bound, a branch that is raised, and counting again.
#include "prune/raise.hpp"

#include "check.hpp"
#include "data.hpp"
#include "tree/census.hpp"
#include "tree/recount.hpp"
#include "tree/route.hpp"

namespace bosco::check {
namespace {

const Test bounds{"the upper bound of errors, Quinlan's figures", [] {
                      const Pessimism by;
                      near(upper_errors(6, 0, by), 6 * 0.2063, 1e-3);
                      near(upper_errors(9, 0, by), 9 * 0.1428, 1e-3);
                      near(upper_errors(1, 0, by), 0.75, 1e-12);
                      near(upper_errors(16, 1, by), 2.4763, 1e-3);
                      equal(upper_errors(0, 0, by), 0.0);
                      equal(upper_errors(10, 10, by), 10.0);
                      const double half = (upper_errors(8, 0, by) + upper_errors(8, 1, by)) / 2;
                      near(upper_errors(8, 0.5, by), half, 1e-12);
                      for (int e = 0; e < 20; ++e)
                          holds(upper_errors(20, e, by) <= upper_errors(20, e + 1, by) &&
                                upper_errors(20, e, by) <= upper_errors(21, e, by));
                  }};

// 20 rows of level 2 that x decides, and 4 of level 1 that x would decide as well:
//   0: v -> 1 (leaf), 2: x <= 9.5 -> 3, 4
struct Case {
    Data data{24};
    Goal goal;
    Tree tree;

    Case() {
        std::vector<double> x;
        std::vector<std::uint8_t> v;
        for (int i = 0; i < 20; ++i) x.push_back(i), v.push_back(2);
        for (int i = 8; i < 12; ++i) x.push_back(i), v.push_back(1);
        for (const double value : x) goal.classes.push_back(value > 9.5);
        goal.n_classes = 2;
        data.numeric(x).nominal(v, 2).encode();
        bosco::Test on_v, on_x;
        on_v.kind = TestKind::map;
        on_v.column = 1;
        on_v.jumps = {1, 0, 1};
        on_v.missing = 1;
        on_x.column = 0;
        on_x.thresholds = {9.5};
        tree.n_classes = 2;
        tree.tests.push(on_v);
        tree.tests.push(on_x);
        tree.test = {0, -1, 1, -1, -1};
        tree.parent = {-1, 0, 0, 2, 2};
        tree.first_child = {1, -1, 3, -1, -1};
        tree.n_children = {2, 0, 2, 0, 0};
        tree.tally = {12, 12, 2, 2, 10, 10, 10, 0, 0, 10};
        tree.count = {24, 4, 20, 10, 10};
        tree.known = tree.count;
        tree.value = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0, 0, 1};
        tree.impurity = {0.5, 0.5, 0.5, 0, 0};
        tree.gain = {0, 0, 0.5, 0, 0};
        tree.surrogate_begin.assign(6, 0);
        tree.candidate_begin.assign(6, 0);
        tree.check();
    }
};

const Test raised{"a branch that decides all rows takes the place of its parent", [] {
                      const Case c;
                      const Target target = c.goal.target();
                      const Pessimism by;
                      const std::vector<char> none_cut(5, 0);
                      const Raised r = pessimistic(c.tree, none_cut, by, &c.data.frame(), &target, 1, {});
                      equal(r.cut == none_cut, true);
                      equal(r.stand_in[0], 2);
                      near(r.kept[0], upper_errors(4, 2, by) + 2 * upper_errors(10, 0, by), 1e-12);
                      near(r.pruned[0], 2 * upper_errors(12, 0, by), 1e-12);
                      Growth growth;
                      const Tree pruned = recount(prune(c.tree, r.cut, r.stand_in), {1, 0, 0}, c.data.frame(),
                                                  target, growth, 1, {});
                      pruned.check();
                      equal(pruned.n_nodes(), 3);
                      equal(pruned.tally == std::vector<Count>({12, 12, 12, 0, 0, 12}), true);
                      near(pruned.gain[0], 0.5, 1e-12);
                      equal(pruned.impurity[1], 0.0);
                      // Without the rows nothing can be raised.
                      const Raised still = pessimistic(c.tree, none_cut, by, nullptr, nullptr, 1, {});
                      equal(still.stand_in[0], 0);
                      // Pruned again, nothing changes.
                      const Raised again =
                          pessimistic(pruned, {0, 0, 0}, by, &c.data.frame(), &target, 1, {});
                      equal(again.stand_in[0], 0);
                      equal(again.cut[0], char{0});
                  }};

// Both branches of v have ten rows, and either of their tests would decide all twenty:
//   0: v -> 1: x <= 9.5 -> 3, 4 and 2: x <= 9 -> 5, 6
const Test last_of_equals{"of two branches with as many rows the last is raised", [] {
                              Data data{20};
                              Goal goal;
                              std::vector<double> x;
                              std::vector<std::uint8_t> v;
                              for (int i = 0; i < 20; ++i) {
                                  x.push_back(i), v.push_back(static_cast<std::uint8_t>(1 + i % 2));
                                  goal.classes.push_back(i > 9);
                              }
                              goal.n_classes = 2;
                              data.numeric(x).nominal(v, 2).encode();
                              bosco::Test on_v, on_x;
                              on_v.kind = TestKind::map;
                              on_v.column = 1;
                              on_v.jumps = {1, 0, 1};
                              on_v.missing = 1;
                              on_x.column = 0;
                              Tree tree;
                              tree.n_classes = 2;
                              tree.tests.push(on_v);
                              for (const double cut : {9.5, 9.0})
                                  on_x.thresholds = {cut}, tree.tests.push(on_x);
                              tree.test = {0, 1, 2, -1, -1, -1, -1};
                              tree.parent = {-1, 0, 0, 1, 1, 2, 2};
                              tree.first_child = {1, 3, 5, -1, -1, -1, -1};
                              tree.n_children = {2, 2, 2, 0, 0, 0, 0};
                              tree.tally = {10, 10, 5, 5, 5, 5, 5, 0, 0, 5, 5, 0, 0, 5};
                              tree.count = {20, 10, 10, 5, 5, 5, 5};
                              tree.known = tree.count;
                              tree.value = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0, 0, 1, 1, 0, 0, 1};
                              tree.impurity = {0.5, 0.5, 0.5, 0, 0, 0, 0};
                              tree.gain = {0, 0.5, 0.5, 0, 0, 0, 0};
                              tree.surrogate_begin.assign(8, 0);
                              tree.candidate_begin.assign(8, 0);
                              tree.check();
                              const Target target = goal.target();
                              const Raised r = pessimistic(tree, std::vector<char>(7, 0), {}, &data.frame(),
                                                           &target, 1, {});
                              equal(r.stand_in[0], 2);
                          }};

const Test refusals{"other rows, wrong masks and wrong stand-ins are refused", [] {
                        const Case c;
                        const Target target = c.goal.target();
                        const Pessimism by;
                        const auto run = [&](const Target& t, std::size_t mask, const Pessimism& how) {
                            pessimistic(c.tree, std::vector<char>(mask, 0), how, &c.data.frame(), &t, 1, {});
                        };
                        throws<Error>([&] { run(target, 4, by); });
                        throws<Error>([&] { run(target, 5, {0.6}); });
                        Goal other = c.goal;
                        other.classes[0] = 1;
                        throws<Error>([&] { run(other.target(), 5, by); });
                        const std::vector<char> cut(5, 0);
                        throws<Error>([&] { prune(c.tree, cut, {0, 1, 2, 3}); });
                        throws<Error>([&] { prune(c.tree, cut, {9, 1, 2, 3, 4}); });
                        throws<Error>([&] { prune(c.tree, cut, {0, 3, 2, 3, 4}); });
                        throws<Error>([&] { collapse(c.tree, {0, 0}, {0, 0}); });
                        throws<Error>([&] { fold(c.tree, {0}, Fold::sum); });
                    }};

const Test folded{"costs from the leaves up", [] {
                      const Case c;
                      const auto sums = fold(c.tree, {0, 1, 0, 1, 1}, Fold::sum);
                      equal(sums == std::vector<double>({3, 1, 2, 1, 1}), true);
                      const auto least = fold(c.tree, {5, 1, 4, 6, 7}, Fold::least, true);
                      equal(least == std::vector<double>({5, 1, 4, 4, 4}), true);
                      const Collapsed x = collapse(c.tree, {9, 2, 10, 1, 1}, {0, 0, 0, 0, 0});
                      equal(x.cut == std::vector<char>({0, 0, 0, 0, 0}), true);
                      equal(x.kept[0], 4.0);
                      const Collapsed tie = collapse(c.tree, {4, 2, 10, 1, 1}, {0, 0, 0, 0, 0});
                      equal(tie.cut[0], char{1});  // of equals the smaller tree
                      const auto numbers = survivors(c.tree, {0, 0, 1, 0, 0});
                      equal(numbers == std::vector<std::int32_t>({0, 1, 2, -1, -1}), true);
                  }};

// Noise on mixed columns with holes: every policy for missing values, raised and counted again.
const Test counted_again{
    "after raising, every number is what growing would have set", [] {
        int moved = 0;
        for (std::uint64_t seed = 0; seed < 6; ++seed)
            for (const auto missing : {Missing::learn, Missing::fractional, Missing::surrogate,
                                       Missing::majority, Missing::branch}) {
                Draws draw(seed);
                const std::size_t n = 150;
                std::vector<double> x, z;
                std::vector<std::uint8_t> v;
                Goal goal;
                goal.n_classes = 3;
                for (std::size_t i = 0; i < n; ++i) {
                    x.push_back(draw.below(9) == 0 ? none : static_cast<double>(draw.below(30)));
                    z.push_back(draw.below(9) == 0 ? none : draw.real());
                    v.push_back(static_cast<std::uint8_t>(draw.below(5)));
                    goal.classes.push_back(draw.below(3) == 0 ? static_cast<std::uint32_t>(draw.below(3))
                                                              : static_cast<std::uint32_t>(x.back() > 14));
                    goal.weight.push_back(1 + draw.below(3));
                }
                Data data(n);
                data.numeric(x).numeric(z).nominal(v, 4).encode();
                Growth growth;
                growth.missing = missing;
                growth.criterion = Criterion::error;
                if (missing != Missing::surrogate) growth.nominal_test = NominalTest::multiway;
                const Tree tree = grown(data, goal, growth);
                const Target target = goal.target();
                const std::vector<char> all(tree.test.size(), 1);
                holds(same(recount(tree, all, data.frame(), target, growth, 1, {}), tree));
                const std::vector<char> uncut(tree.test.size(), 0);
                const Raised r = pessimistic(tree, uncut, {}, &data.frame(), &target, 1, {});
                for (std::size_t i = 0; i < r.stand_in.size(); ++i)
                    moved += r.stand_in[i] != static_cast<std::int32_t>(i);
                Tree pruned = prune(tree, r.cut, r.stand_in);
                std::vector<char> top(pruned.test.size(), 0);
                top[0] = 1;
                pruned = recount(pruned, top, data.frame(), target, growth, 1, {});
                pruned.check();
                const Tallies count = tallies(pruned, data.frame(), target, true);
                holds(count.tally == pruned.tally && count.count == pruned.count);
                const std::vector<char> again(pruned.test.size(), 0);
                const Raised twice = pessimistic(pruned, again, {}, &data.frame(), &target, 1, {});
                holds(twice.cut == again);
            }
        holds(moved > 0);
    }};

}  // namespace
}  // namespace bosco::check
