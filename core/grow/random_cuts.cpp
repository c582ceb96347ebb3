#include "grow/random_cuts.hpp"

#include <algorithm>
#include <limits>

#include "data/machine.hpp"
#include "data/random.hpp"

namespace bosco {
namespace {

constexpr std::size_t few = 24;  // rows that are looked at one by one

template <class T>
[[gnu::always_inline]] inline Extremes<T> range_of(const T* x, std::size_t n) {
    constexpr std::size_t lanes = 64 / sizeof(T);
    T lows[lanes], highs[lanes];
    using Flag = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Flag absent[lanes] = {};
    std::fill_n(lows, lanes, std::numeric_limits<T>::infinity());
    std::fill_n(highs, lanes, -std::numeric_limits<T>::infinity());
    const auto meet = [&](T v, std::size_t k) {
        lows[k] = v < lows[k] ? v : lows[k];
        highs[k] = v > highs[k] ? v : highs[k];
        absent[k] |= v != v;
    };
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t k = 0; k < lanes; ++k) meet(x[i + k], k);
    for (; i < n; ++i) meet(x[i], i % lanes);
    Extremes<T> range{lows[0], highs[0], absent[0] != 0};
    for (std::size_t k = 1; k < lanes; ++k) {
        range.low = std::min(range.low, lows[k]);
        range.high = std::max(range.high, highs[k]);
        range.missing |= absent[k] != 0;
    }
    return range;
}
BOSCO_CLONES Extremes<float> extremes_of(const float* x, std::size_t n) { return range_of(x, n); }
BOSCO_CLONES Extremes<double> extremes_of(const double* x, std::size_t n) { return range_of(x, n); }

// How many rows lie left of a cut, and how many of them are of the second class.
struct Units {
    std::uint32_t all, ones;
};
template <class T>
[[gnu::always_inline]] inline Units units_of(T t, const T* x, const std::uint32_t* cls, std::size_t n) {
    std::uint32_t all = 0, ones = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t left = x[i] <= t ? 1 : 0;
        all += left;
        ones += cls[i] & (0 - left);
    }
    return {all, ones};
}
BOSCO_CLONES Units units_up_to(float t, const float* x, const std::uint32_t* cls, std::size_t n) {
    return units_of(t, x, cls, n);
}
BOSCO_CLONES Units units_up_to(double t, const double* x, const std::uint32_t* cls, std::size_t n) {
    return units_of(t, x, cls, n);
}

template <class T>
[[gnu::always_inline]] inline std::uint64_t pairs_of(T t, const T* x, const std::uint64_t* pair,
                                                     std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += pair[i] & (0 - static_cast<std::uint64_t>(x[i] <= t));
    return sum;
}
BOSCO_CLONES std::uint64_t pairs_up_to(float t, const float* x, const std::uint64_t* pair, std::size_t n) {
    return pairs_of(t, x, pair, n);
}
BOSCO_CLONES std::uint64_t pairs_up_to(double t, const double* x, const std::uint64_t* pair, std::size_t n) {
    return pairs_of(t, x, pair, n);
}

}  // namespace

template <class T>
void RandomCuts<T>::gather_targets(std::span<const std::uint32_t> rows) {
    const LocalRows& p = *given_.rows;
    const std::size_t n = rows.size();
    pair_.clear();
    const bool two = shape_.classes == 2 && !shape_.apart;
    units_ = two && p.weight.empty();
    if (two && !units_ && p.total < (Count{1} << 31)) {
        pair_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const auto w = static_cast<std::uint64_t>(p.weight[rows[i]]);
            pair_[i] = w << 32 | w * p.cls[rows[i]];
        }
        return;
    }
    if (shape_.classes > 0) {
        class_.resize(n);
        for (std::size_t i = 0; i < n; ++i) class_[i] = p.cls[rows[i]];
    } else {
        sum_.resize(n);
        for (std::size_t i = 0; i < n; ++i) sum_[i] = p.sum[rows[i]];
    }
    if (units_) return;
    weight_.resize(n);
    for (std::size_t i = 0; i < n; ++i) weight_[i] = p.weight_of(rows[i]);
    if (!shape_.apart) return;
    samples_.resize(n);
    for (std::size_t i = 0; i < n; ++i) samples_[i] = p.samples[rows[i]];
}

