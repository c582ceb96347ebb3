// A table and its node, ready to propose a test.
#pragma once

#include <memory>

#include "data.hpp"
#include "score/propose.hpp"

namespace bosco::check {

using Cells = std::vector<std::vector<Count>>;

// Values 1, 2, ... unless `codes` says which codes of the domain are present.
class Proposal {
public:
    Proposal(Shape shape, const Cells& cells, std::vector<Count> missing = {},
             std::vector<std::uint32_t> codes = {}, std::uint32_t n_codes = 0) {
        table.reset(shape);
        node_.assign(static_cast<std::size_t>(shape.slots()), 0);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const std::uint32_t code = codes.empty() ? static_cast<std::uint32_t>(i + 1) : codes[i];
            Count* cell = table.push(code);
            std::copy(cells[i].begin(), cells[i].end(), cell);
            add(node_.data(), cells[i].data(), shape.slots());
            table.values.push_back(code);
        }
        table.n_codes = n_codes > 0 ? n_codes : static_cast<std::uint32_t>(cells.size());
        if (!missing.empty()) {
            table.missing = missing;
            add(node_.data(), missing.data(), shape.slots());
        }
    }
    Candidate ordered(const Growth& growth) { return ask(growth, true); }
    Candidate nominal(const Growth& growth) { return ask(growth, false); }

    Table table;
    Limits limits;
    std::uint64_t key = 1;

private:
    Candidate ask(const Growth& growth, bool is_ordered) {
        const Judge judge(growth.criterion, table.shape, node_.data());
        const Node node{&judge, limits, key, 1, 0, 1, table.shape.classes};
        return propose(table, node, growth, 0, is_ordered);
    }
    std::vector<Count> node_;
};

inline Growth nominal_growth(NominalTest test, int max_branches = 4) {
    Growth g;
    g.nominal_test = test;
    g.max_branches = max_branches;
    return g;
}

using Jumps = std::vector<std::uint32_t>;

}  // namespace bosco::check
