#include "score/asking.hpp"

#include <algorithm>
#include <utility>

#include "score/functions.hpp"

namespace bosco {
namespace {

bool holds(const std::vector<std::uint32_t>& some, std::uint32_t one) {
    return std::ranges::find(some, one) != some.end();
}

}  // namespace

Asking::Asking(AskRule rule, double weight, std::vector<Item> items, std::vector<std::uint32_t> delayed)
    : rule_(rule), weight_(weight), items_(std::move(items)), delayed_(std::move(delayed)) {
    for (const Item& item : items_)
        if (item.price > 0) unit_ = unit_ > 0 ? std::min(unit_, item.price) : item.price;
}

double Asking::price(int column, const Paid& paid, Count weight) const {
    double sum = 0;
    for (std::uint32_t i = 0; i < items_.size(); ++i)
        if (holds(items_[i].columns, static_cast<std::uint32_t>(column)) && !holds(paid.items, i))
            sum += items_[i].price;
    return paid.ordered > 0 ? sum * (static_cast<double>(paid.ordered) / static_cast<double>(weight)) : sum;
}

double Asking::worth(double gain, double price) const {
    if (!(gain > 0)) return gain;
    const double gained = rule_ == AskRule::eg2   ? exp2_less_one(gain)
                          : rule_ == AskRule::idx ? gain
                                                  : gain * gain;
    return gained * exp2_fixed(-weight_ * log2_fixed(price / unit_ + 1));
}

Paid Asking::after(const Paid& paid, int column, Count weight) const {
    Paid below = paid;
    const auto asked = static_cast<std::uint32_t>(column);
    for (std::uint32_t i = 0; i < items_.size(); ++i)
        if (holds(items_[i].columns, asked) && !holds(paid.items, i)) below.items.push_back(i);
    if (below.ordered == 0 && holds(delayed_, asked)) below.ordered = weight;
    return below;
}

}  // namespace bosco
