// Growing on small data: trees that can be checked by eye, stopping rules, refusals.
#include "grow/grow.hpp"

#include "check.hpp"
#include "data.hpp"
#include "tree/route.hpp"

namespace bosco::check {
namespace {

using Ints = std::vector<std::int32_t>;

// Play-tennis: Outlook (sunny, overcast, rain), Temperature (hot, mild, cool), Humidity (high, normal),
// Wind (weak, strong).
Data tennis() {
    Data d(14);
    d.nominal({1, 1, 2, 3, 3, 3, 2, 1, 1, 3, 1, 2, 2, 3}, 3)
        .nominal({1, 1, 1, 2, 3, 3, 3, 2, 3, 2, 2, 2, 1, 2}, 3)
        .nominal({1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 1}, 2)
        .nominal({1, 2, 1, 1, 1, 2, 2, 1, 1, 1, 2, 2, 1, 2}, 2)
        .encode();
    return d;
}
const Goal play = classes({0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0}, 2);

Growth id3() {
    Growth g;
    g.criterion = Criterion::entropy;
    g.nominal_test = NominalTest::multiway;
    g.zero_gain = false;
    g.reuse = false;
    g.record = true;
    return g;
}

const Test id3_tennis{"ID3 on play-tennis is the tree of the books", [] {
                          const Tree t = grown(tennis(), play, id3());
                          // Outlook -> sunny: Humidity -> No, Yes; overcast: Yes; rain: Wind -> Yes, No.
                          equal(t.n_nodes(), 8);
                          equal(t.test, Ints{0, 1, -1, 2, -1, -1, -1, -1});
                          equal(t.tests.column, Ints{0, 2, 3});
                          equal(t.parent, Ints{-1, 0, 0, 0, 1, 1, 3, 3});
                          equal(t.tally, std::vector<Count>{5, 9, 3, 2, 0, 4, 2, 3, 3, 0, 0, 2, 0, 3, 2, 0});
                          near(t.impurity[0], 0.9403, 5e-5);
                          near(t.gain[0], 0.2467, 5e-5);
                          equal(t.candidate_begin[1], 4);
                          near(t.candidate_gain[1], 0.0292, 5e-5);
                          near(t.candidate_gain[2], 0.1518, 5e-5);
                          near(t.candidate_split_info[0], 1.5774, 5e-5);
                      }};

const Test orders{"the order decides numbers, not the tree", [] {
                      Growth g = id3();
                      std::vector<std::vector<Count>> tallies;
                      for (const Order order : {Order::depth, Order::breadth, Order::best}) {
                          g.order = order;
                          const Tree t = grown(tennis(), play, g);
                          equal(t.n_nodes(), 8);
                          std::vector<Count> sorted = t.tally;
                          std::sort(sorted.begin(), sorted.end());
                          tallies.push_back(sorted);
                      }
                      holds(tallies[0] == tallies[1] && tallies[1] == tallies[2]);
                  }};

const Test leaf_limit{"a limit on leaves, in every order", [] {
                          // Best first takes rain or sunny: equal decreases, so the lower number.
                          Growth g = id3();
                          for (const Order order : {Order::depth, Order::breadth, Order::best}) {
                              g.order = order;
                              g.max_leaf_nodes = 4;
                              const Tree t = grown(tennis(), play, g);
                              equal(t.test, Ints{0, 1, -1, -1, -1, -1});
                              equal(t.tests.column, Ints{0, 2});
                              g.max_leaf_nodes = 2;  // Outlook would make three
                              equal(grown(tennis(), play, g).n_nodes(), 1);
                              g.max_leaf_nodes = 1000;
                              equal(grown(tennis(), play, g).n_nodes(), 8);
                          }
                      }};

Data line() {
    Data d(8);
    d.numeric({1, 2, 3, 4, 5, 6, 7, 8}).encode();
    return d;
}
const Goal steps = classes({0, 0, 1, 1, 1, 1, 0, 0}, 2);

const Test cart{"a binary tree on one number", [] {
                    const Tree t = grown(line(), steps, {});
                    equal(t.tests.thresholds, std::vector<double>{2.5, 6.5});
                    equal(t.test, Ints{0, -1, 1, -1, -1});
                    equal(t.count, std::vector<Count>{8, 2, 6, 4, 2});
                    near(t.impurity[0], 0.5, 1e-15);
                    near(t.gain[0], 0.5 - 6.0 / 8 * 16 / 36, 1e-15);
                    equal(t.value[2], 1.0);
                    equal(t.value[3], 0.0);
                }};

const Test stops{"every stopping rule", [] {
                     const auto nodes = [](auto set) {
                         Growth g;
                         set(g);
                         return grown(line(), steps, g).n_nodes();
                     };
                     equal(nodes([](Growth& g) { g.max_depth = 0; }), 1);
                     equal(nodes([](Growth& g) { g.max_depth = 1; }), 3);
                     equal(nodes([](Growth& g) { g.min_samples_split = 9; }), 1);
                     equal(nodes([](Growth& g) { g.min_samples_split = 7; }), 3);
                     equal(nodes([](Growth& g) { g.min_samples_leaf = 5; }), 1);
                     equal(nodes([](Growth& g) { g.min_samples_leaf = 3; }), 3);
                     equal(nodes([](Growth& g) { g.min_weight_leaf = 4.5; }), 1);
                     equal(nodes([](Growth& g) { g.min_impurity_decrease = 0.2; }), 1);
                     equal(nodes([](Growth& g) { g.min_impurity_decrease = 0.1; }), 5);
                     equal(nodes([](Growth& g) { g.min_gain = 0.2; }), 1);
                     equal(nodes([](Growth& g) { g.criterion = Criterion::error, g.zero_gain = false; }), 5);
                 }};

const Test xor_zero{"a test that gains nothing, where zero gain is allowed", [] {
                        Data d(4);
                        d.numeric({0, 0, 1, 1}).numeric({0, 1, 0, 1}).encode();
                        const Goal goal = classes({0, 1, 1, 0}, 2);
                        Growth g;
                        equal(grown(d, goal, g).n_nodes(), 7);
                        g.zero_gain = false;
                        equal(grown(d, goal, g).n_nodes(), 1);
                    }};

const Test weights{"a weight is a row so many times", [] {
                       Data once(4), often(7);
                       once.numeric({1, 2, 3, 4}).encode();
                       often.numeric({1, 1, 1, 2, 3, 4, 4}).encode();
                       Goal weighted = classes({0, 1, 0, 1}, 2);
                       weighted.weight = {3, 1, 1, 2};
                       const Goal repeated = classes({0, 0, 0, 1, 0, 1, 1}, 2);
                       for (const Count leaf : {1, 2, 3}) {
                           Growth g;
                           g.min_samples_leaf = leaf;
                           holds(same(grown(once, weighted, g), grown(often, repeated, g)));
                       }
                   }};

const Test counts{"weights that are not multiplicities count one sample a row", [] {
                      Data d(4);
                      d.numeric({1, 2, 3, 4}).encode();
                      Goal goal = classes({0, 1, 1, 1}, 2);
                      goal.weight = {300, 100, 100, 100};
                      goal.count = {1, 1, 1, 1};
                      Growth g;
                      g.min_samples_leaf = 2;
                      const Tree t = grown(d, goal, g);
                      equal(t.tests.thresholds, std::vector<double>{2.5});
                      equal(t.count, std::vector<Count>{4, 2, 2});
                      equal(t.tally, std::vector<Count>{300, 300, 300, 100, 0, 200});
                  }};

const Test regression{"a regression stump", [] {
                          Goal goal = reals({1, 1, 1, 1, 5, 5, 5, 9});
                          Growth g;
                          g.criterion = Criterion::squared_error;
                          g.max_depth = 1;
                          const Tree t = grown(line(), goal, g);
                          equal(t.tests.thresholds, std::vector<double>{4.5});
                          equal(t.value, std::vector<double>{3.5, 1, 6});
                          equal(t.tally, std::vector<Count>{8, 28, 4, 4, 4, 24});
                          near(t.impurity[0], 7.25 + 0.5, 1e-12);  // 160/8 - 3.5^2
                          near(t.impurity[2], 3, 1e-12);
                          near(t.gain[0], 6.25, 1e-12);
                      }};

const Test units{"fixed-point targets come back in their own units", [] {
                     Goal goal = reals({-8, -8, 8, 24});
                     Target target = goal.target();
                     target.center = 100;
                     target.scale = 8;
                     Data d(4);
                     d.numeric({1, 2, 3, 4}).encode();
                     Growth g;
                     g.criterion = Criterion::squared_error;
                     const Tree t = grow(d.frame(), target, g, 1, {}, {}).tree;
                     t.check();
                     equal(t.value, std::vector<double>{100.5, 99, 102, 101, 103});
                     near(t.impurity[0], (1.5 * 1.5 * 2 + 0.25 + 6.25) / 4, 1e-12);
                 }};

const Test monotone{"monotone constraints hold along the column", [] {
                        const Goal goal = reals({0, 4, 2, 6, 3, 8, 7, 9});
                        Growth g;
                        g.criterion = Criterion::squared_error;
                        g.monotonic = {1};
                        const Data d = line();
                        const Tree t = grown(d, goal, g);
                        Pool pool(1);
                        Ints leaf(8);
                        route(t, d.frame(), pool, leaf);
                        for (std::size_t i = 1; i < 8; ++i)
                            holds(t.value[static_cast<std::size_t>(leaf[i - 1])] <=
                                  t.value[static_cast<std::size_t>(leaf[i])]);
                        g.monotonic = {-1};
                        const Tree down = grown(d, goal, g);
                        route(down, d.frame(), pool, leaf);
                        for (std::size_t i = 1; i < 8; ++i)
                            holds(down.value[static_cast<std::size_t>(leaf[i - 1])] >=
                                  down.value[static_cast<std::size_t>(leaf[i])]);
                    }};

const Test degenerate{"one row, one class, nothing but missing values, no columns", [] {
                          Data one(1);
                          one.numeric({1}).encode();
                          equal(grown(one, classes({1}, 2), {}).n_nodes(), 1);
                          equal(grown(line(), classes(std::vector<std::uint32_t>(8, 0), 1), {}).n_nodes(), 1);
                          Data blank(4);
                          blank.numeric({none, none, none, none}).nominal({0, 0, 0, 0}, 2).encode();
                          equal(grown(blank, classes({0, 1, 0, 1}, 2), {}).n_nodes(), 1);
                          Data bare(3);
                          bare.encode();
                          equal(grown(bare, classes({0, 1, 1}, 2), {}).tally, std::vector<Count>{1, 2});
                      }};

const Test refusals{
    "what cannot be grown is refused", [] {
        const auto refused = [](const Data& d, const Goal& goal, auto set) {
            Growth g;
            set(g);
            throws<Error>([&] { grow(d.frame(), goal.target(), g, 1, {}, {}); });
        };
        const auto as_is = [](Growth&) {};
        Data raw(8);
        raw.numeric({1, 2, 3, 4, 5, 6, 7, 8});
        refused(raw, steps, as_is);
        refused(line(), classes({0, 1}, 2), as_is);
        Data empty(0);
        empty.numeric({}).encode();
        refused(empty, classes({}, 2), as_is);
        refused(line(), steps, [](Growth& g) { g.criterion = Criterion::squared_error; });
        refused(line(), reals({1, 2, 3, 4, 5, 6, 7, 8}), as_is);
        refused(line(), steps, [](Growth& g) { g.max_branches = 1; });
        refused(line(), steps, [](Growth& g) { g.monotonic = {1, 0}; });
        refused(line(), steps, [](Growth& g) { g.monotonic = {1}, g.numeric_test = NumericTest::intervals; });
        refused(line(), classes({0, 1, 2, 0, 1, 2, 0, 1}, 3), [](Growth& g) { g.monotonic = {1}; });
        refused(line(), steps, [](Growth& g) {
            g.missing = Missing::surrogate;
            g.nominal_test = NominalTest::multiway;
        });
        Data gaps(2);
        gaps.numeric({1, none}).encode();
        refused(gaps, classes({0, 1}, 2), [](Growth& g) { g.missing = Missing::error; });
    }};

}  // namespace
}  // namespace bosco::check
