#include "scatter.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "clones.hpp"
#include "random.hpp"

namespace bosco {
namespace {

constexpr std::size_t lanes = 8;

BOSCO_CLONES void extremes_of(const double* x, std::size_t n, double& low, double& high, bool& missing) {
    double lows[lanes], highs[lanes];
    std::uint64_t absent[lanes] = {};
    std::fill_n(lows, lanes, std::numeric_limits<double>::infinity());
    std::fill_n(highs, lanes, -std::numeric_limits<double>::infinity());
    const auto meet = [&](double v, std::size_t k) {
        lows[k] = v < lows[k] ? v : lows[k];
        highs[k] = v > highs[k] ? v : highs[k];
        absent[k] |= v != v;
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) meet(x[i + k], k);
    for (; i < n; ++i) meet(x[i], 0);
    low = *std::min_element(lows, lows + lanes);
    high = *std::max_element(highs, highs + lanes);
    missing = std::accumulate(absent, absent + lanes, std::uint64_t{0}) > 0;
}

BOSCO_CLONES std::uint64_t sum_up_to(double t, const double* x, const std::uint64_t* pair, std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += pair[i] & (0 - static_cast<std::uint64_t>(x[i] <= t));
    return sum;
}

}  // namespace

void Scatter::load(Segment segment, const std::vector<char>& banned) {
    plot_.load(segment);
    const std::size_t n = segment.n;
    const std::uint32_t d = rows_.frame().n_columns();
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), std::uint16_t{0});
    values_.resize(n * d);
    columns_.clear();
    closed_.assign(d, 0);
    left_.resize(static_cast<std::size_t>(shape_.slots()));
    for (std::uint32_t j = 0; j < d; ++j) {
        if (!banned.empty() && banned[j]) continue;
        columns_.push_back(j);
        const Column& c = rows_.frame().column(j);
        double* const x = values_.data() + std::size_t{j} * n;
        if (c.coarse) continue;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = rows_.code(segment.data + i * rows_.stride(), j);
            x[i] = code == 0 ? std::numeric_limits<double>::quiet_NaN()
                             : (c.ordered() ? c.value(code) : static_cast<double>(code));
        }
    }
    constexpr std::size_t block = 16;  // rows whose values stay in the nearest cache
    for (std::size_t begin = 0; begin < n; begin += block)
        for (const std::uint32_t j : columns_) {
            const Column& c = rows_.frame().column(j);
            if (!c.coarse) continue;
            double* const x = values_.data() + std::size_t{j} * n;
            c.raw.visit([&](auto type) {
                using T = decltype(type);
                for (std::size_t i = begin; i < std::min(n, begin + block); ++i)
                    x[i] = static_cast<double>(c.raw.as<T>(plot_.number[i]));
            });
        }
}

void Scatter::gather_targets(std::span<const std::uint16_t> rows) {
    const std::size_t n = rows.size();
    if (shape_.classes == 2 && !shape_.apart && plot_.total < (Count{1} << 31)) {
        pair_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto w = static_cast<std::uint64_t>(plot_.weight_of(rows[i]));
            pair_[i] = w << 32 | w * plot_.cls[rows[i]];
        }
        return;
    }
    pair_.clear();
    weight_.resize(n);
    for (std::size_t i = 0; i < n; ++i) weight_[i] = plot_.weight_of(rows[i]);
    if (shape_.classes == 0) {
        sum_.resize(n);
        for (std::size_t i = 0; i < n; ++i) sum_[i] = plot_.sum[rows[i]];
    } else {
        class_.resize(n);
        for (std::size_t i = 0; i < n; ++i) class_[i] = plot_.cls[rows[i]];
    }
    if (!shape_.apart) return;
    samples_.resize(n);
    for (std::size_t i = 0; i < n; ++i) samples_[i] = plot_.samples[rows[i]];
}

Scatter::Extremes Scatter::gather_values(std::uint32_t column, std::span<const std::uint16_t> rows) {
    const double* const from = values(column);
    const std::size_t n = rows.size();
    x_.resize(n);
    for (std::size_t i = 0; i < n; ++i) x_[i] = from[rows[i]];
    Extremes e;
    extremes_of(x_.data(), n, e.low, e.high, e.missing);
    return e;
}

void Scatter::tally_left(double t, std::size_t n, Count* left) const {
    if (!pair_.empty()) {
        const std::uint64_t sum = sum_up_to(t, x_.data(), pair_.data(), n);
        left[1] = static_cast<Count>(sum & 0xffffffff);
        left[0] = static_cast<Count>(sum >> 32) - left[1];
        return;
    }
    std::fill_n(left, shape_.slots(), 0);
    if (shape_.classes == 0) {
        Count w = 0, s = 0;
        for (std::size_t i = 0; i < n; ++i) {
            w += x_[i] <= t ? weight_[i] : 0;
            s += x_[i] <= t ? sum_[i] : 0;
        }
        left[0] = w, left[1] = s;
    } else {
        for (std::size_t i = 0; i < n; ++i) left[class_[i]] += x_[i] <= t ? weight_[i] : 0;
    }
    if (!shape_.apart) return;
    Count s = 0;
    for (std::size_t i = 0; i < n; ++i) s += x_[i] <= t ? samples_[i] : 0;
    left[shape_.tally()] = s;
}

