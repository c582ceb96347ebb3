// A test sends a value to a branch. CUT: by sorted thresholds. MAP: by a jump per code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"

namespace bosco {

enum class TestKind : std::uint8_t { cut = 1, map = 2 };

constexpr std::int32_t by_share = -1;  // missing values go down every branch

// A test where it is kept, in a Test or in a pool. What a value is answered is written here and nowhere else.
struct TestView {
    TestKind kind = TestKind::cut;
    std::int32_t column = -1;
    std::int32_t branches = 2;
    std::int32_t missing = 0;
    bool flip = false;                     // a surrogate's cut whose low side is branch 1
    std::span<const double> thresholds;    // cut: branches - 1 of them, branch = how many are < x
    std::span<const std::uint32_t> jumps;  // map: code -> branch, code 0 (missing) included

    // The branch of a number, or of a code; -1 if it is missing.
    int ask(double x) const {
        if (x != x) return -1;
        const auto below = static_cast<int>(std::ranges::lower_bound(thresholds, x) - thresholds.begin());
        return flip ? 1 - below : below;
    }
    int ask(std::uint32_t code) const { return code == 0 ? -1 : static_cast<int>(jumps[code]); }
    int ask(const Column& of, std::size_t row) const {
        return kind == TestKind::map ? ask(of.code(row)) : ask(of.number(row));
    }

    bool binary_cut() const { return kind == TestKind::cut && branches == 2; }
    const Column& column_of(const Frame& frame) const {
        return frame.column(static_cast<std::uint32_t>(column));
    }
    // What is wrong with it, whatever the data are; nullptr: nothing is.
    const char* flaw() const;
    // Throws Error unless it can be asked about the rows of a frame.
    void require_fit(const Frame& frame) const;
};

struct Test {
    TestKind kind = TestKind::cut;
    std::int32_t column = -1;
    std::int32_t branches = 2;
    std::int32_t missing = 0;
    bool flip = false;
    std::vector<double> thresholds;
    std::vector<std::uint32_t> jumps;

    operator TestView() const { return {kind, column, branches, missing, flip, thresholds, jumps}; }
};

// Many tests as parallel arrays, ragged data as flat array + offsets.
struct TestPool {
    std::vector<std::uint8_t> kind;
    std::vector<std::int32_t> column, branches, missing;
    std::vector<std::uint8_t> flip;
    std::vector<std::int64_t> threshold_begin{0}, jump_begin{0};
    std::vector<double> thresholds;
    std::vector<std::uint32_t> jumps;

    std::int32_t size() const { return static_cast<std::int32_t>(kind.size()); }

    TestView operator[](std::int64_t i) const {
        const auto part = [i](const auto& all, const std::vector<std::int64_t>& begin) {
            return std::span(all.data() + begin[i], all.data() + begin[i + 1]);
        };
        return {static_cast<TestKind>(kind[i]),
                column[i],
                branches[i],
                missing[i],
                flip[i] != 0,
                part(thresholds, threshold_begin),
                part(jumps, jump_begin)};
    }

    // Returns its number.
    std::int32_t push(const TestView& t) {
        kind.push_back(static_cast<std::uint8_t>(t.kind));
        column.push_back(t.column);
        branches.push_back(t.branches);
        missing.push_back(t.missing);
        flip.push_back(t.flip ? 1 : 0);
        thresholds.insert(thresholds.end(), t.thresholds.begin(), t.thresholds.end());
        jumps.insert(jumps.end(), t.jumps.begin(), t.jumps.end());
        threshold_begin.push_back(static_cast<std::int64_t>(thresholds.size()));
        jump_begin.push_back(static_cast<std::int64_t>(jumps.size()));
        return size() - 1;
    }
};

}  // namespace bosco
