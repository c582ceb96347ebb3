// The best test of a node whose rows each have something to gain, or to lose, by going left.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/chains.hpp"

namespace bosco::search {

class Retest {
public:
    // `gain`: by row of the group, what going left is worth. The first of the best tests that leave enough
    // samples on both sides, and what the rows on its left are worth together.
    struct Best {
        Question question;
        Count worth = 0;
    };
    std::optional<Best> find(const Cases& cases, const Group& group, Count least,
                             std::span<const Count> gain);

private:
    Chains chains_;
    std::vector<Count> up_to_;  // by value of a column, or by level: what those up to there are worth
    std::vector<std::uint32_t> codes_;
};

}  // namespace bosco::search
