#include "score/functions.hpp"

#include <algorithm>
#include <utility>

namespace bosco {
namespace {

constexpr double digit = 0x1p-53;
constexpr int most_terms = 1000000;  // far more than any sum here takes

// x = whole + rest: (e^(rest ln 2) - 1, whole).
std::pair<double, int> power(double x) {
    const double whole = std::floor(x + 0.5);
    const double y = (x - whole) * ln2;  // within ±0.35: 18 terms are more than enough
    double sum = 1;
    for (int k = 18; k >= 2; --k) sum = 1 + y / k * sum;
    return {y * sum, static_cast<int>(whole)};
}

// b0 + a1 / (b1 + a2 / (b2 + ...)) from the front (Lentz); `step(i)` gives a_i and b_i.
template <class Step>
double continued_fraction(double b0, const Step& step) {
    const auto safe = [](double v) { return std::abs(v) < 1e-300 ? 1e-300 : v; };
    double value = safe(b0), c = value, d = 0;
    for (int i = 1; i < most_terms; ++i) {
        const auto [a, b] = step(i);
        d = 1 / safe(b + a * d);
        c = safe(b + a / c);
        value *= c * d;
        if (std::abs(c * d - 1) <= 2 * digit) break;
    }
    return value;
}

// The regularized incomplete beta function, where its fraction converges fast: x below the mean.
double beta_share(double x, double y, double a, double b) {
    const double front = exp2_fixed(a * log2_fixed(x) + b * log2_fixed(y) + log2_factorial(a + b) -
                                    log2_factorial(a) - log2_factorial(b)) *
                         (b / (a + b));
    return front / continued_fraction(1, [=](int i) {
               const double m = i / 2;
               const double top = i % 2 ? -(a + m) * (a + b + m) : m * (b - m);
               return std::pair{top * x / ((a + i - 1) * (a + i)), 1.0};
           });
}

}  // namespace

double exp2_fixed(double x) {
    if (x < -1100) return 0;
    const auto [more, whole] = power(x);
    return std::ldexp(1 + more, whole);
}

double exp2_less_one(double x) {
    if (x < -1100) return -1;
    const auto [more, whole] = power(x);
    return std::ldexp(more, whole) + (std::ldexp(1, whole) - 1);
}

double log2_factorial(double x) {
    const bool whole = x == std::floor(x), half = x - 0.5 == std::floor(x);
    if (x <= 22 && (whole || half)) {                         // most are so; whole ones are exact
        double product = whole ? 1 : 0.88622692545275801365;  // of 1/2: half the root of pi
        for (; x > 1; --x) product *= x;
        return log2_fixed(product);
    }
    double product = 1;
    while (x < 16) product *= ++x;
    // Stirling's series: its next term is below the last digit.
    const double r = 1 / x, rr = r * r;
    const double rest =
        r * (1.0 / 12 - rr * (1.0 / 360 -
                              rr * (1.0 / 1260 - rr * (1.0 / 1680 - rr * (1.0 / 1188 - rr * 691 / 360360)))));
    constexpr double half_log2_2pi = 1.3257480647361593;
    return (x + 0.5) * log2_fixed(x) - (x - rest) * log2_e + half_log2_2pi - log2_fixed(product);
}

double chi_square_tail(double x, double freedom) {
    const double a = freedom / 2;
    x /= 2;
    if (!(x > 0)) return 1;
    const double front = exp2_fixed(a * log2_fixed(x) - x * log2_e - log2_factorial(a));
    if (x < a + 1) {
        double sum = 0, term = 1;
        for (int i = 1; i < most_terms && term > sum * digit; ++i) {
            sum += term;
            term *= x / (a + i);
        }
        return std::max(0.0, 1 - front * sum);
    }
    return front * a /
           continued_fraction(x + 1 - a, [=](int i) { return std::pair{-i * (i - a), x + 2 * i + 1 - a}; });
}

double f_tail(double x, double freedom, double freedom_within) {
    const double odds = freedom / freedom_within * x;
    if (!(odds > 0)) return 1;
    if (std::isinf(odds)) return 0;
    const double a = freedom_within / 2, b = freedom / 2;
    const double low = 1 / (1 + odds), high = odds / (1 + odds);
    if (low < (a + 1) / (a + b + 2)) return beta_share(low, high, a, b);
    return 1 - beta_share(high, low, b, a);
}

double normal_quantile(double tail) {
    // Newton from the left: the tail is convex, so no step goes too far.
    for (double z = 0;;) {
        const double over = chi_square_tail(z * z, 1) / 2 - tail;
        const double next = z + over * 2.5066282746310002 / exp2_fixed(-z * z / 2 * log2_e);
        if (!(next > z)) return z;
        z = next;
    }
}

}  // namespace bosco
