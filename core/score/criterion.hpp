// Purity, decrease and split information: pure functions of tallies (docs/growing.md §2).
// Only IEEE + - * / sqrt are used, in one fixed order, so every platform agrees (functions.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "data/error.hpp"
#include "data/tally.hpp"
#include "data/target.hpp"
#include "score/functions.hpp"
#include "score/psi.hpp"

namespace bosco {

// What impurity is: one of those that are known here, or a function from outside.
class Criterion {
public:
    enum Known : std::uint8_t {
        gini,
        entropy,
        scaled_entropy,
        error,
        sqrt,
        squared_error,
        poisson,
        absolute_error,
        quantile,
        custom,
        mean_squared,  // of several outputs: the mean of their variances; of classes, of their Gini
                       // impurities
        mean_entropy,
        mean_poisson,
    };

    constexpr Criterion(Known known) : known_(known) {}
    explicit Criterion(const Psi& psi) : known_(custom), psi_(&psi) {}

    constexpr operator Known() const { return known_; }
    const Psi& psi() const {
        if (psi_ == nullptr) throw Error("the criterion is a function of its own, and it was not given");
        return *psi_;
    }
    // What it means where there are several outputs: the mean over them.
    Criterion of_several() const {
        if (known_ == gini || known_ == squared_error) return mean_squared;
        if (known_ == entropy) return mean_entropy;
        if (known_ == poisson) return mean_poisson;
        throw Error("this criterion is for one output only");
    }
    bool bounded() const { return known_ < custom; }  // can bounds say how good a cut inside a bin can be?
    // Is it Poisson's deviance, of one output or of several?
    bool counts() const { return known_ == poisson || known_ == mean_poisson; }
    // Do leaves say medians, or quantiles, which no tally says?
    bool medians() const { return known_ == absolute_error || known_ == quantile; }
    // Does the work, asking a function from outside once for all.
    template <class Work>
    auto together(const Work& work) const {
        return known_ == custom ? psi().together(work) : work();
    }

private:
    Known known_;
    const Psi* psi_ = nullptr;
};

inline double x_log2_x_fresh(Count x) {
    const double v = static_cast<double>(x);
    return x <= 0 ? 0.0 : v * log2_fixed(v);
}

// Small counts are looked up: the same numbers, made once.
struct SmallLogs {
    std::array<double, 4096> of{};
    SmallLogs() {
        for (std::size_t i = 0; i < of.size(); ++i) of[i] = x_log2_x_fresh(static_cast<Count>(i));
    }
};
inline const SmallLogs small_logs;

inline double x_log2_x(Count x) {
    return static_cast<std::uint64_t>(x) < small_logs.of.size() ? small_logs.of[static_cast<std::size_t>(x)]
                                                                : x_log2_x_fresh(x);
}

// What a row adds of which, with weight and sum, the impurity of a real target follows: w y^2, or w y log2 y
// in units of 2^-40. Given w, w y and y.
inline Wide beside(Loss loss, Count weight, Count sum, Count y) {
    if (loss != Loss::poisson) return static_cast<Wide>(sum) * y;
    return weight * static_cast<Wide>(x_log2_x(y) * 0x1p40);
}
constexpr double beside_unit = 0x1p-40;  // of the logarithms
// The same of a row of several outputs: all of them, added up.
inline Wide beside(const Target& target, std::size_t row, Count weight) {
    Wide sum = 0;
    for (const Count y : target.numbers(row)) sum += beside(target.loss, weight, weight * y, y);
    return sum;
}

// The scores of one node. `node` must outlive it.
class Judge {
public:
    Judge(Criterion criterion, Shape shape, const Count* node)
        : criterion_(criterion), shape_(shape), node_(node), weight_(shape.weight(node)) {
        purity_ = purity(node, weight_);
    }

    Count weight() const { return weight_; }
    const Count* node() const { return node_; }
    double node_purity() const { return purity_; }
    Criterion criterion() const { return criterion_; }
    Shape shape() const { return shape_; }

    double purity(const Count* t, Count w) const {
        return purity_of([t](int c) { return t[c]; }, w);
    }

    // May a leaf hold this? A mean of 0 says that nothing ever happens, which no count is likely to hold to.
    bool allows(const Count* tally) const {
        return !criterion_.counts() || each_sum([&](int j) { return tally[j] > 0; });
    }
    // The same of both branches of a test, the left one given.
    bool allows_parts(const Count* left) const {
        return !criterion_.counts() || each_sum([&](int j) { return left[j] > 0 && node_[j] > left[j]; });
    }

