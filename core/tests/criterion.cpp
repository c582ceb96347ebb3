// Purity, decrease and split information, against figures worked out by hand.
#include "score/criterion.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "check.hpp"

namespace bosco::check {
namespace {

using Tally = std::vector<Count>;

double gain(Criterion criterion, const std::vector<Tally>& branches) {
    const bool real = criterion == Criterion::squared_error || criterion == Criterion::poisson;
    const Shape shape{real ? 0 : static_cast<int>(branches[0].size())};
    Tally node(branches[0].size(), 0);
    std::vector<const Count*> parts;
    for (const Tally& b : branches) {
        add(node.data(), b.data(), shape.slots());
        parts.push_back(b.data());
    }
    const Judge judge(criterion, shape, node.data());
    return judge.decrease(parts.data(), static_cast<int>(parts.size())) / static_cast<double>(judge.weight());
}

double psi(Criterion criterion, const Tally& t) {
    const Judge judge(criterion, {static_cast<int>(t.size())}, t.data());
    const double p = judge.node_purity() / static_cast<double>(judge.weight());
    return criterion == Criterion::gini || criterion == Criterion::error ? 1 - p : -p;
}

const std::vector<Tally> outlook = {{2, 3}, {4, 0}, {3, 2}};
const std::vector<Tally> humidity = {{3, 4}, {6, 1}};
const std::vector<Tally> wind = {{6, 2}, {3, 3}};
const std::vector<Tally> temperature = {{2, 2}, {4, 2}, {3, 1}};

std::vector<Tally> days() {
    std::vector<Tally> t(14, Tally{1, 0});
    for (std::size_t i = 9; i < 14; ++i) t[i] = {0, 1};
    return t;
}

double ratio(const std::vector<Tally>& branches) {
    std::vector<Count> weights;
    for (const Tally& b : branches) weights.push_back(b[0] + b[1]);
    return gain(Criterion::entropy, branches) / split_information(weights);
}

const Test small_counts{"x log2 x of counts", [] {
                            equal(x_log2_x(0), 0.0);
                            equal(x_log2_x(1), 0.0);
                            equal(x_log2_x(8), 24.0);
                        }};

const Test impurities{
    "psi of worked tallies", [] {
        near(psi(Criterion::entropy, {9, 5}), 0.9403, 5e-5);
        near(psi(Criterion::scaled_entropy, {9, 5}), 0.9403 / 2, 5e-5);
        near(psi(Criterion::gini, {9, 5}), 90.0 / 196, 1e-15);
        near(psi(Criterion::error, {9, 5}), 5.0 / 14, 1e-15);
        near(psi(Criterion::sqrt, {9, 5}), std::sqrt(45.0) / 14, 1e-15);
        // At p = 1/2 all four two-class curves but the entropy itself are 1/2.
        for (const Criterion c :
             {Criterion::gini, Criterion::scaled_entropy, Criterion::error, Criterion::sqrt})
            near(psi(c, {7, 7}), 0.5, 1e-15);
        for (const Criterion c : {Criterion::gini, Criterion::entropy, Criterion::scaled_entropy,
                                  Criterion::error, Criterion::sqrt})
            equal(psi(c, {0, 6, 0}), 0.0);
        near(psi(Criterion::entropy, {1, 1, 1, 1}), 2.0, 1e-15);
        near(psi(Criterion::sqrt, {1, 1, 1}), 3 * std::sqrt(2.0) / 3 / 2, 1e-15);
    }};

const Test chain{"error <= gini <= scaled entropy <= sqrt", [] {
                     for (Count p = 0; p <= 100; ++p) {
                         const Tally t = {p, 100 - p};
                         const double e = psi(Criterion::error, t), g = psi(Criterion::gini, t);
                         const double s = psi(Criterion::scaled_entropy, t), r = psi(Criterion::sqrt, t);
                         holds(e <= g + 1e-15 && g <= s + 1e-15 && s <= r + 1e-15);
                     }
                 }};

const Test halves{"(400,400) into (200,400) and (200,0)", [] {
                      const std::vector<Tally> t = {{200, 400}, {200, 0}};
                      near(gain(Criterion::error, t), 0.25, 1e-15);
                      near(gain(Criterion::entropy, t), 0.3113, 5e-5);
                      near(gain(Criterion::gini, t), 1.0 / 6, 1e-15);
                  }};

const Test flaw{"p = 0.8 into 0.6 and 1: the error sees nothing", [] {
                    const std::vector<Tally> t = {{20, 30}, {0, 50}};
                    equal(gain(Criterion::error, t), 0.0);
                    near(gain(Criterion::gini, t), 0.08, 1e-15);
                    near(gain(Criterion::scaled_entropy, t), 0.1182, 5e-5);
                    near(gain(Criterion::sqrt, t), 0.1551, 5e-5);
                }};

const Test tennis{"gains and gain ratios of play-tennis", [] {
                      near(gain(Criterion::entropy, outlook), 0.2467, 5e-5);
                      near(gain(Criterion::entropy, humidity), 0.1518, 5e-5);
                      near(gain(Criterion::entropy, wind), 0.0481, 5e-5);
                      near(gain(Criterion::entropy, temperature), 0.0292, 5e-5);
                      near(gain(Criterion::entropy, days()), 0.9403, 5e-5);
                      near(ratio(outlook), 0.1564, 5e-5);
                      near(ratio(humidity), 0.1518, 5e-5);
                      near(ratio(wind), 0.0488, 5e-5);
                      near(ratio(temperature), 0.0188, 5e-5);
                      near(ratio(days()), 0.2470, 5e-5);
                  }};

const Test loans{"the loans stump on reputation errs on 8 of 40", [] {
                     const std::vector<Tally> reputation = {{9, 0}, {9, 4}, {4, 14}};
                     near(gain(Criterion::error, reputation), 18.0 / 40 - 0.20, 1e-15);
                     near(psi(Criterion::error, {22, 18}) - gain(Criterion::error, reputation), 0.20, 1e-15);
                 }};

const Test variance{"squared error: y = 1, 2 | 6, 7", [] {
                        // Weight and sum. Variance 6.5, within the halves 0.25.
                        near(gain(Criterion::squared_error, {{2, 3}, {2, 13}}), 6.25, 1e-15);
                        near(gain(Criterion::squared_error, {{2, 3}, {1, 6}, {1, 7}}), 6.375, 1e-14);
                        // A shift of y by a large number changes nothing: the difference is formed exactly.
                        const Count far = Count{1} << 40;
                        near(gain(Criterion::squared_error, {{2, 3 + 2 * far}, {2, 13 + 2 * far}}), 6.25,
                             1e-15);
                    }};

const Test deviance{"poisson: half of the deviance of y = 0, 2 | 6, 0", [] {
                        // ln of the means: of 2, of 2 and 6 in two rows each.
                        const double left = 2 * std::log(1.0 / 2), right = 6 * std::log(3.0 / 2);
                        near(gain(Criterion::poisson, {{2, 2}, {2, 6}}), (left + right) / 4, 1e-15);
                        near(gain(Criterion::poisson, {{2, 2}, {1, 6}, {1, 0}}),
                             (left + 6 * std::log(6.0 / 2)) / 4, 1e-15);
                        const Count node[2] = {4, 8}, none[2] = {1, 0}, some[2] = {1, 6}, all[2] = {3, 8};
                        const Judge judge(Criterion::poisson, {0}, node);
                        holds(judge.allows_parts(some) && !judge.allows_parts(none));
                        holds(!judge.allows_parts(all) && !judge.allows(none));
                        // Means that differ in the last digits: nothing cancels.
                        const Count big = Count{1} << 40, near_[2] = {1, big}, both[2] = {2, 2 * big + 2};
                        const Judge close(Criterion::poisson, {0}, both);
                        near(close.decrease(near_, 1) * static_cast<double>(big), 1, 1e-11);
                    }};

const Test negative_targets{"squared error takes negative sums",
                            [] { near(gain(Criterion::squared_error, {{1, -4}, {1, 4}}), 16, 1e-15); }};

const Test empty_branches{
    "empty branches add nothing; two filled ones are a binary test", [] {
        const std::vector<Tally> two = {{20, 30}, {0, 50}};
        const std::vector<Tally> four = {{0, 0}, {20, 30}, {0, 0}, {0, 50}};
        for (const Criterion c : {Criterion::gini, Criterion::entropy, Criterion::scaled_entropy,
                                  Criterion::error, Criterion::sqrt}) {
            equal(gain(c, two), gain(c, four));
            equal(gain(c, {{3, 4}, {0, 0}}), 0.0);
        }
    }};

const Test order_free{
    "the order of the branches does not matter to the last bit", [] {
        std::vector<Tally> t = {{1, 7, 3}, {5, 0, 2}, {11, 13, 1}, {0, 0, 9}};
        for (const Criterion c : {Criterion::gini, Criterion::entropy, Criterion::scaled_entropy,
                                  Criterion::error, Criterion::sqrt}) {
            std::sort(t.begin(), t.end());
            const double expected = gain(c, t);
            while (std::next_permutation(t.begin(), t.end())) equal(gain(c, t), expected);
        }
    }};

const Test mirrored{"left and right are alike for gini and squared error", [] {
                        const Tally node = {1000003, 777, 31};
                        const Tally left = {400, 77, 30}, right = {999603, 700, 1};
                        const Judge judge(Criterion::gini, {3}, node.data());
                        equal(judge.decrease(left.data(), 507),
                              judge.decrease(right.data(), judge.weight() - 507));
                    }};

const Test large_gini{
    "gini above 2^31 agrees with the exact fraction below it", [] {
        for (const Count scale : {Count{1}, Count{1} << 20, Count{1} << 30, Count{1} << 36}) {
            const Tally node = {9 * scale, 5 * scale}, left = {6 * scale, 1 * scale};
            const Judge judge(Criterion::gini, {2}, node.data());
            near(judge.decrease(left.data(), 7 * scale) / static_cast<double>(judge.weight()),
                 0.0918367346938775, 1e-15);
            near(judge.about(left.data(), 7 * scale), judge.decrease(left.data(), 7 * scale),
                 1e-14 * static_cast<double>(judge.weight()));
        }
    }};

const Test largest_sums{"the largest sums allowed do not overflow", [] {
                            const Count big = Count{1} << 61;
                            const Tally node = {4, 0}, left = {2, big};
                            const Judge judge(Criterion::squared_error, {0}, node.data());
                            const double expected = static_cast<double>(big) * static_cast<double>(big);
                            near(judge.decrease(left.data(), 2) / expected, 1.0, 1e-15);
                        }};

const Test many_classes{"more than 16 classes take the long way with the same result", [] {
                            Tally node(20, 2), left(20, 0);
                            for (std::size_t c = 0; c < 10; ++c) left[c] = 2;
                            const Judge judge(Criterion::entropy, {20}, node.data());
                            near(judge.decrease(left.data(), 20), 40, 1e-12);  // one bit for each of 40 rows
                        }};

const Test information{"split information", [] {
                           near(split_information({5, 4, 5}), 1.5774, 5e-5);
                           near(split_information({7, 7}), 1.0, 1e-15);
                           near(split_information(std::vector<Count>(14, 1)), 3.8074, 5e-5);
                           equal(split_information({8}), 0.0);
                           equal(split_information({8, 0, 0}), 0.0);
                           equal(split_information({}), 0.0);
                           equal(split_information({3, 0, 5, 9}), split_information({9, 5, 3}));
                       }};

const Test shapes{"a shape reads its tally", [] {
                      const Shape apart{3, true};
                      const Tally t = {2, 5, 5, 4};
                      equal(apart.slots(), 4);
                      equal(apart.weight(t.data()), 12);
                      equal(apart.samples(t.data(), 12), 4);
                      equal(Shape{3}.samples(t.data(), 12), 12);
                      equal(apart.majority(t.data()), 1);  // of more than two the first
                      equal(apart.only_class(t.data()), -1);
                      const Tally pure = {0, 5, 0, 1};
                      equal(apart.only_class(pure.data()), 1);
                      const Tally real = {3, -7};
                      equal(Shape{}.weight(real.data()), 3);
                      equal(Shape{}.only_class(real.data()), -1);
                  }};

const Test outputs{
    "several outputs are scored by their mean", [] {
        // Two rows on either side; the first output's classes part, the second's do not.
        const Tally node = {4, 2, 2, 2, 2}, left = {2, 2, 0, 1, 1};
        const Shape two{0, false, 4, 2};
        equal(two.slots(), 5);
        equal(two.weight(node.data()), 4);
        const Judge squares(Criterion(Criterion::gini).of_several(), two, node.data());
        near(squares.decrease(left.data(), 2) / 4, 0.25, 1e-15);  // (1/2 + 0) / 2
        const Judge bits(Criterion(Criterion::entropy).of_several(), two, node.data());
        near(bits.decrease(left.data(), 2) / 4, 0.5, 1e-15);  // (1 + 0) / 2
        // Numbers (1, 5), (1, 7) and (3, 5), (3, 7): variances 1 and 1, of which 1 goes.
        const Tally all = {4, 8, 24}, low = {2, 2, 12};
        const Judge means(Criterion(Criterion::squared_error).of_several(), {0, false, 2, 2}, all.data());
        near(means.decrease(low.data(), 2) / 4, 0.5, 1e-15);
        holds(!means.criterion().bounded());
        // The same numbers as counts: means 2 and 6, of which the first become 1 and 3.
        const Judge rates(Criterion(Criterion::poisson).of_several(), {0, false, 2, 2}, all.data());
        const double one = (2 * std::log(0.5) + 6 * std::log(1.5)) / 4;
        near(rates.decrease(low.data(), 2) / 4, one / 2, 1e-15);
        const Tally none = {2, 2, 0}, rest = {2, 2, 24};
        holds(rates.allows_parts(low.data()));
        holds(!rates.allows(none.data()) && !rates.allows_parts(none.data()) &&
              !rates.allows_parts(rest.data()));
    }};

}  // namespace
}  // namespace bosco::check
