#include "data/ranks.hpp"

#include <bit>

#include "grow/valueorder.hpp"

namespace bosco {

Ranks::Ranks(const Frame& frame, Pool& pool) : bits_(static_cast<int>(std::bit_width(frame.n_rows()))) {
    for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
        if (frame.column(j).coarse) columns_.push_back(j);
    const std::size_t n = frame.n_rows(), d = columns_.size();
    ranks_ = room(n * d * sizeof(std::uint32_t), frame.scratch());
    auto* const ranks = reinterpret_cast<std::uint32_t*>(ranks_.get());
    std::vector<ValueOrder> orders(static_cast<std::size_t>(pool.size()));
    pool.run(static_cast<std::int64_t>(d), [&](std::int64_t k, int thread) {
        const Column& c = frame.column(columns_[k]);
        ValueOrder& order = orders[thread];
        order.sort(c, n, [](std::size_t i) { return i; }, [&](std::size_t i) { return c.code(i); });
        order.each([&](std::size_t, std::uint32_t i, std::uint32_t rank) {
            ranks[std::size_t{i} * d + static_cast<std::size_t>(k)] = rank;
        });
    });
}

}  // namespace bosco
