// Groups of values: several branches of several levels each.
#include <algorithm>
#include <numeric>

#include "propose.hpp"

namespace bosco {
namespace {

using Tally = std::vector<Count>;

struct Group {
    std::vector<int> members;  // entries of the table
    Tally tally;
    Count weight = 0;
    double purity = 0;
};

// The candidate whose branches are these groups, and its score; nothing if not feasible.
double consider(const Trial& trial, const std::vector<const Group*>& groups, Candidate& best,
                double best_score) {
    const Table& table = trial.table;
    std::vector<const Count*> branches;
    for (const Group* g : groups) {
        if (!trial.node.limits.allow(table.shape.samples(g->tally.data(), g->weight), g->weight))
            return best_score;
        branches.push_back(g->tally.data());
    }
    Candidate c;
    c.kind = TestKind::map;
    trial.settle(c, branches, -1);
    const double score = trial.score_of(c);
    const bool wins = score > best_score ||
                      (score == best_score && best.found && c.branches < best.branches);
    if (!wins) return best_score;
    int heaviest = 0;
    Count most = -1;
    for (std::size_t b = 0; b < groups.size(); ++b) {
        Count w = groups[b]->weight;
        if (trial.absent != Absent::none && c.missing == static_cast<int>(b))
            w += table.shape.weight(trial.missing());
        if (w > most) most = w, heaviest = static_cast<int>(b);
    }
    c.jumps.assign(table.n_codes + 1, static_cast<std::uint32_t>(heaviest));
    for (std::size_t b = 0; b < groups.size(); ++b)
        for (const int i : groups[b]->members)
            c.jumps[table.codes[static_cast<std::size_t>(i)]] = static_cast<std::uint32_t>(b);
    c.jumps[0] = static_cast<std::uint32_t>(c.missing < 0 ? heaviest : c.missing);
    best = std::move(c);
    return score;
}

Group group_of(const Trial& trial, std::vector<int> members) {
    Group g;
    g.members = std::move(members);
    g.tally.assign(static_cast<std::size_t>(trial.table.shape.slots()), 0);
    for (const int i : g.members)
        add(g.tally.data(), trial.table.cell(i), trial.table.shape.slots());
    g.weight = trial.table.shape.weight(g.tally.data());
    g.purity = trial.judge().purity(g.tally.data(), g.weight);
    return g;
}

// Two classes or a real target: the best groups are runs of levels ordered by share (or mean).
Candidate ordered_groups(const Trial& trial) {
    const Table& table = trial.table;
    const Shape shape = table.shape;
    const int n = table.size();
    const int slot = shape.classes == 1 ? 0 : 1;
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return static_cast<Wide>(table.cell(a)[slot]) * table.weight(b) <
               static_cast<Wide>(table.cell(b)[slot]) * table.weight(a);
    });
    std::vector<Count> blocks;
    for (const int i : order)
        blocks.insert(blocks.end(), table.cell(i), table.cell(i) + shape.slots());
    Candidate best;
    double best_score = nothing;
    for (const auto& ends : best_partitions(trial, blocks, n, trial.growth.max_branches)) {
        std::vector<Group> groups;
        int first = 0;
        for (const int end : ends) {
            groups.push_back(group_of(trial, {order.begin() + first, order.begin() + end}));
            first = end;
        }
        std::vector<const Group*> pointers;
        for (const auto& g : groups) pointers.push_back(&g);
        best_score = consider(trial, pointers, best, best_score);
    }
    return best;
}

// Few levels: every partition, as restricted growth strings in lexicographic order.
Candidate all_groups(const Trial& trial) {
    const auto n = static_cast<std::size_t>(trial.table.size());
    std::vector<int> string(n, 0);
    Candidate best;
    double best_score = nothing;
    for (;;) {
        const int parts = *std::max_element(string.begin(), string.end()) + 1;
        if (parts >= 2 && parts <= trial.growth.max_branches) {
            std::vector<std::vector<int>> members(static_cast<std::size_t>(parts));
            for (std::size_t i = 0; i < n; ++i)
                members[static_cast<std::size_t>(string[i])].push_back(static_cast<int>(i));
            std::vector<Group> groups;
            for (auto& m : members) groups.push_back(group_of(trial, std::move(m)));
            std::vector<const Group*> pointers;
            for (const auto& g : groups) pointers.push_back(&g);
            best_score = consider(trial, pointers, best, best_score);
        }
        std::size_t i = n;
        while (i-- > 1) {
            const int highest = *std::max_element(string.begin(), string.begin() + static_cast<std::ptrdiff_t>(i));
            if (string[i] <= highest) {
                ++string[i];
                std::fill(string.begin() + static_cast<std::ptrdiff_t>(i) + 1, string.end(), 0);
                break;
            }
        }
        if (i == 0 || i >= n) return best;
    }
}

// Merges the two groups whose union loses least, until two are left.
Candidate merged_groups(const Trial& trial) {
    constexpr std::size_t most_levels = 64;
    const Table& table = trial.table;
    const Shape shape = table.shape;
    const int n = table.size();
    std::vector<Group> groups;
    for (int i = 0; i < n; ++i) groups.push_back(group_of(trial, {i}));
    const auto loss = [&](const Group& a, const Group& b) {
        Tally both = a.tally;
        add(both.data(), b.tally.data(), shape.slots());
        return trial.judge().purity(both.data(), a.weight + b.weight) - a.purity - b.purity;
    };
    const auto merge = [&](std::size_t a, std::size_t b) {
        auto members = groups[a].members;
        members.insert(members.end(), groups[b].members.begin(), groups[b].members.end());
        std::sort(members.begin(), members.end());
        groups[a] = group_of(trial, std::move(members));
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    };
    if (groups.size() > most_levels) {
        std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
            const int ca = shape.majority(a.tally.data()), cb = shape.majority(b.tally.data());
            if (ca != cb) return ca < cb;
            return static_cast<Wide>(a.tally[static_cast<std::size_t>(ca)]) * b.weight <
                   static_cast<Wide>(b.tally[static_cast<std::size_t>(ca)]) * a.weight;
        });
        while (groups.size() > most_levels) {
            std::size_t at = 0;
            double best = nothing;
            for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
                const double l = loss(groups[i], groups[i + 1]);
                if (l > best) best = l, at = i;
            }
            merge(at, at + 1);
        }
        std::sort(groups.begin(), groups.end(),
                  [](const Group& a, const Group& b) { return a.members[0] < b.members[0]; });
    }
    Candidate best;
    double best_score = nothing;
    for (;;) {
        if (static_cast<int>(groups.size()) <= trial.growth.max_branches) {
            std::vector<const Group*> pointers;
            for (const auto& g : groups) pointers.push_back(&g);
            best_score = consider(trial, pointers, best, best_score);
        }
        if (groups.size() <= 2) return best;
        std::size_t first = 0, second = 1;
        double least = nothing;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t j = i + 1; j < groups.size(); ++j) {
                const double l = loss(groups[i], groups[j]);
                if (l > least) least = l, first = i, second = j;
            }
        merge(first, second);
    }
}

}  // namespace

Candidate propose_group(const Trial& trial) {
    constexpr int few_levels = 7;
    if (trial.table.size() < 2) return {};
    if (trial.table.shape.classes <= 2) return ordered_groups(trial);
    if (trial.table.size() <= few_levels) return all_groups(trial);
    return merged_groups(trial);
}

}  // namespace bosco
