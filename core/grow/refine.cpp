#include "grow/refine.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "data/blocks.hpp"
#include "grow/sieve.hpp"

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
                items[k].push_back({static_cast<double>(Rows::row(r)), static_cast<std::uint32_t>(i), code,
                                    static_cast<std::uint16_t>(Rows::class_of(r))});
            }
        }
    }
}

void look_up(const Rows& rows, std::uint32_t column, std::vector<FineItem>& items) {
    const Raw& raw = rows.frame().column(column).raw;
    if (raw.in_file)
        return each_in_order(
            raw, rows.frame().n_rows(), items, [](const FineItem& item) { return item.value; },
            [](FineItem& item, double value) { item.value = value; });
    // Nothing but loads from scattered rows here, so that many are under way at once.
    raw.visit([&](auto type) {
        using T = decltype(type);
        for (FineItem& item : items)
            item.value = static_cast<double>(raw.as<T>(static_cast<std::size_t>(item.value)));
    });
}

std::array<std::size_t, 257> sort_by_bin(std::vector<FineItem>& items) {
    std::array<std::size_t, 257> begin{};
    for (const FineItem& item : items) ++begin[std::size_t{item.bin} + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    auto next = begin;
    for (std::size_t bin = 0; bin + 1 < begin.size(); ++bin)
        while (next[bin] < begin[bin + 1]) {
            const std::size_t to = items[next[bin]].bin;
            if (to != bin) std::swap(items[next[bin]], items[next[to]]);
            ++next[to];
        }
    return begin;
}

void fill_fine(const Rows& rows, Segment segment, std::span<const FineItem> items, const Sieve* sieve,
               FineTable& fine) {
    Table& table = fine.table;
    const Shape shape = rows.shape();
    const bool plain = Sieve::suits(rows);
    const auto differs = [&](std::size_t k) { return k == 0 || items[k].value != items[k - 1].value; };
    std::size_t distinct = 0;
    for (std::size_t k = 0; k < items.size(); ++k) distinct += differs(k);
    table.reserve(table.codes.size() + distinct);
    fine.bin.reserve(fine.bin.size() + distinct);
    Count* cell = nullptr;
    for (std::size_t k = 0; k < items.size(); ++k) {
        if (differs(k)) {
            cell = table.push(static_cast<std::uint32_t>(table.codes.size() + 1));
            table.values.push_back(items[k].value);
            fine.bin.push_back(items[k].bin);
        }
        if (sieve != nullptr && items[k].cls == Sieve::lumped)
            add(cell, sieve->lump(items[k].index), shape.classes);
        else if (plain)
            ++cell[items[k].cls];
        else
            rows.add_to(cell, segment.data + items[k].index * rows.stride());
    }
    table.n_codes = static_cast<std::uint32_t>(table.codes.size());
}

void build_fine(const Rows& rows, Segment segment, std::vector<FineItem>& items, FineTable& fine) {
    fine.bin.clear();
    const auto begin = sort_by_bin(items);
    std::vector<FineItem> aside;
    for (std::size_t bin = 1; bin < 256; ++bin)
        sort_spread(items.data() + begin[bin], items.data() + begin[bin + 1], aside);
    fill_fine(rows, segment, items, nullptr, fine);
    std::vector<FineItem>().swap(items);
}

void refine(const Rows& rows, Segment segment, std::uint32_t column, FineTable& fine) {
    Wanted known(256, 1);
    known[0] = 0;
    std::vector<std::vector<FineItem>> items(1);
    gather(rows, segment, 0, segment.n, {column}, {known}, items);
    look_up(rows, column, items[0]);
    fine.table.reset(rows.shape());
    for (std::size_t i = 0; items[0].size() < segment.n && i < segment.n; ++i) {
        const std::byte* r = segment.data + i * rows.stride();
        if (rows.code(r, column) == 0) rows.add_to(fine.table.missing.data(), r);
    }
    build_fine(rows, segment, items[0], fine);
}

namespace {

// Calls f(k, record) with the records of a segment whose code in the k-th column asked for is one of two.
// A few records at a time, so that they are read once for all columns.
template <class Asked, class Codes, class F>
void each_of(const Rows& rows, Segment segment, const std::vector<Asked>& asked, Codes codes, F f) {
    constexpr std::size_t some = 256;
    for (std::size_t begin = 0; begin < segment.n; begin += some) {
        const std::size_t end = std::min(segment.n, begin + some);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            const std::size_t at = rows.code_at(asked[k].column);  // a byte
            const auto [a, b] = codes(asked[k]);
            const std::byte* r = segment.data + begin * rows.stride();
            for (std::size_t i = begin; i < end; ++i, r += rows.stride())
                if (const auto code = std::to_integer<std::uint32_t>(r[at]); code == a || code == b) f(k, r);
        }
    }
}

}  // namespace

