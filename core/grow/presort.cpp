#include "grow/presort.hpp"

#include <algorithm>
#include <numeric>

#include "data/random.hpp"
#include "grow/refine.hpp"

namespace bosco {

template <class Entry>
bool Presort<Entry>::suits(const Rows& rows, const Growth& growth) {
    if (rows.fractional() || growth.missing == Missing::surrogate) return false;
    if (growth.criterion == Criterion::custom) return false;  // which is asked for whole tables
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j)
        if (!rows.frame().column(j).coarse && rows.frame().column(j).n_codes > most_rows) return false;
    return true;
}

template <class Entry>
void Presort<Entry>::make_room() {
    branch_.resize(n_);
    for (Scratch& scratch : scratch_) scratch.aside.resize(n_);
    place_.resize(rows_.frame().n_columns());
    std::iota(place_.begin(), place_.end(), 0U);
    entries_.resize(n_ * (one_by_one_ ? scratch_.size() : place_.size()));
}

// Two classes of little weight are summed together, each in half a word.
template <class Entry>
void Presort<Entry>::pair_up() {
    pair_.clear();
    if (shape_.classes != 2 || shape_.apart || local_.total > TwoClassHeights::most_weight) return;
    pair_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i)
        pair_[i] = TwoClassHeights::pair_of(local_.cls[i], local_.weight_of(i));
}

template <class Entry>
NodeRows Presort<Entry>::sort_all(Segment segment, const Seedling& root, const std::vector<char>& banned) {
    const NodeRows whole = load(segment, root, banned);
    make_room();
    pair_up();
    segment_ = segment;
    if (one_by_one_) return whole;
    each(columns_.all.size(),
         [&](std::size_t i, Scratch& scratch) { sort(columns_.all[i], segment, scratch); });
    return whole;
}

// A column takes the place of the last one that the same thread looked at.
template <class Entry>
void Presort<Entry>::sort_here(std::uint32_t column, Scratch& scratch) {
    place_[column] = static_cast<std::uint32_t>(&scratch - scratch_.data());
    sort(column, segment_, scratch);
}

template <class Entry>
void Presort<Entry>::sort(std::uint32_t column, Segment segment, Scratch& scratch) {
    Entry* const out = entries(column);
    const auto take = [out](std::size_t k, std::uint32_t i, std::uint32_t rank) {
        out[k] = entry_of(rank, i);
    };
    if (!rows_.frame().column(column).coarse)
        sort_coded(column, segment, scratch);
    else if (ranks_ != nullptr)
        order_by_rank_.sort(ranks_of(column), n_, ranks_->bits(), take);
    else
        in_order(column, segment, scratch.order_by_value, take);
}

// By code: a counting sort.
template <class Entry>
void Presort<Entry>::sort_coded(std::uint32_t column, Segment segment, Scratch& scratch) {
    const Column& c = rows_.frame().column(column);
    Entry* out = entries(column);
    for (std::size_t i = 0; i < n_; ++i)
        out[i] =
            entry_of(rows_.code(segment.data + i * rows_.stride(), column), static_cast<std::uint32_t>(i));
    if (c.n_codes > 2 * n_ + 256) {
        std::sort(out, out + n_);
        return;
    }
    auto& counts = scratch.counts;
    counts.assign(std::size_t{c.n_codes} + 2, 0);
    for (std::size_t i = 0; i < n_; ++i) ++counts[rank_of(out[i]) + std::size_t{1}];
    for (std::size_t k = 1; k < counts.size(); ++k) counts[k] += counts[k - 1];
    for (std::size_t i = 0; i < n_; ++i) scratch.aside[counts[rank_of(out[i])]++] = out[i];
    std::copy_n(scratch.aside.begin(), n_, out);
}

// Has the column one known value at the node (and no missing ones that could be told from it)?
template <class Entry>
bool Presort<Entry>::constant(std::uint32_t column, const NodeRows& at_node) const {
    const Entry* const e = entries(column);
    const std::uint32_t first = rank_of(e[at_node.begin]), last = rank_of(e[at_node.end - 1]);
    if (first != 0 || last == 0 || growth_.missing == Missing::learn) return first == last;
    std::uint32_t k = at_node.begin;
    while (rank_of(e[k]) == 0) ++k;
    return rank_of(e[k]) == last;
}

// The columns that a node looks at, ascending: all that can differ in it, or those it draws.
template <class Entry>
std::span<const std::uint32_t> Presort<Entry>::columns_of(const NodeRows& at_node) {
    const std::span<const std::uint32_t> open = columns_.of(at_node);
    const std::uint32_t d = rows_.frame().n_columns();
    if (!growth_.draws(d)) return open;
    takes_part_.assign(d, 0);
    for (const std::uint32_t column : open) takes_part_[column] = 1;
    const auto varies = [&](std::uint32_t column) {
        return takes_part_[column] && !constant(column, at_node);
    };
    draw_columns(at_node.seedling.key, d, growth_.max_features, varies, order_, drawn_);
    return drawn_;
}

