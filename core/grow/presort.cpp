#include "grow/presort.hpp"

#include <algorithm>

#include "data/random.hpp"
#include "grow/refine.hpp"

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
    for (Scratch& scratch : scratch_) scratch.aside.resize(n_);
    entries_.resize(n_ * rows_.frame().n_columns());
    columns_.all.clear();
}

template <class Entry>
void Presort<Entry>::load(Segment segment, const std::vector<char>& banned) {
    n_ = segment.n;
    plot_.load(rows_, segment);
    make_room();
    for (std::uint32_t j = 0; j < rows_.frame().n_columns(); ++j)
        if (banned.empty() || !banned[j]) columns_.all.push_back(j);
    if (ranks_ != nullptr) {
        rank_.resize(n_ * ranks_->columns().size());
        ranks_->read(plot_.number, rank_.data());
    }
    each(columns_.all.size(),
         [&](std::size_t i, Scratch& scratch) { sort(columns_.all[i], segment, scratch); });
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
    const std::span<const std::uint32_t> open = columns_.of(place);
    const std::uint32_t d = rows_.frame().n_columns();
    if (growth_.max_features < 0 || static_cast<std::uint32_t>(growth_.max_features) >= d) return open;
    takes_part_.assign(d, 0);
    for (const std::uint32_t column : open) takes_part_[column] = 1;
    const auto varies = [&](std::uint32_t column) { return takes_part_[column] && !constant(column, place); };
    draw_columns(place.seedling.key, d, growth_.max_features, varies, order_, drawn_);
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
bool Presort<Entry>::find(const Place& place) {
    if (place.columns_begin == place.columns_end) return false;
    Sprout& s = *place.seedling.sprout;
    if (many_) {
        const Entry* const e = entries(columns_.of(place).front()) + place.begin;
        palette_.take(plot_, place.size(), [e](std::size_t k) { return row_of(e[k]); });
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
        choice_ = records ? best : std::move(best);
    }
    if (records && !candidates_.empty()) s.rare().candidates = std::move(candidates_);
    return winner >= 0;
}

// The branch of every row, and where each branch begins; the column asked for is put in order.
template <class Entry>
void Presort<Entry>::part(const Place& place, Nursery& nursery) {
    Sprout& s = *place.seedling.sprout;
    here_ = place;
    const auto column = static_cast<std::uint32_t>(choice_.column);
    const auto k = static_cast<std::size_t>(choice_.branches);
    take_test(s, choice_, growth_.threshold, nursery);
    const std::uint32_t end = place.end;
    const Entry* const own = entries(column);
    first_.assign(k + 1, 0);
    std::uint32_t at = place.begin;
    const auto send = [&](std::uint32_t until, std::uint32_t branch) {
        first_[branch + 1] += until - at;
        for (; at < until; ++at) branch_[row_of(own[at])] = static_cast<std::uint16_t>(branch);
    };
    const auto until = [&](auto belongs) {
        return static_cast<std::uint32_t>(std::partition_point(own + at, own + end, belongs) - own);
    };
    send(until([](Entry e) { return rank_of(e) == 0; }), static_cast<std::uint32_t>(choice_.missing));
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
    first_[0] = place.begin;
    for (std::size_t b = 0; b < k; ++b) first_[b + 1] += first_[b];
    arrange(column, place, scratch_[0].aside);
}

// Puts a column's entries into the order of the branches, each branch keeping its own.
template <class Entry>
void Presort<Entry>::arrange(std::uint32_t column, const Place& place, std::vector<Entry>& aside) {
    Entry* const begin = entries(column) + place.begin;
    Entry* const end = entries(column) + place.end;
    if (first_.size() == 3) {
        Entry* left = begin;
        Entry* right = aside.data();
        for (const Entry* e = begin; e < end; ++e) {  // both are written and one moves on: nothing to predict
            const Entry entry = *e;
            const std::uint32_t to = branch_[row_of(entry)];
            *left = entry;
            *right = entry;
            left += 1 - to;
            right += to;
        }
        std::copy(aside.data(), right, left);
        return;
    }
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Entry* e = begin; e < end; ++e) aside[next[branch_[row_of(*e)]]++ - place.begin] = *e;
    std::copy_n(aside.data(), place.size(), begin);
}

template <class Entry>
bool Presort<Entry>::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    const Entry* const e = entries(static_cast<std::uint32_t>(choice_.column)) + first_[branch];
    const std::uint32_t n = first_[branch + 1] - first_[branch];
    const bool pure = fill(child, e, n, nursery);
    if (pure || n != 2 || stop_.leaf(child.tally, pure, here_.seedling.depth + 1)) return pure;
    return split_pair(branch, child, nursery);
}

