// What trees say of the rows that they have not seen. Figures are whole numbers: those of parts of the rows
// add up to those of all, in any order.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "many/forest.hpp"

namespace bosco {

// A tree and where the rows that it has not seen end.
struct Made {
    Tree tree;
    std::vector<std::uint32_t> unseen;
    std::vector<std::int32_t> leaf;
};

// Sends the rows down that are not in the sample of a tree.
void send_unseen(const Frame& frame, const Sample& sample, Made& made);

// Of some samples, how many are answered rightly; or their squared errors.
struct Figure {
    Wide sum = 0;
    Count samples = 0;
};

// Errors are counted in units 2^bits finer than those of the target: some 2^-38 of its reach, the largest
// |y| of all rows, so that squares of them add up within 127 bits.
int error_bits(Count reach);
Count reach_of(const Target& target);

// Adds up what trees say. Every sample counts once, whatever the weights of the classes.
class Bag {
public:
    Bag(const Target& target, Count reach, Vote vote, OutOfBag& out);

    struct Added {
        Figure tree, all;  // of the tree alone, and of all trees so far
    };
    Added add(const Made& made);

private:
    Wide hit(std::size_t row, const double* said) const;  // 1 for the right class, or the squared error
    double mean(const Figure& figure) const;

    const Target& target_;
    int bits_;
    double unit_;  // of errors
    Vote vote_;
    OutOfBag& out_;
    std::size_t width_;
};

// What the trees of a forest say out of their bags, which are drawn again.
OutOfBag bag_again(const Forest& forest, const Frame& frame, const Target& target, const Growth& growth,
                   const Plan& plan, const std::function<void()>& poll);

// Of rows at the places from `begin` on among n: the figures of all trees, one after the other.
struct BagPart {
    std::vector<Figure> tree, all;
    Count rows_without = 0;  // that every tree has seen
    // Of the others: samples, and what they have of y and of its square.
    Count samples = 0;
    Wide sum = 0, squares = 0;
};
BagPart bag_part(const Forest& forest, const Frame& frame, const Target& target, Count reach,
                 const Plan& plan, std::uint64_t seed, std::uint64_t n_places, std::uint64_t begin);

}  // namespace bosco
