// The kernels of a sweep for one width of vectors (SWEEP_BYTES): sweep_any, sweep_wide and sweep_widest
// include them, each compiled for a machine that has such vectors. They are written as the compiler's own
// (GCC, Clang), so that one text serves every machine; narrow ones take the tests of a batch in several goes,
// so that all machines see the same batches. What machine it is must be said of lambdas, too, where they are
// written (SWEEP_INLINE): the compiler takes vectors apart that its machine does not have, before it inlines
// anything.

#include "search/sweep_vectors.hpp"

// The least and the largest of what was met.
template <class V>
struct Extremes {
    Both<V> low, high;
    SWEEP_INLINE void meet(const Both<V>& s) { lower(low, s), raise(high, s); }
    SWEEP_INLINE void meet_left(const V& where, const V& s) {
        lower(low.left, pick(where, s, low.left)), raise(high.left, pick(where, s, high.left));
    }
    SWEEP_INLINE void meet_right(const V& where, const V& s) {
        lower(low.right, pick(where, s, low.right)), raise(high.right, pick(where, s, high.right));
    }
    SWEEP_INLINE void join(const Extremes& met, const Both<V>& more) {
        lower(low, met.low + more), raise(high, met.high + more);
    }
};

// Two classes. With s the weight of class 1 less that of class 0 on one side of a cut, and N0, N1 those of
// all, the two leaves get N0 + s wrong, or N1 - s: the least and the largest s are all that is needed.
template <class Lane, bool Weighted, bool Least>
class TwoClasses {
    using V = typename Vector<Lane>::Type;

public:
    SWEEP_INLINE TwoClasses(const SweepJob& job, int from) : b_(job, from), job_(job) {
        constexpr Lane far = std::numeric_limits<Lane>::max() / 2;
        const V zero{}, none = zero + far;
        kept_ = {{none, none}, {-none, -none}};
        sign_[0] = zero - 1, sign_[1] = zero + 1;
    }

    SWEEP_INLINE void levels(const Strip& strip) {
        Passed* const level = job_.scratch->template room<Passed>(strip.n_levels);
        std::size_t n = 0;
        Passed p{};
        all_ = Both<V>{};
        const auto add = [&](Entry e) SWEEP_INLINE { this->add(p, e); };
        pass(strip.list, 0, job_.group->size, add, [&] SWEEP_INLINE {
            all_ += p.s.both();
            level[n++] = p;
            p = Passed{};
        });
        const auto put = [&](std::size_t i) SWEEP_INLINE { p += level[i]; };
        const auto take = [&](std::size_t i) SWEEP_INLINE { p -= level[i]; };
        follow(strip.program, put, take, [&] SWEEP_INLINE {
            any_.meet(p.s.both());
            keep(p);
        });
    }

    SWEEP_INLINE void cuts(const Strip& strip) {
        const Entry* const list = strip.list;
        const std::uint32_t n = job_.group->size, first = strip.missing;
        Passed p{};
        const auto add = [&](Entry e) SWEEP_INLINE { this->add(p, e); };
        for (std::uint32_t i = 0; i < first; ++i) add(list[i]);
        const Both<V> missing = p.s.both();
        p.s = Sum<V>{};
        Extremes<V> met{};
        const auto look = [&] SWEEP_INLINE { met.meet(p.s.both()); };
        if constexpr (Least) {
            pass(list, first, n, add, [&] SWEEP_INLINE { look(), keep(p); });
        } else if (strip.shape == Strip::Shape::distinct) {
            for (std::uint32_t i = first; i < n; ++i) add(list[i]), look();
        } else if (strip.shape == Strip::Shape::few) {
            pass(list, first, n, add, look);
        } else {
            for (std::uint32_t i = first; i < n; ++i) {
                add(list[i]);
                const V end = V{} - static_cast<Lane>(list[i] & 1);
                const Both<V> s = p.s.both();
                met.meet_left(end, s.left), met.meet_right(end, s.right);
            }
        }
        // The missing rows on the left of all these cuts, or on the right.
        any_.join(met, Both<V>{});
        if (first > 0) any_.join(met, missing);
        all_ = missing + p.s.both();
    }

