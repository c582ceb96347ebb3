#include "presort.hpp"

#include <algorithm>
#include <numeric>

#include "random.hpp"
#include "refine.hpp"

namespace bosco {

bool Presort::suits(const Rows& rows, const Growth& growth) {
    if (rows.fractional() || growth.missing == Missing::surrogate) return false;
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j)
        if (!rows.frame().column(j).coarse && rows.frame().column(j).n_codes > most_rows) return false;
    return true;
}

void Presort::load(Segment segment, const std::vector<char>& banned) {
    n_ = segment.n;
    const std::uint32_t d = rows_.frame().n_columns();
    plot_.load(rows_, segment);
    branch_.resize(n_);
    aside_.resize(n_ + aside_slack);
    entries_.resize(n_ * d);
    columns_.clear();
    for (std::uint32_t j = 0; j < d; ++j) {
        if (!banned.empty() && banned[j]) continue;
        columns_.push_back(j);
    }
    if (ranks_ != nullptr) {
        rank_.resize(n_ * ranks_->columns().size());
        ranks_->read(plot_.number, rank_.data());
    }
    for (const std::uint32_t j : columns_) {
        const Column& c = rows_.frame().column(j);
        Entry* const out = entries(j);
        const auto take = [out](std::size_t k, std::uint32_t i, std::uint32_t rank) {
            out[k] = rank << 16 | i;
        };
        if (!c.coarse) {
            sort_coded(j, segment);
        } else if (ranks_ != nullptr) {
            order_by_rank_.sort(rank_.data() + ranks_->at(j) * n_, n_, ranks_->bits(), take);
        } else {
            const std::byte* codes = segment.data + rows_.code_at(j);  // of coarse columns: bytes
            order_by_value_.sort(
                c, n_, [&](std::size_t i) { return plot_.number[i]; },
                [&](std::size_t i) { return std::to_integer<std::size_t>(codes[i * rows_.stride()]); });
            order_by_value_.each(take);
        }
    }
}

// By code: a counting sort.
void Presort::sort_coded(std::uint32_t column, Segment segment) {
    const Column& c = rows_.frame().column(column);
    Entry* out = entries(column);
    for (std::size_t i = 0; i < n_; ++i)
        out[i] = rows_.code(segment.data + i * rows_.stride(), column) << 16 | static_cast<std::uint32_t>(i);
    if (c.n_codes > 2 * n_ + 256) {
        std::sort(out, out + n_);
        return;
    }
    counts_.assign(std::size_t{c.n_codes} + 2, 0);
    for (std::size_t i = 0; i < n_; ++i) ++counts_[(out[i] >> 16) + 1];
    for (std::size_t k = 1; k < counts_.size(); ++k) counts_[k] += counts_[k - 1];
    for (std::size_t i = 0; i < n_; ++i) aside_[counts_[out[i] >> 16]++] = out[i];
    std::copy_n(aside_.begin(), n_, out);
}

void Presort::read_table(std::uint32_t column, const Place& place, Table& table) {
    const Column& c = rows_.frame().column(column);
    table.reset(shape_);
    table.n_codes = c.n_codes;
    const Entry* const e = entries(column);
    Count* cell = table.missing.data();
    std::uint32_t current = 0;
    for (std::uint32_t k = place.begin; k < place.end; ++k) {
        const std::uint32_t rank = rank_of(e[k]);
        if (rank != current) {
            current = rank;
            cell = table.push(rank);
            if (c.ordered()) table.values.push_back(value(column, e[k]));
        }
        plot_.add_to(cell, row_of(e[k]));
    }
}

// Has the column one known value at the node (and no missing ones that could be told from it)?
bool Presort::constant(std::uint32_t column, const Place& place) const {
    const Entry* const e = entries(column);
    const std::uint32_t first = rank_of(e[place.begin]), last = rank_of(e[place.end - 1]);
    if (first != 0 || last == 0 || growth_.missing == Missing::learn) return first == last;
    std::uint32_t k = place.begin;
    while (rank_of(e[k]) == 0) ++k;
    return rank_of(e[k]) == last;
}

