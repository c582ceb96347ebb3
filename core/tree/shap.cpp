#include "tree/shap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "data/error.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 256;
constexpr std::size_t most_tabled = 8;  // columns on a path whose cases are worked out beforehand
constexpr std::size_t long_path = 16;   // columns on a path from which on work and memory are limited
constexpr std::size_t most_in_long_paths = std::size_t{1} << 21;  // of columns on all longer ones: memory
constexpr double most_work = 0x1p40;  // columns times points times rows, of all longer ones: some minutes

// All that a path asks of one column.
struct Demand {
    std::uint32_t column = 0;
    double low = -std::numeric_limits<double>::infinity();  // low < x <= high
    double high = std::numeric_limits<double>::infinity();
    bool unbounded_below = true;
    bool missing = true;
    std::vector<char> levels;  // a nominal column: by code
    double share = 1;          // z: the training weight that it lets through
};

struct Leaf {
    std::int32_t node = 0;
    std::vector<Demand> demands;
    std::vector<double> table;  // (i * cases + case), value left out; empty: too many cases
};

// Shapley's weight of a set T of the m columns of a path, |T|! (m - |T| - 1)! / m!, is the integral of
// t^|T| (1 - t)^(m - |T| - 1) from 0 to 1, so the sum over the sets of the other columns is that of one
// product: a polynomial of degree m - 1, for which n points of Gauss do up to degree 2 n - 1, exactly but for
// rounding.
// As many points as do for a path of m columns, rounded up by at most a quarter: paths of many lengths share
// few rules, for making a rule costs the square of its points.
std::size_t n_points(std::size_t m) {
    const std::size_t least = (m + 1) / 2, step = std::max<std::size_t>(1, std::bit_floor(least) / 4);
    return (least + step - 1) / step * step;
}

// Gauss's points and weights from 0 to 1: the zeros of Legendre's polynomial, by Newton's method.
struct Points {
    std::vector<double> at, weight;

    explicit Points(std::size_t n_points) : at(n_points), weight(n_points) {
        const auto n = static_cast<double>(at.size());
        for (std::size_t q = 0; q < at.size(); ++q) {
            double x = std::cos(std::numbers::pi * (static_cast<double>(q) + 0.75) / (n + 0.5)), slope = 1;
            for (int round = 0; round < 10; ++round) {
                double before = 1, here = x;
                for (double k = 2; k <= n; ++k)
                    before = std::exchange(here, ((2 * k - 1) * x * here - (k - 1) * before) / k);
                slope = n * (x * here - before) / (x * x - 1);
                x -= here / slope;
            }
            at[q] = (1 - x) / 2;
            weight[q] = 1 / ((1 - x * x) * slope * slope);
        }
    }
};

// Those of four, to the last bit: they do for all paths that are tabled.
constexpr double points_4[] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                               0.9305681557970262};
constexpr double weights_4[] = {0.17392742256872679, 0.3260725774312732, 0.3260725774312732,
                                0.17392742256872679};
static_assert(most_tabled <= 2 * std::size(points_4));

// The sums of column i for every case of the other columns.
std::array<double, std::size_t{1} << (most_tabled - 1)> sums_over_sets(const Leaf& leaf, std::size_t i) {
    std::array<double, std::size_t{1} << (most_tabled - 1)> sums{}, product{};
    for (std::size_t q = 0; q < std::size(points_4); ++q) {
        std::size_t cases = 1;
        product[0] = weights_4[q];
        for (std::size_t j = 0; j < leaf.demands.size(); ++j) {
            if (j == i) continue;
            const double failed = leaf.demands[j].share * (1 - points_4[q]), passed = failed + points_4[q];
            for (std::size_t c = 0; c < cases; ++c) {
                product[cases + c] = product[c] * passed;
                product[c] *= failed;
            }
            cases *= 2;
        }
        for (std::size_t c = 0; c < cases; ++c) sums[c] += product[c];
    }
    return sums;
}

