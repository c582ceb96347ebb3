#include "score/growth.hpp"

#include <algorithm>

#include "data/column.hpp"
#include "data/target.hpp"

namespace bosco {
namespace {

// Can every sum be kept in units of a share?
bool room_for_shares(const Target& target) {
    Wide weight = 0, sum = 0;
    for (std::size_t i = 0; i < target.n_rows(); ++i) {
        const Wide w = target.weight_at(i);
        weight += w + target.count_at(i);
        if (target.real())
            for (const Count y : target.numbers(i)) sum += w * (y < 0 ? -Wide{y} : Wide{y});
    }
    return std::max(weight, sum) < Wide{1} << (62 - share_bits);
}

// Can the policy for missing values be kept?
void require_missing(const Growth& growth, const Frame& frame, const Target& target) {
    if (growth.missing == Missing::error && frame.has_missing()) throw Error("a value is missing");
    const bool binary_nominal =
        growth.nominal_test == NominalTest::subset || growth.nominal_test == NominalTest::one_vs_rest;
    const bool binary = growth.numeric_test == NumericTest::threshold && binary_nominal;
    if (growth.missing == Missing::surrogate && !binary) throw Error("surrogates need binary tests");
    if (growth.missing == Missing::fractional && !room_for_shares(target))
        throw Error("the weights, or y, leave no room for shares of rows");
}

// What a branch costs is known of single rows only.
void require_medians(const Growth& growth) {
    if (growth.known_only()) throw Error("medians need every row in one branch, by its own value");
    if (growth.numeric_test != NumericTest::threshold || growth.nominal_test == NominalTest::group)
        throw Error("medians need thresholds, and no groups of levels");
    if (!growth.monotonic.empty()) throw Error("medians know no monotonic constraints");
}

void require_monotonic(const Growth& growth, const Frame& frame, const Target& target) {
    if (growth.monotonic.size() != frame.n_columns())
        throw Error("there must be one monotonic constraint per column");
    if (target.n_classes > 2 || target.sums > 1)
        throw Error("monotonic constraints need two classes, or one number");
    if (growth.numeric_test != NumericTest::threshold)
        throw Error("monotonic constraints need binary thresholds");
    if (growth.known_only() && std::ranges::any_of(growth.monotonic, [](int c) { return c != 0; }))
        throw Error("monotonic constraints need every row in one branch, by its own value");
}

}  // namespace

bool fits(Criterion criterion, const Target& target) {
    const bool several = target.shape().several();
    const auto one = [&](Loss loss) { return target.real() && !several && target.loss == loss; };
    switch (criterion) {
        case Criterion::squared_error: return one(Loss::squared);
        case Criterion::poisson: return one(Loss::poisson);
        case Criterion::absolute_error:
        case Criterion::quantile: return one(Loss::absolute);
        case Criterion::mean_squared:
        case Criterion::mean_entropy: return several && target.loss == Loss::squared;
        case Criterion::mean_poisson: return several && target.loss == Loss::poisson;
        default: return !target.real();
    }
}

Count sample_unit(const Frame& frame, const Growth& growth) {
    return growth.missing == Missing::fractional && frame.has_missing() ? Count{1} << share_bits : 1;
}

void require_fit(const Growth& growth, const Frame& frame, const Target& target) {
    if (!frame.encoded()) throw Error("the frame must be encoded before a tree can grow on it");
    if (frame.n_rows() != target.n_rows()) throw Error("frame and target differ in rows");
    if (target.n_rows() == 0) throw Error("there are no rows");
    if (target.n_rows() > 0xfffffff0u) throw Error("more than 2^32 rows");
    if (!fits(growth.criterion, target)) throw Error("the criterion does not fit the target");
    if (growth.max_branches < 2) throw Error("max_branches must be at least 2");
    require_missing(growth, frame, target);
    if (growth.medians()) require_medians(growth);
    if (!growth.monotonic.empty()) require_monotonic(growth, frame, target);
}

}  // namespace bosco
