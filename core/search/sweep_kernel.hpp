// The kernels of a sweep for one width of vectors (SWEEP_BYTES): sweep_any, sweep_wide and sweep_widest
// include them, each compiled for a machine that has such vectors. They are written as the compiler's own
// (GCC, Clang), so that one text serves every machine; narrow ones take the tests of a batch in several goes,
// so that all machines see the same batches. What machine it is must be said of lambdas, too, where they are
// written (SWEEP_INLINE): the compiler takes vectors apart that its machine does not have, before it inlines
// anything.

constexpr int bytes = SWEEP_BYTES;

template <class Lane>
struct Vector {
    using Type [[gnu::vector_size(bytes)]] = Lane;
    using Word [[gnu::vector_size(bytes)]] = std::uint32_t;
    static constexpr int lanes = bytes / static_cast<int>(sizeof(Lane));
    static constexpr int batch = 64 / static_cast<int>(sizeof(Lane));
};

template <class V>
SWEEP_INLINE inline void lower(V& a, const V& b) {
    a = a < b ? a : b;
}
template <class V>
SWEEP_INLINE inline void raise(V& a, const V& b) {
    a = a > b ? a : b;
}

// a where the mask is all ones, b where it is 0. (The compiler takes a condition that is no comparison
// apart.)
template <class V>
SWEEP_INLINE inline V pick(const V& mask, const V& a, const V& b) {
    return (mask & a) | (~mask & b);
}

// What both kernels know of their batch: the tests [from, from + lanes).
template <class Lane, bool Weighted>
struct Batch {
    using V = typename Vector<Lane>::Type;
    using Word = typename Vector<Lane>::Word;

    const std::uint32_t* masks;
    const Count* weights;
    const Count* samples;
    const Count* plain;
    V bits{}, left{}, right{}, samples_left{}, samples_right{};

    SWEEP_INLINE Batch(const SweepJob& job, int from)
        : masks(job.masks),
          weights(job.group->weights.empty() ? nullptr : job.group->weights.data()),
          samples(job.group->samples.empty() ? nullptr : job.group->samples.data()),
          plain(job.group->plain.empty() ? nullptr : job.group->plain.data()) {
        for (int i = 0; i < Vector<Lane>::lanes; ++i) {
            const int lane = from + i;
            bits[i] = static_cast<Lane>(1u << (Vector<Lane>::batch == 32 ? lane / 2 : lane));
            left[i] = static_cast<Lane>(job.left[lane]);
            right[i] = static_cast<Lane>(job.group->weight - job.left[lane]);
            samples_left[i] = static_cast<Lane>(job.samples[lane]);
            samples_right[i] = static_cast<Lane>(job.group->sample_count - job.samples[lane]);
        }
    }
    // All ones where a row goes left. (A word is as wide as a mask; of two short lanes that share one, each
    // has its half.)
    SWEEP_INLINE V goes_left(Entry e) const {
        return (reinterpret_cast<V>(Word{} + masks[row_of(e)]) & bits) != 0;
    }
    // All ones where both so many samples and the others of a side are enough.
    SWEEP_INLINE static V enough(const V& some, const V& all, const V& least) {
        const V one = some >= least, rest = all - some, other = rest >= least;
        return one & other;
    }
    SWEEP_INLINE Lane weight(Entry e) const {
        if constexpr (Weighted) return weights == nullptr ? Lane{1} : static_cast<Lane>(weights[row_of(e)]);
        return 1;
    }
    SWEEP_INLINE Lane sample(Entry e) const {
        return samples == nullptr ? Lane{1} : static_cast<Lane>(samples[row_of(e)]);
    }
};

template <class V, class Member>
SWEEP_INLINE inline void store(const V& from, Sides* to, int lanes, Member member, int side) {
    for (int i = 0; i < lanes; ++i) (to[i].*member)[side] = from[i];
}

