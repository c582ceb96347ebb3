// Forest: many trees, grown, asked and taken apart.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bind.hpp"
#include "many/bag.hpp"
#include "tree/route.hpp"
#include "wide.hpp"

namespace bosco::bind {

template <class Visit>
void each_field(const Forest&, Visit visit) {
    visit("n_classes", &Forest::n_classes);
    visit("weight_scale", &Forest::weight_scale);
    visit("center", &Forest::center);
    visit("scale", &Forest::scale);
    visit("begin", &Forest::begin);
    visit("tallies", &Forest::tallies);
    visit("tests", &Forest::tests);
    visit("value", &Forest::value);
    visit("gain", &Forest::gain);
}

namespace {

nb::dict forest_state(const Forest& given) {
    const nb::object owner = nb::cast(given.apart());
    const Forest& f = nb::cast<Forest&>(owner);
    std::vector<std::int64_t> slot;  // as whole numbers: a sum's bits may look like any double, NaN included
    std::vector<std::int32_t> first;
    std::vector<std::uint32_t> what;
    for (const Hop& node : f.nodes) {
        slot.push_back(std::bit_cast<std::int64_t>(node.slot));
        first.push_back(node.first);
        what.push_back(node.what);
    }
    nb::dict d = state_of(f, owner);
    d["criterion"] = word_of(f.criterion);
    d["slot"] = give(std::move(slot));
    d["first"] = give(std::move(first));
    d["what"] = give(std::move(what));
    return d;
}

Forest forest_of(const nb::dict& d) {
    Forest f = from_state<Forest>(d);
    f.criterion = criterion_of(d);
    std::vector<std::int64_t> slot;
    std::vector<std::int32_t> first;
    std::vector<std::uint32_t> what;
    fetch(d, "slot", slot);
    fetch(d, "first", first);
    fetch(d, "what", what);
    if (first.size() != slot.size() || what.size() != slot.size())
        throw Error("the arrays of the forest differ in length");
    for (std::size_t i = 0; i < slot.size(); ++i)
        f.nodes.push_back({std::bit_cast<double>(slot[i]), first[i], what[i]});
    f.check();
    f.share();
    return f;
}

nb::object out_of_bag(OutOfBag&& o, std::size_t width) {
    nb::dict d;
    d["sum"] = give(std::move(o.sum), width);
    d["trees"] = give(std::move(o.trees));
    d["tree_score"] = give(std::move(o.tree_score));
    d["curve"] = give(std::move(o.curve));
    return d;
}

OutOfBag bagged_so_far(const nb::dict& d) {
    OutOfBag o;
    Matrix<double> sum;
    if (!nb::try_cast(d["sum"], sum)) throw Error("the out-of-bag sums are not a matrix of numbers");
    o.sum.assign(sum.data(), sum.data() + sum.size());
    fetch(d, "trees", o.trees);
    fetch(d, "tree_score", o.tree_score);
    fetch(d, "curve", o.curve);
    return o;
}

// Throws unless each row of a frame comes once.
void require_permutation(std::span<const std::uint32_t> order, std::size_t n_rows) {
    if (order.size() != n_rows) throw Error("there must be one key per row");
    std::vector<char> met(n_rows, 0);
    for (const auto row : order) {
        if (row >= met.size() || met[row]) throw Error("the order of the rows is not a permutation");
        met[row] = 1;
    }
}

// Which trees are grown, from what samples.
Plan plan_of(const PyFrame& frame, int n_trees, int first, std::optional<std::int64_t> sample, bool replace,
             const std::optional<Vector<std::uint32_t>>& order, double ccp_alpha) {
    Plan plan;
    plan.first = first;
    plan.n_trees = n_trees;
    plan.sampled = sample.has_value();
    plan.sample = static_cast<std::size_t>(sample.value_or(0));
    plan.replace = replace;
    plan.ccp_alpha = ccp_alpha;
    if (order) {
        plan.order = span_of(*order);
        require_permutation(plan.order, frame.frame.n_rows());
    }
    if (sample && (*sample < 1 || (!replace && plan.sample > frame.frame.n_rows())))
        throw Error("a sample must have at least one row, and no more than there are");
    return plan;
}

// Who hears of each tree, if anybody does.
std::function<bool(int)> hearer(const nb::object& grown) {
    if (grown.is_none()) return {};
    return [&grown](int n) {
        nb::gil_scoped_acquire lock;
        return nb::cast<bool>(grown(n));
    };
}

std::vector<Tree> grow_alone(const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
                             int n_trees, int first, std::optional<std::int64_t> sample, bool replace,
                             std::optional<Vector<std::uint32_t>> order, double ccp_alpha, int n_threads,
                             nb::object grown) {
    const Growth g = growth_of(growth);
    const Tuning tuning = tuning_of(growth);
    const Plan plan = plan_of(frame, n_trees, first, sample, replace, order, ccp_alpha);
    const auto hear = hearer(grown);
    return unlocked([&](const auto& poll) {
        return grow_trees(frame.frame, target.target, g, plan, n_threads, tuning, poll, hear);
    });
}

std::pair<Forest, nb::object> grow_on(const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
                                      int n_trees, int first, std::optional<std::int64_t> sample,
                                      bool replace, std::optional<Vector<std::uint32_t>> order, bool bag,
                                      int n_threads, const std::optional<Forest>& onto, nb::object grown,
                                      bool balanced, double ccp_alpha, bool mode, nb::object bagged,
                                      bool keep) {
    const Growth g = growth_of(growth);
    const Tuning tuning = tuning_of(growth);
    Plan plan = plan_of(frame, n_trees, first, sample, replace, order, ccp_alpha);
    plan.balanced = balanced;
    plan.vote = mode ? Vote::mode : Vote::mean;
    Forest forest = onto ? *onto : Forest::like(target.one(), g, balanced);
    OutOfBag o;
    if (!bagged.is_none()) o = bagged_so_far(nb::cast<nb::dict>(bagged));
    const auto hear = hearer(grown);
    try {
        unlocked([&](const auto& poll) {
            grow_forest(frame.frame, target.target, g, plan, n_threads, tuning, poll, hear, forest,
                        bag ? &o : nullptr);
        });
    } catch (nb::python_error& e) {  // whole trees were handed over, in order: they may stay
        if (!keep || forest.n_trees() == 0 || !e.matches(PyExc_KeyboardInterrupt)) throw;
    }
    const auto width = static_cast<std::size_t>(std::max(1, forest.n_classes));
    nb::object figures = bag ? out_of_bag(std::move(o), width) : nb::none();
    return {std::move(forest), std::move(figures)};
}

void require_weights(const Forest& forest, const Vector<double>& weight) {
    if (weight.shape(0) != static_cast<std::size_t>(forest.n_trees()))
        throw Error("there must be one weight per tree");
}

template <class T>
void bind_vote_few(nb::module_& m) {
    m.def(
        "vote_few",
        [](const Forest& forest, const nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>& x,
           const Vector<double>& weight, bool mode) {
            require_weights(forest, weight);
            std::vector<double> out(x.shape(0) * forest.value_width());
            vote_few(forest, x.data(), x.shape(0), x.shape(1), x.stride(0), x.stride(1), span_of(weight),
                     mode ? Vote::mode : Vote::mean, out);
            return give(std::move(out), forest.value_width());
        },
        nb::arg("forest"), nb::arg("x").noconvert(), nb::arg("weight"), nb::arg("mode") = false,
        "`sum_votes` for a few rows of floats, by a forest of binary cuts.");
}

}  // namespace

void bind_forest(nb::module_& m) {
    m.attr("missing_right") = Hop::missing_right;
    m.attr("other_test") = Hop::other_test;
    m.attr("balance_bits") = balance_bits;
    nb::class_<Forest>(m, "Forest", "Many trees, sixteen bytes a node.")
        .def_prop_ro("n_trees", &Forest::n_trees)
        .def_prop_ro(
            "plain", [](const Forest& f) { return f.tests.size() == 0; }, "Are all tests binary cuts?")
        .def_prop_ro("n_nodes", [](const Forest& f) { return f.nodes.size(); })
        .def_prop_ro("n_bytes", &Forest::bytes)
        .def_ro("n_classes", &Forest::n_classes)
        .def_ro("weight_scale", &Forest::weight_scale)
        .def_ro("center", &Forest::center)
        .def_ro("scale", &Forest::scale)
        .def_prop_ro("begin",
                     [](nb::object self) {
                         const std::vector<std::int64_t>& begin = nb::cast<Forest&>(self).begin;
                         return view(begin.data(), begin.size(), self);
                     })
        .def(
            "tree",
            [](const Forest& f, int t) {
                if (t < 0 || t >= f.n_trees()) throw Error("there is no such tree");
                return f.tree(t);
            },
            nb::arg("index"), "One tree in full.")
        .def_static(
            "like",
            [](const PyTarget& target, const nb::dict& growth, bool balanced) {
                return Forest::like(target.one(), growth_of(growth), balanced);
            },
            nb::arg("target"), nb::arg("growth"), nb::arg("balanced"),
            "An empty one, whose trees will be grown on such a target.")
        .def(
            "add",
            [](Forest& f, const Tree& tree, double ccp_alpha) {
                f.add(ccp_alpha > 0 ? pruned(tree, ccp_alpha) : tree);
            },
            nb::arg("tree"), nb::arg("ccp_alpha") = 0.0, "Adds a tree, pruned by cost and complexity.")
        .def("state", &forest_state, "Everything in it, as plain arrays and numbers.");
    bind_vote_few<double>(m);
    bind_vote_few<float>(m);
    m.def("forest_from_state", &forest_of, nb::arg("state"), "A forest from its state, checked throughout.");
    m.def("grow_forest", &grow_on, nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("n_trees"),
          nb::arg("first") = 0, nb::arg("sample").none() = nb::none(), nb::arg("replace") = true,
          nb::arg("order").none() = nb::none(), nb::arg("bag") = false, nb::arg("n_threads") = 1,
          nb::arg("onto").none() = nb::none(), nb::arg("grown").none() = nb::none(),
          nb::arg("balanced") = false, nb::arg("ccp_alpha") = 0.0, nb::arg("mode") = false,
          nb::arg("bagged").none() = nb::none(), nb::arg("keep") = false,
          "Grows trees, each on its own sample: (forest, out-of-bag sums or None).");
    m.def("grow_trees", &grow_alone, nb::arg("frame"), nb::arg("target"), nb::arg("growth"),
          nb::arg("n_trees"), nb::arg("first") = 0, nb::arg("sample").none() = nb::none(),
          nb::arg("replace") = true, nb::arg("order").none() = nb::none(), nb::arg("ccp_alpha") = 0.0,
          nb::arg("n_threads") = 1, nb::arg("grown").none() = nb::none(),
          "Grows the same trees, each in full: of several outputs.");
    m.def(
        "sum_votes",
        [](const Forest& forest, const PyFrame& frame, Vector<double> weight, bool mode, int n_threads) {
            require_weights(forest, weight);
            std::vector<double> out(frame.frame.n_rows() * forest.value_width());
            unlocked([&](const auto& poll) {
                Pool pool(n_threads, poll);
                sum_votes(forest, frame.frame, span_of(weight), mode ? Vote::mode : Vote::mean, pool, out);
            });
            return give(std::move(out), forest.value_width());
        },
        nb::arg("forest"), nb::arg("frame"), nb::arg("weight"), nb::arg("mode") = false,
        nb::arg("n_threads") = 1,
        "Per row, the weighted sum of what the trees' leaves say: class shares, votes, or means.");
    m.def(
        "sample_times",
        [](std::uint64_t seed, std::uint64_t tree, std::uint64_t n_rows, std::uint64_t sample, bool replace,
           std::uint64_t begin, std::uint64_t end) {
            if (n_rows == 0 || begin > end || end > n_rows || (!replace && sample > n_rows))
                throw Error("a sample has some of the places that there are");
            return give(draw_places(sample_key(seed, tree), n_rows, sample, replace, begin, end));
        },
        nb::arg("seed"), nb::arg("tree"), nb::arg("n_rows"), nb::arg("sample"), nb::arg("replace"),
        nb::arg("begin"), nb::arg("end"), "How often a tree's sample has each of the places [begin, end).");
    m.def(
        "balance_factors",
        [](const Vector<Count>& in_class) { return give(balance_factors(list<Count>(in_class))); },
        nb::arg("in_class"), "What the weights of classes are multiplied with, so that all weigh the same.");
    m.def(
        "bag_again",
        [](const Forest& forest, const PyFrame& frame, const PyTarget& target, const nb::dict& growth,
           std::int64_t sample, bool replace, const std::optional<Vector<std::uint32_t>>& order, bool mode) {
            const Growth g = growth_of(growth);
            Plan plan = plan_of(frame, forest.n_trees(), 0, sample, replace, order, 0);
            plan.vote = mode ? Vote::mode : Vote::mean;
            if (frame.frame.n_rows() != target.one().n_rows()) throw Error("frame and target differ in rows");
            OutOfBag o = unlocked([&](const auto& poll) {
                return bag_again(forest, frame.frame, target.target, g, plan, poll);
            });
            return out_of_bag(std::move(o), forest.value_width());
        },
        nb::arg("forest"), nb::arg("frame"), nb::arg("target"), nb::arg("growth"), nb::arg("sample"),
        nb::arg("replace") = true, nb::arg("order").none() = nb::none(), nb::arg("mode") = false,
        "What the trees of a forest say of the rows that their samples, drawn again, leave out.");
    m.def("error_bits", &error_bits, nb::arg("reach"),
          "How much finer than a target, whose largest |y| is given, errors out of the bag are counted.");
    m.def(
        "bag_part",
        [](const Forest& forest, const PyFrame& frame, const PyTarget& target, Count reach,
           std::uint64_t seed, std::uint64_t n_places, std::uint64_t begin, std::uint64_t sample,
           bool replace, bool mode) {
            const std::uint64_t n = frame.frame.n_rows();
            if (n != target.target.n_rows()) throw Error("frame and target differ in rows");
            if (n_places == 0 || begin + n > n_places) throw Error("there are no such places");
            Plan plan;
            plan.sample = sample;
            plan.replace = replace;
            plan.vote = mode ? Vote::mode : Vote::mean;
            const BagPart part = unlocked([&](const auto&) {
                return bag_part(forest, frame.frame, target.one(), reach, plan, seed, n_places, begin);
            });
            const auto plain = [](const std::vector<Figure>& figures) {
                std::vector<std::pair<nb::int_, Count>> made;
                for (const Figure& f : figures) made.emplace_back(int_of(f.sum), f.samples);
                return made;
            };
            return std::make_tuple(plain(part.tree), plain(part.all), part.rows_without, part.samples,
                                   int_of(part.sum), int_of(part.squares));
        },
        nb::arg("forest"), nb::arg("frame"), nb::arg("target"), nb::arg("reach"), nb::arg("seed"),
        nb::arg("n_places"), nb::arg("begin"), nb::arg("sample"), nb::arg("replace"), nb::arg("mode") = false,
        "What trees say of the rows at some places that they have not seen: of every tree (sum, samples), of "
        "all trees up to it; rows without; samples, sum and squares of y of the others.");
}

}  // namespace bosco::bind
