#include "presort.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "random.hpp"
#include "refine.hpp"

namespace bosco {

bool Presort::suits(const Rows& rows, const Growth& growth) {
    if (rows.fractional() || growth.missing == Missing::surrogate) return false;
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j)
        if (!rows.frame().column(j).coarse && rows.frame().column(j).n_codes > most_rows) return false;
    return true;
}

double Presort::value(std::uint32_t column, std::uint32_t rank) const {
    const Column& c = rows_.frame().column(column);
    return c.coarse ? values_[column][rank - 1] : c.value(rank);
}

void Presort::load(Segment segment, const std::vector<char>& banned) {
    n_ = segment.n;
    const std::uint32_t d = rows_.frame().n_columns();
    row_.resize(n_);
    branch_.resize(n_);
    aside_.resize(n_);
    entries_.resize(n_ * d);
    values_.resize(d);
    const bool real = shape_.classes == 0;
    if (real) {
        sum_.resize(n_);
    } else {
        class_.resize(n_);
    }
    weight_.resize(rows_.weighted() ? n_ : 0);
    samples_.resize(shape_.apart ? n_ : 0);
    for (std::size_t i = 0; i < n_; ++i) {
        const std::byte* r = segment.data + i * rows_.stride();
        row_[i] = Rows::row(r);
        if (real)
            sum_[i] = rows_.sum(r);
        else
            class_[i] = Rows::class_of(r);
        if (rows_.weighted()) weight_[i] = rows_.weight(r);
        if (shape_.apart) samples_[i] = rows_.samples(r);
    }
    columns_.clear();
    for (std::uint32_t j = 0; j < d; ++j) {
        if (!banned.empty() && banned[j]) continue;
        columns_.push_back(j);
        sort_column(j, segment);
    }
}

void Presort::sort_column(std::uint32_t column, Segment segment) {
    const Column& c = rows_.frame().column(column);
    Entry* out = entries(column);
    // By code first: a counting sort. Codes of coarse columns are bytes.
    if (!c.coarse) {
        for (std::size_t i = 0; i < n_; ++i)
            out[i] =
                rows_.code(segment.data + i * rows_.stride(), column) << 16 | static_cast<std::uint32_t>(i);
        if (c.n_codes > 2 * n_ + 256) {
            std::sort(out, out + n_);
            return;
        }
        std::vector<std::uint32_t> next(std::size_t{c.n_codes} + 2, 0);
        for (std::size_t i = 0; i < n_; ++i) ++next[(out[i] >> 16) + 1];
        for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
        for (std::size_t i = 0; i < n_; ++i) aside_[next[out[i] >> 16]++] = out[i];
        std::copy_n(aside_.begin(), n_, out);
        return;
    }
    // Coarse: by code and, in a bin between two edges, by the place between them, so that few rows
    // are left to be compared. Both are monotone in the value.
    const std::size_t parts = n_ >= 512 ? 8 : 1;
    const std::byte* codes = segment.data + rows_.code_at(column);
    std::array<double, 256> low{}, per_part{};
    for (std::size_t code = 2; code < c.n_codes && parts > 1; ++code) {
        low[code] = c.values[code - 2];
        const double width = c.values[code - 1] - low[code];
        if (std::isfinite(width) && std::isfinite(static_cast<double>(parts) / width))
            per_part[code] = static_cast<double>(parts) / width;
    }
    items_.resize(n_);
    bucket_.resize(n_);
    begin_.assign(257 * parts + 1, 0);
    c.raw.visit([&](auto type) {
        using T = decltype(type);
        for (std::size_t i = 0; i < n_; ++i) {
            const auto x = static_cast<double>(c.raw.as<T>(row_[i]));
            const auto code = std::to_integer<std::size_t>(codes[i * rows_.stride()]);
            const double at = (x - low[code]) * per_part[code];
            // Infinities may give NaN, in bins of one part: 0.
            const std::size_t part = at > 0 ? std::min(static_cast<std::size_t>(at), parts - 1) : 0;
            const std::size_t bucket = code * parts + part;
            items_[i] = {x, static_cast<std::uint32_t>(i)};
            bucket_[i] = static_cast<std::uint16_t>(bucket);
            ++begin_[bucket + 1];
        }
    });
    for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    const std::size_t known = begin_[parts];  // rows before it have no value
    sorted_.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) sorted_[begin_[bucket_[i]]++] = items_[i];
    for (std::size_t k = parts, first = known; k < 256 * parts; ++k) {  // begin_[k] is now its end
        sort_bin(sorted_.data() + first, sorted_.data() + begin_[k]);
        first = begin_[k];
    }
    std::vector<double>& values = values_[column];
    values.clear();
    std::uint32_t rank = 0;
    for (std::size_t k = 0; k < n_; ++k) {
        const Item& item = sorted_[k];
        if (k >= known && (rank == 0 || item.value != values.back())) {
            values.push_back(item.value);
            ++rank;
        }
        out[k] = rank << 16 | item.index;
    }
}