// The weights of every column of a longer path, row by row: part[j * block_rows + i]. met[j * block_rows +
// i]: whether row i meets demand j.
void weights_by_points(const Leaf& leaf, const Points& points, const std::vector<std::uint8_t>& met,
                       std::size_t n, std::vector<double>& before, double* part) {
    const std::size_t m = leaf.demands.size();
    before.resize(std::max(before.size(), m * block_rows));
    double after[block_rows];
    std::fill_n(part, m * block_rows, 0.0);
    for (std::size_t q = 0; q < points.at.size(); ++q) {
        const auto factor = [&](std::size_t j, std::size_t i) {
            return leaf.demands[j].share * (1 - points.at[q]) + points.at[q] * met[j * block_rows + i];
        };
        std::fill_n(before.data(), n, points.weight[q]);
        for (std::size_t j = 0; j + 1 < m; ++j)
            for (std::size_t i = 0; i < n; ++i)
                before[(j + 1) * block_rows + i] = before[j * block_rows + i] * factor(j, i);
        std::fill_n(after, n, 1.0);
        for (std::size_t j = m; j-- > 0;)
            for (std::size_t i = 0; i < n; ++i) {
                part[j * block_rows + i] += before[j * block_rows + i] * after[i];
                after[i] *= factor(j, i);
            }
    }
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = 0; i < n; ++i)
            part[j * block_rows + i] *= met[j * block_rows + i] - leaf.demands[j].share;
}

void narrow(Demand& d, const TestView& test, std::int32_t branch) {
    if (test.missing != branch) d.missing = false;
    if (test.kind == TestKind::map) {
        d.levels.resize(test.jumps.size(), 1);
        for (std::uint32_t code = 1; code < test.jumps.size(); ++code)
            if (test.ask(code) != branch) d.levels[code] = 0;
        return;
    }
    const auto t = test.thresholds;
    const auto cuts = static_cast<std::int32_t>(t.size());
    if (branch > cuts) {  // the branch of missing values alone
        d.low = d.high = std::numeric_limits<double>::infinity();
        d.unbounded_below = false;
        return;
    }
    if (branch > 0 && (d.unbounded_below || t[branch - 1] > d.low))
        d.low = t[branch - 1], d.unbounded_below = false;
    if (branch < cuts) d.high = std::min(d.high, t[branch]);
}

// What the path to a leaf asks.
std::vector<Demand> demands_of(const Tree& tree, std::int32_t leaf) {
    std::vector<Demand> demands;
    for (std::int32_t at = leaf; at != 0;) {
        const std::int32_t up = tree.parent[at];
        const TestView test = tree.tests[tree.test[up]];
        if (test.missing < 0)
            throw Error("contributions are not defined where missing values go down all branches");
        const auto column = static_cast<std::uint32_t>(test.column);
        auto d = std::ranges::find(demands, column, &Demand::column);
        if (d == demands.end()) {
            demands.emplace_back();
            d = demands.end() - 1;
            d->column = column;
        }
        narrow(*d, test, at - tree.first_child[up]);
        const auto above = static_cast<double>(tree.known[up]);
        // No row came there: none goes on.
        d->share *= above > 0 ? static_cast<double>(tree.known[at]) / above : 0;
        at = up;
    }
    return demands;
}

// Works out all cases of a leaf behind few columns.
void tabulate(Leaf& leaf) {
    const std::size_t m = leaf.demands.size(), cases = std::size_t{1} << m;
    leaf.table.resize(m * cases);
    for (std::size_t k = 0; k < m; ++k) {
        const auto sums = sums_over_sets(leaf, k);
        const double share = leaf.demands[k].share;
        const std::size_t below = (std::size_t{1} << k) - 1;
        for (std::size_t others = 0; others < cases / 2; ++others) {
            const std::size_t passed = (others & below) | (others & ~below) << 1;
            leaf.table[k * cases + passed] = sums[others] * (0 - share);
            leaf.table[k * cases + (passed | std::size_t{1} << k)] = sums[others] * (1 - share);
        }
    }
}

