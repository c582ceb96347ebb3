#include "grow/abacus.hpp"

#include <algorithm>
#include <numeric>

#include "data/random.hpp"

namespace bosco {

namespace {

constexpr std::size_t cached_cells = std::size_t{1} << 19;  // whose codes, of two bytes, a cache holds

}  // namespace

bool Abacus::suits(const Rows& rows, const Growth& growth) {
    const Shape shape = rows.shape();
    return shape.classes == 2 && !shape.apart && growth.criterion == Criterion::gini &&
           growth.largest_wins() && growth.binary() && growth.draws(rows.frame().n_columns()) &&
           !growth.record && !growth.random_cuts && !growth.penalty && growth.monotonic.empty() &&
           growth.reuse;
}

std::size_t Abacus::rows_at_a_time(const Rows& rows, std::size_t small) {
    std::uint32_t coarse = 0;
    const std::uint32_t d = rows.frame().n_columns();
    for (std::uint32_t j = 0; j < d; ++j) coarse += rows.frame().column(j).coarse;
    const std::size_t roomy = 4 * coarse <= d && small >= 4096 ? cached_cells / d : 0;
    return std::min(std::max(small, roomy), most_rows);
}

void Abacus::read_codes(Segment segment) {
    const std::uint32_t d = rows_.frame().n_columns();
    codes_.resize(n_ * d);
    holder_.resize((n_ + 1) * d);
    std::size_t most = 0;
    for (const std::uint32_t j : columns_.all) {
        const Column& c = rows_.frame().column(j);
        Code* const to = codes(j);
        most = std::max<std::size_t>(most, c.coarse ? n_ : c.n_codes);
        if (!c.coarse) {
            const std::byte* r = segment.data;
            for (std::size_t i = 0; i < n_; ++i, r += rows_.stride())
                to[i] = static_cast<Code>(rows_.code(r, j));
            continue;
        }
        std::uint16_t* const holder = holder_.data() + std::size_t{j} * (n_ + 1);
        if (ranks_ != nullptr)
            renumbering_.run(ranks_of(j), n_, ranks_->bits(), to, holder);
        else
            in_order(j, segment, order_by_value_, [&](std::size_t, std::uint32_t i, std::uint32_t rank) {
                to[i] = static_cast<Code>(rank);
                holder[rank] = static_cast<std::uint16_t>(i);
            });
    }
    make_room(most);
}

void Abacus::make_room(std::size_t most_codes) {
    pair_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i)
        pair_[i] = static_cast<std::uint32_t>(local_.weight_of(i)) * (local_.cls[i] << 16 | 1);
    list_.resize(n_);
    aside_.resize(n_);
    std::iota(list_.begin(), list_.end(), std::uint16_t{0});
    open_.resize(rows_.frame().n_columns());
    counts_.resize(std::max(counts_.size(), most_codes + 1));
    any_present_.resize(counts_.size() / 4096 + 1);
    present_.resize(64 * any_present_.size());
    group_.resize(std::max(group_.size(), n_ + 1));
    up_to_.resize(group_.size());
}

// Has the column one known value (and no missing ones that could be told from it)?
bool Abacus::constant(std::uint32_t column, std::span<const std::uint16_t> rows) const {
    const Code* const code = codes(column);
    const bool tells = growth_.missing == Missing::learn;
    std::size_t k = 0;
    while (!tells && k < rows.size() && code[rows[k]] == 0) ++k;
    if (k == rows.size()) return true;
    const Code first = code[rows[k]];
    for (++k; k < rows.size(); ++k)
        if (const Code other = code[rows[k]]; other != first && (tells || other != 0)) return false;
    return true;
}

bool Abacus::find(const NodeRows& at_node) {
    const Sprout& s = *at_node.seedling.sprout;
    const Judge judge(growth_.criterion, shape_, s.tally);
    const Node node = stop_.node(judge, s, at_node.seedling.key);
    lead_.kind = Lead::none;
    lead_.net = nothing;
    lead_.pure = false;
    const auto varies = [&](std::uint32_t column) {
        if (open_[column] && constant(column, rows_of(at_node))) open_[column] = 0;
        return open_[column] != 0;
    };
    draw_columns(at_node.seedling.key, rows_.frame().n_columns(), growth_.max_features, varies, order_,
                 drawn_);
    for (const std::uint32_t column : drawn_) {
        count(column, rows_of(at_node));
        look(column, node);
        if (lead_.pure) break;  // no column can do better
    }
    return lead_.kind != Lead::none && is_enough(lead_.net, node, growth_);
}

