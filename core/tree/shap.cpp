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
constexpr std::size_t most_tabled = 8;      // columns on a path whose cases are worked out beforehand
constexpr std::size_t most_by_points = 16;  // on one whose products are integrated by the points below
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
constexpr double points_4[] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281,
                               0.9305681557970262};
constexpr double weights_4[] = {0.17392742256872679, 0.3260725774312732, 0.3260725774312732,
                                0.17392742256872679};
constexpr double points_8[] = {0.019855071751231912, 0.10166676129318664, 0.2372337950418355,
                               0.4082826787521751,   0.5917173212478248,  0.7627662049581645,
                               0.8983332387068134,   0.9801449282487681};
constexpr double weights_8[] = {0.05061426814518853, 0.11119051722668721, 0.15685332293894344,
                                0.18134189168918083, 0.18134189168918083, 0.15685332293894344,
                                0.11119051722668721, 0.05061426814518853};
static_assert(most_tabled <= 2 * std::size(points_4) && most_by_points <= 2 * std::size(points_8));

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

// The weights of every column of a longer path, row by row: part[j * block_rows + i].
void weights_by_points(const Leaf& leaf, const std::uint64_t* passed, std::size_t n, double* part) {
    const std::size_t m = leaf.demands.size();
    double before[most_by_points][block_rows], after[block_rows];
    std::fill_n(part, m * block_rows, 0.0);
    for (std::size_t q = 0; q < std::size(points_8); ++q) {
        const auto factor = [&](std::size_t j, std::size_t i) {
            const double failed = leaf.demands[j].share * (1 - points_8[q]);
            return failed + points_8[q] * static_cast<double>(passed[i] >> j & 1);
        };
        std::fill_n(before[0], n, weights_8[q]);
        for (std::size_t j = 0; j + 1 < m; ++j)
            for (std::size_t i = 0; i < n; ++i) before[j + 1][i] = before[j][i] * factor(j, i);
        std::fill_n(after, n, 1.0);
        for (std::size_t j = m; j-- > 0;)
            for (std::size_t i = 0; i < n; ++i) {
                part[j * block_rows + i] += before[j][i] * after[i];
                after[i] *= factor(j, i);
            }
    }
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t i = 0; i < n; ++i)
            part[j * block_rows + i] *= static_cast<double>(passed[i] >> j & 1) - leaf.demands[j].share;
}

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

