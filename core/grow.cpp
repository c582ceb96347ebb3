#include "grow.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <queue>

#include "abacus.hpp"
#include "packed.hpp"
#include "presort.hpp"
#include "random.hpp"
#include "scatter.hpp"
#include "sprout.hpp"
#include "stop.hpp"
#include "surrogate.hpp"

namespace bosco {
namespace {

constexpr std::size_t largest_histogram = std::size_t{1} << 23;  // words
constexpr std::size_t most_in_order = std::size_t{1} << 23;      // cells, of eight bytes

using Narrow = Presort<std::uint32_t>;
using Wide = Presort<std::uint64_t>;

// A node that may still be split.
struct Open {
    Sprout* sprout = nullptr;
    Segment segment;
    std::shared_ptr<std::byte[]> owner;  // of the segment, where rows are shared out
    std::unique_ptr<Histogram> histogram;
    std::vector<char> banned;  // columns that take no part; empty: all do
    std::uint64_t key = 0;
    int depth = 0;
    bool pure = false;
    bool found = false;
    Candidate choice;
};

class Grower {
public:
    Grower(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
           const Tuning& tuning, const std::function<void()>& poll, const Among& among)
        : target_(target),
          growth_(growth),
          tuning_(tuning),
          shape_(target.shape()),
          pool_(frame.n_rows() * frame.n_columns() < 50000 ? 1 : n_threads, poll),
          rows_(frame, target, sample_unit(frame, growth) > 1, pool_, among.sample),
          among_(among),
          layout_(rows_),
          evaluator_(rows_, growth, layout_, tuning),
          stop_(growth, target, static_cast<double>(sample_unit(frame, growth)),
                among.at.weight.value_or(rows_.weight())),
          scratch_(static_cast<std::size_t>(pool_.size())),
          nursery_(static_cast<std::size_t>(pool_.size())),
          parcels_(static_cast<std::size_t>(pool_.size())) {
        for (std::uint32_t j = 0; j < frame.n_columns(); ++j) columns_.push_back(j);
    }

    Grown run() {
        Open root;
        root.sprout = nursery_[0].sprouts(1);
        root.segment = rows_.all();
        root.key = among_.at.key(growth_);
        root.depth = among_.at.depth();
        root.banned = among_.at.banned;
        if (!growth_.reuse) root.banned.resize(columns_.size(), 0);
        fill(root, 0);
        if (!growth_.monotonic.empty() && root.depth > 0) root.sprout->rare().bounds = among_.at.bounds;
        Sprout* const top = root.sprout;
        if (counts(root) && !in_order()) {
            root.histogram = std::make_unique<Histogram>(layout_.size());
            count_all(root.segment, *root.histogram, nullptr, true);
        }
        if (growth_.max_leaf_nodes < std::numeric_limits<std::int64_t>::max())
            grow_limited(std::move(root));
        else if (in_order())
            grow_in_order(root);
        else
            grow_all(std::move(root));
        rows_.release();  // the finished tree needs the room
        Grown grown;
        const Scales scales(target_, stop_.unit());
        if (std::ranges::any_of(parcels_, [](const auto& some) { return !some.empty(); }))
            grown.packed = std::make_shared<Packed>(*top, growth_, scales);
        else
            grown.tree = lay_out(top, growth_, scales, among_.lean);
        for (std::size_t d = 0; d < Refined::depths; ++d)
            if (refined_.cells[d] > 0) grown.refined.emplace_back(refined_.cells[d], refined_.refined[d]);
        return grown;
    }

private:
    // Does the node keep a histogram of all columns (so that a child's comes by subtraction)?
    bool counts(const Open& o) const {
        return o.segment.n > tuning_.small_rows && growth_.reuse && !samples_columns() &&
               layout_.size() <= largest_histogram && !o.pure && o.depth < growth_.max_depth;
    }
    bool samples_columns() const {
        return growth_.max_features >= 0 && growth_.max_features < static_cast<int>(columns_.size());
    }

    void fill(Open& o, int thread) {
        Holding h = holding(rows_, o.segment);
        o.sprout->tally = nursery_[static_cast<std::size_t>(thread)].counts(h.tally.size());
        std::copy(h.tally.begin(), h.tally.end(), o.sprout->tally);
        o.pure = h.pure || o.segment.n == 0;
        o.sprout->impurity = o.pure ? 0 : impurity_of(growth_.criterion, shape_, o.sprout->tally, h.squares);
    }

