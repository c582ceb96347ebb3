// Trees that look further than one node, and the search for the best tree of numbers.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "search/ahead.hpp"
#include "search/numbers.hpp"
#include "search/polish.hpp"
#include "search/sapling.hpp"
#include "wide.hpp"

namespace bosco::bind {
namespace {

search::Wanted wanted_of(const Growth& g) {
    search::Wanted wanted;
    wanted.max_depth = g.max_depth;
    wanted.max_leaf_nodes = g.max_leaf_nodes;
    wanted.min_samples_leaf = g.min_samples_leaf;
    wanted.subsets = g.nominal_test == NominalTest::subset;
    return wanted;
}

void require_rows(const PyFrame& frame, const PyTarget& target) {
    if (!frame.frame.encoded()) throw Error("the frame must be encoded first");
    if (frame.frame.n_rows() != target.one().n_rows()) throw Error("frame and target differ in rows");
}

// Ctrl-C ends a search, and what it has found is kept.
bool interrupted() {
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    return true;
}

}  // namespace

void bind_farther(nb::module_& m) {
    m.def(
        "search_numbers",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth, const nb::int_& price,
           std::optional<std::int64_t> work_limit, std::optional<double> time_limit, int n_threads) {
            const Growth g = growth_of(growth);
            require_rows(frame, target);
            if (!target.target.real()) throw Error("the target must be numbers");
            if (g.max_depth > 2) throw Error("the best tree of numbers has at most two levels of tests");
            search::Wanted wanted = wanted_of(g);
            if (work_limit) wanted.work_limit = *work_limit;
            if (time_limit) wanted.time_limit = *time_limit;
            const Wide each = wide_of(price);
            if (each < 0) throw Error("the price of a leaf is 0 or more");
            search::FoundNumbers found;
            Tree tree;
            {
                nb::gil_scoped_release release;
                Pool pool(n_threads);
                const search::Cases cases(frame.frame, target.target, wanted.subsets, pool);
                found = search::search_numbers(cases, wanted, each, interrupted);
                search::Found nodes;
                nodes.nodes = found.nodes;
                tree = search::sapling(nodes, cases, frame.frame, target.target, g, n_threads, {});
            }
            nb::dict figures;
            figures["bits"] = found.bits;
            figures["error"] = int_of(found.error);
            figures["objective"] = int_of(found.objective);
            figures["bound"] = int_of(found.bound);
            figures["leaves"] = found.leaves;
            figures["work"] = found.work;
            return std::make_tuple(std::move(tree), std::move(figures),
                                   std::string(search::word_of(found.end)));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("price"),
        nb::arg("work_limit").none() = nb::none(), nb::arg("time_limit").none() = nb::none(),
        nb::arg("n_threads") = 1,
        "The tree of numbers with the least squared error + price * leaves, of at most two levels of tests; "
        "figures as of `search`, `error` in place of `wrong`, in units of 2^-`bits` of the target's fixed "
        "point, squared; the price in such of 2^-30.");
    m.def(
        "grow_ahead",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
           const std::vector<Count>& costs, int shift, int n_threads) {
            const Growth g = growth_of(growth);
            require_rows(frame, target);
            require_fit(g, frame.frame, target.one());
            return unlocked([&](const auto& poll) {
                Pool pool(n_threads, poll);
                search::Cases cases(frame.frame, target.target, wanted_of(g).subsets, pool, {costs, shift});
                search::Found found;
                found.nodes = search::grow_ahead(cases, frame.frame, target.target, g, [&] {
                    poll();
                    return false;
                });
                return search::sapling(found, cases, frame.frame, target.target, g, n_threads, poll);
            });
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("costs") = std::vector<Count>(),
        nb::arg("shift") = 0, nb::arg("n_threads") = 1,
        "A tree of classes that grows node by node, each node looking two levels ahead: where the best pair "
        "of tests gets less wrong than the growth's own test and the best ones below, it has the first of "
        "the pair. `costs` and `shift` as of `search`.");
    m.def(
        "polish",
        [](const PyFrame& frame, const PyTarget& target, const nb::dict& growth, const Tree& tree,
           const std::vector<Count>& costs, int shift, int n_threads) {
            const Growth g = growth_of(growth);
            require_rows(frame, target);
            search::Polished done;
            Tree better = unlocked([&](const auto& poll) {
                Pool pool(n_threads, poll);
                search::Cases cases(frame.frame, target.target, wanted_of(g).subsets, pool, {costs, shift});
                done = search::polish(cases, search::nodes_of(tree, frame.frame, cases), wanted_of(g), [&] {
                    poll();
                    return false;
                });
                if (done.rounds == 0) return tree;
                search::Found found;
                found.nodes = std::move(done.nodes);
                return search::sapling(found, cases, frame.frame, target.target, g, n_threads, poll);
            });
            std::map<std::string, Count> figures{
                {"before", done.before}, {"after", done.after}, {"rounds", done.rounds}, {"work", done.work}};
            return std::make_tuple(std::move(better), std::move(figures));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("tree"),
        nb::arg("costs") = std::vector<Count>(), nb::arg("shift") = 0, nb::arg("n_threads") = 1,
        "A tree of classes that gets less wrong of these rows, with no more leaves and no deeper; the tree "
        "itself where none was found. Figures: the weight that was wrong (with `costs`, what it cost) "
        "`before` and is `after`, the "
        "`rounds` that lowered it, and the `work` (entries looked at).");
}

}  // namespace bosco::bind
