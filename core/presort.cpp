#include "presort.hpp"

#include <algorithm>
#include <type_traits>

#include "random.hpp"
#include "refine.hpp"

namespace bosco {

template <class Entry>
bool Presort<Entry>::suits(const Rows& rows, const Growth& growth) {
    if (rows.fractional() || growth.missing == Missing::surrogate) return false;
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j)
        if (!rows.frame().column(j).coarse && rows.frame().column(j).n_codes > most_rows) return false;
    return true;
}

template <class Entry>
void Presort<Entry>::make_room() {
    branch_.resize(n_);
    for (Scratch& scratch : scratch_) scratch.aside.resize(n_ + aside_slack);
    entries_.resize(n_ * rows_.frame().n_columns());
    columns_.clear();
}

template <class Entry>
void Presort<Entry>::load(Segment segment, const std::vector<char>& banned) {
    n_ = segment.n;
    plot_.load(rows_, segment);
    make_room();
    for (std::uint32_t j = 0; j < rows_.frame().n_columns(); ++j)
        if (banned.empty() || !banned[j]) columns_.push_back(j);
    if (ranks_ != nullptr) {
        rank_.resize(n_ * ranks_->columns().size());
        ranks_->read(plot_.number, rank_.data());
    }
    each(columns_.size(), [&](std::size_t i, Scratch& scratch) { sort(columns_[i], segment, scratch); });
}