// Every column's own best; of those that are recorded only if they are near the best, what may be.
template <class Entry>
void Presort<Entry>::find_own(const NodeRows& at_node, const Node& node) {
    const std::span<const std::uint32_t> columns = columns_of(at_node);
    candidates_.clear();
    candidates_.resize(columns.size());
    const bool all = !growth_.largest_wins() || scratch_.size() > 1 ||
                     growth_.records_all(shape_, at_node.seedling.sprout->tally, node.unit);
    double floor = nothing;
    each(columns.size(), [&](std::size_t i, Scratch& scratch) {
        if (one_by_one_) sort_here(columns[i], scratch);
        candidates_[i] = own_candidate(columns[i], at_node, node, floor, scratch);
        const double net = candidates_[i].net(static_cast<double>(node.judge->weight()));
        if (!all && net > 0) floor = std::max(floor, Growth::near(net) * (1 - 1e-12));
    });
    std::erase_if(candidates_, [](const Candidate& c) { return !c.found; });
}

// The best column's alone: the others need only beat the lower ones.
template <class Entry>
void Presort<Entry>::find_best(const NodeRows& at_node, const Node& node) {
    candidates_.clear();
    double best = nothing;
    Cut leader{0, nothing};  // the best plain cut so far, and its column
    std::uint32_t leading = 0;
    for (const std::uint32_t column : columns_of(at_node)) {
        if (Cut cut; scan(column, at_node, node, best, scratch_[0], cut)) {
            if (cut.at < at_node.end - at_node.begin) leader = cut, leading = column, best = cut.decrease;
        } else {
            Candidate c = own_candidate(column, at_node, node, best, scratch_[0]);
            if (!c.found) continue;
            best = std::max(best, c.net(static_cast<double>(node.judge->weight())));
            candidates_.push_back(std::move(c));
        }
        if (leader.pure && growth_.binary())
            break;  // no column can do better than with nothing mixed on either side
    }
    if (leader.decrease != nothing) candidates_.push_back(candidate_of(leading, at_node, leader));
}

template <class Entry>
bool Presort<Entry>::find(const NodeRows& at_node) {
    if (at_node.columns_begin == at_node.columns_end) return false;
    Sprout& s = *at_node.seedling.sprout;
    if (many_) {
        const Entry* const e = entries(columns_.of(at_node).front()) + at_node.begin;
        palette_.take(local_, at_node.size(), [e](std::size_t k) { return row_of(e[k]); });
    }
    const Judge judge = many_ ? Judge(growth_.criterion, palette_.shape(), palette_.tally())
                              : Judge(growth_.criterion, shape_, s.tally);
    const Node node = stop_.node(judge, s, at_node.seedling.key);
    if (shape_.classes == 0) shift_ = s.tally[1] / judge.weight();
    own_ = growth_.records(shape_, s.tally, stop_.unit()) || !growth_.largest_wins() || scratch_.size() > 1 ||
           one_by_one_;
    if (own_)
        find_own(at_node, node);
    else
        find_best(at_node, node);
    if (!settle(candidates_, node, growth_, s, choice_)) return false;
    if (one_by_one_) sort_here(static_cast<std::uint32_t>(choice_.column), scratch_[0]);
    return true;
}

// The branch of every row, and where each branch begins; the column asked for is put in order.
template <class Entry>
void Presort<Entry>::part(const NodeRows& at_node, Nursery& nursery) {
    Sprout& s = *at_node.seedling.sprout;
    const auto column = static_cast<std::uint32_t>(choice_.column);
    const auto k = static_cast<std::size_t>(choice_.branches);
    take_test(s, choice_, growth_.threshold, nursery);
    const std::uint32_t end = at_node.end;
    const Entry* const own = entries(column);
    first_.assign(k + 1, 0);
    std::uint32_t at = at_node.begin;
    const auto send = [&](std::uint32_t until, std::uint32_t branch) {
        first_[branch + 1] += until - at;
        for (; at < until; ++at) branch_[row_of(own[at])] = static_cast<std::uint16_t>(branch);
    };
    const auto until = [&](auto belongs) {
        return static_cast<std::uint32_t>(std::partition_point(own + at, own + end, belongs) - own);
    };
    send(until([](Entry e) { return rank_of(e) == 0; }), static_cast<std::uint32_t>(choice_.missing));
    // A cut's branches lie in order already, but for missing rows, which come first.
    const bool in_order = choice_.kind == TestKind::cut && (at == at_node.begin || choice_.missing == 0);
    if (choice_.kind == TestKind::map) {
        while (at < end) send(at + 1, choice_.jumps[rank_of(own[at])]);
    } else {
        const auto last = static_cast<std::uint32_t>(choice_.gaps.size());  // missing rows may come after it
        for (std::uint32_t b = 0; b < last; ++b) {
            const double t = k == 2 ? s.threshold : s.rarity->thresholds[b];
            send(until([&](Entry e) { return value(column, e) <= t; }), b);
        }
        send(end, last);
    }
    first_[0] = at_node.begin;
    for (std::size_t b = 0; b < k; ++b) first_[b + 1] += first_[b];
    if (!in_order) arrange(column, at_node, scratch_[0].aside);
}

