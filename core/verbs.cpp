#include "verbs.hpp"

#include <algorithm>

#include "choose.hpp"
#include "random.hpp"
#include "stop.hpp"

namespace bosco {
namespace {

template <class Key, class Less>
Table collect(const Target& target, std::vector<std::pair<Key, std::uint32_t>>& items, Less less, Count unit,
              Table table) {
    std::sort(items.begin(), items.end(),
              [&](const auto& a, const auto& b) { return less(a.first, b.first); });
    Count* cell = nullptr;
    for (std::size_t k = 0; k < items.size(); ++k) {
        if (k == 0 || items[k].first != items[k - 1].first) {
            if constexpr (std::is_same_v<Key, double>) {
                cell = table.push(static_cast<std::uint32_t>(table.codes.size() + 1));
                table.values.push_back(items[k].first);
            } else {
                cell = table.push(items[k].first);
            }
        }
        target.add_row(cell, items[k].second, unit);
    }
    return table;
}

void check(const Frame& frame, const Target& target, std::uint32_t column,
           std::span<const std::uint32_t> rows) {
    if (column >= frame.n_columns()) throw Error("no such column");
    if (!frame.encoded()) throw Error("the frame must be encoded first");
    if (frame.n_rows() != target.n_rows()) throw Error("frame and target differ in rows");
    for (const auto row : rows)
        if (row >= frame.n_rows()) throw Error("no such row");
}

}  // namespace

Table table_of(const Frame& frame, const Target& target, std::uint32_t column,
               std::span<const std::uint32_t> rows, Count unit) {
    check(frame, target, column, rows);
    const Column& c = frame.column(column);
    Table table;
    table.reset(target.shape());
    table.n_codes = c.n_codes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> items;
    for (const auto row : rows) {
        const std::uint32_t code = c.code(row);
        if (code == 0)
            target.add_row(table.missing.data(), row, unit);
        else
            items.emplace_back(code, row);
    }
    table = collect(target, items, std::less<>{}, unit, std::move(table));
    if (c.ordered() && !c.coarse)
        for (const auto code : table.codes) table.values.push_back(c.value(code));
    return table;
}

Table fine_table_of(const Frame& frame, const Target& target, std::uint32_t column,
                    std::span<const std::uint32_t> rows, std::uint32_t code, Count unit) {
    check(frame, target, column, rows);
    const Column& c = frame.column(column);
    if (!c.coarse) throw Error("only coarse columns can be refined");
    Table table;
    table.reset(target.shape());
    std::vector<std::pair<double, std::uint32_t>> items;
    for (const auto row : rows)
        if (c.code(row) == code) items.emplace_back(c.raw.at(row), row);
    table = collect(target, items, std::less<>{}, unit, std::move(table));
    table.n_codes = static_cast<std::uint32_t>(table.codes.size());
    return table;
}

Wide squares_of(const Target& target, std::span<const std::uint32_t> rows, Count unit) {
    if (!target.real()) throw Error("only a real target has squares");
    Wide sum = 0;
    for (const auto row : rows) {
        if (row >= target.n_rows()) throw Error("no such row");
        sum += static_cast<Wide>(target.weight_at(row) * unit * target.y[row]) * target.y[row];
    }
    return sum;
}

namespace {

// Is the node one class, or one number?
bool pure(Shape shape, const Count* tally, Wide squares) {
    if (shape.classes > 0) return shape.only_class(tally) >= 0;
    const Wide w = tally[0], s = tally[1], q = s / w;  // of equal numbers: each
    return squares - 2 * q * s + q * q * w == 0;
}

// The columns that a node looks at, ascending: all with a table, or those it draws.
std::vector<std::size_t> looked_at(const std::vector<std::optional<Table>>& tables, const Node& node,
                                   const Growth& growth) {
    std::vector<std::size_t> columns;
    const auto n = static_cast<std::uint32_t>(tables.size());
    const bool draws = growth.max_features >= 0 && static_cast<std::uint32_t>(growth.max_features) < n;
    std::vector<std::uint32_t> room;
    Shuffle order(node.key, n, room);
    for (int seen = 0; !order.done() && !(draws && seen >= growth.max_features);) {
        const std::uint32_t j = order.next();
        if (!tables[j]) continue;
        const bool learns = tables[j]->any_missing() && growth.missing == Missing::learn;
        seen += tables[j]->size() + (learns ? 1 : 0) >= 2;
        columns.push_back(j);
    }
    std::sort(columns.begin(), columns.end());
    return columns;
}

}  // namespace

std::optional<Candidate> choose_test(const std::vector<std::optional<Table>>& tables, const Target& target,
                                     const Growth& growth, const Standing& standing) {
    const Shape shape = target.shape();
    const auto first =
        std::find_if(tables.begin(), tables.end(), [](const auto& t) { return t.has_value(); });
    if (first == tables.end()) return {};
    std::vector<Count> tally = (*first)->total();
    add(tally.data(), (*first)->missing.data(), shape.slots());
    const Count weight = shape.weight(tally.data());
    if (weight <= 0) return {};
    const Stop stop(growth, target, static_cast<double>(standing.unit), standing.weight.value_or(weight));
    const auto depth = static_cast<int>(standing.path.size());
    if (stop.leaf(tally.data(), pure(shape, tally.data(), standing.squares), depth)) return {};
    std::uint64_t key = mix(growth.seed, growth.tree);
    for (const auto branch : standing.path) key = child_key(key, branch);
    const Judge judge(growth.criterion, shape, tally.data());
    const double impurity = impurity_of(growth.criterion, shape, tally.data(), standing.squares);
    const Node node = stop.node(judge, standing.bounds, key, impurity);
    std::vector<Candidate> candidates;
    for (const std::size_t j : looked_at(tables, node, growth)) {
        Candidate c = propose(*tables[j], node, growth, static_cast<int>(j), !tables[j]->values.empty());
        if (c.found) candidates.push_back(std::move(c));
    }
    const int best = choose(candidates, node, growth);
    if (best < 0) return {};
    return std::move(candidates[static_cast<std::size_t>(best)]);
}

}  // namespace bosco
