// Vectors are written as the compiler's own (GCC, Clang), so that one text serves every machine. It is
// compiled for vectors of 64, 32 and 16 bytes, and what the machine has is taken at run time; narrow vectors
// take the tests of a batch in several goes, so that all machines see the same batches.
#include "search/sweep.hpp"

#include <algorithm>
#include <limits>

#include "data/machine.hpp"

// Everything is inlined: no vector crosses a call.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace bosco::search {
namespace {

template <class Lane, int Bytes>
struct Vector {
    using Type [[gnu::vector_size(Bytes)]] = Lane;
    using Word [[gnu::vector_size(Bytes)]] = std::uint32_t;
    static constexpr int lanes = Bytes / static_cast<int>(sizeof(Lane));
    static constexpr int batch = 64 / static_cast<int>(sizeof(Lane));
};

template <class V>
[[gnu::always_inline]] inline void lower(V& a, const V& b) {
    a = a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline void raise(V& a, const V& b) {
    a = a > b ? a : b;
}

// What both kernels know of their batch: the tests [from, from + lanes).
template <class Lane, int Bytes, bool Weighted>
struct Batch {
    using V = typename Vector<Lane, Bytes>::Type;
    using Word = typename Vector<Lane, Bytes>::Word;

    const std::uint32_t* masks;
    const Count* weights;
    const Count* samples;
    V bits{}, left{}, right{}, samples_left{}, samples_right{};

    [[gnu::always_inline]] Batch(const SweepJob& job, int from)
        : masks(job.masks), weights(job.group->weights.data()), samples(job.group->samples.data()) {
        for (int i = 0; i < Vector<Lane, Bytes>::lanes; ++i) {
            const int lane = from + i;
            bits[i] = static_cast<Lane>(1u << (Vector<Lane, Bytes>::batch == 32 ? lane / 2 : lane));
            left[i] = static_cast<Lane>(job.left[lane]);
            right[i] = static_cast<Lane>(job.group->weight - job.left[lane]);
            samples_left[i] = static_cast<Lane>(job.samples[lane]);
            samples_right[i] = static_cast<Lane>(job.group->sample_count - job.samples[lane]);
        }
    }
    // All ones where a row goes left. (A word is as wide as a mask; of two short lanes that share one, each
    // has its half.)
    [[gnu::always_inline]] V goes_left(Entry e) const {
        return (reinterpret_cast<V>(Word{} + masks[row_of(e)]) & bits) != 0;
    }
    [[gnu::always_inline]] Lane weight(Entry e) const {
        if constexpr (Weighted) return static_cast<Lane>(weights[row_of(e)]);
        return 1;
    }
    [[gnu::always_inline]] Lane sample(Entry e) const {
        return samples == nullptr ? Lane{1} : static_cast<Lane>(samples[row_of(e)]);
    }
};

template <class V, class Member>
[[gnu::always_inline]] inline void store(const V& from, Sides* to, int lanes, Member member, int side) {
    for (int i = 0; i < lanes; ++i) (to[i].*member)[side] = from[i];
}

// Two classes. With s the weight of class 1 less that of class 0 on one side of a cut, and N0, N1 those of
// all, the two leaves get N0 + s wrong, or N1 - s: the least and the largest s are all that is needed.
template <class Lane, int Bytes, bool Weighted, bool Least>
[[gnu::always_inline]] inline void two_classes(SweepJob& job, int from) {
    using B = Batch<Lane, Bytes, Weighted>;
    using V = typename B::V;
    const B b(job, from);
    constexpr Lane far = std::numeric_limits<Lane>::max() / 2;
    const std::uint32_t n = job.group->size;
    const Lane least = static_cast<Lane>(job.least);
    const V zero{};
    V low_l{}, high_l{}, low_r{}, high_r{}, all_l{}, all_r{};
    // The same of the cuts that leave enough samples.
    V kept_low_l = zero + far, kept_high_l = zero - far, kept_low_r = kept_low_l, kept_high_r = kept_high_l;
    const V sign[2] = {zero - 1, zero + 1};

    for (const Strip& strip : job.strips) {
        const Entry* const list = strip.list;
        V s{}, both{}, count{}, count_both{};
        const auto add = [&](Entry e) __attribute__((always_inline)) {
            const V k = b.goes_left(e);
            if constexpr (Weighted) {
                const Lane w = label_of(e) ? b.weight(e) : static_cast<Lane>(-b.weight(e));
                const V v = zero + w;
                both += v;
                s += k & v;
            } else {
                const V v = sign[label_of(e)];
                both += v;
                s += k & v;
            }
            if constexpr (Least) {
                const V c = zero + b.sample(e);
                count_both += c;
                count += k & c;
            }
        };
        if (strip.shape == Strip::Shape::levels) {
            V* const level = job.scratch->room<V>(strip.n_levels * 4);
            std::uint32_t at = 0;
            for (std::uint32_t i = 0; i < n; ++i) {
                add(list[i]);
                if (!ends(list[i])) continue;
                level[at] = s, level[at + 1] = both - s;
                if constexpr (Least) level[at + 2] = count, level[at + 3] = count_both - count;
                at += 4;
                s = both = count = count_both = zero;
            }
            all_l = all_r = zero;
            for (std::uint32_t i = 0; i < at; i += 4) all_l += level[i], all_r += level[i + 1];
            V l{}, r{}, cl{}, cr{};
            for (const std::int16_t step : strip.program) {
                if (step > 0) {
                    const V* const v = level + 4 * (step - 1);
                    l += v[0], r += v[1];
                    if constexpr (Least) cl += v[2], cr += v[3];
                } else if (step < 0) {
                    const V* const v = level + 4 * (-step - 1);
                    l -= v[0], r -= v[1];
                    if constexpr (Least) cl -= v[2], cr -= v[3];
                } else {
                    lower(low_l, l), raise(high_l, l), lower(low_r, r), raise(high_r, r);
                    if constexpr (Least) {
                        const V okay_l = (cl >= least) & (b.samples_left - cl >= least);
                        const V okay_r = (cr >= least) & (b.samples_right - cr >= least);
                        lower(kept_low_l, okay_l ? l : kept_low_l);
                        raise(kept_high_l, okay_l ? l : kept_high_l);
                        lower(kept_low_r, okay_r ? r : kept_low_r);
                        raise(kept_high_r, okay_r ? r : kept_high_r);
                    }
                }
            }
            continue;
        }
        for (std::uint32_t i = 0; i < strip.missing; ++i) add(list[i]);
        const V missing_l = s, missing_r = both - s;
        s = both = zero;
        V ll{}, hl{}, lr{}, hr{};
        const auto look = [&] __attribute__((always_inline)) {
            const V r = both - s;
            lower(ll, s), raise(hl, s), lower(lr, r), raise(hr, r);
        };
        if constexpr (Least) {
            for (std::uint32_t i = strip.missing; i < n; ++i) {
                add(list[i]);
                if (!ends(list[i])) continue;
                look();
                const V r = both - s, cr = count_both - count;
                const V okay_l = (count >= least) & (b.samples_left - count >= least);
                const V okay_r = (cr >= least) & (b.samples_right - cr >= least);
                lower(kept_low_l, okay_l ? s : kept_low_l);
                raise(kept_high_l, okay_l ? s : kept_high_l);
                lower(kept_low_r, okay_r ? r : kept_low_r);
                raise(kept_high_r, okay_r ? r : kept_high_r);
            }
        } else if (strip.shape == Strip::Shape::distinct) {
            for (std::uint32_t i = strip.missing; i < n; ++i) {
                add(list[i]);
                look();
            }
        } else if (strip.shape == Strip::Shape::few) {
            for (std::uint32_t i = strip.missing; i < n; ++i) {
                add(list[i]);
                if (ends(list[i])) look();
            }
        } else {
            for (std::uint32_t i = strip.missing; i < n; ++i) {
                add(list[i]);
                const V end = zero - static_cast<Lane>(list[i] & 1), r = both - s;
                lower(ll, end ? s : ll), raise(hl, end ? s : hl);
                lower(lr, end ? r : lr), raise(hr, end ? r : hr);
            }
        }
        // The missing rows on the left of all these cuts, or on the right.
        lower(low_l, ll), raise(high_l, hl), lower(low_r, lr), raise(high_r, hr);
        all_l = missing_l + s, all_r = missing_r + (both - s);
        if (strip.missing > 0) {
            const V a = ll + missing_l, c = hl + missing_l, d = lr + missing_r, e = hr + missing_r;
            lower(low_l, a), raise(high_l, c), lower(low_r, d), raise(high_r, e);
        }
    }
    const auto finish = [&](const V& weight, const V& all, const V& low, const V& high, const V& kept_low,
                            const V& kept_high, int side) __attribute__((always_inline)) {
        // Half of weight + all, both even or both odd; their sum may be too large.
        const V ones = (weight >> 1) + (all >> 1) + (weight & all & 1), zeros = weight - ones;
        V leaf = ones;
        lower(leaf, zeros);
        V stump = leaf, other = ones - high;
        lower(stump, zeros + low), lower(stump, other);
        constexpr int lanes = Vector<Lane, Bytes>::lanes;
        store(leaf, job.out + from, lanes, &Sides::leaf, side);
        store(stump, job.out + from, lanes, &Sides::stump, side);
        if constexpr (Least) {
            stump = leaf, other = ones - kept_high;
            lower(stump, zeros + kept_low), lower(stump, other);
        }
        store(stump, job.out + from, lanes, &Sides::kept, side);
    };
    finish(b.left, all_l, low_l, high_l, kept_low_l, kept_high_l, 0);
    finish(b.right, all_r, low_r, high_r, kept_low_r, kept_high_r, 1);
}

// More classes: what two leaves get right is the largest class of one plus that of the other. A class only
// grows along a list, so the largest one does, too; a pass forwards keeps it, one backwards adds it up.
template <class Lane, int Bytes, bool Weighted, bool Least>
[[gnu::always_inline]] inline void many_classes(SweepJob& job, int from) {
    using B = Batch<Lane, Bytes, Weighted>;
    using V = typename B::V;
    const B b(job, from);
    const std::uint32_t n = job.group->size;
    const int k = job.classes;
    const Lane least = static_cast<Lane>(job.least);
    const V zero{};
    V best_l{}, best_r{}, kept_l{}, kept_r{}, leaf_l{}, leaf_r{};
    const auto judge = [&](const V& l, const V& r, const V& cl, const V& cr) __attribute__((always_inline)) {
        raise(best_l, l), raise(best_r, r);
        if constexpr (Least) {
            const V okay_l = (cl >= least) & (b.samples_left - cl >= least);
            const V okay_r = (cr >= least) & (b.samples_right - cr >= least);
            raise(kept_l, okay_l ? l : zero), raise(kept_r, okay_r ? r : zero);
        }
    };
    for (const Strip& strip : job.strips) {
        const Entry* const list = strip.list;
        // [class][side], then what else a strip needs.
        const std::size_t cells = 2 * static_cast<std::size_t>(k);
        const bool levels = strip.shape == Strip::Shape::levels;
        V* const counts = job.scratch->room<V>(levels ? (cells + 2) * (strip.n_levels + 2)
                                                      : cells + 4 * static_cast<std::size_t>(n));
        V* const kept = counts + cells + (levels ? 2 : 0);
        for (std::size_t i = 0; i < cells; ++i) counts[i] = zero;
        V most_l{}, most_r{}, count{}, count_both{};
        const auto add = [&](Entry e) __attribute__((always_inline)) {
            const V goes = b.goes_left(e), v = zero + b.weight(e), l = goes & v;
            V* const own = counts + 2 * label_of(e);
            own[0] += l, own[1] += v - l;
            raise(most_l, own[0]), raise(most_r, own[1]);
            if constexpr (Least) {
                const V c = zero + b.sample(e);
                count_both += c, count += goes & c;
            }
        };
        if (levels) {
            // Tallies of the levels, then of all; what is on the left while the program runs.
            V* level = kept;
            V* const all = kept + (cells + 2) * strip.n_levels;
            for (std::size_t i = 0; i < cells; ++i) all[i] = zero;
            for (std::uint32_t i = 0; i < n; ++i) {
                add(list[i]);
                if (!ends(list[i])) continue;
                for (std::size_t c = 0; c < cells; ++c)
                    level[c] = counts[c], all[c] += counts[c], counts[c] = zero;
                level[cells] = count, level[cells + 1] = count_both - count;
                count = count_both = zero;
                level += cells + 2;
            }
            counts[cells] = counts[cells + 1] = zero;
            leaf_l = leaf_r = zero;
            for (int c = 0; c < k; ++c) raise(leaf_l, all[2 * c]), raise(leaf_r, all[2 * c + 1]);
            for (const std::int16_t step : strip.program) {
                const V* const v =
                    kept + (cells + 2) * static_cast<std::size_t>(step < 0 ? -step - 1 : step - 1);
                if (step > 0) {
                    for (std::size_t c = 0; c < cells + 2; ++c) counts[c] += v[c];
                } else if (step < 0) {
                    for (std::size_t c = 0; c < cells + 2; ++c) counts[c] -= v[c];
                } else {
                    V in_l{}, in_r{}, out_l{}, out_r{};
                    for (int c = 0; c < k; ++c) {
                        const V l = counts[2 * c], r = counts[2 * c + 1];
                        raise(in_l, l), raise(in_r, r);
                        const V rest_l = all[2 * c] - l, rest_r = all[2 * c + 1] - r;
                        raise(out_l, rest_l), raise(out_r, rest_r);
                    }
                    judge(in_l + out_l, in_r + out_r, counts[cells], counts[cells + 1]);
                }
            }
            continue;
        }
        std::size_t at = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            add(list[i]);
            if (!ends(list[i])) continue;
            kept[at] = most_l, kept[at + 1] = most_r;
            if constexpr (Least) kept[at + 2] = count, kept[at + 3] = count_both - count;
            at += Least ? 4 : 2;
        }
        leaf_l = most_l, leaf_r = most_r;
        for (std::size_t i = 0; i < cells; ++i) counts[i] = zero;
        most_l = most_r = zero;
        at -= Least ? 4 : 2;
        for (std::uint32_t i = n - 1; i > 0; --i) {
            add(list[i]);
            if (!ends(list[i - 1])) continue;
            at -= Least ? 4 : 2;
            judge(most_l + kept[at], most_r + kept[at + 1], Least ? kept[at + 2] : zero,
                  Least ? kept[at + 3] : zero);
        }
    }
    raise(best_l, leaf_l), raise(best_r, leaf_r), raise(kept_l, leaf_l), raise(kept_r, leaf_r);
    if constexpr (!Least) kept_l = best_l, kept_r = best_r;
    constexpr int lanes = Vector<Lane, Bytes>::lanes;
    Sides* const out = job.out + from;
    const V wrong[6] = {b.left - leaf_l,  b.right - leaf_r, b.left - best_l,
                        b.right - best_r, b.left - kept_l,  b.right - kept_r};
    for (int side = 0; side < 2; ++side) {
        store(wrong[side], out, lanes, &Sides::leaf, side);
        store(wrong[2 + side], out, lanes, &Sides::stump, side);
        store(wrong[4 + side], out, lanes, &Sides::kept, side);
    }
}

template <class Lane, int Bytes, bool Many, bool Weighted, bool Least>
[[gnu::always_inline]] inline void all_lanes(SweepJob& job) {
    for (int from = 0; from < Vector<Lane, Bytes>::batch; from += Vector<Lane, Bytes>::lanes) {
        if constexpr (Many)
            many_classes<Lane, Bytes, Weighted, Least>(job, from);
        else
            two_classes<Lane, Bytes, Weighted, Least>(job, from);
    }
}

template <class Lane, bool Many, bool Weighted, bool Least>
struct Machines {
    BOSCO_TARGET("avx512bw,avx512vl") static void widest(SweepJob& job) {
        all_lanes<Lane, 64, Many, Weighted, Least>(job);
    }
    BOSCO_TARGET("avx2") static void wide(SweepJob& job) { all_lanes<Lane, 32, Many, Weighted, Least>(job); }
    static void any(SweepJob& job) { all_lanes<Lane, 16, Many, Weighted, Least>(job); }

