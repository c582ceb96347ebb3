// The cuts that heights leave out are worse than the best: the same winner as by scoring all.
#include "score/heights.hpp"

#include "check.hpp"
#include "data.hpp"
#include "score/bound.hpp"

namespace bosco::check {
namespace {

struct Drawn {
    Table table;
    std::vector<Count> node;
};

Drawn draw(Draws& draws, int n, Count most) {
    Drawn drawn;
    drawn.table.reset({2});
    drawn.table.n_codes = static_cast<std::uint32_t>(n);
    drawn.node = {0, 0};
    for (int i = 0; i < n; ++i) {
        Count* const cell = drawn.table.push(static_cast<std::uint32_t>(i + 1));
        const auto only = draws.below(4);  // often of one class, and often alike
        cell[0] = only == 0 ? 0 : 1 + draws.below(most);
        cell[1] = only == 1 ? 0 : only == 2 ? cell[0] : 1 + draws.below(most);
        add(drawn.node.data(), cell, 2);
    }
    return drawn;
}

const Test same_winner{"heights: the best cut, and every bin that bounds would open", [] {
                           Draws draws(7);
                           const Growth growth;
                           for (int round = 0; round < 3000; ++round) {
                               const Count most = round % 3 == 0 ? 1 : round % 3 == 1 ? 20 : Count{1} << 33;
                               const Drawn d = draw(draws, 1 + static_cast<int>(draws.below(40)), most);
                               const Judge judge(growth.criterion, {2}, d.node.data());
                               Node node;
                               node.judge = &judge;
                               node.limits.samples = 1 + draws.below(most * 4);
                               const Trial trial(d.table, node, growth, 0);
                               holds(Heights::suits(trial));
                               CutBest plain, quick;
                               scan_cuts(trial, 0, d.table.size(), nullptr, 5, 7, plain);
                               Heights heights;
                               heights.take(trial);
                               heights.scan(trial, 5, 7, quick);
                               equal(quick.at, plain.at);
                               equal(quick.decrease, plain.decrease);
                               equal(quick.position, plain.position);
                               const double floor =
                                   plain.at < 0 ? 1 : plain.decrease * (0.5 + draws.real() / 2);
                               if (!(floor > 0)) continue;
                               const std::vector<char> near = heights.near(floor);
                               std::vector<Count> left(2, 0);
                               for (int i = 0; i < d.table.size(); ++i) {
                                   if (may_reach(judge, left.data(), d.table.cell(i), 0, floor))
                                       holds(near[i] != 0);
                                   add(left.data(), d.table.cell(i), 2);
                               }
                           }
                       }};

}  // namespace
}  // namespace bosco::check
