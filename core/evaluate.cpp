#include "evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "bound.hpp"
#include "random.hpp"

namespace bosco {

namespace {

// Positions of cuts along a column: those inside bin i come before the edge after it.
constexpr std::uint64_t bin_step = std::uint64_t{1} << 32;
constexpr std::uint64_t after_bin = bin_step - 1;

}  // namespace

struct Evaluator::Coarse {
    bool pending = false;
    bool constant = true;
    Table table;
    std::vector<double> squares;
    CutBest best;
    double offset = 0;  // what the missing rows' own branch adds to the decrease of every cut
    Wanted wanted;      // bins to look into
    Wanted fresh;       // of those, the ones whose rows must be gathered
    bool open = false;
    std::vector<FineItem> items;
};

void Evaluator::first_look(Segment segment, const Node& node, std::uint32_t column,
                           const std::uint64_t* histogram, Scratch& scratch, Candidate& candidate,
                           Coarse& coarse) const {
    const Column& c = rows_.frame().column(column);
    const auto number = static_cast<int>(column);
    const bool bounded = boundable(c, segment.n);
    Table& table = bounded ? coarse.table : scratch.table;
    const Table* exact = &table;
    const bool random = c.coarse && growth_.random_cuts;
    if (c.coarse && !bounded && !random) {
        refine(rows_, segment, column, scratch.fine);
        exact = &scratch.fine.table;
    } else if (histogram != nullptr) {
        read_table(rows_, layout_, column, histogram, table, bounded ? &coarse.squares : nullptr);
    } else if (bounded || random || c.n_codes / 4 < segment.n) {
        scratch.histogram.resize(layout_.size());
        tabulate(rows_, layout_, segment, {&column, 1}, scratch.histogram.data());
        read_table(rows_, layout_, column, scratch.histogram.data(), table,
                   bounded ? &coarse.squares : nullptr);
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
        const Trial trial(table, node, growth_, number);
        scan_cuts(trial, 0, table.size(), nullptr, after_bin, bin_step, coarse.best);
        scan_known_against_missing(trial, table.total().data(),
                                   static_cast<std::uint64_t>(table.size()) * bin_step, coarse.best);
        candidate.column = number;
        coarse.offset = trial.offset();
        candidate.decrease = coarse.best.decrease + coarse.offset;
        return;
    }
    candidate = propose(*exact, node, growth_, number, c.ordered());
    const bool learns = exact->any_missing() && growth_.missing == Missing::learn;
    coarse.constant = exact->size() + (learns ? 1 : 0) < 2;
}

// Marks the bins whose bound could beat or equal `floor`.
void Evaluator::mark(const Node& node, std::uint32_t column, double floor, Coarse& coarse, int depth,
                     Refined& refined) const {
    const Table& table = coarse.table;
    const Shape shape = table.shape;
    const int slots = shape.slots();
    const Trial trial(table, node, growth_, static_cast<int>(column));
    // Slack for rounding; where the offset is a difference of purities, theirs counts too.
    const double slack =
        1e-11 * std::abs(floor) + (coarse.offset != 0 ? 1e-13 * std::abs(node.judge->node_purity()) : 0);
    const double least = floor - coarse.offset - slack;
    coarse.wanted.assign(256, 0);
    std::vector<Count> left(static_cast<std::size_t>(slots), 0), with(left);
    Count cells = 0, all = 0;
    for (int i = 0; i < table.size(); ++i) {
        const Count* bin = table.cell(i);
        const double squares = coarse.squares[static_cast<std::size_t>(i)];
        const Count weight = shape.weight(bin);
        const bool many = rows_.weighted() || weight > 1;
        bool open = false;
        for (int v = 0; many && !open && v < (trial.absent == Absent::none ? 1 : 2); ++v) {
            with = left;
            if (v == 1) add(with.data(), trial.missing(), slots);
            open = bound_inside(trial.judge(), with.data(), bin, squares) >= least &&
                   bound_inside_closely(trial.judge(), with.data(), bin, squares) >= least;
        }
        if (open) {
            coarse.wanted[table.codes[static_cast<std::size_t>(i)]] = 1;
            coarse.open = true;
            cells += weight;
        }
        all += weight;
        add(left.data(), bin, slots);
    }
    if (rows_.weighted()) return;
    const auto d = static_cast<std::size_t>(std::min(depth, Refined::depths - 1));
    refined.cells[d].fetch_add(all, std::memory_order_relaxed);
    refined.refined[d].fetch_add(cells, std::memory_order_relaxed);
}

void Evaluator::second_look(Segment segment, const Node& node, std::uint32_t column, Scratch& scratch,
                            Candidate& candidate, Coarse& coarse) const {
    const Table& table = coarse.table;
    const Shape shape = table.shape;
    const int slots = shape.slots();
    const auto number = static_cast<int>(column);
    const Trial trial(table, node, growth_, number);
    std::vector<Count> left(static_cast<std::size_t>(slots), 0);
    CutBest best = coarse.best;
    std::vector<Count> best_left;  // known rows left of the best inner cut
    std::pair<double, double> gap;
    // Rows in remembered order, all of them known: their cuts need no table.
    const bool direct =
        order_ != nullptr && trial.absent == Absent::none && shape.classes > 0 && !shape.apart;
    if (coarse.open && direct) {
        order_->keep(column, coarse.fresh, coarse.items);
        const Target& target = rows_.target();
        std::vector<Count> here;
        for (int i = 0; i < table.size(); ++i) {
            const std::uint32_t code = table.codes[static_cast<std::size_t>(i)];
            if (coarse.wanted[code]) {
                here = left;
                int entry = 0;
                const auto items = order_->items(column, code);
                for (std::size_t k = 0; k + 1 < items.size(); ++k) {
                    here[target.classes[items[k].index]] += target.weight_at(items[k].index);
                    if (items[k].value == items[k + 1].value) continue;
                    const double d = trial.score(here.data(), best.decrease);
                    const std::uint64_t position = static_cast<std::uint64_t>(i) * bin_step;
                    if (best.take(d, position + static_cast<std::uint64_t>(entry), entry, false)) {
                        best_left = here;
                        gap = {items[k].value, items[k + 1].value};
                    }
                    ++entry;
                }
            }
            add(left.data(), table.cell(i), slots);
        }
    } else if (coarse.open) {
        scratch.fine.table.reset(shape);
        scratch.fine.table.missing = table.missing;
        if (order_ != nullptr) {
            order_->keep(column, coarse.fresh, coarse.items);
            order_->fill(rows_, segment, column, coarse.wanted, scratch.fine);
        } else {
            build_fine(rows_, segment, coarse.items, scratch.fine);
        }
        const Table& fine = scratch.fine.table;
        const Trial inner(fine, node, growth_, number);
        int entry = 0;
        for (int i = 0; i < table.size(); ++i) {
            const std::uint32_t code = table.codes[static_cast<std::size_t>(i)];
            if (coarse.wanted[code]) {
                int end = entry;
                while (end < fine.size() && scratch.fine.bin[static_cast<std::size_t>(end)] == code) ++end;
                const std::uint64_t before = best.position;
                scan_cuts(inner, entry, end, left.data(), static_cast<std::uint64_t>(i) * bin_step, 1, best);
                if (best.position != before) {
                    best_left = left;
                    for (int k = entry; k <= best.at; ++k) add(best_left.data(), fine.cell(k), slots);
                    const auto at = static_cast<std::size_t>(best.at);
                    gap = {fine.values[at], fine.values[at + 1]};
                }
                entry = end;
            }
            add(left.data(), table.cell(i), slots);
        }
    }
    candidate = Candidate{};
    candidate.column = number;
    if (best.at < 0) return;
    candidate.kind = TestKind::cut;
    std::vector<Count> known = table.total();
    if (best_left.empty()) {  // a cut between bins
        best_left.assign(static_cast<std::size_t>(slots), 0);
        for (int i = 0; i <= best.at; ++i) add(best_left.data(), table.cell(i), slots);
        const auto at = static_cast<std::size_t>(best.at);
        if (best.at == table.size() - 1) {
            gap = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        } else {
            candidate.at_edge = true;
            candidate.edge_codes = {table.codes[at], table.codes[at + 1]};
        }
    }
    candidate.gaps = {gap};
    subtract(known.data(), best_left.data(), slots);
    const int chosen = trial.absent == Absent::none ? -1 : (best.missing_left ? 0 : 1);
    trial.settle(candidate, {best_left.data(), known.data()}, chosen);
}

// The rows of all marked bins, in one pass over the node's records.
void Evaluator::gather_all(Segment segment, const std::vector<std::uint32_t>& columns,
                           std::vector<Coarse>& coarse, Pool& pool, bool share_out) const {
    std::vector<std::uint32_t> open;
    std::vector<Wanted> wanted;
    for (const auto j : columns) {
        if (!coarse[j].open) continue;
        coarse[j].fresh = order_ != nullptr ? order_->unknown(j, coarse[j].wanted) : coarse[j].wanted;
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
        mark(node, j, own ? found[j].decrease : floor, coarse[j], depth, refined);
    });
    gather_all(segment, columns, coarse, pool, share_out);
    each([&](std::uint32_t j, Scratch& s) { second_look(segment, node, j, s, found[j], coarse[j]); });
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
