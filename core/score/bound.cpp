#include "score/bound.hpp"

#include <algorithm>
#include <limits>

namespace bosco {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr int most_corners = 6;  // classes of a bin up to which all 2^k corners are tried

// Any test is at most as good as setting the bin itself apart and separating all it holds. Loose by
// what the bin holds, but finite everywhere.
double bound_apart(const Judge& judge, const Count* left, const Count* bin) {
    const Shape shape = judge.shape();
    std::vector<Count> right(judge.node(), judge.node() + shape.tally());
    subtract(right.data(), left, shape.tally());
    subtract(right.data(), bin, shape.tally());
    const bool whole = judge.criterion() == Criterion::gini || judge.criterion() == Criterion::error;
    return judge.purity(left, shape.weight(left)) + judge.purity(right.data(), shape.weight(right.data())) +
           (whole ? static_cast<double>(shape.weight(bin)) : 0.0) - judge.node_purity();
}

// Real targets. By Cauchy-Schwarz a part of weight u of a bin (weight T, mean m, squared
// deviations S) has a sum within sqrt(S u (T-u) / T) of u m: an ellipse. It is covered by
// `slices` parallelograms, whose corners bound a convex function. Near the ends of the column,
// setting the bin apart and separating all it holds bounds closer.
double bound_real(const Judge& judge, const Count* left, const Count* bin, double squares, int slices) {
    const auto total = static_cast<double>(judge.weight());
    const double m = static_cast<double>(judge.node()[1]) / total;
    const auto wl = static_cast<double>(left[0]), t = static_cast<double>(bin[0]);
    const double wr = total - wl - t;
    // Sums of deviations from the node's mean.
    const double dl = static_cast<double>(left[1]) - m * wl;
    const double db = static_cast<double>(bin[1]) - m * t;
    const double s = static_cast<double>(bin[1]);
    const double spread = std::max(0.0, squares - s * (s / t)) + squares * 1e-10;
    const double dr = -dl - db;
    const double apart = (wl > 0 ? dl * dl / wl : 0) + db * db / t + (wr > 0 ? dr * dr / wr : 0) + spread;
    double best = 0;
    for (int k = 0; k < slices; ++k) {
        const double u0 = t * k / slices, u1 = t * (k + 1) / slices;
        const double widest = u0 <= t / 2 && u1 >= t / 2 ? t / 2 : (u1 < t / 2 ? u1 : u0);
        const double e = std::sqrt(spread * widest * (t - widest) / t);
        for (const double u : {u0, u1})
            for (const double side : {-e, e}) {
                const double w = wl + u;
                const double d = dl + u * (db / t) + side;
                const double den = w * (total - w);
                if (den <= 0) return apart;
                best = std::max(best, d * d / den * total);
            }
    }
    return std::min(best, apart);
}

// Counts, by Poisson's deviance: the same ellipse, of which no sum is below 0 or above the bin's. The
// deviance within the bin is at most its squared deviations over its mean (ln x <= x - 1).
double bound_counts(const Judge& judge, const Count* left, const Count* bin, double squares, int slices) {
    const Count right[2] = {judge.weight() - left[0] - bin[0], judge.node()[1] - left[1] - bin[1]};
    const auto total = static_cast<double>(judge.weight());
    const double m = static_cast<double>(judge.node()[1]) / total;
    const auto wl = static_cast<double>(left[0]), t = static_cast<double>(bin[0]);
    const auto s = static_cast<double>(bin[1]);
    const double spread = std::max(0.0, squares - s * (s / t)) + squares * 1e-10;
    const double apart = judge.purity(left, left[0]) + judge.purity(bin, bin[0]) +
                         judge.purity(right, right[0]) + (s > 0 ? spread * (t / s) : 0);
    const Wide off =
        static_cast<Wide>(left[1]) * judge.weight() - static_cast<Wide>(judge.node()[1]) * left[0];
    const double dl = static_cast<double>(off) / total;
    double best = 0;
    for (int k = 0; k < slices; ++k) {
        const double u[2] = {t * k / slices, t * (k + 1) / slices};
        const double widest = u[0] <= t / 2 && u[1] >= t / 2 ? t / 2 : (u[1] < t / 2 ? u[1] : u[0]);
        const double e = std::sqrt(spread * widest * (t - widest) / t);
        double low[2], high[2];
        for (int i = 0; i < 2; ++i) low[i] = u[i] * (s / t) - e, high[i] = u[i] * (s / t) + e;
        // Where an edge leaves what sums can be, a level one takes its place.
        if (low[0] < 0 || low[1] < 0) low[0] = low[1] = 0;
        if (high[0] > s || high[1] > s) high[0] = high[1] = s;
        for (int i = 0; i < 2; ++i)
            for (const double sum : {low[i], high[i]}) {
                const double w = wl + u[i], wr = total - w;
                if (w <= 0 || wr <= 0) return apart;
                const double d = dl + (sum - m * u[i]);
                best = std::max(best, m * (w * log_excess(d / (m * w)) + wr * log_excess(-d / (m * wr))));
            }
    }
    return std::min(best, apart);
}

double bound_error(const Judge& judge, const Count* left, const Count* bin) {
    const int k = judge.shape().classes;
    // The two branches' majorities i, j: with i != j the bin gives all of i left, all of j right.
    Count best = 0;
    Count first = -1, second = -1;
    int first_class = -1;
    for (int c = 0; c < k; ++c) {
        const Count right = judge.node()[c] - left[c];
        best = std::max(best, judge.node()[c]);
        if (right > first)
            second = first, first = right, first_class = c;
        else if (right > second)
            second = right;
    }
    for (int c = 0; c < k; ++c) best = std::max(best, left[c] + bin[c] + (c == first_class ? second : first));
    return static_cast<double>(best) - judge.node_purity();
}

// Gini, many classes: each centred count d_c at its extreme, the denominator at its least.
double bound_gini(const Judge& judge, const Count* left, const Count* bin) {
    const int k = judge.shape().classes;
    const auto total = static_cast<double>(judge.weight());
    double w0 = 0, t = 0;
    for (int c = 0; c < k; ++c) {
        w0 += static_cast<double>(left[c]);
        t += static_cast<double>(bin[c]);
    }
    double sum = 0;
    for (int c = 0; c < k; ++c) {
        const auto n = static_cast<double>(judge.node()[c]);
        const auto b = static_cast<double>(bin[c]);
        const double d = static_cast<double>(left[c]) * total - n * w0;
        const double high = d + (total - n) * b, low = d - n * (t - b);
        sum += std::max(high * high, low * low);
    }
    const double den = std::min(w0 * (total - w0), (w0 + t) * (total - w0 - t));
    const double apart = bound_apart(judge, left, bin);
    return den > 0 ? std::min(apart, sum / den / total) : apart;
}

// Entropy, many classes. x log x lies below its chord, -w log w below its tangent: together a
// linear function of the part of the bin that goes left, largest at a corner found class by class.
double bound_entropy(const Judge& judge, const Count* left, const Count* bin) {
    const int k = judge.shape().classes;
    Count w0 = 0, t = 0;
    for (int c = 0; c < k; ++c) w0 += left[c], t += bin[c];
    const Count wr = judge.weight() - w0;  // right, the bin included
    const double half = static_cast<double>(t) / 2;
    const double ml = static_cast<double>(w0) + half, mr = static_cast<double>(wr) - half;
    const double slope_l = log2_fixed(ml) + 1 / ln2, slope_r = log2_fixed(mr) + 1 / ln2;
    // Tangents at the middle, written at u = 0 (nothing of the bin goes left).
    double value = -(ml * log2_fixed(ml) - slope_l * half) - (mr * log2_fixed(mr) + slope_r * half);
    for (int c = 0; c < k; ++c) {
        const Count a = left[c], r = judge.node()[c] - a;
        value += x_log2_x(a) + x_log2_x(r);
        if (bin[c] == 0) continue;
        const auto b = static_cast<double>(bin[c]);
        const double chord_l = (x_log2_x(a + bin[c]) - x_log2_x(a)) / b;
        const double chord_r = (x_log2_x(r - bin[c]) - x_log2_x(r)) / b;
        value += std::max(0.0, b * (chord_l + chord_r - slope_l + slope_r));
    }
    if (judge.criterion() == Criterion::scaled_entropy) value /= 2;
    return value - judge.node_purity();
}

// The best corner of the box; with too many corners, the bound above.
double bound_corners(const Judge& judge, const Count* left, const Count* bin) {
    const int k = judge.shape().classes;
    int active[most_corners];
    int n = 0;
    for (int c = 0; c < k; ++c)
        if (bin[c] > 0) {
            if (n == most_corners) return bound_apart(judge, left, bin);
            active[n++] = c;
        }
    std::vector<Count> corner(left, left + k);
    double best = 0;
    Count w = 0;
    for (int c = 0; c < k; ++c) w += left[c];
    for (int mask = 0; mask < 1 << n; ++mask) {
        Count add = 0;
        for (int i = 0; i < n; ++i) {
            const int c = active[i];
            const Count part = mask >> i & 1 ? bin[c] : 0;
            corner[static_cast<std::size_t>(c)] = left[c] + part;
            add += part;
        }
        best = std::max(best, judge.about(corner.data(), w + add));
    }
    return best;
}

// What rounding can take from a difference of purities.
double rounding(const Judge& judge) {
    const auto w = static_cast<double>(judge.weight());
    const bool logs =
        judge.criterion() == Criterion::entropy || judge.criterion() == Criterion::scaled_entropy;
    return 1e-14 * w * (logs ? 2 + log2_fixed(w) : 1);
}

}  // namespace