std::vector<Leaf> leaves_of(const Tree& tree) {
    if (tree.surrogates.size() > 0) throw Error("contributions are not defined where surrogates decide");
    std::vector<Leaf> leaves;
    std::size_t in_long_paths = 0;
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (!tree.leaf(i)) continue;
        Leaf leaf{i, demands_of(tree, i), {}};
        const std::size_t m = leaf.demands.size();
        if (m > long_path && (in_long_paths += m) > most_in_long_paths)
            throw Error("too many leaves lie too deep: the columns on the paths to leaves behind more than " +
                        std::to_string(long_path) + " columns are more than " +
                        std::to_string(most_in_long_paths) + " together");
        if (m <= most_tabled) tabulate(leaf);
        leaves.push_back(std::move(leaf));
    }
    return leaves;
}

// Which rows of a block lie up to each threshold of a tree, a byte a row: asked once, used by many leaves.
class Answers {
public:
    Answers(const std::vector<Leaf>& leaves, const Frame& frame) : frame_(frame) {
        for (const Leaf& leaf : leaves)
            for (const Demand& d : leaf.demands) {
                if (!d.levels.empty()) continue;
                if (!d.unbounded_below) asked_[{d.column, d.low}] = 0;
                asked_[{d.column, d.high}] = 0;
                asked_[{d.column, everything}] = 0;
            }
        std::size_t n = 0;
        for (auto& [key, at] : asked_) at = block_rows * n++;
    }

    void ask(std::size_t begin, std::size_t n, std::vector<std::uint8_t>& up_to) const {
        up_to.resize(asked_.size() * block_rows);
        double x[block_rows];
        std::uint32_t read = none;
        for (const auto& [key, at] : asked_) {
            const auto [column, threshold] = key;
            if (column != read)
                for (std::size_t i = 0; i < n; ++i) x[i] = frame_.column(read = column).number(begin + i);
            std::uint8_t* const to = up_to.data() + at;
            for (std::size_t i = 0; i < n; ++i) to[i] = x[i] <= threshold;
        }
    }

    // Calls meets(i, whether) for the rows of a block and a demand.
    template <class Meets>
    void each(const Demand& d, std::size_t begin, std::size_t n, const std::vector<std::uint8_t>& up_to,
              const Meets& meets) const {
        const Column& c = frame_.column(d.column);
        if (c.kind == ColumnKind::nominal) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = c.code(begin + i);
                meets(i, code == 0 ? std::uint8_t{d.missing} : static_cast<std::uint8_t>(d.levels[code]));
            }
            return;
        }
        const std::uint8_t* const high = up_to.data() + asked_.at({d.column, d.high});
        const std::uint8_t* const known = up_to.data() + asked_.at({d.column, everything});
        const std::uint8_t missing = d.missing ? 1 : 0;
        const auto set = [&](auto met) {
            for (std::size_t i = 0; i < n; ++i)
                meets(i, static_cast<std::uint8_t>(met(i) | (missing & (known[i] ^ 1))));
        };
        if (d.unbounded_below) {
            set([&](std::size_t i) { return high[i]; });
        } else {
            const std::uint8_t* const low = up_to.data() + asked_.at({d.column, d.low});
            set([&](std::size_t i) { return high[i] & (low[i] ^ 1); });
        }
    }

private:
    static constexpr double everything = std::numeric_limits<double>::infinity();  // x <= it if known
    static constexpr std::uint32_t none = 0xffffffff;

    const Frame& frame_;
    std::map<std::pair<std::uint32_t, double>, std::size_t> asked_;  // column, threshold: where
};

}  // namespace

