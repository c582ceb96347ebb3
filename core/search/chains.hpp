// All tests that a group allows, in chains: each test of a chain sends left what the one before it does, and
// more. A column of numbers is one chain, or two where values are missing (left, right); every way to part
// the levels of a column is a chain of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/group.hpp"

namespace bosco::search {

struct Chain {
    Question question;  // of a chain of cuts all but the code
    bool cuts = true;
    std::uint32_t first = 0;  // the tests that leave enough samples on both sides are [first, last)
    std::uint32_t last = 0;
    std::uint32_t whole = 0;        // tests there are, whatever they leave
    Count weight = 0, samples = 0;  // that the only test of a chain sends left
};

class Chains {
public:
    // `least`: how many samples either side must hold.
    void make(const Cases& cases, const Group& group, Count least);

    const std::vector<Chain>& all() const { return chains_; }
    const Chain& operator[](std::size_t i) const { return chains_[i]; }

    // The rows of a column's list up to the end of its j-th value, and how many values it has.
    std::uint32_t end(std::uint32_t column, std::size_t j) const { return ends_[column][j]; }
    std::size_t values(std::uint32_t column) const { return ends_[column].size(); }

    // The weight that the j-th test sends left.
    Count weight(const Chain& c, std::size_t j) const {
        if (!c.cuts) return c.weight;
        const std::uint32_t column = c.question.column;
        return before_[column].empty() ? ends_[column][j] - skipped(c) : before_[column][j] - lost(c);
    }
    // The first test of [from, to] that sends at least so much left, or the one behind them.
    std::int32_t reach(const Chain& c, std::int32_t from, std::int32_t to, Count wanted) const {
        while (from <= to) {
            const std::int32_t middle = from + (to - from) / 2;
            if (weight(c, static_cast<std::size_t>(middle)) < wanted)
                from = middle + 1;
            else
                to = middle - 1;
        }
        return from;
    }
    // And the samples.
    Count samples(const Chain& c, std::size_t j) const {
        if (!c.cuts) return c.samples;
        const std::uint32_t column = c.question.column;
        if (held_[column].empty()) return ends_[column][j] - skipped(c);
        return held_[column][j] - (c.question.missing_left ? 0 : lost_samples_[column]);
    }
    Question question(const Cases& cases, const Group& group, const Chain& c, std::size_t j) const;
    // Where a test of another group is among these, or the nearest one before it.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> find(const Cases& cases, const Group& group,
                                                                const Question& question) const;

    // How to meet every parting of a column's levels, by their places among those that the group has: i > 0
    // puts level i - 1 on the left, i < 0 takes level -i - 1 back, 0 looks at what is there.
    const std::vector<std::int16_t>& program(std::uint32_t column) const { return programs_[column]; }

private:
    void cuts_of(const Group& group, std::uint32_t column, Count least);
    void add_cuts(const Group& group, std::uint32_t column, bool missing_left, std::size_t n, Count least);
    std::uint32_t skipped(const Chain& c) const {
        return c.question.missing_left ? 0 : missing_[c.question.column];
    }
    Count lost(const Chain& c) const { return c.question.missing_left ? 0 : lost_[c.question.column]; }

    std::vector<Chain> chains_;
    std::vector<std::vector<std::uint32_t>> ends_;
    std::vector<std::vector<Count>> before_;  // the weight up to there, if rows have weights
    std::vector<std::uint32_t> missing_;
    std::vector<std::vector<Count>> held_;    // the same of samples
    std::vector<Count> lost_, lost_samples_;  // the weight and the samples of rows without a value
    std::vector<std::vector<std::int16_t>> programs_;
};

}  // namespace bosco::search
