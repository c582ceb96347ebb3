// The best tree of numbers against plain enumeration.
#include "search/numbers.hpp"

#include "enumeration.hpp"

namespace bosco::check {
namespace {

struct Best {
    Wide cost = 0;
    std::int64_t leaves = 1;
    Listed tree;
};

struct OfNumbers {
    const Cases& cases;
    const search::Wanted& wanted;
    Wide price;
    int bits;

    Best best(const Rows& rows, int depth, std::int64_t leaves, bool subsets) const {
        Count sum = 0, weight = 0;
        Wide squares = 0;
        for (const auto i : rows) {
            const Count w = cases.weight_of(i);
            sum += w * cases.y[i], weight += w;
            squares += static_cast<Wide>(w) * cases.y[i] * cases.y[i];
        }
        Best found{
            (squares << bits) - (static_cast<Wide>(sum) * sum << bits) / weight + price, 1, {std::nullopt}};
        if (depth == 0 || leaves < 2) return found;
        for (const Question& q : Enumeration{cases, wanted, {}}.questions(rows)) {
            Rows sides[2];
            Count samples[2] = {0, 0};
            for (const auto i : rows) {
                const int side = cases.left(q, cases.ranks[q.column][i]) ? 0 : 1;
                sides[side].push_back(i);
                samples[side] += cases.samples_of(i);
            }
            if (sides[0].empty() || sides[1].empty()) continue;
            if (std::min(samples[0], samples[1]) < wanted.min_samples_leaf) continue;
            const std::int64_t most = std::int64_t{1} << (depth - 1);
            for (std::int64_t left = std::max<std::int64_t>(1, std::min(most, leaves - most));
                 left <= std::min(most, leaves - 1); ++left) {
                const Best a = best(sides[0], depth - 1, left, subsets);
                const Best b = best(sides[1], depth - 1, std::min(most, leaves - left), subsets);
                const Wide cost = a.cost + b.cost;
                if (std::pair(cost, a.leaves + b.leaves) >= std::pair(found.cost, found.leaves)) continue;
                found = {cost, a.leaves + b.leaves, {q}};
                found.tree.insert(found.tree.end(), a.tree.begin(), a.tree.end());
                found.tree.insert(found.tree.end(), b.tree.begin(), b.tree.end());
            }
        }
        return found;
    }
};

const Test enumerated{
    "the best tree of numbers is that of plain enumeration", [] {
        for (std::uint64_t number = 0; number < cases_to_try(); ++number) {
            Case c = drawn(number);
            Draws draw(number + 1000000);
            const bool subsets = number % 4 != 0;
            c.wanted.max_depth = 1 + static_cast<int>(number % 3 != 0);
            // Numbers that tie often, or are large.
            const Count size = number % 5 == 0 ? Count{1} << 30 : 3;
            for (const auto label : c.goal.classes)
                c.goal.y.push_back((static_cast<Count>(label) + draw.below(2)) * size - 2 * size +
                                   (number % 2 == 0 ? 0 : draw.below(7)));
            c.goal.classes.clear();
            c.goal.n_classes = 0;
            for (Count& w : c.goal.weight) w = std::min<Count>(w, 1 << 20);
            Wide squares = 0;  // a price beyond them is read as one that is just beyond
            for (std::size_t i = 0; i < c.goal.y.size(); ++i)
                squares += static_cast<Wide>(c.goal.weight.empty() ? 1 : c.goal.weight[i]) * c.goal.y[i] *
                           c.goal.y[i];
            const Wide price = number % 3 == 1 ? std::min(squares, Wide{draw.below(9)} * size * size / 4) : 0;
            c.costs.clear();
            const Cases cases = c.cases(subsets);
            Rows all(cases.n_rows);
            for (std::uint32_t i = 0; i < cases.n_rows; ++i) all[i] = i;
            const search::FoundNumbers found =
                search::search_numbers(cases, c.wanted, price << search::price_bits, {});
            const Best expected = OfNumbers{cases, c.wanted, price << found.bits, found.bits}.best(
                all, c.wanted.max_depth, std::min<std::int64_t>(c.wanted.max_leaf_nodes, 4), subsets);
            search::Found nodes;
            nodes.nodes = found.nodes;
            if (found.objective != expected.cost || found.bound != found.objective ||
                found.leaves != expected.leaves || listed(nodes) != expected.tree) {
                std::cerr << "case " << number << ": another tree, "
                          << static_cast<double>(found.objective - expected.cost) << " more\n";
                holds(false);
            }
            c.wanted.work_limit = 200;
            const search::FoundNumbers stopped =
                search::search_numbers(cases, c.wanted, price << search::price_bits, {});
            if (stopped.bound > expected.cost || stopped.objective < expected.cost) {
                std::cerr << "case " << number << ": stopped with a bound that is "
                          << static_cast<double>(stopped.bound - expected.cost)
                          << " too large, or a cost that is "
                          << static_cast<double>(expected.cost - stopped.objective) << " too small\n";
                holds(false);
            }
            equal(stopped.end == search::End::proved, stopped.bound == stopped.objective);
        }
    }};

}  // namespace
}  // namespace bosco::check
