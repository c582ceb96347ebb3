#include "many/boost.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "grow/grow.hpp"
#include "many/stump.hpp"
#include "score/functions.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

constexpr double whole = static_cast<double>(std::int64_t{1} << boost_bits);
// Weights: a double for one sample of each row, and the round's whole numbers.
class Weighing {
public:
    Weighing(const BoostPlan& plan, Pool& pool)
        : plan_(plan), pool_(pool), share_(plan.share.begin(), plan.share.end()), fixed_(share_.size()) {}

    std::span<const Count> fixed() const { return fixed_; }
    double share(std::size_t row) const { return share_[row]; }
    Count times(std::size_t row) const { return plan_.times.empty() ? 1 : plan_.times[row]; }

    void fix() {
        each_block([&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t i = first; i < last; ++i) fix(i);
        });
    }
    // Which rows are wrong, by what their leaves say; returns the weight of the right ones, and of these.
    // Every node gets the samples that it holds, which the round's weights do not tell.
    std::pair<Count, Count> mark(Tree& tree, const std::vector<std::int32_t>& leaf,
                                 std::span<const std::uint32_t> classes, std::vector<std::uint8_t>& wrong) {
        const auto width = static_cast<std::size_t>(tree.width());
        const std::size_t n_nodes = tree.test.size();
        std::pair<Count, Count> sum{0, 0};
        std::vector<std::uint32_t> says;
        for (std::size_t i = 0; i < n_nodes; ++i) {
            says.push_back(static_cast<std::uint32_t>(heaviest(tree.value.data() + i * width, tree.width())));
            if (tree.test[i] >= 0) continue;
            const Count* const tally = tree.tally.data() + i * width;
            sum.first += tally[says[i]];
            sum.second += std::accumulate(tally, tally + width, Count{0}) - tally[says[i]];
        }
        std::vector<std::vector<Count>> counts(static_cast<std::size_t>(pool_.size()),
                                               std::vector<Count>(n_nodes, 0));
        each_block([&](std::size_t first, std::size_t last, std::size_t thread) {
            Count* const count = counts[thread].data();
            for (std::size_t i = first; i < last; ++i) {
                const auto at = static_cast<std::size_t>(leaf[i]);
                wrong[i] = says[at] != classes[i];
                count[at] += times(i);
            }
        });
        for (std::size_t t = 1; t < counts.size(); ++t)
            for (std::size_t i = 0; i < n_nodes; ++i) counts[0][i] += counts[t][i];
        for (std::size_t i = n_nodes; i-- > 1;)  // children come after their parent
            counts[0][static_cast<std::size_t>(tree.parent[i])] += counts[0][i];
        tree.count = std::move(counts[0]);
        return sum;
    }
    void multiply(const std::vector<std::uint8_t>& wrong, double if_right, double if_wrong) {
        each_block([&](std::size_t first, std::size_t last, std::size_t) {
            for (std::size_t i = first; i < last; ++i) {
                share_[i] *= wrong[i] ? if_wrong : if_right;
                fix(i);
            }
        });
    }

private:
    void fix(std::size_t i) {
        const auto one = static_cast<Count>(share_[i] * whole + 0.5);
        fixed_[i] = times(i) * std::max<Count>(1, one);
    }
    template <class Work>
    void each_block(const Work& work) {
        bosco::each_block(pool_, share_.size(), work);
    }

    const BoostPlan& plan_;
    Pool& pool_;
    std::vector<double> share_;
    std::vector<Count> fixed_;
};

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
    Weighing weights(plan, pool);
    weights.fix();
    Target target;
    target.classes = classes;
    target.n_classes = n_classes;
    target.weight = weights.fixed();
    target.weight_scale = whole;
    std::vector<Count> ones;
    if (plan.count_samples) {
        if (plan.times.empty()) ones.assign(n, 1);
        target.count = plan.times.empty() ? std::span<const Count>(ones) : plan.times;
    }
    Learner learner(frame, target, growth, n_threads, tuning, pool, poll, consumed);
    std::vector<std::uint8_t> wrong(n, 0);
    Boosted result;
    for (int round = 0; round < plan.n_rounds; ++round) {
        pool.check(0);
        BoostRound now;
        now.tree = learner.grow(round);
        const auto [right, bad] = weights.mark(now.tree, learner.leaves(), classes, wrong);
        const auto dr = static_cast<double>(right), db = static_cast<double>(bad);
        now.error = result.last_error = db / (dr + db);
        for (const auto row : plan.watched)
            now.watched.push_back(weights.share(row) * static_cast<double>(weights.times(row)));
        if (bad == 0) {
            result.rounds.push_back(std::move(now));
            result.ended = Ended::perfect;
            if (heard) heard(result.rounds.back());
            break;
        }
        const auto say = vote(dr, db, n_classes, plan.learning_rate);
        if (!say) {
            result.ended = Ended::chance;
            break;
        }
        now.log_odds = say->log_odds;
        const double if_right = whole / (dr + db * say->times);
        weights.multiply(wrong, if_right, if_right * say->times);
        result.rounds.push_back(std::move(now));
        if (heard && !heard(result.rounds.back())) {
            result.ended = Ended::asked;
            break;
        }
    }
    return result;
}

}  // namespace bosco
