#include "surrogate.hpp"

#include <algorithm>

#include "propose.hpp"

namespace bosco {
namespace {

// A row seen by the primary test and by the column: where it goes, and its value there.
struct Seen {
    double value;
    std::uint32_t code;
    int branch;
    Count weight;
};

struct Ranked {
    Count agree = 0, total = 0;
    Test test;
};

// The best cut in either direction.
bool imitate_by_cut(std::vector<Seen>& seen, const Count (&all)[2], Threshold rule, Ranked& out) {
    std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.value < b.value; });
    Count left[2] = {0, 0};
    bool found = false;
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
        left[seen[i].branch] += seen[i].weight;
        if (seen[i].value == seen[i + 1].value) continue;
        for (const bool flip : {false, true}) {
            const int low = flip ? 1 : 0;
            const Count agree = left[low] + all[1 - low] - left[1 - low];
            if (found && agree <= out.agree) continue;
            found = true;
            out.agree = agree;
            out.test.flip = flip;
            out.test.thresholds = {place(seen[i].value, seen[i + 1].value, rule)};
        }
    }
    return found;
}

void imitate_by_map(const std::vector<Seen>& seen, std::uint32_t n_codes, Ranked& out) {
    std::vector<Count> weight(2 * (std::size_t{n_codes} + 1), 0);
    for (const Seen& s : seen) weight[2 * s.code + static_cast<std::size_t>(s.branch)] += s.weight;
    out.test.kind = TestKind::map;
    out.test.jumps.assign(std::size_t{n_codes} + 1, static_cast<std::uint32_t>(out.test.missing));
    for (std::size_t code = 1; code <= n_codes; ++code) {
        const Count zero = weight[2 * code], one = weight[2 * code + 1];
        if (zero + one == 0) continue;
        out.test.jumps[code] = one > zero ? 1 : 0;
        out.agree += std::max(zero, one);
    }
}

}  // namespace

std::vector<Test> surrogates_of(const Rows& rows, Segment segment, const Test& primary, Threshold rule) {
    constexpr std::size_t most = 5;
    const Sorter sorter(rows, primary, nullptr);
    const auto own = static_cast<std::uint32_t>(primary.column);
    std::vector<Ranked> ranked;
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j) {
        if (j == own) continue;
        const Column& c = rows.frame().column(j);
        std::vector<Seen> seen;
        Count all[2] = {0, 0};
        for (std::size_t i = 0; i < segment.n; ++i) {
            const std::byte* r = segment.data + i * rows.stride();
            const std::uint32_t code = rows.code(r, j);
            if (code == 0 || rows.code(r, own) == 0) continue;
            const int branch = sorter.branch(r);
            const double value = !c.ordered() ? 0 : c.coarse ? c.raw.at(Rows::row(r)) : c.value(code);
            seen.push_back({value, code, branch, rows.weight(r)});
            all[branch] += rows.weight(r);
        }
        Ranked r;
        r.test.column = static_cast<std::int32_t>(j);
        r.test.missing = primary.missing;
        r.total = all[0] + all[1];
        if (c.ordered()) {
            if (!imitate_by_cut(seen, all, rule, r)) continue;
        } else {
            imitate_by_map(seen, c.n_codes, r);
        }
        // Better than sending every row to the primary's heavier branch?
        if (r.agree > all[primary.missing]) ranked.push_back(std::move(r));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return static_cast<Wide>(a.agree) * b.total > static_cast<Wide>(b.agree) * a.total;
    });
    if (ranked.size() > most) ranked.resize(most);
    std::vector<Test> tests;
    for (auto& r : ranked) tests.push_back(std::move(r.test));
    return tests;
}

}  // namespace bosco
