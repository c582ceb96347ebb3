// Tests on nominal columns of tiny tables; and the choice between columns.
#include "check.hpp"
#include "proposal.hpp"
#include "score/choose.hpp"

namespace bosco::check {
namespace {

const Cells odd_one = {{2, 1}, {0, 3}, {2, 1}};                   // level 2 is the odd one
const Cells four = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 0}};  // levels 1 and 4 are alike

const Test against_rest{
    "one value against the rest", [] {
        const Candidate c =
            Proposal({2}, odd_one, {}, {1, 2, 4}, 5).nominal(nominal_growth(NominalTest::one_vs_rest));
        holds(c.found && c.kind == TestKind::map);
        equal(c.jumps, Jumps{1, 1, 0, 1, 1, 1});  // absent levels follow the rest
        near(c.decrease, 3 + 20.0 / 6 - 41.0 / 9, 1e-14);
        equal(c.missing, 1);
    }};

const Test against_missing{
    "missing rows against all levels", [] {
        const Candidate c =
            Proposal({2}, {{1, 1}, {1, 1}}, {0, 4}).nominal(nominal_growth(NominalTest::one_vs_rest));
        equal(c.jumps, Jumps{0, 1, 1});
        equal(c.missing, 0);
        near(c.decrease, 1, 1e-15);
        const Candidate one =
            Proposal({2}, {{2, 0}}, {0, 2}).nominal(nominal_growth(NominalTest::one_vs_rest));
        holds(one.found);
        near(one.decrease, 2, 1e-15);
    }};

const Test with_its_level{
    "missing rows join the level they resemble", [] {
        const Candidate c = Proposal({2}, odd_one, {0, 3}).nominal(nominal_growth(NominalTest::one_vs_rest));
        equal(c.jumps, Jumps{0, 1, 0, 1});
    }};

const Test subset_two{
    "two classes: the best prefix by share", [] {
        const Candidate c =
            Proposal({2}, odd_one, {}, {1, 2, 3}, 4).nominal(nominal_growth(NominalTest::subset));
        equal(c.jumps, Jumps{0, 0, 1, 0, 0});  // the absent level follows the heavier branch
        near(c.decrease, 3 + 20.0 / 6 - 41.0 / 9, 1e-14);
    }};

const Test subset_real{"a real target: the best prefix by mean", [] {
                           Growth g = nominal_growth(NominalTest::subset);
                           g.criterion = Criterion::squared_error;
                           const Candidate c = Proposal({0}, {{1, 10}, {2, -4}, {1, 9}, {1, 0}}).nominal(g);
                           equal(c.jumps, Jumps{0, 1, 0, 1, 0});
                           near(c.decrease, 16.0 / 3 + 361.0 / 2 - 225.0 / 5, 1e-12);
                       }};

const Test subset_many{"three classes, few levels: all bipartitions", [] {
                           const Candidate c =
                               Proposal({3}, four).nominal(nominal_growth(NominalTest::subset));
                           equal(c.jumps[1], 1u);  // the last level is in branch 1
                           equal(c.jumps[2], 0u);
                           equal(c.jumps[3], 0u);
                           equal(c.jumps[4], 1u);
                           near(c.decrease, 3, 1e-15);
                       }};

const Test subset_levels{"three classes, twelve levels: orders by share, then exchange", [] {
                             Cells cells;
                             for (std::size_t i = 0; i < 12; ++i) {
                                 cells.push_back({0, 0, 0});
                                 cells.back()[i % 3] = 1;
                             }
                             const Candidate c =
                                 Proposal({3}, cells).nominal(nominal_growth(NominalTest::subset));
                             near(c.decrease, 4, 1e-15);
                             for (std::size_t i = 0; i < 12; ++i) equal(c.jumps[i + 1], i % 3 == 0 ? 1u : 0u);
                         }};

