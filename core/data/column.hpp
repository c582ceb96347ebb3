// A column as the core sees it: raw values behind, integer codes in front.
//   codes: 0 missing, 1..n_codes in order of value (numeric, ordinal) or of level (nominal).
//   dense: every code is one value. coarse: a code is a bin of many values; raw values refine it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/error.hpp"
#include "data/pages.hpp"

namespace bosco {

enum class DType : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, stored };

// The value of a row of a sparse column, which keeps only some: the others are 0.
struct Stored {
    double value;
    operator double() const { return value; }
};

// A strided view of raw numbers; the owner keeps them alive. Of a sparse column: float64 numbers side by
// side, `rows` being the rows that have them, ascending.
struct Raw {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;  // bytes
    DType dtype = DType::f64;
    bool in_file = false;  // which the system maps into memory
    std::span<const std::int32_t> rows;

    template <class T>
    T as(std::size_t row) const {
        if constexpr (std::is_same_v<T, Stored>) {
            const auto at = std::ranges::lower_bound(rows, static_cast<std::int32_t>(row));
            const bool found = at != rows.end() && *at == static_cast<std::int32_t>(row);
            return {found ? reinterpret_cast<const double*>(data)[at - rows.begin()] : 0.0};
        }
        T value;  // copied: the caller's memory need not be aligned
        std::memcpy(&value, data + static_cast<std::ptrdiff_t>(row) * stride, sizeof value);
        return value;
    }
    // Calls f with a value of the stored type, so that a loop is dispatched once.
    template <class F>
    decltype(auto) visit(F&& f) const {
        switch (dtype) {
            case DType::f32: return f(float{});
            case DType::i8: return f(std::int8_t{});
            case DType::i16: return f(std::int16_t{});
            case DType::i32: return f(std::int32_t{});
            case DType::i64: return f(std::int64_t{});
            case DType::u8: return f(std::uint8_t{});
            case DType::u16: return f(std::uint16_t{});
            case DType::u32: return f(std::uint32_t{});
            case DType::u64: return f(std::uint64_t{});
            case DType::stored: return f(Stored{});
            case DType::f64: break;
        }
        return f(double{});
    }
    double at(std::size_t row) const {
        return visit([&](auto type) { return static_cast<double>(as<decltype(type)>(row)); });
    }
    std::size_t size() const {  // bytes of a value
        return visit([](auto type) { return sizeof type; });
    }
    // Of rows that lie in a file one behind the other: they will be asked for soon; not for a while.
    void expect(std::size_t begin, std::size_t end) const {
        if (in_file && stride > 0) expect_in_file(data + begin * stride, (end - begin) * stride);
    }
    void leave(std::size_t begin, std::size_t end) const {
        if (in_file && stride > 0) leave_in_file(data + begin * stride, (end - begin) * stride);
    }
};

// Rows of files are read in blocks, which fit into memory for all columns.
constexpr std::size_t rows_in_block = std::size_t{1} << 16;

enum class ColumnKind : std::uint8_t { numeric, ordinal, nominal };

struct Column {
    ColumnKind kind = ColumnKind::numeric;
    Raw raw;                           // numeric only
    int width = 0;                     // bytes per code: 1, 2, 4; 0: not encoded yet
    const std::byte* codes = nullptr;  // n_rows codes, `code_stride` bytes apart
    std::size_t code_stride = 0;
    std::uint32_t n_codes = 0;
    bool coarse = false;
    bool missing = false;        // has a row no value? Known once there are codes
    std::vector<double> values;  // of codes 1..n_codes (dense), or upper edges of bins (coarse)

    bool ordered() const { return kind != ColumnKind::nominal; }
    std::uint32_t code(std::size_t row) const {
        const std::byte* at = codes + row * code_stride;
        switch (width) {
            case 1: return std::to_integer<std::uint32_t>(*at);
            case 2: return *reinterpret_cast<const std::uint16_t*>(at);
            default: return *reinterpret_cast<const std::uint32_t*>(at);
        }
    }
    double value(std::uint32_t code) const { return values[code - 1]; }
    // A row's value as a number: levels of a nominal column by their code, NaN where it is missing.
    double number(std::size_t row) const {
        if (kind == ColumnKind::numeric) return raw.at(row);
        const std::uint32_t own = code(row);
        if (own == 0) return std::numeric_limits<double>::quiet_NaN();
        return ordered() ? value(own) : own;
    }
};

// The codes that a numeric column is to have: its values, or (coarse) the upper edges of all bins but the
// last, as `Column::values` has them. Of columns with levels nothing is read.
struct GivenEdges {
    std::vector<double> values;
    bool coarse = false;
};

class Frame {
public:
    explicit Frame(std::size_t n_rows) : n_rows_(n_rows) {}
    // The columns of another frame without their codes, and other rows behind them.
    Frame(const Frame& like, std::size_t n_rows, const std::vector<Raw>& raw);
    Frame(Frame&&) = default;  // owns its codes: moved, not copied
    Frame(const Frame&) = delete;

    std::size_t n_rows() const { return n_rows_; }
    std::uint32_t n_columns() const { return static_cast<std::uint32_t>(columns_.size()); }
    const Column& column(std::uint32_t j) const { return columns_.at(j); }
    bool encoded() const { return encoded_; }
    // Where what is made of the rows lies: a folder, or in memory ("").
    const std::string& scratch() const { return scratch_; }
    void lie_in(std::string folder) { scratch_ = std::move(folder); }

    void add_numeric(Raw raw);
    void add_coded(const std::byte* codes, int width, std::uint32_t n_codes, bool ordered);
    // Gives every numeric column codes: ranks if it has at most max_bins values, else coarse bins; or, in
    // the order of the columns, by edges that are given. `poll` is called now and then on the calling
    // thread and throws to stop.
    void encode(int n_threads, int max_bins, const std::function<void()>& poll = {},
                const std::vector<GivenEdges>* given = nullptr);
    bool has_missing(std::uint32_t j) const;  // quick where the column has, or had, codes
    bool has_missing() const;                 // any column
    bool has_sparse() const;
    // Gives back the memory of the numeric columns' codes: encode again before the next use.
    void release_codes();

private:
    std::size_t n_rows_;
    std::vector<Column> columns_;
    std::string scratch_;
    Pages codes_;  // of all numeric columns, row by row
    bool encoded_ = false;
};

}  // namespace bosco
