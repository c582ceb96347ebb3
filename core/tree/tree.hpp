// A learned tree: an immutable value of parallel arrays. Children are contiguous and numbered
// after their parent, so a reverse loop is post-order.
#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "data/error.hpp"
#include "data/tally.hpp"
#include "grow/frontier.hpp"
#include "score/test.hpp"

namespace bosco {

struct Tree {
    int n_classes = 0;  // 0: a real target
    int sums = 1;       // of a real target; more than one: of several outputs
    double weight_scale = 1, count_scale = 1, center = 0, scale = 1;

    std::vector<std::int32_t> test;  // index into tests, -1: leaf
    std::vector<std::int32_t> parent, first_child, n_children;
    std::vector<Count> tally;  // n_nodes * slots()
    std::vector<Count> count;
    std::vector<Count> known;   // weight that came by its own value; others are shared out so
    std::vector<double> value;  // n_nodes * width()
    std::vector<double> impurity, gain;

    TestPool tests;
    TestPool surrogates;
    std::vector<std::int64_t> surrogate_begin;
    TestPool candidates;
    std::vector<std::int64_t> candidate_begin;
    std::vector<double> candidate_gain, candidate_split_info, candidate_penalty;

    std::int32_t n_nodes() const { return static_cast<std::int32_t>(test.size()); }
    int slots() const { return n_classes > 0 ? n_classes : 1 + sums; }
    int width() const { return n_classes > 0 ? n_classes : sums; }
    bool leaf(std::int64_t i) const { return test[i] < 0; }
    std::ranges::iota_view<std::int32_t, std::int32_t> children(std::int64_t i) const {
        return {first_child[i], first_child[i] + n_children[i]};
    }
    // What decides the branches' shares of the rows without a value.
    std::span<const Count> known_below(std::int64_t i) const {
        return {known.data() + first_child[i], static_cast<std::size_t>(n_children[i])};
    }
    const Count* tally_at(std::int64_t i) const { return tally.data() + i * slots(); }
    Count weight(std::int64_t i) const { return Shape{n_classes, false}.weight(tally_at(i)); }

    // Throws Error unless every index, size and order is sound. Trees from outside pass here.
    void check() const;

private:
    void check_arrays() const;
    void check_node(std::size_t i) const;
};

// What the leaves have is summed up a tree; `width` numbers a node.
template <class Number>
void sum_up(std::span<const std::int32_t> parent, std::vector<Number>& sums, std::size_t width) {
    if (sums.empty()) return;
    for (std::size_t i = parent.size(); i-- > 1;)
        for (std::size_t k = 0; k < width; ++k) sums[parent[i] * width + k] += sums[i * width + k];
}

// Throws Error unless the arrays of a pool agree and every test is sound.
void check_pool(const TestPool& pool, const char* name);

// Inner nodes with cut[i] become leaves; what hangs below them goes. The order is kept. With
// stand-ins, node i gets the test and the branches of node stand_in[i], itself or one below it; what
// the nodes hold is then to be counted again (retally.hpp).
Tree prune(const Tree& tree, const std::vector<char>& cut, const std::vector<std::int32_t>& stand_in = {});

// The tree in which a node and all below it are those of another tree; nodes are numbered as a growth in
// this order would.
Tree graft(const Tree& tree, const std::vector<std::int32_t>& at_nodes, const std::vector<const Tree*>& below,
           Order order);

// The numbers that nodes have after such a pruning, -1 for those that go.
std::vector<std::int32_t> survivors(const Tree& tree, const std::vector<char>& cut,
                                    const std::vector<std::int32_t>& stand_in = {});

// Bottom-up: a node is cut where it costs no more as a leaf than its test and its branches, pruned
// already, do together; `kept` is what those cost.
struct Collapsed {
    std::vector<char> cut;
    std::vector<double> kept;
};
Collapsed collapse(const Tree& tree, const std::vector<double>& as_leaf, const std::vector<double>& of_test);

// What is weighed so by minimum description length: the bits that tell the classes of a node's rows, and
// those that tell its test among those of so many columns.
struct Description {
    std::vector<double> as_leaf, of_test;
};
Description description_bits(const Tree& tree, int n_columns);

// How likely chance alone parts the rows of a node as its test does: chi-square of branches and classes, F
// for a real target. 1 for leaves.
std::vector<double> p_values(const Tree& tree);

// For every node the sum, the least or the most of the values of its whole subtree; downwards, of
// itself and all nodes above it.
enum class Fold : std::uint8_t { sum, least, most };
std::vector<double> fold(const Tree& tree, std::vector<double> values, Fold how, bool downwards = false);

// The sequence of cost-complexity prunings: at alpha[k] the tree with leaves[k] leaves and total
// risk risk[k] becomes the best; node i is collapsed at cut_at[i] (infinity: never, or a leaf).
struct WeakestLinks {
    std::vector<double> alpha, risk, cut_at;
    std::vector<std::int32_t> leaves;
};
WeakestLinks weakest_links(const Tree& tree, const std::vector<double>& risk);

}  // namespace bosco