// The same of a path of any length; met[j * block_rows + i]: whether row i meets demand j.
void weights_of_long_path(const Leaf& leaf, const Points& points, const std::vector<std::uint8_t>& met,
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

void narrow(Demand& d, const TestPool& pool, std::size_t test, std::int32_t branch) {
    if (pool.missing[test] != branch) d.missing = false;
    if (pool.kind[test] == static_cast<std::uint8_t>(TestKind::map)) {
        const auto begin = static_cast<std::size_t>(pool.jump_begin[test]);
        const auto n = static_cast<std::size_t>(pool.jump_begin[test + 1]) - begin;
        if (d.levels.empty()) d.levels.assign(n, 1);
        for (std::size_t code = 1; code < n; ++code)
            if (pool.jumps[begin + code] != static_cast<std::uint32_t>(branch)) d.levels[code] = 0;
        return;
    }
    const double* t = pool.thresholds.data() + pool.threshold_begin[test];
    const auto cuts = static_cast<std::int32_t>(pool.threshold_begin[test + 1] - pool.threshold_begin[test]);
    if (branch > cuts) {  // the branch of missing values alone
        d.low = d.high = std::numeric_limits<double>::infinity();
        d.unbounded_below = false;
        return;
    }
    if (branch > 0 && (d.unbounded_below || t[branch - 1] > d.low))
        d.low = t[branch - 1], d.unbounded_below = false;
    if (branch < cuts) d.high = std::min(d.high, t[branch]);
}

std::vector<Leaf> leaves_of(const Tree& tree) {
    if (tree.surrogates.size() > 0) throw Error("contributions are not defined where surrogates decide");
    std::vector<Leaf> leaves;
    std::size_t in_long_paths = 0;
    for (std::int32_t i = 0; i < tree.n_nodes(); ++i) {
        if (!tree.leaf(i)) continue;
        Leaf leaf;
        leaf.node = i;
        for (std::int32_t at = i; at != 0;) {
            const std::int32_t up = tree.parent[static_cast<std::size_t>(at)];
            const auto test = static_cast<std::size_t>(tree.test[static_cast<std::size_t>(up)]);
            if (tree.tests.missing[test] < 0)
                throw Error("contributions are not defined where missing values go down all branches");
            const auto column = static_cast<std::uint32_t>(tree.tests.column[test]);
            auto d = std::find_if(leaf.demands.begin(), leaf.demands.end(),
                                  [&](const Demand& each) { return each.column == column; });
            if (d == leaf.demands.end()) {
                leaf.demands.emplace_back();
                d = leaf.demands.end() - 1;
                d->column = column;
            }
            narrow(*d, tree.tests, test, at - tree.first_child[static_cast<std::size_t>(up)]);
            const auto above = static_cast<double>(tree.known[static_cast<std::size_t>(up)]);
            // No row came there: none goes on.
            d->share *= above > 0 ? static_cast<double>(tree.known[static_cast<std::size_t>(at)]) / above : 0;
            at = up;
        }
        const std::size_t m = leaf.demands.size();
        if (m > most_by_points && (in_long_paths += m) > most_in_long_paths)
            throw Error("too many leaves lie too deep: the columns on the paths to leaves behind more than " +
                        std::to_string(most_by_points) + " columns are more than " +
                        std::to_string(most_in_long_paths) + " together");
        const std::size_t cases = std::size_t{1} << std::min(m, most_tabled);
        if (m > 0 && m <= most_tabled) leaf.table.resize(m * cases);
        for (std::size_t k = 0; k < m && !leaf.table.empty(); ++k) {
            const auto sums = sums_over_sets(leaf, k);
            const double share = leaf.demands[k].share;
            const std::size_t below = (std::size_t{1} << k) - 1;
            for (std::size_t others = 0; others < cases / 2; ++others) {
                const std::size_t passed = (others & below) | (others & ~below) << 1;
                leaf.table[k * cases + passed] = sums[others] * (0 - share);
                leaf.table[k * cases + (passed | std::size_t{1} << k)] = sums[others] * (1 - share);
            }
        }
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
            if (column != read) read_values(read = column, begin, n, x);
            std::uint8_t* const to = up_to.data() + at;
            for (std::size_t i = 0; i < n; ++i) to[i] = x[i] <= threshold;
        }
    }

    // Sets bit `bit` of the rows that meet a demand.
    template <class Bits>
    void mark(const Demand& d, std::size_t begin, std::size_t n, std::size_t bit,
              const std::vector<std::uint8_t>& up_to, Bits* passed) const {
        const Column& c = frame_.column(d.column);
        if (c.kind == ColumnKind::nominal) {
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint32_t code = c.code(begin + i);
                const bool meets = code == 0 ? d.missing : d.levels[code] != 0;
                passed[i] = static_cast<Bits>(passed[i] | Bits{meets} << bit);
            }
            return;
        }
        const std::uint8_t* const high = up_to.data() + asked_.at({d.column, d.high});
        const std::uint8_t* const known = up_to.data() + asked_.at({d.column, everything});
        const std::uint8_t missing = d.missing ? 1 : 0;
        const auto set = [&](auto met) {
            for (std::size_t i = 0; i < n; ++i)
                passed[i] = static_cast<Bits>(passed[i] | Bits(met(i) | (missing & (known[i] ^ 1))) << bit);
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

    void read_values(std::uint32_t column, std::size_t begin, std::size_t n, double* x) const {
        const Column& c = frame_.column(column);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = c.kind == ColumnKind::ordinal ? c.code(begin + i) : 1;
            x[i] = code == 0                       ? std::numeric_limits<double>::quiet_NaN()
                   : c.kind == ColumnKind::ordinal ? c.value(code)
                                                   : c.raw.at(begin + i);
        }
    }

    const Frame& frame_;
    std::map<std::pair<std::uint32_t, double>, std::size_t> asked_;  // column, threshold: where
};

}  // namespace

