#include "prune/raise.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "tree/route.hpp"
#include "tree/rowshares.hpp"

namespace bosco {

namespace {

constexpr std::size_t together = 64;  // rows that are moved at once
constexpr double slack = 0.1;         // C4.5's: what is no more than this worse counts as equal

// Are samples something else than weights?
bool counts_apart(const Tree& tree) {
    if (tree.weight_scale != tree.count_scale) return true;
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i)
        if (tree.weight(i) != tree.count[i]) return true;
    return false;
}

[[noreturn]] void refuse_rows() { throw Error("these are not the rows that the tree was grown on"); }

class Pruner {
public:
    Pruner(const Tree& tree, std::vector<char> cut, const Pessimism& by, const Frame* frame,
           const Target* target, const std::function<void()>& poll)
        : tree_(tree),
          by_(by),
          frame_(frame),
          target_(target),
          poll_(poll),
          shape_{tree.n_classes, target != nullptr ? target->shape().apart : counts_apart(tree)},
          slots_(static_cast<std::size_t>(shape_.slots())),
          leaf_(tree.test.size()),
          cost_(tree.test.size(), 0) {
        const std::size_t n = tree.test.size();
        out_.cut = std::move(cut);
        out_.cut.resize(n, 0);
        out_.stand_in.resize(n);
        std::iota(out_.stand_in.begin(), out_.stand_in.end(), 0);
        out_.kept.assign(n, std::numeric_limits<double>::quiet_NaN());
        out_.pruned = out_.kept;
        cells_.assign(n * slots_, 0);
        const auto tallies = static_cast<std::size_t>(shape_.tally());
        for (std::size_t i = 0; i < n; ++i) {
            std::copy_n(tree.tally_at(i), tallies, cells_.data() + i * slots_);
            if (shape_.apart) cells_[i * slots_ + tallies] = tree.count[i];
            leaf_[i] = tree.test[i] < 0 || out_.cut[i];
        }
        settle_given();
        if (frame != nullptr) {
            walker_.emplace(tree, *frame);
            hops_ = hops_of(tree, *walker_);
            for (std::size_t i = 0; i < n; ++i)
                if (leaf_[i]) hops_[i] = {};
            rows_.resize(n);
            fresh_.assign(n * slots_, 0);
        }
    }

    // Gives every leaf its rows.
    void hand_out(const Frame& frame, int n_threads) {
        shared_ = std::ranges::count(tree_.tests.missing, by_share) > 0 && frame.has_missing();
        whole_ = shared_ ? 1 : static_cast<Count>(tree_.count_scale);
        if (shared_) {
            share_.assign(frame.n_rows(), 0);
            Attempt a;
            spread(0, all_rows(frame.n_rows(), true), a);
            if (!std::equal(fresh(0), fresh(0) + slots_, cell(0))) refuse_rows();
            commit(a);
            return;
        }
        for (std::size_t row = 0; row < frame.n_rows(); ++row) target_->add_row(fresh(0), row, whole_);
        if (!std::equal(fresh(0), fresh(0) + slots_, cell(0))) refuse_rows();
        std::fill_n(fresh(0), slots_, 0);
        const std::vector<std::uint32_t> all = all_rows(frame.n_rows(), false).row;
        std::vector<std::int32_t> leaf(all.size());
        Pool pool(all.size() < 20000 ? 1 : n_threads, poll_);
        pool.run_blocks(all.size(), 4096, [&](std::size_t begin, std::size_t end) {
            leaves_below(0, std::span(all).subspan(begin, end - begin), leaf.data() + begin);
        });
        std::vector<std::uint32_t> count(rows_.size(), 0);
        for (const auto at : leaf) ++count[at];
        for (std::size_t i = 0; i < count.size(); ++i) rows_[i].row.reserve(count[i]);
        for (const std::uint32_t row : all) rows_[leaf[row]].add(row);
    }