    static auto best() {
        if (machine_has_avx512()) return &widest;
        return machine_has_avx2() ? &wide : &any;
    }
};

template <class Lane, bool Many>
auto choose(bool weighted, bool least) {
    if (weighted)
        return least ? Machines<Lane, Many, true, true>::best() : Machines<Lane, Many, true, false>::best();
    return least ? Machines<Lane, Many, false, true>::best() : Machines<Lane, Many, false, false>::best();
}

}  // namespace

Sweep::Sweep(const Cases& cases, Count weight, Count samples, Count least) {
    const bool weighted = !cases.weight.empty(), limited = least > 1, many = cases.classes > 2;
    // Half of the room is kept free for sums that stand for "none".
    const Count most = std::max(weight, limited ? std::max(samples, least) : 0);
    const auto fits = [&](auto lane) {
        return most <= std::numeric_limits<decltype(lane)>::max() / (limited ? 4 : 1);
    };
    const auto take = [&](auto lane) {
        using Lane = decltype(lane);
        width_ = 64 / static_cast<int>(sizeof(Lane));
        run_ = many ? choose<Lane, true>(weighted, limited) : choose<Lane, false>(weighted, limited);
    };
    if (fits(std::int16_t{}))
        take(std::int16_t{});
    else if (fits(std::int32_t{}))
        take(std::int32_t{});
    else
        take(std::int64_t{});
}

}  // namespace bosco::search
