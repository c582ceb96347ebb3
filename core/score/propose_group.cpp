// Groups of values: several branches of several levels each. Also the optimal parting of an
// ordered table into runs, which intervals share.
#include <algorithm>
#include <map>
#include <numeric>

#include "score/propose.hpp"

namespace bosco {
namespace {

using Tally = std::vector<Count>;

constexpr int most_blocks = 512;
constexpr std::size_t few_levels = 7;    // up to here all partitions are tried
constexpr std::size_t most_merged = 64;  // above it only neighbours are merged first

Tally tally_of(const Trial& trial, const std::vector<int>& entries) {
    Tally t(static_cast<std::size_t>(trial.table.shape.slots()), 0);
    for (const int i : entries) add(t.data(), trial.table.cell(i), trial.table.shape.slots());
    return t;
}

bool enough(const Trial& trial, const Tally& t) {
    const Count w = trial.table.shape.weight(t.data());
    return trial.allows(t.data()) && trial.node.limits.allow(trial.table.shape.samples(t.data(), w), w);
}

// Runs of entries that no useful cut parts: those pure in the same class (D3).
std::vector<std::vector<int>> blocks_of(const Trial& trial, const std::vector<int>& order) {
    const Table& table = trial.table;
    std::vector<std::vector<int>> blocks;
    int before = -1;
    for (const int i : order) {
        const int pure = table.shape.only_class(table.cell(i));
        if (blocks.empty() || pure < 0 || pure != before)
            blocks.push_back({i});
        else
            blocks.back().push_back(i);
        before = pure;
    }
    const auto n = static_cast<std::int64_t>(blocks.size());
    if (n <= most_blocks) return blocks;
    std::vector<std::vector<int>> joined(most_blocks);
    for (std::int64_t i = 0; i < n; ++i) {
        const auto& from = blocks[static_cast<std::size_t>(i)];
        auto& to = joined[static_cast<std::size_t>(i * most_blocks / n)];
        to.insert(to.end(), from.begin(), from.end());
    }
    return joined;
}

// Every partition into 2 .. max_branches groups, as restricted growth strings in order.
template <class Visit>
void each_partition(std::size_t n, int most, Visit visit) {
    std::vector<int> string(n, 0);
    for (;;) {
        const int parts = *std::max_element(string.begin(), string.end()) + 1;
        if (parts >= 2 && parts <= most) visit(string, parts);
        std::size_t i = n - 1;
        for (; i > 0; --i) {
            const auto before = string.begin() + static_cast<std::ptrdiff_t>(i);
            if (string[i] <= *std::max_element(string.begin(), before)) break;
        }
        if (i == 0) return;
        ++string[i];
        std::fill(string.begin() + static_cast<std::ptrdiff_t>(i) + 1, string.end(), 0);
    }
}

// For each number of groups the first partition with the largest decrease.
std::vector<Grouping> all_partitions(const Trial& trial) {
    const Table& table = trial.table;
    const Tally all = trial.known();
    const Judge known(trial.growth.criterion, table.shape, all.data());
    std::map<int, std::pair<double, Grouping>> best;
    const auto n = static_cast<std::size_t>(table.size());
    each_partition(n, trial.growth.max_branches, [&](const std::vector<int>& string, int parts) {
        Grouping groups(static_cast<std::size_t>(parts));
        for (std::size_t i = 0; i < n; ++i)
            groups[static_cast<std::size_t>(string[i])].push_back(static_cast<int>(i));
        std::vector<Tally> tallies;
        std::vector<const Count*> branches;
        for (const auto& g : groups) {
            tallies.push_back(tally_of(trial, g));
            if (!enough(trial, tallies.back())) return;
        }
        for (const auto& t : tallies) branches.push_back(t.data());
        const double d = known.decrease(branches.data(), parts);
        const auto found = best.find(parts);
        if (found == best.end() || d > found->second.first) best[parts] = {d, groups};
    });
    std::vector<Grouping> result;
    for (auto& [parts, entry] : best) result.push_back(std::move(entry.second));
    return result;
}

struct Group {
    std::vector<int> members;
    Tally tally;
    Count weight = 0;
    double purity = 0;
};

// The stages of merging levels pair by pair, each time the pair that loses least purity.
std::vector<Grouping> merged(const Trial& trial) {
    const Shape shape = trial.table.shape;
    const auto make = [&](std::vector<int> members) {
        Group g{std::move(members), {}, 0, 0};
        std::sort(g.members.begin(), g.members.end());
        g.tally = tally_of(trial, g.members);
        g.weight = shape.weight(g.tally.data());
        g.purity = trial.judge().purity(g.tally.data(), g.weight);
        return g;
    };
    const auto loss = [&](const Group& a, const Group& b) {
        Tally both = a.tally;
        add(both.data(), b.tally.data(), shape.slots());
        return trial.judge().purity(both.data(), a.weight + b.weight) - a.purity - b.purity;
    };
    std::vector<Group> groups;
    for (int i = 0; i < trial.table.size(); ++i) groups.push_back(make({i}));
    const auto join = [&](std::size_t a, std::size_t b) {
        auto members = groups[a].members;
        members.insert(members.end(), groups[b].members.begin(), groups[b].members.end());
        groups[a] = make(std::move(members));
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    };
    if (groups.size() > most_merged) {
        std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
            const auto by = [&](const Group& g) {
                return shape.several() ? 1 : shape.majority(g.tally.data());
            };
            const int ca = by(a), cb = by(b);
            if (ca != cb) return ca < cb;
            return static_cast<Wide>(a.tally[static_cast<std::size_t>(ca)]) * b.weight <
                   static_cast<Wide>(b.tally[static_cast<std::size_t>(ca)]) * a.weight;
        });
        std::vector<double> losses;
        for (std::size_t i = 0; i + 1 < groups.size(); ++i) losses.push_back(loss(groups[i], groups[i + 1]));
        while (groups.size() > most_merged) {
            const auto at =
                static_cast<std::size_t>(std::max_element(losses.begin(), losses.end()) - losses.begin());
            join(at, at + 1);
            losses.erase(losses.begin() + static_cast<std::ptrdiff_t>(at));
            if (at < losses.size()) losses[at] = loss(groups[at], groups[at + 1]);
            if (at > 0) losses[at - 1] = loss(groups[at - 1], groups[at]);
        }
        std::sort(groups.begin(), groups.end(),
                  [](const Group& a, const Group& b) { return a.members[0] < b.members[0]; });
    }
    std::vector<Grouping> stages;
    for (;;) {
        const bool feasible =
            std::all_of(groups.begin(), groups.end(), [&](const Group& g) { return enough(trial, g.tally); });
        if (static_cast<int>(groups.size()) <= trial.growth.max_branches && feasible) {
            Grouping stage;
            for (const auto& g : groups) stage.push_back(g.members);
            stages.insert(stages.begin(), std::move(stage));
        }
        if (groups.size() <= 2) return stages;
        std::size_t first = 0, second = 1;
        double least = nothing;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t j = i + 1; j < groups.size(); ++j)
                if (const double l = loss(groups[i], groups[j]); l > least) least = l, first = i, second = j;
        join(first, second);
    }
}

}  // namespace

