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

template <class T>
class Scatter {
public:
    using NodeRows = bosco::NodeRows;
    // What the threads of one tree share.
    struct Shared {
        const Frame& frame;
        const Values<T>& values;
        const Growth& growth;
        const Stop& stop;
        const LocalRows& rows;              // all of them
        std::vector<std::uint32_t>& order;  // of rows, node by node
        std::size_t small_rows;
        Pool& pool;
    };

    explicit Scatter(const Shared& shared)
        : shared_(shared),
          growth_(shared.growth),
          shape_(shared.rows.shape),
          cuts_(shared.frame, shared.growth, shared.stop, shape_),
          near_rows_(shared.rows.target),
          near_values_(shared.frame) {}

    // Grows everything below a node; nodes of at most `leave` rows are left to others, in `tasks`.
    void grow(const Handover& task, std::size_t leave, std::vector<Handover>& tasks, Nursery& nursery,
              int thread);

private:
    friend class Driver<Scatter>;
    // The verbs of a source.
    bool enter(const NodeRows& at_node);
    bool find(const NodeRows& at_node);
    void part(const NodeRows& at_node, Nursery& nursery);
    NodeRows branch(std::uint32_t b) const { return {{}, first_[b], first_[b + 1]}; }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery);
    void keep(const NodeRows& at_node, std::span<NodeRows> branches);

    std::span<std::uint32_t> rows_of(const NodeRows& at_node) {
        return {order_ + at_node.begin, at_node.size()};
    }
    void grow_near(const NodeRows& at_node);
    void part_by_cut(const NodeRows& at_node, Nursery& nursery);

    const Shared& shared_;
    const Growth& growth_;
    Shape shape_;
    RandomCuts<T> cuts_;
    Candidate other_;                         // the test of the node at hand, if it is no plain cut
    const Sprout* parent_ = nullptr;          // the node at hand
    std::size_t leave_ = 0;                   // nodes of at most so many rows are left to others …
    std::vector<Handover>* tasks_ = nullptr;  // … as tasks
    Nursery* nursery_ = nullptr;
    int thread_ = 0;

    // The rows at hand: all of the table, or the copy of a small node.
    RowsAndValues<T> given_;
    std::uint32_t* order_ = nullptr;
    LocalRows near_rows_;
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
