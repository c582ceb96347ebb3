#include "search/retest.hpp"

namespace bosco::search {

std::optional<Retest::Best> Retest::find(const Cases& cases, const Group& group, Count least,
                                         std::span<const Count> gain) {
    chains_.make(cases, group, least);
    std::optional<Best> best;
    const auto weigh = [&](Count worth, const auto& question) {
        if (best && worth < best->worth) return;
        const Question q = question();
        if (best && worth == best->worth && !(q < best->question)) return;
        best = {q, worth};
    };
    std::uint32_t read = ~0u;  // the column whose sums are at hand
    Count missing = 0;
    for (const Chain& chain : chains_.all()) {
        const std::uint32_t column = chain.question.column;
        const Entry* const list = group.list(column);
        if (column != read) {
            read = column;
            up_to_.clear();
            codes_.clear();
            missing = 0;
            Count sum = 0;
            const std::uint32_t absent = chain.cuts ? group.missing[column] : 0;
            for (std::uint32_t i = 0; i < absent; ++i) missing += gain[row_of(list[i])];
            for (std::uint32_t i = absent; i < group.size; ++i) {
                sum += gain[row_of(list[i])];
                if (!ends(list[i])) continue;
                up_to_.push_back(sum);
                if (chain.cuts) continue;
                codes_.push_back(cases.ranks[column][group.row[row_of(list[i])]]);
                sum = 0;
            }
        }
        if (chain.cuts) {
            for (std::uint32_t j = chain.first; j < chain.last; ++j)
                weigh(up_to_[j] + (chain.question.missing_left ? missing : 0),
                      [&] { return chains_.question(cases, group, chain, j); });
        } else if (chain.first < chain.last) {
            Count worth = 0;
            for (std::size_t k = 0; k < codes_.size(); ++k)
                if (cases.left(chain.question, codes_[k])) worth += up_to_[k];
            weigh(worth, [&] { return chain.question; });
        }
    }
    return best;
}

}  // namespace bosco::search
