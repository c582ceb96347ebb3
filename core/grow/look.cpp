#include "grow/look.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "score/bound.hpp"

namespace bosco {

void Look::between(const Node& node, const Growth& growth, std::uint32_t column) {
    column_ = static_cast<int>(column);
    const Trial outer = trial(node, growth);
    plain_ = Heights::suits(outer);
    if (plain_) {
        heights_.take(outer);
        heights_.scan(outer, bin_step - 1, bin_step, best_);
    } else {
        scan_cuts(outer, 0, table.size(), nullptr, bin_step - 1, bin_step, best_);
    }
    scan_known_against_missing(outer, table.total().data(), inside(table.size()), best_);
    offset_ = outer.offset();
}

void Look::mark(const Node& node, const Growth& growth, double floor, bool weighted) {
    const Trial outer = trial(node, growth);
    const Shape shape = table.shape;
    const int slots = shape.slots();
    const double least = least_ = floor - offset_ - slack(floor, offset_, *node.judge);
    wanted_.assign(256, 0);
    const char* const near = plain_ && least > 0 ? heights_.near(least).data() : nullptr;
    if (near != nullptr && std::find(near, near + table.size(), 1) == near + table.size()) return;
    std::vector<Count> left(static_cast<std::size_t>(slots), 0), with(left);
    for (int i = 0; i < table.size(); ++i) {
        const Count* bin = table.cell(i);
        const double own = squares[static_cast<std::size_t>(i)];
        const Count weight = shape.weight(bin);
        bool reaches = false;
        const bool asked = (weighted || weight > 1) && (near == nullptr || near[i] != 0);
        for (int v = 0; asked && !reaches && v < (outer.absent == Absent::none ? 1 : 2); ++v) {
            with = left;
            if (v == 1) add(with.data(), outer.missing(), slots);
            reaches = may_reach(outer.judge(), with.data(), bin, own, least);
        }
        if (reaches) {
            wanted_[table.codes[static_cast<std::size_t>(i)]] = 1;
            open_ = true;
        }
        add(left.data(), bin, slots);
    }
}

void Look::into(const Node& node, const Growth& growth, const FineTable& fine) {
    const Trial inner(fine.table, node, growth, column_);
    int entry = 0;
    each_marked([&](int bin, std::uint32_t code, const std::vector<Count>& left) {
        int end = entry;
        while (end < fine.table.size() && fine.bin[static_cast<std::size_t>(end)] == code) ++end;
        scan(inner, bin, entry, end, left);
        entry = end;
    });
}

void Look::scan(const Trial& inner, int bin, int first, int last, const std::vector<Count>& left) {
    const std::uint64_t before = best_.position;
    scan_cuts(inner, first, last, left.data(), inside(bin), 1, best_);
    if (best_.position == before) return;
    left_ = left;
    for (int k = first; k <= best_.at; ++k) add(left_.data(), inner.table.cell(k), table.shape.slots());
    const auto at = static_cast<std::size_t>(best_.at);
    gap_ = {inner.table.values[at], inner.table.values[at + 1]};
}

Candidate Look::settle(const Node& node, const Growth& growth) const {
    Candidate candidate;
    candidate.column = column_;
    if (best_.at < 0) return candidate;
    candidate.kind = TestKind::cut;
    const Trial outer = trial(node, growth);
    const int slots = table.shape.slots();
    std::vector<Count> left = left_, right = table.total();
    candidate.gaps = {gap_};
    if (left.empty()) {  // a cut between bins
        left.assign(static_cast<std::size_t>(slots), 0);
        for (int i = 0; i <= best_.at; ++i) add(left.data(), table.cell(i), slots);
        const auto at = static_cast<std::size_t>(best_.at);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        candidate.at_edge = best_.at < table.size() - 1;
        if (candidate.at_edge)
            candidate.edge_codes = {table.codes[at], table.codes[at + 1]};
        else
            candidate.gaps = {{infinity, infinity}};
    }
    subtract(right.data(), left.data(), slots);
    const int chosen = outer.absent == Absent::none ? -1 : (best_.missing_left ? 0 : 1);
    outer.settle(candidate, {left.data(), right.data()}, chosen);
    return candidate;
}

}  // namespace bosco
