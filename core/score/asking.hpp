// What answers cost (docs/costs.md). A column asks for items, and each is paid once on the way to a leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tally.hpp"

namespace bosco {

// How a gain is weighed against a price.
enum class AskRule : std::uint8_t { eg2, idx, cs_id3 };

// What was paid on the way to a node.
struct Paid {
    std::vector<std::uint32_t> items;
    Count ordered = 0;  // weight of the first node on the way whose answer comes later; 0: there is none
};

class Asking {
public:
    // What is paid once, and the columns that need it.
    struct Item {
        double price = 0;
        std::vector<std::uint32_t> columns;
    };
    Asking() = default;
    Asking(AskRule rule, double weight, std::vector<Item> items, std::vector<std::uint32_t> delayed);

    // Do prices decide between columns?
    bool weighs() const { return weight_ > 0 && unit_ > 0; }
    // What a case pays for a column at a node of this weight, given what was paid on the way. Below a test
    // whose answer comes later, all cases that passed that test pay.
    double price(int column, const Paid& paid, Count weight) const;
    // What a test that gains so much is worth at this price; one that gains nothing is not made better.
    double worth(double gain, double price) const;
    // What was paid below a node of this weight that asks the column.
    Paid after(const Paid& paid, int column, Count weight) const;

private:
    AskRule rule_ = AskRule::eg2;
    double weight_ = 0, unit_ = 0;  // the unit: the least price above 0
    std::vector<Item> items_;
    std::vector<std::uint32_t> delayed_;
};

}  // namespace bosco