template <class T>
Extremes<T> RandomCuts<T>::gather_values(std::uint32_t column, std::span<const std::uint32_t> rows) {
    const T* const from = given_.values->column(column);
    const std::size_t n = rows.size();
    T* const x = x_.data();
    if (n < few) {
        Extremes<T> range{std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(), false};
        for (std::size_t i = 0; i < n; ++i) {
            const T v = from[rows[i]];
            x[i] = v;
            range.low = v < range.low ? v : range.low;
            range.high = v > range.high ? v : range.high;
            range.missing |= v != v;
        }
        return range;
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = from[rows[i]];
    return extremes_of(x, n);
}

template <class T>
Count RandomCuts<T>::tally_left(T t, std::size_t n, Count* left) const {
    if (units_) {
        const Units u =
            n < few ? units_of(t, x_.data(), class_.data(), n) : units_up_to(t, x_.data(), class_.data(), n);
        left[1] = u.ones;
        left[0] = Count{u.all} - u.ones;
        return u.all;
    }
    if (!pair_.empty()) {
        const std::uint64_t sum = pairs_up_to(t, x_.data(), pair_.data(), n);
        left[1] = static_cast<Count>(sum & 0xffffffff);
        left[0] = static_cast<Count>(sum >> 32) - left[1];
        return static_cast<Count>(sum >> 32);
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
    if (shape_.apart) {
        Count s = 0;
        for (std::size_t i = 0; i < n; ++i) s += x_[i] <= t ? samples_[i] : 0;
        left[shape_.tally()] = s;
    }
    return shape_.weight(left);
}

template <class T>
void RandomCuts<T>::tally_missing(std::span<const std::uint32_t> rows, Count* missing) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (x_[i] != x_[i]) given_.rows->add_to(missing, rows[i]);
}

// The table of a nominal column: counted, or sorted where there are many more levels than rows.
template <class T>
void RandomCuts<T>::read_levels(std::uint32_t column, std::span<const std::uint32_t> rows) {
    const LocalRows& p = *given_.rows;
    const std::uint32_t levels = frame_.column(column).n_codes;
    const auto slots = static_cast<std::size_t>(shape_.slots());
    table_.reset(shape_);
    table_.n_codes = levels;
    tally_missing(rows, table_.missing.data());
    items_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (x_[i] == x_[i]) items_.emplace_back(static_cast<std::uint32_t>(x_[i]), rows[i]);
    if (levels > 16 * rows.size()) {
        std::sort(items_.begin(), items_.end());
        Count* cell = nullptr;
        for (const auto& [code, row] : items_) {
            if (cell == nullptr || table_.codes.back() != code) cell = table_.push(code);
            p.add_to(cell, row);
        }
        return;
    }
    cells_.assign((std::size_t{levels} + 1) * slots, 0);
    met_.assign(std::size_t{levels} + 1, 0);  // rows of each level: a weight may be 0
    for (const auto& [code, row] : items_) {
        p.add_to(cells_.data() + code * slots, row);
        met_[code] = 1;
    }
    for (std::uint32_t code = 1; code <= levels; ++code)
        if (met_[code] != 0) add(table_.push(code), cells_.data() + code * slots, shape_.slots());
}

// The table of an ordered column as far as a random cut needs it: what lies on either side.
template <class T>
void RandomCuts<T>::read_sides(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node,
                               Extremes<T> range) {
    const int slots = shape_.slots();
    table_.reset(shape_);
    table_.n_codes = 2;
    if (range.missing) tally_missing(rows, table_.missing.data());
    if (range.low > range.high) return;  // all are missing
    Count* left = table_.push(1);
    table_.values.push_back(range.low);
    if (range.low == range.high) {
        add(left, node.judge->node(), slots);
        subtract(left, table_.missing.data(), slots);
        return;
    }
    table_.push(2);
    table_.values.push_back(range.high);
    left = table_.cells.data();
    const double t = draw_threshold(node, static_cast<int>(column), range.low, range.high);
    tally_left(not_above<T>(t), rows.size(), left);
    Count* const right = left + slots;
    add(right, node.judge->node(), slots);
    subtract(right, left, slots);
    subtract(right, table_.missing.data(), slots);
}

template <class T>
bool RandomCuts<T>::look_at_table(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node,
                                  Extremes<T> range) {
    const bool ordered = frame_.column(column).ordered();
    ordered ? read_sides(column, rows, node, range) : read_levels(column, rows);
    const bool learns = table_.any_missing() && growth_.missing == Missing::learn;
    if (table_.size() + (learns ? 1 : 0) < 2) return false;
    Candidate c = propose(table_, node, growth_, static_cast<int>(column), ordered);
    if (c.found) candidates_.push_back(std::move(c));
    return true;
}

template <class T>
bool RandomCuts<T>::look(std::uint32_t column, std::span<const std::uint32_t> rows, const Node& node) {
    const Judge& judge = *node.judge;
    const Extremes<T> range = gather_values(column, rows);
    if (!range.missing && range.low == range.high) return false;
    if (!frame_.column(column).ordered() || range.missing || node.limits.monotone ||
        !growth_.largest_wins() || growth_.records(shape_, judge.node(), node.unit))
        return look_at_table(column, rows, node, range);
    const double t = draw_threshold(node, static_cast<int>(column), range.low, range.high);
    const Count w = tally_left(not_above<T>(t), rows.size(), left_.data());
    const Count s = shape_.samples(left_.data(), w);
    const Count all = judge.weight(), samples = shape_.samples(judge.node(), all);
    if (!node.limits.allow(s, w) || !node.limits.allow(samples - s, all - w)) return true;
    if (!judge.allows_parts(left_.data())) return true;
    if (best_.decrease > 0 && growth_.criterion == Criterion::gini &&
        judge.below(left_.data(), w, best_.decrease))
        return true;
    const double d = judge.decrease(left_.data(), w);
    if (d > best_.decrease || (d == best_.decrease && column < best_.column)) {
        best_ = {column, d, t, w};
        best_left_.swap(left_);
        best_x_.swap(x_);
    }
    return true;
}

template <class T>
bool RandomCuts<T>::find(const RowsAndValues<T>& given, const Seedling& seedling,
                         std::span<const std::uint32_t> rows, std::span<const std::uint32_t> open,
                         Candidate& other) {
    Sprout& s = *seedling.sprout;
    const Judge judge(growth_.criterion, shape_, s.tally);
    const Node node = stop_.node(judge, s, seedling.key);
    given_ = given;
    if (x_.size() < rows.size()) x_.resize(rows.size()), best_x_.resize(rows.size());
    gather_targets(rows);
    candidates_.clear();
    best_ = {};
    any_closed_ = false;
    const auto look_at = [&](std::uint32_t column) {
        const bool varies = look(column, rows, node);
        closed_[column] = !varies;
        any_closed_ |= !varies;
        return varies;
    };
    const std::uint32_t d = frame_.n_columns();
    if (growth_.draws(d)) {
        std::fill(closed_.begin(), closed_.end(), 1);
        for (const std::uint32_t column : open) closed_[column] = 0;
        each_drawn(seedling.key, d, growth_.max_features, order_,
                   [&](std::uint32_t column) { return !closed_[column] && look_at(column); });
    } else {
        for (const std::uint32_t column : open) look_at(column);
    }
    if (candidates_.empty()) {
        if (best_.decrease == nothing || !is_enough(std::max(best_.decrease, 0.0), node, growth_))
            return false;
        s.decrease = best_.decrease;
        return true;
    }
    if (best_.decrease != nothing) {
        Candidate c;
        c.column = static_cast<std::int32_t>(best_.column);
        c.found = c.random = true;
        c.drawn = best_.threshold;
        c.decrease = best_.decrease;
        c.branches = 2;
        candidates_.push_back(std::move(c));
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.column < b.column; });
    const bool found = settle(candidates_, node, growth_, s, other);
    if (found && other.column != static_cast<std::int32_t>(best_.column)) best_.decrease = nothing;
    return found;
}

template class RandomCuts<float>;
template class RandomCuts<double>;

}  // namespace bosco
