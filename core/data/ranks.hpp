// Where every value stands in its column: made once, so that many trees need not compare values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/column.hpp"
#include "data/machine.hpp"
#include "data/parallel.hpp"

namespace bosco {

class Ranks {
public:
    // Of the coarse columns; the codes of the others are ranks already.
    Ranks(const Frame& frame, Pool& pool);

    const std::vector<std::uint32_t>& columns() const { return columns_; }
    // Where a coarse column stands among them.
    std::size_t at(std::uint32_t column) const {
        return static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), column) -
                                        columns_.begin());
    }
    // The ranks of one row, in the order of `columns()`: 0 missing, equal values alike.
    const std::uint32_t* of(std::size_t row) const {
        return reinterpret_cast<const std::uint32_t*>(ranks_.get()) + row * columns_.size();
    }
    // Asks for a row's ranks ahead of their use: rows are far apart.
    void fetch(std::size_t row) const {
        for (std::size_t k = 0; k < columns_.size(); k += 16) prefetch(of(row) + k);
        prefetch(of(row + 1) - 1);
    }
    // The ranks of these rows, column by column of `columns()`.
    void read(const std::vector<std::uint32_t>& rows, std::uint32_t* to) const {
        const std::size_t n = rows.size();
        for (std::size_t i = 0; i < n; i += 16) {
            const std::size_t end = std::min(n, i + 16);
            for (std::size_t k = i; k < end; ++k) fetch(rows[std::min(k + 16, n - 1)]);
            for (std::size_t j = 0; j < columns_.size(); ++j)
                for (std::size_t k = i; k < end; ++k) to[j * n + k] = of(rows[k])[j];
        }
    }
    int bits() const { return bits_; }  // of the largest rank

private:
    std::vector<std::uint32_t> columns_;
    Pages ranks_;
    int bits_;
};

}  // namespace bosco
