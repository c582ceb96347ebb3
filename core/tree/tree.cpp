#include "tree/tree.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace bosco {
namespace {

// Where something is looked at; made into words only if it is wrong.
struct Place {
    const char* of = nullptr;
    const char* unit = nullptr;
    std::size_t number = 0;
};

void require(bool good, const char* what, Place place = {}) {
    if (good) return;
    std::string said = std::string("this is not a sound tree: ") + what;
    if (place.of) said += std::string(" of ") + place.of;
    if (place.unit) said += std::string(" at ") + place.unit + " " + std::to_string(place.number);
    throw Error(said);
}

void check_begin(const std::vector<std::int64_t>& begin, std::size_t nodes, std::int64_t end,
                 const char* name) {
    const Place of{name};
    require(begin.size() == nodes + 1 && begin[0] == 0 && begin[nodes] == end, "offsets", of);
    for (std::size_t i = 0; i < nodes; ++i) require(begin[i] <= begin[i + 1], "offsets", of);
}

}  // namespace

void check_pool(const TestPool& pool, const char* name) {
    const auto n = static_cast<std::size_t>(pool.size());
    const Place of{name};
    require(pool.column.size() == n && pool.branches.size() == n && pool.missing.size() == n &&
                pool.flip.size() == n,
            "arrays differ in length", of);
    require(pool.threshold_begin.size() == n + 1 && pool.jump_begin.size() == n + 1,
            "offsets differ in length", of);
    require(pool.threshold_begin[0] == 0 && pool.jump_begin[0] == 0, "offsets must begin at 0", of);
    for (std::size_t i = 0; i < n; ++i) {
        const Place at{name, "test", i};
        require(pool.kind[i] == 1 || pool.kind[i] == 2, "unknown kind", at);
        require(pool.column[i] >= 0, "negative column", at);
        require(pool.branches[i] >= 2, "fewer than two branches", at);
        // Turned round, the two sides of one threshold change places; more sides have no places.
        require(pool.flip[i] == 0 || (pool.flip[i] == 1 && pool.kind[i] == 1 && pool.branches[i] == 2),
                "only a binary cut is flipped", at);
        require(pool.missing[i] >= -1 && pool.missing[i] < pool.branches[i], "missing branch out of range",
                at);
        require(pool.threshold_begin[i] <= pool.threshold_begin[i + 1] &&
                    pool.jump_begin[i] <= pool.jump_begin[i + 1],
                "offsets decrease", at);
    }
    require(pool.threshold_begin[n] == static_cast<std::int64_t>(pool.thresholds.size()) &&
                pool.jump_begin[n] == static_cast<std::int64_t>(pool.jumps.size()),
            "offsets end elsewhere", of);
    for (std::size_t i = 0; i < n; ++i) {
        const Place at{name, "test", i};
        const auto t0 = static_cast<std::size_t>(pool.threshold_begin[i]);
        const auto t1 = static_cast<std::size_t>(pool.threshold_begin[i + 1]);
        const auto j0 = static_cast<std::size_t>(pool.jump_begin[i]);
        const auto j1 = static_cast<std::size_t>(pool.jump_begin[i + 1]);
        if (pool.kind[i] == 1) {
            // A branch for the missing values alone is one more than the thresholds make.
            const auto cuts = static_cast<std::int64_t>(t1 - t0);
            require(cuts >= 1 && (cuts + 1 == pool.branches[i] ||
                                  (cuts + 2 == pool.branches[i] && pool.missing[i] == cuts + 1)),
                    "thresholds do not fit the branches", at);
            require(j0 == j1, "a cut with jumps", at);
            for (std::size_t k = t0; k < t1; ++k) {
                require(!std::isnan(pool.thresholds[k]), "a threshold is NaN", at);
                require(k == t0 || pool.thresholds[k - 1] < pool.thresholds[k], "thresholds do not increase",
                        at);
            }
        } else {
            require(t0 == t1 && j1 > j0, "a map without jumps", at);
            for (std::size_t k = j0; k < j1; ++k)
                require(pool.jumps[k] < static_cast<std::uint32_t>(pool.branches[i]), "a jump leads nowhere",
                        at);
        }
    }
}

