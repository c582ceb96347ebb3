// A column at a node: its codes counted, then the best test of them.
#include <algorithm>
#include <bit>

#include "data/machine.hpp"
#include "grow/abacus.hpp"
#include "grow/twoclass.hpp"

namespace bosco {
namespace {

constexpr std::size_t block = 32;

// Of the cuts k, k + 1, … the first block of which one comes near the lead, so far as blocks are whole. What
// falls short of it by more than floats can tell does not.
BOSCO_CLONES std::size_t near_block(const std::uint32_t* up_to, std::size_t k, std::size_t end, int total,
                                    int ones, float least) {
    for (; k + block <= end; k += block) {
        int near = 0;
#pragma GCC unroll 1  // or else it is unrolled before it can become a loop over vectors
        for (std::size_t i = 0; i < block; ++i) {
            const int w = static_cast<int>(up_to[k + i] & 0xffff), l = static_cast<int>(up_to[k + i] >> 16);
            const auto d = static_cast<float>(l * total - ones * w), q = static_cast<float>(w * (total - w));
            near |= d * d >= least * q ? 1 : 0;
        }
        if (near != 0) break;
    }
    return k;
}

}  // namespace

void Abacus::count(std::uint32_t column, std::span<const std::uint16_t> rows) {
    const Column& c = rows_.frame().column(column);
    if (!c.coarse && c.n_codes < 16)
        count_few<16>(codes(column), c.n_codes, rows);
    else if (!c.coarse && c.n_codes < 128 && rows.size() >= 128)
        count_few<128>(codes(column), c.n_codes, rows);
    else
        count_many(codes(column), rows);
}

// Few codes: sums that need not wait for each other.
template <std::size_t room>
void Abacus::count_few(const Code* code, std::uint32_t n_codes, std::span<const std::uint16_t> rows) {
    constexpr std::size_t sums = 4;
    Pair sum[sums][room] = {};
    std::size_t i = 0;
    for (; i + sums <= rows.size(); i += sums)
        for (std::size_t k = 0; k < sums; ++k) sum[k][code[rows[i + k]]] += pair_[rows[i + k]];
    for (; i < rows.size(); ++i) sum[0][code[rows[i]]] += pair_[rows[i]];
    n_groups_ = 0;
    Pair all = 0;
    for (std::size_t k = 0; k <= n_codes; ++k) {
        const Pair here = sum[0][k] + sum[1][k] + sum[2][k] + sum[3][k];
        all += here;
        group_[n_groups_] = static_cast<Code>(k);
        up_to_[n_groups_] = all;
        n_groups_ += here != 0;
    }
}

// Many: the bits of those present lead to them in order.
void Abacus::count_many(const Code* code, std::span<const std::uint16_t> rows) {
    for (const std::uint16_t row : rows) {
        const Code c = code[row];
        if (counts_[c] == 0) {
            present_[c / 64] |= std::uint64_t{1} << c % 64;
            any_present_[c / 4096] |= std::uint64_t{1} << c / 64 % 64;
        }
        counts_[c] += pair_[row];
    }
    Code* group = group_.data();
    Pair* up_to = up_to_.data();
    Pair sum = 0;
    for (std::size_t a = 0; a < any_present_.size(); ++a)
        for (std::uint64_t any = std::exchange(any_present_[a], 0); any != 0; any &= any - 1) {
            const std::size_t b = a * 64 + static_cast<std::size_t>(std::countr_zero(any));
            for (std::uint64_t word = std::exchange(present_[b], 0); word != 0; word &= word - 1) {
                const std::size_t c = b * 64 + static_cast<std::size_t>(std::countr_zero(word));
                sum += std::exchange(counts_[c], 0);
                *group++ = static_cast<Code>(c);
                *up_to++ = sum;
            }
        }
    n_groups_ = static_cast<std::size_t>(group - group_.data());
}

void Abacus::lead(Lead::Kind kind, std::uint32_t column, double decrease, double net) {
    lead_.kind = kind;
    lead_.column = column;
    lead_.decrease = decrease;
    lead_.net = net;
    lead_.pure = false;
}

void Abacus::look_at_cuts(std::uint32_t column, const Node& node) {
    const Count least = std::max(node.limits.samples, node.limits.weight), total = node.judge->weight();
    TwoClassRace race(*node.judge, lead_.net);
    std::size_t at = 0, k = 0, end = n_groups_ - 1;
    while (k < end && weight_of(up_to_[k]) < least) ++k;
    while (k < end && total - weight_of(up_to_[end - 1]) < least) --end;
    while (k < end) {
        k = near_block(up_to_.data(), k, end, static_cast<int>(total),
                       static_cast<int>(node.judge->node()[1]),
                       static_cast<float>(race.limit() * (1 - 1e-6)));
        for (const std::size_t stop = std::min(end, k + block); k < stop; ++k)
            if (race.offer(ones_of(up_to_[k]), weight_of(up_to_[k]))) at = k;
    }
    if (!race.any()) return;
    lead(Lead::cut, column, race.decrease(), race.decrease());
    lead_.weight = race.weight();
    lead_.low = group_[at];
    lead_.high = group_[at + 1];
    lead_.pure = race.pure();
}

// Two sets of levels: a prefix of them in the order of their shares of the second class.
void Abacus::look_at_levels(std::uint32_t column, const Node& node) {
    const Judge& judge = *node.judge;
    const Count least = std::max(node.limits.samples, node.limits.weight), total = judge.weight();
    keys_.clear();
    for (std::size_t k = 0; k < n_groups_; ++k) {
        // Shares that differ do so by more than 2^-30, as weights have 15 bits.
        const std::uint64_t share = (static_cast<std::uint64_t>(ones_of(group(k))) << 31) /
                                    static_cast<std::uint64_t>(weight_of(group(k)));
        keys_.push_back(share << 16 | k);
    }
    std::sort(keys_.begin(), keys_.end());
    const double charge =
        subset_charge(growth_, node, static_cast<int>(n_groups_)) * static_cast<double>(total);
    const double needed = lead_.net + charge;  // by about as much as rounding can tell
    TwoClassRace race(judge, needed > 0 ? needed * (1 - 1e-12) : nothing);
    std::size_t found = 0;
    Pair sum = 0;
    for (std::size_t k = 0; k + 1 < keys_.size(); ++k) {
        sum += group(keys_[k] & 0xffff);
        const Count w = weight_of(sum);
        if (w >= least && total - w >= least && race.offer(ones_of(sum), w)) found = k;
    }
    if (!race.any() || race.decrease() - charge <= lead_.net) return;
    lead(Lead::levels, column, race.decrease(), race.decrease() - charge);
    lead_.weight = race.weight();
    lead_.left.clear();
    for (std::size_t k = 0; k <= found; ++k) lead_.left.push_back(group_[keys_[k] & 0xffff]);
}

// Missing rows, or a test of another kind: by a table, as everywhere.
void Abacus::look_at_table(std::uint32_t column, const Node& node) {
    const Column& c = rows_.frame().column(column);
    table_.reset(shape_);
    table_.n_codes = c.n_codes;
    for (std::size_t k = 0; k < n_groups_; ++k) {
        const Code code = group_[k];
        Count* const cell = code == 0 ? table_.missing.data() : table_.push(code);
        cell[0] = weight_of(group(k)) - ones_of(group(k));
        cell[1] = ones_of(group(k));
        if (c.ordered() && code != 0) table_.values.push_back(value(column, code));
    }
    Candidate candidate = propose(table_, node, growth_, static_cast<int>(column), c.ordered());
    if (!candidate.found) return;
    const double net = candidate.net(static_cast<double>(node.judge->weight()));
    if (net <= lead_.net) return;
    lead(Lead::other, column, candidate.decrease, net);
    lead_.candidate = std::move(candidate);
}

void Abacus::look(std::uint32_t column, const Node& node) {
    if (group_[0] == 0)
        look_at_table(column, node);
    else if (rows_.frame().column(column).ordered())
        look_at_cuts(column, node);
    else if (growth_.nominal_test == NominalTest::subset)
        look_at_levels(column, node);
    else
        look_at_table(column, node);
}

}  // namespace bosco