template <class Entry>
void Presort<Entry>::sort(std::uint32_t column, Segment segment, Scratch& scratch) {
    const Column& c = rows_.frame().column(column);
    Entry* const out = entries(column);
    const auto take = [out](std::size_t k, std::uint32_t i, std::uint32_t rank) {
        out[k] = entry_of(rank, i);
    };
    if (!c.coarse) {
        sort_coded(column, segment, scratch);
    } else if (ranks_ != nullptr) {
        order_by_rank_.sort(rank_.data() + ranks_->at(column) * n_, n_, ranks_->bits(), take);
    } else {
        const std::byte* codes = segment.data + rows_.code_at(column);  // of coarse columns: bytes
        scratch.order_by_value.sort(
            c, n_, [&](std::size_t i) { return plot_.number[i]; },
            [&](std::size_t i) { return std::to_integer<std::size_t>(codes[i * rows_.stride()]); });
        scratch.order_by_value.each(take);
    }
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
bool Presort<Entry>::constant(std::uint32_t column, const Place& place) const {
    const Entry* const e = entries(column);
    const std::uint32_t first = rank_of(e[place.begin]), last = rank_of(e[place.end - 1]);
    if (first != 0 || last == 0 || growth_.missing == Missing::learn) return first == last;
    std::uint32_t k = place.begin;
    while (rank_of(e[k]) == 0) ++k;
    return rank_of(e[k]) == last;
}

// The columns that a node looks at, ascending: all that can differ in it, or those it draws.
template <class Entry>
std::span<const std::uint32_t> Presort<Entry>::columns_of(const Place& place) {
    const std::span<const std::uint32_t> open(columns_.data() + place.columns_begin,
                                              columns_.data() + place.columns_end);
    const std::uint32_t d = rows_.frame().n_columns();
    if (growth_.max_features < 0 || static_cast<std::uint32_t>(growth_.max_features) >= d) return open;
    takes_part_.assign(d, 0);
    for (const std::uint32_t column : open) takes_part_[column] = 1;
    drawn_.clear();
    Shuffle order(place.seedling.key, d, order_);
    for (int seen = 0; seen < growth_.max_features && !order.done();) {
        const std::uint32_t column = order.next();
        if (!takes_part_[column] || constant(column, place)) continue;
        drawn_.push_back(column);
        ++seen;
    }
    std::sort(drawn_.begin(), drawn_.end());
    return drawn_;
}

// Every column's own best.
template <class Entry>
void Presort<Entry>::find_own(const Place& place, const Node& node) {
    const std::span<const std::uint32_t> columns = columns_of(place);
    candidates_.clear();
    candidates_.resize(columns.size());
    each(columns.size(), [&](std::size_t i, Scratch& scratch) {
        candidates_[i] = own_candidate(columns[i], place, node, nothing, scratch);
    });
    std::erase_if(candidates_, [](const Candidate& c) { return !c.found; });
}

// The best column's alone: the others need only beat the lower ones.
template <class Entry>
void Presort<Entry>::find_best(const Place& place, const Node& node) {
    candidates_.clear();
    double best = nothing;
    Cut leader{0, nothing};  // the best plain cut so far, and its column
    std::uint32_t leading = 0;
    for (const std::uint32_t column : columns_of(place)) {
        if (Cut cut; scan(column, place, node, best, cut)) {
            if (cut.at < place.end - place.begin) leader = cut, leading = column, best = cut.decrease;
        } else {
            Candidate c = own_candidate(column, place, node, best, scratch_[0]);
            if (!c.found) continue;
            best = std::max(best, c.net(static_cast<double>(node.judge->weight())));
            candidates_.push_back(std::move(c));
        }
        if (binary_ && leader.pure) break;  // no column can do better than with nothing mixed on either side
    }
    if (leader.decrease != nothing) candidates_.push_back(candidate_of(leading, place, leader));
}

template <class Entry>
bool Presort<Entry>::find(const Place& place, Candidate& choice) {
    if (place.columns_begin == place.columns_end) return false;
    Sprout& s = *place.seedling.sprout;
    if (many_) {
        const Entry* const e = entries(columns_[place.columns_begin]) + place.begin;
        palette_.take(plot_, place.end - place.begin, [e](std::size_t k) { return row_of(e[k]); });
    }
    const Judge judge = many_ ? Judge(growth_.criterion, palette_.shape(), palette_.tally())
                              : Judge(growth_.criterion, shape_, s.tally);
    const Node node = stop_.node(judge, s, place.seedling.key);
    if (shape_.classes == 0) shift_ = s.tally[1] / judge.weight();
    const bool records = growth_.records(shape_, s.tally, stop_.unit());
    own_ = records || growth_.score != Score::gain || scratch_.size() > 1;
    if (own_)
        find_own(place, node);
    else
        find_best(place, node);
    const int winner = choose(candidates_, node, growth_);
    if (winner >= 0) {
        Candidate& best = candidates_[static_cast<std::size_t>(winner)];
        s.decrease = best.decrease;
        choice = records ? best : std::move(best);
    }
    if (records && !candidates_.empty()) s.rare().candidates = std::move(candidates_);
    return winner >= 0;
}

template <class Entry>
void Presort<Entry>::split(const Place& place, const Candidate& choice, Nursery& nursery,
                           std::vector<Place>& stack) {
    Sprout& s = *place.seedling.sprout;
    const auto column = static_cast<std::uint32_t>(choice.column);
    const auto k = static_cast<std::size_t>(choice.branches);
    take_test(s, choice, growth_.threshold, nursery);
    const bool plain = choice.kind == TestKind::cut && k == 2;

    // The branch of every row, and where each branch begins.
    const std::uint32_t begin = place.begin, end = place.end;
    const Entry* const own = entries(column);
    first_.assign(k + 1, 0);
    std::uint32_t at = begin;
    const auto send = [&](std::uint32_t until, std::uint32_t branch) {
        first_[branch + 1] += until - at;
        for (; at < until; ++at) branch_[row_of(own[at])] = static_cast<std::uint16_t>(branch);
    };
    const auto until = [&](auto belongs) {
        return static_cast<std::uint32_t>(std::partition_point(own + at, own + end, belongs) - own);
    };
    send(until([](Entry e) { return rank_of(e) == 0; }), static_cast<std::uint32_t>(choice.missing));
    if (choice.kind == TestKind::map) {
        while (at < end) send(at + 1, choice.jumps[rank_of(own[at])]);
    } else {
        for (std::uint32_t b = 0; b < choice.gaps.size(); ++b) {
            const double t = plain ? s.threshold : s.rarity->thresholds[b];
            send(until([&](Entry e) { return value(column, e) <= t; }), b);
        }
        send(end, static_cast<std::uint32_t>(choice.gaps.size()));
    }
    first_[0] = begin;
    for (std::size_t b = 0; b < k; ++b) first_[b + 1] += first_[b];
    const std::vector<std::uint32_t>& first = first_;

    const bool by_bits = std::is_same_v<Entry, std::uint32_t> && k == 2 && n_ <= Bits::most_rows &&
                         end - begin >= least_to_part_by_bits && parts_by_bits();
    if (by_bits) {
        bits_ = {};
        for (std::uint32_t i = begin; i < end; ++i)
            if (branch_[row_of(own[i])] != 0) bits_.set(row_of(own[i]));
    }
    const auto arrange = [&](std::uint32_t j, std::vector<Entry>& aside) {
        Entry* const e = entries(j);
        if constexpr (std::is_same_v<Entry, std::uint32_t>)
            if (by_bits) return bosco::arrange(e + begin, end - begin, bits_, aside.data());
        if (k == 2) return bosco::arrange(e + begin, end - begin, branch_.data(), aside.data());
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t i = begin; i < end; ++i) aside[next[branch_[row_of(e[i])]]++ - begin] = e[i];
        std::copy_n(aside.data(), end - begin, e + begin);
    };
    // The split column first: it gives the children's tallies, which may need no more.
    arrange(column, scratch_[0].aside);
    open_.assign(k, 0);
    bool any = false;
    for (std::size_t b = 0; b < k; ++b) {
        Sprout& child = s.children[b];
        const bool pure = fill(child, entries(column) + first[b], first[b + 1] - first[b], nursery);
        open_[b] = !stop_.leaf(child.tally, pure, place.seedling.depth + 1);
        if (open_[b] && first[b + 1] - first[b] == 2 && split_pair(place, column, b, nursery)) open_[b] = 0;
        any = any || open_[b];
    }
    stop_.bound_children(s);
    if (!any) return;
    // Columns that are constant here stay so below, and need not be kept in order.
    const auto columns_begin = static_cast<std::uint32_t>(columns_.size());
    for (std::uint32_t i = place.columns_begin; i < place.columns_end; ++i) {
        const std::uint32_t j = columns_[i];
        const Entry* const e = entries(j);
        const bool constant = j != column && rank_of(e[begin]) == rank_of(e[end - 1]);
        if (!constant && (j != column || growth_.reuse)) columns_.push_back(j);
    }
    const auto columns_end = static_cast<std::uint32_t>(columns_.size());
    each(columns_end - columns_begin, [&](std::size_t i, Scratch& scratch) {
        const std::uint32_t j = columns_[columns_begin + i];
        if (j != column) arrange(j, scratch.aside);
    });
    for (std::size_t b = k; b-- > 0;)
        if (open_[b])
            stack.push_back({{s.children + b, child_key(place.seedling.key, static_cast<std::uint32_t>(b)),
                              place.seedling.depth + 1, false},
                             first[b],
                             first[b + 1],
                             columns_begin,
                             columns_end});
}

