// A tree that is grown from outside, node by node, and laid out as the growers' own are. Whoever holds the
// rows tells what the branches of a chosen test hold; nothing here looks at a row.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "grow/verbs.hpp"

namespace bosco {

class Sketch {
public:
    // What a node holds: its tally, and the sum of squares of a real target.
    struct Held {
        std::vector<Count> tally;
        Wide squares = 0;
    };

    Sketch(const Task& task, const Held& root);
    Sketch(const Sketch&) = delete;  // nodes point to each other

    // Nodes are numbered as they come: the root is 0, branches follow each other.
    std::int32_t n_nodes() const { return static_cast<std::int32_t>(nodes_.size()); }
    const Task& task() const { return task_; }
    const Held& held(std::int32_t node) const { return at(node).held; }
    const Standing& standing(std::int32_t node) const { return at(node).standing; }
    double decrease(std::int32_t node) const { return at(node).sprout->decrease; }

    // Keeps what was compared at a node, if the growth records such nodes.
    bool records(std::int32_t node) const;
    bool records_all(std::int32_t node) const;
    void record(std::int32_t node, std::vector<Candidate> candidates);
    // The test that a node will have; it counts for the order of nodes before it is split.
    void choose(std::int32_t node, const Candidate& chosen);
    // Gives a node the test that was chosen, and the branches what they hold; returns the first branch.
    // `known`: the weights that came by a value of their own, where rows are shared out.
    std::int32_t split(std::int32_t node, std::vector<Test> surrogates, std::span<const Held> branches,
                       std::span<const Count> known);

    Tree tree() const { return lay_out(nodes_.front().sprout, task_.growth, task_.scales); }

private:
    struct Own {
        Sprout* sprout;
        Held held;
        Standing standing;
        Candidate chosen;
    };
    const Own& at(std::int32_t node) const;
    Own& at(std::int32_t node);
    void add(Sprout* sprout, const Held& held, Standing standing);

    const Task& task_;
    Nursery nursery_;
    std::deque<Own> nodes_;
};

}  // namespace bosco
