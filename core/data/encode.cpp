// Encoding: every numeric column gets 8-bit codes that are monotone in its values.
//
// Edges come from a sample; a row's code is the number of edges below its value, plus one. If
// every value met is an edge, the codes are ranks and the column is dense. Otherwise it is coarse:
// a code is a bin, and the raw values behind it are looked at where the choice needs them (refine).
// The edges decide the speed only: any edges lead to the same tree.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include "data/blocks.hpp"
#include "data/column.hpp"
#include "data/machine.hpp"
#include "data/parallel.hpp"
#include "data/spread.hpp"

namespace bosco {
namespace {

constexpr std::size_t sample_rows = 8192, least_sample = 256;
constexpr std::size_t rows_per_sample = 16;  // the smaller the table, the less its bins are used
constexpr std::size_t block_rows = 512;
constexpr std::size_t least_grid = 512, most_grid = 4096;
constexpr int most_steps = 8;

// Finds codes: an even grid over the edges gives the first edge that can matter, then as many
// steps as a cell of the grid has edges lead to the right one.
struct Edges {
    std::vector<double> upper;        // code i+1 holds (upper[i-1], upper[i]]; +inf at the end
    std::vector<std::uint8_t> first;  // per cell of the grid: the edges below it
    double low = 0, per_cell = 0, last_cell = most_grid - 1;
    int steps = 0;      // 0: the grid does not help, search
    bool ranks = true;  // the sample had no value that is not an edge

    std::size_t n() const { return upper.size() - 1; }

    // When all edges are there.
    void close() {
        if (upper.empty()) upper.push_back(0);  // nothing known: no value meets it
        upper.push_back(std::numeric_limits<double>::infinity());
        build_grid();
    }
    void build_grid() {
        const double cells = last_cell + 1;
        first.assign(static_cast<std::size_t>(cells), 0);
        steps = 0;
        const double top = upper[n() - 1], bottom = upper[0];
        const double width = top / cells - bottom / cells;
        if (!(width > 0) || !std::isfinite(width) || !std::isfinite(1 / width)) return;
        low = bottom;
        per_cell = 1 / width;
        // Cells are monotone in the value, so counting edges by their own cell is exact.
        for (std::size_t i = 0; i < n(); ++i) ++first[static_cast<std::size_t>(cell(upper[i]))];
        int below = 0;
        for (std::uint8_t& edges : first) {
            const int here = edges;
            edges = static_cast<std::uint8_t>(below);
            below += here;
            steps = std::max(steps, here);
        }
        if (steps > most_steps) steps = 0;
    }
    // Compared so that NaN and infinities stay inside the grid.
    int cell(double x) const {
        const double at = (x - low) * per_cell;
        return static_cast<int>(at > 0 ? (at < last_cell ? at : last_cell) : 0);
    }
};

// The known values of n rows spread over all, sorted, and the different ones among them.
struct Drawn {
    std::vector<double> all, different;