const Test subset_exchange{"exchange never loses against the best prefix, nor breaks a limit", [] {
                               Draws draws(8);
                               for (int round = 0; round < 50; ++round) {
                                   Cells cells;
                                   for (int i = 0; i < 14; ++i)
                                       cells.push_back({draws.below(9) + 1, draws.below(9), draws.below(9)});
                                   Proposal p({3}, cells);
                                   p.limits.samples = 30;
                                   const Candidate one = p.nominal(nominal_growth(NominalTest::one_vs_rest));
                                   const Candidate c = p.nominal(nominal_growth(NominalTest::subset));
                                   holds(c.found && (!one.found || c.decrease >= one.decrease * (1 - 1e-12)));
                                   Count side[2] = {0, 0};
                                   for (std::size_t i = 0; i < cells.size(); ++i)
                                       side[c.jumps[i + 1]] += cells[i][0] + cells[i][1] + cells[i][2];
                                   holds(side[0] >= 30 && side[1] >= 30);
                               }
                           }};

const Test subset_missing{
    "missing counts as a level of its own under learn", [] {
        const Candidate c = Proposal({2}, odd_one, {0, 2}).nominal(nominal_growth(NominalTest::subset));
        equal(c.jumps, Jumps{1, 0, 1, 0});
        equal(c.missing, 1);
        const Candidate one = Proposal({2}, {{3, 1}}, {0, 2}).nominal(nominal_growth(NominalTest::subset));
        holds(one.found && one.jumps[0] != one.jumps[1]);
        const Candidate many = Proposal({3}, four, {0, 3, 0}).nominal(nominal_growth(NominalTest::subset));
        equal(many.jumps[0], many.jumps[2]);
    }};

const Test grouped{
    "groups of like levels", [] {
        const Candidate three = Proposal({3}, four).nominal(nominal_growth(NominalTest::group, 3));
        equal(three.branches, 3);
        equal(three.jumps, Jumps{0, 0, 1, 2, 0});
        near(three.decrease, 5, 1e-14);
        const Candidate two = Proposal({3}, four).nominal(nominal_growth(NominalTest::group, 2));
        equal(two.jumps, Jumps{0, 0, 1, 1, 0});
        near(two.decrease, 3, 1e-15);
    }};

const Test grouped_levels{"more levels are merged pair by pair; above 64 neighbours first", [] {
                              for (const std::size_t n : {9u, 30u, 70u, 200u}) {
                                  Cells cells;
                                  for (std::size_t i = 0; i < n; ++i) {
                                      cells.push_back({0, 0, 0});
                                      cells.back()[i % 3] = static_cast<Count>(1 + i % 5);
                                  }
                                  const Candidate c =
                                      Proposal({3}, cells).nominal(nominal_growth(NominalTest::group, 5));
                                  equal(c.branches, 3);
                                  for (std::size_t i = 0; i < n; ++i)
                                      equal(c.jumps[i + 1], static_cast<std::uint32_t>(i % 3));
                              }
                          }};

const Test grouped_two{"two classes: runs of levels by share", [] {
                           const Candidate c = Proposal({2}, {{0, 4}, {4, 0}, {2, 2}, {0, 1}, {1, 0}})
                                                   .nominal(nominal_growth(NominalTest::group, 4));
                           equal(c.branches, 3);
                           equal(c.jumps, Jumps{0, 2, 0, 1, 2, 0});  // ordered by share of the second class
                           near(c.decrease, 5 + 2 + 5 - 7, 1e-14);
                       }};

const Test multiway{"one branch per level of the domain", [] {
                        Proposal p({2}, {{2, 0}, {0, 3}}, {0, 1}, {1, 3}, 4);
                        const Candidate c = p.nominal(nominal_growth(NominalTest::multiway));
                        equal(c.branches, 4);
                        equal(c.jumps, Jumps{2, 0, 1, 2, 3});
                        equal(c.missing, 2);  // never to a branch that no row leads to
                        near(c.decrease, 6 - 20.0 / 6, 1e-15);
                        p.limits.samples = 3;
                        holds(!p.nominal(nominal_growth(NominalTest::multiway)).found);
                        Growth branch = nominal_growth(NominalTest::multiway);
                        branch.missing = Missing::branch;
                        p.limits.samples = 1;
                        const Candidate b = p.nominal(branch);
                        equal(b.branches, 5);
                        equal(b.jumps, Jumps{4, 0, 1, 2, 3});
                    }};

const Test shared_jump{"by share, the jump of a missing value is the heaviest known branch", [] {
                           Growth g = nominal_growth(NominalTest::multiway);
                           g.missing = Missing::fractional;
                           const Candidate c = Proposal({2}, {{1, 1}, {0, 3}, {2, 0}}, {5, 0}).nominal(g);
                           equal(c.missing, by_share);
                           equal(c.jumps, Jumps{1, 0, 1, 2});
                       }};

