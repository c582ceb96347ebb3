// Records of rows: tables, fine tables and partitions against plain loops over the data.
#include "grow/rows.hpp"

#include <map>
#include <numeric>

#include "check.hpp"
#include "data.hpp"
#include "grow/refine.hpp"
#include "grow/tabulate.hpp"
#include "grow/verbs.hpp"

namespace bosco::check {
namespace {

// A coarse numeric column (12 bins), a nominal one, a dense one; each with missing values.
struct Sample {
    std::size_t n;
    std::vector<double> x, dense;
    std::vector<std::uint8_t> level;
    Data data;
    Goal goal;
    Target target;

    Sample(std::size_t n_, int n_classes, bool weighted, bool counted) : n(n_), data(n_) {
        Draws draws(21);
        for (std::size_t i = 0; i < n; ++i) {
            x.push_back(draws.below(10) == 0 ? none : std::floor(draws.real() * 200) / 8);
            dense.push_back(draws.below(10) == 0 ? none : static_cast<double>(draws.below(5)));
            level.push_back(static_cast<std::uint8_t>(draws.below(5)));
            if (n_classes > 0)
                goal.classes.push_back(static_cast<std::uint32_t>(draws.below(n_classes)));
            else
                goal.y.push_back(draws.below(1000) - 500);
            if (weighted) goal.weight.push_back(1 + draws.below(7));
            if (counted) goal.count.push_back(1);
        }
        goal.n_classes = n_classes;
        data.numeric(x).nominal(level, 4).numeric(dense).encode(12);
        target = goal.target();
    }
    Sample(const Sample&) = delete;
};

template <class Act>
void each_kind(Act act) {
    for (const int n_classes : {0, 2, 3})
        for (const bool weighted : {false, true})
            for (const bool counted : {false, true}) {
                const Sample s(1500, n_classes, weighted, counted);
                act(s);
            }
}

using Plain = std::map<double, std::vector<Count>>;

// What a table must hold: tallies by value, missing under NaN's stand-in.
constexpr double absent = -1e9;
Plain plain(const Sample& s, const std::vector<double>& values, const std::vector<std::uint32_t>& rows) {
    Plain p;
    for (const auto i : rows) {
        const double v = std::isnan(values[i]) ? absent : values[i];
        auto& cell = p.try_emplace(v, static_cast<std::size_t>(s.target.shape().slots()), 0).first->second;
        s.target.add_row(cell.data(), i, 1);
    }
    return p;
}

Plain read(const Table& t, const std::vector<double>& values) {
    Plain p;
    const auto slots = static_cast<std::size_t>(t.shape.slots());
    if (t.any_missing()) p[absent] = t.missing;
    for (int i = 0; i < t.size(); ++i)
        p[values[static_cast<std::size_t>(i)]] = {t.cell(i), t.cell(i) + slots};
    return p;
}

std::vector<std::uint32_t> all_rows(std::size_t n) {
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
}

std::vector<double> as_doubles(const std::vector<std::uint32_t>& codes) {
    return {codes.begin(), codes.end()};
}

const Test tables{
    "tables by histogram, by sorting and on their own are one table", [] {
        each_kind([](const Sample& s) {
            Pool pool(1);
            Rows rows(s.data.frame(), s.target, false, pool);
            const HistogramLayout layout(rows);
            Histogram h(layout.size(), 77);
            const std::vector<std::uint32_t> columns = {0, 1, 2};
            tabulate(rows, layout, rows.all(), columns, h.data());
            const Plain expected = plain(s, s.dense, all_rows(s.n));
            Table table;
            std::vector<double> squares;
            read_table(rows, layout, 2, h.data(), table, &squares);
            holds(read(table, table.values) == expected);
            equal(squares.size(), table.codes.size());
            count_table(rows, rows.all(), 2, table);
            holds(read(table, table.values) == expected);
            // A part of the rows gives the cells of all codes, column by column.
            Part part(s.data.frame(), s.target, 1, nullptr);
            std::vector<Count> cells;
            std::vector<double> sums;
            part.tabulate(0, cells, sums);
            const auto slots = static_cast<std::size_t>(table.shape.slots());
            std::size_t at = 0;
            for (const std::uint32_t j : {0u, 1u})
                at += (s.data.frame().column(j).n_codes + std::size_t{1}) * slots;
            for (int i = 0; i < table.size(); ++i) {
                const std::size_t code = table.codes[static_cast<std::size_t>(i)];
                holds(std::equal(table.cell(i), table.cell(i) + slots,
                                 cells.begin() + static_cast<std::ptrdiff_t>(at + code * slots)));
            }
            // A nominal column: code 0 is missing.
            std::vector<double> levels;
            for (const auto l : s.level) levels.push_back(l == 0 ? none : l);
            read_table(rows, layout, 1, h.data(), table, nullptr);
            holds(read(table, as_doubles(table.codes)) == plain(s, levels, all_rows(s.n)));
            count_table(rows, rows.all(), 1, table);
            holds(read(table, as_doubles(table.codes)) == plain(s, levels, all_rows(s.n)));
            equal(table.n_codes, 4u);
        });
    }};

const Test subtracted{"the parent's histogram less one child's is the other child's", [] {
                          each_kind([](const Sample& s) {
                              Pool pool(1);
                              Rows rows(s.data.frame(), s.target, false, pool);
                              const HistogramLayout layout(rows);
                              const std::vector<std::uint32_t> columns = {0, 1, 2};
                              Histogram all(layout.size()), part(layout.size()), rest(layout.size());
                              const Segment whole = rows.all();
                              const Segment first{whole.data, 400},
                                  second{whole.data + 400 * rows.stride(), whole.n - 400};
                              tabulate(rows, layout, whole, columns, all.data());
                              tabulate(rows, layout, first, columns, part.data());
                              tabulate(rows, layout, second, columns, rest.data());
                              for (const auto j : columns) {
                                  subtract(layout, s.data.frame(), j, all.data(), part.data());
                                  Table a, b;
                                  std::vector<double> qa, qb;
                                  read_table(rows, layout, j, all.data(), a, &qa);
                                  read_table(rows, layout, j, rest.data(), b, &qb);
                                  holds(a.codes == b.codes && a.cells == b.cells && a.missing == b.missing);
                                  for (std::size_t i = 0; i < qa.size(); ++i)
                                      near(qa[i], qb[i], 1e-6 * (1 + qb[i]));
                              }
                          });
                      }};

const Test fine{"refine is plain sorting", [] {
                    each_kind([](const Sample& s) {
                        Pool pool(1);
                        Rows rows(s.data.frame(), s.target, false, pool);
                        holds(s.data.frame().column(0).coarse);
                        FineTable f;
                        refine(rows, rows.all(), 0, f);
                        holds(read(f.table, f.table.values) == plain(s, s.x, all_rows(s.n)));
                        holds(std::is_sorted(f.table.values.begin(), f.table.values.end()));
                        holds(std::is_sorted(f.bin.begin(), f.bin.end()));
                        // Two bins only.
                        const Column& c = s.data.frame().column(0);
                        Wanted wanted(256, 0);
                        wanted[3] = wanted[7] = 1;
                        std::vector<std::vector<FineItem>> items(1),
                            more(1);  // two parts, as two threads would
                        gather(rows, rows.all(), 0, 700, {0}, {wanted}, items);
                        gather(rows, rows.all(), 700, s.n, {0}, {wanted}, more);
                        items[0].insert(items[0].end(), more[0].begin(), more[0].end());
                        look_up(rows, 0, items[0]);
                        f.table.reset(rows.shape());
                        build_fine(rows, rows.all(), items[0], f);
                        std::vector<std::uint32_t> chosen;
                        for (const auto i : all_rows(s.n))
                            if (wanted[c.code(i)]) chosen.push_back(i);
                        holds(read(f.table, f.table.values) == plain(s, s.x, chosen));
                        for (std::size_t i = 0; i < f.bin.size(); ++i) holds(wanted[f.bin[i]]);
                        // The same for one bin of a part of the rows.
                        wanted[7] = 0;
                        Part part(s.data.frame(), s.target, 1, nullptr);
                        const FineTable own = part.refine(0, {0}, {wanted})[0];
                        std::erase_if(chosen, [&](auto i) { return c.code(i) != 3; });
                        holds(read(own.table, own.table.values) == plain(s, s.x, chosen));
                    });
                }};

const Test beside{"the values beside a cut between two bins", [] {
                      const Sample s(1500, 2, false, false);
                      Pool pool(1);
                      Rows rows(s.data.frame(), s.target, false, pool);
                      const Column& c = s.data.frame().column(0);
                      for (std::uint32_t low = 1; low < c.n_codes; ++low) {
                          double below = -infinite, above = infinite;
                          for (std::size_t i = 0; i < s.n; ++i) {
                              if (c.code(i) == low) below = std::max(below, s.x[i]);
                              if (c.code(i) == low + 1) above = std::min(above, s.x[i]);
                          }
                          const auto [a, b] = neighbours(rows, rows.all(), 0, low, low + 1);
                          equal(a, below);
                          equal(b, above);
                      }
                  }};

const Test refused{"tables of columns and nodes that are not there", [] {
                       const Sample s(100, 2, false, false);
                       Part part(s.data.frame(), s.target, 1, nullptr);
                       const Wanted wanted(256, 1);
                       throws<Error>([&] { part.refine(0, {3}, {wanted}); });
                       throws<Error>([&] { part.refine(0, {2}, {wanted}); });  // not coarse
                       throws<Error>([&] { part.near(0, 3, 1, 2); });
                       throws<Error>([&] { part.hold(1); });
                   }};

std::vector<std::uint32_t> numbers(const Rows& rows, Segment part) {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < part.n; ++i) out.push_back(Rows::row(part.data + i * rows.stride()));
    return out;
}

void parted(const Sample& s, const bosco::Test& test) {
    Pool pool(1);
    Rows rows(s.data.frame(), s.target, false, pool);
    const Sorter sorter(rows, test, nullptr);
    Room scratch;
    const auto parts = partition(rows, rows.all(), sorter, test.branches, scratch);
    equal(parts.size(), static_cast<std::size_t>(test.branches));
    std::size_t total = 0;
    for (std::size_t b = 0; b < parts.size(); ++b) {
        auto found = numbers(rows, parts[b]);
        total += found.size();
        std::sort(found.begin(), found.end());
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < s.n; ++i) {
            const Column& c = s.data.frame().column(static_cast<std::uint32_t>(test.column));
            const int branch = TestView(test).ask(c, i);
            if ((branch < 0 ? test.missing : branch) == static_cast<int>(b))
                expected.push_back(static_cast<std::uint32_t>(i));
        }
        holds(found == expected);
        // A record keeps its row's codes and target.
        for (std::size_t i = 0; i < parts[b].n; ++i) {
            const std::byte* r = parts[b].data + i * rows.stride();
            equal(rows.code(r, 0), s.data.frame().column(0).code(Rows::row(r)));
            equal(rows.weight(r), s.target.weight_at(Rows::row(r)));
        }
    }
    equal(total, s.n);
}