    // Counts a segment's columns; with a parent, the parent's histogram becomes the sibling's.
    void count_all(Segment segment, Histogram& into, Histogram* parent, bool share_out) {
        const auto work = [&](std::span<const std::uint32_t> columns) {
            tabulate(rows_, layout_, segment, columns, into.data());
            if (parent != nullptr)
                for (const auto j : columns) subtract(layout_, rows_.frame(), j, parent->data(), into.data());
        };
        const auto parts = static_cast<std::size_t>(pool_.size());
        if (!share_out || parts == 1 || segment.n < tuning_.parallel_rows / 2) {
            work(columns_);
            return;
        }
        const std::size_t d = columns_.size();
        pool_.run(static_cast<std::int64_t>(parts), [&](std::int64_t i, int) {
            const std::size_t a = d * static_cast<std::size_t>(i) / parts;
            const std::size_t b = d * (static_cast<std::size_t>(i) + 1) / parts;
            if (a < b) work(std::span(columns_).subspan(a, b - a));
        });
    }

    // Finds the node's test.
    void find(Open& o, bool share_out, int thread) {
        pool_.check(thread);
        if (stop_.leaf(o.sprout->tally, o.pure, o.depth)) return;
        const Judge judge(growth_.criterion, shape_, o.sprout->tally);
        const Node node = stop_.node(judge, *o.sprout, o.key);
        auto candidates = evaluator_.candidates(o.segment, node, o.depth, o.banned,
                                                o.histogram ? o.histogram->data() : nullptr, pool_, share_out,
                                                scratch_, thread, refined_);
        const bool records = !candidates.empty() && growth_.records(shape_, o.sprout->tally, stop_.unit());
        if (records)
            for (auto& c : candidates) evaluator_.locate(o.segment, c);
        const int best = choose(candidates, node, growth_);
        if (best >= 0) {
            o.choice = candidates[static_cast<std::size_t>(best)];
            evaluator_.locate(o.segment, o.choice);
            o.found = true;
            o.sprout->decrease = o.choice.decrease;
        }
        if (records) o.sprout->rare().candidates = std::move(candidates);
    }

    // Splits a node whose test has been found.
    std::vector<Open> split(Open& o, bool share_out, int thread) {
        Sprout& s = *o.sprout;
        const Test test = test_of(o.choice, growth_.threshold);
        if (growth_.missing == Missing::surrogate)
            s.rare().surrogates = surrogates_of(rows_, o.segment, test, growth_.threshold);
        const Sorter sorter(rows_, test, s.rarity ? &s.rarity->surrogates : nullptr);
        const auto k = static_cast<std::size_t>(test.branches);
        std::vector<Segment> parts;
        std::shared_ptr<std::byte[]> owner;
        std::vector<Count> known;  // where rows are shared out: what came by its own value
        if (rows_.fractional()) {
            std::unique_ptr<std::byte[]> fresh;
            parts = partition_shares(rows_, o.segment, sorter, test.branches, fresh, known);
            owner = std::move(fresh);
        } else {
            parts = partition(rows_, o.segment, sorter, test.branches,
                              scratch_[static_cast<std::size_t>(thread)].bytes);
        }
        take_test(s, o.choice, growth_.threshold, nursery_[static_cast<std::size_t>(thread)]);
        std::vector<Open> children(k);
        for (std::size_t b = 0; b < k; ++b) {
            Open& c = children[b];
            c.sprout = s.children + b;
            c.segment = parts[b];
            c.owner = owner;
            c.key = child_key(o.key, static_cast<std::uint32_t>(b));
            c.depth = o.depth + 1;
            c.banned = o.banned;
            if (!growth_.reuse) c.banned[static_cast<std::size_t>(test.column)] = 1;
            fill(c, thread);
            if (!known.empty()) c.sprout->rare().shared = shape_.weight(c.sprout->tally) - known[b];
        }
        stop_.bound_children(s);
        hand_down(o, children, share_out);
        return children;
    }