// The whole table, where levels or missing rows need it.
void Scatter::read_table(std::uint32_t column, std::span<const std::uint16_t> rows) {
    const Column& c = rows_.frame().column(column);
    const double* const x = values(column);
    table_.reset(shape_);
    table_.n_codes = c.n_codes;
    items_.clear();
    for (const std::uint16_t row : rows) {
        if (x[row] == x[row])
            items_.emplace_back(x[row], row);
        else
            plot_.add_to(table_.missing.data(), row);
    }
    std::sort(items_.begin(), items_.end());
    Count* cell = nullptr;
    double last = 0;
    for (const auto& [value, row] : items_) {
        if (cell == nullptr || value != last) {
            last = value;
            cell = table_.push(c.ordered() ? static_cast<std::uint32_t>(table_.size() + 1)
                                           : static_cast<std::uint32_t>(value));
            if (c.ordered()) table_.values.push_back(value);
        }
        plot_.add_to(cell, row);
    }
}

bool Scatter::look(std::uint32_t column, std::span<const std::uint16_t> rows, const Node& node, Draw& best) {
    const Judge& judge = *node.judge;
    const bool ordered = rows_.frame().column(column).ordered();
    const Extremes range = gather_values(column, rows);
    if (!range.missing && range.low == range.high) return false;
    if (!ordered || range.missing || node.limits.monotone || growth_.score != Score::gain || growth_.record) {
        read_table(column, rows);
        const bool learns = table_.any_missing() && growth_.missing == Missing::learn;
        if (table_.size() + (learns ? 1 : 0) < 2) return false;
        Candidate c = propose(table_, node, growth_, static_cast<int>(column), ordered);
        if (c.found) candidates_.push_back(std::move(c));
        return true;
    }
    const double t = draw_threshold(node, static_cast<int>(column), range.low, range.high);
    tally_left(t, rows.size(), left_.data());
    const Count w = shape_.weight(left_.data()), s = shape_.samples(left_.data(), w);
    const Count all = judge.weight(), samples = shape_.samples(judge.node(), all);
    if (!node.limits.allow(s, w) || !node.limits.allow(samples - s, all - w)) return true;
    const double d = judge.decrease(left_.data(), w);
    if (d > best.decrease || (d == best.decrease && column < best.column)) {
        best = {column, d, t, w};
        best_left_ = left_;
    }
    return true;
}

