#include "grow/sketch.hpp"

#include <algorithm>
#include <utility>

namespace bosco {

Sketch::Sketch(const Task& task, const Held& root) : task_(task) { add(nursery_.sprouts(1), root, {}); }

const Sketch::Own& Sketch::at(std::int32_t node) const {
    if (node < 0 || node >= n_nodes()) throw Error("the tree has no such node");
    return nodes_[static_cast<std::size_t>(node)];
}
Sketch::Own& Sketch::at(std::int32_t node) { return const_cast<Own&>(std::as_const(*this).at(node)); }

void Sketch::add(Sprout* sprout, const Held& held, Standing standing) {
    const Shape shape = task_.scales.shape;
    if (held.tally.size() != static_cast<std::size_t>(shape.slots()))
        throw Error("the tally does not fit the target");
    sprout->tally = nursery_.counts(held.tally.size());
    std::ranges::copy(held.tally, sprout->tally);
    sprout->impurity = impurity_of(task_.growth.criterion, shape, sprout->tally, held.squares);
    nodes_.push_back({sprout, held, std::move(standing), {}});
}

bool Sketch::records(std::int32_t node) const {
    return task_.growth.records(task_.scales.shape, at(node).sprout->tally, task_.stop.unit());
}

bool Sketch::records_all(std::int32_t node) const {
    return task_.growth.records_all(task_.scales.shape, at(node).sprout->tally, task_.stop.unit());
}

void Sketch::record(std::int32_t node, std::vector<Candidate> candidates) {
    if (!candidates.empty()) at(node).sprout->rare().candidates = std::move(candidates);
}

void Sketch::choose(std::int32_t node, const Candidate& chosen) {
    Own& own = at(node);
    if (own.sprout->n_children > 0) throw Error("the node has a test already");
    if (!chosen.found || chosen.at_edge) throw Error("this is not a whole test yet");
    own.chosen = chosen;
    own.sprout->decrease = chosen.decrease;
}

std::int32_t Sketch::split(std::int32_t node, std::vector<Test> surrogates, std::span<const Held> branches,
                           std::span<const Count> known) {
    Own& own = at(node);
    if (!own.chosen.found || own.sprout->n_children > 0) throw Error("the node has no test to be split by");
    const auto k = static_cast<std::size_t>(own.chosen.branches);
    if (branches.size() != k || (!known.empty() && known.size() != k))
        throw Error("there must be one tally per branch");
    Sprout& s = *own.sprout;
    take_test(s, own.chosen, task_.growth.threshold, nursery_);
    if (!surrogates.empty()) s.rare().surrogates = std::move(surrogates);
    const std::int32_t first = n_nodes();
    Standing below = own.standing;  // what branches have in common
    if (!task_.growth.reuse) {
        below.banned.resize(std::max(below.banned.size(), static_cast<std::size_t>(s.column) + 1), 0);
        below.banned[static_cast<std::size_t>(s.column)] = 1;
    }
    if (task_.growth.asking.weighs())
        below.asked.emplace_back(static_cast<std::uint32_t>(s.column), task_.scales.shape.weight(s.tally));
    below.path.push_back(0);
    for (std::size_t b = 0; b < k; ++b) {
        below.path.back() = static_cast<std::uint32_t>(b);
        add(s.children + b, branches[b], below);
        const Count weight = task_.scales.shape.weight(s.children[b].tally);
        if (!known.empty()) s.children[b].rare().shared = weight - known[b];
    }
    task_.stop.tell_children(s);
    for (std::size_t b = 0; b < k; ++b)
        nodes_[static_cast<std::size_t>(first) + b].standing.bounds = s.children[b].bounds();
    return first;
}

}  // namespace bosco
