// Rows of files that are moved together while a tree grows: the tree is that of rows in memory.
#include "grow/resettle.hpp"

#include <filesystem>

#include "check.hpp"
#include "data.hpp"
#include "data/blocks.hpp"

namespace bosco::check {
namespace {

constexpr std::size_t n = rows_in_stretch + rows_in_block + 1234;  // two stretches, six blocks

Data drawn() {
    Draws draw(5);
    Data data = rough(n, draw);
    std::vector<std::uint8_t> level;
    for (std::size_t i = 0; i < n; ++i) level.push_back(static_cast<std::uint8_t>(draw.below(6)));
    data.nominal(level, 5);
    return data;
}

Goal goal(int n_classes, bool weighted, bool counted) {
    Draws draw(8);
    const Data data = drawn();
    Goal g;
    g.n_classes = n_classes;
    for (std::size_t i = 0; i < n; ++i) {
        const Count told = data.frame().column(0).raw.at(i) + 0.5 * draw.real() > 0.7 ? 1 : 0;
        if (n_classes > 0)
            g.classes.push_back(
                static_cast<std::uint32_t>((told + draw.below(10) / 9 * draw.below(n_classes)) % n_classes));
        else
            g.y.push_back(told * 1000 + draw.below(300) - 150);
        if (weighted) g.weight.push_back(1 + draw.below(7));
        if (counted) g.count.push_back(1);
    }
    return g;
}

Growth growth_for(const Goal& g, Missing missing, int depth) {
    Growth growth;
    growth.criterion = g.n_classes > 0 ? Criterion::gini : Criterion::squared_error;
    growth.missing = missing;
    growth.max_depth = depth;
    return growth;
}

const Test moved{
    "rows that are moved together grow the same tree", [] {
        const std::string folder = std::filesystem::temp_directory_path().string();
        for (const int n_classes : {0, 2, 7})
            for (const bool weighted : {false, true}) {
                const Goal g = goal(n_classes, weighted, weighted);
                for (const Missing missing : {Missing::learn, Missing::majority}) {
                    const Growth growth = growth_for(g, missing, weighted ? 9 : 1000);
                    const Tree expected = grown(drawn().encode(), g, growth, 2);
                    for (const std::size_t together : {std::size_t{1}, std::size_t{1} << 21}) {
                        Tuning how = tuning(100, 1000);
                        how.together_bytes = together;
                        for (const int threads : {1, 2})
                            holds(same(grown(drawn().lie_in(folder).encode(), g, growth, threads, how),
                                       expected));
                    }
                }
            }
    }};

const Test in_order{"values that are looked up in order are those of their rows", [] {
                        const Data data = drawn();
                        const Raw& raw = data.frame().column(0).raw;
                        Draws draw(3);
                        std::vector<FineItem> items;
                        std::vector<double> expected;
                        for (std::uint32_t k = 0; k < 5000; ++k) {
                            const auto row = static_cast<std::size_t>(draw.below(n));
                            items.push_back({static_cast<double>(row), k, 1, 0});
                            expected.push_back(raw.at(row));
                        }
                        each_in_order(
                            raw, n, items, [](const FineItem& item) { return item.value; },
                            [](FineItem& item, double value) { item.value = value; });
                        for (const FineItem& item : items) equal(item.value, expected[item.index]);
                    }};

}  // namespace
}  // namespace bosco::check
