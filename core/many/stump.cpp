#include "many/stump.hpp"

#include <algorithm>
#include <optional>

#include "data/random.hpp"
#include "grow/sprout.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 8192;

}  // namespace

Stumps::Stumps(const Frame& frame, const Target& target, const Growth& growth, const Tuning& tuning,
               Pool& pool)
    : target_(target),
      growth_(growth),
      tuning_(tuning),
      pool_(pool),
      rows_(frame, target, false, pool),
      layout_(rows_),
      order_(frame.n_columns()),
      evaluator_(rows_, growth_, layout_, tuning),
      scratch_(static_cast<std::size_t>(pool.size())),
      branch_(frame.n_rows(), 0) {
    evaluator_.remember(&order_);
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) columns_.push_back(j);
}

template <class Work>
void Stumps::each_block(const Work& work) {
    const std::size_t n = rows_.n_rows();
    pool_.run(static_cast<std::int64_t>((n + block_rows - 1) / block_rows), [&](std::int64_t b, int thread) {
        const std::size_t first = static_cast<std::size_t>(b) * block_rows;
        work(first, std::min(n, first + block_rows), static_cast<std::size_t>(thread));
    });
}

template <class Branch>
std::vector<Count> Stumps::tallies(std::size_t branches, const Branch& branch) {
    const auto slots = static_cast<std::size_t>(rows_.shape().slots());
    std::vector<std::vector<Count>> own(scratch_.size(), std::vector<Count>(branches * slots, 0));
    each_block([&](std::size_t first, std::size_t last, std::size_t thread) {
        Count* const to = own[thread].data();
        for (std::size_t i = first; i < last; ++i) {
            const std::byte* r = record(i);
            rows_.add_to(to + branch(i, r) * slots, r);
        }
    });
    for (std::size_t t = 1; t < own.size(); ++t)
        for (std::size_t i = 0; i < own[0].size(); ++i) own[0][i] += own[t][i];  // whole numbers: any order
    return std::move(own[0]);
}

// The histogram of all columns, where there are rows enough for one.
const std::uint64_t* Stumps::count() {
    const bool draws = growth_.max_features >= 0 && growth_.max_features < static_cast<int>(columns_.size());
    if (rows_.n_rows() <= tuning_.small_rows || draws) return nullptr;
    histogram_.resize(layout_.size());
    const auto parts = static_cast<std::size_t>(pool_.size());
    const std::size_t d = columns_.size();
    pool_.run(static_cast<std::int64_t>(parts), [&](std::int64_t i, int) {
        const std::size_t a = d * static_cast<std::size_t>(i) / parts;
        const std::size_t b = d * (static_cast<std::size_t>(i) + 1) / parts;
        if (a < b)
            tabulate(rows_, layout_, rows_.all(), std::span(columns_).subspan(a, b - a), histogram_.data());
    });
    return histogram_.data();
}

Tree Stumps::grow(std::uint64_t round, std::vector<std::uint8_t>& wrong) {
    growth_.tree = round;
    each_block([&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) rows_.set_share(record(i), 1);
    });
    const Shape shape = rows_.shape();
    const auto slots = static_cast<std::size_t>(shape.slots());
    Nursery nursery;
    const auto plant = [&](Sprout& s, const Count* tally) {
        s.tally = nursery.counts(slots);
        std::copy_n(tally, slots, s.tally);
        s.impurity = impurity_of(growth_.criterion, shape, tally, 0);
    };
    Sprout* const root = nursery.sprouts(1);
    plant(*root, tallies(1, [](std::size_t, const std::byte*) { return std::size_t{0}; }).data());
    const Stop stop(growth_, target_, 1.0, shape.weight(root->tally));
    const int most = shape.majority(root->tally);
    std::vector<std::uint32_t> says{static_cast<std::uint32_t>(most)};

    std::optional<Test> test;
    if (!stop.leaf(root->tally, shape.only_class(root->tally) >= 0, 0)) {
        const Judge judge(growth_.criterion, shape, root->tally);
        const Node node = stop.node(judge, *root, mix(growth_.seed, round));
        Refined refined;
        auto candidates =
            evaluator_.candidates(rows_.all(), node, 0, {}, count(), pool_, true, scratch_, 0, refined);
        const int best = choose(candidates, node, growth_);
        if (best >= 0) {
            Candidate& choice = candidates[static_cast<std::size_t>(best)];
            evaluator_.locate(rows_.all(), choice);
            root->decrease = choice.decrease;
            take_test(*root, choice, growth_.threshold, nursery);
            test = test_of(choice, growth_.threshold);
        }
    }
    split_ = test.has_value();
    if (split_) {
        const Sorter sorter(rows_, *test, nullptr);
        const auto k = static_cast<std::size_t>(test->branches);
        const auto parts = tallies(k, [&](std::size_t i, const std::byte* r) {
            branch_[i] = static_cast<std::uint32_t>(sorter.branch(r));
            return std::size_t{branch_[i]};
        });
        says.clear();
        for (std::size_t b = 0; b < k; ++b) {
            plant(root->children[b], parts.data() + b * slots);
            const Count* tally = root->children[b].tally;
            says.push_back(
                static_cast<std::uint32_t>(shape.weight(tally) > 0 ? shape.majority(tally) : most));
        }
    } else {
        std::fill(branch_.begin(), branch_.end(), 0u);
    }
    sums_ = {0, 0};
    for (std::size_t b = 0; b < says.size(); ++b) {
        const Count* tally = split_ ? root->children[b].tally : root->tally;
        sums_.first += tally[says[b]];
        sums_.second += shape.weight(tally) - tally[says[b]];
    }
    each_block([&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) wrong[i] = says[branch_[i]] != target_.classes[i];
    });
    return lay_out(root, growth_, Scales(target_, stop.unit()));
}

}  // namespace bosco
