// A finished tree of binary cuts, packed: about 24 bytes a node hold all that cannot be derived. Large trees
// are packed subtree by subtree while they grow, send rows to their leaves as they are, and are unfolded
// (tree.hpp) when somebody asks for more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/parallel.hpp"
#include "grow/sprout.hpp"
#include "score/growth.hpp"
#include "tree/tree.hpp"

namespace bosco {

// A subtree. Its nodes are numbered as they are expanded, depth first: the children of the k-th inner node
// are 2k + 1 and 2k + 2.
struct Parcel {
    struct Node {
        std::uint32_t what = 0;  // column << 1 | do missing values go right?, or one of those below
        std::uint32_t at = 0;    // the k of an inner node; which leaf it is; which parcel goes on here
        static constexpr std::uint32_t leaf = 0xffffffff, parcel = 0xfffffffe;

        bool inner() const { return what < parcel; }
        std::uint32_t column() const { return what >> 1; }
        std::uint32_t missing() const { return what & 1; }
        std::size_t first_child() const { return 2 * std::size_t{at} + 1; }
    };
    std::vector<Node> nodes;
    std::vector<double> thresholds, impurities;  // of inner nodes
    std::vector<Count> tallies;                  // of leaves
    std::vector<double> leaf_impurities;         // empty if all are pure
    // What was compared at some nodes, by their place.
    std::vector<std::pair<std::uint32_t, std::vector<Candidate>>> candidates;

    TestView test(Node inner) const {
        const auto column = static_cast<std::int32_t>(inner.column());
        const auto missing = static_cast<std::int32_t>(inner.missing());
        return {TestKind::cut, column, 2, missing, false, {&thresholds[inner.at], 1}, {}};
    }
};

// Packs what hangs below a sprout, itself included, and takes its candidates. Parcels that were packed before
// are moved to the end of `parcels`, and pointed to.
Parcel pack(const Sprout& root, Shape shape, std::vector<Parcel>& parcels);

class Packed {
public:
    // Can the trees of this growth on such columns be packed?
    static bool suits(const Frame& frame, const Growth& growth);

    Packed(const Sprout& root, const Growth& growth, const Scales& scales);

    std::int32_t n_nodes() const { return n_nodes_; }
    std::int32_t n_leaves() const { return n_leaves_; }
    int width() const { return scales_.shape.classes > 0 ? scales_.shape.classes : 1; }
    std::int32_t depth() const;  // of the deepest leaf
    std::size_t n_bytes() const;

    Tree unfold() const;
    // What every leaf says, n_nodes * width; what inner nodes would say is left at 0.
    std::vector<double> leaf_values() const;

    // The leaf of a row; `at(column)` gives its numbers.
    template <class At>
    std::int32_t leaf(At at) const {
        std::size_t p = 0, i = 0;
        while (true) {
            const Parcel::Node node = parcels_[p].nodes[i];
            if (node.what == Parcel::Node::leaf) return number(p, i);
            if (node.what == Parcel::Node::parcel) {
                p = node.at, i = 0;
                continue;
            }
            const int branch = parcels_[p].test(node).ask(static_cast<double>(at(node.column())));
            i = node.first_child() + (branch >= 0 ? branch : node.missing());
        }
    }
    // Calls inner(number, test, first child) for every inner node.
    template <class Inner>
    void visit(Inner inner) const {
        each([&](std::size_t p, std::size_t i) {
            const Parcel::Node node = parcels_[p].nodes[i];
            if (node.inner()) inner(number(p, i), parcels_[p].test(node), number(p, node.first_child()));
        });
    }

private:
    // Calls work(parcel, node) for every node of the tree once.
    template <class Work>
    void each(Work work) const {
        for (std::size_t p = 0; p < parcels_.size(); ++p)
            for (std::size_t i = 0; i < parcels_[p].nodes.size(); ++i)
                if (parcels_[p].nodes[i].what != Parcel::Node::parcel) work(p, i);
    }
    // The number in the whole tree of a parcel's node.
    std::int32_t number(std::size_t parcel, std::size_t node) const {
        if (parcel == 0) return top_[node];
        return node == 0 ? root_[parcel] : before_[parcel] + static_cast<std::int32_t>(node);
    }

    Growth growth_;
    Scales scales_;
    std::vector<Parcel> parcels_;       // the first is the top
    std::vector<std::int32_t> top_;     // the numbers of its nodes
    std::vector<std::int32_t> root_;    // of every other parcel: the number of its root …
    std::vector<std::int32_t> before_;  // … and the last one before its other nodes
    std::int32_t n_nodes_ = 0, n_leaves_ = 0;
};

// The leaf of every row.
void route(const Packed& tree, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf);

}  // namespace bosco
