// Growth by random cuts: a node is a list of rows, and rows are all that moves. Below a few thousand
// of them a copy of their values stays in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "grow/driver.hpp"
#include "grow/grow.hpp"
#include "grow/random_cuts.hpp"

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
    using Place = bosco::Place;
    // A node with its rows, order[begin, end), and the columns that may vary in it.
    struct Task {
        Place place;
        std::vector<std::uint32_t> columns;
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
    friend class Driver<Scatter>;
    // The verbs of a source.
    bool enter(const Place& place);
    bool find(const Place& place);
    void part(const Place& place, Nursery& nursery);
    Place branch(std::uint32_t b) const { return {{}, first_[b], first_[b + 1]}; }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    void keep(const Place& place, std::span<Place> branches);

    void grow_near(const Place& place);
    void part_in_two(const Place& place, Nursery& nursery);

    const Field<T>& field_;
    const Growth& growth_;
    Shape shape_;
    RandomCuts<T> cuts_;
    Candidate other_;                     // the test of the node at hand, if it is no plain cut
    const Sprout* parent_ = nullptr;      // the node at hand
    std::size_t leave_ = 0;               // nodes of at most so many rows are left to others …
    std::vector<Task>* tasks_ = nullptr;  // … as tasks
    Nursery* nursery_ = nullptr;
    int thread_ = 0;

    // The rows at hand: all of the table, or the copy of a small node.
    Ground<T> ground_;
    std::uint32_t* order_ = nullptr;
    Plot near_plot_;
    Values<T> near_values_;
    std::vector<std::uint32_t> near_order_;

    OpenColumns columns_;
    std::vector<std::uint32_t> aside_;
    std::vector<std::uint32_t> branch_, first_;  // of a split: each row's branch, where branches begin
};

// May a tree be grown so?
bool scatters(const Frame& frame, const Growth& growth, const Tuning& tuning);

// Grows it.
Tree grow_scattered(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
                    const Tuning& tuning, const std::function<void()>& poll, const Among& among);

}  // namespace bosco
