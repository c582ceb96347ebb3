// Contributions of columns to predictions.
#include <nanobind/stl/pair.h>

#include <numeric>

#include "bind.hpp"
#include "many/forest.hpp"
#include "tree/shap.hpp"

namespace bosco::bind {

void bind_shap(nb::module_& m) {
    m.def(
        "contributions",
        [](const Tree& tree, const PyFrame& frame, Matrix<double> values, int n_threads) {
            if (values.shape(0) != static_cast<std::size_t>(tree.n_nodes()))
                throw Error("there must be one row of values per node");
            const std::size_t width = values.shape(1);
            std::vector<double> out(frame.frame.n_rows() * frame.frame.n_columns() * width, 0.0),
                base(width, 0.0);
            unlocked([&](const auto& poll) {
                Pool pool(n_threads, poll);
                add_contributions(tree, frame.frame, {values.data(), values.size()}, width, 1.0, pool, out,
                                  base);
            });
            return std::make_pair(give(std::move(out), width), give(std::move(base)));
        },
        nb::arg("tree"), nb::arg("frame"), nb::arg("values"), nb::arg("n_threads") = 1,
        "Per row and column (flattened) what the column added to the row's value, and the base.");
    m.def(
        "forest_contributions",
        [](const Forest& forest, const PyFrame& frame, Vector<double> weight, int n_threads) {
            if (weight.shape(0) != static_cast<std::size_t>(forest.n_trees()))
                throw Error("there must be one weight per tree");
            // Of two classes what one gains the other loses.
            const bool two = forest.n_classes == 2;
            const std::size_t width = forest.value_width(), counted = two ? 1 : width;
            const std::size_t cells = frame.frame.n_rows() * frame.frame.n_columns();
            std::vector<double> sum(cells * counted, 0.0), mean(counted, 0.0);
            unlocked([&](const auto& poll) {
                Pool pool(n_threads, poll);
                for (int t = 0; t < forest.n_trees(); ++t) {
                    const Tree tree = forest.tree(t);
                    std::vector<double> values = tree.value;
                    if (two)
                        for (std::size_t i = 0; i < tree.test.size(); ++i) values[i] = tree.value[2 * i + 1];
                    add_contributions(tree, frame.frame, values, counted, weight.data()[t], pool, sum, mean);
                }
            });
            if (!two) return std::make_pair(give(std::move(sum), width), give(std::move(mean)));
            std::vector<double> out(cells * 2),
                base{std::accumulate(weight.data(), weight.data() + weight.shape(0), 0.0) - mean[0], mean[0]};
            for (std::size_t i = 0; i < cells; ++i) out[2 * i] = -sum[i], out[2 * i + 1] = sum[i];
            return std::make_pair(give(std::move(out), width), give(std::move(base)));
        },
        nb::arg("forest"), nb::arg("frame"), nb::arg("weight"), nb::arg("n_threads") = 1,
        "The same of many trees, weighted and summed.");
}

}  // namespace bosco::bind