    // The decrease of a test with two branches, the left one given. (Not inline: loops around it stay small.)
    double decrease(const Count* left, Count wl) const;

    // The same to within rounding, without the exact fraction: for bounds and quick estimates.
    double about(const Count* left, Count wl) const {
        const Count wr = weight_ - wl;
        if (wl <= 0 || wr <= 0) return 0.0;
        if (criterion_ != Criterion::gini) return decrease(left, wl);
        const auto square = [](auto d) { return static_cast<double>(d) * static_cast<double>(d); };
        const auto narrow = [&](int c) { return square(left[c] * weight_ - node_[c] * wl); };
        const auto wide = [&](int c) {
            return square(static_cast<Wide>(left[c]) * weight_ - static_cast<Wide>(node_[c]) * wl);
        };
        const double sum = weight_ < (Count{1} << 31) ? over_classes(narrow) : over_classes(wide);
        return sum / (static_cast<double>(wl) * static_cast<double>(wr)) / static_cast<double>(weight_);
    }

    // Is the decrease surely below `floor`? A few operations, for Gini's criterion.
    bool below(const Count* left, Count wl, double floor) const {
        const auto w = static_cast<double>(wl), all = static_cast<double>(weight_);
        const auto apart = [&](int c) {
            const double a = static_cast<double>(left[c]) * all, b = static_cast<double>(node_[c]) * w;
            const double d = std::abs(a - b) + 0x1p-50 * (a + b);  // with what rounding can take away
            return d * d;
        };
        // Of two classes both are as far apart.
        const double sum = shape_.classes == 2 ? 2 * apart(1) : over_classes(apart);
        return sum * (1 + 1e-12) < floor * (w * (all - w)) * all;
    }

    // The decrease of a test with any number of branches (empty ones add nothing).
    // With exactly two non-empty branches it is the same number as above.
    double decrease(const Count* const* branches, int n) const {
        const Count* used[2] = {nullptr, nullptr};
        std::vector<double> terms;
        for (int b = 0; b < n; ++b) {
            const Count w = shape_.weight(branches[b]);
            if (w <= 0) continue;
            if (terms.size() < 2) used[terms.size()] = branches[b];
            terms.push_back(purity(branches[b], w));
        }
        if (terms.size() < 2) return 0.0;
        if (terms.size() == 2) return decrease(used[0], shape_.weight(used[0]));
        std::sort(terms.begin(), terms.end());
        double sum = 0;
        for (const double p : terms) sum += p;
        return settled(sum - purity_);
    }

private:
    // What a function from outside says is as exact as its own arithmetic: its gains are rounded, so that
    // equal ones are equal, and the rule for ties decides.
    double settled(double decrease) const {
        if (criterion_ != Criterion::custom) return decrease;
        const double step = 0x1p-40 * static_cast<double>(weight_);
        return std::nearbyint(decrease / step) * step;
    }

    double gini_decrease(const Count* left, Count wl, Count wr) const {
        const auto exact = [&](auto sum, std::uint64_t den) {
            const auto whole = sum / den;
            const auto rest = static_cast<std::uint64_t>(sum - whole * den);
            return (static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(den)) /
                   static_cast<double>(weight_);
        };
        if (weight_ < (Count{1} << 16)) {  // so that the sum, at most (weight^2 / 2)^2, has room
            const auto square = [&](int c) {
                const Count d = left[c] * weight_ - node_[c] * wl;
                return static_cast<std::uint64_t>(d * d);
            };
            return exact(over_classes(square), static_cast<std::uint64_t>(wl * wr));
        }
        if (weight_ < (Count{1} << 31)) {
            const auto square = [&](int c) {
                const Count d = left[c] * weight_ - node_[c] * wl;
                return static_cast<unsigned __int128>(static_cast<Wide>(d) * d);
            };
            return exact(over_classes(square),
                         static_cast<std::uint64_t>(wl) * static_cast<std::uint64_t>(wr));
        }
        return about(left, wl);
    }

