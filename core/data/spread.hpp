// Sorting what has a `value`, where values are spread about evenly: each is put near its place first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bosco {

// Sorts by value what is nearly in order.
template <class Item>
void insert_all(Item* first, Item* last) {
    for (Item* i = first; i < last; ++i) {
        if (i == first || !(i->value < (i - 1)->value)) continue;
        const Item item = *i;
        Item* j = i;
        for (; j > first && item.value < (j - 1)->value; --j) *j = *(j - 1);
        *j = item;
    }
}
// Sorts by value what lies within one bin: mostly few.
constexpr std::ptrdiff_t few_to_sort = 24;
template <class Item>
void sort_few(Item* first, Item* last) {
    if (last - first <= few_to_sort) return insert_all(first, last);
    const auto below = [](const Item& a, const Item& b) { return a.value < b.value; };
    if (!std::is_sorted(first, last, below)) std::sort(first, last, below);  // many may be equal
}

// Where they are many, by about which share of the range lies below them.
template <class Item>
void sort_spread(Item* first, Item* last, std::vector<Item>& aside) {
    constexpr std::size_t many = 128, to_a_part = 8;
    const auto n = static_cast<std::size_t>(last - first);
    if (n < many) return sort_few(first, last);
    double low = first->value, high = low;
    for (const Item* i = first; i < last; ++i) {
        low = std::min(low, i->value);
        high = std::max(high, i->value);
    }
    const std::size_t parts = n / to_a_part;
    const double scale = static_cast<double>(parts - 1) / (high - low);
    if (!(scale > 0 && scale < std::numeric_limits<double>::max())) return sort_few(first, last);
    const auto part = [&](const Item& item) { return static_cast<std::size_t>((item.value - low) * scale); };
    std::vector<std::uint32_t> next(parts + 1, 0);
    for (const Item* i = first; i < last; ++i) ++next[part(*i) + 1];
    for (std::size_t p = 1; p <= parts; ++p) next[p] += next[p - 1];
    aside.assign(first, last);
    for (const Item& item : aside) first[next[part(item)]++] = item;
    for (std::size_t p = 0, begin = 0; p < parts; begin = next[p++]) sort_few(first + begin, first + next[p]);
}

}  // namespace bosco