    // Branches know nothing of each other: threads prune the small ones, then larger ones, at last the tree.
    Raised run(int n_threads) {
        done_.assign(leaf_.size(), 0);
        Pool pool(shared_ || !walker_ ? 1 : n_threads, poll_);
        const Count all = shape_.weight(cell(0));
        for (int parts = pool.size() > 1 ? 8 * pool.size() : 1; parts >= 1; parts /= 2) {
            std::vector<std::int32_t> tops, open{0};
            while (!open.empty()) {
                const auto i = open.back();
                open.pop_back();
                if (shape_.weight(cell(i)) <= all / parts)
                    tops.push_back(i);
                else if (!leaf_[i])
                    for (const auto c : children(i)) open.push_back(c);
            }
            pool.run(static_cast<std::int64_t>(tops.size()), [&](std::int64_t k, int thread) {
                Attempt attempt;
                prune_below(tops[k], attempt, [&] { pool.check(thread); });
            });
            for (const auto i : tops) done_[i] = 1;
        }
        return std::move(out_);
    }

private:
    Count* cell(std::int32_t i) { return cells_.data() + i * slots_; }
    Count* fresh(std::int32_t i) { return fresh_.data() + i * slots_; }
    std::int32_t source(std::int32_t i) const { return out_.stand_in[i]; }

    std::ranges::iota_view<std::int32_t, std::int32_t> children(std::int32_t i) const {
        return tree_.children(source(i));
    }
    // A node and all below it, parents first.
    std::vector<std::int32_t> subtree(std::int32_t top) const {
        std::vector<std::int32_t> nodes{top};
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (!leaf_[nodes[k]])
                for (const auto c : children(nodes[k])) nodes.push_back(c);
        return nodes;
    }

    // Bounded in samples, so that the scale of the weights does not matter.
    double errors(const Count* t) const {
        const Count w = shape_.weight(t);
        if (w <= 0) return 0;
        const double weight = static_cast<double>(w) / tree_.weight_scale;
        const double samples = static_cast<double>(shape_.samples(t, w)) /
                               (shape_.apart ? tree_.count_scale : tree_.weight_scale);
        const double wrong = static_cast<double>(w - t[shape_.majority(t)]) / tree_.weight_scale;
        return upper_errors(samples, samples == weight ? wrong : wrong * (samples / weight), by_);
    }

    // Nodes that are cut from the start: what they were, what they are.
    void settle_given() {
        std::vector<double> below(leaf_.size(), 0);
        for (auto i = tree_.n_nodes(); i-- > 0;) {
            const double as_leaf = errors(cell(i));
            if (tree_.test[i] < 0) below[i] = as_leaf;
            if (out_.cut[i]) out_.kept[i] = below[i], out_.pruned[i] = as_leaf;
            if (i > 0) below[tree_.parent[i]] += below[i];
        }
    }

    // The branch under trial: tallies are in `fresh_`, the rest here.
    struct Attempt {
        std::vector<Count> sum;
        std::vector<std::int32_t> touched, inner;
        std::vector<std::pair<std::int32_t, std::uint32_t>> moved;
        std::vector<std::pair<std::int32_t, RowShares>> laid;
    };

    // A node is entered, its children are pruned, then it is weighed; a raised one is entered again.
    void prune_below(std::int32_t top, Attempt& a, const std::function<void()>& check) {
        std::vector<std::pair<std::int32_t, bool>> stack{{top, false}};
        for (std::size_t turns = 1; !stack.empty(); ++turns) {
            if (turns % 1024 == 0) check();
            const auto [i, below_done] = stack.back();
            stack.pop_back();
            if (std::exchange(done_[i], 0)) continue;  // once: below a raised branch all is new
            if (leaf_[i]) {
                cost_[i] = errors(cell(i));
            } else if (!below_done) {
                stack.emplace_back(i, true);
                for (const auto c : children(i)) stack.emplace_back(c, false);
            } else if (weigh(i, a)) {
                stack.emplace_back(i, false);
            }
        }
    }

    // Decides on an inner node whose subtrees are pruned; true: a branch was raised into it.
    bool weigh(std::int32_t i, Attempt& a) {
        double tree = 0;
        Count most = -1;
        std::int32_t largest = -1;
        for (const auto c : children(i)) {
            tree += cost_[c];
            // Of equals the last, as in C4.5.
            if (const Count w = shape_.weight(cell(c)); w >= most) most = w, largest = c;
        }
        const double as_leaf = errors(cell(i));
        // All rows in one leaf are a leaf: only a branch that is split can be better than that.
        double branch = std::numeric_limits<double>::infinity();
        if (walker_ && !leaf_[largest])
            branch = shared_ ? try_all(i, largest, a) : try_others(i, largest, tree, a);
        if (no_dearer(as_leaf, tree + slack) && no_dearer(as_leaf, branch + slack)) {
            out_.kept[i] = tree, out_.pruned[i] = as_leaf;
            if (walker_) rows_[i] = gather(i), hops_[i] = {};
            leaf_[i] = out_.cut[i] = 1;
            cost_[i] = as_leaf;
            forget(a);
            return false;
        }
        if (no_dearer(branch, tree + slack)) {
            out_.kept[i] = tree, out_.pruned[i] = branch;
            commit(a);
            out_.stand_in[i] = source(largest);
            hops_[i] = hops_[largest];
            return true;
        }
        if (out_.stand_in[i] == i) out_.kept[i] = tree, out_.pruned[i] = as_leaf;
        cost_[i] = tree;
        forget(a);
        return false;
    }

