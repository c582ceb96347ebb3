// What a forest says of rows.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>

#include "many/forest.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 32768;  // so many share one reading of a tree

// Are all tests binary cuts of numeric columns of one type?
bool plain(const Forest& forest, const Frame& frame) {
    if (forest.tests.size() > 0) return false;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j) {
        const Column& c = frame.column(j);
        if (c.kind != ColumnKind::numeric || c.raw.dtype != frame.column(0).raw.dtype) return false;
    }
    return true;
}

// What the leaves of a tally say; for a real target leaves have their own sums.
std::vector<double> votes_of(const Forest& forest, Vote vote) {
    std::vector<double> votes;
    const std::size_t width = forest.tally_width();
    const Shape shape{forest.n_classes, false};
    for (std::size_t i = 0; i < forest.tallies.size(); i += width) {
        const Count* tally = forest.tallies.data() + i;
        const auto w = static_cast<double>(shape.classes > 0 ? shape.weight(tally) : tally[0]);
        const int most = shape.classes > 0 ? shape.majority(tally) : 0;
        for (std::size_t k = 0; k < width; ++k)
            votes.push_back(vote == Vote::mode ? static_cast<double>(static_cast<int>(k) == most)
                                               : static_cast<double>(tally[k]) / w);
    }
    return votes;
}

}  // namespace

void leaves_of(const Forest& forest, int t, const Frame& frame, Pool& pool, std::span<std::int32_t> leaf) {
    route(forest.tree(t), frame, pool, leaf);
}

namespace {

// Adds what leaves say. A row's sum runs over the trees in order, whoever adds it up.
class Teller {
public:
    Teller(const Forest& forest, Vote vote, bool many)
        : forest_(forest), vote_(vote), width_(forest.value_width()), shape_{forest.n_classes, false} {
        if (many) votes_ = votes_of(forest, vote);  // for a few rows it would cost more than they do
    }
    void add(const ForestNode& leaf, double weight, double* to) const {
        const Count* tally = forest_.tallies.data() + std::size_t{leaf.what} * width_;
        if (forest_.n_classes == 0) {
            const auto w = static_cast<double>(*tally);
            *to += weight * (forest_.center + static_cast<double>(leaf.bits()) / w / forest_.scale);
        } else if (!votes_.empty()) {
            add_tally(leaf.what, weight, to);
        } else if (vote_ == Vote::mode) {
            to[shape_.majority(tally)] += weight;
        } else {
            const auto w = static_cast<double>(shape_.weight(tally));
            for (std::size_t k = 0; k < width_; ++k) to[k] += weight * (static_cast<double>(tally[k]) / w);
        }
    }

    // The same of a tally of classes, where many rows are asked.
    void add_tally(std::uint32_t tally, double weight, double* to) const {
        const double* from = votes_.data() + std::size_t{tally} * width_;
        for (std::size_t k = 0; k < width_; ++k) to[k] += weight * from[k];
    }

