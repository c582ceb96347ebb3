// What pruning weighs by, and what it comes to.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bind.hpp"
#include "prune/raise.hpp"

namespace bosco::bind {
void bind_prune(nb::module_& m) {
    m.def(
        "survivors",
        [](const Tree& tree, Vector<bool> cut, std::optional<Vector<std::int32_t>> stand_in) {
            return give(survivors(tree, list<char>(cut),
                                  stand_in ? list<std::int32_t>(*stand_in) : std::vector<std::int32_t>{}));
        },
        nb::arg("tree"), nb::arg("cut"), nb::arg("stand_in").none() = nb::none(),
        "The number of every node after such a pruning, -1 if it goes.");
    m.def(
        "collapse",
        [](const Tree& tree, Vector<double> as_leaf, Vector<double> of_test) {
            Collapsed c = collapse(tree, list<double>(as_leaf), list<double>(of_test));
            return std::make_pair(give<bool>(std::move(c.cut)), give(std::move(c.kept)));
        },
        nb::arg("tree"), nb::arg("as_leaf"), nb::arg("of_test"),
        "Bottom-up: (which nodes cost no more as a leaf, what each test and its branches cost).");
    m.def(
        "description_bits",
        [](const Tree& tree, int n_columns) {
            Description bits = description_bits(tree, n_columns);
            return std::make_pair(give(std::move(bits.as_leaf)), give(std::move(bits.of_test)));
        },
        nb::arg("tree"), nb::arg("n_columns"),
        "Bits that tell (the classes of the rows of every node, its test among those of so many columns).");
    m.def(
        "p_values", [](const Tree& tree) { return give(p_values(tree)); }, nb::arg("tree"),
        "How likely chance alone parts the rows of every node as its test does; 1 for leaves.");
    m.def(
        "wilson",
        [](Vector<double> share, Vector<double> n, double confidence) {
            if (share.shape(0) != n.shape(0)) throw Error("there must be as many shares as numbers of rows");
            const double z = normal_quantile((1 - confidence) / 2);
            std::vector<double> low(n.shape(0), 0), high(n.shape(0), 1);
            for (std::size_t i = 0; i < low.size(); ++i) {
                const double p = share.data()[i], rows = n.data()[i];
                if (rows <= 0) continue;
                if (p != 0) low[i] = wilson(p, rows, -z);  // at the ends of the scale the bound is the end
                if (p != 1) high[i] = wilson(p, rows, z);
            }
            return std::make_pair(give(std::move(low)), give(std::move(high)));
        },
        nb::arg("share"), nb::arg("n"), nb::arg("confidence"),
        "Wilson's interval of shares seen in n rows each; 0 to 1 where there is none.");
    m.attr("EQUAL_WITHIN") = equal_within;
    m.def(
        "fold",
        [](const Tree& tree, Vector<double> values, const std::string& how, bool downwards) {
            const bool known = how == "sum" || how == "least" || how == "most";
            if (!known) throw Error("values are folded by sum, least or most");
            const Fold f = how == "sum" ? Fold::sum : how == "least" ? Fold::least : Fold::most;
            return give(fold(tree, list<double>(values), f, downwards));
        },
        nb::arg("tree"), nb::arg("values"), nb::arg("how"), nb::arg("downwards") = false,
        "The sum, the least or the most of the values of every subtree, or of each node and those above.");
    m.def(
        "pessimistic",
        [](const Tree& tree, Vector<bool> cut, double confidence, const PyFrame* frame,
           const PyTarget* target, int n_threads) {
            Raised r = unlocked([&](const auto& poll) {
                return pessimistic(tree, list<char>(cut), Pessimism(confidence),
                                   frame ? &frame->frame : nullptr, target ? &target->one() : nullptr,
                                   n_threads, poll);
            });
            return std::make_tuple(give<bool>(std::move(r.cut)), give(std::move(r.stand_in)),
                                   give(std::move(r.kept)), give(std::move(r.pruned)));
        },
        nb::arg("tree"), nb::arg("cut"), nb::arg("confidence"), nb::arg("frame").none() = nb::none(),
        nb::arg("target").none() = nb::none(), nb::arg("n_threads") = 1,
        "C4.5's pruning: (nodes to cut, stand-ins, what each subtree and what each leaf or branch costs).");
    m.def(
        "weakest_links",
        [](const Tree& tree, Vector<double> risk) {
            WeakestLinks w = weakest_links(tree, {risk.data(), risk.data() + risk.shape(0)});
            return std::make_tuple(give(std::move(w.alpha)), give(std::move(w.risk)),
                                   give(std::move(w.leaves)), give(std::move(w.cut_at)));
        },
        nb::arg("tree"), nb::arg("risk"));
}

}  // namespace bosco::bind
