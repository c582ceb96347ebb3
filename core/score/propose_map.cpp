// Tests on nominal columns: one branch per value, one value against the rest, two subsets, groups.
#include <algorithm>
#include <numeric>
#include <set>

#include "score/propose.hpp"

namespace bosco {
namespace {

using Tally = std::vector<Count>;

// The levels present at the node, `missing` among them (code 0) where it counts as a level.
struct Levels {
    std::vector<std::uint32_t> codes;
    std::vector<const Count*> cells;
    std::vector<Count> weights;
    int size() const { return static_cast<int>(codes.size()); }
};

Levels levels_of(const Trial& trial, bool with_missing) {
    Levels l;
    if (with_missing) {
        l.codes.push_back(0);
        l.cells.push_back(trial.missing());
    }
    for (int i = 0; i < trial.table.size(); ++i) {
        l.codes.push_back(trial.table.codes[static_cast<std::size_t>(i)]);
        l.cells.push_back(trial.table.cell(i));
    }
    for (const Count* cell : l.cells) l.weights.push_back(trial.table.shape.weight(cell));
    return l;
}

// Order by share of a class (or by mean), exactly; equal ones by code.
std::vector<int> ordered_by(const Levels& levels, int slot) {
    std::vector<int> order(levels.codes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        return static_cast<Wide>(levels.cells[i][slot]) * levels.weights[j] <
               static_cast<Wide>(levels.cells[j][slot]) * levels.weights[i];
    });
    return order;
}

// Builds the candidate in which level i goes to branch side[i]. `chosen`: where `learn` has put
// the missing rows. Levels of the domain that are absent go to `rest`, or where most weight goes.
Candidate assemble(const Trial& trial, const Levels& levels, const std::vector<int>& side, int n_branches,
                   int chosen, int rest) {
    const Shape shape = trial.table.shape;
    std::vector<Tally> parts(static_cast<std::size_t>(n_branches),
                             Tally(static_cast<std::size_t>(shape.slots()), 0));
    Candidate c;
    c.kind = TestKind::map;
    for (std::size_t i = 0; i < side.size(); ++i) {
        if (levels.codes[i] == 0) continue;  // settle() places the missing rows
        add(parts[static_cast<std::size_t>(side[i])].data(), levels.cells[i], shape.slots());
    }
    std::vector<const Count*> branches;
    for (const auto& p : parts) branches.push_back(p.data());
    trial.settle(c, branches, chosen);
    const bool first_is_missing = !levels.codes.empty() && levels.codes[0] == 0;
    fill_jumps(trial, {side.begin() + (first_is_missing ? 1 : 0), side.end()}, branches, rest, c);
    return c;
}

// Under `learn` the missing rows are one of the levels, so only `majority` has to place them.
double score_left(const Trial& trial, const Count* left, double floor) {
    bool placed = false;
    return trial.absent == Absent::majority ? trial.binary(left, placed, floor) : trial.score(left, floor);
}

// The gain, times the rows, that one degree of freedom brings by chance (docs/growing.md §4).
double chance(Criterion criterion, const Node& node) {
    const double psi = node.impurity;
    switch (criterion) {
        case Criterion::gini:
        case Criterion::mean_squared:
        case Criterion::squared_error: return psi;
        case Criterion::mean_entropy:
        case Criterion::entropy: return 0.72134752044448171;         // 1 / (2 ln 2)
        case Criterion::scaled_entropy: return 0.36067376022224085;  // half of it
        case Criterion::mean_poisson:
        case Criterion::poisson: return node.measure / 2;  // of counts, whatever their mean is
        case Criterion::absolute_error:
        case Criterion::quantile: return psi / 2;
        case Criterion::sqrt: return psi > 0 ? 1 / (8 * psi) : 0;
        case Criterion::error:
        case Criterion::custom: return 0;  // no curvature, or none that is known: no first-order answer
    }
    return 0;
}

struct Bipartition {
    double decrease = nothing;
    std::vector<int> side;
};

// The best prefix of an order, as branch 0.
void best_prefix(const Trial& trial, const Levels& levels, const std::vector<int>& order, Bipartition& best) {
    const int slots = trial.table.shape.slots();
    Tally left(static_cast<std::size_t>(slots), 0);
    int found = -1;
    for (std::size_t k = 0; k + 1 < order.size(); ++k) {
        add(left.data(), levels.cells[static_cast<std::size_t>(order[k])], slots);
        const double d = score_left(trial, left.data(), best.decrease);
        if (d > best.decrease) best.decrease = d, found = static_cast<int>(k);
    }
    if (found < 0) return;
    best.side.assign(order.size(), 1);
    for (int k = 0; k <= found; ++k)
        best.side[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = 0;
}

double score_side(const Trial& trial, const Levels& levels, const std::vector<int>& side, double floor) {
    const int slots = trial.table.shape.slots();
    Tally left(static_cast<std::size_t>(slots), 0);
    for (std::size_t i = 0; i < side.size(); ++i)
        if (side[i] == 0) add(left.data(), levels.cells[i], slots);
    return score_left(trial, left.data(), floor);
}

// Moves single levels across while that helps.
void exchange(const Trial& trial, const Levels& levels, Bipartition& best) {
    const int slots = trial.table.shape.slots();
    Tally left(static_cast<std::size_t>(slots), 0), moved;
    for (std::size_t i = 0; i < best.side.size(); ++i)
        if (best.side[i] == 0) add(left.data(), levels.cells[i], slots);
    for (;;) {
        int move = -1;
        for (std::size_t i = 0; i < best.side.size(); ++i) {
            moved = left;
            best.side[i] == 0 ? subtract(moved.data(), levels.cells[i], slots)
                              : add(moved.data(), levels.cells[i], slots);
            const double d = score_left(trial, moved.data(), best.decrease);
            if (d > best.decrease) best.decrease = d, move = static_cast<int>(i);
        }
        if (move < 0) return;
        const auto i = static_cast<std::size_t>(move);
        best.side[i] == 0 ? subtract(left.data(), levels.cells[i], slots)
                          : add(left.data(), levels.cells[i], slots);
        best.side[i] ^= 1;
    }
}

}  // namespace

void fill_jumps(const Trial& trial, const std::vector<int>& side, const std::vector<const Count*>& branches,
                int rest, Candidate& c) {
    const Table& table = trial.table;
    // The heaviest branch, of the known rows and with the missing rows where they went.
    int heaviest = 0, known_heaviest = 0;
    Count most = -1, known_most = -1;
    for (std::size_t b = 0; b < branches.size(); ++b) {
        const Count known = table.shape.weight(branches[b]);
        const bool here = trial.absent != Absent::none && c.missing == static_cast<int>(b);
        const Count w = known + (here ? table.shape.weight(trial.missing()) : 0);
        if (known > known_most) known_most = known, known_heaviest = static_cast<int>(b);
        if (w > most) most = w, heaviest = static_cast<int>(b);
    }
    c.jumps.assign(table.n_codes + 1, static_cast<std::uint32_t>(rest < 0 ? heaviest : rest));
    for (std::size_t i = 0; i < side.size(); ++i)
        c.jumps[table.codes[i]] = static_cast<std::uint32_t>(side[i]);
    c.jumps[0] = static_cast<std::uint32_t>(c.missing < 0 ? known_heaviest : c.missing);
}

Candidate propose_multiway(const Trial& trial) {
    const Levels levels = levels_of(trial, false);
    const Shape shape = trial.table.shape;
    // The branches with enough rows; under `majority` the missing rows count where they go.
    const std::vector<Count>& weights = levels.weights;
    const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
    int enough = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Tally t(levels.cells[i], levels.cells[i] + shape.slots());
        if (trial.absent == Absent::majority && static_cast<std::ptrdiff_t>(i) == heaviest)
            add(t.data(), trial.missing(), shape.slots());
        const Count w = shape.weight(t.data());
        if (trial.node.limits.allow(shape.samples(t.data(), w), w)) ++enough;
        if (!trial.allows(t.data())) return {};
    }
    if (enough < 2) return {};
    std::vector<int> side;
    for (const auto code : levels.codes) side.push_back(static_cast<int>(code) - 1);
    Candidate c = assemble(trial, levels, side, static_cast<int>(trial.table.n_codes), -1, -1);
    for (std::uint32_t code = 1; code <= trial.table.n_codes; ++code) c.jumps[code] = code - 1;
    return c;
}

