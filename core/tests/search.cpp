// The best small tree against plain enumeration of all trees: its cost, and the tree itself, by the written
// rule. A slice of the cases runs with all tests; `BOSCO_SEARCH_CASES=20000 bosco_tests` runs as many as
// that.
#include "enumeration.hpp"

namespace bosco::check {
namespace {

const Test enumerated{
    "the best small tree is that of plain enumeration", [] {
        for (std::uint64_t number = 0; number < cases_to_try(); ++number) {
            const Case c = drawn(number);
            const bool subsets = number % 4 != 0;
            const Cases cases = c.cases(subsets);
            Rows all(cases.n_rows);
            for (std::uint32_t i = 0; i < cases.n_rows; ++i) all[i] = i;
            const Enumerated expected = Enumeration{cases, c.wanted, c.costs}.best(
                all, c.wanted.max_depth, std::min<std::int64_t>(c.wanted.max_leaf_nodes, 64));
            const search::Found found = search::search(cases, c.wanted, number % 5 == 0 ? 2 : 1, {});
            const Count cost = found.objective * 64 + found.leaves;
            if (cost != expected.cost || found.bound != found.objective || listed(found) != expected.tree) {
                std::cerr << "case " << number << ": depth " << c.wanted.max_depth << ", " << cases.n_rows
                          << " rows, " << cases.columns.size() << " columns, " << cases.classes
                          << " classes, alpha " << c.wanted.alpha.of << "/" << c.wanted.alpha.parts
                          << ", least " << c.wanted.min_samples_leaf << ", leaves " << c.wanted.max_leaf_nodes
                          << (c.costs.empty() ? "" : ", costs") << ": cost " << cost << ", bound "
                          << found.bound << ", expected " << expected.cost
                          << (cost == expected.cost ? ", another tree" : "") << "\n";
                holds(false);
            }
        }
    }};

const Test stopped{"a search that is stopped keeps a tree, and what is known of the best one", [] {
                       for (std::uint64_t number = 0; number < 200; ++number) {
                           Case c = drawn(number);
                           const Cases cases = c.cases(true);
                           const search::Found best = search::search(cases, c.wanted, 1, {});
                           for (const std::int64_t work : {0, 100, 1000}) {
                               c.wanted.work_limit = work;
                               const search::Found found = search::search(cases, c.wanted, 1, {});
                               equal(found.wrong, wrong_of(found, cases, c.costs));
                               holds(found.bound <= best.objective);
                               holds(found.objective >= best.objective);
                               equal(found.end == search::End::proved, found.bound == found.objective);
                               const search::Found other = search::search(cases, c.wanted, 3, {});
                               holds(listed(other) == listed(found) && other.bound == found.bound);
                           }
                           c.wanted.work_limit = std::numeric_limits<std::int64_t>::max();
                           const search::Found asked =
                               search::search(cases, c.wanted, 2, [] { return true; });
                           equal(asked.wrong, wrong_of(asked, cases, c.costs));
                           holds(asked.bound <= best.objective && asked.objective >= best.objective);
                       }
                   }};

}  // namespace
}  // namespace bosco::check
