// Functions in fixed IEEE operations, against the library's and against published figures.
#include "score/functions.hpp"

#include <initializer_list>

#include "check.hpp"

namespace bosco::check {
namespace {

const Test log2_powers{"log2_fixed is exact at powers of two", [] {
                           for (int e = 0; e < 63; ++e)
                               equal(log2_fixed(std::ldexp(1.0, e)), static_cast<double>(e));
                           equal(log2_fixed(0x1p-1074), -1074.0);
                           equal(log2_fixed(0x1p1023), 1023.0);
                       }};

const Test log2_others{
    "log2_fixed is within a few ulps of log2", [] {
        for (const double x :
             {3.0, 5.0, 7.0, 10.0, 1.0000001, 1.4142135, 1.4142136, 999999937.0, 0.3, 4.6e18})
            near(log2_fixed(x), std::log2(x), 4e-16 * std::max(1.0, std::abs(std::log2(x))));
        near(log2_fixed(3), 1.5849625007211562, 3e-16);
    }};

const Test log2_monotone{"log2_fixed rises across the seams of its range", [] {
                             for (double x : {1.0, 1.4142135623730949, 2.0, 2.8284271247461898, 1024.0})
                                 for (int i = 0; i < 8; ++i) {
                                     const double next = std::nextafter(x, 1e300);
                                     holds(log2_fixed(x) <= log2_fixed(next) + 3e-16 * 10);
                                     x = next;
                                 }
                         }};

const Test excess{
    "(1 + x) ln(1 + x) - x keeps its digits", [] {
        equal(log_excess(0), 0.0);
        equal(log_excess(-1), 1.0);
        near(log_excess(1), 0.38629436111989062, 4e-16);
        for (const double x : {-0.999, -0.5, -0.2901, -0.29, -0.1, 0.1, 0.41, 0.4101, 3.0, 1e6}) {
            const auto v = static_cast<long double>(x);
            near(log_excess(x) / static_cast<double>((1 + v) * std::log1p(v) - v), 1, 4e-15);
        }
        for (const double x : {1e-4, -1e-4, 1e-7, -1e-7, 1e-100})
            near(log_excess(x) / (x * x * (0.5 - x / 6 + x * x / 12)), 1, 1e-11);
    }};

const Test powers{"2^x in fixed operations", [] {
                      for (double x = -40; x <= 40; x += 0.37) near(exp2_fixed(x) / std::exp2(x), 1, 4e-16);
                      equal(exp2_fixed(0), 1.0);
                      equal(exp2_fixed(-3), 0.125);
                  }};

const Test powers_less_one{"2^x - 1 keeps its digits near 0", [] {
                               for (const double x : {-1e-12, -1e-5, -0.2, -0.5, -0.7, -1.0, -30.0, 0.4})
                                   near(exp2_less_one(x) / std::expm1(x * ln2), 1, 1e-15);
                               equal(exp2_less_one(-2), -0.75);
                               equal(exp2_less_one(-5000), -1.0);
                               equal(exp2_fixed(-5000), 0.0);
                           }};

const Test factorials{"log2 of factorials, of whole numbers and others", [] {
                          equal(log2_factorial(0), 0.0);
                          equal(log2_factorial(1), 0.0);
                          equal(log2_factorial(2), 1.0);
                          equal(log2_factorial(5), log2_fixed(120));
                          for (const double x : {0.25, 0.5, 3.5, 7.3, 15.99, 16.0, 22.0, 23.0, 1e3, 1e9})
                              near(log2_factorial(x), std::lgamma(x + 1) / ln2,
                                   2e-14 + 4e-16 * std::lgamma(x + 1));
                      }};

const Test tails{"tails of chi-square, F and the normal distribution", [] {
                     near(chi_square_tail(3.841458820694124, 1), 0.05, 1e-15);
                     near(chi_square_tail(5.991464547107979, 2), 0.05, 1e-15);
                     near(chi_square_tail(10, 2) / std::exp(-5.0), 1, 1e-14);
                     near(chi_square_tail(2, 10), 0.9963401531726563, 1e-15);
                     near(chi_square_tail(1000, 1000), 0.49405285382923964, 1e-12);
                     equal(chi_square_tail(0, 3), 1.0);
                     near(f_tail(4.964602743730711, 1, 10), 0.05, 1e-14);
                     near(f_tail(3.0, 2, 4), 1 / 6.25, 1e-15);  // (1 + 2 * 3 / 4)^-2
                     near(f_tail(0.01, 3, 7), 0.9984952470401116, 1e-14);
                     equal(f_tail(0, 2, 3), 1.0);
                     equal(f_tail(HUGE_VAL, 2, 3), 0.0);
                     near(normal_quantile(0.25), 0.6744897501960817, 1e-15);
                     near(normal_quantile(0.025), 1.959963984540054, 4e-15);
                     near(normal_quantile(1e-6), 4.753424308822899, 1e-14);
                     equal(normal_quantile(0.5), 0.0);
                     for (const double z : {0.1, 1.0, 3.0, 8.0})
                         near(normal_quantile(std::erfc(z / std::sqrt(2.0)) / 2), z, 1e-13);
                 }};

const Test ties{"costs that agree to twelve digits are equal", [] {
                    holds(no_dearer(1.1, 1.0999999999999999) && no_dearer(0, 0) && no_dearer(1, 2));
                    holds(!no_dearer(1.1, 1.1 - 1e-9) && no_dearer(HUGE_VAL, HUGE_VAL));
                }};

}  // namespace
}  // namespace bosco::check
