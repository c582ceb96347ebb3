// Tunings and threads change the time, never the tree: every way of counting against every other.
#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

enum class Kind { two, many, real, weighted, hundreds, weighted_hundreds };

struct Big {
    Data data;
    Goal goal;
};

// Coarse, dense and nominal columns, some with missing values; a target that depends on them.
Big big(std::size_t n, Kind kind, bool with_missing, std::uint64_t seed) {
    Draws draws(seed);
    std::vector<double> a, b, c;
    std::vector<std::uint8_t> level;
    Big big{Data(n), {}};
    const bool hundreds = kind == Kind::hundreds || kind == Kind::weighted_hundreds;
    const int k = kind == Kind::real ? 0 : kind == Kind::many ? 5 : hundreds ? 200 : 2;
    for (std::size_t i = 0; i < n; ++i) {
        const auto gone = [&] { return with_missing && draws.below(8) == 0; };
        a.push_back(draws.real() * 10);
        b.push_back(draws.real() * draws.real());
        c.push_back(static_cast<double>(draws.below(9)));
        level.push_back(static_cast<std::uint8_t>(1 + draws.below(6)));
        const double signal =
            a[i] + 6 * b[i] * (c[i] > 4 ? 1 : -1) + (level[i] == 3 ? 3 : 0) + 2 * draws.real();
        if (gone()) a[i] = none;
        if (gone()) b[i] = none;
        if (gone()) level[i] = 0;
        if (k == 0)
            big.goal.y.push_back(static_cast<Count>(signal * 1000));
        else
            big.goal.classes.push_back(
                static_cast<std::uint32_t>(std::clamp(static_cast<int>(signal * k / 12), 0, k - 1)));
        if (kind == Kind::weighted || kind == Kind::weighted_hundreds) {
            big.goal.weight.push_back(1 + draws.below(1000));
            big.goal.count.push_back(1);
        }
    }
    big.goal.n_classes = k;
    big.data.numeric(a).numeric(b).numeric(c).nominal(level, 6).encode();
    return big;
}

Growth growth_for(const Goal& goal, Criterion criterion = Criterion::gini) {
    Growth g;
    g.criterion = goal.n_classes == 0 ? Criterion{Criterion::squared_error} : criterion;
    return g;
}

std::vector<Tuning> tunings() {
    const auto all = std::numeric_limits<std::size_t>::max();
    std::vector<Tuning> t;
    for (const std::size_t small : {std::size_t{0}, std::size_t{50}, std::size_t{700}, all})
        for (const bool presort : {false, true}) {
            t.push_back(tuning(small, 0));
            t.back().presort = presort;
        }
    return t;
}

void all_alike(const Big& big, const Growth& g, int n_threads, const Place& at = Place::current()) {
    Tuning plain = tuning(std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max());
    plain.presort = false;
    const Tree expected = grown(big.data, big.goal, g, 1, plain);
    holds(expected.n_nodes() > 3, at);
    for (const Tuning& t : tunings())
        if (!same(grown(big.data, big.goal, g, n_threads, t), expected))
            fail(at) << "another tree with small_rows " << t.small_rows << ", presort " << t.presort << "\n";
}

const Test sorted_or_counted{"sorting, counting and bounding find one tree", [] {
                                 for (const Kind kind : {Kind::two, Kind::many, Kind::real, Kind::weighted})
                                     for (const bool with_missing : {false, true}) {
                                         const Big b = big(1500, kind, with_missing, 41);
                                         all_alike(b, growth_for(b.goal), 1);
                                     }
                             }};

const Test hundreds{
    "hundreds of classes: by tables of all of them, or row by row with those of the node", [] {
        for (const Kind kind : {Kind::hundreds, Kind::weighted_hundreds}) {
            const Big known = big(700, kind, false, 45), b = big(500, kind, true, 46);
            for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::scaled_entropy,
                                              Criterion::error, Criterion::sqrt})
                all_alike(known, growth_for(b.goal, criterion), 1);
            for (const Missing policy : {Missing::learn, Missing::majority, Missing::branch}) {
                Growth g = growth_for(b.goal, Criterion::entropy);
                g.missing = policy;
                all_alike(b, g, 1);
                g.criterion = Criterion::gini;
                g.record = true;
                all_alike(b, g, 1);
                g.score = Score::gain_ratio_above_average;
                g.penalty = true;
                all_alike(b, g, 1);
            }
        }
        const Big b = big(13000, Kind::hundreds, false, 47);  // so many rows that threads share columns
        Growth g = growth_for(b.goal);
        g.max_depth = 3;
        all_alike(b, g, 3);
    }};

