// The bound of a bin is never below a cut inside it: a random search over all criteria.
#include "score/bound.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

// The slack with which the bounds are used (look.cpp).
void above(double bound, double decrease, const Place& at = Place::current()) {
    if (bound >= decrease - 1e-11 * std::abs(decrease)) return;
    fail(at) << "bound " << bound << " below " << decrease << " by " << decrease - bound << "\n";
}

struct Sizes {
    Count outside;  // at most so much of a class left or right of the bin
    int rows;       // in the bin
    Count weight;   // of a row, at most
};

// Classes of the bin's rows come in runs, so that cuts inside are good ones.
void search(Criterion criterion, int k, Sizes sizes, Draws& draws) {
    const auto slots = static_cast<std::size_t>(k);
    std::vector<Count> left(slots), node(slots), bin(slots, 0);
    const bool none_left = draws.below(4) == 0, none_right = draws.below(4) == 0;
    for (std::size_t c = 0; c < slots; ++c) {
        left[c] = none_left ? 0 : draws.below(sizes.outside);
        node[c] = left[c] + (none_right ? 0 : draws.below(sizes.outside));
    }
    std::vector<std::pair<std::size_t, Count>> rows;
    auto current = static_cast<std::size_t>(draws.below(k));
    for (int i = 0; i < sizes.rows; ++i) {
        if (draws.below(5) == 0) current = static_cast<std::size_t>(draws.below(k));
        rows.emplace_back(current, 1 + draws.below(sizes.weight));
        bin[current] += rows.back().second;
        node[current] += rows.back().second;
    }
    const Judge judge(criterion, {k}, node.data());
    const double bound = bound_inside(judge, left.data(), bin.data(), 0);
    const double close = bound_inside_closely(judge, left.data(), bin.data(), 0);
    std::vector<Count> part = left;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        part[rows[i].first] += rows[i].second;
        const double d = judge.decrease(part.data(), judge.shape().weight(part.data()));
        above(bound, d);
        above(close, d);
    }
}

const Test of_classes{
    "classes: bounds lie above every inner cut", [] {
        Draws draws(11);
        for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::scaled_entropy,
                                          Criterion::error, Criterion::sqrt})
            for (int k = 2; k <= 8; ++k)
                for (int round = 0; round < 60; ++round)
                    for (const Sizes s :
                         {Sizes{6, 4, 1}, Sizes{50, 12, 1}, Sizes{40, 15, 30}, Sizes{1000, 30, 3}})
                        search(criterion, k, s, draws);
    }};

void search_real(Criterion criterion, Count spread, Count outside, Count most_weight, Draws& draws) {
    std::vector<std::pair<Count, Count>> rows;  // weight, y
    Count node[2] = {0, 0}, left[2] = {0, 0}, bin[2] = {0, 0};
    double squares = 0;
    const auto put = [&](Count* to, Count w, Count y) { to[0] += w, to[1] += w * y; };
    const bool counts = criterion == Criterion::poisson;
    Count shift = draws.below(3) == 0 ? 0 : draws.below(10 * spread) - (counts ? 0 : 5 * spread);
    if (counts && draws.below(2) == 0) shift = -spread / 2;  // half of them are 0
    for (Count i = draws.below(outside); i > 0; --i)
        put(left, 1 + draws.below(most_weight), draws.below(spread));
    put(node, left[0], 0);
    node[1] += left[1];
    for (Count i = draws.below(outside); i > 0; --i)
        put(node, 1 + draws.below(most_weight), draws.below(spread));
    const int n = 2 + static_cast<int>(draws.below(12));
    for (int i = 0; i < n; ++i) {
        const Count drawn = shift + draws.below(spread);
        rows.emplace_back(1 + draws.below(most_weight), counts ? std::max<Count>(0, drawn) : drawn);
        put(bin, rows.back().first, rows.back().second);
        put(node, rows.back().first, rows.back().second);
        const auto y = static_cast<double>(rows.back().second);
        squares += static_cast<double>(rows.back().first) * y * y;
    }
    if (draws.below(2) == 0)
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const Judge judge(criterion, {0}, node);
    const double bound = bound_inside(judge, left, bin, squares);
    const double close = bound_inside_closely(judge, left, bin, squares);
    Count part[2] = {left[0], left[1]};
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        put(part, rows[i].first, rows[i].second);
        const double d = judge.decrease(part, part[0]);
        above(bound, d);
        above(close, d);
    }
}

const Test of_reals{"real targets: bounds lie above every inner cut", [] {
                        Draws draws(12);
                        for (int round = 0; round < 3000; ++round) {
                            for (const Criterion c : {Criterion::squared_error, Criterion::poisson}) {
                                search_real(c, 3, 6, 1, draws);
                                search_real(c, 1000, 20, 1, draws);
                                search_real(c, 1000000, 40, 9, draws);
                                search_real(c, Count{1} << 30, 10, 1000, draws);
                            }
                        }
                    }};

const Test corners{"a bin that separates perfectly is bounded exactly, two classes", [] {
                       const std::vector<Count> node = {5, 5}, left = {2, 0}, bin = {3, 2};
                       const Judge judge(Criterion::gini, {2}, node.data());
                       near(bound_inside(judge, left.data(), bin.data(), 0), 5, 1e-14);  // (5,0) | (0,5)
                       const Judge error(Criterion::error, {2}, node.data());
                       near(bound_inside(error, left.data(), bin.data(), 0), 5, 1e-15);
                   }};

const Test equal_ys{"a bin of equal targets cannot do better than its edges by much", [] {
                        const Count node[2] = {10, 50}, left[2] = {3, 0}, bin[2] = {4, 20};
                        const Judge judge(Criterion::squared_error, {0}, node);
                        const Count after[2] = {7, 20};
                        const double edges = std::max(judge.decrease(left, 3), judge.decrease(after, 7));
                        near(bound_inside(judge, left, bin, 100), edges, 1e-3 * edges);
                    }};

}  // namespace
}  // namespace bosco::check
