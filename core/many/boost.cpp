#include "many/boost.hpp"

#include <optional>

#include "grow/grow.hpp"
#include "many/stump.hpp"
#include "score/functions.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

// Grows the trees of the rounds, and knows where the rows end in each.
class Learner {
public:
    Learner(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
            const Tuning& tuning, Pool& pool, const std::function<void()>& poll, Frame* consumed)
        : frame_(frame),
          target_(target),
          growth_(growth),
          n_threads_(n_threads),
          tuning_(tuning),
          pool_(pool),
          poll_(poll) {
        if (Stumps::suits(growth))
            stumps_.emplace(frame, target, growth, tuning, pool);
        else
            routed_.resize(frame.n_rows());
        if (stumps_ && consumed != nullptr) consumed->release_codes();
    }
    Tree grow(int round) {
        growth_.tree = static_cast<std::uint64_t>(round);
        if (stumps_) return stumps_->grow(growth_.tree);
        Tree tree = bosco::grow(frame_, target_, growth_, n_threads_, tuning_, poll_).tree;
        route(tree, frame_, pool_, routed_);
        return tree;
    }
    const std::vector<std::int32_t>& leaves() const { return stumps_ ? stumps_->leaves() : routed_; }

private:
    const Frame& frame_;
    const Target& target_;
    Growth growth_;
    int n_threads_;
    const Tuning& tuning_;
    Pool& pool_;
    const std::function<void()>& poll_;
    std::optional<Stumps> stumps_;
    std::vector<std::int32_t> routed_;
};

}  // namespace

std::optional<Vote> vote(double right, double wrong, int n_classes, double learning_rate) {
    const auto k = static_cast<double>(n_classes);
    if (wrong / (right + wrong) >= 1 - 1 / k - least_edge) return std::nullopt;
    const double odds = right / wrong * (k - 1);
    const double bits = learning_rate * log2_fixed(odds);
    return Vote{bits * ln2, learning_rate == 1 ? odds : exp2_fixed(bits)};
}

Boosted boost(const Frame& frame, std::span<const std::uint32_t> classes, int n_classes, const Growth& growth,
              const BoostPlan& plan, int n_threads, const Tuning& tuning, const std::function<void()>& poll,
              const std::function<bool(const BoostRound&)>& heard, Frame* consumed) {
    const std::size_t n = frame.n_rows();
    if (classes.size() != n || plan.share.size() != n || (!plan.times.empty() && plan.times.size() != n))
        throw Error("rows, classes and weights differ in number");
    Pool pool(n * frame.n_columns() < 50000 ? 1 : n_threads, poll);
    Weighing weights(plan.share, plan.times, pool);
    Target target;
    target.classes = classes;
    target.n_classes = n_classes;
    target.weight = weights.fixed();
    target.weight_scale = static_cast<double>(std::int64_t{1} << boost_bits);
    std::vector<Count> ones;
    if (plan.count_samples) {
        if (plan.times.empty()) ones.assign(n, 1);
        target.count = plan.times.empty() ? std::span<const Count>(ones) : plan.times;
    }
    Learner learner(frame, target, growth, n_threads, tuning, pool, poll, consumed);
    Boosted result;
    for (int round = 0; round < plan.n_rounds; ++round) {
        pool.check(0);
        BoostRound now;
        now.tree = learner.grow(round);
        const auto [right, wrong] = weighed(now.tree);
        now.tree.count = weights.mark(now.tree, learner.leaves(), classes, pool);
        const auto dr = static_cast<double>(right), dw = static_cast<double>(wrong);
        now.error = result.last_error = dw / (dr + dw);
        for (const auto row : plan.watched) now.watched.push_back(weights.weight(row));
        if (wrong == 0) {
            result.rounds.push_back(std::move(now));
            result.ended = Ended::perfect;
            if (heard) heard(result.rounds.back());
            break;
        }
        const auto say = vote(dr, dw, n_classes, plan.learning_rate);
        if (!say) {
            result.ended = Ended::chance;
            break;
        }
        now.log_odds = say->log_odds;
        weights.multiply(right, wrong, say->times, pool);
        result.rounds.push_back(std::move(now));
        if (heard && !heard(result.rounds.back())) {
            result.ended = Ended::asked;
            break;
        }
    }
    return result;
}

}  // namespace bosco