const Test criteria{"with every criterion", [] {
                        for (const Kind kind : {Kind::two, Kind::many})
                            for (const Criterion criterion : {Criterion::entropy, Criterion::scaled_entropy,
                                                              Criterion::error, Criterion::sqrt}) {
                                const Big b = big(900, kind, false, 42);
                                all_alike(b, growth_for(b.goal, criterion), 1);
                            }
                    }};

const Test policies{"with every policy for missing values", [] {
                        for (const Kind kind : {Kind::two, Kind::many, Kind::real, Kind::weighted})
                            for (const Missing policy : {Missing::learn, Missing::majority, Missing::branch,
                                                         Missing::fractional, Missing::surrogate}) {
                                const Big b = big(800, kind, true, 43);
                                Growth g = growth_for(b.goal);
                                g.missing = policy;
                                g.max_depth = 8;
                                all_alike(b, g, 1);
                            }
                    }};

const Test scores{"with ratios, records, penalties and limits", [] {
                      const Big b = big(900, Kind::two, true, 44);
                      const auto alike = [&](auto set) {
                          Growth g = growth_for(b.goal, Criterion::entropy);
                          set(g);
                          all_alike(b, g, 1);
                      };
                      alike([](Growth& g) { g.score = Score::gain_ratio; });
                      alike([](Growth& g) { g.score = Score::gain_ratio_above_average, g.penalty = true; });
                      alike([](Growth& g) { g.record = true; });
                      alike([](Growth& g) { g.min_samples_leaf = 20; });
                      alike([](Growth& g) { g.min_weight_leaf = 33.5; });
                      alike([](Growth& g) { g.max_leaf_nodes = 9, g.order = Order::best; });
                      alike([](Growth& g) { g.max_leaf_nodes = 9, g.order = Order::breadth; });
                      alike([](Growth& g) { g.max_features = 2, g.seed = 5; });
                      alike([](Growth& g) { g.random_cuts = true, g.seed = 6; });
                      alike([](Growth& g) { g.reuse = false; });
                      alike([](Growth& g) { g.numeric_test = NumericTest::intervals, g.max_depth = 3; });
                      alike([](Growth& g) { g.nominal_test = NominalTest::multiway; });
                      alike([](Growth& g) { g.nominal_test = NominalTest::group; });
                      alike([](Growth& g) { g.nominal_test = NominalTest::one_vs_rest; });
                      alike([](Growth& g) { g.threshold = Threshold::round; });
                      alike([](Growth& g) { g.monotonic = {1, 0, -1, 0}; });
                  }};

const Test own_best{"where every column gives its own best, sorted as a whole or not", [] {
                        for (const Kind kind : {Kind::two, Kind::many, Kind::real, Kind::weighted})
                            for (const bool with_missing : {false, true}) {
                                const Big b = big(1500, kind, with_missing, 48);
                                Growth g = growth_for(b.goal);
                                g.record = true;
                                all_alike(b, g, 1);
                            }
                        // Heavy nodes, of more than 2^16 rows, and threads that share columns.
                        const auto heavy = [](Kind kind, Criterion criterion, bool penalty) {
                            const Big b = big(70000, kind, false, 49);
                            Growth g = growth_for(b.goal, criterion);
                            g.record = true;
                            g.penalty = penalty;
                            g.max_depth = 4;
                            Tuning tables;
                            tables.presort = false;
                            const Tree expected = grown(b.data, b.goal, g, 1, tables);
                            holds(expected.candidates.size() > 20);
                            for (const int n_threads : {1, 4})
                                holds(same(grown(b.data, b.goal, g, n_threads, Tuning{}), expected));
                        };
                        heavy(Kind::two, Criterion::gini, false);
                        heavy(Kind::two, Criterion::entropy, true);
                        heavy(Kind::many, Criterion::gini, false);
                        heavy(Kind::real, Criterion::squared_error, false);
                    }};