Candidate propose_one_vs_rest(const Trial& trial) {
    const Levels levels = levels_of(trial, false);
    const int n = levels.size();
    double best = nothing;
    int at = -1, chosen = -1;
    for (int i = 0; i < n; ++i)
        for (int v = 0; v < (trial.absent == Absent::learn ? 2 : 1); ++v) {
            if (n == 1 && v == 1) continue;  // everything in one branch
            bool left = v == 1;
            const double d = trial.binary(levels.cells[static_cast<std::size_t>(i)], left, best);
            if (d > best) best = d, at = i, chosen = trial.absent == Absent::none ? -1 : (left ? 0 : 1);
        }
    if (trial.absent == Absent::learn) {
        const double d = trial.score(trial.missing(), best);
        if (d > best) best = d, at = n, chosen = 0;
    }
    if (best == nothing) return {};
    std::vector<int> side(static_cast<std::size_t>(n), 1);
    if (at < n) side[static_cast<std::size_t>(at)] = 0;
    return assemble(trial, levels, side, 2, chosen, 1);
}

double subset_charge(const Growth& growth, const Node& node, int levels) {
    constexpr int free_levels = 7;  // these gain by chance what a free threshold does
    if (!growth.subset_penalty || levels <= free_levels) return 0;
    // Where levels mean nothing, what each is off the node's mean by is a normal number z, in units of its
    // own scatter, and the best two sets part the positive z from the negative. Each level then adds (E|z|)^2
    // = 2/pi of what one degree of freedom gains; new rows lose as much again, which makes 4/pi.
    constexpr double chance_of_level = 1.2732395447351628;  // 4/pi
    const Judge& all = *node.judge;
    const auto samples = static_cast<double>(all.shape().samples(all.node(), all.weight()));
    return chance_of_level * (levels - free_levels) * chance(growth.criterion, node) / (samples / node.unit);
}