    Drawn(const Raw& raw, std::size_t n_rows, std::size_t n) {
        struct Item {
            double value;
        };
        std::vector<Item> known, aside;
        known.reserve(n);
        std::vector<std::size_t> rows(n);
        const double step = static_cast<double>(n_rows) / static_cast<double>(n);
        for (std::size_t i = 0; i < n; ++i)
            rows[i] = n == n_rows ? i : static_cast<std::size_t>(static_cast<double>(i) * step);
        each_in_order(
            raw, n_rows, rows, [](std::size_t row) { return row; },
            [&](std::size_t, double x) {
                if (x == x) known.push_back({x});
            });
        sort_spread(known.data(), known.data() + known.size(), aside);
        all.resize(known.size());
        std::ranges::transform(known, all.begin(), &Item::value);
        different.resize(all.size());
        different.erase(std::ranges::unique_copy(all, different.begin()).out, different.end());
    }
};

Edges make_edges(const Raw& raw, std::size_t n_rows, int max_bins) {
    const auto bins = static_cast<std::size_t>(max_bins);
    const std::size_t most = std::min(n_rows, sample_rows);
    std::size_t n = std::min(most, std::max(least_sample, n_rows / rows_per_sample));
    Drawn drawn(raw, n_rows, n);
    // Few different values: look at more rows, in the hope of ranks.
    if (n < most && drawn.different.size() < bins) drawn = Drawn(raw, n_rows, n = most);
    Edges edges;
    // A grid of more cells than that costs more to make than it saves.
    edges.last_cell = static_cast<double>(std::clamp(n_rows, least_grid, most_grid) - 1);
    edges.upper = std::move(drawn.different);
    // Ranks need every value among the codes; unless all rows were sampled, keep one code for
    // values above the largest edge.
    if (edges.upper.size() > (n == n_rows ? bins : bins - 1)) {
        edges.upper.clear();
        edges.ranks = false;
        for (std::size_t i = 1; i < bins; ++i) {
            const double e = drawn.all[i * drawn.all.size() / bins];
            if (edges.upper.empty() || e > edges.upper.back()) edges.upper.push_back(e);
        }
    }
    edges.close();
    return edges;
}

Edges edges_from(const GivenEdges& given) {
    Edges edges;
    edges.ranks = !given.coarse;
    edges.upper = given.values;
    const auto descends = [](double a, double b) { return !(a < b); };
    if (edges.upper.size() > (given.coarse ? 254 : 255) ||
        std::adjacent_find(edges.upper.begin(), edges.upper.end(), descends) != edges.upper.end())
        throw Error("edges must ascend, and at most 255 codes come of them");
    edges.close();
    return edges;
}

// What a block of values was like.
struct Met {
    bool exact = true;     // every value is an edge (asked only where ranks are hoped for)
    bool missing = false;  // some value is NaN
};

// Codes of n values.
BOSCO_CLONES Met encode_block(const double* x, std::size_t n, const Edges& edges, std::byte* out,
                              std::size_t stride) {
    std::int32_t code[block_rows];
    const double* const upper = edges.upper.data();
    const auto last = static_cast<std::int32_t>(edges.n());
    if (edges.steps > 0) {
        for (std::size_t i = 0; i < n; ++i) code[i] = edges.cell(x[i]);
        for (std::size_t i = 0; i < n; ++i) code[i] = edges.first[code[i]];
        for (int step = 0; step < edges.steps; ++step)
            for (std::size_t i = 0; i < n; ++i) code[i] += upper[code[i]] < x[i];
    } else {
        for (std::size_t i = 0; i < n; ++i)
            code[i] = static_cast<std::int32_t>(std::lower_bound(upper, upper + last, x[i]) - upper);
    }
    Met met{edges.ranks, false};
    if (edges.ranks)
        for (std::size_t i = 0; i < n; ++i)
            met.exact &= ((code[i] < last) & (upper[code[i]] == x[i])) | (x[i] != x[i]);
    for (std::size_t i = 0; i < n; ++i) met.missing |= x[i] != x[i];
    for (std::size_t i = 0; i < n; ++i)
        out[i * stride] = x[i] == x[i] ? static_cast<std::byte>(code[i] + 1) : std::byte{0};
    return met;
}

// A numeric column while it gets its codes.
struct Coding {
    const Raw* raw = nullptr;
    std::size_t n_rows = 0;
    std::byte* codes = nullptr;
    std::size_t stride = 0;
    Edges edges;
    std::atomic<bool> inexact{false}, missing{false};
    struct Missed {
        double value;
        std::size_t row;
    };
    std::vector<Missed> missed;  // where ranks are hoped for: rows whose values are no edges
    std::mutex noting;

    // Codes of the rows from `begin` on, the first of them at `to`.
    void code_block(std::size_t begin, std::byte* to) {
        double x[block_rows];
        const std::size_t n = std::min(n_rows - begin, block_rows);
        raw->visit([&](auto type) {
            using T = decltype(type);
            for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(raw->as<T>(begin + k));
        });
        const Met met = encode_block(x, n, edges, to, stride);
        if (!met.exact) {
            inexact.store(true, std::memory_order_relaxed);
            if (edges.ranks) note_missed(begin, x, n, to);
        }
        if (met.missing) missing.store(true, std::memory_order_relaxed);
    }

