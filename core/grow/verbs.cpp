#include "grow/verbs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "grow/driver.hpp"

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

const Column& Part::column(std::uint32_t number) const {
    if (number >= rows_.frame().n_columns()) throw Error("no such column");
    return rows_.frame().column(number);
}

void Part::tabulate(std::int32_t node, std::vector<Count>& cells, std::vector<double>& squares) {
    const Frame& frame = rows_.frame();
    const std::vector<std::uint32_t> columns = columns_but({}, frame.n_columns());
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

std::vector<FineTable> Part::refine(std::int32_t node, const std::vector<std::uint32_t>& columns,
                                    const std::vector<Wanted>& wanted) {
    for (const std::uint32_t j : columns)
        if (!column(j).coarse) throw Error("only coarse columns can be refined");
    const Segment own = segment(node);
    std::vector<std::vector<FineItem>> items(columns.size());
    gather(rows_, own, 0, own.n, columns, wanted, items);
    std::vector<FineTable> fine(columns.size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
        look_up(rows_, columns[k], items[k]);
        fine[k].table.reset(rows_.shape());
        build_fine(rows_, own, items[k], fine[k]);
    }
    return fine;
}

Table Part::table_of(std::int32_t node, std::span<const double> numbers) {
    if (numbers.size() != rows_.frame().n_rows()) throw Error("there must be one number per row");
    const Segment own = segment(node);
    FineTable fine;
    fine.table.reset(rows_.shape());
    std::vector<FineItem> items;
    items.reserve(own.n);
    for (std::size_t i = 0; i < own.n; ++i) {
        const std::byte* r = own.data + i * rows_.stride();
        const double x = numbers[Rows::row(r)];
        if (std::isnan(x))
            rows_.add_to(fine.table.missing.data(), r);
        else
            items.push_back(
                {x, static_cast<std::uint32_t>(i), 1, static_cast<std::uint16_t>(Rows::class_of(r))});
    }
    build_fine(rows_, own, items, fine);
    return std::move(fine.table);
}

std::pair<double, double> Part::near(std::int32_t node, std::uint32_t column, std::uint32_t low,
                                     std::uint32_t high) {
    if (!this->column(column).coarse) throw Error("only coarse columns have edges to look up");
    return neighbours(rows_, segment(node), column, low, high);
}

template <class Asked>
void Part::require_coarse(const std::vector<Asked>& asked) const {
    for (const Asked& one : asked)
        if (!this->column(one.column).coarse) throw Error("random cuts look into coarse columns only");
}

std::vector<std::pair<double, double>> Part::ends(std::int32_t node, const std::vector<Ends>& asked) {
    require_coarse(asked);
    return ends_of(rows_, segment(node), asked);
}

std::vector<Count> Part::up_to(std::int32_t node, const std::vector<UpTo>& asked) {
    require_coarse(asked);
    return tallies_up_to(rows_, segment(node), asked);
}

Table Part::branches_by(std::int32_t node, const Test& test, std::uint32_t column) {
    TestView(test).require_fit(rows_.frame());
    this->column(column);
    if (test.branches != 2) throw Error("only tests of two branches have stand-ins");
    const Sorter sorter(rows_, test, nullptr);
    return branch_table(rows_, segment(node), sorter, static_cast<std::uint32_t>(test.column), column);
}

std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> Part::numbers(std::int32_t node) const {
    const Segment own = segment(node);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found(own.n);
    for (std::size_t i = 0; i < own.n; ++i) {
        const std::byte* r = own.data + i * rows_.stride();
        found[i] = {Rows::row(r), rows_.fractional() ? static_cast<std::uint32_t>(rows_.share(r)) : 0};
    }
    std::ranges::sort(found);
    std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> out;
    for (const auto& [row, share] : found) {
        out.first.push_back(row);
        if (rows_.fractional()) out.second.push_back(share);
    }
    return out;
}

std::vector<Count> Part::known(std::int32_t node, const Test& test) {
    TestView(test).require_fit(rows_.frame());
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
    TestView(test).require_fit(rows_.frame());
    for (const TestView other : surrogates) other.require_fit(rows_.frame());
    const Segment own = segment(node);
    if (!known.empty() && known.size() != static_cast<std::size_t>(test.branches))
        throw Error("there must be one known weight per branch");
    if (rows_.fractional()) {  // a part may know less than all do; somebody must know something
        const std::vector<Count> all = known.empty() ? this->known(node, test) : known;
        if (std::ranges::all_of(all, [](Count w) { return w <= 0; }))
            throw Error("no row is known to the test");
    }
    const Sorter sorter(rows_, test, surrogates.empty() ? nullptr : &surrogates);
    if (test.missing == by_share && !rows_.fractional())
        for (std::size_t i = 0; i < own.n; ++i)
            if (sorter.branch(own.data + i * rows_.stride()) < 0)
                throw Error("these rows cannot be shared out: their unit is 1");
    std::vector<Segment> parts;
    if (rows_.fractional()) {
        owned_.emplace_back();
        parts = partition_shares(rows_, own, sorter, test.branches, owned_.back(), known);
    } else {
        parts = partition(rows_, own, sorter, test.branches, aside_);
    }
    segments_.erase(node);
    for (std::size_t b = 0; b < parts.size(); ++b) segments_[first + static_cast<std::int32_t>(b)] = parts[b];
}

namespace {

// Is the node one class, or one number?
bool pure(const Task& task, const Count* tally, Wide squares) {
    const Shape shape = task.scales.shape;
    return shape.classes > 0 ? shape.only_class(tally) >= 0
                             : one_number(task.growth.criterion, tally, squares);
}

}  // namespace

Open::Open(const Task& task, std::vector<Count> tally, Wide squares, const Standing& standing)
    : task_(task),
      tally_(std::move(tally)),
      judge_(task.growth.criterion, task.scales.shape, tally_.data()),
      paid_(standing.paid(task.growth.asking)),
      node_(task.stop.node(judge_, standing.bounds, standing.key(task.growth),
                           impurity_of(task.growth.criterion, task.scales.shape, tally_.data(), squares),
                           &paid_)),
      leaf_(task.stop.leaf(tally_.data(), pure(task, tally_.data(), squares), standing.depth())) {}

std::vector<std::uint32_t> Open::columns(const std::vector<char>& takes_part,
                                         const std::vector<char>& varies) const {
    if (varies.size() != takes_part.size()) throw Error("both must be said of every column");
    std::vector<std::uint32_t> found, room;
    const auto n = static_cast<std::uint32_t>(takes_part.size());
    const auto looks = [&](std::uint32_t j) {
        return takes_part[j] && (varies[j] || !task_.growth.draws(n));
    };
    const int most = task_.growth.draws(n) ? task_.growth.max_features : static_cast<int>(n);
    draw_columns(node_.key, n, most, looks, room, found);
    return found;
}

void Open::require_column(std::uint32_t column) const {
    const auto& monotonic = task_.growth.monotonic;
    if (!monotonic.empty() && column >= monotonic.size()) throw Error("no such column");
}

Candidate Open::propose(const Table& table, std::uint32_t column, bool ordered) const {
    require_column(column);
    return bosco::propose(table, node_, task_.growth, static_cast<int>(column), ordered);
}

int Open::choose(const std::vector<Candidate>& candidates) const {
    return bosco::choose(candidates, node_, task_.growth);
}

Weighed Open::weigh(const Table& table, const Test& test) const {
    const auto column = static_cast<std::uint32_t>(test.column);
    require_column(column);
    if (const char* flaw = TestView(test).flaw()) throw Error(flaw);
    if (test.kind == TestKind::cut ? table.values.empty() && table.size() > 0
                                   : test.jumps.size() <= table.n_codes)
        throw Error("the test does not fit the table");
    return task_.growth.criterion.together(
        [&] { return bosco::weigh(Trial(table, node_, task_.growth, static_cast<int>(column)), test); });
}

Curve Open::curve(const Table& table, std::uint32_t column, std::size_t most) const {
    require_column(column);
    if (table.values.size() != table.codes.size()) throw Error("only ordered columns are cut");
    return task_.growth.criterion.together(
        [&] { return bosco::curve(Trial(table, node_, task_.growth, static_cast<int>(column)), most); });
}

std::pair<Bounds, Bounds> Open::bounds(std::uint32_t column, const Count* left, const Count* right) const {
    require_column(column);
    const Bounds own{node_.limits.low, node_.limits.high};
    return task_.stop.bounds_below(static_cast<int>(column), own, left, right);
}

}  // namespace bosco