    // By how much less rows of this weight and sum deviate from their own mean than from the node's. Over the
    // branches of a test that adds up to its decrease. `j`: which sum it is, where there are several outputs.
    double deviance_apart(Count w, Count sum, int j = 1) const {
        if (node_[j] <= 0) return 0;
        const Wide d = static_cast<Wide>(sum) * weight_ - static_cast<Wide>(node_[j]) * w;
        const double dw = static_cast<double>(w), all = static_cast<double>(node_[j]);
        return dw * log_excess(static_cast<double>(d) / (dw * all)) * (all / static_cast<double>(weight_));
    }

    double right_purity(const Count* left, Count wr) const {
        return purity_of([this, left](int c) { return node_[c] - left[c]; }, wr);
    }

    // What `of` says of the classes, added up in their order; and of the sums of several outputs.
    template <class Of>
    std::invoke_result_t<Of, int> over_classes(const Of& of) const {
        std::invoke_result_t<Of, int> sum = 0;
        for (int c = 0; c < shape_.classes; ++c) sum += of(c);
        return sum;
    }
    template <class Of>
    double over_sums(const Of& of) const {
        double sum = 0;
        for (int j = 1; j <= shape_.sums; ++j) sum += of(j);
        return sum;
    }

    template <class Of>
    bool each_sum(const Of& of) const {
        for (int j = 1; j <= shape_.sums; ++j)
            if (!of(j)) return false;
        return true;
    }

    // `at(c)` is the tally's slot c. A judge keeps no buffers, so threads may share it.
    template <class At>
    double purity_of(At at, Count w) const {
        if (w <= 0) return 0.0;
        const auto dw = static_cast<double>(w);
        const auto real = [&](int c) { return static_cast<double>(at(c)); };
        const auto square = [&](int c) { return real(c) * real(c); };
        const auto logs = [&](int c) { return x_log2_x(at(c)); };
        switch (criterion_) {
            case Criterion::gini: {
                if (dw >= 0x1p31) return over_classes(square) / dw;
                const auto exact = [&](int c) { return static_cast<std::uint64_t>(at(c) * at(c)); };
                return static_cast<double>(over_classes(exact)) / dw;
            }
            case Criterion::entropy: return over_classes(logs) - x_log2_x(w);
            case Criterion::scaled_entropy: return (over_classes(logs) - x_log2_x(w)) / 2;
            case Criterion::error: {
                Count most = 0;
                for (int c = 0; c < shape_.classes; ++c) most = std::max(most, at(c));
                return static_cast<double>(most);
            }
            case Criterion::sqrt:
                return -over_classes([&](int c) {
                    return std::sqrt(real(c) * static_cast<double>(w - at(c)));
                }) / 2;
            case Criterion::squared_error: return square(1) / dw;
            case Criterion::poisson: return deviance_apart(w, at(1));
            case Criterion::absolute_error:
            case Criterion::quantile: break;  // no function of a tally: grow/medians
            case Criterion::mean_squared: return over_sums(square) / dw / shape_.outputs;
            case Criterion::mean_entropy: return over_sums(logs) / shape_.outputs - x_log2_x(w);
            case Criterion::mean_poisson:
                return over_sums([&](int j) { return deviance_apart(w, at(j), j); }) / shape_.outputs;
            case Criterion::custom: {
                std::vector<Count> tally;
                for (int c = 0; c < shape_.classes; ++c) tally.push_back(at(c));
                return -dw * criterion_.psi().of(std::move(tally));
            }
        }
        return 0.0;
    }

    Criterion criterion_;
    Shape shape_;
    const Count* node_;
    Count weight_;
    double purity_ = 0;
};

// (W log2 W - sum w log2 w) / W over non-empty branches: two of them, or any number.
inline double split_information(Count a, Count b) {
    if (a <= 0 || b <= 0) return 0.0;
    const double x = x_log2_x(a), y = x_log2_x(b);
    return (x_log2_x(a + b) - (std::min(x, y) + std::max(x, y))) / static_cast<double>(a + b);
}
inline double split_information(std::vector<Count> weights) {
    Count total = 0;
    std::vector<double> terms;
    for (const Count w : weights)
        if (w > 0) {
            total += w;
            terms.push_back(x_log2_x(w));
        }
    if (terms.size() < 2) return 0.0;
    std::sort(terms.begin(), terms.end());
    double sum = 0;
    for (const double t : terms) sum += t;
    return (x_log2_x(total) - sum) / static_cast<double>(total);
}

}  // namespace bosco