// The columns that a node looks at, ascending: all that can differ in it, or those it draws.
std::span<const std::uint32_t> Presort::columns_of(const Place& place) {
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

bool Presort::find(const Place& place, Candidate& choice) {
    Sprout& s = *place.seedling.sprout;
    const Judge judge(growth_.criterion, shape_, s.tally);
    const Node node{&judge, stop_.limits(s), place.seedling.key, stop_.unit(), s.impurity};
    if (shape_.classes == 0) shift_ = s.tally[1] / judge.weight();
    // With a plain gain a column need only beat the lower ones; otherwise each gives its own best.
    const bool own = growth_.score != Score::gain || growth_.record;
    double best = nothing;
    std::vector<Candidate>& candidates = candidates_;
    candidates.clear();
    if (own) candidates.reserve(place.columns_end - place.columns_begin);
    Cut leader{0, nothing};  // the best plain cut so far, and its column
    std::uint32_t leading = 0;
    const auto look = [&](std::uint32_t column) {
        if (Cut cut; scan(column, place, node, own ? nothing : best, cut)) {
            if (cut.at == place.end - place.begin) return;
            best = std::max(best, cut.decrease);
            if (own)
                candidates.push_back(candidate_of(column, place, cut));
            else
                leader = cut, leading = column;
            return;
        }
        read_table(column, place, table_);
        Candidate c =
            propose(table_, node, growth_, static_cast<int>(column), rows_.frame().column(column).ordered());
        if (!c.found) return;
        best = std::max(best, c.net(static_cast<double>(judge.weight())));
        candidates.push_back(std::move(c));
    };
    // No column can do better than a cut with nothing mixed on either side.
    for (const std::uint32_t column : columns_of(place)) {
        look(column);
        if (binary_ && leader.pure) break;
    }
    if (leader.decrease != nothing) candidates.push_back(candidate_of(leading, place, leader));
    const int winner = choose(candidates, judge, growth_, node.impurity, total_);
    if (winner < 0) return false;
    s.decrease = candidates[static_cast<std::size_t>(winner)].decrease;
    if (!growth_.record) {
        choice = std::move(candidates[static_cast<std::size_t>(winner)]);
        return true;
    }
    choice = candidates[static_cast<std::size_t>(winner)];
    s.rare().candidates = std::move(candidates);
    return true;
}

void Presort::split(const Place& place, const Candidate& choice, Nursery& nursery,
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

    const bool by_bits =
        k == 2 && n_ <= Bits::most_rows && end - begin >= least_to_part_by_bits && parts_by_bits();
    if (by_bits) {
        bits_ = {};
        for (std::uint32_t i = begin; i < end; ++i)
            if (branch_[row_of(own[i])] != 0) bits_.set(row_of(own[i]));
    }
    const auto arrange = [&](std::uint32_t j) {
        Entry* const e = entries(j);
        if (by_bits) return bosco::arrange(e + begin, end - begin, bits_, aside_.data());
        if (k == 2) return bosco::arrange(e + begin, end - begin, branch_.data(), aside_.data());
        std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
        for (std::uint32_t i = begin; i < end; ++i) aside_[next[branch_[row_of(e[i])]]++ - begin] = e[i];
        std::copy_n(aside_.data(), end - begin, e + begin);
    };
    // The split column first: it gives the children's tallies, which may need no more.
    arrange(column);
    open_.assign(k, 0);
    bool any = false;
    for (std::size_t b = 0; b < k; ++b) {
        Sprout& child = s.children[b];
        const bool pure = fill(child, entries(column) + first[b], first[b + 1] - first[b], nursery);
        if (!growth_.monotonic.empty()) child.rare().bounds = s.bounds();
        open_[b] = !stop_.leaf(child.tally, pure, place.seedling.depth + 1);
        if (open_[b] && first[b + 1] - first[b] == 2 && split_pair(place, column, b, nursery)) open_[b] = 0;
        any = any || open_[b];
    }
    if (growth_.direction(choice.column) != 0) stop_.bound_children(s);
    if (!any) return;
    // Columns that are constant here stay so below, and need not be kept in order.
    const auto columns_begin = static_cast<std::uint32_t>(columns_.size());
    for (std::uint32_t i = place.columns_begin; i < place.columns_end; ++i) {
        const std::uint32_t j = columns_[i];
        const Entry* const e = entries(j);
        const bool constant = j != column && rank_of(e[begin]) == rank_of(e[end - 1]);
        if (constant || (j == column && !growth_.reuse)) continue;
        if (j != column) arrange(j);
        columns_.push_back(j);
    }
    const auto columns_end = static_cast<std::uint32_t>(columns_.size());
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
bool Presort::split_pair(const Place& place, std::uint32_t arranged, std::size_t branch, Nursery& nursery) {
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

void Presort::grow(Segment segment, const Seedling& root, const std::vector<char>& banned, Nursery& nursery,
                   int thread) {
    if (stop_.leaf(root.sprout->tally, root.pure, root.depth)) return;
    load(segment, banned);
    std::vector<Place> stack{
        {root, 0, static_cast<std::uint32_t>(n_), 0, static_cast<std::uint32_t>(columns_.size())}};
    while (!stack.empty()) {
        const Place place = stack.back();
        stack.pop_back();
        pool_.check(thread);
        columns_.resize(place.columns_end);  // drop the lists of subtrees that are done
        if (Candidate choice; find(place, choice)) split(place, choice, nursery, stack);
    }
}

}  // namespace bosco