const Test large_only{
    "the candidates of large nodes alone: the same tree, the same candidates there", [] {
        for (const Kind kind : {Kind::two, Kind::many, Kind::real, Kind::weighted})
            for (const bool random : {false, true}) {
                const Big b = big(1500, kind, true, 50);
                Growth g = growth_for(b.goal);
                g.record = true;
                g.random_cuts = random;
                const Tree whole = grown(b.data, b.goal, g);
                g.record_samples = 25;
                all_alike(b, g, 1);
                const Tree part = grown(b.data, b.goal, g);
                holds(part.test == whole.test && part.gain == whole.gain && part.value == whole.value);
                holds(same(part.tests, whole.tests));
                std::int64_t at = 0;
                for (std::size_t i = 0; i < part.test.size(); ++i) {
                    const std::int64_t first = whole.candidate_begin[i];
                    const std::int64_t kept = part.count[i] >= 25 ? whole.candidate_begin[i + 1] - first : 0;
                    equal(part.candidate_begin[i + 1] - at, kept);
                    for (std::int64_t k = 0; k < kept; ++k) {
                        const auto a = static_cast<std::size_t>(at + k),
                                   c = static_cast<std::size_t>(first + k);
                        equal(part.candidate_gain[a], whole.candidate_gain[c]);
                        equal(part.candidate_split_info[a], whole.candidate_split_info[c]);
                        equal(part.candidates.column[a], whole.candidates.column[c]);
                    }
                    at += kept;
                }
                holds(at > 0 && at < whole.candidates.size());
            }
    }};

const Test threads{"one thread or four", [] {
                       // Threads take part above 50,000 cells.
                       for (const Kind kind : {Kind::two, Kind::real}) {
                           const Big b = big(13000, kind, kind == Kind::real, 45);
                           Growth g = growth_for(b.goal);
                           g.max_depth = 7;
                           all_alike(b, g, 4);
                       }
                   }};

const Test limited_threads{"four threads and a limit on leaves", [] {
                               const Big b = big(13000, Kind::many, true, 46);
                               Growth g = growth_for(b.goal, Criterion::entropy);
                               g.max_leaf_nodes = 12;
                               g.order = Order::best;
                               const Tree expected = grown(b.data, b.goal, g, 1, tuning(100000, 100000));
                               holds(same(grown(b.data, b.goal, g, 4, tuning(100, 1000)), expected));
                           }};

const Test few_values{
    "heavy ties: the same tree whatever the bins", [] {
        Draws draws(47);
        std::vector<double> x;
        std::vector<std::uint32_t> y;
        for (int i = 0; i < 1200; ++i) {
            x.push_back(static_cast<double>(draws.below(60)));
            y.push_back(static_cast<std::uint32_t>(draws.below(3)));
        }
        const Goal goal = classes(y, 3);
        for (const Criterion criterion :
             {Criterion::gini, Criterion::entropy, Criterion::error, Criterion::sqrt}) {
            Data dense(x.size());
            dense.numeric(x).encode();
            const Tree expected = grown(dense, goal, growth_for(goal, criterion));
            for (const int bins : {2, 5, 17, 40}) {
                Data coarse(x.size());
                coarse.numeric(x).encode(bins);
                for (const Tuning& t : tunings())
                    holds(same(grown(coarse, goal, growth_for(goal, criterion), 1, t), expected));
            }
        }
    }};

const Test interrupted{"a poll that throws stops the growth, on one thread or several", [] {
                           const Big b = big(60000, Kind::two, false, 48);
                           for (const int n_threads : {1, 3})
                               for (const std::size_t small : {std::size_t{0}, std::size_t{4096}}) {
                                   int calls = 0;
                                   throws<Interrupted>([&] {
                                       grow(b.data.frame(), b.goal.target(), {}, n_threads,
                                            tuning(small, 1000), [&] {
                                                ++calls;
                                                throw Interrupted{};
                                            });
                                   });
                                   equal(calls, 1);
                               }
                       }};

}  // namespace
}  // namespace bosco::check