    SWEEP_INLINE void tell(Sides* out) const {
        // Half of weight + all, both even or both odd; their sum may be too large.
        const auto half = [](const V& a, const V& b)
                              SWEEP_INLINE { return (a >> 1) + (b >> 1) + (a & b & 1); };
        const Both<V> ones{half(b_.weight_of.left, all_.left), half(b_.weight_of.right, all_.right)};
        const Both<V> zeros = b_.weight_of - ones;
        Both<V> leaf = ones;
        lower(leaf, zeros);
        const auto parted = [&](const Extremes<V>& by) SWEEP_INLINE {
            Both<V> least = leaf;
            lower(least, zeros + by.low), lower(least, ones - by.high);
            return least;
        };
        constexpr int lanes = Vector<Lane>::lanes;
        store(leaf, out, lanes, &Sides::leaf);
        store(parted(any_), out, lanes, &Sides::stump);
        store(parted(Least ? kept_ : any_), out, lanes, &Sides::kept);
    }

private:
    struct Passed {
        Sum<V> s, samples;
        SWEEP_INLINE void operator+=(const Passed& b) {
            s.left += b.s.left, s.all += b.s.all;
            if constexpr (Least) samples.left += b.samples.left, samples.all += b.samples.all;
        }
        SWEEP_INLINE void operator-=(const Passed& b) {
            s.left -= b.s.left, s.all -= b.s.all;
            if constexpr (Least) samples.left -= b.samples.left, samples.all -= b.samples.all;
        }
    };
    SWEEP_INLINE void add(Passed& p, Entry e) const {
        const V goes = b_.goes_left(e);
        if constexpr (Weighted) {
            const Lane w = b_.weight(e), signed_weight = static_cast<Lane>(label_of(e) ? w : -w);
            p.s.add(goes, V{} + signed_weight);
        } else {
            p.s.add(goes, sign_[label_of(e)]);
        }
        if constexpr (Least) p.samples.add(goes, V{} + b_.sample(e));
    }
    // Of what leaves enough samples.
    SWEEP_INLINE void keep(const Passed& p) {
        if constexpr (Least) {
            const Both<V> s = p.s.both(), n = p.samples.both();
            kept_.meet_left(b_.enough(n.left, b_.samples_of.left), s.left);
            kept_.meet_right(b_.enough(n.right, b_.samples_of.right), s.right);
        }
    }

    const Batch<Lane, Weighted> b_;
    const SweepJob& job_;
    V sign_[2];
    Both<V> all_{};
    Extremes<V> any_{}, kept_;
};

// More classes: what two leaves get right is the largest class of one plus that of the other. A class only
// grows along a list, so the largest one does, too; a pass forwards keeps it, one backwards adds it up. So
// it is with what answers save, where a row adds to that of several.
template <class Lane, bool Weighted, bool Least, bool Savings>
class ManyClasses {
    using V = typename Vector<Lane>::Type;

public:
    SWEEP_INLINE ManyClasses(const SweepJob& job, int from)
        : b_(job, from), job_(job), k_(static_cast<std::size_t>(job.classes)) {}

    SWEEP_INLINE void levels(const Strip& strip) {
        // Tallies: of the rows that have passed and, while the program runs, of what is on the left; of all;
        // of the levels. The samples are behind the classes.
        const std::size_t width = k_ + 1;
        Passed p{job_.scratch->template room<Both<V>>(width * (strip.n_levels + 2)), {}, {}};
        Both<V>* const all = p.counts + width;
        Both<V>* const first = all + width;
        Both<V>* level = first;
        for (std::size_t c = 0; c < 2 * width; ++c) p.counts[c] = Both<V>{};
        const auto add = [&](Entry e) SWEEP_INLINE { this->add(p, e); };
        pass(strip.list, 0, job_.group->size, add, [&] SWEEP_INLINE {
            p.counts[k_] = p.samples.both();
            p.samples = Sum<V>{};
            for (std::size_t c = 0; c < width; ++c)
                level[c] = p.counts[c], all[c] += p.counts[c], p.counts[c] = Both<V>{};
            level += width;
        });
        leaf_ = Both<V>{};
        for (std::size_t c = 0; c < k_; ++c) raise(leaf_, all[c]);
        const auto put = [&](std::size_t i) SWEEP_INLINE {
            for (std::size_t c = 0; c < width; ++c) p.counts[c] += first[width * i + c];
        };
        const auto take = [&](std::size_t i) SWEEP_INLINE {
            for (std::size_t c = 0; c < width; ++c) p.counts[c] -= first[width * i + c];
        };
        follow(strip.program, put, take, [&] SWEEP_INLINE {
            Both<V> in{}, out{};
            for (std::size_t c = 0; c < k_; ++c) raise(in, p.counts[c]), raise(out, all[c] - p.counts[c]);
            judge(in + out, p.counts[k_]);
        });
    }

