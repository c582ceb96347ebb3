#include "grow/refine.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace bosco {
void gather(const Rows& rows, Segment segment, std::size_t begin, std::size_t end,
            const std::vector<std::uint32_t>& columns, const std::vector<Wanted>& wanted,
            std::vector<std::vector<FineItem>>& items) {
    constexpr std::size_t block_rows = 512;  // records that stay in the nearest cache
    const std::size_t stride = rows.stride();
    for (std::size_t from = begin; from < end; from += block_rows) {
        const std::size_t to = std::min(end, from + block_rows);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const std::byte* at = segment.data + from * stride + rows.code_at(columns[k]);
            const char* want = wanted[k].data();
            for (std::size_t i = from; i < to; ++i, at += stride) {
                const auto code = std::to_integer<std::uint16_t>(*at);  // coarse codes are bytes
                if (want[code] == 0) continue;
                const std::byte* r = segment.data + i * stride;
                // The row's number stands in for its value until the second pass.
                items[k].push_back({static_cast<double>(Rows::row(r)), static_cast<std::uint32_t>(i), code,
                                    static_cast<std::uint16_t>(Rows::class_of(r))});
            }
        }
    }
    // Nothing but loads from scattered rows here, so that many are under way at once.
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const Raw& raw = rows.frame().column(columns[k]).raw;
        raw.visit([&](auto type) {
            using T = decltype(type);
            for (FineItem& item : items[k])
                item.value = static_cast<double>(raw.as<T>(static_cast<std::size_t>(item.value)));
        });
    }
}

void build_fine(const Rows& rows, Segment segment, std::vector<FineItem>& items, FineTable& fine) {
    Table& table = fine.table;
    fine.bin.clear();
    // By bin, then by value within each.
    std::array<std::size_t, 257> next{};
    for (const FineItem& item : items) ++next[std::size_t{item.bin} + 1];
    for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
    std::vector<FineItem> sorted(items.size());
    const auto begin = next;
    for (const FineItem& item : items) sorted[next[item.bin]++] = item;
    for (std::size_t bin = 1; bin < 256; ++bin)
        sort_bin(sorted.data() + begin[bin], sorted.data() + begin[bin + 1]);
    items = {};  // the table needs the room, and no more than its own

    const Shape shape = rows.shape();
    std::size_t distinct = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k)
        distinct += k == 0 || sorted[k].value != sorted[k - 1].value;
    table.reserve(distinct);
    fine.bin.reserve(distinct);
    const bool plain = shape.classes > 0 && shape.classes <= 0xffff && !rows.weighted() && !shape.apart;
    Count* cell = nullptr;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        if (k == 0 || sorted[k].value != sorted[k - 1].value) {
            cell = table.push(static_cast<std::uint32_t>(table.codes.size() + 1));
            table.values.push_back(sorted[k].value);
            fine.bin.push_back(sorted[k].bin);
        }
        if (plain)
            ++cell[sorted[k].cls];
        else
            rows.add_to(cell, segment.data + sorted[k].index * rows.stride());
    }
    table.n_codes = static_cast<std::uint32_t>(table.codes.size());
}

void refine(const Rows& rows, Segment segment, std::uint32_t column, FineTable& fine) {
    Wanted known(256, 1);
    known[0] = 0;
    std::vector<std::vector<FineItem>> items(1);
    gather(rows, segment, 0, segment.n, {column}, {known}, items);
    fine.table.reset(rows.shape());
    for (std::size_t i = 0; items[0].size() < segment.n && i < segment.n; ++i) {
        const std::byte* r = segment.data + i * rows.stride();
        if (rows.code(r, column) == 0) rows.add_to(fine.table.missing.data(), r);
    }
    build_fine(rows, segment, items[0], fine);
}

void refine_random(const Rows& rows, Segment segment, const Table& coarse, std::uint32_t column,
                   const Node& node, Table& table) {
    const Column& c = rows.frame().column(column);
    const int slots = coarse.shape.slots();
    const std::byte* const codes = segment.data + rows.code_at(column);  // bytes
    // Calls f with the records of two bins.
    const auto each_of = [&](std::uint32_t a, std::uint32_t b, auto f) {
        for (std::size_t i = 0; i < segment.n; ++i) {
            const auto code = std::to_integer<std::uint32_t>(codes[i * rows.stride()]);
            if (code == a || code == b) f(segment.data + i * rows.stride());
        }
    };
    table.reset(coarse.shape);
    table.missing = coarse.missing;
    table.n_codes = 2;
    if (coarse.size() == 0) return;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    each_of(coarse.codes.front(), coarse.codes.back(), [&](const std::byte* r) {
        const double x = c.raw.at(Rows::row(r));
        low = std::min(low, x);
        high = std::max(high, x);
    });
    const std::vector<Count> all = coarse.total();
    table.push(1);
    table.values.push_back(low);
    if (low == high) {
        table.cells = all;
        return;
    }
    table.push(2);
    table.values.push_back(high);
    // Bins (edge before, edge] up to the threshold lie left of it; in the one around it values decide.
    const double t = draw_threshold(node, static_cast<int>(column), low, high);
    const auto around = static_cast<std::uint32_t>(
        std::lower_bound(c.values.begin(), c.values.begin() + c.n_codes - 1, t) - c.values.begin() + 1);
    Count* const left = table.cells.data();
    for (int i = 0; i < coarse.size() && coarse.codes[static_cast<std::size_t>(i)] < around; ++i)
        add(left, coarse.cell(i), slots);
    each_of(around, around, [&](const std::byte* r) {
        if (c.raw.at(Rows::row(r)) <= t) rows.add_to(left, r);
    });
    Count* const right = left + slots;
    add(right, all.data(), slots);
    subtract(right, left, slots);
}

std::pair<double, double> neighbours(const Rows& rows, Segment segment, std::uint32_t column,
                                     std::uint32_t low, std::uint32_t high) {
    const Column& c = rows.frame().column(column);
    const std::size_t at = rows.code_at(column);
    double below = -std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < segment.n; ++i) {
        const std::byte* r = segment.data + i * rows.stride();
        const auto code = std::to_integer<std::uint32_t>(r[at]);
        if (code == low) below = std::max(below, c.raw.at(Rows::row(r)));
        if (code == high) above = std::min(above, c.raw.at(Rows::row(r)));
    }
    return {below, above};
}

}  // namespace bosco
