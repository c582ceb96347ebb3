// AdaBoost: the ten points of docs/forests.md, powers in fixed operations, remembered bins.
#include "many/boost.hpp"

#include <cmath>

#include "check.hpp"
#include "grow/grow.hpp"
#include "many/stump.hpp"

namespace bosco::check {
namespace {

Frame frame_of(const std::vector<double>& x) {
    Frame frame(x.size());
    frame.add_numeric({reinterpret_cast<const std::byte*>(x.data()), sizeof(double), DType::f64, false, {}});
    frame.encode(1, 255);
    return frame;
}

Boosted ten_points(int depth, int rounds) {
    static const std::vector<double> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const std::vector<std::uint32_t> sign{1, 1, 1, 0, 0, 0, 1, 1, 1, 0};
    const Frame frame = frame_of(x);
    const std::vector<double> share(x.size(), 0.1);
    BoostPlan plan;
    plan.n_rounds = rounds;
    plan.share = share;
    Growth growth;
    growth.max_depth = depth;
    return boost(frame, sign, 2, growth, plan, 1, Tuning{}, {}, {});
}

const Test by_hand{"three rounds on ten points", [] {
                       const Boosted b = ten_points(1, 3);
                       equal(b.rounds.size(), 3u);
                       const double error[] = {3.0 / 10, 3.0 / 14, 2.0 / 11};
                       const double cut[] = {2.5, 8.5, 5.5};
                       for (std::size_t t = 0; t < b.rounds.size(); ++t) {
                           near(b.rounds[t].error, error[t], 1e-14);
                           near(b.rounds[t].log_odds, std::log((1 - error[t]) / error[t]), 1e-14);
                           equal(b.rounds[t].tree.tests.thresholds[0], cut[t]);
                       }
                   }};

const Test in_parts{"weights of parts of the rows change as those of all do", [] {
                        const Boosted b = ten_points(1, 1);
                        const Tree& tree = b.rounds[0].tree;
                        const auto [right, wrong] = weighed(tree);
                        near(static_cast<double>(wrong) / static_cast<double>(right), 3.0 / 7, 1e-14);
                        const std::vector<std::uint32_t> sign{1, 1, 1, 0, 0, 0, 1, 1, 1, 0};
                        const std::vector<std::int32_t> leaf{1, 1, 1, 2, 2, 2, 2, 2, 2, 2};
                        const std::vector<double> share(10, 0.1);
                        const std::vector<Count> times{1, 2, 1, 1, 1, 1, 3, 1, 1, 1};
                        Pool pool(1);
                        const std::span all_share(share), some_share = all_share.subspan(4);
                        const std::span all_times(times), some_times = all_times.subspan(4);
                        Weighing all(all_share, all_times, pool), some(some_share, some_times, pool);
                        equal(all.mark(tree, leaf, sign, pool), std::vector<Count>{13, 4, 9});
                        equal(some.mark(tree, std::span(leaf).subspan(4), std::span(sign).subspan(4), pool),
                              std::vector<Count>{8, 0, 8});
                        all.multiply(right, wrong, 7.0 / 3, pool);
                        some.multiply(right, wrong, 7.0 / 3, pool);
                        for (std::size_t i = 4; i < 10; ++i) {
                            equal(some.fixed()[i - 4], all.fixed()[i]);
                            equal(some.weight(i - 4), all.weight(i));
                        }
                        near(all.weight(0), 1.0 / 14, 1e-14);
                        near(all.weight(6), 3.0 / 6, 1e-14);
                    }};

const Test alone{"a tree without error ends the rounds", [] {
                     const Boosted b = ten_points(10, 5);
                     equal(b.rounds.size(), 1u);
                     holds(b.ended == Ended::perfect);
                 }};

const Test remembered{"stumps with remembered bins are those of a fresh growth", [] {
                          constexpr std::size_t n =
                              9000;  // more than are sorted at once: bins are bounded and refined
                          std::vector<double> x;
                          std::vector<std::uint32_t> y;
                          std::vector<Count> weight;
                          for (std::size_t i = 0; i < n; ++i) {
                              const std::uint64_t bits = mix(7, i);
                              x.push_back(unit(bits));
                              y.push_back(unit(mix(bits, 1)) < 0.3 + 0.4 * (x.back() > 0.37) ? 1 : 0);
                              weight.push_back(1);
                          }
                          const Frame frame = frame_of(x);
                          Target target;
                          target.classes = y;
                          target.n_classes = 2;
                          target.weight = weight;
                          Growth growth;
                          growth.max_depth = 1;
                          const Tuning tuning;
                          Pool pool(1);
                          Stumps stumps(frame, target, growth, tuning, pool);
                          for (std::uint64_t round = 0; round < 12; ++round) {
                              for (std::size_t i = 0; i < n; ++i)
                                  weight[i] = 1 + static_cast<Count>(mix(round, i) % 1000) +
                                              (stumps.leaves()[i] == 2 ? 500 : 0);
                              const Tree quick = stumps.grow(round);
                              growth.tree = round;
                              const Tree fresh = grow(frame, target, growth, 1, tuning, {}).tree;
                              equal(quick.tests.thresholds, fresh.tests.thresholds);
                              equal(quick.tally, fresh.tally);
                              equal(quick.gain, fresh.gain);
                          }
                      }};

}  // namespace
}  // namespace bosco::check