    // The leaves of some rows below a node, where no row is shared out.
    void leaves_below(std::int32_t top, std::span<const std::uint32_t> rows, std::int32_t* leaf) const {
        walk(
            rows.size(), [&](std::size_t k) { return Stand{hops_.data(), rows[k], top}; },
            [&](std::size_t row, std::uint32_t column) { return frame_->column(column).number(row); },
            [&](std::size_t row, const Hop& hop) {
                return walker_->one_branch(static_cast<std::int32_t>(hop.bits()), row);
            },
            [&](std::size_t k, const Stand<Hop>& at) { leaf[k] = at.node; });
    }

    // The rows of the other branches join those of the largest, a few at a time. The cost only grows, so what
    // is too dear is given up early; but where samples are not weights, a heavy row can make a leaf cheaper.
    double try_others(std::int32_t i, std::int32_t largest, double tree, Attempt& a) {
        const double limit = (tree + slack) * (1 + 1e-9);
        std::size_t next_look = shape_.apart ? SIZE_MAX : 4;  // and again when there are a quarter more
        const auto cost_of = [&](std::int32_t leaf) {
            a.sum.assign(cell(leaf), cell(leaf) + slots_);
            add(a.sum.data(), fresh(leaf), shape_.slots());
            return errors(a.sum.data());
        };
        std::vector<std::int32_t> open;
        for (const auto c : children(i))
            if (c != largest) open.push_back(c);
        while (!open.empty()) {
            const std::int32_t from = open.back();
            open.pop_back();
            if (!leaf_[from])
                for (const auto c : children(from)) open.push_back(c);
            const std::span<const std::uint32_t> rows = rows_[from].row;
            std::array<std::int32_t, together> leaf;
            for (std::size_t k = 0; leaf_[from] && k < rows.size();) {
                const std::size_t n = std::min({leaf.size(), rows.size() - k, next_look - a.moved.size()});
                leaves_below(largest, rows.subspan(k, n), leaf.data());
                for (std::size_t j = 0; j < n; ++j, ++k) {
                    if (shape_.weight(fresh(leaf[j])) == 0) a.touched.push_back(leaf[j]);
                    target_->add_row(fresh(leaf[j]), rows[k], whole_);
                    a.moved.emplace_back(leaf[j], rows[k]);
                }
                if (a.moved.size() < next_look) continue;
                next_look += std::max<std::size_t>(next_look / 4, 1);
                double bound = cost_[largest];
                for (const auto touched : a.touched) bound += cost_of(touched) - cost_[touched];
                if (bound > limit) return std::numeric_limits<double>::infinity();
            }
        }
        double sum = 0;  // anew and in the order of the nodes, whatever order the rows came in
        for (const auto n : subtree(largest))
            if (leaf_[n]) sum += cost_of(n);
        a.inner = subtree(largest);
        return sum;
    }

    // Rows are shared out: shares depend on what is known at each node, so all rows go again.
    double try_all(std::int32_t i, std::int32_t largest, Attempt& a) {
        if (!spread(largest, gather(i), a)) return std::numeric_limits<double>::infinity();
        double sum = 0;
        for (const auto& [leaf, rows] : a.laid) sum += errors(fresh(leaf));
        return sum;
    }

    // Sends rows down from a node; false if some test would know none of its rows.
    bool spread(std::int32_t top, RowShares all, Attempt& a) {
        std::vector<std::pair<std::int32_t, RowShares>> open;
        open.emplace_back(top, std::move(all));
        std::vector<Count> known;
        while (!open.empty()) {
            auto [i, rows] = std::move(open.back());
            open.pop_back();
            a.touched.push_back(i);
            std::fill_n(fresh(i), slots_, 0);
            for (std::size_t k = 0; k < rows.size(); ++k)
                target_->add_row(fresh(i), rows.row[k], rows.share_at(k) * whole_);
            if (leaf_[i]) {
                a.laid.emplace_back(i, std::move(rows));
                continue;
            }
            const std::int32_t first = tree_.first_child[source(i)], k = tree_.n_children[source(i)];
            auto parts = part(*walker_, source(i), k, rows, *target_, known);
            if (parts.empty()) return false;
            for (std::int32_t b = k; b-- > 0;) open.emplace_back(first + b, std::move(parts[b]));
        }
        return true;
    }