    SWEEP_INLINE void cuts(const Strip& strip) {
        const Entry* const list = strip.list;
        const std::uint32_t n = job_.group->size;
        Passed p{job_.scratch->template room<Both<V>>(k_ + 2 * static_cast<std::size_t>(n)), {}, {}};
        Both<V>* kept = p.counts + k_;  // behind each value: the largest class, and the samples
        constexpr std::size_t width = Least ? 2 : 1;
        const auto clear = [&] SWEEP_INLINE {
            for (std::size_t c = 0; c < k_; ++c) p.counts[c] = Both<V>{};
        };
        const auto add = [&](Entry e) SWEEP_INLINE { this->add(p, e); };
        clear();
        pass(list, 0, n, add, [&] SWEEP_INLINE {
            kept[0] = p.most;
            if constexpr (Least) kept[1] = p.samples.both();
            kept += width;
        });
        leaf_ = p.most;
        clear();
        p.most = Both<V>{};
        kept -= width;
        for (std::uint32_t i = n - 1; i > 0; --i) {
            add(list[i]);
            if (!ends(list[i - 1])) continue;
            kept -= width;
            judge(p.most + kept[0], kept[width - 1]);
        }
    }

    SWEEP_INLINE void tell(Sides* out) {
        raise(best_, leaf_), raise(kept_, leaf_);
        constexpr int lanes = Vector<Lane>::lanes;
        store(b_.weight_of - leaf_, out, lanes, &Sides::leaf);
        store(b_.weight_of - best_, out, lanes, &Sides::stump);
        store(b_.weight_of - (Least ? kept_ : best_), out, lanes, &Sides::kept);
    }

private:
    struct Passed {
        Both<V>* counts;  // by class
        Both<V> most;     // the largest of them
        Sum<V> samples;

        SWEEP_INLINE void credit(std::uint32_t answer, const V& goes_left, const V& saved) {
            const V l = goes_left & saved;
            counts[answer] += Both<V>{l, saved - l};
            raise(most, counts[answer]);
        }
    };
    SWEEP_INLINE void add(Passed& p, Entry e) const {
        const V goes = b_.goes_left(e);
        if constexpr (Savings) {
            const Count plain = b_.plain == nullptr ? 1 : b_.plain[row_of(e)];
            for (const Cases::Saving& s : (*job_.savings)[label_of(e)])
                p.credit(s.answer, goes, V{} + static_cast<Lane>(s.each * plain));
        } else {
            p.credit(label_of(e), goes, V{} + b_.weight(e));
        }
        if constexpr (Least) p.samples.add(goes, V{} + b_.sample(e));
    }
    // What two leaves get right, so many samples being on one side of the cut.
    SWEEP_INLINE void judge(const Both<V>& right, const Both<V>& samples) {
        raise(best_, right);
        if constexpr (Least) raise(kept_, pick(b_.enough(samples), right, Both<V>{}));
    }

    const Batch<Lane, Weighted> b_;
    const SweepJob& job_;
    const std::size_t k_;
    Both<V> best_{}, kept_{}, leaf_{};
};

template <class Kind>
SWEEP_INLINE inline void sweep(SweepJob& job, int from) {
    Kind kind(job, from);
    for (const Strip& strip : job.strips) {
        if (strip.shape == Strip::Shape::levels)
            kind.levels(strip);
        else
            kind.cuts(strip);
    }
    kind.tell(job.out + from);
}

template <class Lane, bool Many, bool Weighted, bool Least, bool Savings = false>
void run(SweepJob& job) {
    for (int from = 0; from < Vector<Lane>::batch; from += Vector<Lane>::lanes) {
        if constexpr (Many)
            sweep<ManyClasses<Lane, Weighted, Least, Savings>>(job, from);
        else
            sweep<TwoClasses<Lane, Weighted, Least>>(job, from);
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
