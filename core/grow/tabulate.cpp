#include "grow/tabulate.hpp"

#include <algorithm>
#include <bit>

namespace bosco {
namespace {

constexpr std::size_t block_rows = 512;

// The targets of a block, taken out of the records once for all columns.
struct Block {
    std::uint64_t packed[block_rows];
    std::uint32_t cls[block_rows], row[block_rows];
    Count weight[block_rows], sum[block_rows], samples[block_rows];
    double squares[block_rows];
};

void load_block(const Rows& rows, const HistogramLayout& layout, const std::byte* r, std::size_t n,
                Block& block) {
    const std::size_t stride = rows.stride();
    if (layout.packed()) {
        for (std::size_t i = 0; i < n; ++i, r += stride)
            block.packed[i] = static_cast<std::uint64_t>(rows.weight(r)) << (32 * Rows::class_of(r));
        return;
    }
    const bool real = rows.shape().classes == 0;
    for (std::size_t i = 0; i < n; ++i, r += stride) {
        block.weight[i] = rows.weight(r);
        if (rows.shape().several()) {
            block.row[i] = Rows::row(r);
        } else if (real) {
            block.sum[i] = rows.sum(r);
            const double s = static_cast<double>(block.sum[i]);
            block.squares[i] = s * s / static_cast<double>(block.weight[i]);
        } else {
            block.cls[i] = Rows::class_of(r);
        }
        if (rows.shape().apart) block.samples[i] = rows.samples(r);
    }
}

template <class Code>
void count_block(const Rows& rows, const HistogramLayout& layout, const std::byte* at, std::size_t n,
                 const Block& block, std::uint64_t* h) {
    const std::size_t stride = rows.stride();
    const auto cell = static_cast<std::size_t>(layout.cell());
    const Shape shape = rows.shape();
    const auto code = [&](std::size_t i) {
        return static_cast<std::size_t>(Rows::load<Code>(at + i * stride));
    };
    if (layout.packed()) {
        for (std::size_t i = 0; i < n; ++i) h[code(i)] += block.packed[i];
    } else if (shape.classes > 0) {
        for (std::size_t i = 0; i < n; ++i)
            h[code(i) * cell + block.cls[i]] += static_cast<std::uint64_t>(block.weight[i]);
    } else if (shape.several()) {
        for (std::size_t i = 0; i < n; ++i) {
            auto* const to = reinterpret_cast<Count*>(h + code(i) * cell);
            to[0] += block.weight[i];
            rows.target().add_numbers(to, block.row[i], block.weight[i]);
        }
    } else {
        const std::size_t last = cell - 1;
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t* c = h + code(i) * cell;
            c[0] += static_cast<std::uint64_t>(block.weight[i]);
            c[1] += static_cast<std::uint64_t>(block.sum[i]);
            c[last] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(c[last]) + block.squares[i]);
        }
    }
    if (shape.apart) {
        const auto slot = static_cast<std::size_t>(shape.tally());
        for (std::size_t i = 0; i < n; ++i)
            h[code(i) * cell + slot] += static_cast<std::uint64_t>(block.samples[i]);
    }
}

std::size_t column_size(const Column& c, int cell) {
    return (std::size_t{c.n_codes} + 1) * static_cast<std::size_t>(cell);
}

}  // namespace

HistogramLayout::HistogramLayout(const Rows& rows) {
    const Shape shape = rows.shape();
    squares_ = shape.classes == 0 && !shape.several();
    packed_ = shape.classes == 2 && !shape.apart && rows.weight() < (Count{1} << 32);
    cell_ = packed_ ? 1 : shape.slots() + (squares_ ? 1 : 0);
    for (std::uint32_t j = 0; j < rows.frame().n_columns(); ++j) {
        offset_.push_back(size_);
        size_ += column_size(rows.frame().column(j), cell_);
    }
}

void tabulate(const Rows& rows, const HistogramLayout& layout, Segment segment,
              std::span<const std::uint32_t> columns, std::uint64_t* histogram) {
    for (const std::uint32_t j : columns)
        std::fill_n(histogram + layout.offset(j), column_size(rows.frame().column(j), layout.cell()), 0);
    Block block;
    for (std::size_t begin = 0; begin < segment.n; begin += block_rows) {
        const std::size_t n = std::min(block_rows, segment.n - begin);
        const std::byte* records = segment.data + begin * rows.stride();
        load_block(rows, layout, records, n, block);
        for (const std::uint32_t j : columns) {
            const std::byte* at = records + rows.code_at(j);
            std::uint64_t* h = histogram + layout.offset(j);
            switch (rows.frame().column(j).width) {
                case 1: count_block<std::uint8_t>(rows, layout, at, n, block, h); break;
                case 2: count_block<std::uint16_t>(rows, layout, at, n, block, h); break;
                default: count_block<std::uint32_t>(rows, layout, at, n, block, h);
            }
        }
    }
}

