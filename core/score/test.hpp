// A test sends a value to a branch. CUT: by sorted thresholds. MAP: by a jump per code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bosco {

enum class TestKind : std::uint8_t { cut = 1, map = 2 };

constexpr std::int32_t by_share = -1;  // missing values go down every branch

struct Test {
    TestKind kind = TestKind::cut;
    std::int32_t column = -1;
    std::int32_t branches = 2;
    std::int32_t missing = 0;
    bool flip = false;                 // a surrogate's cut whose low side is branch 1
    std::vector<double> thresholds;    // cut: branches - 1 of them, branch = how many are < x
    std::vector<std::uint32_t> jumps;  // map: code -> branch, code 0 (missing) included
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

    // Makes room for so many cuts.
    void reserve(std::size_t n) {
        kind.reserve(n);
        column.reserve(n);
        branches.reserve(n);
        missing.reserve(n);
        flip.reserve(n);
        threshold_begin.reserve(n + 1);
        thresholds.reserve(n);
        jump_begin.reserve(n + 1);
    }

    std::int32_t push(const Test& t) {
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
    std::int32_t push_cut(std::int32_t on, std::int32_t missing_branch, double threshold) {
        kind.push_back(static_cast<std::uint8_t>(TestKind::cut));
        column.push_back(on);
        branches.push_back(2);
        missing.push_back(missing_branch);
        flip.push_back(0);
        thresholds.push_back(threshold);
        threshold_begin.push_back(static_cast<std::int64_t>(thresholds.size()));
        jump_begin.push_back(static_cast<std::int64_t>(jumps.size()));
        return size() - 1;
    }
    std::int32_t push_map(std::int32_t on, std::int32_t n_branches, std::int32_t missing_branch,
                          std::span<const std::uint32_t> by_code) {
        kind.push_back(static_cast<std::uint8_t>(TestKind::map));
        column.push_back(on);
        branches.push_back(n_branches);
        missing.push_back(missing_branch);
        flip.push_back(0);
        jumps.insert(jumps.end(), by_code.begin(), by_code.end());
        threshold_begin.push_back(static_cast<std::int64_t>(thresholds.size()));
        jump_begin.push_back(static_cast<std::int64_t>(jumps.size()));
        return size() - 1;
    }
    // Copies test i of another pool.
    std::int32_t push(const TestPool& from, std::int32_t i) {
        const auto at = static_cast<std::size_t>(i);
        kind.push_back(from.kind[at]);
        column.push_back(from.column[at]);
        branches.push_back(from.branches[at]);
        missing.push_back(from.missing[at]);
        flip.push_back(from.flip[at]);
        thresholds.insert(thresholds.end(), from.thresholds.begin() + from.threshold_begin[at],
                          from.thresholds.begin() + from.threshold_begin[at + 1]);
        jumps.insert(jumps.end(), from.jumps.begin() + from.jump_begin[at],
                     from.jumps.begin() + from.jump_begin[at + 1]);
        threshold_begin.push_back(static_cast<std::int64_t>(thresholds.size()));
        jump_begin.push_back(static_cast<std::int64_t>(jumps.size()));
        return size() - 1;
    }
};

}  // namespace bosco
