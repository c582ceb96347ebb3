// Logarithms, powers, factorials and tails of distributions in IEEE + - * / sqrt and one fixed order: what
// decides with them decides alike on every machine, whatever its libraries say in the last digit.
#pragma once

#include <cmath>

namespace bosco {

constexpr double ln2 = 0.69314718055994530942;
constexpr double log2_e = 1.4426950408889634;

// log2 by the atanh series on [sqrt(1/2), sqrt(2)); exact for powers of two.
inline double log2_fixed(double x) {
    int e = 0;
    double m = std::frexp(x, &e);
    if (m < 0.70710678118654752440) {
        m *= 2;
        e -= 1;
    }
    const double s = (m - 1) / (m + 1);
    const double z = s * s;
    double p = 1.0 / 23;
    for (int odd = 21; odd >= 1; odd -= 2) p = p * z + 1.0 / odd;
    return e + ((2.0 * s) * p) * log2_e;
}

// (1 + x) ln(1 + x) - x, with all digits where x is small; x >= -1.
inline double log_excess(double x) {
    if (x <= -1) return 1;
    if (x > 0.41 || x < -0.29) return (1 + x) * (log2_fixed(1 + x) * ln2) - x;
    // ln(1 + x) = 2 s (1 + r), s = x / (2 + x): then all but a small part cancels by hand.
    const double s = x / (2 + x);
    const double z = s * s;
    double r = 1.0 / 25;
    for (int odd = 23; odd >= 3; odd -= 2) r = r * z + 1.0 / odd;
    r *= z;
    return x * (s + r * (1 + s));
}

double exp2_fixed(double x);     // 2^x; 0 where that is too small
double exp2_less_one(double x);  // 2^x - 1, with all digits where x is small

double log2_factorial(double x);  // of any x >= 0: log2 of gamma(x + 1)

// How likely it is that chance alone gives x or more.
double chi_square_tail(double x, double freedom);
double f_tail(double x, double freedom, double freedom_within);

// What a normal number exceeds with a probability of at most 1/2.
double normal_quantile(double tail);

// Wilson's bound of a share p seen in n rows: the upper one, and for a negative z the lower.
inline double wilson(double p, double n, double z) {
    const double zz = z * z;
    return (p + zz / (2 * n) + z * std::sqrt(p * (1 - p) / n + zz / (4 * n * n))) / (1 + zz / n);
}

// Who wins a tie in pruning: costs that agree to twelve digits are equal, and what is no dearer is taken.
constexpr double equal_within = 1e-12;
inline bool no_dearer(double cost, double than) { return cost <= than * (1 + equal_within); }

}  // namespace bosco
