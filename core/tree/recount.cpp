#include "tree/recount.hpp"

#include <algorithm>
#include <utility>

#include "tree/route.hpp"
#include "tree/walk.hpp"

namespace bosco {
namespace {

// Calls add(leaf, row, share) for all leaves that a row comes to. Shares of a row add up to `whole`.
template <class Add>
void each_share(const Tree& tree, const Frame& frame, Count whole, const Add& add) {
    const Walker walker(tree, frame);
    std::vector<std::pair<std::int32_t, Count>> open;
    for (std::size_t row = 0; row < frame.n_rows(); ++row) {
        open.assign(1, {0, whole});
        while (!open.empty()) {
            const auto [i, share] = open.back();
            open.pop_back();
            const auto at = static_cast<std::size_t>(i);
            if (tree.leaf(i)) {
                add(at, row, share);
                continue;
            }
            const std::int32_t first = tree.first_child[at];
            if (const int b = walker.branch(i, row); b >= 0) {
                open.emplace_back(first + b, share);
                continue;
            }
            Count total = 0, given = 0;
            for (std::int32_t c = 0; c < tree.n_children[at]; ++c) total += walker.weight(first + c);
            const auto part = [&](std::int32_t c) {
                return static_cast<Count>(static_cast<Wide>(share) * walker.weight(first + c) / total);
            };
            for (std::int32_t c = 0; c < tree.n_children[at]; ++c) given += part(c);
            for (std::int32_t c = 0; c < tree.n_children[at]; ++c) {
                const Count p = part(c) + (c == walker.heaviest(i) ? share - given : 0);
                if (p > 0) open.emplace_back(first + c, p);
            }
        }
    }
}

Count whole_of(const Tree& tree, bool shared) { return shared ? static_cast<Count>(tree.count_scale) : 1; }

// What the leaves have is summed up the tree; `width` numbers a node.
template <class Number>
void sum_up(std::span<const std::int32_t> parent, std::vector<Number>& sums, std::size_t width) {
    if (sums.empty()) return;
    for (std::size_t i = parent.size(); i-- > 1;)
        for (std::size_t k = 0; k < width; ++k)
            sums[static_cast<std::size_t>(parent[i]) * width + k] += sums[i * width + k];
}

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

    void add(std::size_t leaf, std::size_t row, Count share) {
        rows_[leaf * width() + counted_.classes[row]] +=
            counted_.times.empty() ? share : counted_.times[row] * share;
        if (weight_.empty()) return;
        const Count w = counted_.weight[row];
        weight_[leaf] += w * share;
        squares_[leaf] += static_cast<Wide>(w) * w * share;
    }
    void add(std::span<const std::int32_t> leaves) {
        for (std::size_t row = 0; row < leaves.size(); ++row)
            add(static_cast<std::size_t>(leaves[row]), row, 1);
    }

    Census sums(std::span<const std::int32_t> parent, Count whole) {
        sum_up(parent, rows_, width());
        sum_up(parent, weight_, 1);
        sum_up(parent, squares_, 1);
        std::vector<double> effective;
        for (std::size_t i = 0; i < weight_.size(); ++i) {
            const Wide square = static_cast<Wide>(weight_[i]) * weight_[i], by = squares_[i];
            if (by == 0) {
                effective.push_back(0);
                continue;
            }
            // Whole part and rest apart, so that equal weights give the number of rows itself.
            const double number =
                static_cast<double>(square / by) + static_cast<double>(square % by) / static_cast<double>(by);
            effective.push_back(number / static_cast<double>(whole));
        }
        return {std::move(rows_), std::move(effective)};
    }

private:
    std::size_t width() const { return static_cast<std::size_t>(counted_.n_classes); }

    const Counted& counted_;
    std::vector<Count> rows_, weight_;
    std::vector<Wide> squares_;
};

}  // namespace

Recount recount(const Tree& tree, const Frame& frame, const Target& target, bool shared) {
    if (frame.n_rows() != target.n_rows()) throw Error("frame and target differ in rows");
    if (target.n_classes != tree.n_classes) throw Error("the target is of another kind than the tree's");
    const Shape shape = target.shape();
    const auto slots = static_cast<std::size_t>(shape.slots());
    std::vector<Count> cells(tree.test.size() * slots, 0);
    each_share(tree, frame, whole_of(tree, shared), [&](std::size_t leaf, std::size_t row, Count share) {
        target.add_row(cells.data() + leaf * slots, row, share);
    });
    sum_up<Count>(tree.parent, cells, slots);
    Recount out;
    for (const Count* cell = cells.data(); cell != cells.data() + cells.size(); cell += slots) {
        out.tally.insert(out.tally.end(), cell, cell + shape.tally());
        out.count.push_back(shape.samples(cell, shape.weight(cell)));
    }
    return out;
}

Census census(const Tree& tree, const Frame& frame, const Counted& counted, bool shared, Pool& pool) {
    Counter counter(tree.test.size(), frame, counted);
    const Count whole = whole_of(tree, shared);
    if (shared) {
        each_share(tree, frame, whole, [&](auto... arrived) { counter.add(arrived...); });
    } else {
        std::vector<std::int32_t> leaf(frame.n_rows());
        route(tree, frame, pool, leaf);
        counter.add(leaf);
    }
    return counter.sums(tree.parent, whole);
}

Census census(const Packed& tree, const Frame& frame, const Counted& counted, Pool& pool) {
    std::vector<std::int32_t> leaf(frame.n_rows());
    if (!route(tree, frame, pool, leaf)) return census(tree.unfold(), frame, counted, false, pool);
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    std::vector<std::int32_t> parent(n, -1);
    tree.visit(
        [&](std::int32_t i, std::uint32_t, std::uint32_t, double, std::int32_t child) {
            parent[static_cast<std::size_t>(child)] = parent[static_cast<std::size_t>(child) + 1] = i;
        },
        [](std::int32_t) {});
    Counter counter(n, frame, counted);
    counter.add(leaf);
    return counter.sums(parent, 1);
}

}  // namespace bosco
