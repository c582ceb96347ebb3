// Faults found once, kept so that they are not made again.
#include "check.hpp"
#include "data.hpp"
#include "score/bound.hpp"
#include "score/propose.hpp"
#include "tree/route.hpp"

namespace bosco::check {
namespace {

const Test full_sample{"255 sampled values and a larger one that was not sampled", [] {
                           std::vector<double> x(20000);
                           for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 255);
                           // Rows i * n / 8192 are sampled: 0, 2, 4, 7, ... but not 1.
                           x[1] = 1000;
                           Data d(x.size());
                           d.numeric(x).encode();
                           holds(d.frame().column(0).code(1) != 0);
                           holds(d.frame().column(0).n_codes <= 255);
                       }};

const Test lost_squares{"a huge target in the sibling does not hide a cut inside a bin", [] {
                            // Column 1 parts the huge targets off; the rest's squares are lost in the
                            // subtraction.
                            Draws draws(3);
                            std::vector<double> x, side;
                            std::vector<Count> y;
                            for (int i = 0; i < 2000; ++i) {
                                x.push_back(draws.real());
                                const bool huge = i % 4 == 0;
                                side.push_back(huge ? 1 : 0);
                                y.push_back(huge ? (Count{1} << 45) : (x.back() > 0.503 ? 7 : 3));
                            }
                            Data d(x.size());
                            d.numeric(x).numeric(side).encode(8);
                            const Goal goal = reals(y);
                            Growth g;
                            g.criterion = Criterion::squared_error;
                            Tuning sorted = tuning(100000, 100000), counted = tuning(10, 100000);
                            sorted.presort = counted.presort = false;
                            const Tree a = grown(d, goal, g, 1, sorted), b = grown(d, goal, g, 1, counted);
                            equal(a.n_nodes(), 5);
                            equal(b.n_nodes(), 5);
                            holds(same(a, b));
                        }};

const Test small_gains{"bounds hold to rounding where the gain is tiny", [] {
                           Draws draws(5);
                           int below = 0;
                           for (const Criterion criterion : {Criterion::entropy, Criterion::scaled_entropy,
                                                             Criterion::sqrt, Criterion::gini})
                               for (const int k : {2, 3, 5})
                                   for (int round = 0; round < 2000; ++round) {
                                       const auto n = static_cast<std::size_t>(k);
                                       std::vector<Count> left(n), node(n), bin(n, 0), part;
                                       const Count base = 10000 + draws.below(1000000);
                                       for (std::size_t c = 0; c < n; ++c) {
                                           left[c] = base + draws.below(30);
                                           node[c] = left[c] + base + draws.below(30);
                                       }
                                       // Two rows: one class, then another (or the same).
                                       const auto first = static_cast<std::size_t>(draws.below(k)),
                                                  second = static_cast<std::size_t>(draws.below(k));
                                       for (const auto c : {first, second}) ++bin[c], ++node[c];
                                       const Judge judge(criterion, {k}, node.data());
                                       part = left;
                                       ++part[first];
                                       const double d =
                                           judge.decrease(part.data(), judge.shape().weight(part.data()));
                                       const double bound = bound_inside(judge, left.data(), bin.data(), 0);
                                       if (bound < d - 1e-11 * std::abs(d)) ++below;
                                   }
                           equal(below, 0);
                       }};

Tree stump(std::int32_t missing) {
    Tree t;
    t.n_classes = 2;
    bosco::Test cut;
    cut.column = 0;
    cut.thresholds = {1};
    cut.missing = missing;
    t.tests.push(cut);
    t.test = {0, -1, -1};
    t.parent = {-1, 0, 0};
    t.first_child = {1, -1, -1};
    t.n_children = {2, 0, 0};
    t.tally = {1, 1, 1, 0, 0, 1};
    t.count = t.known = {2, 1, 1};
    t.value = {0.5, 0.5, 1, 0, 0, 1};
    t.impurity = t.gain = {0, 0, 0};
    t.surrogate_begin = t.candidate_begin = {0, 0, 0, 0};
    return t;
}

const Test three_way_surrogate{"a surrogate with more branches than its node is refused", [] {
                                   Tree t = stump(0);
                                   bosco::Test wide;
                                   wide.column = 1;
                                   wide.branches = 3;
                                   wide.thresholds = {1, 2};
                                   t.surrogates.push(wide);
                                   t.surrogate_begin = {0, 1, 1, 1};
                                   throws<Error>([&] { t.check(); });  // route would read behind the arrays
                               }};

const Test nothing_known{"sharing by weights that are all nothing is refused", [] {
                             Tree t = stump(by_share);
                             t.known = {0, 0, 0};
                             throws<Error>([&] { t.check(); });  // recount would divide by zero
                             t.known = {0, 3, -3};
                             throws<Error>([&] { t.check(); });
                         }};

const Test heavy_missing{"rows of many classes that stand apart may be heavier than all others", [] {
                             std::vector<double> x;
                             Goal goal = classes({}, 100);
                             for (std::uint32_t i = 0; i < 300; ++i) {
                                 const bool lost = i % 6 == 0;
                                 x.push_back(lost ? none : i);
                                 goal.classes.push_back(i / 3);
                                 goal.weight.push_back(lost ? Count{4'000'000'000} : 1);
                             }
                             Data data(300);
                             data.numeric(x).encode();
                             Growth g;
                             g.missing = Missing::branch;
                             const Tree t = grown(data, goal, g);
                             equal(t.n_children[0], 3);  // two sides of a cut, and the missing rows
                         }};

const Test lone_penalty{"one known value has no penalty", [] {
                            Table table;
                            table.reset({2});
                            table.push(1)[0] = 3;
                            table.values = {5};
                            table.missing = {0, 2};
                            table.n_codes = 1;
                            const std::vector<Count> node = {3, 2};
                            Growth g;
                            g.penalty = true;
                            const Judge judge(g.criterion, {2}, node.data());
                            const Node n{&judge, {}, 1, 1};
                            const Candidate c = propose(table, n, g, 0, true);
                            holds(c.found);
                            equal(c.penalty, 0.0);
                        }};

// Values along the constrained column may not fall, whatever the other column is.
const Test monotone_missing{
    "monotone constraints hold wherever missing rows go", [] {
        int falls = 0;
        for (std::uint64_t seed = 0; seed < 60; ++seed)
            for (const Missing policy : {Missing::learn, Missing::majority, Missing::branch}) {
                Draws draws(seed);
                std::vector<double> x, z;
                std::vector<Count> y;
                for (int i = 0; i < 60; ++i) {
                    x.push_back(draws.below(3) == 0 ? none : static_cast<double>(draws.below(10)));
                    z.push_back(draws.below(3) == 0 ? none : static_cast<double>(draws.below(4)));
                    y.push_back(draws.below(100) + (std::isnan(x.back()) ? 300 : 0));
                }
                Data d(60);
                d.numeric(x).numeric(z).encode();
                Growth g;
                g.criterion = Criterion::squared_error;
                g.missing = policy;
                g.monotonic = {1, 0};
                const Tree t = grown(d, reals(y), g);
                for (const double other : {0.0, 1.0, 2.0, 3.0}) {
                    Data line(10);
                    line.numeric({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).numeric(std::vector<double>(10, other));
                    Pool pool(1);
                    std::vector<std::int32_t> leaf(10);
                    route(t, line.frame(), pool, leaf);
                    for (std::size_t i = 1; i < 10; ++i)
                        if (t.value[static_cast<std::size_t>(leaf[i - 1])] >
                            t.value[static_cast<std::size_t>(leaf[i])] + 1e-9)
                            ++falls;
                }
            }
        equal(falls, 0);
    }};

const Test monotone_shares{"monotone constraints are refused where rows do not go by their own value", [] {
                               for (const Missing policy : {Missing::fractional, Missing::surrogate}) {
                                   Data d(4);
                                   d.numeric({1, 2, 3, none}).encode();
                                   Growth g;
                                   g.criterion = Criterion::squared_error;
                                   g.missing = policy;
                                   g.monotonic = {1};
                                   throws<Error>([&] { grown(d, reals({1, 2, 3, 4}), g); });
                               }
                           }};

}  // namespace
}  // namespace bosco::check
