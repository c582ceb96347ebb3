// The verbs of a growth, one by one, for callers who hold the rows in parts, or grow a tree step by step.
// The growers use the same functions; here they stand with the least that they need.
//
//   with rows   encode (column.hpp)   codes, by edges found or given
//               Part::hold            what a node holds
//               Part::tabulate        codes against the target, all columns of some nodes
//               Part::refine          the fine table of marked bins; Part::near, the values at an edge
//               Part::table_of        the table of numbers that are no column
//               Part::ends            between what a random cut is drawn; Part::up_to, what lies left of it
//               Part::split           rows to branches
//   with tables Open                  all that choosing must know of a node, and the columns it draws
//               Look (look.hpp)       a coarse column: between, mark, into, settle
//               propose, choose       a table's best test; the best column
//               weigh, curve          what any other test would be worth (tried.hpp)
//               imitate               stand-ins for a test (surrogate.hpp)
//   with trees  grow (grow.hpp)       from the root or from any node; graft, prune (tree.hpp)
//               route                 rows down a tree (route.hpp)
//               tallies, census       and counted at its nodes (census.hpp)
//               recount               all that its nodes hold, from rows (recount.hpp)
//
// Tables of parts of the rows add up to those of all, in any order; what is done with tables is a pure
// function of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grow/look.hpp"
#include "grow/refine.hpp"
#include "grow/rows.hpp"
#include "grow/stop.hpp"
#include "grow/surrogate.hpp"
#include "grow/tabulate.hpp"
#include "score/tried.hpp"

namespace bosco {

// A part of the rows of a tree, kept together node by node. Node 0 has all of them.
class Part {
public:
    // `unit`: how many fixed-point units a sample has in the whole tree (sample_unit).
    Part(const Frame& frame, const Target& target, Count unit, const Sample* sample);

    Holding hold(std::int32_t node) { return holding(rows_, segment(node)); }

    // The histograms of a node, column by column, a cell of the tally for each code from 0 (missing) on;
    // `squares` receives the sum of squares of each cell of a real target.
    void tabulate(std::int32_t node, std::vector<Count>& cells, std::vector<double>& squares);
    // Of columns, one entry per value of the rows whose code is wanted; one pass over the rows for all.
    std::vector<FineTable> refine(std::int32_t node, const std::vector<std::uint32_t>& columns,
                                  const std::vector<Wanted>& wanted);
    // The table of any numbers at the rows of a node; there is one for each row of the frame, NaN is missing.
    Table table_of(std::int32_t node, std::span<const double> numbers);
    std::pair<double, double> near(std::int32_t node, std::uint32_t column, std::uint32_t low,
                                   std::uint32_t high);
    std::vector<std::pair<double, double>> ends(std::int32_t node, const std::vector<Ends>& asked);
    std::vector<Count> up_to(std::int32_t node, const std::vector<UpTo>& asked);
    Table branches_by(std::int32_t node, const Test& test, std::uint32_t column);

    bool shares() const { return rows_.fractional(); }
    // The rows of a node by number, ascending, and the share of each in units of 2^-24 (none: all of it).
    std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> numbers(std::int32_t node) const;

    // The weight that a test sends to each branch by a value of its own.
    std::vector<Count> known(std::int32_t node, const Test& test);
    // Sends the rows of a node to its branches, which are nodes first, first + 1, ... `known` is that of
    // all parts together, for rows that are shared out.
    void split(std::int32_t node, const Test& test, const std::vector<Test>& surrogates, std::int32_t first,
               std::vector<Count> known);

private:
    Segment segment(std::int32_t node) const;
    const Column& column(std::uint32_t number) const;
    template <class Asked>
    void require_coarse(const std::vector<Asked>& asked) const;

    Pool pool_{1};
    Rows rows_;
    HistogramLayout layout_;
    Histogram histogram_;
    std::map<std::int32_t, Segment> segments_;
    std::vector<Pages> owned_;  // where rows are shared out
    Room aside_;
};

// What all nodes of one tree share.
class Task {
public:
    // Of the target only its kind and scales are read. `weight`: of all rows, in fixed point.
    Task(Growth settings, const Target& like, Count unit, Count weight)
        : growth(std::move(settings)),
          scales(like, static_cast<double>(unit)),
          stop(this->growth, like, static_cast<double>(unit), weight) {}
    Task(const Task&) = delete;  // what stops looks at the growth

    const Growth growth;
    const Scales scales;
    const Stop stop;
};

// A node to be split: what it holds, and what proposals and the choice must know.
class Open {
public:
    Open(const Task& task, std::vector<Count> tally, Wide squares, const Standing& standing);
    Open(const Open&) = delete;  // the judge looks at the tally, the node at what was paid

    const Node& node() const { return node_; }
    double impurity() const { return node_.impurity; }
    bool leaf() const { return leaf_; }  // does it stay one, whatever the columns are?
    const std::vector<Count>& tally() const { return tally_; }

    // The columns it looks at, ascending: all that take part, or those it draws. `varies` says of each
    // whether it has two values in the node, or one and missing ones that could be told from it.
    std::vector<std::uint32_t> columns(const std::vector<char>& takes_part,
                                       const std::vector<char>& varies) const;
    Candidate propose(const Table& table, std::uint32_t column, bool ordered) const;
    int choose(const std::vector<Candidate>& candidates) const;
    // The random cut of a column between the least and the largest of its values.
    double draw(std::uint32_t column, double low, double high) const {
        return draw_threshold(node_, static_cast<int>(column), low, high);
    }
    // What another test than the best would be worth, and every cut of a column.
    Weighed weigh(const Table& table, const Test& test) const;
    Curve curve(const Table& table, std::uint32_t column, std::size_t most = 0) const;
    // The bounds of the two branches of a test on a column with a constraint, whose tallies are given.
    std::pair<Bounds, Bounds> bounds(std::uint32_t column, const Count* left, const Count* right) const;
    const Task& task() const { return task_; }
    void require_column(std::uint32_t column) const;  // throws unless the growth knows it

private:
    const Task& task_;
    std::vector<Count> tally_;
    Judge judge_;
    Paid paid_;
    Node node_;
    bool leaf_;
};

}  // namespace bosco