const Test random_levels{"random level sets have two sides", [] {
                             Growth g;
                             g.random_cuts = true;
                             for (std::uint64_t key = 0; key < 100; ++key) {
                                 Proposal p({2}, {{2, 1}, {1, 1}});
                                 p.key = key;
                                 const Candidate c = p.nominal(g);
                                 holds(c.found);
                                 equal(c.jumps[1], 0u);
                                 equal(c.jumps[2], 1u);
                             }
                         }};

// The columns of play-tennis as candidates: Outlook, Temperature, Humidity, Wind, (Day).
std::vector<Candidate> tennis(bool with_day) {
    Growth g = nominal_growth(NominalTest::multiway);
    g.criterion = Criterion::entropy;
    std::vector<Cells> columns = {
        {{2, 3}, {4, 0}, {3, 2}}, {{2, 2}, {4, 2}, {3, 1}}, {{3, 4}, {6, 1}}, {{6, 2}, {3, 3}}};
    if (with_day) {
        columns.emplace_back(14, std::vector<Count>{1, 0});
        for (std::size_t i = 9; i < 14; ++i) columns.back()[i] = {0, 1};
    }
    std::vector<Candidate> candidates;
    for (const Cells& cells : columns) {
        candidates.push_back(Proposal({2}, cells).nominal(g));
        candidates.back().column = static_cast<std::int32_t>(candidates.size()) - 1;
    }
    return candidates;
}

int chosen(const std::vector<Candidate>& candidates, Growth g) {
    const std::vector<Count> node = {9, 5};
    g.criterion = Criterion::entropy;
    const Judge judge(Criterion::entropy, {2}, node.data());
    return choose(candidates, {&judge, {}, 0, 1, 0.9402859586706311, 14, 2}, g);
}

const Test between{
    "all three scores choose Outlook, and Day if it is let in", [] {
        for (const Score score : {Score::gain, Score::gain_ratio, Score::gain_ratio_above_average}) {
            Growth g;
            g.score = score;
            equal(chosen(tennis(false), g), 0);
            equal(chosen(tennis(true), g), 4);
        }
    }};

Candidate made(int column, double decrease, double split_info) {
    Candidate c;
    c.column = column;
    c.found = true;
    c.decrease = decrease;
    c.split_info = split_info;
    return c;
}

const Test guard{"the average guards against a small gain over a tiny split information", [] {
                     const std::vector<Candidate> c = {made(0, 1, 0.05), made(1, 6, 1), made(2, 5, 0.9)};
                     Growth g;
                     equal(chosen(c, g), 1);
                     g.score = Score::gain_ratio;
                     equal(chosen(c, g), 0);
                     g.score = Score::gain_ratio_above_average;
                     equal(chosen(c, g), 1);  // 6/1 beats 5/0.9
                 }};

const Test equals{"of equals the lower column; a floor; no gain at all", [] {
                      Growth g;
                      equal(chosen({made(3, 2, 1), made(1, 2, 1)}, g), 1);
                      g.min_impurity_decrease = 2.0 / 14;
                      equal(chosen({made(0, 2, 1)}, g), 0);
                      g.min_impurity_decrease = 2.01 / 14;
                      equal(chosen({made(0, 2, 1)}, g), -1);
                      g.min_impurity_decrease = 0;
                      equal(chosen({made(0, -1e-17, 1)}, g), 0);
                      g.zero_gain = false;
                      equal(chosen({made(0, 1e-13, 1)}, g), -1);
                      equal(chosen({}, g), -1);
                  }};

const Test penalty{"the penalty can take the whole gain", [] {
                       Growth g;
                       g.penalty = true;
                       Candidate c = made(0, 1, 1);
                       c.penalty = 1.0 / 14;
                       equal(chosen({c}, g), -1);
                       c.penalty = 0.9 / 14;
                       equal(chosen({c, made(1, 0.05, 1)}, g), 0);
                       equal(chosen({c, made(1, 0.2, 1)}, g), 1);
                   }};

}  // namespace
}  // namespace bosco::check
