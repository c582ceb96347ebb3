// What a forest says of rows.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>

#include "data/values.hpp"
#include "many/forest.hpp"
#include "tree/route.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 32768;  // so many share one reading of a tree

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

// Adds what leaves say. A row's sum runs over the trees in order, whoever adds it up.
class Teller {
public:
    Teller(const Forest& forest, Vote vote, bool many)
        : forest_(forest), vote_(vote), width_(forest.value_width()), shape_{forest.n_classes, false} {
        if (many) votes_ = votes_of(forest, vote);  // for a few rows it would cost more than they do
    }
    void add(const Hop& leaf, double weight, double* to) const {
        const Count* tally = forest_.tallies.data() + std::size_t{leaf.what} * width_;
        if (forest_.n_classes == 0) {
            *to += weight * forest_.number(leaf);
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

// Adds what the trees say of some rows, of which number(row, column) reads the values and other(row, test)
// answers tests that are not binary cuts.
template <class Number, class Other>
void add_votes(const Forest& forest, const Teller& teller, std::span<const double> tree_weight,
               std::size_t begin, std::size_t end, const Number& number, const Other& other,
               std::span<double> out) {
    const auto trees = static_cast<std::size_t>(forest.n_trees());
    const std::size_t n = end - begin, width = forest.value_width();
    std::vector<const Hop*> said(n * trees);  // tree by tree
    walk(
        said.size(),
        [&](std::size_t k) { return Stand{forest.nodes.data() + forest.begin[k / n], begin + k % n, 0}; },
        number,
        [&](std::size_t row, const Hop& hop) {
            const TestView test = forest.tests[hop.bits()];
            const int branch = other(row, test);
            return branch >= 0 ? branch : std::max(test.missing, 0);
        },
        [&](std::size_t k, const Stand<Hop>& at) { said[k] = &at.hop(); });
    for (std::size_t t = 0; t < trees; ++t)
        for (std::size_t i = 0; i < n; ++i)
            teller.add(*said[t * n + i], tree_weight[t], out.data() + (begin + i) * width);
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
struct KeyHop {
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
void fill_hops(const Hop* nodes, std::size_t n_columns, bool real, std::span<KeyHop<Real>> hops) {
    for (std::size_t i = 0; i < hops.size(); ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        if (nodes[i].leaf()) {
            hops[i] = {KeyHop<Real>::leaf(real ? number : nodes[i].what), number << 8};
            continue;
        }
        if (nodes[i].column() >= n_columns) throw Error("the forest asks for a column that is not there");
        hops[i] = {key_of(not_above<Real>(nodes[i].slot)),
                   static_cast<std::uint32_t>(nodes[i].first) << 8 | nodes[i].column()};
    }
}

// The keys of some rows, side by side; false if a value is missing.
template <class Number, class Real = typename Number::Real>
bool read_keys(const Number& number, std::size_t begin, std::size_t end, Key<Real>* to) {
    using T = typename Number::Type;
    const std::size_t d = number.raws.size();
    bool missing = false;
    const auto put = [&](std::size_t i, std::size_t j, T value) {
        to[i * d + j] = key_of(static_cast<Real>(value));
        missing |= value != value;
    };
    if (number.by_row()) {
        for (std::size_t i = 0; i < end - begin; ++i) {
            Raw own = number.raws[0];  // column by column
            own.data += static_cast<std::ptrdiff_t>(begin + i) * own.stride;
            own.stride = sizeof(T);
            for (std::size_t j = 0; j < d; ++j) put(i, j, own.as<T>(j));
        }
    } else {
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t i = 0; i < end - begin; ++i) put(i, j, number.raws[j].template as<T>(begin + i));
    }
    return !missing;
}

// Rows walk some at a time in step, without a branch, so that waiting for memory overlaps. Who is at a leaf
// stays there; after the first steps, and every few more, only those go on that are not.
template <class Real>
void walk_together(std::span<const KeyHop<Real>> hops, const Key<Real>* x, std::size_t d, std::size_t n,
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
                const KeyHop<Real> hop = hops[to[k]];
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
    std::ranges::fill(out, 0.0);
    const auto number = [&](std::size_t row, std::uint32_t column) {
        if (column >= n_columns) throw Error("the forest asks for a column that is not there");
        return static_cast<double>(x[static_cast<std::int64_t>(row) * row_step + column * column_step]);
    };
    add_votes(
        forest, Teller(forest, vote, false), tree_weight, 0, n, number,
        [](std::size_t, const TestView&) { return -1; }, out);
}
template void vote_few(const Forest&, const float*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                       std::span<const double>, Vote, std::span<double>);
template void vote_few(const Forest&, const double*, std::size_t, std::size_t, std::int64_t, std::int64_t,
                       std::span<const double>, Vote, std::span<double>);

namespace {

// The rows of a frame, asked together.
class Poll {
public:
    Poll(const Forest& forest, const Frame& frame, std::span<const double> tree_weight, Vote vote,
         std::span<double> out)
        : forest_(forest),
          frame_(frame),
          tree_weight_(tree_weight),
          teller_(forest, vote, frame.n_rows() > few_rows),
          out_(out) {
        for (std::int32_t i = 0; i < forest.tests.size(); ++i) forest.tests[i].require_fit(frame);
    }

    // Any tests, any columns.
    template <class Number>
    void walk_any(const Number& number, std::size_t begin, std::size_t end) const {
        constexpr std::size_t together = 256;
        const auto own = [&](std::size_t row, std::uint32_t column) {
            if (column >= frame_.n_columns()) throw Error("the forest asks for a column that is not there");
            return number(row, column);
        };
        const auto other = [&](std::size_t row, const TestView& test) {
            return test.ask(test.column_of(frame_), row);
        };
        for (; begin < end; begin += together)
            add_votes(forest_, teller_, tree_weight_, begin, std::min(begin + together, end), own, other,
                      out_);
    }

    // Many rows and binary cuts only: by keys, if they have room for what must be said.
    template <class Real>
    bool keys_do() const {
        std::int64_t largest = 0;
        for (std::size_t t = 0; t < trees(); ++t) largest = std::max(largest, size_of(t));
        const auto tallies = static_cast<std::int64_t>(forest_.tallies.size() / forest_.value_width());
        return frame_.n_rows() > few_rows && forest_.tests.size() == 0 && frame_.n_columns() <= 256 &&
               largest < std::int64_t{1} << 24 && (real() ? largest : tallies) <= KeyHop<Real>::most;
    }
    template <class Real, class Number>
    void walk_keys(const Number& number, Pool& pool) const {
        const std::size_t d = frame_.n_columns();
        const auto hops = std::make_unique_for_overwrite<KeyHop<Real>[]>(forest_.nodes.size());
        const auto hops_of = [&](std::size_t t) {
            return std::span(hops.get() + forest_.begin[t], static_cast<std::size_t>(size_of(t)));
        };
        pool.run(forest_.n_trees(), [&](std::int64_t t, int) {
            fill_hops(forest_.nodes.data() + forest_.begin[t], d, real(), hops_of(t));
        });
        pool.run_blocks(frame_.n_rows(), block_rows, [&](std::size_t begin, std::size_t end) {
            std::vector<Key<Real>> x((end - begin) * d);
            if (!read_keys(number, begin, end, x.data())) return walk_any(number, begin, end);
            std::vector<std::uint32_t> leaf(end - begin), on_the_way(end - begin);
            for (std::size_t t = 0; t < trees(); ++t) {
                walk_together<Real>(hops_of(t), x.data(), d, leaf.size(), leaf.data(), on_the_way.data());
                add_said<Real>(t, hops_of(t), leaf, out_.data() + begin * forest_.value_width());
            }
        });
    }

private:
    static constexpr std::size_t few_rows = 64;

    bool real() const { return forest_.n_classes == 0; }
    std::size_t trees() const { return static_cast<std::size_t>(forest_.n_trees()); }
    std::int64_t size_of(std::size_t t) const { return forest_.begin[t + 1] - forest_.begin[t]; }

    // Adds what the leaves of tree t say that rows have come to.
    template <class Real>
    void add_said(std::size_t t, std::span<const KeyHop<Real>> hops, const std::vector<std::uint32_t>& leaf,
                  double* to) const {
        const double weight = tree_weight_[t];
        const std::size_t width = forest_.value_width();
        if (!real() && width == 2) {
            for (std::size_t i = 0; i < leaf.size(); ++i)
                teller_.add_pair(hops[leaf[i]].says(), weight, to + 2 * i);
            return;
        }
        for (std::size_t i = 0; i < leaf.size(); ++i, to += width) {
            const std::uint32_t said = hops[leaf[i]].says();
            if (real())
                teller_.add(forest_.nodes[forest_.begin[t] + said], weight, to);
            else
                teller_.add_tally(said, weight, to);
        }
    }

    const Forest& forest_;
    const Frame& frame_;
    std::span<const double> tree_weight_;
    Teller teller_;
    std::span<double> out_;
};

}  // namespace

void sum_votes(const Forest& forest, const Frame& frame, std::span<const double> tree_weight, Vote vote,
               Pool& pool, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    const Poll poll(forest, frame, tree_weight, vote, out);
    with_numbers(frame, std::vector<char>(frame.n_columns(), 1), [&](const auto& number) {
        using Real = typename std::remove_cvref_t<decltype(number)>::Real;
        if constexpr (!std::is_void_v<Real>)
            if (poll.keys_do<Real>()) return poll.walk_keys<Real>(number, pool);
        pool.run_blocks(frame.n_rows(), 1024,
                        [&](std::size_t begin, std::size_t end) { poll.walk_any(number, begin, end); });
    });
}

}  // namespace bosco
