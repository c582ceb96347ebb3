#include "grow/grow.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include "data/random.hpp"
#include "grow/abacus.hpp"
#include "grow/histograms.hpp"
#include "grow/medians.hpp"
#include "grow/presort.hpp"
#include "grow/resettle.hpp"
#include "grow/scatter.hpp"
#include "grow/sprout.hpp"
#include "tree/packed.hpp"

namespace bosco {
namespace {

constexpr std::size_t most_in_order = std::size_t{1} << 23;  // cells, of eight bytes

using Narrow = Presort<std::uint32_t>;
using LongPresort = Presort<std::uint64_t>;

// The tuning of a growth: bounds are cheap where every bin of a column is weighed at once (heights.hpp).
Tuning tuned(Tuning tuning, const Growth& growth, const Frame& frame, const Target& target) {
    const bool cheap = growth.criterion == Criterion::gini && target.n_classes == 2 &&
                       growth.largest_wins() && target.count.empty() && growth.monotonic.empty() &&
                       !growth.penalty && !growth.draws(frame.n_columns());
    if (cheap) tuning.small_rows /= tuning.cheaper;
    return tuning;
}

class Grower {
public:
    Grower(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
           const Tuning& tuning, const std::function<void()>& poll, const Among& among)
        : target_(target),
          growth_(growth),
          tuning_(tuned(tuning, growth, frame, target)),
          shape_(target.shape()),
          pool_(frame.n_rows() * frame.n_columns() < 50000 ? 1 : growth.threads(n_threads), poll),
          rows_(frame, target, among.unit(frame, growth) > 1, pool_, among.sample),
          among_(among),
          stop_(growth, target, static_cast<double>(among.unit(frame, growth)),
                among.at.weight.value_or(rows_.weight())),
          nursery_(static_cast<std::size_t>(pool_.size())),
          parcels_(static_cast<std::size_t>(pool_.size())),
          shared_(rows_, growth, tuning_, pool_),
          packs_(among.pack && !shape_.several() && rows_.n_rows() >= tuning_.pack_rows &&
                 Packed::suits(frame, growth)) {}

    Grown run() {
        Histograms::NodeRows root;
        Sprout* const top = nursery_[0].sprouts(1);
        root.seedling = {top, among_.at.key(growth_), among_.at.depth(), false};
        root.segment = rows_.all();
        root.banned = among_.at.banned;
        if (!growth_.reuse) root.banned.resize(rows_.frame().n_columns(), 0);
        Histograms source(shared_, stop_, true, 0);
        source.begin(root, nursery_[0]);
        if (!in_order()) source.count(root);
        among_.at.tell(*top, growth_);
        if (!stop_.leaf(top->tally, root.seedling.pure, root.seedling.depth)) grow_below(std::move(root));
        rows_.release();  // the finished tree needs the room
        Grown grown;
        const Scales scales(target_, stop_.unit());
        if (std::ranges::any_of(parcels_, [](const auto& some) { return !some.empty(); }))
            grown.packed = std::make_shared<Packed>(*top, growth_, scales);
        else
            grown.tree = lay_out(top, growth_, scales, among_.lean);
        return grown;
    }

private:
    void grow_below(Histograms::NodeRows root) {
        if (growth_.max_leaf_nodes < std::numeric_limits<std::int64_t>::max()) {
            Histograms source(shared_, stop_, true, 0);
            Driver<Histograms>(source, stop_, pool_)
                .run_limited(std::move(root), nursery_[0], growth_.order, growth_.max_leaf_nodes);
        } else if (in_order()) {
            if (rows_.n_rows() <= Narrow::most_rows)
                grow_in_order<Narrow>(root);
            else
                grow_in_order<LongPresort>(root);
        } else if (moves(rows_)) {
            grow_moving(rows_, shared_, std::move(root), true, 0);
        } else {
            grow_all(std::move(root));
        }
    }
    // Are rows brought together while nodes become smaller?
    bool moves(const Rows& rows) const {
        return !shape_.several() && among_.ranks == nullptr && among_.sample == nullptr &&
               far_apart(rows, tuning_) && movable(rows, growth_);
    }

