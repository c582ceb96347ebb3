// Growth by random cuts: a node is a list of rows, and rows are all that moves. Below a few thousand
// of them a copy of their values stays in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grow.hpp"
#include "random_cuts.hpp"

namespace bosco {

// What the threads of one tree share.
template <class T>
struct Field {
    const Frame& frame;
    const Values<T>& values;
    const Growth& growth;
    const Stop& stop;
    const Plot& plot;                   // all rows
    std::vector<std::uint32_t>& order;  // of rows, node by node
    std::size_t small_rows;
    Pool& pool;
};

template <class T>
class Scatter {
public:
    // A node with its rows, order[begin, end), and the columns that may vary in it.
    struct Task {
        Seedling seedling;
        std::uint32_t begin = 0, end = 0;
        std::vector<std::uint32_t> columns;

        std::uint32_t size() const { return end - begin; }
    };

    explicit Scatter(const Field<T>& field)
        : field_(field),
          growth_(field.growth),
          shape_(field.plot.shape),
          cuts_(field.frame, field.growth, field.stop, shape_),
          near_plot_(field.plot.target),
          near_values_(field.frame) {}

    // Grows everything below a node; nodes of at most `leave` rows are left to others, in `tasks`.
    void grow(const Task& task, std::size_t leave, std::vector<Task>& tasks, Nursery& nursery, int thread);

private:
    struct Place {
        Seedling seedling;
        std::uint32_t begin = 0, end = 0;  // of its rows
        std::uint32_t columns_begin = 0,
                      columns_end = 0;  // its columns: columns_[columns_begin, columns_end)
    };

    void run(const Place& root, std::size_t leave, std::vector<Task>& tasks, Nursery& nursery, int thread);
    void run_near(const Place& place, Nursery& nursery, int thread);
    void check(std::size_t rows, int thread);
    std::span<const std::uint32_t> columns_of(const Place& place) const {
        return {columns_.data() + place.columns_begin, columns_.data() + place.columns_end};
    }
    void split_in_two(const Place& place, Nursery& nursery);
    void split(const Place& place, const Candidate& choice, Nursery& nursery);
    // What a branch holds; returns whether it is pure.
    bool fill(Sprout& child, std::size_t branch, const Sprout& parent, Nursery& nursery);
    void open_children(const Place& place, Nursery& nursery, std::vector<Place>& stack);

    const Field<T>& field_;
    const Growth& growth_;
    Shape shape_;
    RandomCuts<T> cuts_;
    std::size_t unchecked_ = 0;  // rows looked at since the last check

    // The rows at hand: all of the table, or the copy of a small node.
    Ground<T> ground_;
    std::uint32_t* order_ = nullptr;
    Plot near_plot_;
    Values<T> near_values_;
    std::vector<std::uint32_t> near_order_;

    std::vector<std::uint32_t> columns_;  // a stack of lists
    std::vector<std::uint32_t> aside_;
    std::vector<std::uint32_t> branch_, first_;  // of a split: each row's branch, where branches begin
};

// May a tree be grown so?
bool scatters(const Frame& frame, const Growth& growth, const Tuning& tuning);

// Grows it.
Tree grow_scattered(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
                    const Tuning& tuning, const std::function<void()>& poll, const Among& among);

}  // namespace bosco