// Two rows that differ in y: every column that parts them gains the same, so the lowest wins. Read off
// the parent's columns, of which only the one it split on is in the children's order.
template <class Entry>
bool Presort<Entry>::split_pair(const Place& place, std::uint32_t arranged, std::size_t branch,
                                Nursery& nursery) {
    if (!pairs_) return false;
    Sprout& s = place.seedling.sprout->children[branch];
    for (std::uint32_t k = place.columns_begin; k < place.columns_end; ++k) {
        const std::uint32_t j = columns_[k];
        if (!rows_.frame().column(j).ordered()) return false;
        const Entry* e = entries(j) + (j == arranged ? first_[branch] : place.begin);
        if (j != arranged)
            while (branch_[row_of(*e)] != branch) ++e;
        const Entry low = *e++;
        if (j != arranged)
            while (branch_[row_of(*e)] != branch) ++e;
        if (rank_of(low) == 0) return false;
        if (rank_of(low) == rank_of(*e)) continue;
        const Judge judge(growth_.criterion, shape_, s.tally);
        s.children = nursery.sprouts(2);
        s.n_children = 2;
        s.column = static_cast<std::int32_t>(j);
        s.missing = growth_.missing == Missing::fractional ? by_share : 0;
        s.threshold = bosco::place(value(j, low), value(j, *e), growth_.threshold);
        fill(s.children[0], &low, 1, nursery);
        fill(s.children[1], e, 1, nursery);
        s.decrease = judge.decrease(s.children[0].tally, 1);
        return true;
    }
    return true;  // nothing parts them
}

