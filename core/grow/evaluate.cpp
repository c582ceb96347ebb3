#include "grow/evaluate.hpp"

#include <algorithm>

#include "data/random.hpp"

namespace bosco {

struct Evaluator::Coarse {
    bool pending = false;
    bool constant = true;
    Look look;
    Wanted fresh;  // of the marked bins, the ones whose rows must be gathered
    std::vector<FineItem> items;
};

void Evaluator::first_look(Segment segment, const Node& node, std::uint32_t column,
                           const std::uint64_t* histogram, Scratch& scratch, Candidate& candidate,
                           Coarse& coarse) const {
    const Column& c = rows_.frame().column(column);
    const auto number = static_cast<int>(column);
    const bool bounded = boundable(c, segment.n);
    Table& table = bounded ? coarse.look.table : scratch.table;
    const Table* exact = &table;
    const bool random = c.coarse && growth_.random_cuts;
    if (c.coarse && !bounded && !random) {
        refine(rows_, segment, column, scratch.fine);
        exact = &scratch.fine.table;
    } else if (histogram != nullptr) {
        read_table(rows_, layout_, column, histogram, table, bounded ? &coarse.look.squares : nullptr);
    } else if (bounded || random || c.n_codes / 4 < segment.n) {
        scratch.histogram.resize(layout_.size());
        tabulate(rows_, layout_, segment, {&column, 1}, scratch.histogram.data());
        read_table(rows_, layout_, column, scratch.histogram.data(), table,
                   bounded ? &coarse.look.squares : nullptr);
    } else {
        count_table(rows_, segment, column, table);
    }
    if (random) {
        refine_random(rows_, segment, table, column, node, scratch.fine.table);
        exact = &scratch.fine.table;
    } else if (bounded && table.size() < 2) {
        refine(rows_, segment, column, scratch.fine);
        exact = &scratch.fine.table;
    } else if (bounded) {
        coarse.pending = true;
        coarse.constant = false;
        coarse.look.between(node, growth_, column);
        candidate.column = number;
        candidate.decrease = coarse.look.decrease();
        return;
    }
    candidate = propose(*exact, node, growth_, number, c.ordered());
    const bool learns = exact->any_missing() && growth_.missing == Missing::learn;
    coarse.constant = exact->size() + (learns ? 1 : 0) < 2;
}

// Marks the bins whose bound could beat or equal `floor`.
void Evaluator::mark(const Node& node, double floor, Coarse& coarse, int depth, Refined& refined) const {
    const auto [all, marked] = coarse.look.mark(node, growth_, floor, rows_.weighted());
    if (rows_.weighted()) return;
    const auto d = static_cast<std::size_t>(std::min(depth, Refined::depths - 1));
    refined.cells[d].fetch_add(all, std::memory_order_relaxed);
    refined.refined[d].fetch_add(marked, std::memory_order_relaxed);
}

Candidate Evaluator::second_look(Segment segment, const Node& node, std::uint32_t column, Scratch& scratch,
                                 Coarse& coarse) const {
    Look& look = coarse.look;
    if (!look.open()) return look.settle(node, growth_);
    if (order_ != nullptr) order_->keep(column, coarse.fresh, coarse.items);
    const Shape shape = rows_.shape();
    if (order_ != nullptr && !look.table.any_missing() && shape.classes > 0 && !shape.apart) {
        const Target& target = rows_.target();
        look.into(
            node, growth_, [&](std::uint32_t code) { return order_->items(column, code); },
            [&](const BinOrder::Item& item, Count* tally) {
                tally[target.classes[item.index]] += target.weight_at(item.index);
            });
        return look.settle(node, growth_);
    }
    scratch.fine.table.reset(shape);
    scratch.fine.table.missing = look.table.missing;
    if (order_ != nullptr)
        order_->fill(rows_, segment, column, look.wanted(), scratch.fine);
    else
        build_fine(rows_, segment, coarse.items, scratch.fine);
    look.into(node, growth_, scratch.fine);
    return look.settle(node, growth_);
}

// The rows of all marked bins, in one pass over the node's records.
void Evaluator::gather_all(Segment segment, const std::vector<std::uint32_t>& columns,
                           std::vector<Coarse>& coarse, Pool& pool, bool share_out) const {
    std::vector<std::uint32_t> open;
    std::vector<Wanted> wanted;
    for (const auto j : columns) {
        const Look& look = coarse[j].look;
        if (!look.open()) continue;
        coarse[j].fresh = order_ != nullptr ? order_->unknown(j, look.wanted()) : look.wanted();
        if (std::find(coarse[j].fresh.begin(), coarse[j].fresh.end(), 1) == coarse[j].fresh.end()) continue;
        open.push_back(j);
        wanted.push_back(coarse[j].fresh);
    }
    if (open.empty()) return;
    const bool several = share_out && segment.n > tuning_.parallel_rows;
    const std::size_t parts = several ? 4 * static_cast<std::size_t>(pool.size()) : 1;
    std::vector<std::vector<std::vector<FineItem>>> items(parts,
                                                          std::vector<std::vector<FineItem>>(open.size()));
    const auto part = [&](std::size_t p) {
        gather(rows_, segment, segment.n * p / parts, segment.n * (p + 1) / parts, open, wanted, items[p]);
    };
    if (several)
        pool.run(static_cast<std::int64_t>(parts),
                 [&](std::int64_t p, int) { part(static_cast<std::size_t>(p)); });
    else
        part(0);
    for (std::size_t k = 0; k < open.size(); ++k) {
        auto& all = coarse[open[k]].items;
        for (auto& p : items) all.insert(all.end(), p[k].begin(), p[k].end());
    }
}

std::vector<Candidate> Evaluator::candidates(Segment segment, const Node& node, int depth,
                                             const std::vector<char>& banned, const std::uint64_t* histogram,
                                             Pool& pool, bool share_out, std::vector<Scratch>& scratch,
                                             int thread, Refined& refined) const {
    const std::uint32_t d = rows_.frame().n_columns();
    std::vector<Candidate> found(d);
    std::vector<Coarse> coarse(d);
    std::vector<std::uint32_t> columns;
    const auto each = [&](const auto& work) {
        if (share_out && segment.n > tuning_.parallel_rows) {
            pool.run(static_cast<std::int64_t>(columns.size()), [&](std::int64_t i, int t) {
                work(columns[static_cast<std::size_t>(i)], scratch[static_cast<std::size_t>(t)]);
            });
        } else {
            for (const auto j : columns) {
                pool.check(thread);
                work(j, scratch[static_cast<std::size_t>(thread)]);
            }
        }
    };
    const auto first = [&](std::uint32_t j, Scratch& s) {
        first_look(segment, node, j, histogram, s, found[j], coarse[j]);
    };
    if (growth_.max_features >= 0 && static_cast<std::uint32_t>(growth_.max_features) < d) {
        std::vector<std::uint32_t> order;
        Shuffle shuffle(node.key, d, order);
        for (int seen = 0; seen < growth_.max_features && !shuffle.done();) {
            const std::uint32_t j = shuffle.next();
            if (!banned.empty() && banned[j]) continue;
            first(j, scratch[static_cast<std::size_t>(thread)]);
            columns.push_back(j);
            if (!coarse[j].constant) ++seen;
        }
        std::sort(columns.begin(), columns.end());
    } else {
        for (std::uint32_t j = 0; j < d; ++j)
            if (banned.empty() || !banned[j]) columns.push_back(j);
        each(first);
    }
    // Ratios and recorded tables need every column's own best; a plain gain only the overall best.
    const bool own =
        growth_.score != Score::gain || growth_.records(node.judge->shape(), node.judge->node(), node.unit);
    double floor = nothing;
    const auto weight = static_cast<double>(node.judge->weight());
    for (const auto j : columns) floor = std::max(floor, found[j].net(weight));
    std::vector<std::uint32_t> all = columns;
    std::erase_if(columns, [&](std::uint32_t j) { return !coarse[j].pending; });
    each([&](std::uint32_t j, Scratch&) {
        mark(node, own ? found[j].decrease : floor, coarse[j], depth, refined);
    });
    gather_all(segment, columns, coarse, pool, share_out);
    each([&](std::uint32_t j, Scratch& s) { found[j] = second_look(segment, node, j, s, coarse[j]); });
    std::vector<Candidate> result;
    for (const auto j : all)
        if (found[j].found) result.push_back(std::move(found[j]));
    return result;
}

void Evaluator::locate(Segment segment, Candidate& c) const {
    if (!c.at_edge) return;
    c.gaps = {neighbours(rows_, segment, static_cast<std::uint32_t>(c.column), c.edge_codes.first,
                         c.edge_codes.second)};
    c.at_edge = false;
}

}  // namespace bosco
