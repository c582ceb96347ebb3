// The order in which nodes are expanded, hence numbered: the key of one queue.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace bosco {

enum class Order : std::uint8_t { depth, breadth, best };

// Expands node 0 and all that comes of it. expand(i) gives node i its children, and returns the first of
// their numbers (which follow each other) and how many there are; decrease(i) is what decides under `best`.
template <class Expand, class Decrease>
void number_in_order(Order order, const Expand& expand, const Decrease& decrease) {
    if (order == Order::best) {
        const auto later = [&](std::int32_t a, std::int32_t b) {
            const double da = decrease(a), db = decrease(b);
            return da != db ? da < db : a > b;
        };
        std::priority_queue<std::int32_t, std::vector<std::int32_t>, decltype(later)> queue(later);
        queue.push(0);
        while (!queue.empty()) {
            const std::int32_t i = queue.top();
            queue.pop();
            const auto [first, n] = expand(i);
            for (std::int32_t c = 0; c < n; ++c) queue.push(first + c);
        }
        return;
    }
    if (order == Order::breadth) {
        std::int32_t end = 1;
        for (std::int32_t i = 0; i < end; ++i) end += expand(i).second;
        return;
    }
    std::vector<std::int32_t> stack{0};
    while (!stack.empty()) {
        const std::int32_t i = stack.back();
        stack.pop_back();
        const auto [first, n] = expand(i);
        for (std::int32_t c = n; c-- > 0;) stack.push_back(first + c);
    }
}

}  // namespace bosco