    // Are all rows sorted once? Where every column must give its own best test and most have many values,
    // nearly all bins would have to be looked into, node by node; where there are many classes, a bin has
    // more counts than rows.
    bool in_order() const {
        const auto counts = static_cast<std::size_t>(shape_.classes) * std::size_t{256};
        const bool many = shape_.classes > Palette::few && rows_.n_rows() < 2 * counts;
        const bool kept = growth_.record && static_cast<Count>(rows_.n_rows()) <= growth_.record_whole;
        const bool own = !growth_.largest_wins() || kept || many || shape_.several();
        const bool draws = growth_.draws(rows_.frame().n_columns()) || among_.ranks != nullptr;
        std::size_t coarse = 0;
        for (const std::uint32_t j : shared_.columns) coarse += rows_.frame().column(j).coarse;
        return own && !draws && tuning_.presort && Narrow::suits(rows_, growth_) &&
               growth_.max_leaf_nodes == std::numeric_limits<std::int64_t>::max() &&
               rows_.n_rows() > tuning_.small_rows && 2 * coarse >= shared_.columns.size() &&
               rows_.n_rows() * shared_.columns.size() <= most_in_order;
    }
    // How few rows a node has that is left to one thread.
    std::size_t task_rows() const {
        if (pool_.size() == 1) return std::numeric_limits<std::size_t>::max();
        return std::max(tuning_.small_rows, rows_.n_rows() / (8 * static_cast<std::size_t>(pool_.size())));
    }

    // How few rows a node has whose columns are sorted: more where each must give its own best test.
    std::size_t sorted_rows() const {
        const std::size_t few = tuning_.small_rows;
        return growth_.record ? std::clamp(static_cast<std::size_t>(growth_.record_whole), few, 4 * few)
                              : few;
    }

    template <class Top>
    void grow_in_order(const Histograms::NodeRows& root) {
        const LocalSource source(rows_, growth_, stop_, pool_, nullptr);
        Top top(source);
        const std::size_t small = std::min({task_rows(), 8 * tuning_.small_rows, Narrow::most_rows});
        auto rest = top.grow_top(root.segment, root.seedling, root.banned, nursery_[0], small);
        std::ranges::sort(rest, largest_first);
        std::vector<Narrow> below(static_cast<std::size_t>(pool_.size()), Narrow(source));
        pool_.run(static_cast<std::int64_t>(rest.size()), [&](std::int64_t i, int thread) {
            const auto t = static_cast<std::size_t>(thread);
            below[t].grow(top, rest[static_cast<std::size_t>(i)], nursery_[t], thread);
        });
    }

    // The nodes below which somebody else is to grow, largest first: those of at most so many rows.
    std::vector<Histograms::NodeRows> grow_top(Histograms::Shared& shared, Histograms::NodeRows root,
                                               std::size_t most, bool share_out, int thread) {
        std::vector<Histograms::NodeRows> tasks;
        Histograms top(shared, stop_, share_out, thread, [&](Histograms::NodeRows& at_node) {
            if (at_node.size() > most) return false;
            tasks.push_back(std::move(at_node));
            return true;
        });
        Driver<Histograms>(top, stop_, pool_)
            .run(std::move(root), nursery_[static_cast<std::size_t>(thread)], thread);
        for (auto& scratch : shared.scratch) scratch = {};  // large nodes needed more than small ones will
        std::sort(tasks.begin(), tasks.end(),
                  [](const auto& a, const auto& b) { return a.size() > b.size(); });
        return tasks;
    }

    // No limit on leaves: large nodes share the columns between threads, small ones are tasks.
    void grow_all(Histograms::NodeRows root) {
        std::vector<Histograms::NodeRows> tasks = grow_top(shared_, std::move(root), task_rows(), true, 0);
        const LocalSource common(rows_, growth_, stop_, pool_, among_.ranks);
        std::vector<std::unique_ptr<Small>> small;
        for (int t = 0; t < pool_.size(); ++t) small.push_back(std::make_unique<Small>(*this, common, t));
        pool_.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i, int thread) {
            grow_task(shared_, *small[static_cast<std::size_t>(thread)],
                      std::move(tasks[static_cast<std::size_t>(i)]), thread);
        });
    }

    // The same of rows in files that do not fit into memory: those of a task are brought together first, and
    // again below it, as long as they are too many.
    void grow_moving(Rows& rows, Histograms::Shared& shared, Histograms::NodeRows root, bool share_out,
                     int thread) {
        constexpr std::size_t parts = 8;
        const std::size_t most = std::max(tuning_.small_rows, root.size() / parts);
        std::vector<Histograms::NodeRows> tasks = grow_top(shared, std::move(root), most, share_out, thread);
        std::vector<Segment> segments;
        for (const auto& task : tasks) segments.push_back(task.segment);
        const Resettled moved(rows, std::move(segments), share_out ? &pool_ : nullptr);
        const auto grow_in = [&](std::size_t i, int by) {
            Home home = moved.home(i);
            Histograms::Shared own(home.rows(), growth_, tuning_, pool_);
            if (moves(home.rows()) && tasks[i].size() > tuning_.small_rows) {
                grow_moving(home.rows(), own, std::move(tasks[i]), false, by);
            } else {
                Small small(*this, LocalSource(home.rows(), growth_, stop_, pool_, nullptr), by);
                grow_task(own, small, std::move(tasks[i]), by);
            }
            moved.leave(i);
        };
        if (share_out)
            pool_.run(static_cast<std::int64_t>(tasks.size()),
                      [&](std::int64_t i, int by) { grow_in(static_cast<std::size_t>(i), by); });
        else
            for (std::size_t i = 0; i < tasks.size(); ++i) grow_in(i, thread);
    }

