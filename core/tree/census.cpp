#include "tree/census.hpp"

#include <algorithm>
#include <utility>

#include "tree/route.hpp"
#include "tree/walk.hpp"

namespace bosco {
namespace {

// Calls add(row, leaf, share) for all leaves that rows come to. Shares of a row add up to `whole`.
template <class Add>
void each_share(const Tree& tree, const Frame& frame, Count whole, const Add& add) {
    const auto deal = [](Count share, std::span<const Count> weights, const auto& put) {
        deal_out(share, weights, put);
    };
    Walker(tree, frame).each_leaf(0, frame.n_rows(), whole, deal, add);
}

Count whole_of(const Tree& tree, bool shared) { return shared ? static_cast<Count>(tree.count_scale) : 1; }

class Counter {
public:
    Counter(std::size_t n_nodes, const Frame& frame, const Counted& counted) : counted_(counted) {
        const std::size_t n = frame.n_rows();
        const auto fits = [n](std::span<const Count> a) { return a.empty() || a.size() == n; };
        if (counted.classes.size() != n || !fits(counted.times) || !fits(counted.weight))
            throw Error("frame and counted rows differ in number");
        rows_.assign(n_nodes * width(), 0);
        if (counted.weight.empty()) return;
        weight_.assign(n_nodes, 0);
        squares_.assign(n_nodes, 0);
    }

    void add(std::size_t row, std::size_t leaf, Count share) {
        rows_[leaf * width() + counted_.classes[row]] +=
            counted_.times.empty() ? share : counted_.times[row] * share;
        if (weight_.empty()) return;
        const Count w = counted_.weight[row];
        weight_[leaf] += w * share;
        squares_[leaf] += static_cast<Wide>(w) * w * share;
    }
    void add(std::span<const std::int32_t> leaves) {
        for (std::size_t row = 0; row < leaves.size(); ++row)
            add(row, static_cast<std::size_t>(leaves[row]), 1);
    }

    Census sums(std::span<const std::int32_t> parent) {
        sum_up(parent, rows_, width());
        sum_up(parent, weight_, 1);
        sum_up(parent, squares_, 1);
        return {std::move(rows_), std::move(weight_), std::move(squares_)};
    }

private:
    std::size_t width() const { return static_cast<std::size_t>(counted_.n_classes); }

    const Counted& counted_;
    std::vector<Count> rows_, weight_;
    std::vector<Wide> squares_;
};

}  // namespace

double effective_rows(Count weight, Wide squares, Count whole) {
    if (squares == 0) return 0;
    const Wide square = static_cast<Wide>(weight) * weight;
    // Whole part and rest apart, so that equal weights give the number of rows itself.
    const double number = static_cast<double>(square / squares) +
                          static_cast<double>(square % squares) / static_cast<double>(squares);
    return number / static_cast<double>(whole);
}

Tallies tallies(const Tree& tree, const Frame& frame, const Target& target, bool shared) {
    if (frame.n_rows() != target.n_rows()) throw Error("frame and target differ in rows");
    if (target.n_classes != tree.n_classes) throw Error("the target is of another kind than the tree's");
    const Shape shape = target.shape();
    const auto slots = static_cast<std::size_t>(shape.slots());
    std::vector<Count> cells(tree.test.size() * slots, 0);
    each_share(tree, frame, whole_of(tree, shared), [&](std::size_t row, std::size_t leaf, Count share) {
        target.add_row(cells.data() + leaf * slots, row, share);
    });
    sum_up<Count>(tree.parent, cells, slots);
    Tallies out;
    for (const Count* cell = cells.data(); cell != cells.data() + cells.size(); cell += slots) {
        out.tally.insert(out.tally.end(), cell, cell + shape.tally());
        out.count.push_back(shape.samples(cell, shape.weight(cell)));
    }
    return out;
}

Census census(const Tree& tree, const Frame& frame, const Counted& counted, bool shared, Pool& pool) {
    Counter counter(tree.test.size(), frame, counted);
    if (shared) {
        each_share(tree, frame, whole_of(tree, shared), [&](auto... arrived) { counter.add(arrived...); });
    } else {
        std::vector<std::int32_t> leaf(frame.n_rows());
        route(tree, frame, pool, leaf);
        counter.add(leaf);
    }
    return counter.sums(tree.parent);
}

Census census(const Packed& tree, const Frame& frame, const Counted& counted, Pool& pool) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    std::vector<std::int32_t> parent(n, -1), leaf(frame.n_rows());
    tree.visit(
        [&](std::int32_t i, const TestView&, std::int32_t first) { parent[first] = parent[first + 1] = i; });
    Counter counter(n, frame, counted);
    route(tree, frame, pool, leaf);
    counter.add(leaf);
    return counter.sums(parent);
}

}  // namespace bosco
