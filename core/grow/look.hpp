// The best cut of a coarse column, in two looks: at the cuts between its bins, then into the bins that may
// hold a better one. Pure functions of tables; whoever has the rows brings the tables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "grow/refine.hpp"
#include "grow/sieve.hpp"
#include "score/heights.hpp"
#include "score/propose.hpp"

namespace bosco {

class Look {
public:
    Table table;                  // of the bins
    std::vector<double> squares;  // of a real target: the sum of squares of each

    // Looks at the cuts between bins, of which there are two or more.
    void between(const Node& node, const Growth& growth, std::uint32_t column);
    // The decrease of the best.
    double decrease() const { return best_.decrease + offset_; }

    // Marks the bins in which a cut could beat or equal `floor`.
    void mark(const Node& node, const Growth& growth, double floor, bool weighted);
    bool open() const { return open_; }               // is any marked?
    const Wanted& wanted() const { return wanted_; }  // by code
    // What a cut must reach, where rows are sorted.
    Sieve sieve(const Trial& trial) const { return {trial, least_, offset_}; }
    Trial trial(const Node& node, const Growth& growth) const { return {table, node, growth, column_}; }

    // Looks into the marked bins, given by their fine table.
    void into(const Node& node, const Growth& growth, const FineTable& fine);
    // The same bin by bin: fine_of(code) is the table of one.
    template <class FineOf>
    void into_each(const Node& node, const Growth& growth, const FineOf& fine_of) {
        each_marked([&](int bin, std::uint32_t code, const std::vector<Count>& left) {
            const FineTable& fine = fine_of(code);
            scan(Trial(fine.table, node, growth, column_), bin, 0, fine.table.size(), left);
        });
    }
    // The same where rows are at hand in order of value, and no value is missing: items(code) are those of a
    // bin, count(item, tally) counts one.
    template <class Items, class Add>
    void into(const Node& node, const Growth& growth, const Items& items, const Add& count) {
        const Trial outer = trial(node, growth);
        std::vector<Count> here;
        each_marked([&](int bin, std::uint32_t code, const std::vector<Count>& left) {
            here = left;
            int entry = 0;
            const auto rows = items(code);
            for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
                count(rows[k], here.data());
                if (rows[k].value == rows[k + 1].value) continue;
                const double d = outer.score(here.data(), best_.decrease);
                if (best_.take(d, inside(bin) + static_cast<std::uint64_t>(entry), entry, false)) {
                    left_ = here;
                    gap_ = {rows[k].value, rows[k + 1].value};
                }
                ++entry;
            }
        });
    }
    // The best cut of both looks.
    Candidate settle(const Node& node, const Growth& growth) const;

private:
    // Scans a bin, the entries [first, last) of a fine table, given what lies left of it.
    void scan(const Trial& inner, int bin, int first, int last, const std::vector<Count>& left);
    // Calls scan(place, code, what lies left of it) for the marked bins.
    template <class Scan>
    void each_marked(const Scan& scan) {
        std::vector<Count> left(static_cast<std::size_t>(table.shape.slots()), 0);
        for (int i = 0; i < table.size(); ++i) {
            const std::uint32_t code = table.codes[static_cast<std::size_t>(i)];
            if (wanted_[code]) scan(i, code, left);
            add(left.data(), table.cell(i), table.shape.slots());
        }
    }
    // Positions of cuts along the column: those inside bin i come before the edge after it.
    static constexpr std::uint64_t bin_step = std::uint64_t{1} << 32;
    static std::uint64_t inside(int bin) { return static_cast<std::uint64_t>(bin) * bin_step; }

    int column_ = -1;
    bool plain_ = false;  // do heights say which cuts come near?
    Heights heights_;
    double offset_ = 0;  // what the missing rows' own branch adds to the decrease of every cut
    CutBest best_;
    bool open_ = false;
    double least_ = 0;  // what a cut must reach, as scans see it
    Wanted wanted_;
    // Of the best cut inside a bin: the known rows left of it, and the values around it.
    std::vector<Count> left_;
    std::pair<double, double> gap_;
};

}  // namespace bosco