    // Histograms of the children: the largest gets what is left of the parent's.
    void hand_down(Open& o, std::vector<Open>& children, bool share_out) {
        if (!o.histogram) return;
        const auto largest = static_cast<std::size_t>(
            std::max_element(children.begin(), children.end(),
                             [](const Open& a, const Open& b) { return a.segment.n < b.segment.n; }) -
            children.begin());
        if (!counts(children[largest])) {
            o.histogram.reset();
            return;
        }
        for (std::size_t b = 0; b < children.size(); ++b) {
            if (b == largest || children[b].segment.n == 0) continue;
            const bool keeps = counts(children[b]);
            auto own = keeps ? std::make_unique<Histogram>(layout_.size()) : nullptr;
            Histogram& into = keeps ? *own : spare(layout_.size());
            count_all(children[b].segment, into, o.histogram.get(), share_out);
            children[b].histogram = std::move(own);
        }
        children[largest].histogram = std::move(o.histogram);
    }
    static Histogram& spare(std::size_t size) {
        thread_local Histogram histogram;
        histogram.resize(std::max(size, histogram.size()));
        return histogram;
    }

    // Are all rows sorted once? Where every column must give its own best test and most have many values,
    // nearly all bins would have to be looked into, node by node; where there are many classes, a bin has
    // more counts than rows.
    bool in_order() const {
        const auto counts = static_cast<std::size_t>(shape_.classes) * std::size_t{256};
        const bool many = shape_.classes > Palette::few && rows_.n_rows() < 2 * counts;
        const bool own = growth_.score != Score::gain || growth_.record || many;
        const bool draws = samples_columns() || among_.ranks != nullptr;
        std::size_t coarse = 0;
        for (const std::uint32_t j : columns_) coarse += rows_.frame().column(j).coarse;
        return own && !draws && tuning_.presort && Narrow::suits(rows_, growth_) &&
               growth_.max_leaf_nodes == std::numeric_limits<std::int64_t>::max() &&
               rows_.n_rows() > tuning_.small_rows && 2 * coarse >= columns_.size() &&
               rows_.n_rows() * columns_.size() <= most_in_order;
    }
    // How few rows a node has that is left to one thread.
    std::size_t task_rows() const {
        if (pool_.size() == 1) return std::numeric_limits<std::size_t>::max();
        return std::max(tuning_.small_rows, rows_.n_rows() / (8 * static_cast<std::size_t>(pool_.size())));
    }

    void grow_in_order(const Open& root) {
        const Bed bed(rows_, growth_, stop_, pool_, nullptr);
        Wide top(bed);
        const std::size_t small = std::min({task_rows(), 8 * tuning_.small_rows, Narrow::most_rows});
        auto rest = top.grow_top(root.segment, {root.sprout, root.key, root.depth, root.pure}, root.banned,
                                 nursery_[0], small);
        std::sort(rest.begin(), rest.end(),
                  [](const Handover& a, const Handover& b) { return a.place.size() > b.place.size(); });
        std::vector<Narrow> below(static_cast<std::size_t>(pool_.size()), Narrow(bed));
        pool_.run(static_cast<std::int64_t>(rest.size()), [&](std::int64_t i, int thread) {
            const auto t = static_cast<std::size_t>(thread);
            below[t].grow(top, rest[static_cast<std::size_t>(i)], nursery_[t], thread);
        });
    }

    // No limit on leaves: large nodes share the columns between threads, small ones are tasks.
    void grow_all(Open root) {
        const std::size_t alone = task_rows();
        std::vector<Open> open, tasks;
        open.push_back(std::move(root));
        while (!open.empty()) {
            Open o = std::move(open.back());
            open.pop_back();
            if (o.segment.n <= alone) {
                tasks.push_back(std::move(o));
                continue;
            }
            find(o, true, 0);
            if (!o.found) continue;
            for (auto& c : split(o, true, 0)) open.push_back(std::move(c));
        }
        for (Scratch& s : scratch_) s = {};  // large nodes needed more than small ones will
        const bool sorts = tuning_.presort && Narrow::suits(rows_, growth_);
        const std::size_t small = std::min(tuning_.small_rows, Narrow::most_rows);
        const Bed bed(rows_, growth_, stop_, pool_, among_.ranks);
        std::vector<Narrow> presorts;
        std::vector<Abacus> abaci;
        const std::size_t counted =
            sorts && Abacus::suits(rows_, growth_) ? Abacus::rows_at_a_time(rows_, tuning_.small_rows) : 0;
        for (int t = 0; t < pool_.size() && sorts; ++t) {
            presorts.emplace_back(bed);
            if (counted > 0) abaci.emplace_back(bed);
        }
        const bool packs =
            among_.pack && rows_.n_rows() >= tuning_.pack_rows && Packed::suits(rows_.frame(), growth_);
        const auto grow_small = [&](const Open& o, int thread) {
            const auto t = static_cast<std::size_t>(thread);
            const Seedling seedling{o.sprout, o.key, o.depth, o.pure};
            if (!abaci.empty() && o.segment.n <= counted &&
                abaci[t].grow(o.segment, seedling, o.banned, nursery_[t], thread))
                return true;
            if (!sorts || o.segment.n > small) return false;
            Nursery own;  // of a subtree that is put away at once
            presorts[t].grow(o.segment, seedling, o.banned, packs ? own : nursery_[t], thread);
            if (packs) put_away(o, thread);
            return true;
        };
        std::sort(tasks.begin(), tasks.end(),
                  [](const Open& a, const Open& b) { return a.segment.n > b.segment.n; });
        pool_.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i, int thread) {
            std::vector<Open> stack;
            stack.push_back(std::move(tasks[static_cast<std::size_t>(i)]));
            while (!stack.empty()) {
                Open o = std::move(stack.back());
                stack.pop_back();
                if (grow_small(o, thread)) continue;
                find(o, false, thread);
                if (!o.found) continue;
                for (auto& c : split(o, false, thread)) stack.push_back(std::move(c));
            }
        });
    }

