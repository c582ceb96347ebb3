// Where a threshold lies between two neighbouring values.
#include "check.hpp"
#include "data.hpp"
#include "score/propose.hpp"

namespace bosco::check {
namespace {

constexpr double least = std::numeric_limits<double>::denorm_min();

double midpoint(double a, double b) { return threshold_between(a, b, Threshold::midpoint); }
double rounded(double a, double b) { return threshold_between(a, b, Threshold::round); }

const Test midpoints{"the midpoint of plain values", [] {
                         equal(midpoint(1, 2), 1.5);
                         equal(midpoint(-2, -1), -1.5);
                         equal(midpoint(-1, 1), 0.0);
                         equal(midpoint(70, 75), 72.5);
                     }};

const Test observed{"observed takes the lower value", [] {
                        equal(threshold_between(1, 2, Threshold::observed), 1.0);
                        equal(threshold_between(-infinite, 2, Threshold::observed), -infinite);
                    }};

const Test far_apart{"values at the ends of the range do not overflow", [] {
                         equal(midpoint(-1e308, 1e308), 0.0);
                         equal(midpoint(1e308, 1.5e308), 1.25e308);
                         equal(rounded(-1e308, 1e308), 0.0);
                         equal(rounded(1.6e308, 1.79e308), 1.7e308);
                         equal(rounded(-1.79e308, -1.6e308), -1.7e308);
                     }};

const Test with_infinity{
    "beside an infinity the lower value is the threshold", [] {
        for (const Threshold rule : {Threshold::midpoint, Threshold::observed, Threshold::round}) {
            equal(threshold_between(3, infinite, rule), 3.0);
            equal(threshold_between(-infinite, 3, rule), -infinite);
            equal(threshold_between(-infinite, infinite, rule), -infinite);
            equal(threshold_between(infinite, infinite, rule), infinite);
        }
    }};

const Test tight{"between neighbouring doubles the lower one is left", [] {
                     for (const double a : {1.0, 0.1, 1e300, 3 * least, 7 * least, -least, 123456.789}) {
                         const double b = std::nextafter(a, infinite);
                         equal(midpoint(a, b), a);
                         holds(rounded(a, b) == a);
                     }
                 }};

const Test denormal{"denormal values", [] {
                        equal(midpoint(0, least), 0.0);
                        equal(midpoint(-least, least), 0.0);
                        equal(midpoint(least, 3 * least), 2 * least);
                        for (int i = 0; i < 20; ++i)
                            for (int j = i + 1; j < 20; ++j)
                                for (const Threshold rule : {Threshold::midpoint, Threshold::round}) {
                                    const double t = threshold_between(i * least, j * least, rule);
                                    holds(t >= i * least && t < j * least);
                                }
                    }};

const Test short_decimals{"round takes the fewest digits, nearest the middle", [] {
                              equal(rounded(0.123, 0.4), 0.3);
                              equal(rounded(70, 75), 70.0);
                              equal(rounded(1234, 1239), 1236.0);  // of 1236 and 1237 the lower
                              equal(rounded(0.0123, 0.0127), 0.0125);
                              equal(rounded(95, 106), 100.0);
                              equal(rounded(-0.3, 0.3), 0.0);
                          }};

const Test rounded_ties{"of two decimals equally near the middle the lower", [] {
                            equal(rounded(2, 5), 3.0);     // 3.5: 3 and 4
                            equal(rounded(1, 4), 2.0);     // 2.5: 2 and 3
                            equal(rounded(-4, -1), -3.0);  // -2.5: -3 and -2
                            equal(rounded(-5, -2), -4.0);
                        }};

const Test closed_below{"the lower value may be the threshold, the upper not", [] {
                            equal(rounded(1, 2), 1.0);
                            equal(rounded(2, 3), 2.0);
                            equal(rounded(-2, -1), -2.0);
                            equal(rounded(0.1, 0.2), 0.1);
                            equal(rounded(20, 30), 20.0);
                        }};

const Test always_between{
    "every rule separates the two values", [] {
        Draws draws(1);
        for (int i = 0; i < 20000; ++i) {
            double a = std::ldexp(draws.real() - 0.5, static_cast<int>(draws.below(200)) - 100);
            double b = i % 2 == 0 ? std::ldexp(draws.real() - 0.5, static_cast<int>(draws.below(200)) - 100)
                                  : a + std::abs(a) * 1e-15 * static_cast<double>(draws.below(9));
            if (a > b) std::swap(a, b);
            if (a == b) continue;
            for (const Threshold rule : {Threshold::midpoint, Threshold::observed, Threshold::round}) {
                const double t = threshold_between(a, b, rule);
                holds(t >= a && t < b);
            }
        }
    }};

}  // namespace
}  // namespace bosco::check