std::vector<std::pair<double, double>> ends_of(const Rows& rows, Segment segment,
                                               const std::vector<Ends>& asked) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<std::pair<double, double>> found(asked.size(), {infinity, -infinity});
    const auto codes = [](const Ends& e) { return std::pair{e.low, e.high}; };
    each_of(rows, segment, asked, codes, [&](std::size_t k, const std::byte* r) {
        const double x = rows.frame().column(asked[k].column).raw.at(Rows::row(r));
        found[k].first = std::min(found[k].first, x);
        found[k].second = std::max(found[k].second, x);
    });
    return found;
}

std::vector<Count> tallies_up_to(const Rows& rows, Segment segment, const std::vector<UpTo>& asked) {
    const auto slots = static_cast<std::size_t>(rows.shape().slots());
    std::vector<Count> found(asked.size() * slots, 0);
    const auto codes = [](const UpTo& u) { return std::pair{u.code, u.code}; };
    each_of(rows, segment, asked, codes, [&](std::size_t k, const std::byte* r) {
        if (rows.frame().column(asked[k].column).raw.at(Rows::row(r)) <= asked[k].threshold)
            rows.add_to(found.data() + k * slots, r);
    });
    return found;
}

std::uint32_t bin_around(const Column& column, double threshold) {
    const auto begin = column.values.begin();
    return static_cast<std::uint32_t>(std::lower_bound(begin, begin + column.n_codes - 1, threshold) - begin +
                                      1);
}

void refine_random(const Rows& rows, Segment segment, const Table& coarse, std::uint32_t column,
                   const Node& node, Table& table) {
    const int slots = coarse.shape.slots();
    table.reset(coarse.shape);
    table.missing = coarse.missing;
    table.n_codes = 2;
    if (coarse.size() == 0) return;
    const auto [low, high] = ends_of(rows, segment, {{column, coarse.codes.front(), coarse.codes.back()}})[0];
    const std::vector<Count> all = coarse.total();
    table.push(1);
    table.values.push_back(low);
    if (low == high) {
        table.cells = all;
        return;
    }
    table.push(2);
    table.values.push_back(high);
    // Bins up to the threshold lie left of it; in the one around it values decide.
    const double t = draw_threshold(node, static_cast<int>(column), low, high);
    const std::uint32_t around = bin_around(rows.frame().column(column), t);
    Count* const left = table.cells.data();
    add(left, tallies_up_to(rows, segment, {{column, around, t}}).data(), slots);
    for (int i = 0; i < coarse.size() && coarse.codes[static_cast<std::size_t>(i)] < around; ++i)
        add(left, coarse.cell(i), slots);
    Count* const right = left + slots;
    add(right, all.data(), slots);
    subtract(right, left, slots);
}

std::pair<double, double> neighbours(const Rows& rows, Segment segment, std::uint32_t column,
                                     std::uint32_t low, std::uint32_t high) {
    Wanted wanted(256, 0);
    wanted[low] = wanted[high] = 1;
    std::vector<std::vector<FineItem>> items(1);
    gather(rows, segment, 0, segment.n, {column}, {wanted}, items);
    look_up(rows, column, items[0]);
    double below = -std::numeric_limits<double>::infinity();
    double above = std::numeric_limits<double>::infinity();
    for (const FineItem& item : items[0]) {
        if (item.bin == low) below = std::max(below, item.value);
        if (item.bin == high) above = std::min(above, item.value);
    }
    return {below, above};
}

}  // namespace bosco
