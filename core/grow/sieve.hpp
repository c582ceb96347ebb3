// The rows of a bin that may hold the best cut, where they are many: counted by pieces before they are
// sorted. A cut between two pieces is one like any other, and the best of these says what a better one must
// reach; what lies in pieces that cannot hold one stays together.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "grow/refine.hpp"
#include "score/propose.hpp"

namespace bosco {

// For rounding: what a cut may fall short of the floor; where the offset is a difference of purities, theirs
// counts too.
inline double slack(double floor, double offset, const Judge& judge) {
    return 1e-11 * std::abs(floor) + (offset != 0 ? 1e-13 * std::abs(judge.node_purity()) : 0);
}

class Sieve {
public:
    static constexpr std::size_t many = 256;  // so many rows are worth it

    // Do rows weigh 1, and know their class?
    static bool suits(const Rows& rows) {
        const Shape shape = rows.shape();
        return shape.classes > 0 && shape.classes < lumped && !rows.weighted() && !shape.apart;
    }

    // Of a column at a node, by the table of its bins: what a cut must reach, and how much more that is than
    // scans of the table see.
    Sieve(const Trial& trial, double least, double offset)
        : trial_(trial), shape_(trial.table.shape), least_(least), offset_(offset) {}

    // Brings rows of one bin into order of value. Those that need not be told apart become one: a lump, with
    // the class `lumped`, whose index is that of what they hold, until the next bin. Returns where the rows
    // end.
    FineItem* sift(std::uint32_t code, FineItem* first, FineItem* last, std::vector<FineItem>& aside);
    const Count* lump(std::uint32_t i) const { return lumps_.data() + i * slots(); }

    static constexpr std::uint16_t lumped = std::numeric_limits<std::uint16_t>::max();

private:
    struct Piece {
        std::uint32_t begin = 0, next = 0;
        bool kept = false;
    };
    std::size_t slots() const { return static_cast<std::size_t>(shape_.classes); }
    const Count* held(std::size_t piece) const { return held_.data() + piece * slots(); }
    bool count(std::span<const FineItem> rows);
    void start(std::uint32_t code);
    void raise();
    bool reaches(const Count* own);
    std::size_t piece_of(const FineItem& item) const {
        return static_cast<std::size_t>((item.value - low_) * scale_);
    }

    const Trial& trial_;
    Shape shape_;
    double least_, offset_;
    double low_ = 0, scale_ = 0;
    std::vector<Count> left_, with_;  // what lies left of a piece
    std::vector<Count> held_;         // by piece and class
    std::vector<Piece> pieces_;
    std::vector<Count> lumps_;
};

}  // namespace bosco
