// The verbs: verbs.hpp says which there are. Over 400 lines, so that all of them stand in one place.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "bind.hpp"
#include "grow/sprout.hpp"
#include "grow/verbs.hpp"
#include "tree/census.hpp"
#include "tree/recount.hpp"
#include "tree/route.hpp"
#include "wide.hpp"

namespace bosco::bind {
namespace {

// A table from Python: codes, tallies, missing tally, values or None, number of codes.
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

// A growth begins at all rows of the root, or at these rows of a node.
struct Begin {
    std::optional<Sample> sample;
    Standing standing;
};
Begin begin_of(const std::optional<Vector<std::uint32_t>>& rows,
               const std::optional<Vector<std::uint32_t>>& share, std::vector<std::uint32_t> path,
               std::optional<Count> weight, std::pair<double, double> bounds,
               const std::optional<Vector<bool>>& banned, Asked asked = {}) {
    Begin begin{{}, {std::move(path), weight, {bounds.first, bounds.second}, {}, {}, std::move(asked)}};
    if (rows) begin.sample = Sample{list<std::uint32_t>(*rows), {}};
    if (share) {
        if (!rows || share->shape(0) != rows->shape(0)) throw Error("there must be one share per row");
        begin.sample->times = list<std::uint32_t>(*share);
        for (const auto part : begin.sample->times)
            if (part == 0 || part > 1u << share_bits) throw Error("a share is more than 0, at most 2^24");
        begin.sample->shares = true;
    }
    if (banned) begin.standing.banned = list<char>(*banned);
    return begin;
}
void require_ascending(std::span<const std::uint32_t> rows, std::size_t n_rows) {
    std::int64_t last = -1;
    for (const std::uint32_t row : rows) {
        if (row >= n_rows) throw Error("no such row");
        if (row <= last) throw Error("rows must ascend, each once");
        last = row;
    }
}
// Rows and columns must be of this frame.
void check(const std::optional<Sample>& sample, const Standing& at, const Frame& frame) {
    if (!at.banned.empty() && at.banned.size() != frame.n_columns())
        throw Error("there must be one banned mark per column");
    if (sample) require_ascending(sample->rows, frame.n_rows());
}

// Rows by their numbers, ascending; none, where none are named.
std::span<const std::uint32_t> named(const std::optional<Vector<std::uint32_t>>& rows, const Frame& frame) {
    if (!rows) return {};
    require_ascending(span_of(*rows), frame.n_rows());
    return span_of(*rows);
}

constexpr double infinity = std::numeric_limits<double>::infinity();

// What is bound as `Rows`: a part, and what it looks at.
class PyPart : public Part {
public:
    PyPart(const PyFrame& frame, const PyTarget& target, Count unit, const Begin& begin)
        : Part(frame.frame, target.one(), unit, begin.sample ? &*begin.sample : nullptr),
          slots_(static_cast<std::size_t>(target.target.shape().slots())) {}
    std::size_t slots() const { return slots_; }

private:
    std::size_t slots_;
};

// A look at a coarse column of a node.
struct PyLook {
    const Open* open;
    Look look;
};

void bind_tests(nb::module_& m) {
    nb::class_<Test>(m, "Test", "One test: a cut by thresholds, or a map of codes to branches.")
        .def_ro("column", &Test::column)
        .def_ro("branches", &Test::branches)
        .def_ro("missing", &Test::missing, "The branch of missing values; -1: all, by their shares.")
        .def_ro("flip", &Test::flip)
        .def_ro("thresholds", &Test::thresholds)
        .def_ro("jumps", &Test::jumps)
        .def("__getstate__",
             [](const Test& t) {
                 return std::make_tuple(static_cast<int>(t.kind), t.column, t.branches, t.missing, t.flip,
                                        t.thresholds, t.jumps);
             })
        .def("__setstate__",
             [](Test& self, const std::tuple<int, std::int32_t, std::int32_t, std::int32_t, bool,
                                             std::vector<double>, std::vector<std::uint32_t>>& state) {
                 const auto& [kind, column, branches, missing, flip, thresholds, jumps] = state;
                 Test made{static_cast<TestKind>(kind), column, branches, missing, flip, thresholds, jumps};
                 if (const char* flaw = TestView(made).flaw()) throw Error(flaw);
                 new (&self) Test(std::move(made));
             });
    nb::class_<Candidate>(m, "Candidate", "A column's best test at a node, with what it gains.")
        .def_ro("column", &Candidate::column)
        .def_ro("found", &Candidate::found)
        .def_ro("decrease", &Candidate::decrease, "Of the impurity, times the weight, in fixed point.")
        .def_ro("penalty", &Candidate::penalty)
        .def_ro("branches", &Candidate::branches)
        .def_ro("missing", &Candidate::missing, "The branch of missing values; -1: all, by their shares.")
        .def_ro("split_info", &Candidate::split_info)
        .def_prop_ro(
            "edge",
            [](const Candidate& c) -> std::optional<std::pair<std::uint32_t, std::uint32_t>> {
                if (!c.at_edge) return {};
                return c.edge_codes;
            },
            "The codes between which a cut lies whose values are still to be looked up (`locate`).")
        .def("net", &Candidate::net, nb::arg("weight"))
        .def(
            "locate",
            [](Candidate& c, double low, double high) {
                c.gaps = {{low, high}};
                c.at_edge = false;
            },
            nb::arg("low"), nb::arg("high"));
}

void bind_part(nb::module_& m) {
    nb::class_<PyPart>(m, "Rows", "A part of the rows of a growing tree, kept together node by node.")
        .def(
            "__init__",
            [](PyPart* self, const PyFrame& frame, const PyTarget& target, Count unit,
               const std::optional<Vector<std::uint32_t>>& rows,
               const std::optional<Vector<std::uint32_t>>& times) {
                if (!frame.frame.encoded()) throw Error("the frame must be encoded first");
                if (frame.frame.n_rows() != target.target.n_rows())
                    throw Error("frame and target differ in rows");
                Begin begin = begin_of(rows, {}, {}, {}, {0, 0}, {});
                check(begin.sample, begin.standing, frame.frame);
                if (times) {
                    if (!rows || times->shape(0) != rows->shape(0))
                        throw Error("it must be said of each row how often it comes");
                    begin.sample->times = list<std::uint32_t>(*times);
                }
                new (self) PyPart(frame, target, unit, begin);
            },
            nb::arg("frame"), nb::arg("target"), nb::arg("unit") = 1, nb::arg("rows").none() = nb::none(),
            nb::arg("times").none() = nb::none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "hold",
            [](PyPart& self, std::int32_t node) {
                Holding h = self.hold(node);
                return std::make_pair(give(std::move(h.tally)), int_of(h.squares));
            },
            nb::arg("node"), "What a node holds: its tally, and the sum of w y^2 of a real target.")
        .def(
            "tabulate",
            [](PyPart& self, const std::vector<std::int32_t>& nodes) {
                std::vector<Count> cells;
                std::vector<double> squares;
                unlocked([&](const auto&) {
                    for (const auto node : nodes) self.tabulate(node, cells, squares);
                });
                return std::make_pair(give(std::move(cells), self.slots()), give(std::move(squares)));
            },
            nb::arg("nodes"),
            "The histograms of some nodes: for each the cells of all codes of all columns, "
            "from code 0 (missing) on; and the sums of squares of a real target.")
        .def(
            "refine",
            [](PyPart& self, std::int32_t node, const std::vector<std::uint32_t>& columns,
               const std::vector<std::vector<std::uint32_t>>& codes) {
                if (columns.size() != codes.size()) throw Error("there must be codes for each column");
                std::vector<Wanted> wanted(codes.size(), Wanted(256, 0));
                for (std::size_t k = 0; k < codes.size(); ++k)
                    for (const auto code : codes[k]) wanted[k].at(code) = 1;
                std::vector<FineTable> fine;
                unlocked([&](const auto&) { fine = self.refine(node, columns, wanted); });
                const auto table = [&](FineTable& f) {
                    return std::make_tuple(give(std::move(f.table.values)), give(std::move(f.bin)),
                                           give(std::move(f.table.cells), self.slots()));
                };
                std::vector<decltype(table(fine[0]))> made;
                for (FineTable& f : fine) made.push_back(table(f));
                return made;
            },
            nb::arg("node"), nb::arg("columns"), nb::arg("codes"),
            "The fine tables of some codes of each of some coarse columns: values, their codes, cells.")
        .def(
            "propose",
            [](PyPart& self, std::int32_t node, const Open& open, const Vector<double>& numbers) {
                return open.propose(self.table_of(node, span_of(numbers)), 0, true);
            },
            nb::arg("node"), nb::arg("open"), nb::arg("numbers"),
            "The best test of a node on numbers that are no column: one for each row of the frame, NaN is "
            "missing.")
        .def("near", &PyPart::near, nb::arg("node"), nb::arg("column"), nb::arg("low"), nb::arg("high"),
             "The largest value with one code, and the smallest with another.")
        .def(
            "ends",
            [](PyPart& self, std::int32_t node,
               const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>& asked) {
                std::vector<Ends> all;
                for (const auto& [column, low, high] : asked) all.push_back({column, low, high});
                std::vector<double> found;
                for (const auto& [low, high] : self.ends(node, all)) found.insert(found.end(), {low, high});
                return give(std::move(found), 2);
            },
            nb::arg("node"), nb::arg("asked"),
            "For some (column, low, high) the least value with code low and the largest with code high.")
        .def(
            "up_to",
            [](PyPart& self, std::int32_t node,
               const std::vector<std::tuple<std::uint32_t, std::uint32_t, double>>& asked) {
                std::vector<UpTo> all;
                for (const auto& [column, code, threshold] : asked) all.push_back({column, code, threshold});
                return give(self.up_to(node, all), self.slots());
            },
            nb::arg("node"), nb::arg("asked"),
            "For some (column, code, threshold) the tally of what has the code and lies not above.")
        .def(
            "branches_by",
            [](PyPart& self, std::int32_t node, const Test& test, std::uint32_t column) {
                Table t = self.branches_by(node, test, column);
                return std::make_tuple(give(std::move(t.codes)), give(std::move(t.cells), 2),
                                       give(std::move(t.values)), t.n_codes);
            },
            nb::arg("node"), nb::arg("test"), nb::arg("column"),
            "The weight that a binary test sends either way, by value of another column: codes, cells, "
            "values (of ordered columns), number of codes.")
        .def(
            "numbers",
            [](PyPart& self, std::int32_t node) {
                auto [rows, shares] = self.numbers(node);
                return std::make_pair(give(std::move(rows)), give(std::move(shares)));
            },
            nb::arg("node"),
            "The rows of a node by number, ascending, and their shares of 2^-24 (empty: all).")
        .def_prop_ro("shares", &PyPart::shares, "Whether rows may be shared out to several branches.")
        .def("known", &PyPart::known, nb::arg("node"), nb::arg("test"),
             "The weight that a test sends to each branch by a value of its own.")
        .def("split", &PyPart::split, nb::arg("node"), nb::arg("test"), nb::arg("surrogates"),
             nb::arg("first"), nb::arg("known"),
             "Sends the rows of a node to its branches: nodes first, first + 1, ...");
}

void bind_nodes(nb::module_& m) {
    nb::class_<Task>(m, "Task", "What all nodes of one tree share.")
        .def(
            "__init__",
            [](Task* self, const nb::dict& growth, const PyTarget& like, Count unit, Count weight) {
                new (self) Task(growth_of(growth), like.one(), unit, weight);
            },
            nb::arg("growth"), nb::arg("target"), nb::arg("unit"), nb::arg("weight"))
        .def(
            "gain",
            [](const Task& self, double decrease, Count weight) {
                return std::max(0.0, decrease) / static_cast<double>(weight) / self.scales.measure;
            },
            nb::arg("decrease"), nb::arg("weight"))
        .def_prop_ro(
            "measure", [](const Task& self) { return self.scales.measure; },
            "What an impurity is multiplied with in fixed point; 1 of classes.")
        .def(
            "test", [](const Task& self, const Candidate& c) { return test_of(c, self.growth.threshold); },
            nb::arg("candidate"))
        .def(
            "imitate",
            [](const Task& self, const std::vector<std::optional<PyTable>>& tables, const Test& test) {
                if (test.branches != 2 || test.missing < 0)
                    throw Error("only tests of two branches have stand-ins");
                std::vector<Table> made;
                for (const auto& t : tables) made.push_back(t ? table_from(*t, {2, false}) : Table{});
                return imitate(made, test, self.growth.threshold);
            },
            nb::arg("tables"), nb::arg("test"), "Stand-ins for a test, by the tables of `Rows.branches_by`.");
    nb::class_<Open>(m, "Node", "A node to be split: all that choosing its test must know.")
        .def(
            "__init__",
            [](Open* self, const Task& task, const Vector<Count>& tally, const nb::int_& squares,
               std::vector<std::uint32_t> path, std::pair<double, double> bounds, Asked asked) {
                if (tally.shape(0) != static_cast<std::size_t>(task.scales.shape.slots()))
                    throw Error("the tally does not fit the target");
                new (self)
                    Open(task, list<Count>(tally), wide_of(squares),
                         {std::move(path), {}, {bounds.first, bounds.second}, {}, {}, std::move(asked)});
            },
            nb::arg("task"), nb::arg("tally"), nb::arg("squares"), nb::arg("path"),
            nb::arg("bounds") = std::make_pair(-infinity, infinity), nb::arg("asked") = Asked{},
            nb::keep_alive<1, 2>(),
            "`asked`: the columns asked on the way, each with the weight of the node that asked, for prices.")
        .def_prop_ro("leaf", &Open::leaf, "Whether it stays a leaf, whatever the columns are.")
        .def_prop_ro("impurity", &Open::impurity)
        .def(
            "columns",
            [](const Open& self, const Vector<bool>& takes_part, const Vector<bool>& varies) {
                return self.columns(list<char>(takes_part), list<char>(varies));
            },
            nb::arg("takes_part"), nb::arg("varies"), "The columns it looks at: all, or those it draws.")
        .def(
            "propose",
            [](const Open& self, std::uint32_t column, const PyTable& table) {
                const Table t = table_from(table, self.task().scales.shape);
                return self.propose(t, column, !t.values.empty());
            },
            nb::arg("column"), nb::arg("table"), "The best test of a column whose table is given finely.")
        .def("draw", &Open::draw, nb::arg("column"), nb::arg("low"), nb::arg("high"),
             "The random cut of a column between the least and the largest of its values.")
        .def(
            "look",
            [](const Open& self, std::uint32_t column, const PyTable& table, const Vector<double>& squares) {
                PyLook made{&self, {}};
                made.look.table = table_from(table, self.task().scales.shape);
                self.require_column(column);
                if (made.look.table.n_codes > 255) throw Error("a coarse column has at most 255 codes");
                made.look.squares = list<double>(squares);
                made.look.squares.resize(made.look.table.codes.size(), 0.0);
                made.look.between(self.node(), self.task().growth, column);
                return made;
            },
            nb::arg("column"), nb::arg("table"), nb::arg("squares"), nb::keep_alive<0, 1>(),
            "A look at the bins of a coarse column, of which there are two or more.")
        .def(
            "choose",
            [](const Open& self, const std::vector<Candidate>& candidates) -> std::optional<int> {
                const int best = self.choose(candidates);
                if (best < 0) return {};
                return best;
            },
            nb::arg("candidates"), "The place of the winner; None: the node is a leaf.")
        .def(
            "weigh",
            [](const Open& self, const PyTable& table, const Test& test) {
                Weighed made = self.weigh(table_from(table, self.task().scales.shape), test);
                return std::make_tuple(made.figures, give(std::move(made.branches), self.tally().size()),
                                       made.allowed);
            },
            nb::arg("table"), nb::arg("test"),
            "A test at the node, given the table of its column: figures, tallies of branches, allowed.")
        .def(
            "curve",
            [](const Open& self, std::uint32_t column, const PyTable& table, std::size_t most) {
                Curve made = self.curve(table_from(table, self.task().scales.shape), column, most);
                std::vector<double> cuts;
                for (std::size_t i = 0; i < made.low.size(); ++i)
                    cuts.push_back(
                        threshold_between(made.low[i], made.high[i], self.task().growth.threshold));
                return std::make_tuple(give(std::move(made.low)), give(std::move(made.high)),
                                       give(std::move(cuts)), give(std::move(made.decrease)),
                                       give(std::move(made.split_info)), give(std::move(made.allowed)),
                                       give(std::move(made.missing_left)),
                                       give(std::move(made.left), self.tally().size()));
            },
            nb::arg("column"), nb::arg("table"), nb::arg("most") = 0,
            "Every cut of an ordered column, or of more than `most` the best of each stretch: low, high, "
            "threshold, decrease, split information, allowed, "
            "whether missing rows go left, tallies of the left.")
        .def(
            "bounds",
            [](const Open& self, std::uint32_t column, const Vector<Count>& left,
               const Vector<Count>& right) {
                const std::size_t slots = self.tally().size();
                if (left.shape(0) != slots || right.shape(0) != slots)
                    throw Error("the tallies do not fit the target");
                const auto [a, b] = self.bounds(column, left.data(), right.data());
                return std::make_pair(std::make_pair(a.low, a.high), std::make_pair(b.low, b.high));
            },
            nb::arg("column"), nb::arg("left"), nb::arg("right"), "The monotone bounds of two branches.");
    nb::class_<PyLook>(m, "Look", "The best cut of a coarse column, looked for twice.")
        .def_prop_ro("decrease", [](const PyLook& self) { return self.look.decrease(); })
        .def(
            "mark",
            [](PyLook& self, double floor, bool weighted) {
                self.look.mark(self.open->node(), self.open->task().growth, floor, weighted);
                std::vector<std::uint32_t> codes;
                for (std::uint32_t code = 0; code < 256; ++code)
                    if (self.look.wanted()[code]) codes.push_back(code);
                return codes;
            },
            nb::arg("floor"), nb::arg("weighted"), "The codes that may hold a cut as good as `floor`.")
        .def(
            "into",
            [](PyLook& self, const Vector<double>& values, const Vector<std::uint32_t>& bins,
               const Matrix<Count>& cells) {
                FineTable fine;
                fine.table.reset(self.look.table.shape);
                fine.table.missing = self.look.table.missing;
                if (values.shape(0) != bins.shape(0) || cells.shape(0) != bins.shape(0) ||
                    cells.shape(1) != static_cast<std::size_t>(fine.table.shape.slots()))
                    throw Error("the parts of a table differ in length");
                fine.table.values = list<double>(values);
                fine.bin = list<std::uint32_t>(bins);
                fine.table.cells.assign(cells.data(), cells.data() + cells.size());
                for (std::uint32_t i = 0; i < bins.shape(0); ++i) fine.table.codes.push_back(i + 1);
                fine.table.n_codes = static_cast<std::uint32_t>(bins.shape(0));
                self.look.into(self.open->node(), self.open->task().growth, fine);
            },
            nb::arg("values"), nb::arg("codes"), nb::arg("cells"))
        .def("settle", [](const PyLook& self) {
            return self.look.settle(self.open->node(), self.open->task().growth);
        });
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

void bind_grow(nb::module_& m) {
    m.def(
        "grow",
        [](PyFrame& frame, const PyTarget& target, const nb::dict& growth, int n_threads, bool consume,
           bool pack, const std::optional<Vector<std::uint32_t>>& rows,
           const std::optional<Vector<std::uint32_t>>& share, std::vector<std::uint32_t> path,
           std::optional<Count> weight, std::pair<double, double> bounds,
           const std::optional<Vector<bool>>& banned, std::optional<Count> unit,
           Asked asked) -> std::variant<Tree, PyPacked> {
            const Growth g = growth_of(growth);
            const Tuning tuning = tuning_of(growth);
            Begin begin = begin_of(rows, share, std::move(path), weight, bounds, banned, std::move(asked));
            check(begin.sample, begin.standing, frame.frame);
            const Count needed = sample_unit(frame.frame, g);
            if (unit && *unit != needed &&
                (*unit != Count{1} << share_bits || g.missing != Missing::fractional))
                throw Error("these rows cannot have such a unit");
            begin.standing.unit = unit;
            Among how;
            how.pack = pack;
            how.sample = begin.sample ? &*begin.sample : nullptr;
            how.at = std::move(begin.standing);
            Grown grown = unlocked([&](const auto& poll) {
                return grow(frame.frame, target.target, g, n_threads, tuning, poll,
                            consume ? &frame.frame : nullptr, how);
            });
            if (grown.packed) return PyPacked{std::move(grown.packed)};
            return std::move(grown.tree);
        },
        nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("n_threads") = 1,
        nb::arg("consume") = false, nb::arg("pack") = false, nb::arg("rows").none() = nb::none(),
        nb::arg("share").none() = nb::none(), nb::arg("path") = std::vector<std::uint32_t>{},
        nb::arg("weight").none() = nb::none(), nb::arg("bounds") = std::make_pair(-infinity, infinity),
        nb::arg("banned").none() = nb::none(), nb::arg("unit").none() = nb::none(),
        nb::arg("asked") = Asked{},
        "Grow a tree: from the root on all rows, or from a node on some (ascending; with their shares of "
        "2^-24), given the branches that lead to it, the weight of all rows of the tree, its monotone "
        "bounds, the columns that take no part, the fixed-point units of a sample in the tree, and the "
        "columns asked on the way.");
}

}  // namespace

void bind_verbs(nb::module_& m) {
    bind_tests(m);
    bind_part(m);
    bind_nodes(m);
    bind_grow(m);
    m.def(
        "route",
        [](const Tree& tree, const PyFrame& frame, int n_threads,
           const std::optional<Vector<std::uint32_t>>& rows) {
            const auto some = named(rows, frame.frame);
            std::vector<std::int32_t> leaf(rows ? some.size() : frame.frame.n_rows());
            unlocked([&](const auto& poll) {
                Pool pool(leaf.size() < 20000 ? 1 : n_threads, poll);
                if (!leaf.empty()) route(tree, frame.frame, pool, leaf, some);
            });
            return give(std::move(leaf));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("n_threads") = 1, nb::arg("rows").none() = nb::none(),
        "The leaf of every row, or of some (ascending).");
    bind_route_few<double>(m);
    bind_route_few<float>(m);
    m.def(
        "values_by_share",
        [](const Tree& tree, const PyFrame& frame, Matrix<double> values, int n_threads) {
            if (values.shape(0) != static_cast<std::size_t>(tree.n_nodes()))
                throw Error("there must be one row of values per node");
            const std::size_t width = values.shape(1);
            std::vector<double> out(frame.frame.n_rows() * width);
            unlocked([&](const auto& poll) {
                Pool pool(frame.frame.n_rows() < 20000 ? 1 : n_threads, poll);
                values_by_share(tree, frame.frame, {values.data(), values.size()}, width, pool, out);
            });
            return give(std::move(out), width);
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("values"), nb::arg("n_threads") = 1);
    m.def(
        "tallies",
        [](const Tree& tree, const PyFrame& frame, const PyTarget& target, bool shared) {
            Tallies r =
                unlocked([&](const auto&) { return tallies(tree, frame.frame, target.one(), shared); });
            return std::make_pair(give(std::move(r.tally), static_cast<std::size_t>(tree.slots())),
                                  give(std::move(r.count)));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("target"), nb::arg("shared") = true,
        "Tallies and counts of any rows at every node.");
    m.def(
        "recount",
        [](const Tree& tree, const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
           const std::optional<Vector<bool>>& changed, int n_threads,
           const std::optional<Vector<std::uint32_t>>& rows) {
            const Growth g = growth_of(growth);
            const std::vector<char> mask = changed ? list<char>(*changed) : std::vector<char>{};
            const auto some = named(rows, frame.frame);
            if (rows && some.empty()) throw Error("there are no rows");
            return unlocked([&](const auto& poll) {
                return recount(tree, mask, frame.frame, target.one(), g, n_threads, poll, some);
            });
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("target"), nb::arg("growth"),
        nb::arg("changed").none() = nb::none(), nb::arg("n_threads") = 1, nb::arg("rows").none() = nb::none(),
        "The tree with all that its nodes hold counted again from rows (all, or some, ascending), or only "
        "what the changed nodes and those below them hold.");
    m.def(
        "census",
        [](const std::variant<const Tree*, const PyPacked*>& tree, const PyFrame& frame,
           Vector<std::uint32_t> classes, int n_classes, std::optional<Vector<Count>> times,
           std::optional<Vector<Count>> weight, bool shared, int n_threads) {
            for (const auto c : span_of(classes))
                if (c >= static_cast<std::uint32_t>(n_classes)) throw Error("a class code is out of range");
            Counted counted{span_of(classes), n_classes, {}, {}};
            if (times) counted.times = span_of(*times);
            if (weight) counted.weight = span_of(*weight);
            Census c = unlocked([&](const auto& poll) {
                Pool pool(frame.frame.n_rows() < 20000 ? 1 : n_threads, poll);
                if (const auto* packed = std::get_if<const PyPacked*>(&tree))
                    return census(*(*packed)->tree, frame.frame, counted, pool);
                return census(*std::get<const Tree*>(tree), frame.frame, counted, shared, pool);
            });
            std::vector<std::uint64_t> squares;  // the lower and the higher half of each
            for (const Wide s : c.squares) {
                squares.push_back(static_cast<std::uint64_t>(s));
                squares.push_back(static_cast<std::uint64_t>(s >> 64));
            }
            return std::make_tuple(give(std::move(c.rows), static_cast<std::size_t>(n_classes)),
                                   give(std::move(c.weight)), give(std::move(squares), 2));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("times").none(),
        nb::arg("weight").none(), nb::arg("shared"), nb::arg("n_threads") = 1,
        "Of every node: its rows by class, the sum of their weights and that of their squares, in two "
        "halves.");
    m.def(
        "effective_rows",
        [](const Vector<Count>& weight, const Matrix<std::uint64_t>& squares, Count whole) {
            if (squares.shape(0) != weight.shape(0) || squares.shape(1) != 2)
                throw Error("there must be two halves per weight");
            std::vector<double> out;
            for (std::size_t i = 0; i < weight.shape(0); ++i)
                out.push_back(effective_rows(
                    weight.data()[i],
                    static_cast<Wide>(static_cast<unsigned __int128>(squares.data()[2 * i + 1]) << 64 |
                                      squares.data()[2 * i]),
                    whole));
            return give(std::move(out));
        },
        nb::arg("weight"), nb::arg("squares"), nb::arg("whole") = 1,
        "How many rows of equal weight would say as much as those of each node.");
    m.def(
        "prune",
        [](const Tree& tree, Vector<bool> cut, std::optional<Vector<std::int32_t>> stand_in) {
            return prune(tree, list<char>(cut),
                         stand_in ? list<std::int32_t>(*stand_in) : std::vector<std::int32_t>{});
        },
        nb::arg("tree"), nb::arg("cut"), nb::arg("stand_in").none() = nb::none());
    m.def(
        "graft",
        [](const Tree& tree, const std::vector<std::int32_t>& nodes, const std::vector<const Tree*>& below,
           const nb::dict& growth) { return graft(tree, nodes, below, growth_of(growth).order); },
        nb::arg("tree"), nb::arg("nodes"), nb::arg("below"), nb::arg("growth"),
        "The tree in which some nodes and all below them are other trees, numbered as a growth would.");
    m.def(
        "give_back", [] { unlocked([](const auto&) { give_back(); }); },
        "Gives memory that was freed back to the system, where malloc keeps it for later.");
    m.def(
        "sample_unit",
        [](const PyFrame& frame, const nb::dict& growth) {
            return sample_unit(frame.frame, growth_of(growth));
        },
        nb::arg("frame"), nb::arg("growth"),
        "Fixed-point units of one sample in a growth on these rows: more than 1 if rows are shared out.");
}

}  // namespace bosco::bind
