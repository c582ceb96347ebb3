// What the sources of small nodes have in common: the rows of one node, numbered from 0; their order by the
// values of a column; the columns that may differ in the nodes below.
#pragma once

#include "data/ranks.hpp"
#include "grow/driver.hpp"
#include "grow/local_rows.hpp"
#include "grow/rankorder.hpp"
#include "grow/valueorder.hpp"

namespace bosco {

class LocalSource {
public:
    // `ranks` may be null.
    LocalSource(const Rows& rows, const Growth& growth, const Stop& stop, Pool& pool, const Ranks* ranks)
        : rows_(rows),
          growth_(growth),
          stop_(stop),
          pool_(pool),
          ranks_(ranks),
          shape_(rows.shape()),
          local_(rows.target()) {}

protected:
    // Takes in the rows of a node below which everything is to be grown.
    NodeRows load(Segment segment, const Seedling& root, const std::vector<char>& banned) {
        n_ = segment.n;
        local_.load(rows_, segment);
        if (ranks_ != nullptr) {
            rank_.resize(n_ * ranks_->columns().size());
            ranks_->read(local_.number, rank_.data());
        }
        return columns_.begin(root, n_, columns_but(banned, rows_.frame().n_columns()));
    }
    // The ranks of a coarse column in the whole table, row by row.
    const std::uint32_t* ranks_of(std::uint32_t column) const {
        return rank_.data() + ranks_->at(column) * n_;
    }
    // Calls take(k, row, rank) for k = 0, 1, …, the rows being in order of a coarse column's values: equal
    // ones rank alike, and rank 0 is missing.
    template <class Take>
    void in_order(std::uint32_t column, Segment segment, ValueOrder& order, const Take& take) const {
        const std::byte* codes = segment.data + rows_.code_at(column);  // of coarse columns: bytes
        order.sort(
            rows_.frame().column(column), n_, [&](std::size_t i) { return local_.number[i]; },
            [&](std::size_t i) { return std::to_integer<std::size_t>(codes[i * rows_.stride()]); });
        order.each(take);
    }

    const Rows& rows_;
    const Growth& growth_;
    const Stop& stop_;
    Pool& pool_;
    const Ranks* ranks_;
    Shape shape_;
    LocalRows local_;
    std::size_t n_ = 0;  // rows
    OpenColumns columns_;
    std::vector<std::uint32_t> order_, drawn_;  // of drawing columns
    std::vector<std::uint32_t> rank_;           // by column of `ranks_` and row
};

}  // namespace bosco
