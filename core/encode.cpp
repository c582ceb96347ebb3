// Encoding: every numeric column gets 8-bit codes that are monotone in its values.
//
// Edges come from a sample; a row's code is the number of edges below its value. If every value
// met is an edge, the codes are ranks and the column is dense. Otherwise it is coarse: a code is
// a bin, and the raw values behind it are looked at where the choice needs them (refine).
// The edges decide the speed only: any edges lead to the same tree.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "column.hpp"
#include "parallel.hpp"

namespace bosco {
namespace {

constexpr std::size_t sample_rows = 8192;
constexpr std::size_t block_rows = 2048;
constexpr int grid_size = 4096;

// Finds the code of a value: a grid gives the first edge that can matter, mostly the only one.
struct Edges {
    std::vector<double> upper;        // code i+1 holds (upper[i-1], upper[i]]
    double low = 0, per_cell = 0;     // the grid
    std::vector<std::uint8_t> first;  // per grid cell: edges below the cell's lower end ...
    std::vector<std::uint8_t> last;   // ... and below its upper end

    void build_grid() {
        first.assign(grid_size, 0);
        last.assign(grid_size, static_cast<std::uint8_t>(upper.size()));
        std::vector<double> finite;
        for (const double u : upper)
            if (std::isfinite(u)) finite.push_back(u);
        if (finite.size() < 2) return;
        const double width = finite.back() / grid_size - finite.front() / grid_size;
        if (!(width > 0) || !std::isfinite(1 / width)) return;
        low = finite.front();
        per_cell = 1 / width;
        // Cells are monotone in the value, so counting edges by their own cell is exact.
        std::vector<int> in_cell(grid_size, 0);
        for (const double u : upper) ++in_cell[static_cast<std::size_t>(cell(u))];
        int below = 0;
        for (int g = 0; g < grid_size; ++g) {
            first[static_cast<std::size_t>(g)] = static_cast<std::uint8_t>(below);
            below += in_cell[static_cast<std::size_t>(g)];
            last[static_cast<std::size_t>(g)] = static_cast<std::uint8_t>(below);
        }
    }
    int cell(double x) const {
        const double at = (x - low) * per_cell;
        // Comparisons written so that NaN falls through to 0.
        return at > 0 ? (at < grid_size - 1 ? static_cast<int>(at) : grid_size - 1) : 0;
    }
    std::uint32_t code(double x) const {
        const auto g = static_cast<std::size_t>(cell(x));
        std::uint32_t i = first[g];
        const std::uint32_t end = last[g];
        if (end - i <= 1) return 1 + i + ((i < end) & (upper[i < end ? i : 0] < x));
        return 1 + static_cast<std::uint32_t>(
                       std::lower_bound(upper.begin() + i, upper.begin() + end, x) - upper.begin());
    }
};

Edges make_edges(const Raw& raw, std::size_t n_rows, int max_bins) {
    const std::size_t n = std::min(n_rows, sample_rows);
    std::vector<double> sample;
    sample.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        // Spread over all rows; 64-bit product, no overflow below 2^50 rows.
        const double x = raw.at(n == n_rows ? i : i * n_rows / n);
        if (x == x) sample.push_back(x);
    }
    std::sort(sample.begin(), sample.end());
    std::vector<double> distinct(sample);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    Edges edges;
    const auto bins = static_cast<std::size_t>(max_bins);
    if (distinct.size() <= bins) {
        edges.upper = distinct;
    } else {
        for (std::size_t i = 1; i < bins; ++i) {
            const double e = sample[i * sample.size() / bins];
            if (edges.upper.empty() || e > edges.upper.back()) edges.upper.push_back(e);
        }
    }
    if (edges.upper.empty()) edges.upper.push_back(0);  // nothing known: no value meets it
    edges.build_grid();
    return edges;
}

// Codes of rows [begin, end); returns false if a value was not an edge.
template <class T>
bool encode_block(const Raw& raw, const Edges& edges, std::uint8_t* out, std::size_t begin,
                  std::size_t end) {
    bool exact = true;
    const std::size_t last = edges.upper.size();
    const double* upper = edges.upper.data();
    for (std::size_t row = begin; row < end; ++row) {
        const auto x = static_cast<double>(raw.as<T>(row));
        const std::uint32_t code = edges.code(x);
        exact &= (code <= last && upper[code <= last ? code - 1 : 0] == x) | (x != x);
        out[row] = x == x ? static_cast<std::uint8_t>(code) : 0;
    }
    return exact;
}

template <class T>
bool any_nan(const Raw& raw, std::size_t n) {
    for (std::size_t row = 0; row < n; ++row)
        if (raw.as<T>(row) != raw.as<T>(row)) return true;
    return false;
}

}  // namespace

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
    c.n_codes = n_codes;
    if (ordered)
        for (std::uint32_t i = 0; i < n_codes; ++i) c.values.push_back(i);
    // A code beyond the domain would index outside every table: checked here, once.
    for (std::size_t row = 0; row < n_rows_; ++row)
        if (c.code(row) > n_codes) throw Error("a code is larger than the number of levels");
    columns_.push_back(std::move(c));
}