bool Scatter::find(const Place& place, Candidate& choice) {
    Sprout& s = *place.seedling.sprout;
    const Judge judge(growth_.criterion, shape_, s.tally);
    const Node node{&judge, stop_.limits(s), place.seedling.key, stop_.unit(), s.impurity};
    const auto rows = rows_of(place);
    gather_targets(rows);
    candidates_.clear();
    Draw best;
    const std::span<const std::uint32_t> open(columns_.data() + place.columns_begin,
                                              columns_.data() + place.columns_end);
    const auto look_at = [&](std::uint32_t column) {
        closed_[column] = !look(column, rows, node, best);
        return !closed_[column];
    };
    const std::uint32_t d = rows_.frame().n_columns();
    if (growth_.max_features < 0 || static_cast<std::uint32_t>(growth_.max_features) >= d) {
        for (const std::uint32_t column : open) look_at(column);
    } else {
        std::fill(closed_.begin(), closed_.end(), 1);
        for (const std::uint32_t column : open) closed_[column] = 0;
        Shuffle order(place.seedling.key, d, draw_order_);
        for (int seen = 0; seen < growth_.max_features && !order.done();) {
            const std::uint32_t column = order.next();
            if (!closed_[column] && look_at(column)) ++seen;
        }
    }
    if (best.decrease != nothing) {
        Candidate c;
        c.column = static_cast<std::int32_t>(best.column);
        c.kind = TestKind::cut;
        c.found = c.random = true;
        c.drawn = best.threshold;
        c.decrease = best.decrease;
        c.branches = 2;
        c.missing = growth_.missing == Missing::fractional        ? by_share
                    : best.weight >= judge.weight() - best.weight ? 0
                                                                  : 1;
        candidates_.push_back(std::move(c));
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
    const int winner = choose(candidates_, judge, growth_, node.impurity, total_);
    if (winner < 0) return false;
    s.decrease = candidates_[static_cast<std::size_t>(winner)].decrease;
    if (!growth_.record) {
        choice = std::move(candidates_[static_cast<std::size_t>(winner)]);
        return true;
    }
    choice = candidates_[static_cast<std::size_t>(winner)];
    s.rare().candidates = std::move(candidates_);
    return true;
}

bool Scatter::fill(Sprout& child, std::uint32_t begin, std::uint32_t end, Nursery& nursery) const {
    const std::uint16_t* const own = order_.data() + begin;
    return plot_.fill(child, end - begin, [own](std::size_t i) { return own[i]; }, growth_, nursery);
}

bool Scatter::take_tally(Sprout& child, std::size_t branch, const Sprout& parent, Nursery& nursery) const {
    child.tally = nursery.counts(best_left_.size());
    for (std::size_t c = 0; c < best_left_.size(); ++c)
        child.tally[c] = branch == 0 ? best_left_[c] : parent.tally[c] - best_left_[c];
    const bool pure = shape_.only_class(child.tally) >= 0;
    child.impurity = pure ? 0 : impurity_of(growth_.criterion, shape_, child.tally, 0);
    return pure;
}

void Scatter::split(const Place& place, const Candidate& choice, Nursery& nursery,
                    std::vector<Place>& stack) {
    Sprout& s = *place.seedling.sprout;
    take_test(s, choice, growth_.threshold, nursery);
    const auto k = static_cast<std::size_t>(choice.branches);
    const auto column = static_cast<std::uint32_t>(choice.column);
    const double* const x = values(column);
    const std::size_t n = place.end - place.begin;
    std::uint16_t* const rows = order_.data() + place.begin;
    first_.assign(k + 1, place.begin);
    std::vector<std::uint32_t>& first = first_;
    aside_.resize(std::max(aside_.size(), n + 1));
    if (choice.kind == TestKind::cut && k == 2) {
        const double t = s.threshold;
        std::uint16_t* left = rows;
        std::uint16_t* right = aside_.data();
        // Missing rows go right where x <= t is false, and where it is not true.
        const bool absent_right = choice.missing == 1;
        for (std::size_t i = 0; i < n; ++i) {  // both are written and one moves on: nothing to predict
            const std::uint16_t row = rows[i];
            const std::uint32_t to = absent_right ? !(x[row] <= t) : x[row] > t;
            *left = row;
            *right = row;
            left += 1 - to;
            right += to;
        }
        std::copy(aside_.data(), right, left);
        first[1] = place.begin + static_cast<std::uint32_t>(left - rows);
        first[2] = place.end;
    } else {
        const Column& c = rows_.frame().column(column);
        branch_.resize(n);
        std::vector<std::uint32_t> next(k + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const int b = branch_of(*s.rarity->test, c, plot_.number[rows[i]]);
            branch_[i] = static_cast<std::uint32_t>(b < 0 ? choice.missing : b);
            ++next[branch_[i] + 1];
        }
        for (std::size_t b = 0; b < k; ++b) {
            next[b + 1] += next[b];
            first[b + 1] = place.begin + next[b + 1];
        }
        for (std::size_t i = 0; i < n; ++i) aside_[next[branch_[i]]++] = rows[i];
        std::copy_n(aside_.data(), n, rows);
    }
    // A plain cut of classes has been tallied already.
    const bool tallied =
        choice.random && choice.kind == TestKind::cut && choice.gaps.empty() && shape_.classes > 0;
    const auto columns_begin = static_cast<std::uint32_t>(columns_.size());
    for (std::uint32_t i = place.columns_begin; i < place.columns_end; ++i) {
        const std::uint32_t j = columns_[i];
        if (!closed_[j] && (j != column || growth_.reuse)) columns_.push_back(j);
    }
    const auto columns_end = static_cast<std::uint32_t>(columns_.size());
    for (std::size_t b = 0; b < k; ++b) {
        Sprout& child = s.children[b];
        const bool pure =
            tallied ? take_tally(child, b, s, nursery) : fill(child, first[b], first[b + 1], nursery);
        if (!growth_.monotonic.empty()) child.rare().bounds = s.bounds();
        if (!stop_.leaf(child.tally, pure, place.seedling.depth + 1))
            stack.push_back({{&child, child_key(place.seedling.key, static_cast<std::uint32_t>(b)),
                              place.seedling.depth + 1, pure},
                             first[b],
                             first[b + 1],
                             columns_begin,
                             columns_end});
    }
    if (growth_.direction(choice.column) != 0) stop_.bound_children(s);
}

void Scatter::grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
                   int thread) {
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return;
    load(segment, banned);
    std::vector<Place> stack{
        {root, 0, static_cast<std::uint32_t>(segment.n), 0, static_cast<std::uint32_t>(columns_.size())}};
    while (!stack.empty()) {
        const Place place = stack.back();
        stack.pop_back();
        pool_.check(thread);
        columns_.resize(place.columns_end);  // drop the lists of subtrees that are done
        if (Candidate choice; find(place, choice)) split(place, choice, nursery, stack);
    }
}

}  // namespace bosco
