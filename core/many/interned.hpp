// Things kept once: which number has what hashes so? Open addressing, eight bytes a slot.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace bosco {

class Interned {
public:
    // The number of the thing that `same` knows again, or else `fresh`, which is its number from now on.
    template <class Same>
    std::uint32_t number(std::uint64_t hash, std::uint32_t fresh, Same same) {
        if (2 * (used_ + 1) > slots_.size()) widen();
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t at = tag & (slots_.size() - 1);
        for (; slots_[at].next != 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].tag == tag && same(slots_[at].next - 1)) return slots_[at].next - 1;
        slots_[at] = {tag, fresh + 1};
        ++used_;
        return fresh;
    }
    void clear() { *this = {}; }

private:
    struct Slot {
        std::uint32_t tag = 0, next = 0;  // 32 bits of the hash; the number after the thing's, 0: nothing
    };

    void widen() {
        std::vector<Slot> wider(slots_.empty() ? 64 : 2 * slots_.size());
        for (const Slot slot : slots_) {
            if (slot.next == 0) continue;
            std::size_t at = slot.tag & (wider.size() - 1);
            while (wider[at].next != 0) at = (at + 1) & (wider.size() - 1);
            wider[at] = slot;
        }
        slots_.swap(wider);
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace bosco