// Puts a column's entries into the order of the branches, each branch keeping its own.
template <class Entry>
void Presort<Entry>::arrange(std::uint32_t column, const NodeRows& at_node, std::vector<Entry>& aside) {
    const std::span own(entries(column) + at_node.begin, at_node.size());
    part_in_order(own, aside.data(), first_, [&](std::size_t i) { return branch_[row_of(own[i])]; });
}

// The same where all other branches end here: their entries are not needed again.
template <class Entry>
void Presort<Entry>::arrange_one(std::uint32_t column, const NodeRows& at_node, const NodeRows& branch,
                                 std::uint16_t number) {
    Entry *const own = entries(column), *const begin = own + at_node.begin, *to = begin;
    for (const Entry entry : std::span(begin, at_node.size())) {
        *to = entry;
        to += branch_[row_of(entry)] == number;
    }
    std::copy_backward(begin, to, own + branch.end);
}

template <class Entry>
bool Presort<Entry>::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    const Entry* const e = entries(static_cast<std::uint32_t>(choice_.column)) + first_[branch];
    return local_.fill(
        child, first_[branch + 1] - first_[branch], [e](std::size_t k) { return row_of(e[k]); }, growth_,
        nursery);
}

// Columns that are constant here stay so below, and need not be kept in order.
template <class Entry>
void Presort<Entry>::keep(const NodeRows& at_node, std::span<NodeRows> branches) {
    const auto column = static_cast<std::uint32_t>(choice_.column);
    columns_.narrow(at_node, branches, [&](std::uint32_t j) {
        const Entry* const e = entries(j);
        return j == column ? growth_.reuse : rank_of(e[at_node.begin]) != rank_of(e[at_node.end - 1]);
    });
    const std::span<const std::uint32_t> open = columns_.of(branches.front());
    const NodeRows& first = branches.front();
    const std::uint16_t number = branch_[row_of(entries(column)[first.begin])];
    each(open.size(), [&](std::size_t i, Scratch& scratch) {
        if (open[i] == column) return;
        if (branches.size() == 1)
            arrange_one(open[i], at_node, first, number);
        else
            arrange(open[i], at_node, scratch.aside);
    });
}

template <class Entry>
bool Presort<Entry>::enter(const NodeRows& at_node) {
    columns_.drop_after(at_node);
    if (rest_ == nullptr || at_node.size() > small_) return true;
    rest_->push_back(columns_.hand_over(at_node));
    return false;
}

template <class Entry>
void Presort<Entry>::grow(Segment segment, const Seedling& root, const std::vector<char>& banned,
                          Nursery& nursery, int thread) {
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return;
    run(sort_all(segment, root, banned), nursery, thread);
}

template <class Entry>
std::vector<Handover> Presort<Entry>::grow_top(Segment segment, const Seedling& root,
                                               const std::vector<char>& banned, Nursery& nursery,
                                               std::size_t small) {
    std::vector<Handover> rest;
    scratch_.resize(static_cast<std::size_t>(pool_.size()));
    one_by_one_ = root.depth + 1 >= growth_.max_depth && !many_ && !growth_.draws(rows_.frame().n_columns());
    small_ = one_by_one_ ? 0 : small;
    rest_ = &rest;
    grow(segment, root, banned, nursery, 0);
    rest_ = nullptr;
    return rest;
}

template <class Entry>
template <class From>
void Presort<Entry>::grow(const Presort<From>& from, const Handover& node, Nursery& nursery, int thread) {
    if (node.columns.empty()) return;
    n_ = node.at_node.size();
    make_room();
    std::vector<std::uint32_t> rows;
    number_.resize(from.n_);
    const From* e = from.entries(node.columns[0]) + node.at_node.begin;
    for (std::uint32_t i = 0; i < n_; ++i) {
        rows.push_back(Presort<From>::row_of(e[i]));
        number_[rows.back()] = i;
    }
    local_.load(from.local_, rows);
    pair_up();
    for (const std::uint32_t j : node.columns) {
        const bool coarse = rows_.frame().column(j).coarse;
        e = from.entries(j) + node.at_node.begin;
        Entry* const out = entries(j);
        std::uint32_t last = 0, rank = 0;  // of coarse columns, counted anew
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t old = Presort<From>::rank_of(e[i]);
            rank = coarse ? rank + (old != last) : old;
            last = old;
            out[i] = entry_of(rank, number_[Presort<From>::row_of(e[i])]);
        }
    }
    run(columns_.begin(node.at_node.seedling, n_, node.columns), nursery, thread);
}

template class Presort<std::uint32_t>;
template class Presort<std::uint64_t>;
template void Presort<std::uint32_t>::grow(const Presort<std::uint32_t>&, const Handover&, Nursery&, int);
template void Presort<std::uint32_t>::grow(const Presort<std::uint64_t>&, const Handover&, Nursery&, int);

}  // namespace bosco
