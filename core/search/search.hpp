// The best small tree: of all trees up to a depth and a number of leaves, over all tests of a stated family,
// the one with the least `errors + alpha * leaves`; of those that are equal the one with the fewest leaves,
// then the one whose first test comes first (Question), then that of its left side, of its right side.
//
//   cases     the rows, as exact ranks            chains    the tests of a group of rows
//   group     the rows of a subproblem, sorted    interval  what tests between two known ones cost at least
//   sweep     32 tests in one pass of a column    pair      the best tree with two levels of tests
//   front     the tests that are still open       solver    the best tree with more
//   search    all of it, on several threads       sapling   the tree, as the rest of the core knows it
//   count     how many trees cost little more
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "search/cases.hpp"
#include "search/objective.hpp"

namespace bosco::search {

struct Wanted {
    int max_depth = 3;
    std::int64_t max_leaf_nodes = std::numeric_limits<std::int64_t>::max();
    Count min_samples_leaf = 1;
    Price alpha;                        // of a leaf
    bool subsets = true;                // of levels; or one against the rest only
    std::optional<std::uint32_t> root;  // the column that the first test is to ask
    std::int64_t work_limit = std::numeric_limits<std::int64_t>::max();
    double time_limit = std::numeric_limits<double>::infinity();  // seconds
    int vector_bytes = 64;  // at most; what is found does not depend on it
};

struct Node {
    bool leaf = true;
    Question question;
    std::int32_t left = -1, right = -1;
};

enum class End : std::uint8_t { proved, work, time, asked };  // why the search ended

inline const char* word_of(End end) {
    switch (end) {
        case End::proved: return "proved";
        case End::work: return "work_limit";
        case End::time: return "time_limit";
        case End::asked: break;
    }
    return "interrupted";
}

struct Found {
    std::vector<Node> nodes;  // children after their parent; none: no tree asks the column first, or none was
                              // found before the end
    Count wrong = 0;          // weight that the tree gets wrong
    std::int64_t leaves = 1;
    // errors + alpha * leaves, in parts of a unit of weight: of the tree; no tree has less.
    Count objective = 0, bound = 0;
    End end = End::proved;
    std::int64_t work = 0;
};

// `asked` is called now and then on the calling thread: does somebody want to stop? The best tree so far is
// found in any case.
Found search(const Cases& cases, const Wanted& wanted, int n_threads, const std::function<bool()>& asked);

}  // namespace bosco::search