    // Notes the rows of a block whose values are none of the edges, as long as they are few.
    void note_missed(std::size_t begin, const double* x, std::size_t n, const std::byte* at) {
        const std::lock_guard lock(noting);
        for (std::size_t k = 0; k < n && missed.size() <= most_missed(); ++k) {
            const auto code = std::to_integer<std::size_t>(at[k * stride]);
            if (code != 0 && (code > edges.n() || edges.upper[code - 1] != x[k]))
                missed.push_back({x[k], begin + k});
        }
    }
    std::size_t most_missed() const { return 1024 + n_rows / 16; }

    // Ranks were hoped for, but the sample missed some values: makes them edges too, if that is not too many.
    void complete(std::size_t bins) {
        if (!inexact || !edges.ranks || missed.size() > most_missed()) return;
        std::ranges::sort(missed, {}, &Missed::value);
        std::vector<double> upper;
        for (const Missed& m : missed)
            if (upper.empty() || upper.back() != m.value) upper.push_back(m.value);
        if (edges.n() + upper.size() > bins) return;
        const std::vector<double> before(edges.upper.begin(), edges.upper.end() - 1);
        upper.insert(upper.end(), edges.upper.begin(), edges.upper.end());
        std::ranges::sort(upper);
        edges.upper = std::move(upper);
        const auto code_of = [&](double x) {
            const auto at = std::ranges::lower_bound(edges.upper, x) - edges.upper.begin();
            return static_cast<std::byte>(at + 1);
        };
        std::array<std::byte, 256> now{};  // by code as it was
        for (std::size_t i = 0; i < before.size(); ++i) now[i + 1] = code_of(before[i]);
        for (std::size_t row = 0; row < n_rows; ++row) {
            std::byte& code = codes[row * stride];
            code = now[std::to_integer<std::size_t>(code)];
        }
        for (const Missed& m : missed) codes[m.row * stride] = code_of(m.value);
        inexact = false;
    }

    // The column with its codes.
    void finish(Column& c) {
        c.codes = codes;
        c.code_stride = stride;
        c.width = 1;
        c.coarse = inexact || !edges.ranks;  // also without any row
        c.missing = missing;
        c.values = std::move(edges.upper);
        c.values.pop_back();  // the infinity
        c.n_codes = static_cast<std::uint32_t>(c.values.size()) + (c.coarse ? 1 : 0);
    }
};

// Codes of the rows [begin, end) in all columns; those that lie in a file are made aside, and put there.
void code_rows(std::vector<Coding>& codings, const Pages& codes, std::size_t begin, std::size_t end) {
    const std::size_t d = codings.size();
    for (const Coding& c : codings) expect_after(*c.raw, begin, c.n_rows);
    std::vector<std::byte> aside(codes.get_deleter().in_file ? (end - begin) * d : 0);
    std::byte* const to = aside.empty() ? codes.get() + begin * d : aside.data();
    for (std::size_t at = begin; at < end; at += block_rows)
        for (std::size_t i = 0; i < d; ++i) codings[i].code_block(at, to + (at - begin) * d + i);
    for (const Coding& c : codings) c.raw->leave(begin, end);
    put(codes, begin * d, aside.data(), aside.size());
}

template <class T>
bool any_nan(const Raw& raw, std::size_t n) {
    for (std::size_t row = 0; row < n; ++row)
        if (raw.as<T>(row) != raw.as<T>(row)) return true;
    return false;
}

}  // namespace

Frame::Frame(const Frame& like, std::size_t n_rows, const std::vector<Raw>& raw)
    : n_rows_(n_rows), columns_(like.columns_), scratch_(like.scratch_) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        columns_[j].raw = raw[j];
        columns_[j].codes = nullptr;
    }
}

void Frame::add_numeric(Raw raw) {
    Column c;
    c.kind = ColumnKind::numeric;
    c.raw = raw;
    columns_.push_back(std::move(c));
}