// Two classes. With s the weight of class 1 less that of class 0 on one side of a cut, and N0, N1 those of
// all, the two leaves get N0 + s wrong, or N1 - s: the least and the largest s are all that is needed.
template <class Lane, bool Weighted, bool Least>
SWEEP_INLINE inline void two_classes(SweepJob& job, int from) {
    using B = Batch<Lane, Weighted>;
    using V = typename B::V;
    const B b(job, from);
    constexpr Lane far = std::numeric_limits<Lane>::max() / 2;
    const std::uint32_t n = job.group->size;
    const V zero{}, least = zero + static_cast<Lane>(job.least);
    V low_l{}, high_l{}, low_r{}, high_r{}, all_l{}, all_r{};
    // The same of the cuts that leave enough samples.
    V kept_low_l = zero + far, kept_high_l = zero - far, kept_low_r = kept_low_l, kept_high_r = kept_high_l;
    const V sign[2] = {zero - 1, zero + 1};

    for (const Strip& strip : job.strips) {
        const Entry* const list = strip.list;
        V s{}, both{}, count{}, count_both{};
        const auto add = [&](Entry e) SWEEP_INLINE {
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
                        const V okay_l = b.enough(cl, b.samples_left, least);
                        const V okay_r = b.enough(cr, b.samples_right, least);
                        lower(kept_low_l, pick(okay_l, l, kept_low_l));
                        raise(kept_high_l, pick(okay_l, l, kept_high_l));
                        lower(kept_low_r, pick(okay_r, r, kept_low_r));
                        raise(kept_high_r, pick(okay_r, r, kept_high_r));
                    }
                }
            }
            continue;
        }
        for (std::uint32_t i = 0; i < strip.missing; ++i) add(list[i]);
        const V missing_l = s, missing_r = both - s;
        s = both = zero;
        V ll{}, hl{}, lr{}, hr{};
        const auto look = [&] SWEEP_INLINE {
            const V r = both - s;
            lower(ll, s), raise(hl, s), lower(lr, r), raise(hr, r);
        };
        if constexpr (Least) {
            for (std::uint32_t i = strip.missing; i < n; ++i) {
                add(list[i]);
                if (!ends(list[i])) continue;
                look();
                const V r = both - s, cr = count_both - count;
                const V okay_l = b.enough(count, b.samples_left, least);
                const V okay_r = b.enough(cr, b.samples_right, least);
                lower(kept_low_l, pick(okay_l, s, kept_low_l));
                raise(kept_high_l, pick(okay_l, s, kept_high_l));
                lower(kept_low_r, pick(okay_r, r, kept_low_r));
                raise(kept_high_r, pick(okay_r, r, kept_high_r));
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
                lower(ll, pick(end, s, ll)), raise(hl, pick(end, s, hl));
                lower(lr, pick(end, r, lr)), raise(hr, pick(end, r, hr));
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
                            const V& kept_high, int side) SWEEP_INLINE {
        // Half of weight + all, both even or both odd; their sum may be too large.
        const V ones = (weight >> 1) + (all >> 1) + (weight & all & 1), zeros = weight - ones;
        V leaf = ones;
        lower(leaf, zeros);
        V stump = leaf, other = ones - high;
        lower(stump, zeros + low), lower(stump, other);
        constexpr int lanes = Vector<Lane>::lanes;
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
// grows along a list, so the largest one does, too; a pass forwards keeps it, one backwards adds it up. So
// it is with what answers save, where a row adds to that of several.
template <class Lane, bool Weighted, bool Least, bool Savings>
SWEEP_INLINE inline void many_classes(SweepJob& job, int from) {
    using B = Batch<Lane, Weighted>;
    using V = typename B::V;
    const B b(job, from);
    const std::uint32_t n = job.group->size;
    const int k = job.classes;
    const V zero{}, least = zero + static_cast<Lane>(job.least);
    V best_l{}, best_r{}, kept_l{}, kept_r{}, leaf_l{}, leaf_r{};
    const auto judge = [&](const V& l, const V& r, const V& cl, const V& cr) SWEEP_INLINE {
        raise(best_l, l), raise(best_r, r);
        if constexpr (Least) {
            const V okay_l = b.enough(cl, b.samples_left, least);
            const V okay_r = b.enough(cr, b.samples_right, least);
            raise(kept_l, pick(okay_l, l, zero)), raise(kept_r, pick(okay_r, r, zero));
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
        const auto add = [&](Entry e) SWEEP_INLINE {
            const V goes = b.goes_left(e);
            const auto credit = [&](std::uint32_t answer, Lane saved) SWEEP_INLINE {
                const V v = zero + saved, l = goes & v;
                V* const own = counts + 2 * answer;
                own[0] += l, own[1] += v - l;
                raise(most_l, own[0]), raise(most_r, own[1]);
            };
            if constexpr (Savings) {
                const Count plain = b.plain == nullptr ? 1 : b.plain[row_of(e)];
                for (const Cases::Saving& s : (*job.savings)[label_of(e)])
                    credit(s.answer, static_cast<Lane>(s.each * plain));
            } else {
                credit(label_of(e), b.weight(e));
            }
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
    constexpr int lanes = Vector<Lane>::lanes;
    Sides* const out = job.out + from;
    const V wrong[6] = {b.left - leaf_l,  b.right - leaf_r, b.left - best_l,
                        b.right - best_r, b.left - kept_l,  b.right - kept_r};
    for (int side = 0; side < 2; ++side) {
        store(wrong[side], out, lanes, &Sides::leaf, side);
        store(wrong[2 + side], out, lanes, &Sides::stump, side);
        store(wrong[4 + side], out, lanes, &Sides::kept, side);
    }
}

template <class Lane, bool Many, bool Weighted, bool Least, bool Savings = false>
void run(SweepJob& job) {
    for (int from = 0; from < Vector<Lane>::batch; from += Vector<Lane>::lanes) {
        if constexpr (Many)
            many_classes<Lane, Weighted, Least, Savings>(job, from);
        else
            two_classes<Lane, Weighted, Least>(job, from);
    }
}

// Rows without weights weigh 1, so the kernels with weights do for them, too: those without are for what is
// looked at most.
template <class Lane, bool Many>
Kernel choose(bool weighted, bool least) {
    if constexpr (sizeof(Lane) < 8)
        if (!weighted && !least) return run<Lane, Many, false, false>;
    if constexpr (sizeof(Lane) < 4)
        if (!weighted) return run<Lane, Many, false, true>;
    return least ? run<Lane, Many, true, true> : run<Lane, Many, true, false>;
}

template <class Lane>
Kernel choose(const Kernels& of) {
    if (of.savings) return of.least ? run<Lane, true, true, true, true> : run<Lane, true, true, false, true>;
    return of.many ? choose<Lane, true>(of.weighted, of.least) : choose<Lane, false>(of.weighted, of.least);
}

inline Kernel choose(const Kernels& of) {
    if (of.lane == 2) return choose<std::int16_t>(of);
    return of.lane == 4 ? choose<std::int32_t>(of) : choose<std::int64_t>(of);
}
