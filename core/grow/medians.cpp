#include "grow/medians.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "data/random.hpp"

namespace bosco {
namespace {

constexpr std::size_t worth_sharing = 20000;  // cells of a node, from which on threads share its columns

std::uint32_t rank_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }
std::uint32_t row_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }

}  // namespace

Medians::Medians(const Frame& frame, const LocalRows& rows, const Growth& growth, const Stop& stop,
                 Pool& pool, const Ranks& ranks, std::vector<std::uint32_t> order)
    : frame_(frame),
      rows_(rows),
      growth_(growth),
      stop_(stop),
      pool_(pool),
      loss_(growth.pinball),
      shape_(rows.shape),
      by_y_(std::move(order)),
      by_x_(frame.n_columns()),
      aside_(by_y_.size()),
      branch_of_(frame.n_rows()),
      place_(frame.n_rows()),
      aside_x_(by_y_.size()),
      scratch_(static_cast<std::size_t>(pool.size())) {
    std::ranges::sort(by_y_);  // equal ones by row, whatever their order was
    const std::span<const Count> y = rows_.target.y;
    std::stable_sort(by_y_.begin(), by_y_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return y[a] < y[b]; });
    const std::size_t n = by_y_.size();
    pool_.run(static_cast<std::int64_t>(frame.n_columns()), [&](std::int64_t j, int) {
        const auto column = static_cast<std::uint32_t>(j);
        const Column& c = frame_.column(column);
        if (!c.ordered()) return;
        std::vector<std::uint64_t>& entries = by_x_[column];
        entries.resize(n);
        const std::size_t at = c.coarse ? ranks.at(column) : 0;
        const auto rank = [&](std::uint32_t row) { return c.coarse ? ranks.of(row)[at] : c.code(row); };
        std::uint32_t most = 0;
        for (const std::uint32_t row : by_y_) most = std::max(most, rank(row));
        std::vector<std::uint32_t> next(most + std::size_t{2}, 0);
        for (const std::uint32_t row : by_y_) ++next[rank(row) + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (const std::uint32_t row : by_y_) {
            const std::uint32_t r = rank(row);
            entries[next[r]++] = std::uint64_t{r} << 32 | row;
        }
    });
}

Medians::NodeRows Medians::root(const Seedling& seedling, const std::vector<char>& banned) const {
    NodeRows node;
    node.seedling = seedling;
    node.end = static_cast<std::uint32_t>(by_y_.size());
    node.banned = banned;
    if (!growth_.reuse) node.banned.resize(frame_.n_columns(), 0);
    return node;
}

bool Medians::fill_root(Sprout& top, Nursery& nursery) {
    return fill_from(0, static_cast<std::uint32_t>(by_y_.size()), top, nursery);
}

bool Medians::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    return fill_from(first_[branch], first_[branch + 1], child, nursery);
}

bool Medians::fill_from(std::uint32_t begin, std::uint32_t end, Sprout& child, Nursery& nursery) {
    child.tally = nursery.counts(static_cast<std::size_t>(shape_.slots()));
    std::fill_n(child.tally, shape_.slots(), 0);
    if (begin == end) return true;
    const std::uint32_t* const row = by_y_.data() + begin;
    const std::span<const Count> y = rows_.target.y;
    for (std::uint32_t k = begin; k < end; ++k) rows_.add_to(child.tally, by_y_[k]);
    const Middle found = middle_of(
        loss_, end - begin, [&](std::size_t i) { return y[row[i]]; },
        [&](std::size_t i) { return rows_.weight_of(row[i]); });
    child.rare().says = found.value();
    child.impurity = static_cast<double>(found.cost) / loss_.unit / static_cast<double>(child.tally[0]);
    return y[by_y_[begin]] == y[by_y_[end - 1]];
}

Medians::NodeRows Medians::branch(std::uint32_t b) const {
    NodeRows node;
    node.begin = first_[b];
    node.end = first_[b + 1];
    return node;
}

void Medians::keep(const NodeRows& at_node, std::span<NodeRows> branches) const {
    for (NodeRows& branch : branches) {
        branch.banned = at_node.banned;
        if (!growth_.reuse) branch.banned[static_cast<std::size_t>(at_node.choice.column)] = 1;
    }
}

void Medians::load(std::uint32_t begin, std::uint32_t end) {
    here_.row.assign(by_y_.begin() + begin, by_y_.begin() + end);
    const std::size_t n = here_.row.size();
    here_.y.resize(n);
    here_.weight.resize(n);
    here_.samples.resize(shape_.apart ? n : 0);
    here_.total = here_.all_samples = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::uint32_t row = here_.row[k];
        here_.y[k] = rows_.target.y[row];
        here_.weight[k] = rows_.weight_of(row);
        here_.total += here_.weight[k];
        if (shape_.apart) here_.all_samples += here_.samples[k] = rows_.samples[row];
        place_[row] = static_cast<std::uint32_t>(k);
    }
    if (!shape_.apart) here_.all_samples = here_.total;
    here_.cost = middle_of(
                     loss_, n, [&](std::size_t k) { return here_.y[k]; },
                     [&](std::size_t k) { return here_.weight[k]; })
                     .cost;
}

