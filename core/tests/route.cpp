// Sending rows down a finished tree.
#include "tree/route.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"
#include "data.hpp"
#include "grow/rows.hpp"
#include "tree/census.hpp"

namespace bosco::check {
namespace {

using Ints = std::vector<std::int32_t>;

struct Grove {
    Data data;
    Goal goal;
    Tree tree;
};

Grove grove(bool nominal, Missing policy, std::size_t n = 400) {
    Draws draws(51);
    std::vector<double> x, z;
    std::vector<std::uint8_t> level;
    std::vector<std::uint32_t> y;
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(draws.below(6) == 0 ? none : draws.real());
        z.push_back(static_cast<double>(draws.below(30)));
        level.push_back(static_cast<std::uint8_t>(draws.below(4)));
        y.push_back(static_cast<std::uint32_t>(draws.below(2)));
    }
    Grove g{Data(n), classes(y, 2), {}};
    g.data.numeric(x).numeric(z);
    if (nominal) g.data.nominal(level, 3);
    g.data.encode(16);
    Growth growth;
    growth.missing = policy;
    growth.max_depth = 6;
    g.tree = grown(g.data, g.goal, growth);
    return g;
}

// One row at a time, straight from the arrays.
std::int32_t walk(const Tree& t, const Frame& frame, std::size_t row) {
    std::int32_t i = 0;
    while (!t.leaf(i)) {
        const auto at = static_cast<std::size_t>(t.test[static_cast<std::size_t>(i)]);
        const TestView test = t.tests[at];
        const int b = test.ask(test.column_of(frame), row);
        i = t.first_child[static_cast<std::size_t>(i)] + (b < 0 ? t.tests.missing[at] : b);
    }
    return i;
}

const Test walks{"route is a walk from the root, on any number of threads", [] {
                     for (const bool nominal : {false, true})
                         for (const Missing policy : {Missing::learn, Missing::branch, Missing::majority}) {
                             const Grove g = grove(nominal, policy, 9000);
                             for (const int n_threads : {1, 3}) {
                                 Pool pool(n_threads);
                                 Ints leaf(9000, -1);
                                 route(g.tree, g.data.frame(), pool, leaf);
                                 for (std::size_t i = 0; i < leaf.size(); ++i)
                                     equal(leaf[i], walk(g.tree, g.data.frame(), i));
                             }
                         }
                 }};

const Test recounted{"recounting the training rows gives the tree's tallies", [] {
                         for (const bool nominal : {false, true})
                             for (const Missing policy : {Missing::learn, Missing::branch, Missing::majority,
                                                          Missing::fractional, Missing::surrogate}) {
                                 const Grove g = grove(nominal, policy);
                                 const Tallies r = tallies(g.tree, g.data.frame(), g.goal.target(), true);
                                 holds(r.tally == g.tree.tally);
                                 holds(r.count == g.tree.count);
                             }
                     }};

const Test mixed{"values by share are a look-up where rows go one way", [] {
                     const Grove g = grove(true, Missing::learn);
                     Pool pool(2);
                     Ints leaf(400);
                     std::vector<double> out(800, -1);
                     route(g.tree, g.data.frame(), pool, leaf);
                     values_by_share(g.tree, g.data.frame(), g.tree.value, 2, pool, out);
                     for (std::size_t i = 0; i < 400; ++i)
                         equal(out[2 * i], g.tree.value[2 * static_cast<std::size_t>(leaf[i])]);
                 }};

const Test mixed_shares{"shares of a mixture add up to one", [] {
                            const Grove g = grove(true, Missing::fractional);
                            Pool pool(2);
                            const std::vector<double> ones(g.tree.test.size(), 1);
                            std::vector<double> out(400);
                            values_by_share(g.tree, g.data.frame(), ones, 1, pool, out);
                            for (const double total : out) near(total, 1, 1e-12);
                        }};

const Test other_types{"rows of another number type take the same way", [] {
                           const Grove g = grove(false, Missing::learn);
                           std::vector<float> x, z;
                           for (std::size_t i = 0; i < 400; ++i) {
                               x.push_back(static_cast<float>(g.data.frame().column(0).raw.at(i)));
                               z.push_back(static_cast<float>(g.data.frame().column(1).raw.at(i)));
                           }
                           Frame f(400);
                           for (const auto* values : {&x, &z}) {
                               Raw raw;
                               raw.data = reinterpret_cast<const std::byte*>(values->data());
                               raw.stride = sizeof(float);
                               raw.dtype = DType::f32;
                               f.add_numeric(raw);
                           }
                           Pool pool(1);
                           Ints leaf(400);
                           route(g.tree, f, pool, leaf);
                           for (std::size_t i = 0; i < 400; ++i) equal(leaf[i], walk(g.tree, f, i));
                       }};

// x > t is x > f, f being the largest float that is not above t: no float lies between f and t.
const Test narrow{
    "float thresholds answer every float as the tree's own do", [] {
        const float big = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
        std::vector<float> xs{std::numeric_limits<float>::quiet_NaN(), 0.0f, -0.0f};
        std::vector<double> ts{infinite, -infinite, 1e300, -1e300, 1e-300, -1e-300, -0.0};
        for (const float near : {1.0f, 0.1f, 1e-30f, tiny, 16777216.0f, big})
            for (const float x : {near, -near}) {
                const float below = std::nextafter(x, -HUGE_VALF);
                const float above = std::nextafter(x, HUGE_VALF);
                xs.insert(xs.end(), {below, x, above});
                for (const double t : {double{below}, double{x}, double{above}})
                    ts.insert(ts.end(), {std::nextafter(t, -infinite), t, std::nextafter(t, infinite)});
                ts.push_back(double{x} / 2 + double{above} / 2);
            }
        for (const double& t : ts)
            for (const std::int32_t missing : {0, 1}) {
                const TestView test{TestKind::cut, 3, 2, missing, false, {&t, 1}, {}};
                const Hop wide = Hop::cut(test, missing, 7);
                const auto small = HopFor<float>::of(wide);
                equal(small.column(), 3u);
                equal(small.first, 7);
                for (const float x : xs) {
                    const int own = test.ask(double{x});
                    equal(wide.branch(x), own < 0 ? missing : own);
                    equal(small.branch(x), wide.branch(x));
                }
            }
        holds(HopFor<float>::of(Hop{}).leaf());
    }};

const Test strange_values{"infinities and thresholds themselves", [] {
                              Data train(4);
                              train.numeric({1, 2, 3, none}).encode();
                              const Tree t = grown(train, classes({0, 1, 0, 1}, 2), {});
                              Data rows(6);
                              rows.numeric({-infinite, infinite, 1.5, 2.5, none, 1e308});
                              Pool pool(1);
                              Ints leaf(6);
                              route(t, rows.frame(), pool, leaf);
                              for (std::size_t i = 0; i < 6; ++i) equal(leaf[i], walk(t, rows.frame(), i));
                              equal(t.value[2 * static_cast<std::size_t>(leaf[2])],
                                    1.0);  // x <= 1.5 goes left
                          }};

const Test lone_leaf{"a tree of one leaf, and no rows", [] {
                         Data d(3);
                         d.numeric({1, 2, 3}).encode();
                         const Tree t = grown(d, classes({1, 1, 1}, 2), {});
                         Pool pool(1);
                         Ints leaf(3, -1);
                         route(t, d.frame(), pool, leaf);
                         equal(leaf, Ints{0, 0, 0});
                         Data empty(0);
                         empty.numeric({});
                         route(t, empty.frame(), pool, {});
                     }};

const Test refused{"frames that the tree does not fit", [] {
                       const Grove g = grove(true, Missing::learn);
                       Pool pool(1);
                       Ints leaf(400);
                       const auto unfit = [&](const Data& d) {
                           throws<Error>([&] { route(g.tree, d.frame(), pool, leaf); });
                           throws<Error>([&] { tallies(g.tree, d.frame(), g.goal.target(), true); });
                       };
                       const std::vector<double> x(400, 1);
                       const std::vector<std::uint8_t> level(400, 1);
                       unfit(std::move(Data(400).numeric(x)));
                       unfit(std::move(Data(400).numeric(x).nominal(level, 3).nominal(level, 3)));
                       unfit(std::move(Data(400).numeric(x).numeric(x).nominal(level, 4)));
                       unfit(std::move(Data(400).numeric(x).numeric(x).numeric(x)));
                       const Goal real = reals(std::vector<Count>(400, 1)), few = classes({0}, 2);
                       throws<Error>([&] { tallies(g.tree, g.data.frame(), real.target(), true); });
                       throws<Error>([&] { tallies(g.tree, g.data.frame(), few.target(), true); });
                   }};

}  // namespace
}  // namespace bosco::check
