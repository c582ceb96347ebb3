// Forests: what is kept once is found again, whatever it hashes to, and wherever it came from.
#include "many/forest.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

const Test interned{"things have one number each, even if all hash alike", [] {
                        for (const bool alike : {false, true}) {
                            Interned table;
                            std::vector<std::uint64_t> things;
                            for (std::uint64_t i = 0; i < 2000; ++i) {
                                const std::uint64_t thing = i * i % 701;
                                const std::uint64_t hash = alike ? 0 : mix(thing, 1);
                                const auto fresh = static_cast<std::uint32_t>(things.size());
                                const std::uint32_t number = table.number(
                                    hash, fresh, [&](std::size_t k) { return things[k] == thing; });
                                if (number == fresh) things.push_back(thing);
                                equal(things[number], thing);
                            }
                            equal(things.size(), std::size_t{351});  // squares modulo a prime, and 0
                        }
                    }};

const Test grown_on{
    "a forest from a file grows on as if it had never left", [] {
        const std::size_t n = 300;
        std::vector<std::uint8_t> level;
        std::vector<double> x;
        Goal goal;
        goal.n_classes = 3;
        for (std::uint64_t i = 0; i < n; ++i) {
            level.push_back(static_cast<std::uint8_t>(1 + mix(i, 1) % 9));
            x.push_back(static_cast<double>(mix(i, 2) % 40));
            goal.classes.push_back(static_cast<std::uint32_t>((mix(i, 3) % 3 + level.back()) % 3));
        }
        Data data(n);
        data.nominal(level, 9).numeric(x).encode();
        Growth growth;
        growth.nominal_test = NominalTest::subset;
        growth.max_features = 1;
        const Target target = goal.target();
        const auto grow_on = [&](Forest& forest, int trees) {
            Plan plan;
            plan.first = forest.n_trees();
            plan.n_trees = trees;
            plan.sampled = true;
            plan.sample = n;
            grow_forest(data.frame(), target, growth, plan, 2, {}, {}, {}, forest, nullptr);
        };
        Forest at_once;
        at_once.n_classes = 3;
        grow_on(at_once, 12);
        Forest first;
        first.n_classes = 3;
        grow_on(first, 5);
        Forest loaded;  // knows nothing but what is written
        loaded.n_classes = 3;
        loaded.begin = first.begin;
        loaded.nodes = first.nodes;
        loaded.tests = first.tests;
        loaded.tallies = first.tallies;
        loaded.share();
        grow_on(loaded, 7);
        holds(at_once.tests.size() > 20 && at_once.tests.jumps == loaded.tests.jumps);
        holds(at_once.begin == loaded.begin && at_once.tallies == loaded.tallies);
        for (std::size_t i = 0; i < at_once.nodes.size(); ++i) {
            equal(loaded.nodes[i].what, at_once.nodes[i].what);
            equal(loaded.nodes[i].bits(), at_once.nodes[i].bits());
        }
    }};

}  // namespace
}  // namespace bosco::check