const Test partitions{"partition sends every record to the branch of its row", [] {
                          each_kind([](const Sample& s) {
                              for (const double t : {-1.0, 0.0, 3.0, 12.0625, 24.0, 99.0}) {
                                  bosco::Test cut;
                                  cut.column = 0;
                                  cut.thresholds = {t};
                                  cut.missing = t > 3 ? 1 : 0;
                                  parted(s, cut);
                                  cut.branches = 3;  // and one branch for the missing rows
                                  cut.missing = 2;
                                  parted(s, cut);
                              }
                              bosco::Test intervals;
                              intervals.column = 0;
                              intervals.branches = 4;
                              intervals.thresholds = {2, 2.0625, 20};
                              parted(s, intervals);
                              bosco::Test map;
                              map.kind = TestKind::map;
                              map.column = 1;
                              map.branches = 3;
                              map.jumps = {2, 1, 0, 1, 2};
                              map.missing = 2;
                              parted(s, map);
                          });
                      }};

const Test edges_as_thresholds{
    "thresholds that are edges of bins", [] {
        const Sample s(1500, 2, false, false);
        for (const double edge : s.data.frame().column(0).values)
            for (const double t : {edge, std::nextafter(edge, -infinite), std::nextafter(edge, infinite)}) {
                bosco::Test cut;
                cut.column = 0;
                cut.thresholds = {t};
                parted(s, cut);
            }
    }};