    // The same of two classes.
    void add_pair(std::uint32_t tally, double weight, double* to) const {
        const double* const from = votes_.data() + std::size_t{tally} * 2;
        to[0] += weight * from[0];
        to[1] += weight * from[1];
    }

private:
    const Forest& forest_;
    Vote vote_;
    std::size_t width_;
    Shape shape_;
    std::vector<double> votes_;
};

// The child that a value leads to, NaN if it is missing.
std::int32_t next_of(const ForestNode& node, double x) {
    return node.first + ((x > node.slot) | ((x != x) & ((node.what & ForestNode::missing_right) != 0)));
}

// One row, one tree; `at(column)` is its value.
template <class At>
const ForestNode& walk(const ForestNode* nodes, At at) {
    const ForestNode* node = nodes;
    while (!node->leaf()) node = nodes + next_of(*node, at(node->column()));
    return *node;
}

// The values of some rows, row by row: levels as codes, what is missing as NaN.
std::vector<double> values_of(const Frame& frame, std::size_t begin, std::size_t n) {
    const std::size_t d = frame.n_columns();
    std::vector<double> x(n * d);
    for (std::size_t j = 0; j < d; ++j) {
        const Column& c = frame.column(static_cast<std::uint32_t>(j));
        for (std::size_t i = 0; i < n; ++i) {
            double& to = x[i * d + j];
            if (c.kind == ColumnKind::numeric) {
                to = c.raw.at(begin + i);
                continue;
            }
            const std::uint32_t code = c.code(begin + i);
            to = code == 0     ? std::numeric_limits<double>::quiet_NaN()
                 : c.ordered() ? c.value(code)
                               : static_cast<double>(code);
        }
    }
    return x;
}

// The branch of a test that is not a binary cut.
std::int32_t branch_of_any(const TestPool& tests, std::size_t t, double x) {
    if (x != x) return std::max(tests.missing[t], 0);
    if (tests.kind[t] == static_cast<std::uint8_t>(TestKind::cut)) {
        const double* first = tests.thresholds.data() + tests.threshold_begin[t];
        const double* last = tests.thresholds.data() + tests.threshold_begin[t + 1];
        return static_cast<std::int32_t>(std::lower_bound(first, last, x) - first);
    }
    const auto levels = static_cast<double>(tests.jump_begin[t + 1] - tests.jump_begin[t]);
    if (!(x >= 0 && x < levels)) throw Error("a column has other levels than the forest's");
    return static_cast<std::int32_t>(
        tests.jumps[static_cast<std::size_t>(tests.jump_begin[t]) + static_cast<std::size_t>(x)]);
}

// One row, one tree, any tests.
const ForestNode& walk_any(const Forest& forest, const ForestNode* nodes, std::span<const double> x) {
    const ForestNode* node = nodes;
    while (!node->leaf()) {
        if (node->column() >= x.size()) throw Error("the forest asks for a column that is not there");
        const double v = x[node->column()];
        const bool other = (node->what & ForestNode::other_test) != 0;
        node = nodes +
               (other ? node->first + branch_of_any(forest.tests, static_cast<std::size_t>(node->bits()), v)
                      : next_of(*node, v));
    }
    return *node;
}

// Numbers as unsigned integers in the same order, which machines compare and add in one go. Zeros are alike.
template <class Real>
using Key = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
template <class Real>
Key<Real> key_of(Real x) {
    constexpr auto sign = static_cast<Key<Real>>(Key<Real>{1} << (8 * sizeof(Real) - 1));
    const auto bits = std::bit_cast<Key<Real>>(x + Real{0});
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

// A node for rows without missing values, in few bytes. A leaf leads to itself: its threshold is above all
// numbers, and the lower bits of that say what the leaf is.
template <class Real>
struct Hop {
    Key<Real> threshold;
    std::uint32_t next;  // first child << 8 | column

    static constexpr std::uint32_t most = (1u << 22) - 1;  // that a leaf can say
    static Key<Real> leaf(std::uint32_t says) {
        return key_of(std::numeric_limits<Real>::quiet_NaN()) | says;
    }
    std::uint32_t says() const { return static_cast<std::uint32_t>(threshold) & most; }
};

// Leaves say their tally, or for a real target their number in the tree.
template <class Real>
void fill_hops(const ForestNode* nodes, std::size_t n, bool real, Hop<Real>* hops) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        if (nodes[i].leaf()) {
            hops[i] = {Hop<Real>::leaf(real ? number : nodes[i].what), number << 8};
            continue;
        }
        hops[i] = {key_of(threshold_for<Real>(nodes[i].slot)),
                   static_cast<std::uint32_t>(nodes[i].first) << 8 | nodes[i].column()};
    }
}

