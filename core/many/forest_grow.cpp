// Growing many trees: a sample each, one tree a thread, handed over in order.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>

#include "grow/grow.hpp"
#include "many/forest.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

// A tree and, on request, where the rows that it has not seen end.
struct Made {
    Tree tree;
    std::vector<std::uint32_t> unseen;
    std::vector<std::int32_t> leaf;
};

// Adds what a tree says of the rows that it has not seen. Every sample counts once, whatever the
// weights of the classes.
class Bag {
public:
    Bag(const Target& target, Vote vote, OutOfBag& out) : target_(target), vote_(vote), out_(out) {
        const std::size_t n = target.n_rows();
        width_ = static_cast<std::size_t>(target.real() ? 1 : target.n_classes);
        if (out.sum.empty()) {
            out.sum.assign(n * width_, 0.0);
            out.trees.assign(n, 0);
        }
    }

    void add(const Made& made) {
        double right = 0, weight = 0;
        for (std::size_t i = 0; i < made.unseen.size(); ++i) {
            const std::size_t row = made.unseen[i];
            const double* from = made.tree.value.data() + made.leaf[i] * width_;
            double* to = out_.sum.data() + row * width_;
            if (vote_ == Vote::mode && !target_.real())
                to[heaviest(from, target_.n_classes)] += 1;
            else
                for (std::size_t k = 0; k < width_; ++k) to[k] += from[k];
            ++out_.trees[row];
            const auto w = static_cast<double>(target_.count_at(row));
            weight += w;
            right += w * hit(row, from);
        }
        out_.tree_score.push_back(weight > 0 ? right / weight : 0.0);
        right = weight = 0;
        for (std::size_t row = 0; row < out_.trees.size(); ++row) {
            if (out_.trees[row] == 0) continue;
            const auto w = static_cast<double>(target_.count_at(row));
            double* sum = out_.sum.data() + row * width_;
            double mean = sum[0] / out_.trees[row];
            weight += w;
            right += w * (target_.real() ? hit(row, &mean) : hit(row, sum));
        }
        out_.curve.push_back(weight > 0 ? right / weight : 0.0);
    }

private:
    // 1 for the right class, or the squared error.
    double hit(std::size_t row, const double* said) const {
        if (target_.real()) {
            const double e = said[0] - (target_.center + static_cast<double>(target_.y[row]) / target_.scale);
            return e * e;
        }
        return heaviest(said, target_.n_classes) == static_cast<int>(target_.classes[row]) ? 1.0 : 0.0;
    }

    const Target& target_;
    Vote vote_;
    OutOfBag& out_;
    std::size_t width_;
};

// A tree without the branches that cost more, leaf by leaf, than they bring.
Tree pruned(const Tree& tree, double alpha) {
    const auto all = static_cast<double>(tree.weight(0));
    std::vector<double> risk;
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i)
        risk.push_back(tree.impurity[i] * static_cast<double>(tree.weight(i)) / all);
    std::vector<char> cut;
    for (const double at : weakest_links(tree, risk).cut_at) cut.push_back(at <= alpha);
    return prune(tree, cut);
}

}  // namespace

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
    Count total = 0;
    double present = 0;
    for (const Count w : in_class) total += w, present += w > 0;
    std::vector<Count> factor;
    for (const Count w : in_class) {
        const double times = w == 0 ? 1 : static_cast<double>(total) / (present * static_cast<double>(w));
        factor.push_back(std::max<Count>(1, static_cast<Count>(std::ldexp(times, balance_bits) + 0.5)));
    }
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

Sample sample_of(const Plan& plan, const Growth& growth, std::size_t n_rows, int tree) {
    const std::uint64_t key = mix(mix(growth.seed, static_cast<std::uint64_t>(tree)), 0x5a3b1e);
    return draw_sample(key, n_rows, plan.sample, plan.replace, plan.order);
}

namespace {

// Makes the trees of a forest, any of them on any thread.
class Maker {
public:
    Maker(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
          const Tuning& tuning, bool with_unseen, Pool& pool)
        : frame_(frame),
          target_(target),
          growth_(growth),
          plan_(plan),
          tuning_(tuning),
          with_unseen_(with_unseen),
          pool_(pool) {
        // Sorting by ranks pays from a few trees on; random cuts sort nothing, and need the values.
        if (plan.n_trees > 2 && growth.random_cuts) values_ = values_of(frame, pool);
        if (plan.n_trees > 2 && !growth.random_cuts) ranks_.emplace(frame, pool);
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
                         {drawn, ranks_ ? &*ranks_ : nullptr, values_.get(), plan_.ccp_alpha == 0})
                        .tree;
        if (plan_.ccp_alpha > 0) made.tree = pruned(made.tree, plan_.ccp_alpha);
        if (sample && with_unseen_) send_unseen(*sample, made);
        return made;
    }

private:
    // Sends the rows down that are not in the sample.
    void send_unseen(const Sample& sample, Made& made) const {
        std::vector<std::uint32_t> all(frame_.n_rows());
        std::iota(all.begin(), all.end(), 0u);
        std::ranges::set_difference(all, sample.rows, std::back_inserter(made.unseen));
        made.leaf.resize(made.unseen.size());
        Pool alone(1);
        route(made.tree, frame_, alone, made.leaf, made.unseen);
    }

    const Frame& frame_;
    const Target& target_;
    const Growth& growth_;
    const Plan& plan_;
    const Tuning& tuning_;
    bool with_unseen_;
    Pool& pool_;
    std::optional<Ranks> ranks_;
    std::unique_ptr<AnyValues> values_;
};

}  // namespace

void grow_forest(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                 int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                 const std::function<bool(int)>& grown, Forest& forest, OutOfBag* out_of_bag) {
    Pool pool(std::min(n_threads, plan.n_trees), poll);
    std::optional<Bag> bag;
    if (out_of_bag != nullptr) bag.emplace(target, plan.vote, *out_of_bag);
    const Maker maker(frame, target, growth, plan, tuning, bag.has_value(), pool);
    // Any thread makes a tree; they are taken over in order, so sums of doubles have one order.
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
                forest.add(it->second.tree);
                if (next == 0) forest.expect(plan.n_trees - 1);
                if (bag) bag->add(it->second);
                waiting.erase(it);
                if (grown && !grown(forest.n_trees())) stopped = true;
            }
        } catch (...) {
            stopped = true;  // half of a tree may be in the forest: nobody adds to it any more
            throw;
        }
    });
}

}  // namespace bosco