const Test surrogate_rows{
    "a row missing in the test asks the surrogates in turn", [] {
        Data d(4);
        d.numeric({none, none, none, 1}).numeric({5, none, none, 5}).nominal({1, 2, 0, 1}, 2).encode();
        const Goal goal = classes({0, 1, 0, 1}, 2);
        const Target target = goal.target();
        bosco::Test test, first, second;
        test.column = 0;
        test.thresholds = {3};
        first.column = 1;
        first.thresholds = {2};
        first.flip = true;
        second.kind = TestKind::map;
        second.column = 2;
        second.jumps = {0, 0, 1};
        const std::vector<bosco::Test> surrogates = {first, second};
        Pool pool(1);
        Rows rows(d.frame(), target, false, pool);
        const Sorter sorter(rows, test, &surrogates);
        const Segment all = rows.all();
        std::vector<int> branches;
        for (std::size_t i = 0; i < 4; ++i) branches.push_back(sorter.branch(all.data + i * rows.stride()));
        equal(branches, std::vector<int>{0, 1, 0, 0});  // flipped cut; map; majority; itself
    }};

const Test shares{"shares of a missing row add up, rounding goes to the heaviest", [] {
                      Data d(5);
                      d.numeric({1, 2, 2, 3, none}).encode();
                      Goal goal = reals({10, 20, 30, 40, 50});
                      goal.weight = {1, 1, 1, 1, 3};
                      const Target target = goal.target();
                      Pool pool(1);
                      Rows rows(d.frame(), target, true, pool);
                      bosco::Test test;
                      test.column = 0;
                      test.branches = 3;
                      test.thresholds = {1.5, 2.5};
                      test.missing = by_share;
                      Pages owner;
                      std::vector<Count> known;
                      const auto parts =
                          partition_shares(rows, rows.all(), Sorter(rows, test, nullptr), 3, owner, known);
                      const Count one = Count{1} << share_bits;
                      equal(known, std::vector<Count>{one, 2 * one, one});
                      equal(numbers(rows, parts[0]), std::vector<std::uint32_t>{0, 4});
                      equal(numbers(rows, parts[1]), std::vector<std::uint32_t>{1, 2, 4});
                      equal(numbers(rows, parts[2]), std::vector<std::uint32_t>{3, 4});
                      const std::byte* shared = parts[1].data + 2 * rows.stride();
                      equal(rows.share(shared), one / 2);
                      equal(rows.weight(shared), 3 * one / 2);
                      equal(rows.sum(shared), 3 * one / 2 * 50);
                      // A third each does not divide evenly: the lowest of the heaviest gets the rest.
                      bosco::Test two = test;
                      two.thresholds = {1.5, 2.0};
                      const Holding h = holding(rows, parts[1]);
                      equal(h.tally[0], 2 * one + 3 * one / 2);
                      Count total = 0;
                      for (const auto& p : parts) total += holding(rows, p).tally[0];
                      equal(total, 7 * one);
                  }};

const Test holdings{"what a node holds", [] {
                        Data d(3);
                        d.numeric({1, 2, 3}).encode();
                        Pool pool(1);
                        const Goal goal = reals({-3, 5, 5});
                        const Target target = goal.target();
                        Rows rows(d.frame(), target, false, pool);
                        Holding h = holding(rows, rows.all());
                        equal(h.tally, std::vector<Count>{3, 7});
                        holds(h.squares == 59 && !h.pure);
                        h = holding(rows, {rows.all().data + rows.stride(), 2});
                        holds(h.pure && h.squares == 50);
                    }};

}  // namespace
}  // namespace bosco::check
