// Nodes while the tree grows (the finished tree is arrays: tree.hpp), and how they become one.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "grow/rows.hpp"
#include "score/growth.hpp"
#include "score/propose.hpp"
#include "tree/tree.hpp"

namespace bosco {

// The monotone bounds of a node's value.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

// What most nodes do not have.
struct Rarity {
    Bounds bounds;
    double says = 0;  // of medians: the answer, in fixed point
    Paid paid;
    Count shared = 0;  // weight that came by share, its own value missing
    std::vector<double> thresholds;
    std::vector<Test> surrogates;
    std::vector<Candidate> candidates;
};

struct Parcel;  // a finished subtree (packed.hpp)

// A large tree has millions of these: one cache line each.
struct Sprout {
    static constexpr std::int32_t packed = -1;  // in place of children: all below is in a parcel

    Sprout* children = nullptr;
    std::int32_t n_children = 0;
    std::int32_t column = -1;  // binary cuts and maps are kept here, cuts of more branches as a rarity
    std::int32_t missing = 0;
    std::uint32_t n_jumps = 0;  // of a map
    union {
        double threshold = 0;
        std::uint32_t* jumps;
        Parcel* parcel;
    };
    double decrease = 0;
    double impurity = 0;  // of y in fixed point
    Count* tally = nullptr;
    std::unique_ptr<Rarity> rarity;

    Rarity& rare() {
        if (!rarity) rarity = std::make_unique<Rarity>();
        return *rarity;
    }
    Bounds bounds() const { return rarity ? rarity->bounds : Bounds{}; }
};
static_assert(sizeof(Sprout) == 64);

// Memory for sprouts, tallies and jumps, one per thread; freed in one go.
class Nursery {
public:
    Sprout* sprouts(std::size_t n) { return take(sprouts_, sprouts_left_, n); }
    Count* counts(std::size_t n) { return take(counts_, counts_left_, n); }
    std::uint32_t* jumps(std::size_t n) { return take(jumps_, jumps_left_, n); }

private:
    template <class T>
    struct Left {
        T* at = nullptr;
        std::size_t n = 0;
    };
    template <class T>
    static T* take(std::deque<std::unique_ptr<T[]>>& chunks, Left<T>& left, std::size_t n) {
        if (left.n < n) {
            // Chunks grow with use, so a stump costs little and a large tree few allocations.
            const std::size_t usual = std::size_t{16} << std::min<std::size_t>(chunks.size(), 9);
            const std::size_t size = std::max(n, usual);
            chunks.push_back(std::make_unique<T[]>(size));
            left = {chunks.back().get(), size};
        }
        T* out = left.at;
        left.at += n;
        left.n -= n;
        return out;
    }
    std::deque<std::unique_ptr<Sprout[]>> sprouts_;
    std::deque<std::unique_ptr<Count[]>> counts_;
    std::deque<std::unique_ptr<std::uint32_t[]>> jumps_;
    Left<Sprout> sprouts_left_;
    Left<Count> counts_left_;
    Left<std::uint32_t> jumps_left_;
};

// ψ of a node, y in fixed point; `squares` is the sum of w y^2 (of all its numbers), or what stands beside it
// (criterion.hpp).
double impurity_of(Criterion criterion, Shape shape, const Count* tally, Wide squares);
// Is a real target the same number in all rows of a node?
bool one_number(Criterion criterion, const Count* tally, Wide squares);

// The threshold of a candidate's i-th cut, and the test it stands for.
double threshold_of(const Candidate& c, std::size_t i, Threshold rule);
Test test_of(const Candidate& c, Threshold rule);

// Gives a node the column that it asks, and children without anything in them: the threshold of a cut is
// still to be written.
void take_column(Sprout& s, std::int32_t column, std::int32_t branches, std::int32_t missing,
                 Nursery& nursery);
// The whole test.
void take_test(Sprout& s, const Candidate& c, Threshold rule, Nursery& nursery);
// The same of a map, whose jumps are still to be written.
void take_map(Sprout& s, std::uint32_t column, std::int32_t branches, std::int32_t missing,
              std::size_t n_jumps, Nursery& nursery);

// What tallies are measured in.
struct Scales {
    Scales(const Target& target, double samples)
        : shape(target.shape()),
          weight_scale(target.weight_scale),
          count_scale(samples),
          center(target.center),
          scale(target.scale),
          measure(target.measure()) {}

    Shape shape;
    double weight_scale, count_scale, center, scale;
    double measure;  // the unit of impurities and decreases

    // Of a decrease, and of an impurity, in fixed point: as trees have them.
    double gain(double decrease, Count weight) const {
        return std::max(0.0, decrease) / static_cast<double>(weight) / measure;
    }
    double real_impurity(double impurity) const {
        return measure == scale * scale ? impurity / scale / scale : impurity / measure;
    }
    // What a node says that holds this, and is not empty: the shares of the classes, or the mean, within
    // monotone bounds if there are any.
    void values(const Count* tally, double* to, const Bounds* within = nullptr) const {
        const auto w = static_cast<double>(shape.weight(tally));
        // Rows shared out late may leave low above high.
        const auto bound = [within](double x) {
            return within ? std::min(std::max(x, within->low), within->high) : x;
        };
        for (int j = 0; j < shape.sums && shape.classes == 0; ++j)
            to[j] = center + bound(static_cast<double>(tally[1 + j]) / w) / scale;
        for (int k = 0; k < shape.classes; ++k) to[k] = static_cast<double>(tally[k]) / w;
        if (within && shape.classes == 2) to[1] = bound(to[1]), to[0] = 1 - to[1];
    }
};

// Lays nodes out as a tree, one after the other. A lean one has only what forests keep and routes read:
// arrays of counts, impurities, gains and candidates stay empty.
class Layout {
public:
    Layout(const Scales& scales, const Growth& growth, std::vector<std::int32_t> parent,
           std::vector<std::int32_t> first_child, bool lean = false);
    void add(const Sprout& s);
    Tree tree() { return std::move(tree_); }

private:
    void add_test(const Sprout& s);
    void add_candidates(const Sprout& s, Count weight);

    Scales scales_;
    const Growth& growth_;
    bool lean_;
    Count room_ = 1;  // for shares
    Tree tree_;
};

// Numbers the sprouts by the order of growth and lays them out.
Tree lay_out(const Sprout* root, const Growth& growth, const Scales& scales, bool lean = false);

}  // namespace bosco
