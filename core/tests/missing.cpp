// Every policy for missing values, on data small enough to work out.
#include "check.hpp"
#include "data.hpp"
#include "tree/census.hpp"
#include "tree/route.hpp"

namespace bosco::check {
namespace {

using Ints = std::vector<std::int32_t>;

// x: 1 1 1 | 2, two rows missing, both of the second class.
Data gaps() {
    Data d(6);
    d.numeric({1, 1, 1, 2, none, none}).encode();
    return d;
}
const Goal goal = classes({0, 0, 0, 1, 1, 1}, 2);

Tree with(Missing policy) {
    Growth g;
    g.missing = policy;
    return grown(gaps(), goal, g);
}
std::vector<Count> counts(const Tree& t) { return t.count; }

const Test learn{"learn sends them right", [] {
                     const Tree t = with(Missing::learn);
                     equal(t.tests.missing, Ints{1});
                     equal(t.tally, std::vector<Count>{3, 3, 3, 0, 0, 3});
                 }};

const Test majority{"majority sends them left, with the heavier branch", [] {
                        const Tree t = with(Missing::majority);
                        equal(t.tests.missing[0], 0);
                        equal(t.tally[2], 3);
                        equal(t.tally[3], 2);
                    }};

const Test branch{"branch gives them one of their own", [] {
                      const Tree t = with(Missing::branch);
                      equal(t.n_children[0], 3);
                      equal(t.tests.missing, Ints{2});
                      equal(counts(t), std::vector<Count>{6, 3, 1, 2});
                  }};

const Test shared{"fractional shares them three to one", [] {
                      const Tree t = with(Missing::fractional);
                      const Count one = Count{1} << 24;
                      equal(t.tests.missing[0], by_share);
                      equal(t.count_scale, 0x1p24);
                      equal(t.weight_scale, 0x1p24);
                      equal(t.tally[0], 3 * one);
                      equal(t.tally[2], 3 * one);
                      equal(t.tally[3], 3 * one / 2);
                      equal(t.tally[4], 0);
                      equal(t.tally[5], one + one / 2);
                      equal(t.known[1], 3 * one);
                      equal(t.known[2], one);
                      // Predictions mix the leaves as the shares did.
                      const Data d = gaps();
                      Pool pool(1);
                      std::vector<double> out(12);
                      values_by_share(t, d.frame(), t.value, 2, pool, out);
                      near(out[9], 0.75 * (1.5 / 4.5) + 0.25, 1e-15);
                      near(out[8] + out[9], 1, 1e-15);
                      near(out[1], 1.5 / 4.5, 1e-15);
                  }};

const Test shared_counts{"recounting a fractional tree gives its own tallies", [] {
                             const Tree t = with(Missing::fractional);
                             const Data d = gaps();
                             const Tallies r = tallies(t, d.frame(), goal.target(), true);
                             equal(r.tally, t.tally);
                             equal(r.count, t.count);
                         }};

const Test rows_in_shares{"a census counts rows and squares of weights far apart, whole and in shares", [] {
                              const Tree t = with(Missing::fractional);
                              const Data d = gaps();
                              const std::vector<std::uint32_t> one(6, 0);
                              const std::vector<Count> w{1, 1, Count{1} << 36, 1, 1, Count{1} << 36};
                              const Counted counted{one, 1, {}, w};
                              Pool pool(1);
                              const Count unit = Count{1} << 24;
                              const Census shares = census(t, d.frame(), counted, true, pool);
                              equal(shares.rows[0], 6 * unit);
                              equal(shares.rows[1] + shares.rows[2], 6 * unit);
                              const Census whole = census(t, d.frame(), counted, false, pool);
                              Ints leaf(6);
                              route(t, d.frame(), pool, leaf);
                              for (const std::int32_t side : {1, 2}) {
                                  Count rows = 0;
                                  double sum = 0, squares = 0;
                                  for (std::size_t i = 0; i < 6; ++i)
                                      if (leaf[i] == side) {
                                          const auto x = static_cast<double>(w[i]);
                                          ++rows, sum += x, squares += x * x;
                                      }
                                  equal(whole.rows[static_cast<std::size_t>(side)], rows);
                                  const auto at = static_cast<std::size_t>(side);
                                  near(effective_rows(whole.weight[at], whole.squares[at], 1),
                                       sum * sum / squares, 1e-12);
                              }
                              const std::vector<Count> alike(6, (Count{1} << 35) + 1);
                              const Census even = census(t, d.frame(), {one, 1, {}, alike}, true, pool);
                              for (std::size_t i = 0; i < 3; ++i)
                                  equal(effective_rows(even.weight[i], even.squares[i], unit),
                                        static_cast<double>(even.rows[i]) / static_cast<double>(unit));
                          }};

const Test surrogate{
    "a surrogate stands in, flipped, then the majority", [] {
        // The second column falls where the first rises.
        Data d(9);
        d.numeric({1, 1, 2, 2, 1, 2, none, none, none}).numeric({9, 8, 1, 2, 9, 1, 9, 1, none}).encode();
        const Goal y = classes({0, 0, 1, 1, 0, 1, 1, 0, 1}, 2);
        Growth g;
        g.missing = Missing::surrogate;
        g.max_depth = 1;
        const Tree t = grown(d, y, g);
        // The first column is perfect where it is known; the second errs on the last two rows.
        equal(t.tests.column, Ints{0});
        equal(t.surrogates.column, Ints{1});
        equal(t.surrogates.flip[0], 1);
        equal(t.surrogates.thresholds, std::vector<double>{5});
        Pool pool(1);
        Ints leaf(9);
        route(t, d.frame(), pool, leaf);
        equal(leaf, Ints{1, 1, 2, 2, 1, 2, 1, 2, 1});
        const Tallies r = tallies(t, d.frame(), y.target(), true);
        equal(r.tally, t.tally);
    }};

const Test surrogate_levels{
    "a nominal surrogate; a useless one is not kept", [] {
        Data d(6);
        d.numeric({1, 1, 1, 2, 2, 2}).nominal({1, 1, 2, 3, 3, 3}, 4).nominal({1, 2, 1, 1, 2, 1}, 2).encode();
        Growth g;
        g.missing = Missing::surrogate;
        const Tree t = grown(d, classes({0, 0, 0, 1, 1, 1}, 2), g);
        equal(t.surrogates.column, Ints{1});
        equal(t.surrogates.jumps, std::vector<std::uint32_t>{0, 0, 0, 1, 0});
    }};

const Test error_policy{"the error policy grows on complete data", [] {
                            Data d(3);
                            d.numeric({1, 2, 3}).encode();
                            Growth g;
                            g.missing = Missing::error;
                            equal(grown(d, classes({0, 1, 1}, 2), g).n_nodes(), 3);
                        }};

const Test unseen{"with no missing value seen, the heaviest branch would take them", [] {
                      Data d(4);
                      d.numeric({1, 2, 2, 2}).encode();
                      const Goal y = classes({0, 1, 1, 1}, 2);
                      for (const Missing policy :
                           {Missing::learn, Missing::majority, Missing::branch, Missing::surrogate}) {
                          Growth g;
                          g.missing = policy;
                          equal(grown(d, y, g).tests.missing, Ints{1});
                      }
                      Growth g;
                      g.missing = Missing::fractional;
                      const Tree t = grown(d, y, g);
                      equal(t.tests.missing, Ints{by_share});
                      equal(t.count_scale, 0x1p24);
                  }};

// Mixed columns with a quarter missing: trees must account for all rows, whatever the policy.
const Test totals{
    "no row is lost or doubled, with any policy and any test", [] {
        constexpr std::size_t n = 300;
        Draws draws(31);
        std::vector<double> x, z;
        std::vector<std::uint8_t> level, rank;
        std::vector<std::uint32_t> y;
        for (std::size_t i = 0; i < n; ++i) {
            x.push_back(draws.below(4) == 0 ? none : draws.real());
            z.push_back(draws.below(4) == 0 ? none : static_cast<double>(draws.below(6)));
            level.push_back(static_cast<std::uint8_t>(draws.below(7)));
            rank.push_back(static_cast<std::uint8_t>(draws.below(5)));
            y.push_back(static_cast<std::uint32_t>(draws.below(3)));
        }
        Data d(n);
        d.numeric(x).numeric(z).nominal(level, 7).ordinal(rank, 4).encode(20);
        for (const int n_classes : {2, 3}) {
            std::vector<std::uint32_t> labels = y;
            for (auto& c : labels) c %= static_cast<std::uint32_t>(n_classes);
            const Goal labelled = classes(labels, n_classes);
            for (const Missing policy : {Missing::learn, Missing::majority, Missing::branch,
                                         Missing::fractional, Missing::surrogate})
                for (const NominalTest nominal : {NominalTest::multiway, NominalTest::subset,
                                                  NominalTest::one_vs_rest, NominalTest::group})
                    for (const NumericTest numeric : {NumericTest::threshold, NumericTest::intervals})
                        for (const bool random : {false, true}) {
                            Growth g;
                            g.missing = policy;
                            g.nominal_test = nominal;
                            g.numeric_test = numeric;
                            g.random_cuts = random;
                            g.max_depth = 4;
                            const bool binary = numeric == NumericTest::threshold &&
                                                nominal != NominalTest::multiway &&
                                                nominal != NominalTest::group;
                            if (policy == Missing::surrogate && !binary) continue;
                            const Tree t = grown(d, labelled, g);
                            const Tallies r = tallies(t, d.frame(), labelled.target(), true);
                            holds(r.tally == t.tally && r.count == t.count);
                            for (std::size_t i = 0; i < t.test.size(); ++i) {
                                Count sum = 0;
                                for (std::int32_t c = 0; c < t.n_children[i]; ++c)
                                    sum += t.count[static_cast<std::size_t>(t.first_child[i] + c)];
                                if (t.n_children[i] > 0) equal(sum, t.count[i]);
                            }
                        }
        }
    }};

}  // namespace
}  // namespace bosco::check
