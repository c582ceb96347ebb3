// Tables straight from a frame's rows, for callers outside a growth.
#include <algorithm>

#include "tabulate.hpp"

namespace bosco {
namespace {

template <class Key, class Less>
Table collect(const Target& target, std::vector<std::pair<Key, std::uint32_t>>& items, Less less,
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
        target.add_row(cell, items[k].second, 1);
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
               std::span<const std::uint32_t> rows) {
    check(frame, target, column, rows);
    const Column& c = frame.column(column);
    Table table;
    table.reset(target.shape());
    table.n_codes = c.n_codes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> items;
    for (const auto row : rows) {
        const std::uint32_t code = c.code(row);
        if (code == 0)
            target.add_row(table.missing.data(), row, 1);
        else
            items.emplace_back(code, row);
    }
    table = collect(target, items, std::less<>{}, std::move(table));
    if (c.ordered() && !c.coarse)
        for (const auto code : table.codes) table.values.push_back(c.value(code));
    return table;
}

Table fine_table_of(const Frame& frame, const Target& target, std::uint32_t column,
                    std::span<const std::uint32_t> rows, std::uint32_t code) {
    check(frame, target, column, rows);
    const Column& c = frame.column(column);
    if (!c.coarse) throw Error("only coarse columns can be refined");
    Table table;
    table.reset(target.shape());
    std::vector<std::pair<double, std::uint32_t>> items;
    for (const auto row : rows)
        if (c.code(row) == code) items.emplace_back(c.raw.at(row), row);
    table = collect(target, items, std::less<>{}, std::move(table));
    table.n_codes = static_cast<std::uint32_t>(table.codes.size());
    return table;
}

}  // namespace bosco
