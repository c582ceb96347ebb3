// Rows that stay together in a sieve change no tree: wide bins, which are sifted, against narrow ones, which
// are not.
#include "grow/sieve.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

constexpr std::size_t n = 4000;

// Told by two columns, or by one of which values are missing, on the same side as what is small.
Goal goal_of(Draws& draws, const Data& data, int k, bool gaps) {
    std::vector<std::uint32_t> codes;
    for (std::size_t i = 0; i < n; ++i) {
        const auto of = [&](std::uint32_t j) { return data.frame().column(j).raw.at(i); };
        const double x = gaps ? (std::isnan(of(1)) ? 0 : of(1)) : of(0);
        const int told = static_cast<int>(x * k + (of(3) > 170 ? 1 : 0) + draws.real());
        codes.push_back(static_cast<std::uint32_t>(std::clamp(told, 0, k - 1)));
    }
    return classes(std::move(codes), k);
}

const Test no_other_tree{
    "a sieve changes no tree", [] {
        const Tuning tuned = tuning(0, std::numeric_limits<std::size_t>::max());
        for (std::uint64_t seed = 0; seed < 6; ++seed)
            for (const int k : {2, 3})
                for (const auto criterion : {Criterion::gini, Criterion::entropy})
                    for (const auto missing : {Missing::learn, Missing::majority})
                        for (const bool record : {false, true}) {
                            Draws wide_draws(seed), narrow_draws(seed), draws(seed + 100);
                            Data wide = rough(n, wide_draws), narrow = rough(n, narrow_draws);
                            const Goal goal = goal_of(draws, wide, k, seed % 3 == 0);
                            wide.encode(5);
                            narrow.encode(255);
                            Growth g;
                            g.criterion = criterion;
                            g.missing = missing;
                            g.max_depth = 3;
                            g.record = record;
                            g.record_whole = 0;
                            g.min_samples_leaf = seed % 2 == 0 ? 1 : 40;
                            holds(same(grown(wide, goal, g, 1, tuned), grown(narrow, goal, g, 1, tuned)));
                        }
    }};

// A bin of a table of three, with a class that changes at one value: nearly all of it is a lump or two.
const Test lumps{"a sieve tells few rows apart", [] {
                     std::vector<FineItem> items, aside;
                     Draws draws(3);
                     for (std::uint32_t i = 0; i < 1000; ++i) {
                         const double x = draws.real();
                         const bool one = draws.real() < (x < 0.4 ? 0.1 : 0.9);
                         items.push_back({x, i, 2, static_cast<std::uint16_t>(one)});
                     }
                     Table table;
                     table.reset({2});
                     for (const std::uint32_t code : {1u, 2u, 3u}) {
                         Count* const cell = table.push(code);
                         if (code != 2) cell[code == 3] = 300;
                         for (const FineItem& item : items) cell[item.cls] += code == 2;
                     }
                     const std::vector<Count> node = table.total();
                     const Growth growth;
                     const Judge judge(growth.criterion, {2}, node.data());
                     Node at;
                     at.judge = &judge;
                     const Trial trial(table, at, growth, 0);
                     Sieve sieve(trial, 1, 0);
                     const FineItem* const end =
                         sieve.sift(2, items.data(), items.data() + items.size(), aside);
                     std::vector<Count> all(2, 0);
                     for (const FineItem* item = items.data(); item < end; ++item) {
                         holds(item == items.data() || (item - 1)->value <= item->value);
                         if (item->cls == Sieve::lumped)
                             add(all.data(), sieve.lump(item->index), 2);
                         else
                             ++all[item->cls];
                     }
                     equal(all, std::vector<Count>(table.cell(1), table.cell(1) + 2));
                     holds(end - items.data() < 200);
                 }};

}  // namespace
}  // namespace bosco::check