void Presort::read_table(std::uint32_t column, const Place& place, Table& table) {
    const Column& c = rows_.frame().column(column);
    table.reset(shape_);
    table.n_codes = c.coarse ? static_cast<std::uint32_t>(values_[column].size()) : c.n_codes;
    const Entry* const e = entries(column);
    Count* cell = table.missing.data();
    std::uint32_t current = 0;
    for (std::uint32_t k = place.begin; k < place.end; ++k) {
        const std::uint32_t rank = e[k] >> 16;
        const std::size_t i = e[k] & 0xffff;
        if (rank != current) {
            current = rank;
            cell = table.push(rank);
            if (c.ordered()) table.values.push_back(value(column, rank));
        }
        const Count w = weight_.empty() ? 1 : weight_[i];
        if (shape_.classes > 0) {
            cell[class_[i]] += w;
        } else {
            cell[0] += w;
            cell[1] += sum_[i];
        }
        if (shape_.apart) cell[shape_.tally()] += samples_[i];
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

void Presort::tally_child(Sprout& child, const Entry* e, std::uint32_t n, Nursery& nursery, bool& pure) {
    child.tally = nursery.counts(static_cast<std::size_t>(shape_.slots()));
    std::fill_n(child.tally, shape_.slots(), 0);
    const Target& target = rows_.target();
    Wide squares = 0;
    pure = true;
    for (std::uint32_t k = 0; k < n; ++k) {
        const std::size_t i = row_of(e[k]);
        const Count w = weight_.empty() ? 1 : weight_[i];
        if (shape_.classes > 0) {
            child.tally[class_[i]] += w;
        } else {
            const Count y = target.y[row_[i]];
            child.tally[0] += w;
            child.tally[1] += sum_[i];
            squares += static_cast<Wide>(sum_[i]) * y;
            pure = pure && y == target.y[row_[row_of(e[0])]];
        }
        if (shape_.apart) child.tally[shape_.tally()] += samples_[i];
    }
    if (shape_.classes > 0) pure = n == 0 || shape_.only_class(child.tally) >= 0;
    child.impurity = pure ? 0 : impurity_of(growth_.criterion, shape_, child.tally, squares);
}

void Presort::split(const Place& place, const Candidate& choice, Nursery& nursery,
                    std::vector<Place>& stack) {
    Sprout& s = *place.seedling.sprout;
    const auto column = static_cast<std::uint32_t>(choice.column);
    const auto k = static_cast<std::size_t>(choice.branches);
    s.children = nursery.sprouts(k);
    s.n_children = choice.branches;
    s.column = choice.column;
    s.missing = choice.missing;
    const bool plain = choice.kind == TestKind::cut && k == 2;
    if (plain)
        s.threshold = threshold_of(choice, 0, growth_.threshold);
    else
        s.rare().test = std::make_unique<Test>(test_of(choice, growth_.threshold));

    // The branch of every row, and where each branch begins.
    const std::uint32_t begin = place.begin, end = place.end;
    const Entry* const own = entries(column);
    first_.assign(k + 1, 0);
    std::uint32_t rank = 0, current = static_cast<std::uint32_t>(choice.missing);
    for (std::uint32_t i = begin; i < end; ++i) {
        if (const std::uint32_t r = rank_of(own[i]); r != rank) {
            rank = r;
            if (plain) {
                current = value(column, r) > s.threshold;
            } else if (choice.kind == TestKind::map) {
                current = choice.jumps[r];
            } else {
                const double x = value(column, r);
                current = 0;
                for (const double t : s.rarity->test->thresholds) current += x > t;
            }
        }
        branch_[row_of(own[i])] = current;
        ++first_[current + 1];
    }
    first_[0] = begin;
    for (std::size_t b = 0; b < k; ++b) first_[b + 1] += first_[b];
    const std::vector<std::uint32_t>& first = first_;

    const auto arrange = [&](std::uint32_t j) {
        Entry* const e = entries(j);
        if (k == 2) {
            Entry* left = e + begin;
            Entry* right = aside_.data();
            for (std::uint32_t i = begin; i < end; ++i) {
                const Entry entry = e[i];
                const std::uint32_t to = branch_[row_of(entry)];
                *left = entry;
                *right = entry;
                left += 1 - to;
                right += to;
            }
            std::copy(aside_.data(), right, left);
            return;
        }
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
        bool pure = false;
        tally_child(child, entries(column) + first[b], first[b + 1] - first[b], nursery, pure);
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
        s.threshold = bosco::place(value(j, rank_of(low)), value(j, rank_of(*e)), growth_.threshold);
        bool pure;
        tally_child(s.children[0], &low, 1, nursery, pure);
        tally_child(s.children[1], e, 1, nursery, pure);
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