std::vector<Grouping> best_runs(const Trial& trial, const std::vector<int>& order) {
    const Shape shape = trial.table.shape;
    const auto slots = static_cast<std::size_t>(shape.slots());
    const auto blocks = blocks_of(trial, order);
    const std::size_t n = blocks.size();
    std::vector<Count> prefix((n + 1) * slots, 0);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&prefix[i * slots], slots, &prefix[(i + 1) * slots]);
        add(&prefix[(i + 1) * slots], tally_of(trial, blocks[i]).data(), shape.slots());
    }
    Tally part(slots);
    const auto purity = [&](std::size_t i, std::size_t j) {
        std::copy_n(&prefix[j * slots], slots, part.begin());
        subtract(part.data(), &prefix[i * slots], shape.slots());
        return enough(trial, part) ? trial.judge().purity(part.data(), shape.weight(part.data())) : nothing;
    };
    const auto parts = std::min(n, static_cast<std::size_t>(trial.growth.max_branches));
    if (parts < 2) return {};
    // best[k][j]: the first j blocks in k+1 runs; from[k][j]: the lowest start of the last run.
    std::vector<std::vector<double>> best(parts, std::vector<double>(n + 1, nothing));
    std::vector<std::vector<std::size_t>> from(parts, std::vector<std::size_t>(n + 1, 0));
    for (std::size_t j = 1; j <= n; ++j) {
        best[0][j] = purity(0, j);
        for (std::size_t i = 1; i < j; ++i) {
            const double last = purity(i, j);
            if (last == nothing) continue;
            for (std::size_t k = 1; k < parts; ++k)
                if (best[k - 1][i] != nothing && best[k - 1][i] + last > best[k][j]) {
                    best[k][j] = best[k - 1][i] + last;
                    from[k][j] = i;
                }
        }
    }
    std::vector<Grouping> result;
    for (std::size_t k = 1; k < parts; ++k) {
        if (best[k][n] == nothing) continue;
        Grouping runs(k + 1);
        std::size_t end = n;
        for (std::size_t m = k + 1; m-- > 0; end = from[m][end])
            for (std::size_t b = from[m][end]; b < end; ++b)
                runs[m].insert(runs[m].end(), blocks[b].begin(), blocks[b].end());
        result.push_back(std::move(runs));
    }
    return result;
}