template <class Entry>
void Presort<Entry>::grow(Segment segment, const Seedling& root, const std::vector<char>& banned,
                          Nursery& nursery, int thread) {
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return;
    load(segment, banned);
    grow_below({{root, 0, static_cast<std::uint32_t>(n_), 0, static_cast<std::uint32_t>(columns_.size())}},
               nursery, thread);
}

template <class Entry>
void Presort<Entry>::grow_below(std::vector<Place> stack, Nursery& nursery, int thread) {
    while (!stack.empty()) {
        const Place place = stack.back();
        stack.pop_back();
        pool_.check(thread);
        columns_.resize(place.columns_end);  // drop the lists of subtrees that are done
        if (Candidate choice; find(place, choice)) split(place, choice, nursery, stack);
    }
}

template <class Entry>
std::vector<Handover> Presort<Entry>::grow_top(Segment segment, const Seedling& root,
                                               const std::vector<char>& banned, Nursery& nursery,
                                               std::size_t small) {
    std::vector<Handover> rest;
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return rest;
    scratch_.resize(static_cast<std::size_t>(pool_.size()));
    load(segment, banned);
    std::vector<Place> stack{
        {root, 0, static_cast<std::uint32_t>(n_), 0, static_cast<std::uint32_t>(columns_.size())}};
    while (!stack.empty()) {
        const Place place = stack.back();
        stack.pop_back();
        pool_.check(0);
        columns_.resize(place.columns_end);
        if (place.end - place.begin <= small)
            rest.push_back({place.seedling,
                            place.begin,
                            place.end,
                            {columns_.begin() + place.columns_begin, columns_.begin() + place.columns_end}});
        else if (Candidate choice; find(place, choice))
            split(place, choice, nursery, stack);
    }
    return rest;
}

template <class Entry>
template <class Wide>
void Presort<Entry>::grow(const Presort<Wide>& from, const Handover& node, Nursery& nursery, int thread) {
    if (node.columns.empty()) return;
    n_ = node.end - node.begin;
    make_room();
    columns_ = node.columns;
    std::vector<std::uint32_t> rows;
    number_.resize(from.n_);
    const Wide* e = from.entries(columns_[0]) + node.begin;
    for (std::uint32_t i = 0; i < n_; ++i) {
        rows.push_back(Presort<Wide>::row_of(e[i]));
        number_[rows.back()] = i;
    }
    plot_.load(from.plot_, rows);
    for (const std::uint32_t j : columns_) {
        const bool coarse = rows_.frame().column(j).coarse;
        e = from.entries(j) + node.begin;
        Entry* const out = entries(j);
        std::uint32_t last = 0, rank = 0;  // of coarse columns, counted anew
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t old = Presort<Wide>::rank_of(e[i]);
            rank = coarse ? rank + (old != last) : old;
            last = old;
            out[i] = entry_of(rank, number_[Presort<Wide>::row_of(e[i])]);
        }
    }
    grow_below(
        {{node.seedling, 0, static_cast<std::uint32_t>(n_), 0, static_cast<std::uint32_t>(columns_.size())}},
        nursery, thread);
}

template class Presort<std::uint32_t>;
template class Presort<std::uint64_t>;
template void Presort<std::uint32_t>::grow(const Presort<std::uint64_t>&, const Handover&, Nursery&, int);

}  // namespace bosco
