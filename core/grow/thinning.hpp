// Rows in order of y that go one by one, while what the rest costs is known at every step: a linked list, and
// a place in it that walks to where the median, or the quantile, now is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "score/pinball.hpp"

namespace bosco {

class Thinning {
public:
    // All of some rows, in order of y, each with a weight above 0. What is given must stay.
    void begin(const Pinball& loss, std::span<const Count> y, std::span<const Count> weight) {
        loss_ = loss;
        y_ = y;
        w_ = weight;
        n_ = static_cast<std::uint32_t>(y.size());
        links_.resize(n_ + std::size_t{1});
        for (std::uint32_t k = 0; k <= n_; ++k) links_[k] = {k == 0 ? n_ : k - 1, k == n_ ? 0 : k + 1};
        weight_ = sum_ = before_ = sum_before_ = 0;
        for (std::uint32_t k = 0; k < n_; ++k) {
            weight_ += w_[k];
            sum_ += worth(k);
        }
        at_ = links_[n_].next;
        walk();
    }
    void remove(std::uint32_t k) {
        const Link l = links_[k];
        links_[l.prev].next = l.next;
        links_[l.next].prev = l.prev;
        weight_ -= w_[k];
        sum_ -= worth(k);
        if (k < at_) {
            before_ -= w_[k];
            sum_before_ -= worth(k);
        } else if (k == at_) {
            at_ = l.next;
        }
        walk();
    }
    // Undoes the last removal that is not undone yet.
    void restore(std::uint32_t k) {
        const Link l = links_[k];
        links_[l.prev].next = links_[l.next].prev = k;
        weight_ += w_[k];
        sum_ += worth(k);
        if (k < at_) {
            before_ += w_[k];
            sum_before_ += worth(k);
        }
        walk();
    }
    bool empty() const { return weight_ == 0; }
    // What those that are left cost.
    Wide cost() const {
        if (empty()) return 0;
        const Count y = y_[at_];
        return loss_.above * ((sum_ - sum_before_) - y * (weight_ - before_)) +
               loss_.below * (y * before_ - sum_before_);
    }

private:
    struct Link {
        std::uint32_t prev, next;
    };
    Wide worth(std::uint32_t k) const { return static_cast<Wide>(w_[k]) * y_[k]; }
    // To the first row up to which, in order, a share of above / (above + below) of the weight lies.
    void walk() {
        if (weight_ == 0) return;
        const Wide least = weight_ * loss_.above;
        const Count whole = loss_.whole();
        while (at_ == n_ || before_ * whole >= least) {
            at_ = links_[at_].prev;
            before_ -= w_[at_];
            sum_before_ -= worth(at_);
        }
        while ((before_ + w_[at_]) * whole < least) {
            before_ += w_[at_];
            sum_before_ += worth(at_);
            at_ = links_[at_].next;
        }
    }

    Pinball loss_;
    std::span<const Count> y_, w_;
    std::uint32_t n_ = 0, at_ = 0;
    std::vector<Link> links_;  // n_ stands before the first and after the last
    Wide weight_ = 0, sum_ = 0, before_ = 0, sum_before_ = 0;
};

}  // namespace bosco
