#include "tree/recount.hpp"

#include <algorithm>
#include <tuple>

#include "grow/stop.hpp"
#include "score/criterion.hpp"
#include "tree/route.hpp"
#include "tree/rowshares.hpp"

namespace bosco {
namespace {

// The sums over some rows, as a node holds them.
struct Sums {
    std::vector<Count> tally;
    Wide squares = 0;  // of a real target
};

class Counter {
public:
    Counter(Tree& tree, const Frame& frame, const Target& target, const Growth& growth)
        : tree_(tree),
          target_(target),
          growth_(growth),
          shared_(sample_unit(frame, growth) > 1),
          room_(growth.missing == Missing::fractional && !shared_ ? Count{1} << share_bits : 1),
          scales_(target, 1),
          walker_(tree, frame) {}

    bool shared() const { return shared_; }
    // Whether what a test is worth follows from what its branches hold.
    bool by_branches(const Frame& frame) const { return !growth_.known_only() || !frame.has_missing(); }

    // Rows that each have one leaf: summed up there, then upwards. Only nodes with a top take it.
    void count(std::span<const std::int32_t> leaf, std::span<const std::uint32_t> rows,
               const std::vector<std::int32_t>& top) {
        const auto slots = static_cast<std::size_t>(scales_.shape.slots());
        std::vector<Count> cells(top.size() * slots, 0);
        std::vector<Wide> squares(target_.real() ? top.size() : 0, 0);
        for (std::size_t k = 0; k < leaf.size(); ++k) {
            const std::size_t row = rows.empty() ? k : rows[k], at = static_cast<std::size_t>(leaf[k]);
            target_.add_row(cells.data() + at * slots, row, 1);
            if (target_.real()) squares[at] += square(row, 1);
        }
        sum_up<Count>(tree_.parent, cells, slots);
        sum_up<Wide>(tree_.parent, squares, 1);
        const auto sums = [&](std::int32_t i) {
            const auto first = cells.begin() + static_cast<std::ptrdiff_t>(i * slots);
            return Sums{{first, first + static_cast<std::ptrdiff_t>(slots)},
                        squares.empty() ? Wide{0} : squares[static_cast<std::size_t>(i)]};
        };
        for (std::int32_t i = 0; i < tree_.n_nodes(); ++i) {
            if (top[static_cast<std::size_t>(i)] < 0) continue;
            const Sums here = sums(i);
            hold(i, here);
            if (tree_.leaf(i)) continue;
            std::vector<Sums> branches;
            for (const auto c : tree_.children(i)) branches.push_back(sums(c));
            gain(i, here, decrease_of(here, branches));
        }
    }

    void count(std::int32_t top, RowShares all) {
        Sums sums = sum(all);
        std::vector<Open> open;
        open.push_back({top, std::move(all), std::move(sums)});
        while (!open.empty()) {
            const Open o = std::move(open.back());
            open.pop_back();
            hold(o.node, o.sums);
            if (!tree_.leaf(o.node)) split(o, open);
        }
    }

    // What the nodes say, when all is counted: from the root on, for an empty node says what its parent does,
    // and bounds come down.
    void say(const std::vector<std::int32_t>& top) {
        const Stop stop(growth_, target_, 1, 1);
        const bool monotone = !growth_.monotonic.empty();
        std::vector<Bounds> bounds(monotone ? top.size() : 0);
        const auto width = static_cast<std::size_t>(tree_.width());
        for (std::size_t i = 0; i < top.size(); ++i) {
            double* const value = tree_.value.data() + i * width;
            const Bounds* const within = monotone ? &bounds[i] : nullptr;
            if (top[i] >= 0 && tree_.weight(i) > 0) scales_.values(tree_.tally_at(i), value, within);
            if (top[i] >= 0 && tree_.weight(i) == 0)
                std::copy_n(tree_.value.data() + std::max(0, tree_.parent[i]) * width, width, value);
            if (!monotone || tree_.leaf(i)) continue;
            const std::int32_t first = tree_.first_child[i], column = tree_.tests.column[tree_.test[i]];
            for (const auto c : tree_.children(i)) bounds[c] = bounds[i];
            if (growth_.direction(column) != 0)
                std::tie(bounds[first], bounds[first + 1]) =
                    stop.bounds_below(column, bounds[i], tree_.tally_at(first), tree_.tally_at(first + 1));
        }
    }

private:
    struct Open {
        std::int32_t node;
        RowShares rows;
        Sums sums;
    };

    Sums sum(const RowShares& rows) const {
        Sums s{std::vector<Count>(static_cast<std::size_t>(scales_.shape.slots()), 0), 0};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t row = rows.row[i];
            const Count share = rows.share_at(i);
            target_.add_row(s.tally.data(), row, share);
            if (target_.real()) s.squares += square(row, share);
        }
        return s;
    }
    Wide square(std::size_t row, Count share) const {
        const Count w = target_.weight_at(row) * share, y = target_.y[row];
        return beside(target_.loss, w, w * y, y);
    }

