// Keyed randomness: every draw is a pure function of (seed, tree, node path, purpose).
// There is no stream to share, so results do not depend on threads or on visiting order.
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace bosco {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    std::uint64_t z = (a ^ std::rotl(b * 0x9E3779B97F4A7C15ull, 31)) + 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

inline std::uint64_t child_key(std::uint64_t parent, std::uint32_t branch) {
    return mix(parent, std::uint64_t{branch} + 1);
}

inline std::uint64_t column_key(std::uint64_t node, std::uint32_t column) {
    return mix(node, (std::uint64_t{1} << 32) + column);
}

inline double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// The node's order of visiting columns (Fisher-Yates), drawn as far as it is asked for.
class Shuffle {
public:
    Shuffle(std::uint64_t key, std::uint32_t n, std::vector<std::uint32_t>& order)
        : key_(key), n_(n), order_(order) {
        order.resize(n);
        std::iota(order.begin(), order.end(), 0u);
    }
    bool done() const { return next_ == n_; }
    std::uint32_t next() {
        const std::uint32_t i = next_++;
        std::swap(order_[i], order_[i + static_cast<std::uint32_t>(mix(key_, i) % (n_ - i))]);
        return order_[i];
    }

private:
    std::uint64_t key_;
    std::uint32_t n_, next_ = 0;
    std::vector<std::uint32_t>& order_;
};

}  // namespace bosco
