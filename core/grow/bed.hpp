// What the growers of small nodes have in common: the rows, the settings, the node's plot.
#pragma once

#include "data/ranks.hpp"
#include "grow/plot.hpp"
#include "grow/stop.hpp"

namespace bosco {

class Bed {
public:
    // `ranks` may be null.
    Bed(const Rows& rows, const Growth& growth, const Stop& stop, Pool& pool, const Ranks* ranks)
        : rows_(rows),
          growth_(growth),
          stop_(stop),
          pool_(pool),
          ranks_(ranks),
          shape_(rows.shape()),
          plot_(rows.target()) {}

protected:
    const Rows& rows_;
    const Growth& growth_;
    const Stop& stop_;
    Pool& pool_;
    const Ranks* ranks_;
    Shape shape_;
    Plot plot_;
    std::size_t n_ = 0;  // rows
};

}  // namespace bosco
