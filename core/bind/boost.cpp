// AdaBoost over native trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "bind.hpp"
#include "many/boost.hpp"
#include "tree/route.hpp"

namespace bosco::bind {
namespace {

const char* word_of(Ended ended) {
    switch (ended) {
        case Ended::perfect: return "perfect";
        case Ended::chance: return "chance";
        case Ended::asked: return "asked";
        default: return "all_done";
    }
}

// What is bound as `Weighing`: with it, the samples of its rows that it looks at.
class PyWeighing : public Weighing {
public:
    PyWeighing(const Vector<double>& share, const std::optional<Vector<Count>>& times, Pool&& pool = Pool(1))
        : Weighing(span_of(share), times ? span_of(*times) : std::span<const Count>{}, pool), times_(times) {}

private:
    std::optional<Vector<Count>> times_;
};

void bind_weighing(nb::module_& m) {
    nb::class_<PyWeighing>(m, "Weighing", "The weights of boosted rows, all of them or a part.")
        .def(
            "__init__",
            [](PyWeighing* self, const Vector<double>& share, const std::optional<Vector<Count>>& times) {
                new (self) PyWeighing(share, times);
            },
            nb::arg("share"), nb::arg("times").none(),
            "`share`: of one sample of each row; `times`: samples of each row, None: one.")
        .def_prop_ro(
            "fixed",
            [](nb::object self) {
                const std::span<const Count> fixed = nb::cast<PyWeighing&>(self).fixed();
                return view(fixed.data(), fixed.size(), self);
            },
            "The whole numbers over 2**boost_bits that the next round counts: a view, which changes.")
        .def(
            "weights",
            [](const PyWeighing& self, const Vector<std::uint32_t>& rows) {
                std::vector<double> out;
                for (const auto row : span_of(rows)) {
                    if (row >= self.n_rows()) throw Error("no such row");
                    out.push_back(self.weight(row));
                }
                return give(std::move(out));
            },
            nb::arg("rows"))
        .def(
            "mark",
            [](PyWeighing& self, const Tree& tree, const PyFrame& frame,
               const Vector<std::uint32_t>& classes) {
                return give(unlocked([&](const auto& poll) {
                    Pool pool(1, poll);
                    std::vector<std::int32_t> leaf(frame.frame.n_rows());
                    route(tree, frame.frame, pool, leaf);
                    return self.mark(tree, leaf, span_of(classes), pool);
                }));
            },
            nb::arg("tree"), nb::arg("frame"), nb::arg("classes"),
            "Marks the rows that a tree has wrong; returns the samples of every node.")
        .def(
            "multiply",
            [](PyWeighing& self, Count right, Count wrong, double times_wrong) {
                Pool pool(1);
                self.multiply(right, wrong, times_wrong, pool);
            },
            nb::arg("right"), nb::arg("wrong"), nb::arg("times_wrong"),
            "Multiplies the weights of rows that are marked, and all so that they sum to 1 again; `right` "
            "and "
            "`wrong` are what all rows weigh.");
    m.attr("boost_bits") = boost_bits;
    m.def(
        "weighed", &weighed, nb::arg("tree"),
        "The weight of the rows that a tree has right, and of those it has wrong, by what its leaves hold.");
}

}  // namespace

void bind_boost(nb::module_& m) {
    bind_weighing(m);
    m.def(
        "boost",
        [](PyFrame& frame, Vector<std::uint32_t> classes, int n_classes, const nb::dict& growth,
           Vector<double> share, std::optional<Vector<Count>> times, int n_rounds, double learning_rate,
           std::optional<Vector<std::uint32_t>> watched, bool count_samples, int n_threads, nb::object heard,
           bool consume) {
            const Growth g = growth_of(growth);
            const Tuning tuning = tuning_of(growth);
            BoostPlan plan;
            plan.n_rounds = n_rounds;
            plan.learning_rate = learning_rate;
            plan.share = span_of(share);
            if (times) plan.times = span_of(*times);
            if (watched) plan.watched = span_of(*watched);
            plan.count_samples = count_samples;
            for (const auto row : plan.watched)
                if (row >= classes.shape(0)) throw Error("a watched row does not exist");
            for (std::size_t i = 0; i < classes.shape(0); ++i)
                if (classes.data()[i] >= static_cast<std::uint32_t>(n_classes))
                    throw Error("a class is out of range");
            std::function<bool(const BoostRound&)> hear;
            if (!heard.is_none())
                hear = [&heard](const BoostRound& round) {
                    nb::gil_scoped_acquire lock;
                    return nb::cast<bool>(heard(Tree(round.tree), round.error, round.log_odds));
                };
            Boosted boosted = unlocked([&](const auto& poll) {
                return boost(frame.frame, span_of(classes), n_classes, g, plan, n_threads, tuning, poll, hear,
                             consume ? &frame.frame : nullptr);
            });
            nb::list trees;
            std::vector<double> error, log_odds, weights;
            for (BoostRound& round : boosted.rounds) {
                trees.append(nb::cast(std::move(round.tree)));
                error.push_back(round.error);
                log_odds.push_back(round.log_odds);
                weights.insert(weights.end(), round.watched.begin(), round.watched.end());
            }
            nb::dict d;
            d["trees"] = trees;
            d["error"] = give(std::move(error));
            d["log_odds"] = give(std::move(log_odds));
            d["weights"] = give(std::move(weights), plan.watched.size());
            d["ended"] = word_of(boosted.ended);
            d["last_error"] = boosted.last_error;
            return d;
        },
        nb::arg("frame"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("growth"), nb::arg("share"),
        nb::arg("times").none(), nb::arg("n_rounds"), nb::arg("learning_rate") = 1.0,
        nb::arg("watched").none() = nb::none(), nb::arg("count_samples") = false, nb::arg("n_threads") = 1,
        nb::arg("heard").none() = nb::none(), nb::arg("consume") = false,
        "AdaBoost with trees as weak learners: trees, weighted errors, log-odds, noted weights.");
    m.def(
        "vote",
        [](double right, double wrong, int n_classes, double learning_rate) {
            const auto v = vote(right, wrong, n_classes, learning_rate);
            return v ? std::optional(std::make_pair(v->log_odds, v->times)) : std::nullopt;
        },
        nb::arg("right"), nb::arg("wrong"), nb::arg("n_classes"), nb::arg("learning_rate"),
        "What a learner's vote counts: (log-odds, what wrong rows are multiplied with); None: mere chance.");
}

}  // namespace bosco::bind
