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
    require(pool.column.size() == n && pool.branches.size() == n && pool.missing.size() == n &&
                pool.flip.size() == n,
            "arrays differ in length", {name});
    check_begin(pool.threshold_begin, n, static_cast<std::int64_t>(pool.thresholds.size()), name);
    check_begin(pool.jump_begin, n, static_cast<std::int64_t>(pool.jumps.size()), name);
    for (std::size_t i = 0; i < n; ++i) {
        const char* const flaw = pool.flip[i] > 1 ? "flip is neither 0 nor 1" : pool[i].flaw();
        require(flaw == nullptr, flaw, {name, "test", i});
    }
}

void Tree::check() const {
    check_arrays();
    const auto n = test.size();
    require(std::isfinite(center) && weight_scale > 0 && std::isfinite(weight_scale) && scale > 0 &&
                std::isfinite(scale) && count_scale >= 1 && count_scale <= 0x1p62,
            "a scale is out of range");
    require(parent[0] == -1, "the first node must be the root");
    // Every node but the root is the child of exactly one earlier node.
    std::vector<char> claimed(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        check_node(i);
        for (const std::int32_t c : children(i)) {
            require(!claimed[c] && parent[c] == static_cast<std::int32_t>(i), "a child with another parent",
                    {nullptr, "node", i});
            claimed[c] = 1;
        }
    }
    for (std::size_t i = 1; i < n; ++i) require(claimed[i], "no parent", {nullptr, "node", i});
}

// Every array is as long as the others say, and the tests are sound.
void Tree::check_arrays() const {
    const auto n = test.size();
    require(n >= 1, "no nodes");
    require(n_classes >= 0, "negative number of classes");
    require(sums >= 1 && (sums == 1 || n_classes == 0), "another number of sums than can be");
    require(parent.size() == n && first_child.size() == n && n_children.size() == n && count.size() == n &&
                known.size() == n && impurity.size() == n && gain.size() == n,
            "arrays differ in length");
    require(tally.size() == n * slots(), "tallies differ in length");
    require(value.size() == n * width(), "values differ in length");
    check_pool(tests, "tests");
    check_pool(surrogates, "surrogates");
    check_pool(candidates, "candidates");
    check_begin(surrogate_begin, n, surrogates.size(), "surrogates");
    check_begin(candidate_begin, n, candidates.size(), "candidates");
    const auto n_candidates = static_cast<std::size_t>(candidates.size());
    require(candidate_gain.size() == n_candidates && candidate_split_info.size() == n_candidates &&
                candidate_penalty.size() == n_candidates,
            "candidates differ in length");
}

// A node holds something, and its test leads to nodes after it.
void Tree::check_node(std::size_t i) const {
    const Place at{nullptr, "node", i};
    require(known[i] >= 0 && count[i] >= 0, "a negative weight or count", at);
    if (test[i] < 0) {
        require(n_children[i] == 0 && first_child[i] == -1, "a leaf with children", at);
        require(surrogate_begin[i] == surrogate_begin[i + 1], "a surrogate leads nowhere", at);
        return;
    }
    require(test[i] < tests.size(), "no such test", at);
    const TestView asked = tests[test[i]];
    require(n_children[i] == asked.branches, "children do not fit the test", at);
    require(first_child[i] > static_cast<std::int64_t>(i) &&
                std::int64_t{first_child[i]} + asked.branches <= n_nodes(),
            "children out of range", at);
    for (auto s = surrogate_begin[i]; s < surrogate_begin[i + 1]; ++s)
        require(surrogates.branches[s] <= asked.branches, "a surrogate leads nowhere", at);
    Wide shared = 0;  // what shares of missing rows are taken of
    for (const std::int32_t c : children(i)) shared += known[c];
    require(asked.missing != by_share || (shared > 0 && shared <= std::numeric_limits<Count>::max()),
            "no weight to share missing rows by", at);
}

}  // namespace bosco
