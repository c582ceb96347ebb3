#include "grow/surrogate.hpp"

#include <algorithm>

#include "score/propose.hpp"

namespace bosco {
namespace {

struct Ranked {
    Count agree = 0, total = 0;
    Test test;
};

// The best cut in either direction.
bool imitate_by_cut(const Table& table, const Count* all, Threshold rule, Ranked& out) {
    Count left[2] = {0, 0};
    bool found = false;
    for (int i = 0; i + 1 < table.size(); ++i) {
        add(left, table.cell(i), 2);
        for (const bool flip : {false, true}) {
            const int low = flip ? 1 : 0;
            const Count agree = left[low] + all[1 - low] - left[1 - low];
            if (found && agree <= out.agree) continue;
            found = true;
            out.agree = agree;
            out.test.flip = flip;
            const auto at = static_cast<std::size_t>(i);
            out.test.thresholds = {threshold_between(table.values[at], table.values[at + 1], rule)};
        }
    }
    return found;
}

void imitate_by_map(const Table& table, Ranked& out) {
    out.test.kind = TestKind::map;
    out.test.jumps.assign(std::size_t{table.n_codes} + 1, static_cast<std::uint32_t>(out.test.missing));
    for (int i = 0; i < table.size(); ++i) {
        const Count zero = table.cell(i)[0], one = table.cell(i)[1];
        out.test.jumps[table.codes[static_cast<std::size_t>(i)]] = one > zero ? 1 : 0;
        out.agree += std::max(zero, one);
    }
}

}  // namespace

Table branch_table(const Rows& rows, Segment segment, const Sorter& sorter, std::uint32_t own,
                   std::uint32_t column) {
    const Column& c = rows.frame().column(column);
    struct Seen {
        double value;
        std::uint32_t code;
        int branch;
        Count weight;
    };
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < segment.n; ++i) {
        const std::byte* r = segment.data + i * rows.stride();
        const std::uint32_t code = rows.code(r, column);
        if (code == 0 || rows.code(r, own) == 0) continue;
        const double value = c.coarse ? c.raw.at(Rows::row(r)) : static_cast<double>(code);
        seen.push_back({value, code, sorter.branch(r), rows.weight(r)});
    }
    std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.value < b.value; });
    Table table;
    table.reset({2, false});
    table.n_codes = c.n_codes;
    Count* cell = nullptr;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (i == 0 || seen[i].value != seen[i - 1].value) {
            cell = table.push(seen[i].code);
            if (c.ordered()) table.values.push_back(c.coarse ? seen[i].value : c.value(seen[i].code));
        }
        cell[seen[i].branch] += seen[i].weight;
    }
    return table;
}

std::vector<Test> imitate(const std::vector<Table>& tables, const Test& primary, Threshold rule) {
    constexpr std::size_t most = 5;
    std::vector<Ranked> ranked;
    for (std::size_t j = 0; j < tables.size(); ++j) {
        const Table& table = tables[j];
        if (static_cast<std::int32_t>(j) == primary.column) continue;
        const std::vector<Count> all = table.total();
        Ranked r;
        r.test.column = static_cast<std::int32_t>(j);
        r.test.missing = primary.missing;
        r.total = all[0] + all[1];
        if (table.values.empty())
            imitate_by_map(table, r);
        else if (!imitate_by_cut(table, all.data(), rule, r))
            continue;
        // Better than sending every row to the primary's heavier branch?
        if (r.agree > all[static_cast<std::size_t>(primary.missing)]) ranked.push_back(std::move(r));
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return static_cast<Wide>(a.agree) * b.total > static_cast<Wide>(b.agree) * a.total;
    });
    if (ranked.size() > most) ranked.resize(most);
    std::vector<Test> tests;
    for (auto& r : ranked) tests.push_back(std::move(r.test));
    return tests;
}

std::vector<Test> surrogates_of(const Rows& rows, Segment segment, const Test& primary, Threshold rule) {
    const Sorter sorter(rows, primary, nullptr);
    const auto own = static_cast<std::uint32_t>(primary.column);
    std::vector<Table> tables(rows.frame().n_columns());
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j)
        if (j != own) tables[j] = branch_table(rows, segment, sorter, own, j);
    return imitate(tables, primary, rule);
}

}  // namespace bosco
