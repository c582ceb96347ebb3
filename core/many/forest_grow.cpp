// Growing many trees: a sample each, one tree a thread, handed over in order.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "grow/grow.hpp"
#include "many/bag.hpp"

namespace bosco {
Tree pruned(const Tree& tree, double alpha) {
    const auto all = static_cast<double>(tree.weight(0));
    std::vector<double> risk;
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i)
        risk.push_back(tree.impurity[i] * static_cast<double>(tree.weight(i)) / all);
    std::vector<char> cut;
    for (const double at : weakest_links(tree, risk).cut_at) cut.push_back(at <= alpha);
    return prune(tree, cut);
}

std::vector<Count> balance_factors(const std::vector<Count>& in_class) {
    Count total = 0;
    double present = 0;
    for (const Count w : in_class) total += w, present += w > 0;
    std::vector<Count> factor;
    for (const Count w : in_class) {
        const double times = w == 0 ? 1 : static_cast<double>(total) / (present * static_cast<double>(w));
        factor.push_back(std::max<Count>(1, static_cast<Count>(std::ldexp(times, balance_bits) + 0.5)));
    }
    return factor;
}

Balanced balance(const Target& target, const Sample* sample) {
    const std::size_t n = target.n_rows(), k = static_cast<std::size_t>(target.n_classes);
    std::vector<Count> in_class(k, 0);
    const auto meet = [&](std::size_t row, Count times) {
        in_class[target.classes[row]] += times * target.weight_at(row);
    };
    if (sample == nullptr)
        for (std::size_t row = 0; row < n; ++row) meet(row, 1);
    else
        for (std::size_t i = 0; i < sample->rows.size(); ++i)
            meet(sample->rows[i], sample->times.empty() ? 1 : sample->times[i]);
    const std::vector<Count> factor = balance_factors(in_class);
    Balanced b;
    b.target = target;
    for (std::size_t row = 0; row < n; ++row) {
        b.weight.push_back(target.weight_at(row) * factor[target.classes[row]]);
        b.count.push_back(target.count_at(row));
    }
    b.target.weight = b.weight;
    b.target.count = b.count;
    b.target.weight_scale = std::ldexp(target.weight_scale, balance_bits);
    return b;
}

Forest Forest::like(const Target& target, const Growth& growth, bool balanced) {
    Forest forest;
    forest.n_classes = target.n_classes;
    forest.weight_scale = std::ldexp(target.weight_scale, balanced ? balance_bits : 0);
    forest.center = target.center;
    forest.scale = target.scale;
    forest.criterion = growth.criterion;
    return forest;
}

Sample sample_of(const Plan& plan, const Growth& growth, std::size_t n_rows, int tree) {
    const std::uint64_t key = sample_key(growth.seed, static_cast<std::uint64_t>(tree));
    return draw_sample(key, n_rows, plan.sample, plan.replace, plan.order);
}

namespace {

// Makes the trees of a forest, any of them on any thread.
class Maker {
public:
    Maker(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
          const Tuning& tuning, bool with_unseen, bool lean, Pool& pool)
        : frame_(frame),
          target_(target),
          growth_(growth),
          plan_(plan),
          tuning_(tuning),
          with_unseen_(with_unseen),
          lean_(lean),
          pool_(pool) {
        // Sorting by ranks pays from a few trees on; random cuts sort nothing, and need the values.
        if (plan.n_trees <= 2 || frame.has_sparse()) return;  // all values of a sparse table: too many
        if (growth.random_cuts && !target.shape().several() && !growth.medians())
            values_ = values_of(frame, pool);
        else
            ranks_.emplace(frame, pool);
    }

    Made tree(int number, int thread) const {
        Growth own = growth_;
        own.tree = static_cast<std::uint64_t>(number);
        std::optional<Sample> sample;
        if (plan_.sampled) sample = sample_of(plan_, growth_, frame_.n_rows(), number);
        const Sample* const drawn = sample ? &*sample : nullptr;
        std::optional<Balanced> even;
        if (plan_.balanced) even.emplace(balance(target_, drawn));
        const auto check = [&] { pool_.check(thread); };
        Made made;
        made.tree = grow(frame_, even ? even->target : target_, own, 1, tuning_, check, nullptr,
                         {drawn, ranks_ ? &*ranks_ : nullptr, values_.get(), lean_})
                        .tree;
        if (plan_.ccp_alpha > 0) made.tree = pruned(made.tree, plan_.ccp_alpha);
        if (sample && with_unseen_) send_unseen(frame_, *sample, made);
        return made;
    }

private:
    const Frame& frame_;
    const Target& target_;
    const Growth& growth_;
    const Plan& plan_;
    const Tuning& tuning_;
    bool with_unseen_, lean_;
    Pool& pool_;
    std::optional<Ranks> ranks_;
    std::unique_ptr<AnyValues> values_;
};

// Any thread makes a tree; `take` gets them in order, so that sums of doubles have one order, and returns
// false to stop.
template <class Take>
void grow_each(const Maker& maker, const Plan& plan, Pool& pool, const Take& take) {
    std::map<int, Made> waiting;
    std::mutex mutex;
    std::atomic<bool> stopped{false};
    int next = 0;
    pool.run(plan.n_trees, [&](std::int64_t i, int thread) {
        if (stopped) return;
        Made made = maker.tree(plan.first + static_cast<int>(i), thread);
        std::lock_guard lock(mutex);
        waiting.emplace(static_cast<int>(i), std::move(made));
        try {
            for (auto it = waiting.find(next); it != waiting.end() && !stopped; it = waiting.find(++next)) {
                if (!take(it->second)) stopped = true;
                waiting.erase(it);
            }
        } catch (...) {
            stopped = true;  // half of a tree may be in the forest: nobody adds to it any more
            throw;
        }
    });
}

}  // namespace

void grow_forest(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                 int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                 const std::function<bool(int)>& grown, Forest& forest, OutOfBag* out_of_bag) {
    if (target.shape().several())
        throw Error("a forest has one output; of several its trees are grown alone");
    Pool pool(std::min(n_threads, plan.n_trees), poll);
    std::optional<Bag> bag;
    if (out_of_bag != nullptr) bag.emplace(target, reach_of(target), plan.vote, *out_of_bag);
    const bool lean = plan.ccp_alpha == 0 && !growth.medians();
    const Maker maker(frame, target, growth, plan, tuning, bag.has_value(), lean, pool);
    bool first = true;
    grow_each(maker, plan, pool, [&](const Made& made) {
        forest.add(made.tree);
        if (std::exchange(first, false)) forest.expect(plan.n_trees - 1);
        if (bag) bag->add(made);
        return !grown || grown(forest.n_trees());
    });
}

std::vector<Tree> grow_trees(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                             int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                             const std::function<bool(int)>& grown) {
    Pool pool(std::min(n_threads, plan.n_trees), poll);
    const Maker maker(frame, target, growth, plan, tuning, false, false, pool);
    std::vector<Tree> trees;
    grow_each(maker, plan, pool, [&](Made& made) {
        trees.push_back(std::move(made.tree));
        return !grown || grown(static_cast<int>(trees.size()));
    });
    return trees;
}

}  // namespace bosco
