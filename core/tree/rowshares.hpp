// The rows of one node of a finished tree, and how they go on to its branches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "data/target.hpp"
#include "tree/walk.hpp"

namespace bosco {

// Rows, and the share of each that is here; no shares: each is here whole.
struct RowShares {
    std::vector<std::uint32_t> row;
    std::vector<Count> share;

    std::size_t size() const { return row.size(); }
    void add(std::uint32_t r) { row.push_back(r); }
    void add(std::uint32_t r, Count s) {
        row.push_back(r);
        share.push_back(s);
    }
    Count share_at(std::size_t i) const { return share.empty() ? 1 : share[i]; }
};

// All rows of a frame, or those that are named.
inline RowShares all_rows(std::size_t n_rows, bool shared, std::span<const std::uint32_t> named = {}) {
    RowShares all;
    all.row.assign(named.begin(), named.end());
    if (named.empty()) {
        all.row.resize(n_rows);
        std::iota(all.row.begin(), all.row.end(), 0u);
    }
    if (shared) all.share.assign(all.row.size(), Count{1} << share_bits);
    return all;
}

// Rows by the branches of `node`'s test. `known` receives the branches' weights of the rows that came by
// their own value; where rows must be shared out and it is 0 everywhere, nothing is returned.
inline std::vector<RowShares> part(const Walker& walker, std::int32_t node, int branches,
                                   const RowShares& rows, const Target& target, std::vector<Count>& known) {
    std::vector<RowShares> parts(static_cast<std::size_t>(branches));
    known.assign(parts.size(), 0);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const int b = walker.branch(node, rows.row[i]);
        if (b < 0) {
            missing.push_back(i);
            continue;
        }
        known[b] += target.weight_at(rows.row[i]) * rows.share_at(i);
        if (rows.share.empty())
            parts[b].add(rows.row[i]);
        else
            parts[b].add(rows.row[i], rows.share[i]);
    }
    if (missing.empty()) return parts;
    if (std::ranges::all_of(known, [](Count w) { return w == 0; })) return {};
    for (const std::size_t i : missing)
        deal_out(rows.share_at(i), known, [&](std::size_t b, Count s) { parts[b].add(rows.row[i], s); });
    return parts;
}

}  // namespace bosco
