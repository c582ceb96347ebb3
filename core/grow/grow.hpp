// Growing a tree: the frontier, the threads, the numbering.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "data/column.hpp"
#include "data/ranks.hpp"
#include "data/sample.hpp"
#include "data/target.hpp"
#include "data/values.hpp"
#include "grow/stop.hpp"
#include "grow/tuning.hpp"
#include "score/growth.hpp"
#include "tree/packed.hpp"
#include "tree/tree.hpp"

namespace bosco {

struct Grown {
    Tree tree;
    std::shared_ptr<const Packed> packed;  // in place of the tree
};

// What a tree may have, above all one among many.
struct Among {
    const Sample* sample = nullptr;  // which rows take part, and how often
    // Made once for all trees: for sorting, and for random cuts.
    const Ranks* ranks = nullptr;
    const AnyValues* values = nullptr;
    bool lean = false;  // is only what a forest keeps wanted of the tree?
    bool pack = false;  // may a large tree come packed?
    Standing at = {};   // where the growth begins

    // Fixed-point units of one sample.
    Count unit(const Frame& frame, const Growth& growth) const {
        return at.unit.value_or(sample_unit(frame, growth));
    }
};

// `poll` is called now and then on the calling thread and throws to stop. If the frame is named as
// `consumed` too, its codes are given back as soon as the rows have them.
Grown grow(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
           const Tuning& tuning, const std::function<void()>& poll, Frame* consumed = nullptr,
           const Among& among = {});

}  // namespace bosco
