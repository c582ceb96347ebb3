#include "score/criterion.hpp"

namespace bosco {

double Judge::decrease(const Count* left, Count wl) const {
    const Count wr = weight_ - wl;
    if (wl <= 0 || wr <= 0) return 0.0;
    if (criterion_ == Criterion::gini) return gini_decrease(left, wl, wr);
    if (criterion_ == Criterion::squared_error) {
        const Wide d = static_cast<Wide>(left[1]) * weight_ - static_cast<Wide>(node_[1]) * wl;
        const double dd = static_cast<double>(d);
        return dd * dd / (static_cast<double>(wl) * static_cast<double>(wr)) / static_cast<double>(weight_);
    }
    if (criterion_ == Criterion::poisson)
        return deviance_apart(wl, left[1]) + deviance_apart(wr, node_[1] - left[1]);
    if (criterion_ == Criterion::mean_squared) {
        double sum = 0;
        for (int j = 1; j <= shape_.sums; ++j) {
            const Wide d = static_cast<Wide>(left[j]) * weight_ - static_cast<Wide>(node_[j]) * wl;
            sum += static_cast<double>(d) * static_cast<double>(d);
        }
        return sum / (static_cast<double>(wl) * static_cast<double>(wr)) / static_cast<double>(weight_) /
               shape_.outputs;
    }
    return settled(purity(left, wl) + right_purity(left, wr) - purity_);
}

}  // namespace bosco