    // Packs a subtree that is done, so that neither its sprouts nor its rows take room any longer.
    void put_away(const Open& o, int thread) {
        rows_.forget(o.segment);
        Sprout& root = *o.sprout;
        if (root.n_children == 0) return;
        std::vector<Parcel> none;
        auto& parcels = parcels_[static_cast<std::size_t>(thread)];
        parcels.push_back(pack(root, shape_, none));
        root.children = nullptr;
        root.n_children = Sprout::packed;
        root.parcel = &parcels.back();
    }

    // A limit on leaves: one node at a time, in the order asked for.
    void grow_limited(Open root) {
        std::vector<Open> nodes;  // by number
        std::int64_t leaves = 1;
        const auto later = [&](std::size_t a, std::size_t b) {
            if (growth_.order == Order::breadth) return a > b;
            const double da = nodes[a].sprout->decrease, db = nodes[b].sprout->decrease;
            return da != db ? da < db : a > b;
        };
        std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> queue(later);
        std::vector<std::size_t> stack;
        const bool depth_first = growth_.order == Order::depth;
        const auto add = [&](std::vector<Open> fresh) {
            const std::size_t first = nodes.size();
            for (auto& o : fresh) {
                if (growth_.order == Order::best) find(o, true, 0);
                nodes.push_back(std::move(o));
            }
            for (std::size_t i = nodes.size(); i-- > first;) depth_first ? stack.push_back(i) : queue.push(i);
        };
        std::vector<Open> first;
        first.push_back(std::move(root));
        add(std::move(first));
        while (depth_first ? !stack.empty() : !queue.empty()) {
            const std::size_t i = depth_first ? stack.back() : queue.top();
            depth_first ? stack.pop_back() : queue.pop();
            Open o = std::move(nodes[i]);
            if (growth_.order != Order::best) find(o, true, 0);
            if (!o.found) continue;
            if (leaves + o.choice.branches - 1 > growth_.max_leaf_nodes) continue;
            leaves += o.choice.branches - 1;
            add(split(o, true, 0));
        }
    }

    const Target& target_;
    const Growth& growth_;
    const Tuning& tuning_;
    Shape shape_;
    Pool pool_;
    Rows rows_;
    const Among& among_;
    HistogramLayout layout_;
    Evaluator evaluator_;
    Stop stop_;
    std::vector<std::uint32_t> columns_;
    std::vector<Scratch> scratch_;
    std::vector<Nursery> nursery_;
    std::vector<std::deque<Parcel>> parcels_;  // by thread; they stay where they are
    Refined refined_;
};

}  // namespace

Grown grow(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
           const Tuning& tuning, const std::function<void()>& poll, Frame* consumed, const Among& among) {
    require_fit(growth, frame, target);
    if (scatters(frame, growth, tuning)) {
        if (consumed != nullptr) consumed->release_codes();
        return {grow_scattered(frame, target, growth, n_threads, tuning, poll, among), nullptr, {}};
    }
    Grower grower(frame, target, growth, n_threads, tuning, poll, among);
    if (consumed != nullptr) consumed->release_codes();
    return grower.run();
}

}  // namespace bosco