void subtract(const HistogramLayout& layout, const Frame& frame, std::uint32_t column, std::uint64_t* from,
              const std::uint64_t* what) {
    std::uint64_t* a = from + layout.offset(column);
    const std::uint64_t* b = what + layout.offset(column);
    const std::size_t n = column_size(frame.column(column), layout.cell());
    if (!layout.squares()) {
        for (std::size_t i = 0; i < n; ++i) a[i] -= b[i];
        return;
    }
    const auto cell = static_cast<std::size_t>(layout.cell());
    for (std::size_t i = 0; i < n; i += cell) {
        for (std::size_t k = 0; k + 1 < cell; ++k) a[i + k] -= b[i + k];
        // Rounded upwards by more than both sums can be wrong: bounds must not become too low.
        const double whole = std::bit_cast<double>(a[i + cell - 1]);
        const double part = std::bit_cast<double>(b[i + cell - 1]);
        const double rest = std::max(0.0, whole - part) + 1e-10 * whole;
        a[i + cell - 1] = std::bit_cast<std::uint64_t>(rest);
    }
}

namespace {

// Two counts to a word: room for all codes first, then one step without a branch for each.
void read_packed(const std::uint64_t* h, const Column& c, Table& table) {
    const auto zeros = [](std::uint64_t both) { return static_cast<Count>(both & 0xffffffffu); };
    const auto ones = [](std::uint64_t both) { return static_cast<Count>(both >> 32); };
    table.missing[0] = zeros(*h), table.missing[1] = ones(*h);
    table.codes.resize(c.n_codes);
    table.cells.resize(2 * std::size_t{c.n_codes});
    std::size_t n = 0;
    for (std::uint32_t code = 1; code <= c.n_codes; ++code) {
        table.codes[n] = code;
        table.cells[2 * n] = zeros(h[code]), table.cells[2 * n + 1] = ones(h[code]);
        n += h[code] != 0 ? 1 : 0;
    }
    table.codes.resize(n);
    table.cells.resize(2 * n);
    if (c.ordered() && !c.coarse)
        for (const std::uint32_t code : table.codes) table.values.push_back(c.value(code));
}

}  // namespace

void read_table(const Rows& rows, const HistogramLayout& layout, std::uint32_t column,
                const std::uint64_t* histogram, Table& table, std::vector<double>* squares) {
    const Column& c = rows.frame().column(column);
    const Shape shape = rows.shape();
    const std::uint64_t* h = histogram + layout.offset(column);
    const auto cell = static_cast<std::size_t>(layout.cell());
    const auto slots = static_cast<std::size_t>(shape.slots());
    table.reset(shape);
    table.n_codes = c.n_codes;
    if (layout.packed()) {
        read_packed(h, c, table);
        if (squares != nullptr) squares->assign(table.codes.size(), 0.0);
        return;
    }
    if (squares != nullptr) squares->clear();
    for (std::uint32_t code = 0; code <= c.n_codes; ++code, h += cell) {
        // A code is present if any weight fell on it (weights are positive).
        const std::size_t weights = shape.classes > 0 ? static_cast<std::size_t>(shape.classes) : 1;
        if (std::all_of(h, h + weights, [](std::uint64_t x) { return x == 0; })) continue;
        Count* const to = code == 0 ? table.missing.data() : table.push(code);
        for (std::size_t k = 0; k < slots; ++k) to[k] = static_cast<Count>(h[k]);
        if (code == 0) continue;
        if (c.ordered() && !c.coarse) table.values.push_back(c.value(code));
        if (squares != nullptr)
            squares->push_back(layout.squares() ? std::bit_cast<double>(h[cell - 1]) : 0.0);
    }
}

void count_table(const Rows& rows, Segment segment, std::uint32_t column, Table& table) {
    const Column& c = rows.frame().column(column);
    table.reset(rows.shape());
    table.n_codes = c.n_codes;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order(segment.n);
    for (std::size_t i = 0; i < segment.n; ++i)
        order[i] = {rows.code(segment.data + i * rows.stride(), column), static_cast<std::uint32_t>(i)};
    std::sort(order.begin(), order.end());
    Count* cell = table.missing.data();
    std::uint32_t current = 0;
    for (const auto& [code, i] : order) {
        if (code != current) {
            current = code;
            cell = table.push(code);
            if (c.ordered()) table.values.push_back(c.value(code));
        }
        rows.add_to(cell, segment.data + i * rows.stride());
    }
}

}  // namespace bosco
