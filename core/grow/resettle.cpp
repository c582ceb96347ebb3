#include "grow/resettle.hpp"

#include <algorithm>

#include "data/blocks.hpp"
#include "grow/swap.hpp"

namespace bosco {
namespace {

std::vector<std::uint32_t> coarse_columns(const Frame& frame) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
        if (frame.column(j).coarse) columns.push_back(j);
    return columns;
}

std::size_t bytes_of(const Frame& frame, const std::vector<std::uint32_t>& columns) {
    std::size_t bytes = 0;
    for (const auto j : columns) bytes += frame.column(j).raw.size();
    return bytes;
}

}  // namespace

bool far_apart(const Rows& rows, const Tuning& tuning) {
    const Frame& frame = rows.frame();
    if (frame.scratch().empty()) return false;
    return rows.n_rows() * (rows.stride() + bytes_of(frame, coarse_columns(frame))) > tuning.together_bytes;
}

bool movable(const Rows& rows, const Growth& growth) {
    return !rows.fractional() && growth.missing != Missing::surrogate;
}

Home::Home(const Rows& from, Segment segment, const std::vector<Raw>& raw)
    : frame_(from.frame(), segment.n, raw), target_(from.target()), rows_(from, segment, frame_, target_) {
    const std::size_t n = segment.n;
    const bool weighted = !target_.weight.empty(), apart = !target_.count.empty();
    (target_.real() ? y_.resize(n) : classes_.resize(n));
    weight_.resize(weighted ? n : 0);
    count_.resize(apart ? n : 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::byte* r = segment.data + i * from.stride();
        if (target_.real())
            y_[i] = from.sum(r) / from.weight(r);  // exact: it is a multiple
        else
            classes_[i] = Rows::class_of(r);
        if (weighted) weight_[i] = from.weight(r);
        if (apart) count_[i] = from.samples(r);
    }
    target_.classes = classes_;
    target_.y = y_;
    target_.weight = weight_;
    target_.count = count_;
}

Resettled::Resettled(const Rows& rows, std::vector<Segment> nodes, Pool* pool)
    : rows_(rows), nodes_(std::move(nodes)), columns_(coarse_columns(rows.frame())) {
    row_bytes_ = bosco::bytes_of(rows.frame(), columns_);
    std::size_t all = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        first_.push_back(all);
        all += (bytes_of(i) + 7) / 8 * 8;
    }
    values_ = pages(std::max<std::size_t>(all, 1), rows.frame().scratch());
    if (values_.get_deleter().in_file) read_as_asked(values_.get(), all);
    const auto each = [&](std::size_t n, const auto& work) {
        if (pool != nullptr)
            pool->run(static_cast<std::int64_t>(n),
                      [&](std::int64_t i, int) { work(static_cast<std::size_t>(i)); });
        else
            for (std::size_t i = 0; i < n; ++i) work(i);
    };
    std::vector<std::vector<Stretch>> stretches(nodes_.size());
    each(nodes_.size(), [&](std::size_t i) { stretches[i] = sort(nodes_[i]); });
    // A block has a few records of each node: what lies around them is not wanted yet.
    for (const Segment& node : nodes_) read_as_asked(node.data, node.n * rows.stride());
    each((rows.frame().n_rows() + rows_in_block - 1) / rows_in_block,
         [&](std::size_t block) { move_block(block, stretches); });
    for (const Segment& node : nodes_) read_ahead(node.data, node.n * rows.stride());
    each(nodes_.size(), [&](std::size_t i) {
        for (std::size_t k = 0; k < nodes_[i].n; ++k) {
            const auto number = static_cast<std::uint32_t>(k);
            std::memcpy(nodes_[i].data + k * rows_.stride(), &number, sizeof number);
        }
    });
}

