// The search for the best small tree.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "search/count.hpp"
#include "search/sapling.hpp"
#include "search/search.hpp"

namespace bosco::bind {
namespace {

using Column = std::optional<std::uint32_t>;
using Columns = std::vector<std::uint32_t>;
using Some = std::optional<Vector<std::uint32_t>>;

void check(const PyFrame& frame, const PyTarget& target, std::pair<Count, Count> alpha, int shift,
           Column root, const Columns& without) {
    if (!frame.frame.encoded()) throw Error("the frame must be encoded first");
    if (frame.frame.n_rows() != target.one().n_rows()) throw Error("frame and target differ in rows");
    if (alpha.first < 0 || alpha.second < 1) throw Error("the price of a leaf is a fraction, 0 or more");
    if (shift < 0 || shift > 60) throw Error("weights are shifted by 0 to 60 bits");
    Columns named = without;
    if (root) named.push_back(*root);
    for (const std::uint32_t column : named)
        if (column >= frame.frame.n_columns()) throw Error("there is no such column");
}

search::Wanted wanted_of(const Growth& g, std::pair<Count, Count> alpha,
                         std::optional<std::int64_t> work_limit, std::optional<double> time_limit,
                         Column root) {
    search::Wanted wanted;
    wanted.max_depth = g.max_depth;
    wanted.max_leaf_nodes = g.max_leaf_nodes;
    wanted.min_samples_leaf = g.min_samples_leaf;
    wanted.alpha = {alpha.first, alpha.second};
    wanted.subsets = g.nominal_test == NominalTest::subset;
    wanted.root = root;
    if (work_limit) wanted.work_limit = *work_limit;
    if (time_limit) wanted.time_limit = *time_limit;
    return wanted;
}

search::Cases cases_of(const PyFrame& frame, const PyTarget& target, const search::Units& units, bool subsets,
                       const Columns& without, const Some& rows, const Some& among, Pool& pool) {
    search::Cases cases(frame.frame, target.target, subsets, pool, units);
    if (among) cases.keep_only(span_of(*among), subsets);
    for (const std::uint32_t column : without) cases.forget(column);
    if (rows) cases.keep(span_of(*rows));
    return cases;
}

// Ctrl-C ends a search, and what it has found is kept.
bool asked() {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    return true;
}

}  // namespace

void bind_search(nb::module_& m) {
    m.def(
        "search",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
           std::pair<Count, Count> alpha, const std::vector<Count>& costs, int shift,
           std::optional<std::int64_t> work_limit, std::optional<double> time_limit, int n_threads,
           Column root, const Columns& without, const Some& rows, const Some& among) {
            const Growth g = growth_of(growth);
            check(frame, target, alpha, shift, root, without);
            const search::Wanted wanted = wanted_of(g, alpha, work_limit, time_limit, root);
            search::Found found;
            std::optional<Tree> tree;
            {
                nb::gil_scoped_release release;
                Pool pool(n_threads);
                const search::Cases cases =
                    cases_of(frame, target, {costs, shift}, wanted.subsets, without, rows, among, pool);
                found = search::search(cases, wanted, n_threads, asked);
                if (!found.nodes.empty())
                    tree = search::sapling(found, cases, frame.frame, target.target, g, n_threads, {},
                                           rows ? span_of(*rows) : std::span<const std::uint32_t>());
            }
            std::map<std::string, Count> figures{{"wrong", found.wrong},
                                                 {"leaves", found.leaves},
                                                 {"objective", found.objective},
                                                 {"bound", found.bound},
                                                 {"work", found.work}};
            return std::make_tuple(std::move(tree), std::move(figures), std::string(word_of(found.end)));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"),
        nb::arg("alpha") = std::make_pair(Count{0}, Count{1}), nb::arg("costs") = std::vector<Count>(),
        nb::arg("shift") = 0, nb::arg("work_limit").none() = nb::none(),
        nb::arg("time_limit").none() = nb::none(), nb::arg("n_threads") = 1,
        nb::arg("root").none() = nb::none(), nb::arg("without") = Columns(),
        nb::arg("rows").none() = nb::none(), nb::arg("among").none() = nb::none(),
        "The tree with the least weight of errors + alpha * leaves up to a depth and a number of leaves, "
        "alpha a fraction; with `costs`, by class and answer, what errors cost in place of their weight, "
        "which loses its last bits by `shift`; figures: `wrong` (weight, or cost), `leaves`, `objective`, "
        "`bound` (no tree has a lower objective; both in parts of a unit, as alpha), `work` (entries looked "
        "at); and how the search "
        "ended: proved, work_limit, time_limit or interrupted. With `root`, of the trees whose first test "
        "asks that column, and no tree if there is none, or none was found; `without`, of those that never "
        "ask those; `rows`, of these rows alone, in the family of tests that all allow, or all `among`.");
    m.def(
        "count_trees",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth, Count most,
           std::pair<Count, Count> alpha, const std::vector<Count>& costs, int shift,
           std::optional<std::int64_t> work_limit, int n_threads, Column root, const Columns& without,
           const Some& rows, const Some& among) {
            const Growth g = growth_of(growth);
            check(frame, target, alpha, shift, root, without);
            const search::Wanted wanted = wanted_of(g, alpha, work_limit, {}, root);
            search::Many many;
            bool stopped = false;
            {
                nb::gil_scoped_release release;
                Pool pool(n_threads);
                const search::Cases cases =
                    cases_of(frame, target, {costs, shift}, wanted.subsets, without, rows, among, pool);
                many = search::count(cases, wanted, most, [&] { return stopped = stopped || asked(); });
            }
            return std::make_tuple(many.trees, many.exact, many.work, stopped);
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("most"),
        nb::arg("alpha") = std::make_pair(Count{0}, Count{1}), nb::arg("costs") = std::vector<Count>(),
        nb::arg("shift") = 0, nb::arg("work_limit").none() = nb::none(), nb::arg("n_threads") = 1,
        nb::arg("root").none() = nb::none(), nb::arg("without") = Columns(),
        nb::arg("rows").none() = nb::none(), nb::arg("among").none() = nb::none(),
        "How many trees of the family of `search` have an objective of at most `most`, in parts of a unit; "
        "whether these are all, or there are so many at least; the work; whether somebody interrupted it.");
}

}  // namespace bosco::bind