// Rows walk some at a time in step, without a branch, so that waiting for memory overlaps. Who is at a leaf
// stays there; after the first steps, and every few more, only those go on that are not.
template <class Real>
void walk_together(std::span<const Hop<Real>> hops, const Key<Real>* x, std::size_t d, std::size_t n,
                   std::uint32_t* at, std::uint32_t* on_the_way) {
    constexpr std::size_t together = 14;
    constexpr int more_steps = 6;
    const auto depth = static_cast<int>(std::bit_width(hops.size()));
    const int first_steps = 5 * depth / 4;  // most leaves of a full tree are about there
    const auto walk = [&](auto some, auto row_of, int steps) {
        std::uint32_t to[together];
        const Key<Real>* own[together];
        for (std::size_t k = 0; k < some; ++k) to[k] = at[row_of(k)], own[k] = x + row_of(k) * d;
        for (int step = 0; step < steps; ++step)
            for (std::size_t k = 0; k < some; ++k) {
                const Hop<Real> hop = hops[to[k]];
                to[k] = (hop.next >> 8) + (hop.threshold < own[k][hop.next & 255]);
            }
        for (std::size_t k = 0; k < some; ++k) at[row_of(k)] = to[k];
    };
    // Walks all of `count` rows, the i-th being row_of(i), and returns how many are still on the way.
    const auto round = [&](std::size_t count, auto row_of, int steps) {
        std::size_t left = 0;
        for (std::size_t i = 0; i < count;) {
            const std::size_t some = std::min(together, count - i);
            const auto rows = [&](std::size_t k) { return row_of(i + k); };
            if (some == together)
                walk(std::integral_constant<std::size_t, together>{}, rows, steps);
            else
                walk(some, rows, steps);
            for (const std::size_t end = i + some; i < end; ++i) {
                const auto row = static_cast<std::uint32_t>(row_of(i));
                on_the_way[left] = row;
                left += (hops[at[row]].next >> 8) != at[row];
            }
        }
        return left;
    };
    std::fill_n(at, n, 0u);
    std::size_t left = round(n, [](std::size_t i) { return i; }, first_steps);
    while (left > 0)
        left = round(left, [&](std::size_t i) { return std::size_t{on_the_way[i]}; }, more_steps);
}

}  // namespace

template <class T>
void vote_few(const Forest& forest, const T* x, std::size_t n, std::size_t n_columns, std::int64_t row_step,
              std::int64_t column_step, std::span<const double> tree_weight, Vote vote,
              std::span<double> out) {
    if (forest.tests.size() > 0) throw Error("the forest is not plain");
    const Teller teller(forest, vote, false);
    const std::size_t width = forest.value_width();
    const auto trees = static_cast<std::size_t>(forest.n_trees());
    std::fill(out.begin(), out.end(), 0.0);
    // A row goes down all trees in step: each step waits for memory, and the waits overlap.
    std::vector<const ForestNode*> at(trees);
    std::vector<std::uint32_t> walking;
    for (std::size_t row = 0; row < n; ++row) {
        const T* const own = x + static_cast<std::int64_t>(row) * row_step;
        walking.resize(trees);
        std::iota(walking.begin(), walking.end(), 0u);
        for (std::size_t t = 0; t < trees; ++t) at[t] = forest.nodes.data() + forest.begin[t];
        while (!walking.empty()) {
            std::size_t left = 0;
            for (const std::uint32_t t : walking) {
                const ForestNode& node = *at[t];
                if (node.leaf()) continue;
                if (node.column() >= n_columns) throw Error("the forest asks for a column that is not there");
                const auto v = static_cast<double>(own[node.column() * column_step]);
                at[t] = forest.nodes.data() + forest.begin[t] + next_of(node, v);
                walking[left++] = t;
            }
            walking.resize(left);
        }
        for (std::size_t t = 0; t < trees; ++t) teller.add(*at[t], tree_weight[t], out.data() + row * width);
    }
}
template void vote_few(const Forest&, const float*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                       std::span<const double>, Vote, std::span<double>);
template void vote_few(const Forest&, const double*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                       std::span<const double>, Vote, std::span<double>);