void Tree::reserve(std::size_t nodes, std::size_t slots, bool lean) {
    test.reserve(nodes);
    n_children.reserve(nodes);
    tally.reserve(nodes * slots);
    surrogate_begin.reserve(nodes + 1);
    tests.reserve(nodes / 2);
    known.reserve(nodes);
    if (lean) return;
    count.reserve(nodes);
    impurity.reserve(nodes);
    gain.reserve(nodes);
    candidate_begin.reserve(nodes + 1);
}

void Tree::check() const {
    const auto n = test.size();
    require(n >= 1, "no nodes");
    require(n_classes >= 0, "negative number of classes");
    require(parent.size() == n && first_child.size() == n && n_children.size() == n && count.size() == n &&
                known.size() == n && impurity.size() == n && gain.size() == n,
            "arrays differ in length");
    require(tally.size() == n * static_cast<std::size_t>(slots()), "tallies differ in length");
    require(value.size() == n * static_cast<std::size_t>(width()), "values differ in length");
    check_pool(tests, "tests");
    check_pool(surrogates, "surrogates");
    check_pool(candidates, "candidates");
    check_begin(surrogate_begin, n, surrogates.size(), "surrogates");
    check_begin(candidate_begin, n, candidates.size(), "candidates");
    require(candidate_gain.size() == static_cast<std::size_t>(candidates.size()) &&
                candidate_split_info.size() == candidate_gain.size() &&
                candidate_penalty.size() == candidate_gain.size(),
            "candidates differ in length");
    require(std::isfinite(center) && weight_scale > 0 && std::isfinite(weight_scale) && scale > 0 &&
                std::isfinite(scale) && count_scale >= 1 && count_scale <= 0x1p62,
            "a scale is out of range");
    require(parent[0] == -1, "the first node must be the root");
    for (std::size_t i = 0; i < n; ++i) {
        const Place at{nullptr, "node", i};
        require(known[i] >= 0 && count[i] >= 0, "a negative weight or count", at);
        for (auto s = surrogate_begin[i]; s < surrogate_begin[i + 1]; ++s)
            require(test[i] >= 0 && test[i] < tests.size() &&
                        surrogates.branches[static_cast<std::size_t>(s)] <=
                            tests.branches[static_cast<std::size_t>(test[i])],
                    "a surrogate leads nowhere", at);
    }
    // Every node but the root is the child of exactly one earlier node.
    std::vector<char> claimed(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const Place at{nullptr, "node", i};
        if (test[i] < 0) {
            require(n_children[i] == 0 && first_child[i] == -1, "a leaf with children", at);
            continue;
        }
        require(test[i] < tests.size(), "no such test", at);
        const auto branches = tests.branches[static_cast<std::size_t>(test[i])];
        require(n_children[i] == branches, "children do not fit the test", at);
        const std::int64_t first = first_child[i];
        require(first > static_cast<std::int64_t>(i) && first + branches <= static_cast<std::int64_t>(n),
                "children out of range", at);
        Wide shared = 0;  // what shares of missing rows are taken of
        for (std::int64_t c = first; c < first + branches; ++c) {
            const auto child = static_cast<std::size_t>(c);
            shared += known[child];
            require(!claimed[child] && parent[child] == static_cast<std::int32_t>(i),
                    "a child with another parent", at);
            claimed[child] = 1;
        }
        require(tests.missing[static_cast<std::size_t>(test[i])] != by_share ||
                    (shared > 0 && shared <= std::numeric_limits<Count>::max()),
                "no weight to share missing rows by", at);
    }
    for (std::size_t i = 1; i < n; ++i) require(claimed[i], "no parent", {nullptr, "node", i});
}

}  // namespace bosco
