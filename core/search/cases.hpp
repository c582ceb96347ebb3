// The rows that a search looks at: every column as exact ranks, the target as whole-number weights.
//   ranks: 0 missing, equal values alike, ascending in the value (or the number of the level).
// Rows without weight cost nothing wherever they go, and are left out.
//
// Where mistakes have costs, what a row weighs here is what the dearest mistake on it costs, and an answer
// that costs less saves the rest of that. So whatever mistakes cost, a leaf costs its weight less what its
// answer saves, and a row more never makes a tree cheaper, nor dearer by more than its weight. Without costs
// the right answer saves a row's weight, and no other saves anything.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "data/column.hpp"
#include "data/parallel.hpp"
#include "data/target.hpp"

namespace bosco::search {

constexpr std::uint32_t most_rows = 1u << 23;  // an entry of a list holds a row in 23 bits,
constexpr int most_classes = 256;              // its class in 8
constexpr int most_subset_levels = 7;          // a column with more has no test for every subset

// A test of the family that is searched. What it sends left, Cases::left says.
struct Question {
    enum class Kind : std::uint8_t { cut, one, subset, prefix, given };

    std::uint32_t column = 0;
    Kind kind = Kind::cut;
    std::uint32_t which = 0;  // of a prefix: of which order of the levels
    std::uint32_t code = 0;   // cut: the last rank left. one: the level. subset: a bit for each code.
                              // prefix: how many levels of the order are left. given: which of the sets
    bool missing_left = false;

    // The written order of tests: among equally good trees the one with the first test wins.
    auto operator<=>(const Question&) const = default;
};

// A cut that parts the rows with a value from those without.
constexpr std::uint32_t all_known = ~0u;

// In what errors are counted: `costs`, by class and answer, of taking one for the other (none: 1, whatever is
// mistaken); weights without their last `shift` bits, rounded, where sums would be too large otherwise.
struct Units {
    std::span<const Count> costs;
    int shift = 0;
};

struct Cases {
    struct Column {
        bool ordered = true;
        bool missing = false;       // has a row no value?
        bool subsets = false;       // levels: is every subset a test?
        std::uint32_t n_codes = 0;  // ranks are 0 .. n_codes
        std::vector<std::vector<std::uint32_t>>
            orders;  // of levels: their codes by the share of a class, or by mean
        std::vector<std::vector<std::uint32_t>> place;  // and where each code stands there
    };

    std::uint32_t n_rows = 0;
    int classes = 2;
    std::vector<std::uint32_t> row;                 // of the frame
    std::vector<std::vector<std::uint32_t>> ranks;  // [column][row]
    std::vector<Column> columns;
    std::vector<std::uint8_t> label;
    std::vector<Count> y;        // of a real target
    std::vector<Count> weight;   // empty: all 1
    std::vector<Count> samples;  // empty: all 1
    // What a row weighs before mistakes have costs; empty: the same as `weight`, or all 1 (`costly`).
    std::vector<Count> plain;
    bool costly = false;
    // By class, what answers save for each unit of a row's plain weight. Empty: only the right one saves.
    struct Saving {
        std::uint32_t answer;
        Count each;
    };
    std::vector<std::vector<Saving>> savings;
    // Sets of levels that a tree which was grown asks for, by code: does it go left?
    std::vector<std::vector<char>> given;
    // What any tree loses on a row, because another answer is better for all rows with the same ranks.
    std::vector<Count> doomed;

    // `subsets`: are levels parted in any way, or one against the rest only?
    Cases(const Frame& frame, const Target& target, bool subsets, Pool& pool, const Units& units = {});

    // No test asks the column any more.
    void forget(std::uint32_t column);
    // Only some rows of the frame are left; which tests there are stays as it was for all.
    void keep(std::span<const std::uint32_t> rows);
    // As if the frame had these rows alone.
    void keep_only(std::span<const std::uint32_t> rows, bool subsets);

    Count weight_of(std::uint32_t i) const { return weight.empty() ? 1 : weight[i]; }
    Count samples_of(std::uint32_t i) const { return samples.empty() ? 1 : samples[i]; }
    Count plain_of(std::uint32_t i) const { return !costly ? weight_of(i) : plain.empty() ? 1 : plain[i]; }
    // Adds what each answer saves of a row, so many times.
    void save(std::uint32_t i, Count* by_answer, Count times = 1) const {
        if (savings.empty())
            by_answer[label[i]] += weight_of(i) * times;
        else
            for (const Saving& s : savings[label[i]]) by_answer[s.answer] += s.each * plain_of(i) * times;
    }
    // What an answer costs of a row.
    Count cost(std::uint32_t i, int answer) const {
        if (savings.empty()) return label[i] == answer ? 0 : weight_of(i);
        Count cost = weight_of(i);
        for (const Saving& s : savings[label[i]])
            if (static_cast<int>(s.answer) == answer) cost -= s.each * plain_of(i);
        return cost;
    }

    bool left(const Question& q, std::uint32_t code) const {
        switch (q.kind) {
            case Question::Kind::cut: return code == 0 ? q.missing_left : code <= q.code;
            case Question::Kind::one: return code == q.code || (code == 0 && q.missing_left);
            case Question::Kind::subset: return (q.code >> code & 1) != 0;
            case Question::Kind::given: return given[q.code][code] != 0;
            case Question::Kind::prefix: break;
        }
        return code == 0 ? q.missing_left : columns[q.column].place[q.which][code] < q.code;
    }

private:
    void rank(const Frame& frame, Pool& pool);
    void order_levels(bool subsets);
    void set_costs(std::span<const Count> costs);
    void find_doomed();
};

}  // namespace bosco::search
