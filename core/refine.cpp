#include "refine.hpp"

#include <algorithm>
#include <limits>

namespace bosco {
namespace {

struct Item {
    double value;
    std::uint32_t index;
    std::uint32_t bin;
};

}  // namespace

void refine(const Rows& rows, Segment segment, std::uint32_t column,
            const std::vector<char>& wanted, FineTable& fine) {
    const Column& c = rows.frame().column(column);
    Table& table = fine.table;
    table.reset(rows.shape());
    fine.bin.clear();
    std::vector<Item> items;
    const std::size_t stride = rows.stride();
    const std::size_t at = rows.code_at(column);
    for (std::size_t i = 0; i < segment.n; ++i) {
        const std::byte* r = segment.data + i * stride;
        const auto code = std::to_integer<std::uint32_t>(r[at]);  // coarse codes are one byte
        if (code == 0) {
            rows.add_to(table.missing.data(), r);
        } else if (wanted.empty() || wanted[code]) {
            items.push_back({c.raw.at(Rows::row(r)), static_cast<std::uint32_t>(i), code});
        }
    }
    std::sort(items.begin(), items.end(),
              [](const Item& a, const Item& b) { return a.value < b.value; });
    Count* cell = nullptr;
    for (std::size_t k = 0; k < items.size(); ++k) {
        if (k == 0 || items[k].value != items[k - 1].value) {
            cell = table.push(static_cast<std::uint32_t>(table.codes.size() + 1));
            table.values.push_back(items[k].value);
            fine.bin.push_back(items[k].bin);
        }
        rows.add_to(cell, segment.data + items[k].index * stride);
    }
    table.n_codes = static_cast<std::uint32_t>(table.codes.size());
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