    // The growers of small nodes, one of each for a thread.
    class Small {
    public:
        Small(Grower& of, const LocalSource& source, int thread)
            : of_(of), thread_(thread), sorts_(of.tuning_.presort && Narrow::suits(of.rows_, of.growth_)) {
            if (!sorts_) return;
            presort_.emplace(source);
            if (!Abacus::suits(of.rows_, of.growth_)) return;
            abacus_.emplace(source);
            counted_ = Abacus::rows_at_a_time(of.rows_, of.tuning_.small_rows);
        }
        // Grows everything below a node; false: it is not small enough.
        bool take(const Histograms::NodeRows& at_node) {
            Nursery& nursery = of_.nursery_[static_cast<std::size_t>(thread_)];
            if (abacus_ && at_node.size() <= counted_ &&
                abacus_->grow(at_node.segment, at_node.seedling, at_node.banned, nursery, thread_))
                return true;
            if (!sorts_ || at_node.size() > std::min(of_.sorted_rows(), Narrow::most_rows)) return false;
            Nursery own;  // of a subtree that is put away at once
            presort_->grow(at_node.segment, at_node.seedling, at_node.banned, of_.packs_ ? own : nursery,
                           thread_);
            if (of_.packs_) of_.put_away(at_node, thread_);
            return true;
        }

    private:
        Grower& of_;
        int thread_;
        bool sorts_;
        std::optional<Narrow> presort_;
        std::optional<Abacus> abacus_;
        std::size_t counted_ = 0;
    };

    // Grows everything below a node, by one thread.
    void grow_task(Histograms::Shared& shared, Small& small, Histograms::NodeRows task, int thread) {
        Histograms source(shared, stop_, false, thread,
                          [&](Histograms::NodeRows& at_node) { return small.take(at_node); });
        Driver<Histograms>(source, stop_, pool_)
            .run(std::move(task), nursery_[static_cast<std::size_t>(thread)], thread);
    }

    // Packs a subtree that is done, so that neither its sprouts nor its rows take room any longer.
    void put_away(const Histograms::NodeRows& at_node, int thread) {
        rows_.forget(at_node.segment);
        Sprout& root = *at_node.seedling.sprout;
        if (root.n_children == 0) return;
        std::vector<Parcel> none;
        auto& parcels = parcels_[static_cast<std::size_t>(thread)];
        parcels.push_back(pack(root, shape_, none));
        root.children = nullptr;
        root.n_children = Sprout::packed;
        root.parcel = &parcels.back();
    }

    const Target& target_;
    const Growth& growth_;
    const Tuning tuning_;
    Shape shape_;
    Pool pool_;
    Rows rows_;
    const Among& among_;
    Stop stop_;
    std::vector<Nursery> nursery_;
    std::vector<std::deque<Parcel>> parcels_;  // by thread; they stay where they are
    Histograms::Shared shared_;
    bool packs_;  // are small subtrees put away when they are done?
};

}  // namespace

Grown grow(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
           const Tuning& tuning, const std::function<void()>& poll, Frame* consumed, const Among& among) {
    if (target.shape().several() && growth.criterion.bounded()) {
        Growth own = growth;
        own.criterion = growth.criterion.of_several();
        return grow(frame, target, own, n_threads, tuning, poll, consumed, among);
    }
    require_fit(growth, frame, target);
    if (growth.medians()) return {grow_by_medians(frame, target, growth, n_threads, poll, among), nullptr};
    if (among.unit(frame, growth) == 1 && scatters(frame, growth, tuning)) {
        if (consumed != nullptr) consumed->release_codes();
        return {grow_scattered(frame, target, growth, n_threads, tuning, poll, among), nullptr};
    }
    Grower grower(frame, target, growth, n_threads, tuning, poll, among);
    if (consumed != nullptr) consumed->release_codes();
    return grower.run();
}

}  // namespace bosco
