#include "data/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "data/machine.hpp"
#include "data/parallel.hpp"
#include "data/random.hpp"
#include "data/spread.hpp"

namespace bosco {
namespace {

constexpr std::size_t block_rows = 64;  // whose values stay in the nearest cache, also row by row
constexpr std::uint64_t absent = 0x7FF8000000000000ull;
constexpr std::uint64_t stir = 0xD6E8FEB86659FD93ull;  // odd: nothing is lost by multiplying

std::uint64_t bits_of(double x) {
    return x == x ? std::bit_cast<std::uint64_t>(x + 0.0) : absent;  // -0 + 0 is 0
}

std::uint64_t stirred(std::uint64_t hash, std::uint64_t bits) {
    hash = (hash ^ bits) * stir;
    return hash ^ (hash >> 32);
}

// Values side by side, of which several are taken at once.
BOSCO_CLONES void add_values(const double* x, std::size_t n, std::uint64_t* hash) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(x[i] + 0.0);
        const std::uint64_t h = (hash[i] ^ (x[i] == x[i] ? bits : absent)) * stir;
        hash[i] = h ^ (h >> 32);
    }
}

void add_numbers(const Raw& raw, std::size_t begin, std::size_t n, std::uint64_t* hash) {
    raw.visit([&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_same_v<T, double>) {
            const bool aligned = reinterpret_cast<std::uintptr_t>(raw.data) % alignof(double) == 0;
            if (raw.stride == sizeof(double) && aligned)
                return add_values(reinterpret_cast<const double*>(raw.data) + begin, n, hash);
        }
        double x[block_rows];
        for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(raw.as<T>(begin + i));
        add_values(x, n, hash);
    });
}

// A key to be sorted: of 40 bits, which a double holds.
struct Spread {
    double value;
};

// The first bits of a row's hash, then bits of its hash and its truth.
std::uint64_t key_of(std::uint64_t hash, const Truth& truth, std::size_t row) {
    const std::uint64_t first = hash >> (64 - column_bits) << truth_bits;
    if (!truth.known()) return first;
    const std::uint64_t said = truth.classes.empty() ? bits_of(truth.numbers[row]) : truth.classes[row];
    return first | mix(hash, said) >> (64 - truth_bits);
}

}  // namespace

std::vector<std::uint64_t> row_keys(const Frame& frame, const Truth& truth, std::uint64_t seed, int n_threads,
                                    const std::function<void()>& poll) {
    const std::size_t n = frame.n_rows();
    if (truth.known() && truth.size() != n) throw Error("frame and target differ in rows");
    std::vector<std::uint64_t> keys(n);
    Pool pool(n * frame.n_columns() < 100000 ? 1 : n_threads, poll);
    pool.run_blocks(n, block_rows, [&](std::size_t begin, std::size_t end) {
        const std::size_t size = end - begin;
        std::uint64_t* const here = keys.data() + begin;
        std::fill_n(here, size, seed);
        for (std::uint32_t j = 0; j < frame.n_columns(); ++j) {
            const Column& column = frame.column(j);
            if (column.kind == ColumnKind::numeric)
                add_numbers(column.raw, begin, size, here);
            else
                for (std::size_t i = 0; i < size; ++i) here[i] = stirred(here[i], column.code(begin + i));
        }
        for (std::size_t i = 0; i < size; ++i)
            here[i] = key_of(mix(here[i], frame.n_columns()), truth, begin + i);
    });
    return keys;
}

Fingerprint fingerprint(const std::vector<std::uint64_t>& keys, std::size_t most) {
    constexpr std::uint64_t all = std::uint64_t{1} << (column_bits + truth_bits);
    // Keys are spread evenly: the smallest are likely to be below this. Where many are the same, more
    // have to be looked at.
    double reach = 1.2 * static_cast<double>(all) * static_cast<double>(std::max<std::size_t>(most, 1));
    reach /= static_cast<double>(std::max<std::size_t>(keys.size(), 1));
    for (;; reach *= 4) {
        const std::uint64_t end = reach < static_cast<double>(all) ? static_cast<std::uint64_t>(reach) : all;
        Fingerprint found;
        std::vector<Spread> here, aside;
        for (const std::uint64_t key : keys)
            if (key < end) here.push_back({static_cast<double>(key)});
        sort_spread(here.data(), here.data() + here.size(), aside);
        found.keys.reserve(here.size());
        for (const Spread key : here) found.keys.push_back(static_cast<std::uint64_t>(key.value));
        found.keys.erase(std::unique(found.keys.begin(), found.keys.end()), found.keys.end());
        if (found.keys.size() > most) {  // rows of equal columns are kept all or none
            found.below = found.keys[most] >> truth_bits;
            const auto last =
                std::lower_bound(found.keys.begin(), found.keys.end(), found.below << truth_bits);
            found.keys.erase(last, found.keys.end());
            return found;
        }
        if (end == all) return found;
    }
}

}  // namespace bosco
