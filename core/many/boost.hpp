// AdaBoost over trees (docs/forests.md). Weights are doubles per row, a pure function of which
// learners the row got right; each round reads them in fixed point, so that its tallies are exact
// (weighing.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/target.hpp"
#include "grow/tuning.hpp"
#include "many/weighing.hpp"
#include "score/growth.hpp"
#include "tree/tree.hpp"

namespace bosco {

constexpr double least_edge = 0x1p-30;  // a learner must beat chance by more than rounding could

struct BoostPlan {
    int n_rounds = 50;
    double learning_rate = 1;
    std::span<const double> share;           // weight of one sample of each row; with `times` they sum to 1
    std::span<const Count> times;            // samples of each row; empty: one
    std::span<const std::uint32_t> watched;  // rows whose weights are noted
    bool count_samples = false;              // limits of growth go by samples, not only by presence
};

struct BoostRound {
    Tree tree;
    double error = 0;             // weighted
    double log_odds = 0;          // rate * (ln((1 - error) / error) + ln(classes - 1)); 0 if error is 0
    std::vector<double> watched;  // weights before the round
};

// Why the rounds ended.
enum class Ended : std::uint8_t { all_done, perfect, chance, asked };

struct Boosted {
    std::vector<BoostRound> rounds;  // those that count; if the last is perfect, it alone decides
    Ended ended = Ended::all_done;
    double last_error = 0;  // of the learner that ended it, kept or not
};

// `heard` is told of every round that counts and returns false to stop after it. If the frame is named as
// `consumed` too, its codes are given back where the rows have them.
Boosted boost(const Frame& frame, std::span<const std::uint32_t> classes, int n_classes, const Growth& growth,
              const BoostPlan& plan, int n_threads, const Tuning& tuning, const std::function<void()>& poll,
              const std::function<bool(const BoostRound&)>& heard, Frame* consumed = nullptr);

// What a learner's vote counts, by the weight of the rows that it has right and wrong (more than 0); none if
// it is no better than chance. Wrong rows are then multiplied by `times`, and all so that they sum to 1
// again.
struct Vote {
    double log_odds, times;
};
std::optional<Vote> vote(double right, double wrong, int n_classes, double learning_rate);

}  // namespace bosco
