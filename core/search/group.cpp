#include "search/group.hpp"

#include <algorithm>

namespace bosco::search {
namespace {

// All but the lists of a group whose rows are known.
void count(const Cases& cases, Group& g) {
    g.size = static_cast<std::uint32_t>(g.row.size());
    g.lists.resize(cases.columns.size() * (std::size_t{g.size} + 1) + 1);
    g.missing.assign(cases.columns.size(), 0);
    g.tally.assign(cases.classes, 0);
    g.weight = g.sample_count = g.doomed = 0;
    g.weights.clear();
    g.samples.clear();
    g.plain.clear();
    for (const std::uint32_t i : g.row) {
        const Count w = cases.weight_of(i);
        cases.save(i, g.tally.data());
        g.weight += w;
        g.sample_count += cases.samples_of(i);
        g.doomed += cases.doomed[i];
        if (!cases.weight.empty()) g.weights.push_back(w);
        if (!cases.savings.empty() && !cases.plain.empty()) g.plain.push_back(cases.plain[i]);
        if (!cases.samples.empty()) g.samples.push_back(cases.samples[i]);
    }
}

}  // namespace

void gather(const Cases& cases, Group& to) {
    const std::uint32_t n = cases.n_rows;
    to.row.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) to.row[i] = i;
    count(cases, to);
    std::vector<std::uint32_t> begin;
    for (std::size_t j = 0; j < cases.columns.size(); ++j) {
        const auto& ranks = cases.ranks[j];
        begin.assign(cases.columns[j].n_codes + 2, 0);
        for (const std::uint32_t rank : ranks) ++begin[rank + 1];
        to.missing[j] = begin[1];
        for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
        Entry* const list = to.list(j);
        for (std::uint32_t i = 0; i < n; ++i)
            list[begin[ranks[i]]++] = i << 9 | static_cast<Entry>(cases.label[i]) << 1;
        // Each has moved on to where the next one begins.
        for (const std::uint32_t end : begin)
            if (end > 0) list[end - 1] |= 1;
    }
}

void Splitter::split(const Cases& cases, const Group& from, const Question& question, Group& left,
                     Group& right) {
    const auto& ranks = cases.ranks[question.column];
    const Entry* const by = from.list(question.column);
    to_.resize(from.size);
    left.row.clear();
    right.row.clear();
    for (std::uint32_t i = 0; i < from.size; ++i) {
        const std::uint32_t local = row_of(by[i]), row = from.row[local];
        const bool goes_left = cases.left(question, ranks[row]);
        std::vector<std::uint32_t>& side = goes_left ? left.row : right.row;
        to_[local] = static_cast<std::uint32_t>(side.size()) << 1 | (goes_left ? 1 : 0);
        side.push_back(row);
    }
    count(cases, left);
    count(cases, right);
    for (std::size_t j = 0; j < cases.columns.size(); ++j) {
        const Entry* const list = from.list(j);
        Entry *a = left.list(j), *b = right.list(j);
        // Where a value ends, it ends on both sides; an entry to spare lies before each list.
        a[-1] = b[-1] = 0;
        const Entry* const first = a;
        const std::uint32_t missing = from.missing[j];
        for (std::uint32_t i = 0; i < from.size; ++i) {
            if (i == missing) left.missing[j] = static_cast<std::uint32_t>(a - first);
            const Entry e = list[i];
            const std::uint32_t to = to_[row_of(e)], goes_left = to & 1;
            const Entry moved = (to >> 1) << 9 | (e & 0x1ff);
            // Written to both and kept on one: no branch is guessed. Behind a list there is room for one
            // more.
            *a = *b = moved;
            a += goes_left;
            b += goes_left ^ 1;
            a[-1] |= e & 1;
            b[-1] |= e & 1;
        }
        if (missing == from.size) left.missing[j] = left.size;
        right.missing[j] = missing - left.missing[j];
    }
}

}  // namespace bosco::search
