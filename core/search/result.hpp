// What a search of a group found: how little its best tree costs, and how to make that tree.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "search/cases.hpp"
#include "search/objective.hpp"

namespace bosco::search {

// A tree in the making. A leaf has nothing; an inner node its test and its sides; a bottom its first test, if
// that is known: what is below is found again when the tree is made, which takes one look.
struct Plan;
using PlanRef = std::shared_ptr<const Plan>;
struct Plan {
    std::optional<Question> question;
    PlanRef left, right;
    int depth = 0;  // of a bottom, 1 or 2; 0: not one
    std::int64_t leaves = 1;
};

struct Result {
    Cost low = 0;   // no tree costs less
    Cost free = 0;  // nor one whose leaves may hold any number of samples: what neighbours can rely on
    Cost cost = unreachable;
    std::optional<Question> question;  // the first test of the best tree, if it has one that is known
    bool leaf = true;
    PlanRef plan;
};

// The first tests that were best last time, by depth and side: good guesses for the next group.
constexpr int most_depth = 20;
using Hints = std::array<std::array<std::optional<Question>, 2>, most_depth + 1>;

}  // namespace bosco::search
