// The rows of one subproblem, in the order of every column. Rows are numbered anew in every group, so that
// what is known of a row lies close together however few are left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/cases.hpp"
#include "search/objective.hpp"

namespace bosco::search {

// An entry of a list: the row in the group, its class, and whether it is the last one of its value.
using Entry = std::uint32_t;
inline std::uint32_t row_of(Entry e) { return e >> 9; }
inline std::uint32_t label_of(Entry e) { return e >> 1 & 0xff; }
inline bool ends(Entry e) { return (e & 1) != 0; }

struct Group {
    std::uint32_t size = 0;
    std::vector<std::uint32_t> row;       // of the cases
    std::vector<Entry> lists;             // of all columns, each behind an entry to spare
    std::vector<std::uint32_t> missing;   // how many rows at the head of a list have no value
    std::vector<Count> weights, samples;  // by row; empty: all 1
    std::vector<Count> plain;             // of cases with savings, the plain weights; empty: all 1
    std::vector<Count> tally;             // what each answer saves: the weight of its class, without costs
    Count weight = 0, sample_count = 0, doomed = 0;

    // What it costs as a leaf.
    Count wrong() const { return Objective::wrong(weight, tally); }

    const Entry* list(std::size_t column) const { return lists.data() + column * (size + 1) + 1; }
    Entry* list(std::size_t column) { return lists.data() + column * (size + 1) + 1; }
};

// All rows.
void gather(const Cases& cases, Group& to);

// The two sides of a question. Groups keep their memory, so that a search allocates little.
class Splitter {
public:
    void split(const Cases& cases, const Group& from, const Question& question, Group& left, Group& right);

private:
    std::vector<std::uint32_t> to_;  // by row of the group: the row in its side, and whether that is the left
};

}  // namespace bosco::search
