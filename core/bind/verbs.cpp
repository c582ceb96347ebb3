// The verbs: tabulate, refine, choose, grow, route, recount, prune and what pruning weighs by.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <numeric>
#include <tuple>

#include "../raise.hpp"
#include "../retally.hpp"
#include "../route.hpp"
#include "../sprout.hpp"
#include "../verbs.hpp"
#include "bind.hpp"

namespace bosco::bind {
namespace {

thread_local std::vector<std::pair<std::int64_t, std::int64_t>> last_refined;

std::vector<std::uint32_t> rows_of(std::size_t n_rows, const std::optional<Vector<std::uint32_t>>& rows) {
    std::vector<std::uint32_t> out;
    if (rows) {
        out.assign(rows->data(), rows->data() + rows->shape(0));
    } else {
        out.resize(n_rows);
        std::iota(out.begin(), out.end(), 0u);
    }
    return out;
}

template <class T, class U>
std::vector<T> list(const Vector<U>& a) {
    return {a.data(), a.data() + a.shape(0)};
}

Out<bool> mask(const std::vector<char>& cut) {
    auto* kept = new bool[std::max<std::size_t>(cut.size(), 1)];
    nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    std::copy(cut.begin(), cut.end(), kept);
    const std::size_t shape[1] = {cut.size()};
    return Out<bool>(kept, 1, shape, owner);
}

// One table of `choose`: codes, tallies, missing tally, values or None, number of codes.
using PyTable = std::tuple<Vector<std::uint32_t>, Matrix<Count>, Vector<Count>, std::optional<Vector<double>>,
                           std::uint32_t>;

Table table_from(const PyTable& t, Shape shape) {
    const auto& [codes, cells, missing, values, n_codes] = t;
    Table table;
    table.reset(shape);
    const auto slots = static_cast<std::size_t>(shape.slots());
    if (cells.shape(0) != codes.shape(0) || cells.shape(1) != slots || missing.shape(0) != slots ||
        (values && values->shape(0) != codes.shape(0)))
        throw Error("the parts of a table differ in length");
    table.codes.assign(codes.data(), codes.data() + codes.shape(0));
    table.cells.assign(cells.data(), cells.data() + cells.size());
    table.missing.assign(missing.data(), missing.data() + slots);
    if (values) table.values.assign(values->data(), values->data() + values->shape(0));
    table.n_codes = n_codes;
    for (const auto code : table.codes)
        if (code == 0 || code > n_codes) throw Error("a code of the table is out of range");
    return table;
}

// Whole numbers of 128 bits, which tables of real targets need, as Python's.
nb::int_ int_of(Wide x) {
    return nb::int_((nb::int_(static_cast<std::int64_t>(x >> 64)) << nb::int_(64)) |
                    nb::int_(static_cast<std::uint64_t>(x)));
}
Wide wide_of(const nb::int_& x) {
    const auto high = nb::cast<std::int64_t>(x >> nb::int_(64));
    const auto low = nb::cast<std::uint64_t>(x & nb::int_(~std::uint64_t{0}));
    return (static_cast<Wide>(high) << 64) | static_cast<Wide>(low);
}

// The test of a node given by its columns' tables: (column, gain, thresholds, jumps, missing).
nb::object choose_from(const std::vector<std::optional<PyTable>>& tables, const PyTarget& target,
                       const nb::dict& settings, const std::optional<nb::int_>& squares,
                       std::optional<Count> weight, std::vector<std::uint32_t> path,
                       std::pair<double, double> bounds, Count unit) {
    const Growth growth = growth_of(settings);
    const Shape shape = target.target.shape();
    if (target.target.real() && !squares) throw Error("a real target's node needs the sum of squares");
    std::vector<std::optional<Table>> made;
    for (const auto& t : tables)
        made.push_back(t ? std::optional<Table>(table_from(*t, shape)) : std::nullopt);
    const Standing standing{
        squares ? wide_of(*squares) : 0, weight, std::move(path), {bounds.first, bounds.second}, unit};
    const auto c = choose_test(made, target.target, growth, standing);
    if (!c) return nb::none();
    const Table& table = *made[static_cast<std::size_t>(c->column)];
    std::vector<Count> all = table.total();
    add(all.data(), table.missing.data(), shape.slots());
    const double gain =
        c->decrease / static_cast<double>(shape.weight(all.data())) / Scales(target.target, 1).square();
    const Test test = test_of(*c, growth.threshold);
    return nb::make_tuple(test.column, std::max(0.0, gain), test.thresholds, test.jumps, test.missing);
}

template <class T>
void bind_route_few(nb::module_& m) {
    m.def(
        "route_few",
        [](const Tree& tree, const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x) {
            std::vector<std::int32_t> leaf(x.shape(0));
            const auto at = [&](std::size_t row, std::size_t column) {
                return static_cast<double>(x.data()[static_cast<std::int64_t>(row) * x.stride(0) +
                                                    static_cast<std::int64_t>(column) * x.stride(1)]);
            };
            route_few(tree, x.shape(1), at, leaf);
            return give(std::move(leaf));
        },
        nb::arg("tree"), nb::arg("x").noconvert(), "The leaves of a few rows of floats, by a plain tree.");
}

}  // namespace

void bind_verbs(nb::module_& m) {
    m.def(
        "grow",
        [](PyFrame& frame, const PyTarget& target, const nb::dict& growth, int n_threads, bool consume,
           bool pack) -> std::variant<Tree, PyPacked> {
            const Growth g = growth_of(growth);
            const Tuning tuning = tuning_of(growth);
            Among how;
            how.pack = pack;
            Grown grown = unlocked([&](const auto& poll) {
                return grow(frame.frame, target.target, g, n_threads, tuning, poll,
                            consume ? &frame.frame : nullptr, how);
            });
            last_refined = std::move(grown.refined);
            if (grown.packed) return PyPacked{std::move(grown.packed)};
            return std::move(grown.tree);
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("n_threads") = 1,
        nb::arg("consume") = false, nb::arg("pack") = false);
    m.def(
        "last_refined_share", [] { return last_refined; },
        "Of the last growth on this thread: (cells, cells refined) by depth.");
    m.def(
        "route",
        [](const Tree& tree, const PyFrame& frame, int n_threads) {
            std::vector<std::int32_t> leaf(frame.frame.n_rows());
            unlocked([&](const auto& poll) {
                Pool pool(frame.frame.n_rows() < 20000 ? 1 : n_threads, poll);
                route(tree, frame.frame, pool, leaf);
            });
            return give(std::move(leaf));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("n_threads") = 1);
    bind_route_few<double>(m);
    bind_route_few<float>(m);
    m.def(
        "mix",
        [](const Tree& tree, const PyFrame& frame, Matrix<double> values, int n_threads) {
            if (values.shape(0) != static_cast<std::size_t>(tree.n_nodes()))
                throw Error("there must be one row of values per node");
            const std::size_t width = values.shape(1);
            std::vector<double> out(frame.frame.n_rows() * width);
            unlocked([&](const auto& poll) {
                Pool pool(frame.frame.n_rows() < 20000 ? 1 : n_threads, poll);
                mix(tree, frame.frame, {values.data(), values.size()}, width, pool, out);
            });
            return give(std::move(out), width);
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("values"), nb::arg("n_threads") = 1);
    m.def(
        "recount",
        [](const Tree& tree, const PyFrame& frame, const PyTarget& target) {
            Recount r = unlocked([&](const auto&) { return recount(tree, frame.frame, target.target); });
            return std::make_pair(give(std::move(r.tally), static_cast<std::size_t>(tree.slots())),
                                  give(std::move(r.count)));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("target"));
    m.def(
        "prune",
        [](const Tree& tree, Vector<bool> cut, std::optional<Vector<std::int32_t>> stand_in) {
            return prune(tree, list<char>(cut),
                         stand_in ? list<std::int32_t>(*stand_in) : std::vector<std::int32_t>{});
        },
        nb::arg("tree"), nb::arg("cut"), nb::arg("stand_in").none() = nb::none());
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
            return std::make_pair(mask(c.cut), give(std::move(c.kept)));
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
                                   frame ? &frame->frame : nullptr, target ? &target->target : nullptr,
                                   n_threads, poll);
            });
            return std::make_tuple(mask(r.cut), give(std::move(r.stand_in)), give(std::move(r.kept)),
                                   give(std::move(r.pruned)));
        },
        nb::arg("tree"), nb::arg("cut"), nb::arg("confidence"), nb::arg("frame").none() = nb::none(),
        nb::arg("target").none() = nb::none(), nb::arg("n_threads") = 1,
        "C4.5's pruning: (nodes to cut, stand-ins, what each subtree and what each leaf or branch costs).");
    m.def(
        "retally",
        [](const Tree& tree, Vector<bool> changed, const PyFrame& frame, const PyTarget& target,
           const nb::dict& growth, int n_threads) {
            const Growth g = growth_of(growth);
            return unlocked([&](const auto& poll) {
                return retally(tree, list<char>(changed), frame.frame, target.target, g, n_threads, poll);
            });
        },
        nb::arg("tree"), nb::arg("changed"), nb::arg("frame"), nb::arg("target"), nb::arg("growth"),
        nb::arg("n_threads") = 1,
        "The tree with all that the changed nodes and those below hold counted again from the rows.");
    m.def(
        "weakest_links",
        [](const Tree& tree, Vector<double> risk) {
            WeakestLinks w = weakest_links(tree, {risk.data(), risk.data() + risk.shape(0)});
            return std::make_tuple(give(std::move(w.alpha)), give(std::move(w.risk)),
                                   give(std::move(w.leaves)), give(std::move(w.cut_at)));
        },
        nb::arg("tree"), nb::arg("risk"));
    m.def(
        "sample_unit",
        [](const PyFrame& frame, const nb::dict& growth) {
            return sample_unit(frame.frame, growth_of(growth));
        },
        nb::arg("frame"), nb::arg("growth"),
        "Fixed-point units of one sample in a growth on these rows: more than 1 if rows are shared out.");
    m.def(
        "tabulate",
        [](const PyFrame& frame, const PyTarget& target, std::uint32_t column,
           std::optional<Vector<std::uint32_t>> rows, Count unit) {
            Table t = table_of(frame.frame, target.target, column, rows_of(frame.frame.n_rows(), rows), unit);
            const auto slots = static_cast<std::size_t>(t.shape.slots());
            return std::make_tuple(give(std::move(t.codes)), give(std::move(t.cells), slots),
                                   give(std::move(t.missing)));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("column"), nb::arg("rows").none() = nb::none(),
        nb::arg("unit") = 1);
    m.def(
        "refine",
        [](const PyFrame& frame, const PyTarget& target, std::uint32_t column, std::uint32_t code,
           std::optional<Vector<std::uint32_t>> rows, Count unit) {
            Table t = fine_table_of(frame.frame, target.target, column, rows_of(frame.frame.n_rows(), rows),
                                    code, unit);
            const auto slots = static_cast<std::size_t>(t.shape.slots());
            return std::make_tuple(give(std::move(t.values)), give(std::move(t.cells), slots));
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("column"), nb::arg("code"),
        nb::arg("rows").none() = nb::none(), nb::arg("unit") = 1);
    m.def(
        "squares",
        [](const PyTarget& target, std::optional<Vector<std::uint32_t>> rows, Count unit) {
            return int_of(squares_of(target.target, rows_of(target.target.n_rows(), rows), unit));
        },
        nb::arg("target"), nb::arg("rows").none() = nb::none(), nb::arg("unit") = 1,
        "The sum of w y^2 over some rows of a real target, in fixed point; sums of parts add up.");
    m.def("choose", &choose_from, nb::arg("tables"), nb::arg("target"), nb::arg("growth"),
          nb::arg("squares").none() = nb::none(), nb::arg("weight").none() = nb::none(),
          nb::arg("path") = std::vector<std::uint32_t>{},
          nb::arg("bounds") = std::make_pair(-std::numeric_limits<double>::infinity(),
                                             std::numeric_limits<double>::infinity()),
          nb::arg("unit") = 1,
          "The test that a growth gives a node whose columns have these tables (codes, tally, missing, "
          "values, n_codes; None: the column takes no part): (column, gain, thresholds, jumps, missing "
          "branch), or None. Of the target only its kind and scales are read. A node that is not the root "
          "has the weight of all rows and the path of branches that leads to it.");
}

}  // namespace bosco::bind
