// Many trees as one compact value: sixteen bytes a node, leaves that say the same share their tally.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "data/sample.hpp"
#include "data/target.hpp"
#include "grow/tuning.hpp"
#include "many/interned.hpp"
#include "score/growth.hpp"
#include "score/test.hpp"
#include "tree/hop.hpp"
#include "tree/tree.hpp"

namespace bosco {

struct Forest {
    int n_classes = 0;
    double weight_scale = 1, center = 0, scale = 1;
    Criterion criterion = Criterion::gini;
    std::vector<std::int64_t> begin{0};  // of each tree's nodes
    // Children are numbered within their tree. A leaf has the number of its tally in `what`, and its own sum
    // of y in `slot` (as bits); `first` is -2 if it is empty: it says what the last node above it says that
    // has rows.
    std::vector<Hop> nodes;
    // Of medians, which no tally says: what each node says, and what its test gains. Else empty.
    std::vector<double> value, gain;
    TestPool tests;              // those that are not a binary cut, each once
    std::vector<Count> tallies;  // of leaves, each once: per class, or the weight alone

    int n_trees() const { return static_cast<int>(begin.size()) - 1; }
    std::size_t tally_width() const { return n_classes > 0 ? static_cast<std::size_t>(n_classes) : 1; }
    std::size_t value_width() const { return tally_width(); }
    bool medians() const { return criterion.medians(); }
    // What a leaf of a real target says.
    double number(const Hop& leaf) const {
        if (medians()) return value[static_cast<std::size_t>(&leaf - nodes.data())];
        const auto weight = static_cast<double>(tallies[leaf.what]);
        return center + static_cast<double>(leaf.bits()) / weight / scale;
    }
    std::size_t bytes() const;

    // An empty one, whose trees will be grown on such a target.
    static Forest like(const Target& target, const Growth& growth, bool balanced);

    // Adds a tree; its inner tallies are sums of its leaves', and are not kept.
    void add(const Tree& tree);
    // Makes room for so many trees like the last, so that nodes need not be moved.
    void expect(int n_trees);
    // A tree in full. Impurities of a real target are not known to a forest: they are 0.
    Tree tree(int t) const;
    // The same with a test for each node, in the order of nodes, as files have them; and back.
    Forest apart() const;
    void share();
    // Throws Error unless every index is sound. Forests from outside pass here.
    void check() const;

private:
    void check_node(const Hop& node, std::size_t i, std::vector<char>& claimed) const;
    void check_medians() const;
    std::uint32_t intern(const Count* tally);
    std::int32_t intern(const TestView& test);
    Interned known_tallies_, known_tests_;
    std::size_t met_ = 0;  // tallies that are known
};

// What a tree's leaf says of a row: its shares, or all for its heaviest class.
enum class Vote : std::uint8_t { mean, mode };

// How the trees are sampled.
struct Plan {
    int first = 0, n_trees = 0;  // trees are numbered on, so that a forest can be grown further
    std::size_t sample = 0;      // rows a tree
    bool sampled = false, replace = true;
    std::span<const std::uint32_t> order;  // rows by key; empty: by number
    bool balanced = false;                 // in every sample the classes weigh the same; see `balance`
    double ccp_alpha = 0;                  // each tree is pruned by cost and complexity
    Vote vote = Vote::mean;                // of rows out of the bag
};

// A target whose classes weigh the same in a sample. Weights are in units 2^balance_bits finer.
inline constexpr int balance_bits = 10;
struct Balanced {
    Target target;
    std::vector<Count> weight, count;
};
Balanced balance(const Target& target, const Sample* sample);
// What the weights of each class are multiplied with, in those units, given what a sample has of it.
std::vector<Count> balance_factors(const std::vector<Count>& in_class);

// What the sample of a tree is drawn by.
inline std::uint64_t sample_key(std::uint64_t seed, std::uint64_t tree) {
    return mix(mix(seed, tree), 0x5a3b1e);
}
// The sample of one tree: a pure function of its number.
Sample sample_of(const Plan& plan, const Growth& growth, std::size_t n_rows, int tree);

// A tree without the branches that cost more, leaf by leaf, than they bring.
Tree pruned(const Tree& tree, double alpha);

// What the trees say of the rows that they have not seen.
struct OutOfBag {
    std::vector<double> sum;                // per row: shares (votes), or the mean, summed over trees
    std::vector<std::uint32_t> trees;       // per row: how many have not seen it
    std::vector<double> tree_score, curve;  // accuracy or mean squared error: of each tree, of all so far
};

// Grows trees and adds them to a forest, in order. `grown` hears of each (under a lock, on any
// thread) and returns false to stop.
void grow_forest(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                 int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                 const std::function<bool(int)>& grown, Forest& forest, OutOfBag* out_of_bag);

// The same trees in full, each with all that its nodes hold: of several outputs, which a forest does not
// keep.
std::vector<Tree> grow_trees(const Frame& frame, const Target& target, const Growth& growth, const Plan& plan,
                             int n_threads, const Tuning& tuning, const std::function<void()>& poll,
                             const std::function<bool(int)>& grown);

// What each tree's leaf says, summed over trees with weights: shares (or one-hot votes), or means.
void sum_votes(const Forest& forest, const Frame& frame, std::span<const double> tree_weight, Vote vote,
               Pool& pool, std::span<double> out);

// The same for a few rows of a matrix, made ready in no time. All tests must be binary cuts.
template <class T>
void vote_few(const Forest& forest, const T* x, std::size_t n, std::size_t n_columns, std::int64_t row_step,
              std::int64_t column_step, std::span<const double> tree_weight, Vote vote,
              std::span<double> out);

}  // namespace bosco