// Two rows that differ in y: every column that parts them gains the same, so the lowest wins. Read off
// the parent's columns, of which only the one it split on is in the children's order. True: it is done.
template <class Entry>
bool Presort<Entry>::split_pair(std::uint32_t branch, Sprout& s, Nursery& nursery) {
    if (!pairs_) return false;
    const auto arranged = static_cast<std::uint32_t>(choice_.column);
    for (const std::uint32_t j : columns_.of(here_)) {
        if (!rows_.frame().column(j).ordered()) return false;
        const Entry* e = entries(j) + (j == arranged ? first_[branch] : here_.begin);
        const auto next = [&] {
            while (j != arranged && branch_[row_of(*e)] != branch) ++e;
            return *e++;
        };
        const Entry low = next(), high = next();
        if (rank_of(low) == 0) return false;
        if (rank_of(low) == rank_of(high)) continue;
        s.children = nursery.sprouts(2);
        s.n_children = 2;
        s.column = static_cast<std::int32_t>(j);
        s.missing = growth_.missing == Missing::fractional ? by_share : 0;
        s.threshold = place(value(j, low), value(j, high), growth_.threshold);
        fill(s.children[0], &low, 1, nursery);
        fill(s.children[1], &high, 1, nursery);
        s.decrease = Judge(growth_.criterion, shape_, s.tally).decrease(s.children[0].tally, 1);
        return true;
    }
    return true;  // nothing parts them
}

// Columns that are constant here stay so below, and need not be kept in order.
template <class Entry>
void Presort<Entry>::keep(const Place& place, std::span<Place> branches) {
    const auto column = static_cast<std::uint32_t>(choice_.column);
    columns_.narrow(place, branches, [&](std::uint32_t j) {
        const Entry* const e = entries(j);
        return j == column ? growth_.reuse : rank_of(e[place.begin]) != rank_of(e[place.end - 1]);
    });
    const std::span<const std::uint32_t> open = columns_.of(branches.front());
    each(open.size(), [&](std::size_t i, Scratch& scratch) {
        if (open[i] != column) arrange(open[i], place, scratch.aside);
    });
}

template <class Entry>
bool Presort<Entry>::enter(const Place& place) {
    columns_.drop_after(place);
    if (rest_ == nullptr || place.size() > small_) return true;
    const auto open = columns_.of(place);
    rest_->push_back({place, {open.begin(), open.end()}});
    return false;
}

template <class Entry>
void Presort<Entry>::run(const Seedling& root, Nursery& nursery, int thread) {
    const auto n = static_cast<std::uint32_t>(n_);
    Driver<Presort>(*this, stop_, pool_)
        .run({root, 0, n, 0, static_cast<std::uint32_t>(columns_.all.size())}, nursery, thread);
}

template <class Entry>
void Presort<Entry>::grow(Segment segment, const Seedling& root, const std::vector<char>& banned,
                          Nursery& nursery, int thread) {
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return;
    load(segment, banned);
    run(root, nursery, thread);
}

template <class Entry>
std::vector<Handover> Presort<Entry>::grow_top(Segment segment, const Seedling& root,
                                               const std::vector<char>& banned, Nursery& nursery,
                                               std::size_t small) {
    std::vector<Handover> rest;
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return rest;
    scratch_.resize(static_cast<std::size_t>(pool_.size()));
    load(segment, banned);
    small_ = small;
    rest_ = &rest;
    run(root, nursery, 0);
    rest_ = nullptr;
    return rest;
}

template <class Entry>
template <class Wide>
void Presort<Entry>::grow(const Presort<Wide>& from, const Handover& node, Nursery& nursery, int thread) {
    if (node.columns.empty()) return;
    n_ = node.place.size();
    make_room();
    columns_.all = node.columns;
    std::vector<std::uint32_t> rows;
    number_.resize(from.n_);
    const Wide* e = from.entries(node.columns[0]) + node.place.begin;
    for (std::uint32_t i = 0; i < n_; ++i) {
        rows.push_back(Presort<Wide>::row_of(e[i]));
        number_[rows.back()] = i;
    }
    plot_.load(from.plot_, rows);
    for (const std::uint32_t j : node.columns) {
        const bool coarse = rows_.frame().column(j).coarse;
        e = from.entries(j) + node.place.begin;
        Entry* const out = entries(j);
        std::uint32_t last = 0, rank = 0;  // of coarse columns, counted anew
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t old = Presort<Wide>::rank_of(e[i]);
            rank = coarse ? rank + (old != last) : old;
            last = old;
            out[i] = entry_of(rank, number_[Presort<Wide>::row_of(e[i])]);
        }
    }
    run(node.place.seedling, nursery, thread);
}

template class Presort<std::uint32_t>;
template class Presort<std::uint64_t>;
template void Presort<std::uint32_t>::grow(const Presort<std::uint64_t>&, const Handover&, Nursery&, int);

}  // namespace bosco
