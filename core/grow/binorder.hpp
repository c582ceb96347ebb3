// The rows of coarse bins in order of value, remembered: for growing again and again on the same
// records with other weights. A bin is gathered and sorted when it is first looked into.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grow/refine.hpp"

namespace bosco {

class BinOrder {
public:
    explicit BinOrder(std::uint32_t n_columns) : columns_(n_columns) {}

    // Of the wanted bins, those whose rows are not known yet.
    Wanted unknown(std::uint32_t column, const Wanted& wanted) const {
        Wanted left(wanted);
        for (std::size_t code = 0; code < left.size(); ++code)
            if (columns_[column].known[code]) left[code] = 0;
        return left;
    }

    // Takes in the rows of bins that were not known: all rows of each. Columns may be filled at once.
    void keep(std::uint32_t column, const Wanted& bins, const std::vector<FineItem>& items) {
        Bins& own = columns_[column];
        for (std::size_t code = 0; code < bins.size(); ++code) own.known[code] |= bins[code];
        for (const FineItem& item : items) own.rows[item.bin].push_back({item.value, item.index});
        std::vector<Item> aside;
        for (std::size_t code = 0; code < bins.size(); ++code)
            if (bins[code])
                sort_spread(own.rows[code].data(), own.rows[code].data() + own.rows[code].size(), aside);
    }

    // The rows of a bin that is known, in order of value. Records never move here: an item's index is its
    // row's number too, and the target tells all.
    struct Item {
        double value;
        std::uint32_t index;
    };
    std::span<const Item> items(std::uint32_t column, std::uint32_t code) const {
        return columns_[column].rows[code];
    }

    // The fine table of wanted bins, by the weights that the rows have now.
    void fill(const Target& target, std::uint32_t column, const Wanted& wanted, FineTable& fine) const {
        Table& table = fine.table;
        fine.bin.clear();
        for (std::size_t code = 1; code < wanted.size(); ++code) {
            if (!wanted[code]) continue;
            Count* cell = nullptr;
            double last = 0;
            for (const Item& item : columns_[column].rows[code]) {
                if (cell == nullptr || item.value != last) {
                    last = item.value;
                    cell = table.push(static_cast<std::uint32_t>(table.codes.size() + 1));
                    table.values.push_back(item.value);
                    fine.bin.push_back(static_cast<std::uint32_t>(code));
                }
                target.add_row(cell, item.index, 1);
            }
        }
        table.n_codes = static_cast<std::uint32_t>(table.codes.size());
    }

private:
    struct Bins {
        std::array<char, 256> known{};
        std::array<std::vector<Item>, 256> rows;
    };
    std::vector<Bins> columns_;
};

}  // namespace bosco
