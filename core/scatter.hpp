// Small nodes of random cuts. Nothing is sorted: the values of a column lie side by side, a node is a list
// of rows; one pass over them gives a column's extremes, a second what lies left of the cut drawn there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "choose.hpp"
#include "plot.hpp"
#include "stop.hpp"

namespace bosco {

class Scatter {
public:
    static constexpr std::size_t most_rows = 65535;  // local numbers have 16 bits

    Scatter(const Rows& rows, const Growth& growth, const Stop& stop, double total, Pool& pool)
        : rows_(rows),
          growth_(growth),
          stop_(stop),
          total_(total),
          pool_(pool),
          shape_(rows.shape()),
          plot_(rows) {}

    // Grows everything below a node. `banned` columns take no part.
    void grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
              int thread);

private:
    struct Place {
        Seedling seedling;
        std::uint32_t begin, end;                  // of its rows
        std::uint32_t columns_begin, columns_end;  // its columns: columns_[columns_begin, columns_end)
    };
    struct Extremes {
        double low, high;
        bool missing;
    };
    // The best cut so far, kept without allocating anything.
    struct Draw {
        std::uint32_t column = 0;
        double decrease = nothing;
        double threshold = 0;
        Count weight = 0;  // left of it
    };

    void load(Segment segment, const std::vector<char>& banned);
    std::span<const std::uint16_t> rows_of(const Place& place) const {
        return {order_.data() + place.begin, order_.data() + place.end};
    }
    const double* values(std::uint32_t column) const {
        return values_.data() + std::size_t{column} * plot_.number.size();
    }
    void gather_targets(std::span<const std::uint16_t> rows);
    Extremes gather_values(std::uint32_t column, std::span<const std::uint16_t> rows);
    void tally_left(double threshold, std::size_t n, Count* left) const;
    void read_table(std::uint32_t column, std::span<const std::uint16_t> rows);
    // Looks at one column, whose values are gathered where it is ordered; false if it is constant.
    bool look(std::uint32_t column, std::span<const std::uint16_t> rows, const Node& node, Draw& best);
    bool find(const Place& place, Candidate& choice);
    // What a branch holds; returns whether it is pure.
    bool fill(Sprout& child, std::uint32_t begin, std::uint32_t end, Nursery& nursery) const;
    bool take_tally(Sprout& child, std::size_t branch, const Sprout& parent, Nursery& nursery) const;
    void split(const Place& place, const Candidate& choice, Nursery& nursery, std::vector<Place>& stack);

    const Rows& rows_;
    const Growth& growth_;
    const Stop& stop_;
    double total_;
    Pool& pool_;
    Shape shape_;
    Plot plot_;

    std::vector<double> values_;        // by column and local number: values, or codes of nominal ones
    std::vector<std::uint16_t> order_;  // local numbers, node by node
    std::vector<std::uint16_t> aside_;
    std::vector<std::uint32_t> columns_;  // a stack of lists
    std::vector<char> closed_;            // constant at the node
    std::vector<std::uint32_t> draw_order_;
    // Of the node at hand, row by row: a column's values; weights and targets.
    std::vector<double> x_;
    std::vector<std::uint64_t> pair_;  // two classes: weight << 32 | weight of the second
    std::vector<Count> weight_, sum_, samples_;
    std::vector<std::uint32_t> class_;
    std::vector<Count> left_, best_left_;
    std::vector<std::uint32_t> branch_, first_;  // of a split: each row's branch, where branches begin
    Table table_;
    std::vector<std::pair<double, std::uint16_t>> items_;
    std::vector<Candidate> candidates_;
};

}  // namespace bosco