Candidate propose_subset(const Trial& trial) {
    constexpr int few_levels = 10;
    const Shape shape = trial.table.shape;
    const bool with_missing = trial.absent == Absent::learn;
    const Levels levels = levels_of(trial, with_missing);
    const int n = levels.size();
    Bipartition best;
    if (shape.classes <= 2 && !shape.several()) {
        best_prefix(trial, levels, ordered_by(levels, 1 - (shape.classes == 1)), best);
    } else if (n <= few_levels) {
        std::vector<int> side(static_cast<std::size_t>(n));
        for (int mask = 1; mask < 1 << (n - 1); ++mask) {
            for (int i = 0; i < n; ++i) side[static_cast<std::size_t>(i)] = mask >> i & 1 ? 0 : 1;
            const double d = score_side(trial, levels, side, best.decrease);
            if (d > best.decrease) best = {d, side};
        }
    } else {
        std::set<std::vector<int>> tried;  // of many classes or sums, most order the levels alike
        const int first = shape.several() ? 1 : 0;
        for (int c = first; c < shape.tally(); ++c)
            if (const auto [order, fresh] = tried.insert(ordered_by(levels, c)); fresh)
                best_prefix(trial, levels, *order, best);
        if (best.decrease != nothing) exchange(trial, levels, best);
    }
    if (best.decrease == nothing) return {};
    const int chosen = with_missing ? best.side[0] : -1;
    Candidate c = assemble(trial, levels, best.side, 2, chosen, -1);
    c.penalty = subset_charge(trial.growth, trial.node, n);
    return c;
}

}  // namespace bosco