    void hold(std::int32_t node, const Sums& sums) {
        const Shape shape = scales_.shape;
        const Count* const tally = sums.tally.data();
        const Count w = shape.weight(tally);
        const auto at = static_cast<std::size_t>(node) * shape.tally();
        for (int k = 0; k < shape.tally(); ++k) tree_.tally[at + k] = tally[k] * room_;
        tree_.count[node] = shape.samples(tally, w) * room_;
        if (!shared_ || node == 0) tree_.known[node] = w * room_;
        tree_.impurity[node] =
            scales_.real_impurity(impurity_of(growth_.criterion, shape, tally, sums.squares));
    }
    void gain(std::int32_t node, const Sums& sums, double decrease) {
        const Count w = scales_.shape.weight(sums.tally.data());
        tree_.gain[node] = w == 0 ? 0 : scales_.gain(decrease, w);
    }

    void split(const Open& o, std::vector<Open>& open) {
        const int k = tree_.n_children[o.node];
        std::vector<Count> known;
        auto parts = part(walker_, o.node, k, o.rows, target_, known);
        if (parts.empty()) throw Error("these are not the rows that the tree was grown on");
        std::vector<Sums> sums;
        for (const RowShares& rows : parts) sums.push_back(sum(rows));
        gain(o.node, o.sums, growth_.known_only() ? decrease_of_known(o, k) : decrease_of(o.sums, sums));
        for (std::int32_t b = k; b-- > 0;) {
            const std::int32_t child = tree_.first_child[o.node] + b;
            if (shared_) tree_.known[child] = known[b];
            open.push_back({child, std::move(parts[b]), std::move(sums[b])});
        }
    }

    double decrease_of(const Sums& node, const std::vector<Sums>& branches) const {
        std::vector<const Count*> at;
        for (const Sums& s : branches) at.push_back(s.tally.data());
        return Judge(growth_.criterion, scales_.shape, node.tally.data())
            .decrease(at.data(), static_cast<int>(at.size()));
    }
    // Where a test is scored by the rows that have a value of their own.
    double decrease_of_known(const Open& o, int k) const {
        std::vector<RowShares> own(static_cast<std::size_t>(k));
        RowShares all;
        for (std::size_t i = 0; i < o.rows.size(); ++i) {
            const int b = walker_.ask(o.node, o.rows.row[i]);
            if (b < 0) continue;
            for (RowShares* rows : {&own[b], &all}) rows->add(o.rows.row[i], o.rows.share_at(i));
        }
        std::vector<Sums> sums;
        for (const RowShares& rows : own) sums.push_back(sum(rows));
        return decrease_of(sum(all), sums);
    }

    Tree& tree_;
    const Target& target_;
    const Growth& growth_;
    bool shared_;
    Count room_;
    Scales scales_;
    Walker walker_;
};

// The uppermost changed node on the way to each node, -1: none.
std::vector<std::int32_t> tops_of(const Tree& tree, const std::vector<char>& changed) {
    std::vector<std::int32_t> top(tree.test.size(), -1);
    for (std::size_t i = 0; i < top.size(); ++i) {
        const std::int32_t up = i == 0 ? -1 : top[tree.parent[i]];
        top[i] = up >= 0 ? up : (changed.empty() || changed[i] ? static_cast<std::int32_t>(i) : -1);
    }
    return top;
}

}  // namespace

Tree recount(Tree tree, const std::vector<char>& changed, const Frame& frame, const Target& target,
             const Growth& growth, int n_threads, const std::function<void()>& poll,
             std::span<const std::uint32_t> rows) {
    const auto n = static_cast<std::size_t>(tree.n_nodes());
    if (!changed.empty() && changed.size() != n) throw Error("the mask must have one entry per node");
    if (frame.n_rows() != target.n_rows() || target.n_classes != tree.n_classes)
        throw Error("these are not the rows that the tree was grown on");
    if (growth.medians()) throw Error("what medians cost does not add up, and is not counted again");
    if (!fits(growth.criterion, target)) throw Error("the criterion does not fit the target");
    Counter counter(tree, frame, target, growth);
    auto top = tops_of(tree, changed);
    if (counter.shared()) {  // shares come down from the root
        std::ranges::fill(top, 0);
        counter.count(0, all_rows(frame.n_rows(), true, rows));
        counter.say(top);
        return tree;
    }
    std::vector<std::int32_t> leaf(rows.empty() ? frame.n_rows() : rows.size());
    Pool pool(leaf.size() < 20000 ? 1 : growth.threads(n_threads), poll);
    route(tree, frame, pool, leaf, rows);
    if (counter.by_branches(frame)) {
        counter.count(leaf, rows, top);
        counter.say(top);
        return tree;
    }
    std::vector<RowShares> below(n);
    for (std::size_t k = 0; k < leaf.size(); ++k)
        if (const auto i = top[leaf[k]]; i >= 0)
            below[i].add(rows.empty() ? static_cast<std::uint32_t>(k) : rows[k]);
    std::vector<std::int32_t> tops;
    for (std::size_t i = 0; i < n; ++i)
        if (top[i] == static_cast<std::int32_t>(i)) tops.push_back(top[i]);
    pool.run(static_cast<std::int64_t>(tops.size()),
             [&](std::int64_t k, int) { counter.count(tops[k], std::move(below[tops[k]])); });
    counter.say(top);
    return tree;
}

}  // namespace bosco