void sum_votes(const Forest& forest, const Frame& frame, std::span<const double> tree_weight, Vote vote,
               Pool& pool, std::span<double> out) {
    const std::size_t n = frame.n_rows(), width = forest.value_width(), d = frame.n_columns();
    const auto trees = static_cast<std::size_t>(forest.n_trees());
    constexpr std::size_t few_rows = 64;
    const Teller teller(forest, vote, n > few_rows);
    const auto nodes_of = [&](std::size_t t) { return forest.nodes.data() + forest.begin[t]; };
    const auto size_of = [&](std::size_t t) {
        return static_cast<std::size_t>(forest.begin[t + 1] - forest.begin[t]);
    };
    std::fill(out.begin(), out.end(), 0.0);
    if (!plain(forest, frame)) {
        constexpr std::size_t block_rows_of_any = 1024;
        const auto blocks = static_cast<std::int64_t>((n + block_rows_of_any - 1) / block_rows_of_any);
        pool.run(blocks, [&](std::int64_t block, int) {
            const std::size_t begin = static_cast<std::size_t>(block) * block_rows_of_any;
            const std::size_t rows = std::min(n - begin, block_rows_of_any);
            const std::vector<double> x = values_of(frame, begin, rows);
            for (std::size_t t = 0; t < trees; ++t)
                for (std::size_t i = 0; i < rows; ++i)
                    teller.add(walk_any(forest, nodes_of(t), std::span(x).subspan(i * d, d)), tree_weight[t],
                               out.data() + (begin + i) * width);
        });
        return;
    }
    std::vector<Raw> raws;
    for (std::uint32_t j = 0; j < d; ++j) raws.push_back(frame.column(j).raw);
    raws[0].visit([&](auto type) {
        using T = decltype(type);
        using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
        const auto one_by_one = [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = 0; t < trees; ++t)
                for (std::size_t row = begin; row < end; ++row) {
                    const auto at = [&](std::uint32_t j) { return static_cast<double>(raws[j].as<T>(row)); };
                    teller.add(walk(nodes_of(t), at), tree_weight[t], out.data() + row * width);
                }
        };
        std::size_t largest = 0;
        for (std::size_t t = 0; t < trees; ++t) largest = std::max(largest, size_of(t));
        bool by_row = true;  // do a row's values lie side by side?
        for (std::size_t j = 1; j < d; ++j)
            by_row &= raws[j].data == raws[0].data + j * sizeof(T) && raws[j].stride == raws[0].stride;
        const bool real = forest.n_classes == 0;
        const std::size_t says = real ? largest : forest.tallies.size() / width;
        if (n <= few_rows || d > 256 || largest >= std::size_t{1} << 24 || says > Hop<Real>::most)
            return one_by_one(0, n);
        const auto all_hops = std::make_unique_for_overwrite<Hop<Real>[]>(forest.nodes.size());
        const auto hops_of_tree = [&](std::size_t t) { return all_hops.get() + forest.begin[t]; };
        pool.run(static_cast<std::int64_t>(trees), [&](std::int64_t t, int) {
            const auto at = static_cast<std::size_t>(t);
            fill_hops(nodes_of(at), size_of(at), real, hops_of_tree(at));
        });
        pool.run(static_cast<std::int64_t>((n + block_rows - 1) / block_rows), [&](std::int64_t block, int) {
            const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
            const std::size_t rows = std::min(n - begin, block_rows);
            std::vector<Key<Real>> x(rows * d);
            bool missing = false;
            for (std::size_t i = 0; i < rows && by_row; ++i) {
                const std::byte* const own =
                    raws[0].data + static_cast<std::ptrdiff_t>(begin + i) * raws[0].stride;
                for (std::size_t j = 0; j < d; ++j) {
                    T value;
                    std::memcpy(&value, own + j * sizeof(T), sizeof(T));
                    x[i * d + j] = key_of(static_cast<Real>(value));
                    missing |= value != value;
                }
            }
            for (std::size_t j = 0; j < d && !by_row; ++j)
                for (std::size_t i = 0; i < rows; ++i) {
                    const auto value = static_cast<Real>(raws[j].as<T>(begin + i));
                    x[i * d + j] = key_of(value);
                    missing |= value != value;
                }
            if (missing) return one_by_one(begin, begin + rows);
            std::vector<std::uint32_t> leaf(rows), on_the_way(rows);
            for (std::size_t t = 0; t < trees; ++t) {
                const Hop<Real>* const hops = hops_of_tree(t);
                walk_together<Real>({hops, size_of(t)}, x.data(), d, rows, leaf.data(), on_the_way.data());
                double* to = out.data() + begin * width;
                if (!real && width == 2) {
                    for (std::size_t i = 0; i < rows; ++i)
                        teller.add_pair(hops[leaf[i]].says(), tree_weight[t], to + 2 * i);
                    continue;
                }
                for (std::size_t i = 0; i < rows; ++i, to += width) {
                    const std::uint32_t said = hops[leaf[i]].says();
                    if (real)
                        teller.add(nodes_of(t)[said], tree_weight[t], to);
                    else
                        teller.add_tally(said, tree_weight[t], to);
                }
            }
        });
    });
}

}  // namespace bosco