bool Frame::has_missing(std::uint32_t j) const {
    const Column& c = column(j);
    if (c.width != 0) {
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (c.code(row) == 0) return true;
        return false;
    }
    if (c.raw.dtype == DType::f32) return any_nan<float>(c.raw, n_rows_);
    if (c.raw.dtype == DType::f64) return any_nan<double>(c.raw, n_rows_);
    return false;
}

void Frame::encode(int n_threads, int max_bins, const std::function<void()>& poll) {
    if (encoded_) return;
    if (max_bins < 2 || max_bins > 255) throw Error("max_bins must lie in 2..255");
    std::vector<std::uint32_t> numeric;
    for (std::uint32_t j = 0; j < n_columns(); ++j)
        if (columns_[j].kind == ColumnKind::numeric) numeric.push_back(j);
    const bool small = n_rows_ * numeric.size() < 100000;
    Pool pool(small ? 1 : n_threads, poll);

    std::vector<Edges> edges(numeric.size());
    pool.run(static_cast<std::int64_t>(numeric.size()), [&](std::int64_t i, int) {
        const auto at = static_cast<std::size_t>(i);
        Column& c = columns_[numeric[at]];
        edges[at] = make_edges(c.raw, n_rows_, max_bins);
        c.owned_codes = std::make_unique_for_overwrite<std::byte[]>(n_rows_);
    });
    std::vector<std::atomic<bool>> inexact(numeric.size());
    // Blocks of rows, all columns: a row-major matrix is read from memory once.
    const std::size_t blocks = (n_rows_ + block_rows - 1) / block_rows;
    pool.run(static_cast<std::int64_t>(blocks), [&](std::int64_t block, int) {
        const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
        const std::size_t end = std::min(n_rows_, begin + block_rows);
        for (std::size_t i = 0; i < numeric.size(); ++i) {
            Column& c = columns_[numeric[i]];
            auto* out = reinterpret_cast<std::uint8_t*>(c.owned_codes.get());
            const bool exact = c.raw.visit([&](auto type) {
                return encode_block<decltype(type)>(c.raw, edges[i], out, begin, end);
            });
            if (!exact) inexact[i].store(true, std::memory_order_relaxed);
        }
    });
    for (std::size_t i = 0; i < numeric.size(); ++i) {
        Column& c = columns_[numeric[i]];
        c.codes = c.owned_codes.get();
        c.width = 1;
        c.coarse = inexact[i].load();
        c.values = std::move(edges[i].upper);
        c.n_codes = static_cast<std::uint32_t>(c.values.size()) + (c.coarse ? 1 : 0);
    }
    encoded_ = true;
}

}  // namespace bosco
