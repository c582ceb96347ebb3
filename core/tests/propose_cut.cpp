// Thresholds and intervals on tiny tables, with decreases worked out by hand.
#include "check.hpp"
#include "proposal.hpp"
#include "score/choose.hpp"

namespace bosco::check {
namespace {

const Cells two_runs = {{2, 0}, {1, 0}, {0, 1}, {0, 2}};

const Test perfect{"a perfect cut", [] {
                       const Candidate c = Proposal({2}, two_runs).ordered({});
                       holds(c.found && c.kind == TestKind::cut);
                       equal(c.branches, 2);
                       holds(c.gaps == Gaps{{2, 3}});
                       near(c.decrease, 3, 1e-15);  // 3 + 3 - 18/6
                       near(c.split_info, 1, 1e-15);
                       equal(c.missing, 0);  // equally heavy: the lowest
                   }};

const Test every_criterion{
    "every criterion finds the perfect cut", [] {
        const std::vector<std::pair<Criterion, double>> gains = {{Criterion::gini, 0.5},
                                                                 {Criterion::entropy, 1},
                                                                 {Criterion::scaled_entropy, 0.5},
                                                                 {Criterion::error, 0.5},
                                                                 {Criterion::sqrt, 0.5}};
        for (const auto& [criterion, gain] : gains) {
            Growth g;
            g.criterion = criterion;
            const Candidate c = Proposal({2}, two_runs).ordered(g);
            holds(c.gaps == Gaps{{2, 3}});
            near(c.decrease / 6, gain, 1e-15);
        }
        Growth g;
        g.criterion = Criterion::squared_error;
        const Candidate c = Proposal({0}, {{2, 2}, {1, 1}, {1, 5}, {2, 10}}).ordered(g);
        holds(c.gaps == Gaps{{2, 3}});
        near(c.decrease / 6, 4, 1e-15);
    }};

const Test lower_wins{"of equal cuts the lower wins", [] {
                          const Candidate c = Proposal({2}, {{0, 1}, {2, 2}, {0, 1}}).ordered({});
                          holds(c.gaps == Gaps{{1, 2}});
                      }};

const Test no_cut{"one value, or limits that no cut meets, propose nothing", [] {
                      holds(!Proposal({2}, {{2, 3}}).ordered({}).found);
                      Proposal p({2}, two_runs);
                      p.limits.samples = 4;
                      holds(!p.ordered({}).found);
                      p.limits.samples = 3;
                      holds(p.ordered({}).found);
                      p.limits.weight = 4;
                      holds(!p.ordered({}).found);
                  }};

const Test limited{"a limit moves the cut to the nearest feasible one, inside a pure run", [] {
                       // The best cut is after the first value; with three samples a side it is after the
                       // third.
                       Proposal p({2}, {{1, 0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
                       holds(p.ordered({}).gaps == Gaps{{1, 2}});
                       p.limits.samples = 3;
                       holds(p.ordered({}).gaps == Gaps{{3, 4}});
                       p.limits.samples = 2;
                       holds(p.ordered({}).gaps == Gaps{{2, 3}});
                   }};

const Test counted_apart{"samples counted apart from weights decide feasibility", [] {
                             Proposal p({2, true}, {{100, 0, 1}, {0, 100, 1}, {0, 100, 1}});
                             p.limits.samples = 2;
                             holds(!p.ordered({}).found);
                             p.limits.samples = 1;
                             p.limits.weight = 100;
                             holds(p.ordered({}).gaps == Gaps{{1, 2}});
                         }};

const Test learnt{"learn sends missing rows where they help", [] {
                      const Candidate right = Proposal({2}, {{2, 0}, {0, 2}}, {0, 3}).ordered({});
                      holds(right.gaps == Gaps{{1, 2}});
                      equal(right.missing, 1);
                      near(right.decrease, 7 - 29.0 / 7, 1e-14);
                      const Candidate left = Proposal({2}, {{2, 0}, {0, 2}}, {3, 0}).ordered({});
                      equal(left.missing, 0);
                      near(left.decrease, 7 - 29.0 / 7, 1e-14);
                      near(left.split_info, 0.8631205685666308, 1e-14);  // 5 and 2 of 7
                  }};

const Test known_or_not{"learn may part known from missing", [] {
                            const Candidate c = Proposal({2}, {{1, 1}, {1, 1}}, {0, 4}).ordered({});
                            equal(c.gaps[0].first, infinite);
                            equal(c.missing, 1);
                            near(c.decrease, 1, 1e-15);  // 2 + 4 - 40/8
                            const Candidate one = Proposal({2}, {{3, 0}}, {0, 2}).ordered({});
                            holds(one.found);
                            equal(one.gaps[0].first, infinite);
                            near(one.decrease, 5 - 13.0 / 5, 1e-15);
                        }};

Candidate with(Missing policy) {
    Growth g;
    g.missing = policy;
    return Proposal({2}, {{3, 0}, {0, 1}}, {0, 2}).ordered(g);
}

const Test policies{"each policy scores missing rows in its own way", [] {
                        const double three = 1.4591479170272448;  // 3, 1 and 2 of 6
                        const Candidate majority = with(Missing::majority);
                        equal(majority.missing, 0);
                        near(majority.decrease, 13.0 / 5 + 1 - 3, 1e-15);
                        const Candidate shared = with(Missing::fractional);
                        equal(shared.missing, by_share);
                        near(shared.decrease, 4 - 10.0 / 4, 1e-15);
                        near(shared.split_info, three, 1e-14);
                        const Candidate surrogate = with(Missing::surrogate);
                        equal(surrogate.missing, 0);
                        near(surrogate.decrease, 1.5, 1e-15);
                        near(surrogate.split_info, three, 1e-14);
                        const Candidate branch = with(Missing::branch);
                        equal(branch.branches, 3);
                        equal(branch.missing, 2);
                        near(branch.decrease, 3, 1e-15);
                        near(branch.split_info, three, 1e-14);
                    }};

const Test majority_limit{"under majority the missing rows count for feasibility", [] {
                              Growth g;
                              g.missing = Missing::majority;
                              Proposal p({2}, {{3, 0}, {0, 2}}, {0, 2});
                              p.limits.samples = 3;
                              holds(!p.ordered(g).found);  // 3 + 2 and 2
                              p.limits.samples = 2;
                              holds(p.ordered(g).found);
                          }};

Growth intervals(int most, Score score = Score::gain) {
    Growth g;
    g.numeric_test = NumericTest::intervals;
    g.max_branches = most;
    g.score = score;
    return g;
}
const Cells three_runs = {{1, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 0}};

const Test three_intervals{"as many intervals as help", [] {
                               const Candidate c = Proposal({2}, three_runs).ordered(intervals(5));
                               holds(c.gaps == Gaps{{2, 3}, {4, 5}});
                               equal(c.branches, 3);
                               near(c.decrease, 6 - 20.0 / 6, 1e-14);
                               near(c.split_info, 1.584962500721156, 1e-14);
                           }};

const Test two_intervals{"with two allowed, the lower of equal cuts", [] {
                             const Candidate c = Proposal({2}, three_runs).ordered(intervals(2));
                             holds(c.gaps == Gaps{{2, 3}});
                             near(c.decrease, 4 - 20.0 / 6, 1e-14);
                         }};

const Test ratio_intervals{"the gain ratio decides the number of intervals", [] {
                               // Two: gain 0.2516, SI 0.9183 (ratio 0.274). Three: gain 0.9183, SI 1.585
                               // (ratio 0.579).
                               Growth g = intervals(4, Score::gain_ratio);
                               g.criterion = Criterion::entropy;
                               equal(Proposal({2}, three_runs).ordered(g).branches, 3);
                               // One stray row: three intervals gain a little more than two, at a higher
                               // price.
                               equal(Proposal({2}, {{20, 0}, {19, 1}, {0, 20}}).ordered(g).branches, 2);
                               g.score = Score::gain;
                               equal(Proposal({2}, {{20, 0}, {19, 1}, {0, 20}}).ordered(g).branches, 3);
                           }};

const Test limited_intervals{"every interval must be large enough", [] {
                                 Proposal p({2}, {{1, 0}, {0, 1}, {1, 0}, {0, 3}});
                                 p.limits.samples = 2;
                                 const Candidate c = p.ordered(intervals(4));
                                 holds(c.found);
                                 holds(c.gaps == Gaps{{2, 3}} || c.gaps == Gaps{{3, 4}});
                                 near(c.decrease, 5.0 / 3 + 3 - 20.0 / 6, 1e-14);  // (2,1) | (0,3)
                             }};

const Test many_blocks{"more blocks than the dynamic programme takes", [] {
                           Cells cells;
                           for (int i = 0; i < 1300; ++i)
                               cells.push_back(i < 650 ? std::vector<Count>{2, 1} : std::vector<Count>{1, 2});
                           const Candidate c = Proposal({2}, cells).ordered(intervals(2));
                           holds(c.found);
                           equal(c.gaps.size(), 1u);
                           near(c.gaps[0].first, 650, 3);  // a group holds two or three values
                       }};

const Test interval_missing{"missing rows of intervals go to the best branch", [] {
                                const Candidate c = Proposal({2}, three_runs, {0, 2}).ordered(intervals(3));
                                equal(c.branches, 3);
                                equal(c.missing, 1);
                                Growth g = intervals(3);
                                g.missing = Missing::branch;
                                const Candidate b = Proposal({2}, three_runs, {0, 2}).ordered(g);
                                equal(b.branches, 4);
                                equal(b.missing, 3);
                                equal(b.gaps.size(), 2u);
                            }};

const Test penalised{"C4.5's penalty: log2(v - 1) / m", [] {
                         Growth g;
                         g.penalty = true;
                         near(Proposal({2}, {{1, 0}, {0, 1}, {1, 0}, {0, 1}, {1, 1}}).ordered(g).penalty,
                              2.0 / 6, 1e-15);
                         equal(Proposal({2}, {{1, 0}, {0, 1}}).ordered(g).penalty, 0.0);
                     }};

const Test monotone{"a monotone constraint forbids cuts the wrong way", [] {
                        Growth g;
                        g.monotonic = {1};
                        Proposal up({2}, {{2, 1}, {0, 3}});
                        up.limits.monotone = true;
                        holds(up.ordered(g).found);
                        g.monotonic = {-1};
                        holds(!up.ordered(g).found);
                        g.monotonic = {0};
                        holds(up.ordered(g).found);
                        up.limits.high = 0.9;  // the right share is 1
                        holds(!up.ordered(g).found);
                    }};

const Test drawn{"a random threshold lies between the smallest and the largest value", [] {
                     Growth g;
                     g.random_cuts = true;
                     bool moved = false;
                     double before = -1;
                     for (std::uint64_t key = 0; key < 200; ++key) {
                         Proposal p({2}, two_runs);
                         p.key = key;
                         const Candidate c = p.ordered(g);
                         holds(c.found && c.random && c.drawn >= 1 && c.drawn < 4);
                         moved = moved || (before >= 0 && c.drawn != before);
                         before = c.drawn;
                         equal(p.ordered(g).drawn, c.drawn);
                     }
                     holds(moved);
                 }};

const Test drawn_far{"a random threshold between infinities", [] {
                         Growth g;
                         g.random_cuts = true;
                         Proposal p({2}, {{1, 0}, {0, 1}});
                         for (const auto& [low, high] : std::vector<Gaps::Gap>{
                                  {-infinite, infinite}, {-infinite, 0}, {0, infinite}, {-1e308, 1e308}}) {
                             p.table.values = {low, high};
                             const Candidate c = p.ordered(g);
                             holds(c.found && c.drawn >= low && c.drawn < high);
                         }
                     }};

}  // namespace
}  // namespace bosco::check
