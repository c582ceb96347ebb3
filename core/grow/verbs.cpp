#include "grow/verbs.hpp"

#include <algorithm>
#include <bit>

#include "score/choose.hpp"

namespace bosco {

Part::Part(const Frame& frame, const Target& target, Count unit, const Sample* sample)
    : rows_(frame, target, unit > 1, pool_, sample), layout_(rows_) {
    segments_[0] = rows_.all();
}

Segment Part::segment(std::int32_t node) const {
    const auto found = segments_.find(node);
    if (found == segments_.end()) throw Error("this part has no such node");
    return found->second;
}

void Part::tabulate(std::int32_t node, std::vector<Count>& cells, std::vector<double>& squares) {
    const Frame& frame = rows_.frame();
    std::vector<std::uint32_t> columns(frame.n_columns());
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) columns[j] = j;
    histogram_.resize(layout_.size());
    bosco::tabulate(rows_, layout_, segment(node), columns, histogram_.data());
    const auto cell = static_cast<std::size_t>(layout_.cell());
    const auto slots = static_cast<std::size_t>(rows_.shape().slots());
    for (const std::uint64_t* h = histogram_.data(); h < histogram_.data() + layout_.size(); h += cell) {
        if (layout_.packed()) {
            cells.push_back(static_cast<Count>(*h & 0xffffffffu));
            cells.push_back(static_cast<Count>(*h >> 32));
        } else {
            for (std::size_t k = 0; k < slots; ++k) cells.push_back(static_cast<Count>(h[k]));
        }
        if (layout_.squares()) squares.push_back(std::bit_cast<double>(h[cell - 1]));
    }
}

FineTable Part::refine(std::int32_t node, std::uint32_t column, const Wanted& wanted) {
    if (column >= rows_.frame().n_columns()) throw Error("no such column");
    if (!rows_.frame().column(column).coarse) throw Error("only coarse columns can be refined");
    const Segment own = segment(node);
    std::vector<std::vector<FineItem>> items(1);
    gather(rows_, own, 0, own.n, {column}, {wanted}, items);
    FineTable fine;
    fine.table.reset(rows_.shape());
    build_fine(rows_, own, items[0], fine);
    return fine;
}

std::pair<double, double> Part::near(std::int32_t node, std::uint32_t column, std::uint32_t low,
                                     std::uint32_t high) {
    if (column >= rows_.frame().n_columns()) throw Error("no such column");
    return neighbours(rows_, segment(node), column, low, high);
}

Table Part::branches_by(std::int32_t node, const Test& test, std::uint32_t column) {
    const Sorter sorter(rows_, test, nullptr);
    return branch_table(rows_, segment(node), sorter, static_cast<std::uint32_t>(test.column), column);
}

std::vector<Count> Part::known(std::int32_t node, const Test& test) {
    std::vector<Count> known(static_cast<std::size_t>(test.branches), 0);
    const Segment own = segment(node);
    const Sorter sorter(rows_, test, nullptr);
    const auto column = static_cast<std::uint32_t>(test.column);
    for (std::size_t i = 0; i < own.n; ++i) {
        const std::byte* r = own.data + i * rows_.stride();
        if (rows_.code(r, column) != 0) known[static_cast<std::size_t>(sorter.branch(r))] += rows_.weight(r);
    }
    return known;
}

void Part::split(std::int32_t node, const Test& test, const std::vector<Test>& surrogates, std::int32_t first,
                 std::vector<Count> known) {
    const Segment own = segment(node);
    const Sorter sorter(rows_, test, surrogates.empty() ? nullptr : &surrogates);
    std::vector<Segment> parts;
    if (rows_.fractional()) {
        owned_.emplace_back();
        parts = partition_shares(rows_, own, sorter, test.branches, owned_.back(), known);
    } else {
        parts = partition(rows_, own, sorter, test.branches, scratch_);
    }
    segments_.erase(node);
    for (std::size_t b = 0; b < parts.size(); ++b) segments_[first + static_cast<std::int32_t>(b)] = parts[b];
}

namespace {

// Is the node one class, or one number?
bool pure(Shape shape, const Count* tally, Wide squares) {
    if (shape.classes > 0) return shape.only_class(tally) >= 0;
    const Wide w = tally[0], s = tally[1];
    if (w == 0) return true;
    const Wide q = s / w;  // of equal numbers: each
    return squares - 2 * q * s + q * q * w == 0;
}

}  // namespace

Open::Open(const Task& task, std::vector<Count> tally, Wide squares, const Standing& standing)
    : task_(task),
      tally_(std::move(tally)),
      judge_(task.growth.criterion, task.scales.shape, tally_.data()),
      node_(task.stop.node(judge_, standing.bounds, standing.key(task.growth),
                           impurity_of(task.growth.criterion, task.scales.shape, tally_.data(), squares))),
      leaf_(
          task.stop.leaf(tally_.data(), pure(task.scales.shape, tally_.data(), squares), standing.depth())) {}

std::vector<std::uint32_t> Open::columns(const std::vector<char>& takes_part,
                                         const std::vector<char>& varies) const {
    std::vector<std::uint32_t> found, room;
    const auto n = static_cast<std::uint32_t>(takes_part.size());
    const int most = task_.growth.max_features;
    const bool draws = most >= 0 && static_cast<std::uint32_t>(most) < n;
    Shuffle order(node_.key, n, room);
    for (int seen = 0; !order.done() && !(draws && seen >= most);) {
        const std::uint32_t j = order.next();
        if (!takes_part[j]) continue;
        seen += varies[j] != 0;
        found.push_back(j);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Candidate Open::propose(const Table& table, std::uint32_t column, bool ordered) const {
    return bosco::propose(table, node_, task_.growth, static_cast<int>(column), ordered);
}

int Open::choose(const std::vector<Candidate>& candidates) const {
    return bosco::choose(candidates, node_, task_.growth);
}

std::pair<Bounds, Bounds> Open::bounds(std::uint32_t column, const Count* left, const Count* right) const {
    const Bounds own{node_.limits.low, node_.limits.high};
    return task_.stop.bounds_below(static_cast<int>(column), own, left, right);
}

}  // namespace bosco
