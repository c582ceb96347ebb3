// The search for the best small tree.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "search/sapling.hpp"
#include "search/search.hpp"

namespace bosco::bind {
void bind_search(nb::module_& m) {
    m.def(
        "search",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
           std::pair<Count, Count> alpha, std::optional<std::int64_t> work_limit,
           std::optional<double> time_limit, int n_threads) {
            const Growth g = growth_of(growth);
            if (!frame.frame.encoded()) throw Error("the frame must be encoded first");
            if (frame.frame.n_rows() != target.target.n_rows())
                throw Error("frame and target differ in rows");
            if (alpha.first < 0 || alpha.second < 1)
                throw Error("the price of a leaf is a fraction, 0 or more");
            search::Wanted wanted;
            wanted.max_depth = g.max_depth;
            wanted.max_leaf_nodes = g.max_leaf_nodes;
            wanted.min_samples_leaf = g.min_samples_leaf;
            wanted.alpha = {alpha.first, alpha.second};
            wanted.subsets = g.nominal_test == NominalTest::subset;
            if (work_limit) wanted.work_limit = *work_limit;
            if (time_limit) wanted.time_limit = *time_limit;
            search::Found found;
            Tree tree;
            {
                // Ctrl-C ends the search, and what it has found is kept.
                const std::function<bool()> asked = [] {
                    nb::gil_scoped_acquire lock;
                    if (PyErr_CheckSignals() == 0) return false;
                    PyErr_Clear();
                    return true;
                };
                nb::gil_scoped_release release;
                Pool pool(n_threads);
                const search::Cases cases(frame.frame, target.target, wanted.subsets, pool);
                found = search::search(cases, wanted, n_threads, asked);
                tree = search::sapling(found, cases, frame.frame, target.target, g, n_threads, {});
            }
            std::map<std::string, Count> figures{{"wrong", found.wrong},
                                                 {"leaves", found.leaves},
                                                 {"objective", found.objective},
                                                 {"bound", found.bound},
                                                 {"work", found.work}};
            return std::make_tuple(std::move(tree), std::move(figures), std::string(word_of(found.end)));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"),
        nb::arg("alpha") = std::make_pair(Count{0}, Count{1}), nb::arg("work_limit").none() = nb::none(),
        nb::arg("time_limit").none() = nb::none(), nb::arg("n_threads") = 1,
        "The tree with the least weight of errors + alpha * leaves up to a depth and a number of leaves, "
        "alpha "
        "a fraction; figures: `wrong` (weight), `leaves`, `objective`, `bound` (no tree has a lower "
        "objective; "
        "both in parts of a unit, as alpha), `work` (entries looked at); and how the search ended: proved, "
        "work_limit, time_limit or interrupted.");
}

}  // namespace bosco::bind
