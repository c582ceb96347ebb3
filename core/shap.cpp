#include "shap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "error.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 256;
constexpr std::size_t most_tabled = 8;  // columns on a path whose cases are worked out beforehand

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

// Shapley's weights of the sets of the other columns, summed: for column i of a path of which the
// columns in `passed` are passed.
double sum_over_sets(const Leaf& leaf, std::size_t i, std::uint64_t passed) {
    const std::size_t m = leaf.demands.size();
    // sums[k]: over sets T of k others, prod_T o_j * prod_rest z_j.
    double sums[64] = {1};
    std::size_t met = 0;
    for (std::size_t j = 0; j < m; ++j) {
        if (j == i) continue;
        const double z = leaf.demands[j].share, o = static_cast<double>(passed >> j & 1);
        for (std::size_t k = ++met; k > 0; --k) sums[k] = sums[k] * z + sums[k - 1] * o;
        sums[0] *= z;
    }
    // |T|! (m - |T| - 1)! / m! = 1 / (m * binomial(m - 1, |T|))
    double total = 0, choose = 1;
    for (std::size_t k = 0; k < m; ++k) {
        total += sums[k] / (static_cast<double>(m) * choose);
        choose = choose * static_cast<double>(m - 1 - k) / static_cast<double>(k + 1);
    }
    return total;
}
double weight_of(const Leaf& leaf, std::size_t i, std::uint64_t passed) {
    return sum_over_sets(leaf, i, passed) * (static_cast<double>(passed >> i & 1) - leaf.demands[i].share);
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
            d->share *= static_cast<double>(tree.known[static_cast<std::size_t>(at)]) /
                        static_cast<double>(tree.known[static_cast<std::size_t>(up)]);
            at = up;
        }
        const std::size_t m = leaf.demands.size();
        if (m > 63) throw Error("contributions need paths of at most 63 different columns");
        const std::size_t cases = std::size_t{1} << std::min(m, most_tabled);
        if (m > 0 && m <= most_tabled) leaf.table.resize(m * cases);
        for (std::size_t k = 0; k < m && !leaf.table.empty(); ++k)
            for (std::size_t passed = 0; passed < cases; ++passed) {
                if (passed >> k & 1) continue;  // whether column k itself is passed changes the sign only
                const double sum = sum_over_sets(leaf, k, passed), share = leaf.demands[k].share;
                leaf.table[k * cases + passed] = sum * (0 - share);
                leaf.table[k * cases + (passed | std::size_t{1} << k)] = sum * (1 - share);
            }
        leaves.push_back(std::move(leaf));
    }
    return leaves;
}

// Sets bit `bit` of the rows that meet a demand.
void mark(const Demand& d, const Frame& frame, std::size_t begin, std::size_t n, std::size_t bit,
          const double* x, std::uint64_t* passed) {
    const Column& c = frame.column(d.column);
    if (c.kind == ColumnKind::nominal) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t code = c.code(begin + i);
            const bool meets = code == 0 ? d.missing : d.levels[code] != 0;
            passed[i] |= std::uint64_t{meets} << bit;
        }
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const bool known = x[i] == x[i];
        const bool meets = known ? (d.unbounded_below | (x[i] > d.low)) & (x[i] <= d.high) : d.missing;
        passed[i] |= std::uint64_t{meets} << bit;
    }
}

}  // namespace

void add_contributions(const Tree& tree, const Frame& frame, std::span<const double> values,
                       std::size_t width, double weight, Pool& pool, std::span<double> out,
                       std::span<double> base) {
    const std::vector<Leaf> leaves = leaves_of(tree);
    const std::size_t n_columns = frame.n_columns(), n = frame.n_rows();
    const auto whole = static_cast<double>(tree.known[0]);
    std::vector<std::uint32_t> used, asked;  // the columns that take part, and of them the ordered ones
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
    std::vector<std::size_t> slot(n_columns, 0), place(n_columns, 0);
    for (std::size_t u = 0; u < used.size(); ++u) {
        slot[used[u]] = u;
        if (!frame.column(used[u]).ordered()) continue;
        place[used[u]] = asked.size();
        asked.push_back(used[u]);
    }

    pool.run(static_cast<std::int64_t>((n + block_rows - 1) / block_rows), [&](std::int64_t block, int) {
        const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
        const std::size_t rows = std::min(block_rows, n - begin);
        std::vector<double> x(asked.size() * block_rows);
        for (std::size_t a = 0; a < asked.size(); ++a) {
            const Column& c = frame.column(asked[a]);
            for (std::size_t i = 0; i < rows; ++i) {
                const std::uint32_t code = c.kind == ColumnKind::ordinal ? c.code(begin + i) : 1;
                x[a * block_rows + i] = code == 0 ? std::numeric_limits<double>::quiet_NaN()
                                        : c.kind == ColumnKind::ordinal ? c.value(code)
                                                                        : c.raw.at(begin + i);
            }
        }
        // Sums by column, so that loops run along the rows; written out once.
        std::vector<double> sums(used.size() * width * block_rows, 0.0);
        std::uint64_t passed[block_rows];
        double part[block_rows];
        for (const Leaf& leaf : leaves) {
            const std::size_t m = leaf.demands.size(), cases = std::size_t{1} << std::min(m, most_tabled);
            std::fill_n(passed, rows, 0);
            for (std::size_t j = 0; j < m; ++j)
                mark(leaf.demands[j], frame, begin, rows, j,
                     x.data() + place[leaf.demands[j].column] * block_rows, passed);
            const double* value = values.data() + static_cast<std::size_t>(leaf.node) * width;
            for (std::size_t j = 0; j < m; ++j) {
                const double* table = leaf.table.empty() ? nullptr : leaf.table.data() + j * cases;
                for (std::size_t i = 0; i < rows; ++i)
                    part[i] = table != nullptr ? table[passed[i]] : weight_of(leaf, j, passed[i]);
                for (std::size_t k = 0; k < width; ++k) {
                    double* to = sums.data() + (slot[leaf.demands[j].column] * width + k) * block_rows;
                    const double times = weight * value[k];
                    for (std::size_t i = 0; i < rows; ++i) to[i] += times * part[i];
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