void add_contributions(const Tree& tree, const Frame& frame, std::span<const double> values,
                       std::size_t width, double weight, Pool& pool, std::span<double> out,
                       std::span<double> base) {
    const std::vector<Leaf> leaves = leaves_of(tree);
    const std::size_t n_columns = frame.n_columns(), n = frame.n_rows();
    const auto whole = static_cast<double>(tree.known[0]);
    std::vector<std::uint32_t> used;  // the columns that take part
    for (const Leaf& leaf : leaves) {
        const double* value = values.data() + static_cast<std::size_t>(leaf.node) * width;
        const double share = static_cast<double>(tree.known[static_cast<std::size_t>(leaf.node)]) / whole;
        for (std::size_t k = 0; k < width; ++k) base[k] += weight * share * value[k];
        for (const Demand& d : leaf.demands) {
            if (d.column >= n_columns) throw Error("the tree asks for a column that is not there");
            if (frame.column(d.column).ordered() == !d.levels.empty())
                throw Error("a column is of another kind than the tree's");
            used.push_back(d.column);
        }
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<std::size_t> slot(n_columns, 0);
    for (std::size_t u = 0; u < used.size(); ++u) slot[used[u]] = u;
    const Answers answers(leaves, frame);
    std::map<std::size_t, Points> points;  // of long paths, by their number
    double work = 0;
    for (const Leaf& leaf : leaves) {
        const std::size_t m = leaf.demands.size();
        if (m <= most_by_points) continue;
        points.try_emplace(n_points(m), n_points(m));
        work += static_cast<double>(m * n_points(m)) * static_cast<double>(n);
    }
    if (work > most_work)
        throw Error("the paths to leaves behind more than " + std::to_string(most_by_points) +
                    " columns are too long for " + std::to_string(n) + " rows at once; at most " +
                    std::to_string(static_cast<std::size_t>(most_work / (work / static_cast<double>(n)))) +
                    " rows can be asked about");

    pool.run(static_cast<std::int64_t>((n + block_rows - 1) / block_rows), [&](std::int64_t block, int) {
        const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
        const std::size_t rows = std::min(block_rows, n - begin);
        std::vector<std::uint8_t> up_to;
        answers.ask(begin, rows, up_to);
        // Sums by column, so that loops run along the rows; written out once.
        std::vector<double> sums(used.size() * width * block_rows, 0.0);
        std::vector<double> part, before;
        std::vector<std::uint8_t> met;
        const auto marked = [&]<class Bits>(const Leaf& leaf, Bits* passed) {
            for (std::size_t j = 0; j < leaf.demands.size(); ++j)
                answers.mark(leaf.demands[j], begin, rows, j, up_to, passed);
        };
        for (const Leaf& leaf : leaves) {
            const std::size_t m = leaf.demands.size(), cases = std::size_t{1} << std::min(m, most_tabled);
            part.resize(std::max(part.size(), m * block_rows));
            if (m <= most_tabled) {
                std::uint8_t passed[block_rows] = {};
                marked(leaf, passed);
                for (std::size_t j = 0; j < m; ++j) {
                    const double* table = leaf.table.data() + j * cases;
                    for (std::size_t i = 0; i < rows; ++i) part[j * block_rows + i] = table[passed[i]];
                }
            } else if (m <= most_by_points) {
                std::uint64_t passed[block_rows] = {};
                marked(leaf, passed);
                weights_by_points(leaf, passed, rows, part.data());
            } else {
                met.assign(m * block_rows, 0);
                for (std::size_t j = 0; j < m; ++j)
                    answers.mark(leaf.demands[j], begin, rows, 0, up_to, met.data() + j * block_rows);
                weights_of_long_path(leaf, points.at(n_points(m)), met, rows, before, part.data());
            }
            const double* value = values.data() + static_cast<std::size_t>(leaf.node) * width;
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
