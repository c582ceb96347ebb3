#include "grow/sprout.hpp"

#include <algorithm>
#include <queue>

#include "data/pages.hpp"

namespace bosco {

bool one_number(Criterion criterion, const Count* tally, Wide squares) {
    const Wide w = tally[0], s = tally[1];
    if (w == 0) return true;
    const Wide q = s / w;  // of equal numbers: each
    if (criterion == Criterion::poisson)
        return q * w == s && squares == beside(Loss::poisson, tally[0], tally[1], static_cast<Count>(q));
    return squares - 2 * q * s + q * q * w == 0;
}

double impurity_of(Criterion criterion, Shape shape, const Count* tally, Wide squares) {
    const Count w = shape.weight(tally);
    if (w <= 0) return 0;
    const auto dw = static_cast<double>(w);
    if (criterion == Criterion::squared_error) {
        // Shifted by the whole part of the mean, so nothing cancels.
        const Wide s = tally[1];
        const Wide q = s / w;
        const Wide about_q = squares - 2 * q * s + q * q * w;
        const auto rest = static_cast<double>(s - q * w);
        const double mean_square = (static_cast<double>(about_q) - rest * rest / dw) / dw;
        return std::max(0.0, mean_square);
    }
    if (criterion == Criterion::poisson) {
        const Count s = tally[1];
        if (one_number(criterion, tally, squares)) return 0;
        const double logs = static_cast<double>(squares) * beside_unit;
        const double own = static_cast<double>(s) * log2_fixed(static_cast<double>(s) / dw);
        // Not 0 by rounding alone: that would say that all numbers are the same.
        return std::max(std::numeric_limits<double>::min(), (logs - own) * ln2 / dw);
    }
    if (criterion == Criterion::mean_squared) {
        Wide about_q = squares;
        double between = 0;
        for (int j = 1; j <= shape.sums; ++j) {
            const Wide s = tally[j], q = s / w;
            about_q += q * q * w - 2 * q * s;
            const auto rest = static_cast<double>(s - q * w);
            between += rest * rest / dw;
        }
        return std::max(0.0, (static_cast<double>(about_q) - between) / dw / shape.outputs);
    }
    if (criterion == Criterion::mean_poisson) {
        double own = 0;
        for (int j = 1; j <= shape.sums; ++j) {
            const auto s = static_cast<double>(tally[j]);
            if (s > 0) own += s * log2_fixed(s / dw);
        }
        const double logs = static_cast<double>(squares) * beside_unit;
        return std::max(std::numeric_limits<double>::min(), (logs - own) * ln2 / dw / shape.outputs);
    }
    if (shape.only_class(tally) >= 0) return 0;  // not by rounding alone
    const double p = Judge(criterion, shape, tally).node_purity() / dw;
    const bool from_one = criterion == Criterion::gini || criterion == Criterion::error;
    return std::max(0.0, from_one ? 1 - p : -p);
}

double threshold_of(const Candidate& c, std::size_t i, Threshold rule) {
    return c.random ? c.drawn : threshold_between(c.gaps[i].first, c.gaps[i].second, rule);
}

void take_column(Sprout& s, std::int32_t column, std::int32_t branches, std::int32_t missing,
                 Nursery& nursery) {
    s.children = nursery.sprouts(static_cast<std::size_t>(branches));
    s.n_children = branches;
    s.column = column;
    s.missing = missing;
}

void take_map(Sprout& s, std::uint32_t column, std::int32_t branches, std::int32_t missing,
              std::size_t n_jumps, Nursery& nursery) {
    take_column(s, static_cast<std::int32_t>(column), branches, missing, nursery);
    s.n_jumps = static_cast<std::uint32_t>(n_jumps);
    s.jumps = nursery.jumps(n_jumps);
}

void take_test(Sprout& s, const Candidate& c, Threshold rule, Nursery& nursery) {
    if (c.kind == TestKind::map) {
        take_map(s, static_cast<std::uint32_t>(c.column), c.branches, c.missing, c.jumps.size(), nursery);
        std::ranges::copy(c.jumps, s.jumps);
        return;
    }
    take_column(s, c.column, c.branches, c.missing, nursery);
    if (c.branches == 2)
        s.threshold = threshold_of(c, 0, rule);
    else
        s.rare().thresholds = test_of(c, rule).thresholds;
}

Test test_of(const Candidate& c, Threshold rule) {
    Test t;
    t.kind = c.kind;
    t.column = c.column;
    t.branches = c.branches;
    t.missing = c.missing;
    t.jumps = c.jumps;
    for (std::size_t i = 0; i < c.gaps.size(); ++i) t.thresholds.push_back(threshold_of(c, i, rule));
    return t;
}

namespace {

// The order in which nodes are expanded, hence numbered.
std::vector<const Sprout*> numbered(const Sprout* root, Order order, std::vector<std::int32_t>& parent,
                                    std::vector<std::int32_t>& first_child) {
    std::vector<const Sprout*> nodes{root};
    parent = {-1};
    first_child = {-1};
    const auto expand = [&](std::int32_t i) {
        const Sprout* s = nodes[static_cast<std::size_t>(i)];
        const auto first = static_cast<std::int32_t>(nodes.size());
        if (s->n_children > 0) first_child[static_cast<std::size_t>(i)] = first;
        for (std::int32_t c = 0; c < s->n_children; ++c) {
            nodes.push_back(s->children + c);
            parent.push_back(i);
            first_child.push_back(-1);
        }
        return std::pair{first, s->n_children};
    };
    number_in_order(order, expand,
                    [&](std::int32_t i) { return nodes[static_cast<std::size_t>(i)]->decrease; });
    return nodes;
}

}  // namespace

Layout::Layout(const Scales& scales, const Growth& growth, std::vector<std::int32_t> parent,
               std::vector<std::int32_t> first_child, bool lean)
    : scales_(scales), growth_(growth), lean_(lean) {
    // Where missing rows are shared out in predicting, tallies have room for shares, even if the
    // rows it grew on had nothing missing.
    if (growth.missing == Missing::fractional && scales.count_scale == 1) room_ = Count{1} << share_bits;
    tree_.n_classes = scales.shape.classes;
    tree_.sums = scales.shape.sums;
    tree_.count_scale = scales.count_scale * static_cast<double>(room_);
    tree_.weight_scale = scales.weight_scale * tree_.count_scale;  // shares scale weights too
    tree_.center = scales.center;
    tree_.scale = scales.scale;
    tree_.parent = std::move(parent);
    tree_.first_child = std::move(first_child);
    const std::size_t n = tree_.parent.size();
    tree_.tally.reserve(n * scales.shape.tally());
    tree_.value.reserve(n * tree_.width());
    for (auto* each : {&tree_.test, &tree_.n_children}) each->reserve(n);
    tree_.known.reserve(n);
    if (!lean) tree_.count.reserve(n);
    for (auto* each : {&tree_.impurity, &tree_.gain}) each->reserve(lean ? 0 : n);
    tree_.surrogate_begin.push_back(0);
    if (!lean) tree_.candidate_begin.push_back(0);
}

void Layout::add_test(const Sprout& s) {
    TestView test{TestKind::cut, s.column, s.n_children, s.missing, false, {&s.threshold, 1}, {}};
    if (s.n_jumps > 0)
        test.kind = TestKind::map, test.thresholds = {}, test.jumps = {s.jumps, s.n_jumps};
    else if (s.rarity && !s.rarity->thresholds.empty())
        test.thresholds = s.rarity->thresholds;
    tree_.test.push_back(s.n_children > 0 ? tree_.tests.push(test) : -1);
    tree_.n_children.push_back(s.n_children);
}

void Layout::add_candidates(const Sprout& s, Count weight) {
    for (const Candidate& c : s.rarity->candidates) {
        if (c.gaps.size() == 1) {
            const double threshold = threshold_of(c, 0, growth_.threshold);
            tree_.candidates.push({c.kind, c.column, c.branches, c.missing, false, {&threshold, 1}, {}});
        } else {
            tree_.candidates.push(test_of(c, growth_.threshold));
        }
        tree_.candidate_gain.push_back(scales_.gain(c.decrease, weight));
        tree_.candidate_split_info.push_back(c.split_info);
        tree_.candidate_penalty.push_back(c.penalty);
    }
}

void Layout::add(const Sprout& s) {
    const Shape shape = scales_.shape;
    const std::size_t i = tree_.test.size();
    const auto width = static_cast<std::size_t>(tree_.width());
    add_test(s);
    const Count w = shape.weight(s.tally);
    for (int k = 0; k < shape.tally(); ++k) tree_.tally.push_back(s.tally[k] * room_);
    tree_.value.resize((i + 1) * width);
    double* const value = tree_.value.data() + i * width;
    if (w == 0) {
        const auto up = static_cast<std::size_t>(std::max(0, tree_.parent[i]));
        std::copy_n(tree_.value.data() + up * width, width, value);
    } else if (growth_.medians()) {
        *value = scales_.center + s.rarity->says / scales_.scale;
    } else {
        const Bounds bounds = s.bounds();
        scales_.values(s.tally, value, growth_.monotonic.empty() ? nullptr : &bounds);
    }
    if (s.rarity)
        for (const Test& t : s.rarity->surrogates) tree_.surrogates.push(t);
    tree_.surrogate_begin.push_back(tree_.surrogates.size());
    tree_.known.push_back((s.rarity ? w - s.rarity->shared : w) * room_);
    if (lean_) return;
    tree_.count.push_back(shape.samples(s.tally, w) * room_);
    tree_.impurity.push_back(scales_.real_impurity(s.impurity));
    tree_.gain.push_back(s.n_children > 0 ? scales_.gain(s.decrease, w) : 0);
    if (s.rarity) add_candidates(s, w);
    tree_.candidate_begin.push_back(tree_.candidates.size());
}

Tree lay_out(const Sprout* root, const Growth& growth, const Scales& scales, bool lean) {
    std::vector<std::int32_t> parent, first_child;
    const auto nodes = numbered(root, growth.order, parent, first_child);
    Layout layout(scales, growth, std::move(parent), std::move(first_child), lean);
    const std::size_t bytes = static_cast<std::size_t>(scales.shape.slots()) * sizeof(Count);
    for (const Sprout* s : nodes) {
        layout.add(*s);
        forget(reinterpret_cast<std::byte*>(s->tally), bytes);  // of many classes they take most room
    }
    return layout.tree();
}

}  // namespace bosco