std::uint32_t Medians::code_of(std::uint32_t column, std::uint32_t place) const {
    return frame_.column(column).code(here_.row[place]);
}

bool Medians::varies(const NodeRows& at_node, std::uint32_t column) const {
    // Those without a value can be told from the others only where that is learned.
    const bool learns = growth_.missing == Missing::learn;
    if (frame_.column(column).ordered()) {
        const std::uint64_t *first = by_x_[column].data() + at_node.begin, *const end =
                                                                               first + at_node.size();
        if (!learns)
            first = std::partition_point(first, end, [](std::uint64_t e) { return rank_of(e) == 0; });
        return first != end && rank_of(*first) != rank_of(end[-1]);
    }
    std::uint32_t met = 0;
    for (std::uint32_t k = 0; k < at_node.size(); ++k) {
        const std::uint32_t code = code_of(column, k) + (learns ? 1 : 0);
        if (code == 0) continue;
        if (met != 0 && met != code) return true;
        met = code;
    }
    return false;
}

bool Medians::find(NodeRows& at_node) {
    Sprout& sprout = *at_node.seedling.sprout;
    const Judge judge(growth_.criterion, shape_, sprout.tally);
    const Node node = stop_.node(judge, sprout, at_node.seedling.key);
    load(at_node.begin, at_node.end);
    const std::uint32_t d = frame_.n_columns();
    const auto open = [&](std::uint32_t column) {
        return (at_node.banned.empty() || at_node.banned[column] == 0) && varies(at_node, column);
    };
    const int most = growth_.draws(d) ? growth_.max_features : static_cast<int>(d);
    draw_columns(at_node.seedling.key, d, most, open, order_, drawn_);
    std::vector<Candidate> all(drawn_.size()), found;
    const auto one = [&](std::int64_t i, int thread) {
        const auto at = static_cast<std::size_t>(i);
        all[at] = look(at_node, node, drawn_[at], scratch_[static_cast<std::size_t>(thread)]);
    };
    if (at_node.size() * drawn_.size() >= worth_sharing)
        pool_.run(static_cast<std::int64_t>(all.size()), one);
    else
        for (std::size_t i = 0; i < all.size(); ++i) one(static_cast<std::int64_t>(i), 0);
    for (Candidate& c : all)
        if (c.found) found.push_back(std::move(c));
    return settle(found, node, growth_, sprout, at_node.choice);
}

void Medians::part(const NodeRows& at_node, Nursery& nursery) {
    const Candidate& choice = at_node.choice;
    take_test(*at_node.seedling.sprout, choice, growth_.threshold, nursery);
    const Test test = test_of(choice, growth_.threshold);
    const Column& column = frame_.column(static_cast<std::uint32_t>(choice.column));
    const auto k = static_cast<std::size_t>(choice.branches);
    first_.assign(k + 1, 0);
    for (std::uint32_t i = at_node.begin; i < at_node.end; ++i) {
        const std::uint32_t row = by_y_[i];
        const int b = TestView(test).ask(column, row);
        branch_of_[row] = static_cast<std::uint32_t>(b < 0 ? choice.missing : b);
        ++first_[branch_of_[row] + 1];
    }
    first_[0] = at_node.begin;
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    const std::span<std::uint32_t> own(by_y_.data() + at_node.begin, at_node.size());
    part_in_order(own, aside_.data(), first_, [&](std::size_t i) { return branch_of_[own[i]]; });
    for (std::vector<std::uint64_t>& entries : by_x_) {
        if (entries.empty()) continue;
        const std::span<std::uint64_t> of(entries.data() + at_node.begin, at_node.size());
        part_in_order(of, aside_x_.data(), first_, [&](std::size_t i) { return branch_of_[row_of(of[i])]; });
    }
}

Tree grow_by_medians(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
                     const std::function<void()>& poll, const Among& among) {
    Pool pool(frame.n_rows() * frame.n_columns() < 50000 ? 1 : n_threads, poll);
    std::optional<Ranks> own;
    if (among.ranks == nullptr) own.emplace(frame, pool);
    LocalRows rows(target);
    rows.load(among.sample);
    std::vector<Nursery> nursery(1);
    Sprout* const top = nursery[0].sprouts(1);
    const Standing& at = among.at;
    const Stop stop(growth, target, 1.0, at.weight.value_or(rows.total));
    Medians source(frame, rows, growth, stop, pool, own ? *own : *among.ranks,
                   among.sample != nullptr ? among.sample->rows : rows.number);
    const bool pure = source.fill_root(*top, nursery[0]);
    const Seedling seedling{top, at.key(growth), at.depth(), pure};
    if (!stop.leaf(top->tally, pure, at.depth())) {
        Driver<Medians> driver(source, stop, pool);
        Medians::NodeRows root = source.root(seedling, at.banned);
        if (growth.max_leaf_nodes < std::numeric_limits<std::int64_t>::max())
            driver.run_limited(std::move(root), nursery[0], growth.order, growth.max_leaf_nodes);
        else
            driver.run(std::move(root), nursery[0], 0);
    }
    return lay_out(top, growth, Scales(target, stop.unit()), among.lean);
}

}  // namespace bosco
