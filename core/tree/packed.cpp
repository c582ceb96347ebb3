#include "tree/packed.hpp"

#include <algorithm>

namespace bosco {

Parcel pack(const Sprout& root, Shape shape, std::vector<Parcel>& parcels) {
    Parcel made;
    const int slots = shape.slots();
    bool pure = true;
    std::vector<std::pair<std::uint32_t, std::vector<Candidate>>> candidates;
    std::vector<std::pair<const Sprout*, std::size_t>> stack{{&root, 0}};
    made.nodes.resize(1);
    while (!stack.empty()) {
        const auto [s, i] = stack.back();
        stack.pop_back();
        if (s->rarity && !s->rarity->candidates.empty())
            candidates.emplace_back(static_cast<std::uint32_t>(i), std::move(s->rarity->candidates));
        if (s->n_children == Sprout::packed) {
            made.nodes[i] = {Parcel::Node::parcel, static_cast<std::uint32_t>(parcels.size())};
            parcels.push_back(std::move(*s->parcel));
        } else if (s->n_children == 0) {
            made.nodes[i] = {Parcel::Node::leaf, static_cast<std::uint32_t>(made.leaf_impurities.size())};
            made.tallies.insert(made.tallies.end(), s->tally, s->tally + slots);
            made.leaf_impurities.push_back(s->impurity);
            pure = pure && s->impurity == 0;
        } else {
            const auto k = static_cast<std::uint32_t>(made.thresholds.size());
            const std::uint32_t right = s->missing == 1 ? 1 : 0;
            made.nodes[i] = {static_cast<std::uint32_t>(s->column) << 1 | right, k};
            made.thresholds.push_back(s->threshold);
            made.impurities.push_back(s->impurity);
            const std::size_t first = made.nodes.size();
            made.nodes.resize(first + 2);
            stack.emplace_back(s->children + 1, first + 1);
            stack.emplace_back(s->children, first);
        }
    }
    if (pure) made.leaf_impurities.clear();
    Parcel tight(std::as_const(made));  // a copy has no room to spare
    tight.candidates = std::move(candidates);
    return tight;
}

bool Packed::suits(const Frame& frame, const Growth& growth) {
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
        if (!frame.column(j).ordered()) return false;
    // Decreases are found again from tallies alone, and nodes are numbered depth first.
    return growth.largest_wins() && growth.numeric_test == NumericTest::threshold &&
           (growth.missing == Missing::learn || growth.missing == Missing::error) &&
           growth.order == Order::depth && !growth.random_cuts && !growth.penalty &&
           growth.monotonic.empty() && growth.max_leaf_nodes == std::numeric_limits<std::int64_t>::max();
}

Packed::Packed(const Sprout& root, const Growth& growth, const Scales& scales)
    : growth_(growth), scales_(scales), parcels_(1) {
    Parcel top = pack(root, scales.shape, parcels_);
    parcels_[0] = std::move(top);
    top_.resize(parcels_[0].nodes.size());
    root_.resize(parcels_.size());
    before_.resize(parcels_.size());
    n_nodes_ = 1;
    std::vector<std::size_t> stack{0};
    while (!stack.empty()) {
        const std::size_t i = stack.back();
        stack.pop_back();
        const Parcel::Node node = parcels_[0].nodes[i];
        if (node.what == Parcel::Node::parcel) {
            root_[node.at] = top_[i];
            before_[node.at] = n_nodes_ - 1;
            n_nodes_ += static_cast<std::int32_t>(parcels_[node.at].nodes.size()) - 1;
        } else if (node.inner()) {
            const std::size_t first = node.first_child();
            for (const std::size_t child : {first, first + 1}) top_[child] = n_nodes_++;
            stack.push_back(first + 1);
            stack.push_back(first);
        }
    }
    n_leaves_ = (n_nodes_ + 1) / 2;
}

std::size_t Packed::n_bytes() const {
    std::size_t bytes = 4 * (top_.size() + root_.size() + before_.size());
    for (const Parcel& p : parcels_)
        bytes += sizeof(Parcel) + 8 * (p.nodes.size() + p.thresholds.size() + p.impurities.size() +
                                       p.tallies.size() + p.leaf_impurities.size());
    for (const Parcel& p : parcels_)
        for (const auto& [node, compared] : p.candidates) bytes += compared.size() * sizeof(Candidate);
    return bytes;
}

std::int32_t Packed::depth() const {
    std::vector<std::int32_t> depth(static_cast<std::size_t>(n_nodes_), 0);
    std::int32_t most = 0;
    visit([&](std::int32_t i, const TestView&, std::int32_t first) {
        depth[first] = depth[first + 1] = depth[i] + 1;
        most = std::max(most, depth[first]);
    });
    return most;
}

std::vector<double> Packed::leaf_values() const {
    const auto w = static_cast<std::size_t>(width()), slots = static_cast<std::size_t>(scales_.shape.slots());
    std::vector<double> values(static_cast<std::size_t>(n_nodes_) * w, 0.0);
    each([&](std::size_t p, std::size_t i) {
        const Parcel::Node node = parcels_[p].nodes[i];
        if (!node.inner())
            scales_.values(parcels_[p].tallies.data() + node.at * slots, values.data() + (number(p, i)) * w);
    });
    return values;
}

Tree Packed::unfold() const {
    const auto n = static_cast<std::size_t>(n_nodes_),
               slots = static_cast<std::size_t>(scales_.shape.slots());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> from(n);  // parcel, node in it
    std::vector<std::int32_t> parent(n, -1), first_child(n, -1);
    std::vector<Count> cells(n * slots, 0);
    each([&](std::size_t p, std::size_t i) {
        const Parcel::Node node = parcels_[p].nodes[i];
        const std::int32_t own = number(p, i);
        from[own] = {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(i)};
        if (node.inner()) {
            const std::int32_t first = number(p, node.first_child());
            first_child[own] = first;
            parent[first] = parent[first + 1] = own;
        } else {
            std::copy_n(parcels_[p].tallies.data() + node.at * slots, slots, cells.data() + own * slots);
        }
    });
    sum_up<Count>(parent, cells, slots);
    std::vector<const std::vector<Candidate>*> compared(n, nullptr);
    for (std::size_t p = 0; p < parcels_.size(); ++p)
        for (const auto& [i, candidates] : parcels_[p].candidates) compared[number(p, i)] = &candidates;
    Layout layout(scales_, growth_, std::move(parent), first_child);
    for (std::size_t i = 0; i < n; ++i) {
        const Parcel& parcel = parcels_[from[i].first];
        const Parcel::Node node = parcel.nodes[from[i].second];
        Sprout s;
        s.tally = cells.data() + i * slots;
        if (node.inner()) {
            const Count* const left = cells.data() + first_child[i] * slots;
            s.n_children = 2;
            s.column = static_cast<std::int32_t>(node.column());
            s.missing = static_cast<std::int32_t>(node.missing());
            s.threshold = parcel.thresholds[node.at];
            s.impurity = parcel.impurities[node.at];
            s.decrease =
                Judge(growth_.criterion, scales_.shape, s.tally).decrease(left, scales_.shape.weight(left));
        } else if (!parcel.leaf_impurities.empty()) {
            s.impurity = parcel.leaf_impurities[node.at];
        }
        if (compared[i] != nullptr) s.rare().candidates = *compared[i];
        layout.add(s);
    }
    return layout.tree();
}

}  // namespace bosco
