#include "search/cases.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "data/ranks.hpp"

namespace bosco::search {

Cases::Cases(const Frame& frame, const Target& target, bool subsets, Pool& pool, const Units& units)
    : classes(std::max(2, target.n_classes)) {
    if (classes > most_classes) throw Error("a search knows at most 256 classes");
    for (std::size_t i = 0; i < frame.n_rows(); ++i) {
        const Count w = target.weight_at(i);
        if (w == 0) continue;
        row.push_back(static_cast<std::uint32_t>(i));
        label.push_back(target.real() ? 0 : static_cast<std::uint8_t>(target.classes[i]));
        if (target.real()) y.push_back(target.y[i]);
        weight.push_back(units.shift == 0 ? w : std::max<Count>(1, ((w >> (units.shift - 1)) + 1) >> 1));
        samples.push_back(target.count_at(i));
    }
    if (row.empty()) throw Error("no row has a weight");
    if (row.size() > most_rows) throw Error("a search takes at most 8388608 rows");
    n_rows = static_cast<std::uint32_t>(row.size());
    const auto all_one = [](const std::vector<Count>& of) {
        return std::ranges::all_of(of, [](Count x) { return x == 1; });
    };
    if (all_one(weight)) weight.clear();
    if (all_one(samples)) samples.clear();
    rank(frame, pool);
    order_levels(subsets);
    doomed.assign(n_rows, 0);
    if (!units.costs.empty()) set_costs(units.costs);
    if (y.empty()) find_doomed();
}

void Cases::rank(const Frame& frame, Pool& pool) {
    const Ranks fine(frame, pool);
    const std::uint32_t d = frame.n_columns();
    ranks.resize(d);
    columns.resize(d);
    pool.run(d, [&](std::int64_t j, int) {
        const auto column = static_cast<std::uint32_t>(j);
        const bosco::Column& from = frame.column(column);
        std::vector<std::uint32_t>& to = ranks[column];
        to.resize(n_rows);
        const std::size_t at = fine.at(column);
        for (std::uint32_t i = 0; i < n_rows; ++i)
            to[i] = from.coarse ? fine.of(row[i])[at] : from.code(row[i]);
        Column& own = columns[column];
        own.ordered = from.ordered();
        own.n_codes = std::max(from.coarse ? 0 : from.n_codes, *std::ranges::max_element(to));
        own.missing = std::ranges::find(to, 0u) != to.end();
    });
}

void Cases::order_levels(bool subsets) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
        Column& c = columns[j];
        if (c.ordered || !subsets) continue;
        // Levels by class; those that no row has do not count.
        std::vector<std::vector<Count>> cells(c.n_codes + 1, std::vector<Count>(classes, 0));
        std::vector<std::uint32_t> seen;
        std::vector<Count> sum(c.n_codes + 1, 0);
        for (std::uint32_t i = 0; i < n_rows; ++i) {
            const std::uint32_t code = ranks[j][i];
            cells[code][y.empty() ? label[i] : 1] += y.empty() ? plain_of(i) : plain_of(i) * y[i];
            sum[code] += plain_of(i);
        }
        for (std::uint32_t code = 1; code <= c.n_codes; ++code) {
            if (sum[code] > 0) seen.push_back(code);
        }
        if (seen.size() <= most_subset_levels && c.n_codes < 31) {
            c.subsets = true;
            continue;
        }
        std::set<std::vector<std::uint32_t>> known;  // with two classes one order is the other backwards
        for (int k = classes == 2 ? 1 : 0; k < classes; ++k) {
            std::vector<std::uint32_t> order = seen;
            std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
                return static_cast<Wide>(cells[a][k]) * sum[b] < static_cast<Wide>(cells[b][k]) * sum[a];
            });
            if (known.insert(order).second) c.orders.push_back(std::move(order));
        }
        for (const auto& order : c.orders) {
            std::vector<std::uint32_t> place(c.n_codes + 1, ~0u);
            for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
            c.place.push_back(std::move(place));
        }
    }
}

void Cases::set_costs(std::span<const Count> costs) {
    const auto k = static_cast<std::size_t>(classes);
    if (!y.empty() || costs.size() != k * k) throw Error("costs are of every class and every answer");
    std::vector<Count> dearest(k, 0);
    savings.resize(k);
    bool others = false;
    for (std::size_t t = 0; t < k; ++t) {
        const auto of_class = costs.subspan(t * k, k);
        if (of_class[t] != 0 || std::ranges::count(of_class, 0) != 1 ||
            *std::ranges::min_element(of_class) < 0)
            throw Error("right answers cost nothing, and every mistake something");
        dearest[t] = *std::ranges::max_element(of_class);
        for (std::size_t answer = 0; answer < k; ++answer) {
            if (of_class[answer] == dearest[t]) continue;
            savings[t].push_back({static_cast<std::uint32_t>(answer), dearest[t] - of_class[answer]});
            others = others || answer != t;
        }
    }
    if (!others) savings.clear();
    costly = true;
    plain = std::move(weight);
    weight.assign(n_rows, 0);
    Wide all = 0;
    for (std::uint32_t i = 0; i < n_rows; ++i) {
        const Wide most = static_cast<Wide>(plain_of(i)) * dearest[label[i]];
        if ((all += most) > std::numeric_limits<Count>::max() / 8)
            throw Error("weights and costs are too large for a search");
        weight[i] = static_cast<Count>(most);
    }
}

void Cases::forget(std::uint32_t column) {
    std::ranges::fill(ranks[column], 1u);
    columns[column] = {};
    columns[column].n_codes = 1;
}

void Cases::keep(std::span<const std::uint32_t> rows) {
    const std::set<std::uint32_t> wanted(rows.begin(), rows.end());
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < n_rows; ++i)
        if (wanted.contains(row[i])) places.push_back(i);
    if (places.empty()) throw Error("no row has a weight");
    const auto thin = [&](auto& of) {
        if (of.empty()) return;
        for (std::size_t k = 0; k < places.size(); ++k) of[k] = of[places[k]];
        of.resize(places.size());
    };
    thin(row);
    thin(label);
    thin(weight);
    thin(plain);
    thin(samples);
    thin(doomed);
    for (auto& of : ranks) thin(of);
    n_rows = static_cast<std::uint32_t>(places.size());
}

void Cases::keep_only(std::span<const std::uint32_t> rows, bool subsets) {
    keep(rows);
    for (Column& column : columns) column.subsets = false, column.orders.clear(), column.place.clear();
    order_levels(subsets);
    find_doomed();
}

void Cases::find_doomed() {
    std::vector<std::uint32_t> by(n_rows);
    std::iota(by.begin(), by.end(), 0u);
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
        for (const auto& of : ranks)
            if (of[a] != of[b]) return of[a] <=> of[b];
        return std::strong_ordering::equal;
    };
    std::ranges::sort(by, [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
    std::vector<Count> tally(classes);
    for (std::uint32_t first = 0, last; first < n_rows; first = last) {
        std::ranges::fill(tally, 0);
        for (last = first; last < n_rows && compare(by[first], by[last]) == 0; ++last)
            save(by[last], tally.data());
        const int most = heaviest(tally.data(), classes);
        for (std::uint32_t i = first; i < last; ++i) doomed[by[i]] = cost(by[i], most);
    }
}

}  // namespace bosco::search
