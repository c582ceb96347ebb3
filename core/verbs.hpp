// The verbs of a growth on their own, for callers whose rows live elsewhere (parts of a table, a cluster).
// What they need to know of a node is made where the growers have it made (Stop::node).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "column.hpp"
#include "growth.hpp"
#include "propose.hpp"
#include "sprout.hpp"
#include "table.hpp"
#include "target.hpp"

namespace bosco {

// The table of one column over some rows, and the fine table of one of its coarse codes. Every row comes
// `unit` times (sample_unit). Tables of parts add up.
Table table_of(const Frame& frame, const Target& target, std::uint32_t column,
               std::span<const std::uint32_t> rows, Count unit);
Table fine_table_of(const Frame& frame, const Target& target, std::uint32_t column,
                    std::span<const std::uint32_t> rows, std::uint32_t code, Count unit);

// The sum of w y^2 over some rows of a real target, which tables do not have. Sums of parts add up.
Wide squares_of(const Target& target, std::span<const std::uint32_t> rows, Count unit);

// Where a node stands in its tree, and what its tables do not tell.
struct Standing {
    Wide squares = 0;                 // of a real target
    std::optional<Count> weight;      // of all rows of the tree; none: the node is the root
    std::vector<std::uint32_t> path;  // the branches that lead to it
    Bounds bounds;                    // under monotone constraints
    Count unit = 1;                   // of one sample
};

// The test that a grower gives a node with these tables, if it gives one. Columns without a table take no
// part; coarse columns are given finely.
std::optional<Candidate> choose_test(const std::vector<std::optional<Table>>& tables, const Target& target,
                                     const Growth& growth, const Standing& standing);

}  // namespace bosco
