#include "grow/histograms.hpp"

#include <algorithm>

#include "grow/surrogate.hpp"

namespace bosco {
namespace {

constexpr std::size_t largest_histogram = std::size_t{1} << 23;  // words

}  // namespace

bool Histograms::fill(Segment segment, Sprout& sprout, Nursery& nursery) const {
    const Holding h = holding(shared_.rows, segment);
    sprout.tally = nursery.counts(h.tally.size());
    std::copy(h.tally.begin(), h.tally.end(), sprout.tally);
    const bool pure = h.pure || segment.n == 0;
    const Shape shape = shared_.rows.shape();
    sprout.impurity = pure ? 0 : impurity_of(shared_.growth.criterion, shape, sprout.tally, h.squares);
    return pure;
}

void Histograms::begin(NodeRows& root, Nursery& nursery) {
    root.seedling.pure = fill(root.segment, *root.seedling.sprout, nursery);
}

void Histograms::count(NodeRows& root) {
    if (!keeps_histogram(root)) return;
    root.histogram = std::make_unique<Histogram>(shared_.layout.size());
    count(root.segment, *root.histogram, nullptr);
}

// Does the node keep a histogram of all columns?
bool Histograms::keeps_histogram(const NodeRows& at_node) const {
    const Growth& growth = shared_.growth;
    return at_node.size() > shared_.tuning.small_rows && growth.reuse &&
           !growth.draws(shared_.rows.frame().n_columns()) && shared_.layout.size() <= largest_histogram &&
           !at_node.seedling.pure && at_node.seedling.depth < growth.max_depth;
}

// Counts a segment's columns; with a parent, the parent's histogram becomes the sibling's.
void Histograms::count(Segment segment, Histogram& into, Histogram* parent) {
    const Rows& rows = shared_.rows;
    const auto work = [&](std::span<const std::uint32_t> columns) {
        tabulate(rows, shared_.layout, segment, columns, into.data());
        if (parent != nullptr)
            for (const auto j : columns)
                subtract(shared_.layout, rows.frame(), j, parent->data(), into.data());
    };
    const auto parts = static_cast<std::size_t>(shared_.pool.size());
    const std::span<const std::uint32_t> columns(shared_.columns);
    if (!share_out_ || parts == 1 || segment.n < shared_.tuning.parallel_rows / 2) return work(columns);
    shared_.pool.run(static_cast<std::int64_t>(parts), [&](std::int64_t i, int) {
        const std::size_t a = columns.size() * static_cast<std::size_t>(i) / parts;
        const std::size_t b = columns.size() * (static_cast<std::size_t>(i) + 1) / parts;
        if (a < b) work(columns.subspan(a, b - a));
    });
}

bool Histograms::find(NodeRows& at_node) {
    Sprout& s = *at_node.seedling.sprout;
    const Judge judge(shared_.growth.criterion, shared_.rows.shape(), s.tally);
    const Node node = stop_.node(judge, s, at_node.seedling.key);
    std::vector<Candidate> found = candidates(at_node, node);
    if (keep_recorded(found, node, shared_.growth))
        for (Candidate& c : found) locate(at_node, c);
    if (!settle(found, node, shared_.growth, s, at_node.choice)) return false;
    locate(at_node, at_node.choice);
    return true;
}

void Histograms::part(NodeRows& at_node, Nursery& nursery) {
    const Growth& growth = shared_.growth;
    Rows& rows = shared_.rows;
    Sprout& s = *at_node.seedling.sprout;
    const Test test = test_of(at_node.choice, growth.threshold);
    if (growth.missing == Missing::surrogate)
        s.rare().surrogates = surrogates_of(rows, at_node.segment, test, growth.threshold);
    const Sorter sorter(rows, test, s.rarity ? &s.rarity->surrogates : nullptr);
    known_.clear();
    owner_.reset();
    if (rows.fractional()) {
        Pages fresh;
        parts_ = partition_shares(rows, at_node.segment, sorter, test.branches, fresh, known_);
        owner_ = std::move(fresh);
    } else {
        parts_ = partition(rows, at_node.segment, sorter, test.branches, scratch().aside);
    }
    take_test(s, at_node.choice, growth.threshold, nursery);
    banned_ = at_node.banned;
    if (!growth.reuse) banned_[static_cast<std::size_t>(test.column)] = 1;
}

bool Histograms::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    const bool pure = fill(parts_[branch], child, nursery);
    if (!known_.empty()) child.rare().shared = shared_.rows.shape().weight(child.tally) - known_[branch];
    return pure;
}

Histograms::NodeRows Histograms::branch(std::uint32_t branch) const {
    return {{}, parts_[branch], owner_, nullptr, banned_, {}};
}

// The largest branch gets what is left of the node's histogram when the others are counted.
void Histograms::keep(NodeRows& at_node, std::span<NodeRows> branches) {
    if (!at_node.histogram) return;
    const Sprout* const first = at_node.seedling.sprout->children;
    const auto rows = [](const Segment& a, const Segment& b) { return a.n < b.n; };
    const auto largest = std::max_element(parts_.begin(), parts_.end(), rows) - parts_.begin();
    std::vector<NodeRows*> open(parts_.size(), nullptr);
    for (NodeRows& b : branches) open[static_cast<std::size_t>(b.seedling.sprout - first)] = &b;
    NodeRows* const heir = open[static_cast<std::size_t>(largest)];
    if (heir == nullptr || !keeps_histogram(*heir)) return at_node.histogram.reset();
    for (std::size_t b = 0; b < parts_.size(); ++b) {
        if (open[b] == heir || parts_[b].n == 0) continue;
        auto own = open[b] != nullptr && keeps_histogram(*open[b])
                       ? std::make_unique<Histogram>(shared_.layout.size())
                       : nullptr;
        if (!own) spare_.resize(shared_.layout.size());
        count(parts_[b], own ? *own : spare_, at_node.histogram.get());
        if (own) open[b]->histogram = std::move(own);
    }
    heir->histogram = std::move(at_node.histogram);
}

}  // namespace bosco