void Frame::add_coded(const std::byte* codes, int width, std::uint32_t n_codes, bool ordered) {
    Column c;
    c.kind = ordered ? ColumnKind::ordinal : ColumnKind::nominal;
    c.codes = codes;
    c.width = width;
    c.code_stride = static_cast<std::size_t>(width);
    c.n_codes = n_codes;
    if (ordered)
        for (std::uint32_t i = 0; i < n_codes; ++i) c.values.push_back(i);
    // A code beyond the domain would index outside every table: checked here, once.
    for (std::size_t row = 0; row < n_rows_; ++row) {
        const std::uint32_t code = c.code(row);
        if (code > n_codes) throw Error("a code is larger than the number of levels");
        c.missing |= code == 0;
    }
    columns_.push_back(std::move(c));
}

void Frame::release_codes() {
    codes_.reset();
    encoded_ = false;
    for (Column& c : columns_)
        if (c.kind == ColumnKind::numeric) c.codes = nullptr;
}

bool Frame::has_missing(std::uint32_t j) const {
    const Column& c = column(j);
    if (c.width > 0) return c.missing;
    if (c.raw.dtype == DType::f32) return any_nan<float>(c.raw, n_rows_);
    if (c.raw.dtype == DType::f64) return any_nan<double>(c.raw, n_rows_);
    if (c.raw.dtype != DType::stored) return false;
    const std::span stored(reinterpret_cast<const double*>(c.raw.data), c.raw.rows.size());
    return std::ranges::any_of(stored, [](double x) { return x != x; });
}

bool Frame::has_sparse() const {
    return std::ranges::any_of(columns_, [](const Column& c) { return c.raw.dtype == DType::stored; });
}

bool Frame::has_missing() const {
    for (std::uint32_t j = 0; j < n_columns(); ++j)
        if (has_missing(j)) return true;
    return false;
}

void Frame::encode(int n_threads, int max_bins, const std::function<void()>& poll,
                   const std::vector<GivenEdges>* given) {
    if (encoded_) return;
    if (given != nullptr && given->size() != n_columns()) throw Error("there must be edges for each column");
    if (max_bins < 2 || max_bins > 255) throw Error("max_bins must lie in 2..255");
    std::vector<std::uint32_t> numeric;
    for (std::uint32_t j = 0; j < n_columns(); ++j)
        if (columns_[j].kind == ColumnKind::numeric) numeric.push_back(j);
    const std::size_t d = numeric.size();
    Pool pool(n_rows_ * d < 100000 ? 1 : n_threads, poll);
    for (const std::uint32_t j : numeric)
        if (const Raw& raw = columns_[j].raw; raw.in_file && raw.stride > 0)
            read_as_asked(raw.data, n_rows_ * static_cast<std::size_t>(raw.stride));
    codes_ = pages(std::max<std::size_t>(1, n_rows_ * d), scratch_);
    std::vector<Coding> codings(d);
    const auto n_codings = static_cast<std::int64_t>(d);
    pool.run(n_codings, [&](std::int64_t i, int) {
        Coding& c = codings[i];
        c.raw = &columns_[numeric[i]].raw;
        c.n_rows = n_rows_;
        c.codes = codes_.get() + i;
        c.stride = d;
        c.edges = given != nullptr ? edges_from((*given)[numeric[i]]) : make_edges(*c.raw, n_rows_, max_bins);
    });
    // Blocks of rows, all columns: a row-major matrix is read from memory once.
    pool.run_blocks(n_rows_, scratch_.empty() ? block_rows : rows_in_block,
                    [&](std::size_t begin, std::size_t end) { code_rows(codings, codes_, begin, end); });
    pool.run(n_codings, [&](std::int64_t i, int) {
        Coding& c = codings[i];
        if (given != nullptr && c.inexact && c.edges.ranks)
            throw Error("column " + std::to_string(numeric[i]) + " has a value that is none of those given");
        c.complete(static_cast<std::size_t>(max_bins));
    });
    for (std::size_t i = 0; i < d; ++i) codings[i].finish(columns_[numeric[i]]);
    encoded_ = true;
}

}  // namespace bosco