// Brings the records of a node into the order of their blocks.
std::vector<Resettled::Stretch> Resettled::sort(Segment segment) const {
    const std::size_t stride = rows_.stride(), n = segment.n;
    std::vector<std::size_t> begin((rows_.frame().n_rows() + rows_in_block - 1) / rows_in_block + 1, 0);
    const auto block_of = [&](std::size_t i) { return Rows::row(segment.data + i * stride) / rows_in_block; };
    for (std::size_t i = 0; i < n; ++i) ++begin[block_of(i) + 1];
    for (std::size_t b = 1; b < begin.size(); ++b) begin[b] += begin[b - 1];
    std::vector<Stretch> stretches;
    for (std::size_t b = 0; b + 1 < begin.size(); ++b)
        if (begin[b] < begin[b + 1]) stretches.push_back({b, begin[b]});
    stretches.push_back({begin.size(), n});
    // In place: no more pages are written than the node has. Within a block rows have no order.
    std::vector<std::size_t> next = begin;
    for (std::size_t b = 0; b + 1 < begin.size(); ++b)
        while (next[b] < begin[b + 1]) {
            const std::size_t to = block_of(next[b]);
            if (to != b)
                swap_records(segment.data + next[b] * stride, segment.data + next[to] * stride, stride);
            ++next[to];
        }
    return stretches;
}

void Resettled::move_block(std::size_t block, const std::vector<std::vector<Stretch>>& stretches) {
    const Frame& frame = rows_.frame();
    const std::size_t begin = block * rows_in_block, end = std::min(frame.n_rows(), begin + rows_in_block);
    for (const auto j : columns_) expect_after(frame.column(j).raw, begin, frame.n_rows());
    std::vector<const Stretch*> own_of(nodes_.size(), nullptr);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const auto before = [](const Stretch& s, std::size_t b) { return s.block < b; };
        const auto own = std::lower_bound(stretches[i].begin(), stretches[i].end(), block, before);
        if (own->block != block) continue;
        own_of[i] = &*own;
        expect_in_file(nodes_[i].data + own->begin * rows_.stride(),
                       ((own + 1)->begin - own->begin) * rows_.stride());
    }
    std::vector<std::uint32_t> row;
    std::vector<std::byte> side_by_side;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Stretch* const own = own_of[i];
        if (own == nullptr) continue;
        const std::size_t n = (own + 1)->begin - own->begin;
        row.resize(n);
        const std::byte* r = nodes_[i].data + own->begin * rows_.stride();
        for (std::size_t k = 0; k < n; ++k, r += rows_.stride()) row[k] = Rows::row(r);
        std::size_t to = first_[i];
        for (const auto j : columns_) {
            const Raw& raw = frame.column(j).raw;
            raw.visit([&](auto type) {
                using T = decltype(type);
                side_by_side.resize(n * sizeof(T));
                std::byte* at = side_by_side.data();
                for (std::size_t k = 0; k < n; ++k, at += sizeof(T)) {
                    const T value = raw.as<T>(row[k]);
                    std::memcpy(at, &value, sizeof(T));
                }
                put(values_, to + own->begin * sizeof(T), side_by_side.data(), side_by_side.size());
                to += nodes_[i].n * sizeof(T);
            });
        }
    }
    for (const auto j : columns_) frame.column(j).raw.leave(begin, end);
}

std::vector<Raw> Resettled::raw_of(std::size_t node) const {
    std::vector<Raw> raw(rows_.frame().n_columns());
    const std::byte* at = values_.get() + first_[node];
    // More than a block of rows is read as it is asked for.
    if (values_.get_deleter().in_file && nodes_[node].n <= rows_in_block) expect_in_file(at, bytes_of(node));
    for (const auto j : columns_) {
        const Raw& old = rows_.frame().column(j).raw;
        const std::size_t size = old.size();
        raw[j] = {at, static_cast<std::ptrdiff_t>(size), old.dtype, values_.get_deleter().in_file, {}};
        at += nodes_[node].n * size;
    }
    return raw;
}

void Resettled::leave(std::size_t i) const {
    bosco::leave(values_, first_[i], bytes_of(i));
    rows_.leave(nodes_[i]);
}

}  // namespace bosco
