#include "grow/sieve.hpp"

#include <algorithm>

#include "data/spread.hpp"
#include "score/bound.hpp"

namespace bosco {

FineItem* Sieve::sift(std::uint32_t code, FineItem* first, FineItem* last, std::vector<FineItem>& aside) {
    if (!count({first, last})) {
        sort_spread(first, last, aside);
        return last;
    }
    lumps_.clear();
    start(code);
    raise();
    start(code);
    aside.assign(first, last);
    std::uint32_t end = 0;
    bool after_lump = false;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
        const auto n = static_cast<std::uint32_t>(shape_.weight(held(p)));
        if (n == 0) continue;
        Piece& piece = pieces_[p];
        piece.kept = reaches(held(p));
        if (piece.kept) {
            piece.begin = piece.next = end;
            end += n;
        } else {
            if (!after_lump) {
                first[end++] = {0, static_cast<std::uint32_t>(lumps_.size() / slots()),
                                static_cast<std::uint16_t>(code), lumped};
                lumps_.resize(lumps_.size() + slots(), 0);
            }
            piece.next = end - 1;
            add(&lumps_[lumps_.size() - slots()], held(p), shape_.classes);
        }
        after_lump = !piece.kept;
        add(left_.data(), held(p), shape_.classes);
    }
    for (const FineItem& item : aside) {
        Piece& piece = pieces_[piece_of(item)];
        if (piece.kept)
            first[piece.next++] = item;
        else
            first[piece.next].value = item.value;  // any will do
    }
    for (const Piece& piece : pieces_)
        if (piece.kept) sort_few(first + piece.begin, first + piece.next);
    return first + end;
}

// Counts the pieces; false: all values are alike, or too far apart for it.
bool Sieve::count(std::span<const FineItem> rows) {
    constexpr std::size_t to_a_piece = 16;
    double high = low_ = rows.front().value;
    for (const FineItem& item : rows) {
        low_ = std::min(low_, item.value);
        high = std::max(high, item.value);
    }
    pieces_.assign(rows.size() / to_a_piece, {});
    scale_ = static_cast<double>(pieces_.size() - 1) / (high - low_);
    if (!(scale_ > 0 && scale_ < std::numeric_limits<double>::max())) return false;
    held_.assign(pieces_.size() * slots(), 0);
    for (const FineItem& item : rows) ++held_[piece_of(item) * slots() + item.cls];
    return true;
}

// What lies left of the first piece.
void Sieve::start(std::uint32_t code) {
    const Table& table = trial_.table;
    left_.assign(slots(), 0);
    for (int i = 0; table.codes[static_cast<std::size_t>(i)] != code; ++i)
        add(left_.data(), table.cell(i), shape_.classes);
}

// What cuts between pieces do not reach is not the best of the column.
void Sieve::raise() {
    if (trial_.absent != Absent::none) return;
    double best = nothing;
    for (std::size_t p = 0; p + 1 < pieces_.size(); ++p) {
        add(left_.data(), held(p), shape_.classes);
        best = std::max(best, trial_.score(left_.data(), best));
    }
    least_ = std::max(least_, best - slack(best + offset_, offset_, *trial_.node.judge));
}

// May there be a cut inside or beside a piece that does?
bool Sieve::reaches(const Count* own) {
    if (may_reach(trial_.judge(), left_.data(), own, 0, least_)) return true;
    if (trial_.absent == Absent::none) return false;
    with_ = left_;
    add(with_.data(), trial_.missing(), shape_.classes);
    return may_reach(trial_.judge(), with_.data(), own, 0, least_);
}

}  // namespace bosco
