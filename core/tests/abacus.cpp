// Small nodes of few columns drawn: counting them finds the tree that tables find.
#include "grow/abacus.hpp"

#include <algorithm>

#include "check.hpp"
#include "data.hpp"
#include "grow/renumbering.hpp"

namespace bosco::check {
namespace {

// Two classes, weights of a few; one column with values of its own, some shared by many rows, nominal
// columns of few and of many levels.
struct Forestry {
    Data data;
    Goal goal;

    Forestry(std::size_t n, bool with_missing, bool weighted, std::uint64_t seed) : data(n) {
        Draws draws(seed);
        std::vector<double> own, shared, coarse;
        std::vector<std::uint8_t> few, many, grades;
        for (std::size_t i = 0; i < n; ++i) {
            const auto gone = [&] { return with_missing && draws.below(9) == 0; };
            own.push_back(draws.real());
            shared.push_back(static_cast<double>(draws.below(40)));
            coarse.push_back(static_cast<double>(draws.below(600)));
            few.push_back(static_cast<std::uint8_t>(1 + draws.below(5)));
            many.push_back(static_cast<std::uint8_t>(1 + draws.below(200)));
            grades.push_back(static_cast<std::uint8_t>(1 + draws.below(4)));
            const double signal = own[i] + (few[i] == 2 || few[i] == 5 ? 0.7 : 0) + many[i] % 7 * 0.1 +
                                  (shared[i] > 20 ? 0.2 : 0) + 0.5 * draws.real();
            goal.classes.push_back(signal > 1.2);
            if (weighted) goal.weight.push_back(1 + draws.below(4));
            if (gone()) own[i] = none;
            if (gone()) shared[i] = none;
            if (gone()) few[i] = 0;
            if (gone()) many[i] = 0;
        }
        goal.n_classes = 2;
        data.numeric(own).numeric(shared).numeric(coarse);
        data.nominal(few, 6).nominal(many, 220).ordinal(grades, 4).encode();
    }
};

void counts_alike(const Forestry& f, const Growth& g, const Place& at = Place::current()) {
    Tuning tables = tuning(std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max());
    tables.presort = false;
    const Tree expected = grown(f.data, f.goal, g, 1, tables);
    holds(expected.n_nodes() > 3, at);
    for (const std::size_t small : {std::size_t{30}, std::size_t{500}, std::size_t{4096}})
        if (!same(grown(f.data, f.goal, g, 1, tuning(small, 0)), expected))
            fail(at) << "another tree with small_rows " << small << "\n";
}

const Test counted{"counting drawn columns finds the tree of tables", [] {
                       for (const bool with_missing : {false, true})
                           for (const bool weighted : {false, true})
                               for (const int columns : {1, 2, 4}) {
                                   const Forestry f(1500, with_missing, weighted, 71);
                                   Growth g;
                                   g.max_features = columns;
                                   g.seed = 7;
                                   g.subset_penalty = columns != 2;
                                   counts_alike(f, g);
                               }
                   }};

const Test settings{"with other settings", [] {
                        for (const bool with_missing : {false, true}) {
                            const Forestry f(1200, with_missing, true, 72);
                            const auto alike = [&](auto set) {
                                Growth g;
                                g.max_features = 3;
                                g.seed = 8;
                                set(g);
                                counts_alike(f, g);
                            };
                            for (const Missing policy : {Missing::majority, Missing::fractional})
                                alike([&](Growth& g) { g.missing = policy, g.max_depth = 9; });
                            alike([](Growth& g) { g.nominal_test = NominalTest::one_vs_rest; });
                            alike([](Growth& g) { g.min_samples_leaf = 7; });
                            alike([](Growth& g) { g.min_weight_leaf = 12.5; });
                            alike([](Growth& g) { g.min_impurity_decrease = 1e-3; });
                            alike([](Growth& g) { g.min_gain = 0.05; });
                            alike([](Growth& g) { g.zero_gain = false; });
                            alike([](Growth& g) { g.threshold = Threshold::round; });
                            alike([](Growth& g) { g.order = Order::breadth; });
                        }
                    }};

const Test too_heavy{"nodes too heavy for small sums are left to others", [] {
                         Forestry f(600, false, true, 73);
                         for (Count& w : f.goal.weight) w *= 1000;
                         Growth g;
                         g.max_features = 2;
                         counts_alike(f, g);
                     }};

const Test renumbered{
    "ranks among some rows, by bits or by sorting", [] {
        Draws draws(74);
        for (const int bits : {6, 11, 20})
            for (const std::size_t n : {std::size_t{1}, std::size_t{90}, std::size_t{700}}) {
                std::vector<std::uint32_t> ranks;
                for (std::size_t i = 0; i < n; ++i)
                    ranks.push_back(static_cast<std::uint32_t>(draws.below(1 << bits)));
                std::vector<std::uint32_t> known(ranks);
                std::sort(known.begin(), known.end());
                known.erase(std::unique(known.begin(), known.end()), known.end());
                std::erase(known, 0u);
                std::vector<std::uint16_t> to(n), holder(n + 1);
                Renumbering renumbering;
                for (int again = 0; again < 2; ++again)
                    renumbering.run(ranks.data(), n, bits, to.data(), holder.data());
                for (std::size_t i = 0; i < n; ++i) {
                    if (to[i] == 0)
                        equal(ranks[i], 0u);
                    else
                        equal(known[to[i] - 1u], ranks[i]);
                    equal(ranks[holder[to[i]]], ranks[i]);
                }
            }
    }};

}  // namespace
}  // namespace bosco::check