void add_contributions(const Tree& tree, const Frame& frame, std::span<const double> values,
                       std::size_t width, double weight, Pool& pool, std::span<double> out,
                       std::span<double> base) {
    for (std::int32_t i = 0; i < tree.tests.size(); ++i) tree.tests[i].require_fit(frame);
    const std::vector<Leaf> leaves = leaves_of(tree);
    const std::size_t n_columns = frame.n_columns(), n = frame.n_rows();
    const auto whole = static_cast<double>(tree.known[0]);
    for (const Leaf& leaf : leaves) {
        const double* value = values.data() + leaf.node * width;
        const double share = static_cast<double>(tree.known[leaf.node]) / whole;
        for (std::size_t k = 0; k < width; ++k) base[k] += weight * share * value[k];
    }
    std::vector<std::uint32_t> used(tree.tests.column.begin(), tree.tests.column.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<std::size_t> slot(n_columns, 0);
    for (std::size_t u = 0; u < used.size(); ++u) slot[used[u]] = u;
    const Answers answers(leaves, frame);
    std::map<std::size_t, Points> points;  // by their number
    double work = 0;
    for (const Leaf& leaf : leaves) {
        const std::size_t m = leaf.demands.size();
        if (m <= most_tabled) continue;
        points.try_emplace(n_points(m), n_points(m));
        if (m > long_path) work += static_cast<double>(m * n_points(m)) * static_cast<double>(n);
    }
    if (work > most_work)
        throw Error("the paths to leaves behind more than " + std::to_string(long_path) +
                    " columns are too long for " + std::to_string(n) + " rows at once; at most " +
                    std::to_string(static_cast<std::size_t>(most_work / (work / static_cast<double>(n)))) +
                    " rows can be asked about");

    pool.run_blocks(n, block_rows, [&](std::size_t begin, std::size_t end) {
        const std::size_t rows = end - begin;
        std::vector<std::uint8_t> up_to;
        answers.ask(begin, rows, up_to);
        // Sums by column, so that loops run along the rows; written out once.
        std::vector<double> sums(used.size() * width * block_rows, 0.0);
        std::vector<double> part, before;
        std::vector<std::uint8_t> met;
        for (const Leaf& leaf : leaves) {
            const std::size_t m = leaf.demands.size();
            part.resize(std::max(part.size(), m * block_rows));
            if (m <= most_tabled) {
                std::uint8_t passed[block_rows] = {};
                for (std::size_t j = 0; j < m; ++j)
                    answers.each(leaf.demands[j], begin, rows, up_to, [&](std::size_t i, std::uint8_t is) {
                        passed[i] = static_cast<std::uint8_t>(passed[i] | is << j);
                    });
                for (std::size_t j = 0; j < m; ++j) {
                    const double* table = leaf.table.data() + (j << m);
                    for (std::size_t i = 0; i < rows; ++i) part[j * block_rows + i] = table[passed[i]];
                }
            } else {
                met.resize(m * block_rows);
                for (std::size_t j = 0; j < m; ++j)
                    answers.each(leaf.demands[j], begin, rows, up_to,
                                 [&](std::size_t i, std::uint8_t is) { met[j * block_rows + i] = is; });
                weights_by_points(leaf, points.at(n_points(m)), met, rows, before, part.data());
            }
            const double* value = values.data() + leaf.node * width;
            for (std::size_t j = 0; j < m; ++j) {
                const double* const own = part.data() + j * block_rows;
                for (std::size_t k = 0; k < width; ++k) {
                    double* to = sums.data() + (slot[leaf.demands[j].column] * width + k) * block_rows;
                    const double times = weight * value[k];
                    for (std::size_t i = 0; i < rows; ++i) to[i] += times * own[i];
                }
            }
        }
        for (std::size_t u = 0; u < used.size(); ++u)
            for (std::size_t k = 0; k < width; ++k)
                for (std::size_t i = 0; i < rows; ++i)
                    out[((begin + i) * n_columns + used[u]) * width + k] +=
                        sums[(u * width + k) * block_rows + i];
    });
}

}  // namespace bosco