    // What was tried becomes so.
    void commit(Attempt& a) {
        for (const auto& [to, row] : a.moved) rows_[to].add(row);
        for (auto& [leaf, rows] : a.laid) rows_[leaf] = std::move(rows);
        for (const auto i : a.touched) {
            if (shared_)
                std::copy_n(fresh(i), slots_, cell(i));
            else
                add(cell(i), fresh(i), shape_.slots());
        }
        for (std::size_t k = a.inner.size(); k-- > 0;) {
            const auto i = a.inner[k];
            if (leaf_[i]) continue;
            std::fill_n(cell(i), slots_, 0);
            for (const auto c : children(i)) add(cell(i), cell(c), shape_.slots());
        }
        forget(a);
    }
    void forget(Attempt& a) {
        for (const auto i : a.touched) std::fill_n(fresh(i), slots_, 0);
        a.touched.clear();
        a.moved.clear();
        a.laid.clear();
        a.inner.clear();
    }

    // The rows of a node from those of its leaves; the shares of one row add up again.
    RowShares gather(std::int32_t i) {
        std::vector<std::int32_t> leaves = subtree(i);
        std::erase_if(leaves, [&](std::int32_t n) { return !leaf_[n]; });
        if (!shared_) {
            // The others join the largest, so that few rows move.
            const auto most = *std::ranges::max_element(leaves, {}, [&](auto n) { return rows_[n].size(); });
            RowShares all = std::move(rows_[most]);
            for (const auto n : leaves)
                if (n != most) {
                    all.row.insert(all.row.end(), rows_[n].row.begin(), rows_[n].row.end());
                    rows_[n] = {};
                }
            return all;
        }
        RowShares all;
        for (const auto n : leaves)
            for (std::size_t k = 0; k < rows_[n].size(); ++k) {
                Count& share = share_[rows_[n].row[k]];
                if (share == 0) all.row.push_back(rows_[n].row[k]);
                share += rows_[n].share[k];
            }
        for (const auto row : all.row) {
            all.share.push_back(share_[row]);
            share_[row] = 0;
        }
        return all;
    }

    const Tree& tree_;
    const Pessimism& by_;
    const Frame* frame_;
    const Target* target_;
    const std::function<void()>& poll_;
    Shape shape_;
    std::size_t slots_;
    std::optional<Walker> walker_;  // where rows are at hand
    std::vector<Hop> hops_;         // the tree, as pruned so far
    bool shared_ = false;
    Count whole_ = 1;
    Raised out_;
    std::vector<char> leaf_;
    std::vector<double> cost_;     // of the subtree, as pruned so far
    std::vector<Count> cells_;     // tallies, with the samples where they stand apart
    std::vector<RowShares> rows_;  // the rows of every leaf
    std::vector<Count> share_;     // of every row, while they are gathered

    std::vector<Count> fresh_;  // tallies of the branch under trial
    std::vector<char> done_;    // pruned by another thread
};

}  // namespace

Raised pessimistic(const Tree& tree, std::vector<char> cut, const Pessimism& by, const Frame* frame,
                   const Target* target, int n_threads, const std::function<void()>& poll) {
    if (tree.n_classes == 0) throw Error("this bound is one of wrong classes; the tree predicts numbers");
    if (cut.size() != tree.test.size()) throw Error("the mask must have one entry per node");
    if (!(by.confidence > 0 && by.confidence <= 0.5)) throw Error("the confidence must be in (0, 0.5]");
    if ((frame == nullptr) != (target == nullptr)) throw Error("rows need both a frame and a target");
    if (frame != nullptr && (frame->n_rows() != target->n_rows() || target->n_classes != tree.n_classes))
        refuse_rows();
    Pruner pruner(tree, std::move(cut), by, frame, target, poll);
    if (frame != nullptr) pruner.hand_out(*frame, n_threads);
    return pruner.run(n_threads);
}

}  // namespace bosco