// Gives a node the test that leads, but for a cut's threshold.
void Abacus::take_lead(Sprout& s, Nursery& nursery) {
    s.decrease = lead_.decrease;
    const std::int32_t missing = missing_branch(growth_, lead_.weight, shape_.weight(s.tally) - lead_.weight);
    if (lead_.kind == Lead::cut) {
        take_column(s, static_cast<std::int32_t>(lead_.column), 2, missing, nursery);
        fetch(lead_.column, lead_.low);
        fetch(lead_.column, lead_.high);
        return;
    }
    if (lead_.kind == Lead::other) return take_test(s, lead_.candidate, growth_.threshold, nursery);
    const std::size_t n_jumps = rows_.frame().column(lead_.column).n_codes + std::size_t{1};
    take_map(s, lead_.column, 2, missing, n_jumps, nursery);
    const bool to_right = lead_.weight < shape_.weight(s.tally) - lead_.weight;
    std::fill_n(s.jumps, n_jumps, to_right);
    for (std::size_t k = 0; k < n_groups_; ++k) s.jumps[group_[k]] = 1;
    for (const Code code : lead_.left) s.jumps[code] = 0;
}

void Abacus::part(const NodeRows& at_node, Nursery& nursery) {
    Sprout& s = *at_node.seedling.sprout;
    const std::uint32_t column = lead_.column;
    if (lead_.kind == Lead::levels) count(column, rows_of(at_node));  // its levels, once more
    take_lead(s, nursery);
    const Code* const code = codes(column);
    const std::span<std::uint16_t> rows = rows_of(at_node);
    const std::uint16_t* middle = nullptr;
    const auto part = [&](auto branch) {
        Pair right = 0;
        middle = part_in_two(rows, aside_.data(), [&](std::size_t i) {
            const std::uint32_t to = branch(rows[i]);
            right += pair_[rows[i]] & (0 - to);
            return to;
        });
        right_ = right;
    };
    if (lead_.kind == Lead::cut) {
        part([&](std::uint16_t row) -> std::uint32_t { return code[row] > lead_.low; });
    } else if (s.n_jumps > 0) {
        part([&](std::uint16_t row) { return s.jumps[code[row]]; });
    } else {
        part([&](std::uint16_t row) -> std::uint32_t {
            return code[row] == 0 ? static_cast<std::uint32_t>(s.missing)
                                  : !(value(column, code[row]) <= s.threshold);
        });
    }
    if (lead_.kind == Lead::cut)
        s.threshold =
            threshold_between(value(column, lead_.low), value(column, lead_.high), growth_.threshold);
    first_ = {at_node.begin, static_cast<std::uint32_t>(middle - list_.data()), at_node.end};
    parent_ = &s;
}

bool Abacus::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) const {
    const Count ones = ones_of(right_), zeros = weight_of(right_) - ones;
    child.tally = nursery.counts(2);
    child.tally[0] = branch == 1 ? zeros : parent_->tally[0] - zeros;
    child.tally[1] = branch == 1 ? ones : parent_->tally[1] - ones;
    const bool pure = child.tally[0] == 0 || child.tally[1] == 0;
    child.impurity = pure ? 0 : impurity_of(growth_.criterion, shape_, child.tally, 0);
    return pure;
}

// Columns that are constant here stay so below.
void Abacus::keep(const NodeRows& at_node, std::span<NodeRows> branches) {
    columns_.narrow(at_node, branches, [&](std::uint32_t column) { return open_[column] != 0; });
}

bool Abacus::enter(const NodeRows& at_node) {
    columns_.drop_after(at_node);
    std::fill(open_.begin(), open_.end(), 0);
    for (const std::uint32_t column : columns_.of(at_node)) open_[column] = 1;
    return true;
}

bool Abacus::grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
                  int thread) {
    if (shape_.weight(root.sprout->tally) > most_weight || segment.n > most_rows) return false;
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return true;
    const NodeRows whole = load(segment, root, banned);
    read_codes(segment);
    Driver<Abacus>(*this, stop_, pool_).run(whole, nursery, thread);
    return true;
}

}  // namespace bosco
