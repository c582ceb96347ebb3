#include "retally.hpp"

#include "criterion.hpp"
#include "lot.hpp"
#include "sprout.hpp"

namespace bosco {
namespace {

// Tallies of many lots, side by side.
class Cells {
public:
    Cells(Shape shape, std::size_t n) : shape_(shape), cells_(n * width(), 0) {
        for (std::size_t i = 0; i < n; ++i) at_.push_back(cells_.data() + i * width());
    }
    Count* operator[](std::size_t i) { return cells_.data() + i * width(); }
    const std::vector<const Count*>& all() const { return at_; }

private:
    std::size_t width() const { return static_cast<std::size_t>(shape_.slots()); }
    Shape shape_;
    std::vector<Count> cells_;
    std::vector<const Count*> at_;
};

}  // namespace

Tree retally(Tree tree, const Frame& frame, const Target& target, const Growth& growth) {
    if (tree.n_classes == 0) throw Error("only trees of classes are counted again");
    if (frame.n_rows() != target.n_rows() || target.n_classes != tree.n_classes)
        throw Error("these are not the rows that the tree was grown on");
    const Walker walker(tree, frame);
    const Shape shape = target.shape();
    const auto width = static_cast<std::size_t>(tree.n_classes);
    const bool fractional = growth.missing == Missing::fractional;
    const bool shared = shares_rows(frame, fractional);
    const Count room = fractional && !shared ? Count{1} << share_bits : 1;

    std::vector<std::pair<std::int32_t, Lot>> open;
    open.emplace_back(0, whole_lot(frame.n_rows(), shared));
    std::vector<Count> known;
    while (!open.empty()) {
        auto [i, lot] = std::move(open.back());
        open.pop_back();
        const auto at = static_cast<std::size_t>(i);
        Cells own(shape, 1);
        for (std::size_t k = 0; k < lot.size(); ++k) target.add_row(own[0], lot.row[k], lot.share_at(k));
        const Count w = shape.weight(own[0]);
        const auto dw = static_cast<double>(w);
        const auto up = static_cast<std::size_t>(std::max(0, tree.parent[at]));
        for (std::size_t c = 0; c < width; ++c) {
            tree.tally[at * width + c] = own[0][c] * room;
            tree.value[at * width + c] =
                w == 0 ? tree.value[up * width + c] : static_cast<double>(own[0][c]) / dw;
        }
        tree.count[at] = shape.samples(own[0], w) * room;
        if (i == 0 || !shared) tree.known[at] = w * room;
        tree.impurity[at] = impurity_of(growth.criterion, shape, own[0], 0, 1);
        if (tree.leaf(i)) continue;

        const int k = tree.n_children[at];
        auto parts = part(walker, i, k, lot, target, known);
        if (parts.empty()) throw Error("these are not the rows that the tree was grown on");
        // What the test was scored by: all rows, or those with a value of their own.
        Cells scored(shape, static_cast<std::size_t>(k));
        Cells node(shape, 1);
        for (std::size_t r = 0; r < lot.size(); ++r) {
            const int own_branch = walker.ask(i, lot.row[r]);
            const int b = growth.known_only() ? own_branch : walker.branch(i, lot.row[r]);
            if (b < 0) continue;
            target.add_row(scored[static_cast<std::size_t>(b)], lot.row[r], lot.share_at(r));
            target.add_row(node[0], lot.row[r], lot.share_at(r));
        }
        const double decrease = Judge(growth.criterion, shape, node[0]).decrease(scored.all().data(), k);
        tree.gain[at] = w == 0 ? 0 : std::max(0.0, decrease) / dw;
        for (std::size_t b = static_cast<std::size_t>(k); b-- > 0;) {
            const auto child = tree.first_child[at] + static_cast<std::int32_t>(b);
            if (shared) tree.known[static_cast<std::size_t>(child)] = known[b];
            open.emplace_back(child, std::move(parts[b]));
        }
    }
    return tree;
}

}  // namespace bosco