double bound_inside(const Judge& judge, const Count* left, const Count* bin, double squares) {
    const bool many = judge.shape().classes > 2;
    switch (judge.criterion()) {
        case Criterion::squared_error: return bound_real(judge, left, bin, squares, 1);
        case Criterion::poisson: return bound_counts(judge, left, bin, squares, 1);
        case Criterion::error: return bound_error(judge, left, bin);
        case Criterion::gini:
            return many ? bound_gini(judge, left, bin) + rounding(judge) : bound_corners(judge, left, bin);
        case Criterion::entropy:
        case Criterion::scaled_entropy:
            return (many ? bound_entropy(judge, left, bin) : bound_corners(judge, left, bin)) +
                   rounding(judge);
        case Criterion::sqrt: return bound_corners(judge, left, bin) + rounding(judge);
        case Criterion::mean_squared:
        case Criterion::mean_entropy:
        case Criterion::mean_poisson:
        case Criterion::absolute_error:
        case Criterion::quantile:
        case Criterion::custom: break;  // it may not be concave, or is no function of a tally
    }
    return unbounded;
}

bool may_reach(const Judge& judge, const Count* left, const Count* bin, double squares, double least) {
    if (judge.criterion() == Criterion::gini && judge.shape().classes == 2 && least > 0) {
        for (const Count zeros : {Count{0}, bin[0]})  // the corners, without a division
            for (const Count ones : {Count{0}, bin[1]}) {
                const Count corner[2] = {left[0] + zeros, left[1] + ones}, w = corner[0] + corner[1];
                if (w > 0 && w < judge.weight() && !judge.below(corner, w, least)) return true;
            }
        return false;
    }
    return bound_inside(judge, left, bin, squares) >= least &&
           bound_inside_closely(judge, left, bin, squares) >= least;
}

double bound_inside_closely(const Judge& judge, const Count* left, const Count* bin, double squares) {
    switch (judge.criterion()) {
        case Criterion::squared_error: return bound_real(judge, left, bin, squares, 4);
        case Criterion::poisson: return bound_counts(judge, left, bin, squares, 6);
        case Criterion::gini: return bound_corners(judge, left, bin) + rounding(judge);
        default: return unbounded;
    }
}

}  // namespace bosco
