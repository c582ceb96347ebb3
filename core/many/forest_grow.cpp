// Growing many trees: a sample each, one tree a thread, handed over in order.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
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
class Tally {
public:
    Tally(const Target& target, Vote vote, OutOfBag& out) : target_(target), vote_(vote), out_(out) {
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
            const double* from = made.tree.value.data() + static_cast<std::size_t>(made.leaf[i]) * width_;
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
    const Shape shape{tree.n_classes, false};
    const auto slots = static_cast<std::size_t>(tree.slots());
    const auto all = static_cast<double>(shape.weight(tree.tally.data()));
    std::vector<double> risk;
    for (std::size_t i = 0; i < tree.impurity.size(); ++i)
        risk.push_back(tree.impurity[i] * static_cast<double>(shape.weight(tree.tally.data() + i * slots)) /
                       all);
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

void grow_forest(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                 int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                 const std::function<bool(int)>& grown, Forest& forest, OutOfBag* out_of_bag) {
    Pool pool(std::min(n_threads, plan.n_trees), poll);
    std::optional<Tally> tally;
    if (out_of_bag != nullptr) tally.emplace(target, plan.vote, *out_of_bag);
    // Sorting by ranks pays from a few trees on; random cuts sort nothing, and need the values.
    std::optional<Ranks> ranks;
    std::unique_ptr<AnyValues> values;
    if (plan.n_trees > 2 && growth.random_cuts) values = values_of(frame, pool);
    if (plan.n_trees > 2 && !growth.random_cuts) ranks.emplace(frame, pool);
    const auto make = [&](int number, int thread) {
        Growth own = growth;
        own.tree = static_cast<std::uint64_t>(number);
        std::optional<Sample> sample;
        if (plan.sampled) sample = sample_of(plan, growth, frame.n_rows(), number);
        const Sample* const drawn = sample ? &*sample : nullptr;
        std::optional<Balanced> even;
        if (plan.balanced) even.emplace(balance(target, drawn));
        const auto check = [&] { pool.check(thread); };
        Made made;
        made.tree = grow(frame, even ? even->target : target, own, 1, tuning, check, nullptr,
                         {drawn, ranks ? &*ranks : nullptr, values.get(), plan.ccp_alpha == 0})
                        .tree;
        if (plan.ccp_alpha > 0) made.tree = pruned(made.tree, plan.ccp_alpha);
        if (tally && sample) {
            std::size_t seen = 0;
            for (std::uint32_t row = 0; row < frame.n_rows(); ++row)
                if (seen < sample->rows.size() && sample->rows[seen] == row)
                    ++seen;
                else
                    made.unseen.push_back(row);
            made.leaf.resize(made.unseen.size());
            Pool alone(1);
            route(made.tree, frame, made.unseen, alone, made.leaf);
        }
        return made;
    };
    // Any thread makes a tree; they are taken over in order, so sums of doubles have one order.
    std::map<int, Made> waiting;
    std::mutex mutex;
    std::atomic<bool> stopped{false};
    int next = 0;
    pool.run(plan.n_trees, [&](std::int64_t i, int thread) {
        if (stopped) return;
        Made made = make(plan.first + static_cast<int>(i), thread);
        std::lock_guard lock(mutex);
        waiting.emplace(static_cast<int>(i), std::move(made));
        try {
            for (auto it = waiting.find(next); it != waiting.end() && !stopped; it = waiting.find(++next)) {
                forest.add(it->second.tree);
                if (next == 0) forest.expect(plan.n_trees - 1);
                if (tally) tally->add(it->second);
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
