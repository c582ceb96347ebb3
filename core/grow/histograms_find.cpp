// All columns of one node: tables, bounds, refinement, candidates.
#include "grow/histograms.hpp"

#include <algorithm>

#include "data/random.hpp"

namespace bosco {

struct Histograms::Coarse {
    bool pending = false;
    bool constant = true;
    Look look;
    Wanted fresh;  // of the marked bins, the ones whose rows must be gathered
    std::vector<FineItem> items;
};

// Can bounds say which bins of a column to look into?
bool Histograms::bounded(const NodeRows& at_node, const Column& c) const {
    const Growth& growth = shared_.growth;
    return c.coarse && at_node.size() > shared_.tuning.small_rows && !growth.penalty && !growth.random_cuts &&
           growth.numeric_test == NumericTest::threshold && growth.criterion.bounded();
}

// Counts the codes of a column.
void Histograms::read_codes(const NodeRows& at_node, std::uint32_t column, Scratch& scratch, Table& table,
                            std::vector<double>* squares) const {
    const Rows& rows = shared_.rows;
    const Column& c = rows.frame().column(column);
    if (!at_node.histogram && !c.coarse && c.n_codes / 4 >= at_node.size())
        return count_table(rows, at_node.segment, column, table);
    if (!at_node.histogram) {
        scratch.histogram.resize(shared_.layout.size());
        tabulate(rows, shared_.layout, at_node.segment, {&column, 1}, scratch.histogram.data());
    }
    const Histogram& histogram = at_node.histogram ? *at_node.histogram : scratch.histogram;
    read_table(rows, shared_.layout, column, histogram.data(), table, squares);
}

void Histograms::first_look(const NodeRows& at_node, const Node& node, std::uint32_t column, Scratch& scratch,
                            Candidate& candidate, Coarse& coarse) const {
    const Growth& growth = shared_.growth;
    const Column& c = shared_.rows.frame().column(column);
    Table& fine = scratch.fine.table;
    Look& look = coarse.look;
    if (bounded(at_node, c)) {
        read_codes(at_node, column, scratch, look.table, &look.squares);
        coarse.pending = look.table.size() >= 2;
        coarse.constant = false;
        if (coarse.pending) {
            look.between(node, growth, column);
            candidate.column = static_cast<int>(column);
            candidate.decrease = look.decrease();
            return;
        }
    } else if (!c.coarse || growth.random_cuts) {
        read_codes(at_node, column, scratch, scratch.table, nullptr);
    }
    if (c.coarse && growth.random_cuts)
        refine_random(shared_.rows, at_node.segment, scratch.table, column, node, fine);
    else if (c.coarse)
        refine(shared_.rows, at_node.segment, column, scratch.fine);
    const Table& exact = c.coarse ? fine : scratch.table;
    candidate = propose(exact, node, growth, static_cast<int>(column), c.ordered());
    const bool learns = exact.any_missing() && growth.missing == Missing::learn;
    coarse.constant = exact.size() + (learns ? 1 : 0) < 2;
}

Candidate Histograms::second_look(const NodeRows& at_node, const Node& node, std::uint32_t column,
                                  Scratch& scratch, Coarse& coarse) const {
    const Growth& growth = shared_.growth;
    Look& look = coarse.look;
    if (!look.open()) return look.settle(node, growth);
    const Target& target = shared_.rows.target();
    const Shape shape = shared_.rows.shape();
    BinOrder* const order = shared_.order;
    if (shared_.in_order) look_up(shared_.rows, column, coarse.items);
    if (order != nullptr) order->keep(column, coarse.fresh, coarse.items);
    if (order != nullptr && !look.table.any_missing() && shape.classes > 0 && !shape.apart) {
        look.into(
            node, growth, [&](std::uint32_t code) { return order->items(column, code); },
            [&](const BinOrder::Item& item, Count* tally) {
                tally[target.classes[item.index]] += target.weight_at(item.index);
            });
        return look.settle(node, growth);
    }
    FineTable& fine = scratch.fine;
    const auto cleared = [&]() -> FineTable& {
        fine.table.reset(shape);
        fine.table.missing = look.table.missing;
        fine.bin.clear();
        return fine;
    };
    if (order != nullptr) {
        order->fill(target, column, look.wanted(), cleared());
        look.into(node, growth, fine);
        return look.settle(node, growth);
    }
    // Bin by bin: the table of one stays small.
    const auto begin = sort_by_bin(coarse.items);
    const Trial trial = look.trial(node, growth);
    Sieve sieve = look.sieve(trial);
    const bool sifts = Sieve::suits(shared_.rows);
    std::vector<FineItem> aside;
    look.into_each(node, growth, [&](std::uint32_t code) -> const FineTable& {
        FineItem* const first = coarse.items.data() + begin[code];
        FineItem* last = coarse.items.data() + begin[code + 1];
        if (sifts && static_cast<std::size_t>(last - first) >= Sieve::many)
            last = sieve.sift(code, first, last, aside);
        else
            sort_spread(first, last, aside);
        fill_fine(shared_.rows, at_node.segment, {first, last}, sifts ? &sieve : nullptr, cleared());
        return fine;
    });
    std::vector<FineItem>().swap(coarse.items);
    return look.settle(node, growth);
}

namespace {

// How many rows lie in some bins, or more: their samples, of which a row is one or more.
std::size_t rows_in(const Look& look, const Wanted& bins) {
    Count samples = 0;
    for (int i = 0; i < look.table.size(); ++i)
        if (bins[look.table.codes[static_cast<std::size_t>(i)]]) samples += look.table.samples(i);
    return static_cast<std::size_t>(samples);
}

}  // namespace

// Which columns are looked into together: all of them, in one pass over the node's records; where memory is
// short, as many as have few rows to be looked up.
std::vector<std::vector<std::uint32_t>> Histograms::batches(const std::vector<std::uint32_t>& columns,
                                                            const std::vector<Coarse>& coarse) const {
    if (!shared_.in_order) return {columns};
    constexpr std::size_t most = std::size_t{1} << 19;
    std::vector<std::vector<std::uint32_t>> made;
    std::size_t sum = 0;
    for (const auto j : columns) {
        const Look& look = coarse[j].look;
        const std::size_t own = look.open() ? rows_in(look, look.wanted()) : 0;
        if (made.empty() || sum + own > most) made.emplace_back(), sum = 0;
        made.back().push_back(j);
        sum += own;
    }
    return made;
}

// The rows of all marked bins, in one pass over the node's records.
void Histograms::gather_all(const NodeRows& at_node, const std::vector<std::uint32_t>& columns,
                            std::vector<Coarse>& coarse) const {
    std::vector<std::uint32_t> open;
    std::vector<Wanted> wanted;
    for (const auto j : columns) {
        const Look& look = coarse[j].look;
        if (!look.open()) continue;
        coarse[j].fresh = shared_.order != nullptr ? shared_.order->unknown(j, look.wanted()) : look.wanted();
        if (std::ranges::find(coarse[j].fresh, 1) == coarse[j].fresh.end()) continue;
        open.push_back(j);
        wanted.push_back(coarse[j].fresh);
    }
    if (open.empty()) return;
    const std::size_t n = at_node.size();
    const std::size_t parts = many_threads(at_node) ? 4 * static_cast<std::size_t>(shared_.pool.size()) : 1;
    std::vector<std::vector<std::vector<FineItem>>> items(parts,
                                                          std::vector<std::vector<FineItem>>(open.size()));
    const auto part = [&](std::size_t p) {
        for (std::size_t k = 0; k < open.size(); ++k)  // about as many lie in every part
            items[p][k].reserve(std::min(n, rows_in(coarse[open[k]].look, wanted[k]) + n / 256) / parts);
        gather(shared_.rows, at_node.segment, n * p / parts, n * (p + 1) / parts, open, wanted, items[p]);
        for (std::size_t k = 0; k < open.size() && !shared_.in_order; ++k)
            look_up(shared_.rows, open[k], items[p][k]);
    };
    if (parts > 1)
        shared_.pool.run(static_cast<std::int64_t>(parts),
                         [&](std::int64_t p, int) { part(static_cast<std::size_t>(p)); });
    else
        part(0);
    for (std::size_t k = 0; k < open.size(); ++k) {
        auto& all = coarse[open[k]].items;
        if (parts == 1) {
            all = std::move(items[0][k]);
            continue;
        }
        std::size_t size = 0;
        for (const auto& p : items) size += p[k].size();
        all.reserve(size);
        for (auto& p : items) {
            all.insert(all.end(), p[k].begin(), p[k].end());
            std::vector<FineItem>().swap(p[k]);  // of a large table these take most of the memory
        }
    }
}

// Calls work(column, scratch) for some columns: here, or by all threads.
template <class Work>
void Histograms::each(const NodeRows& at_node, const std::vector<std::uint32_t>& columns, const Work& work) {
    if (many_threads(at_node)) {
        shared_.pool.run(static_cast<std::int64_t>(columns.size()), [&](std::int64_t i, int t) {
            work(columns[static_cast<std::size_t>(i)], shared_.scratch[static_cast<std::size_t>(t)]);
        });
        return;
    }
    for (const auto j : columns) {
        shared_.pool.check(thread_);
        work(j, scratch());
    }
}

std::vector<Candidate> Histograms::candidates(const NodeRows& at_node, const Node& node) {
    const Growth& growth = shared_.growth;
    const std::uint32_t d = shared_.rows.frame().n_columns();
    std::vector<Candidate> found(d);
    std::vector<Coarse> coarse(d);
    std::vector<std::uint32_t> columns = columns_but(at_node.banned, d);
    const auto first = [&](std::uint32_t j, Scratch& s) {
        first_look(at_node, node, j, s, found[j], coarse[j]);
    };
    if (growth.draws(d)) {
        const auto varies = [&](std::uint32_t j) {
            if (!at_node.banned.empty() && at_node.banned[j]) return false;
            first(j, scratch());
            return !coarse[j].constant;
        };
        std::vector<std::uint32_t> order;
        draw_columns(node.key, d, growth.max_features, varies, order, columns);
    } else {
        each(at_node, columns, first);
    }
    // Ratios, prices and recorded tables need every column's own best, or of those near the best; a plain
    // gain only the overall best. No column needs what does not beat its own best between bins.
    const Shape shape = node.judge->shape();
    const Count* const tally = node.judge->node();
    const bool own = !growth.largest_wins() || growth.records_all(shape, tally, node.unit);
    double floor = nothing;
    const auto weight = static_cast<double>(node.judge->weight());
    for (const auto j : columns) floor = std::max(floor, found[j].net(weight));
    if (growth.records(shape, tally, node.unit)) floor = Growth::near(floor);
    std::vector<std::uint32_t> pending = columns;
    std::erase_if(pending, [&](std::uint32_t j) { return !coarse[j].pending; });
    each(at_node, pending, [&](std::uint32_t j, Scratch&) {
        coarse[j].look.mark(node, growth, own ? found[j].decrease : std::max(floor, found[j].decrease),
                            shared_.rows.weighted());
    });
    // What stays below the floor, by more than rounding can tell, is neither chosen nor recorded.
    if (!own && floor > 0)
        std::erase_if(pending, [&](std::uint32_t j) {
            const Look& look = coarse[j].look;
            return !look.open() && look.decrease() < floor * (1 - 1e-9);
        });
    for (const auto& some : batches(pending, coarse)) {
        gather_all(at_node, some, coarse);
        each(at_node, some,
             [&](std::uint32_t j, Scratch& s) { found[j] = second_look(at_node, node, j, s, coarse[j]); });
    }
    std::vector<Candidate> result;
    for (const auto j : columns)
        if (found[j].found) result.push_back(std::move(found[j]));
    return result;
}

void Histograms::locate(const NodeRows& at_node, Candidate& c) const {
    if (!c.at_edge) return;
    c.gaps = {neighbours(shared_.rows, at_node.segment, static_cast<std::uint32_t>(c.column),
                         c.edge_codes.first, c.edge_codes.second)};
    c.at_edge = false;
}

}  // namespace bosco
