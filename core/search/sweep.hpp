// Many tests looked at in one go. Every row carries a bit for each of them, set where the test sends it left;
// one pass over the sorted list of a column then finds, for both sides of all these tests, the best cut of
// that column. That is all there is to do of a tree with two levels of tests.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/group.hpp"

namespace bosco::search {

// A column's list as it is swept.
struct Strip {
    enum class Shape : std::uint8_t {
        distinct,  // every row has a value of its own
        mixed,
        few,    // most rows share theirs
        levels  // parted by a program (chains.hpp)
    };
    const Entry* list = nullptr;
    std::uint32_t missing = 0;  // rows at the head that may be on either side of any cut
    Shape shape = Shape::mixed;
    std::span<const std::int16_t> program;
    std::uint32_t n_levels = 0;
};

// What the two sides of a test get wrong: as leaves, and parted by their best tests; `kept` by the best one
// that leaves enough samples on both its sides.
struct Sides {
    Count leaf[2], stump[2], kept[2];
};

// Memory that vectors fit into, kept from sweep to sweep.
class Scratch {
public:
    template <class V>
    V* room(std::size_t n) {
        if (n * sizeof(V) > size_) {
            size_ = n * sizeof(V) * 3 / 2;
            held_.reset(static_cast<std::byte*>(::operator new(size_, std::align_val_t{64})));
        }
        return reinterpret_cast<V*>(held_.get());
    }

private:
    struct Free {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::unique_ptr<std::byte, Free> held_;
    std::size_t size_ = 0;
};

constexpr int most_lanes = 32;

struct SweepJob {
    const Group* group = nullptr;
    std::span<const Strip> strips;
    const std::uint32_t* masks = nullptr;  // by row
    Count left[most_lanes] = {};           // the weight that each test sends left
    Count samples[most_lanes] = {};        // and the samples; read if there is a least number of them
    Count least = 1;
    int classes = 2;
    const std::vector<std::vector<Cases::Saving>>* savings = nullptr;  // of many answers
    Scratch* scratch = nullptr;
    Sides* out = nullptr;
};

// How the tests of a batch are swept: as narrow as the weights allow, so that as many as possible are looked
// at together, and by what the machine can do.
class Sweep {
public:
    // `widest`: bytes of the widest vectors to use.
    Sweep(const Cases& cases, Count weight, Count samples, Count least, int widest = 64);

    int width() const { return width_; }  // how many tests are looked at together
    // The bit of a row's mask that stands for a test.
    std::uint32_t bit(int lane) const {
        return width_ == 32 ? 1u << (lane / 2 + (lane % 2) * 16) : 1u << lane;
    }
    void operator()(SweepJob& job) const { run_(job); }

private:
    int width_;
    void (*run_)(SweepJob&);
};

}  // namespace bosco::search
