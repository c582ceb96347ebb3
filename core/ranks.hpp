// Where every value stands in its column: made once, so that many trees need not compare values.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "column.hpp"
#include "parallel.hpp"

namespace bosco {

class Ranks {
public:
    // Of the coarse columns; the codes of the others are ranks already.
    Ranks(const Frame& frame, Pool& pool);

    const std::vector<std::uint32_t>& columns() const { return columns_; }
    // The ranks of one row, in the order of `columns()`: 0 missing, equal values alike.
    const std::uint32_t* of(std::size_t row) const { return ranks_.get() + row * columns_.size(); }
    // Asks for a row's ranks ahead of their use: rows are far apart.
    void fetch([[maybe_unused]] std::size_t row) const {
#ifdef __GNUC__
        for (std::size_t k = 0; k < columns_.size(); k += 16) __builtin_prefetch(of(row) + k);
        __builtin_prefetch(of(row + 1) - 1);
#endif
    }
    int bits() const { return bits_; }  // of the largest rank

private:
    std::vector<std::uint32_t> columns_;
    std::unique_ptr<std::uint32_t[]> ranks_;
    int bits_;
};

}  // namespace bosco
