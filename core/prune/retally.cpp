#include "prune/retally.hpp"

#include "grow/sprout.hpp"
#include "prune/lot.hpp"
#include "score/criterion.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

using Cell = std::vector<Count>;

class Counter {
public:
    Counter(Tree& tree, const Frame& frame, const Target& target, const Growth& growth)
        : tree_(tree),
          target_(target),
          growth_(growth),
          shape_(target.shape()),
          shared_(shares_rows(frame, growth.missing == Missing::fractional)),
          room_(growth.missing == Missing::fractional && !shared_ ? Count{1} << share_bits : 1),
          walker_(tree, frame) {}

    bool shared() const { return shared_; }

    void count(std::int32_t top, Lot all) {
        Cell cell = tally(all);
        std::vector<Open> open;
        open.push_back({top, std::move(all), std::move(cell)});
        while (!open.empty()) {
            const Open o = std::move(open.back());
            open.pop_back();
            hold(o);
            if (!tree_.leaf(o.node)) split(o, open);
        }
    }

private:
    struct Open {
        std::int32_t node;
        Lot lot;
        Cell cell;
    };

    Cell tally(const Lot& lot) const {
        Cell cell(static_cast<std::size_t>(shape_.slots()), 0);
        for (std::size_t i = 0; i < lot.size(); ++i)
            target_.add_row(cell.data(), lot.row[i], lot.share_at(i));
        return cell;
    }

    void hold(const Open& o) {
        const auto at = static_cast<std::size_t>(o.node);
        const auto up = static_cast<std::size_t>(std::max(0, tree_.parent[at]));
        const auto width = static_cast<std::size_t>(tree_.n_classes);
        const Count w = shape_.weight(o.cell.data());
        for (std::size_t c = 0; c < width; ++c) {
            tree_.tally[at * width + c] = o.cell[c] * room_;
            tree_.value[at * width + c] = w == 0 ? tree_.value[up * width + c]
                                                 : static_cast<double>(o.cell[c]) / static_cast<double>(w);
        }
        tree_.count[at] = shape_.samples(o.cell.data(), w) * room_;
        if (!shared_) tree_.known[at] = w * room_;
        tree_.impurity[at] = impurity_of(growth_.criterion, shape_, o.cell.data(), 0);
    }

    void split(const Open& o, std::vector<Open>& open) {
        const auto at = static_cast<std::size_t>(o.node);
        const int k = tree_.n_children[at];
        std::vector<Count> known;
        auto parts = part(walker_, o.node, k, o.lot, target_, known);
        if (parts.empty()) throw Error("these are not the rows that the tree was grown on");
        std::vector<Cell> cells;
        for (const Lot& lot : parts) cells.push_back(tally(lot));
        const Count w = shape_.weight(o.cell.data());
        const double decrease = growth_.known_only() ? decrease_of_known(o, k) : decrease_of(o.cell, cells);
        tree_.gain[at] = w == 0 ? 0 : std::max(0.0, decrease) / static_cast<double>(w);
        for (auto b = static_cast<std::size_t>(k); b-- > 0;) {
            const auto child = tree_.first_child[at] + static_cast<std::int32_t>(b);
            if (shared_) tree_.known[static_cast<std::size_t>(child)] = known[b];
            open.push_back({child, std::move(parts[b]), std::move(cells[b])});
        }
    }

    double decrease_of(const Cell& node, const std::vector<Cell>& branches) const {
        std::vector<const Count*> at;
        for (const Cell& cell : branches) at.push_back(cell.data());
        return Judge(growth_.criterion, shape_, node.data()).decrease(at.data(), static_cast<int>(at.size()));
    }
    // Where a test is scored by the rows that have a value of their own.
    double decrease_of_known(const Open& o, int k) const {
        std::vector<Lot> own(static_cast<std::size_t>(k));
        Lot all;
        for (std::size_t i = 0; i < o.lot.size(); ++i) {
            const int b = walker_.ask(o.node, o.lot.row[i]);
            if (b < 0) continue;
            for (Lot* lot : {&own[static_cast<std::size_t>(b)], &all})
                lot->add(o.lot.row[i], o.lot.share_at(i));
        }
        std::vector<Cell> cells;
        for (const Lot& lot : own) cells.push_back(tally(lot));
        return decrease_of(tally(all), cells);
    }

    Tree& tree_;
    const Target& target_;
    const Growth& growth_;
    Shape shape_;
    bool shared_;
    Count room_;
    Walker walker_;
};

}  // namespace

Tree retally(Tree tree, const std::vector<char>& changed, const Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (tree.n_classes == 0) throw Error("only trees of classes are counted again");
    if (changed.size() != n) throw Error("the mask must have one entry per node");
    if (frame.n_rows() != target.n_rows() || target.n_classes != tree.n_classes)
        throw Error("these are not the rows that the tree was grown on");
    Counter counter(tree, frame, target, growth);
    if (counter.shared()) {  // shares come down from the root
        counter.count(0, whole_lot(frame.n_rows(), true));
        return tree;
    }
    // The uppermost changed node on the way to each node, -1: none.
    std::vector<std::int32_t> top(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t up = i == 0 ? -1 : top[static_cast<std::size_t>(tree.parent[i])];
        top[i] = up >= 0 ? up : (changed[i] ? static_cast<std::int32_t>(i) : -1);
    }
    std::vector<std::int32_t> leaf(frame.n_rows());
    Pool pool(frame.n_rows() < 20000 ? 1 : n_threads, poll);
    route(tree, frame, pool, leaf);
    std::vector<Lot> lots(n);
    for (std::size_t row = 0; row < leaf.size(); ++row)
        if (const auto i = top[static_cast<std::size_t>(leaf[row])]; i >= 0)
            lots[static_cast<std::size_t>(i)].add(static_cast<std::uint32_t>(row));
    std::vector<std::int32_t> tops;
    for (std::size_t i = 0; i < n; ++i)
        if (top[i] == static_cast<std::int32_t>(i)) tops.push_back(top[i]);
    pool.run(static_cast<std::int64_t>(tops.size()), [&](std::int64_t k, int) {
        const std::int32_t i = tops[static_cast<std::size_t>(k)];
        counter.count(i, std::move(lots[static_cast<std::size_t>(i)]));
    });
    return tree;
}

}  // namespace bosco
