// The rows of one node of a finished tree, and how they go on to its branches.
#pragma once

#include <cstdint>
#include <vector>

#include "data/target.hpp"
#include "grow/rows.hpp"
#include "tree/walk.hpp"

namespace bosco {

// Rows, and the share of each that is here; no shares: each is here whole.
struct Lot {
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

// Is any row shared out: do missing values go down all branches, and is there one?
inline bool shares_rows(const Frame& frame, bool fractional) {
    for (std::uint32_t j = 0; fractional && j < frame.n_columns(); ++j)
        if (frame.has_missing(j)) return true;
    return false;
}

// All rows of a frame.
inline Lot whole_lot(std::size_t n_rows, bool shared) {
    Lot lot;
    lot.row.resize(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) lot.row[i] = static_cast<std::uint32_t>(i);
    if (shared) lot.share.assign(n_rows, Count{1} << share_bits);
    return lot;
}

// The rows of a lot by the branches of `node`'s test (docs/growing.md, fractional shares). `known`
// receives the branches' weights of the rows that came by their own value; where rows must be shared
// out and it is 0 everywhere, nothing is returned.
inline std::vector<Lot> part(const Walker& walker, std::int32_t node, int branches, const Lot& lot,
                             const Target& target, std::vector<Count>& known) {
    const auto k = static_cast<std::size_t>(branches);
    std::vector<Lot> parts(k);
    known.assign(k, 0);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < lot.size(); ++i) {
        const int b = walker.branch(node, lot.row[i]);
        if (b < 0) {
            missing.push_back(i);
            continue;
        }
        const auto at = static_cast<std::size_t>(b);
        known[at] += target.weight_at(lot.row[i]) * lot.share_at(i);
        if (lot.share.empty())
            parts[at].add(lot.row[i]);
        else
            parts[at].add(lot.row[i], lot.share[i]);
    }
    if (missing.empty()) return parts;
    Count total = 0;
    for (const Count w : known) total += w;
    if (total == 0) return {};
    const auto heaviest =
        static_cast<std::size_t>(std::max_element(known.begin(), known.end()) - known.begin());
    for (const std::size_t i : missing) {
        const auto of = [&](std::size_t b) {
            return static_cast<Count>(static_cast<Wide>(lot.share[i]) * known[b] / total);
        };
        Count given = 0;
        for (std::size_t b = 0; b < k; ++b) given += of(b);
        for (std::size_t b = 0; b < k; ++b) {
            const Count s = of(b) + (b == heaviest ? lot.share[i] - given : 0);
            if (s > 0) parts[b].add(lot.row[i], s);
        }
    }
    return parts;
}

}  // namespace bosco