Grouping best_number(const Trial& trial, const std::vector<Grouping>& groupings, Candidate& best) {
    Grouping chosen;
    double best_score = nothing;
    for (const Grouping& grouping : groupings) {
        std::vector<Tally> tallies;
        std::vector<const Count*> branches;
        for (const auto& g : grouping) tallies.push_back(tally_of(trial, g));
        for (const auto& t : tallies) branches.push_back(t.data());
        Candidate c;
        trial.settle(c, branches, -1);
        const double score = trial.score_of(c);
        if (best.found && score <= best_score) continue;
        best = std::move(c);
        best_score = score;
        chosen = grouping;
    }
    return chosen;
}

Candidate propose_group(const Trial& trial) {
    const Table& table = trial.table;
    const auto n = static_cast<std::size_t>(table.size());
    if (n < 2) return {};
    std::vector<Grouping> groupings;
    if (table.shape.classes <= 2 && !table.shape.several()) {
        // Two classes or a real target: the best groups are runs of levels by share (or mean).
        const int slot = table.shape.classes == 1 ? 0 : 1;
        std::vector<int> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return static_cast<Wide>(table.cell(a)[slot]) * table.weight(b) <
                   static_cast<Wide>(table.cell(b)[slot]) * table.weight(a);
        });
        groupings = best_runs(trial, order);
    } else {
        groupings = n <= few_levels ? all_partitions(trial) : merged(trial);
    }
    Candidate c;
    const Grouping grouping = best_number(trial, groupings, c);
    if (!c.found) return c;
    c.kind = TestKind::map;
    std::vector<int> side(n, 0);
    std::vector<Tally> tallies;
    std::vector<const Count*> branches;
    for (std::size_t b = 0; b < grouping.size(); ++b) {
        for (const int i : grouping[b]) side[static_cast<std::size_t>(i)] = static_cast<int>(b);
        tallies.push_back(tally_of(trial, grouping[b]));
    }
    for (const auto& t : tallies) branches.push_back(t.data());
    fill_jumps(trial, side, branches, -1, c);
    return c;
}

}  // namespace bosco
