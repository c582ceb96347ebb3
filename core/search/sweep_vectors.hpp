// What the kernels of a sweep are made of, at one width of vectors; included by sweep_kernel, and nowhere
// else.

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

// Something on both sides of the tests of a batch: of the rows that they send left, and of the others.
template <class V>
struct Both {
    V left, right;

    SWEEP_INLINE Both operator+(const Both& b) const { return {left + b.left, right + b.right}; }
    SWEEP_INLINE Both operator-(const Both& b) const { return {left - b.left, right - b.right}; }
    SWEEP_INLINE void operator+=(const Both& b) { left += b.left, right += b.right; }
    SWEEP_INLINE void operator-=(const Both& b) { left -= b.left, right -= b.right; }
};
template <class V>
SWEEP_INLINE inline void lower(Both<V>& a, const Both<V>& b) {
    lower(a.left, b.left), lower(a.right, b.right);
}
template <class V>
SWEEP_INLINE inline void raise(Both<V>& a, const Both<V>& b) {
    raise(a.left, b.left), raise(a.right, b.right);
}
template <class V>
SWEEP_INLINE inline Both<V> pick(const Both<V>& mask, const Both<V>& a, const Both<V>& b) {
    return {pick(mask.left, a.left, b.left), pick(mask.right, a.right, b.right)};
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
    V bits{}, least;
    Both<V> weight_of{}, samples_of{};

    SWEEP_INLINE Batch(const SweepJob& job, int from)
        : masks(job.masks),
          weights(job.group->weights.empty() ? nullptr : job.group->weights.data()),
          samples(job.group->samples.empty() ? nullptr : job.group->samples.data()),
          plain(job.group->plain.empty() ? nullptr : job.group->plain.data()),
          least(V{} + static_cast<Lane>(job.least)) {
        for (int i = 0; i < Vector<Lane>::lanes; ++i) {
            const int lane = from + i;
            bits[i] = static_cast<Lane>(1u << (Vector<Lane>::batch == 32 ? lane / 2 : lane));
            weight_of.left[i] = static_cast<Lane>(job.left[lane]);
            weight_of.right[i] = static_cast<Lane>(job.group->weight - job.left[lane]);
            samples_of.left[i] = static_cast<Lane>(job.samples[lane]);
            samples_of.right[i] = static_cast<Lane>(job.group->sample_count - job.samples[lane]);
        }
    }
    // All ones where a row goes left. (A word is as wide as a mask; of two short lanes that share one, each
    // has its half.)
    SWEEP_INLINE V goes_left(Entry e) const {
        return (reinterpret_cast<V>(Word{} + masks[row_of(e)]) & bits) != 0;
    }
    // All ones where both so many samples and the others of a side are enough.
    SWEEP_INLINE V enough(const V& some, const V& all) const {
        const V one = some >= least, rest = all - some, other = rest >= least;
        return one & other;
    }
    SWEEP_INLINE Both<V> enough(const Both<V>& some) const {
        return {enough(some.left, samples_of.left), enough(some.right, samples_of.right)};
    }
    SWEEP_INLINE Lane weight(Entry e) const {
        if constexpr (Weighted) return weights == nullptr ? Lane{1} : static_cast<Lane>(weights[row_of(e)]);
        return 1;
    }
    SWEEP_INLINE Lane sample(Entry e) const {
        return samples == nullptr ? Lane{1} : static_cast<Lane>(samples[row_of(e)]);
    }
};

// Of some rows, a sum of those that go left and that of all of them.
template <class V>
struct Sum {
    V left, all;
    SWEEP_INLINE void add(const V& goes_left, const V& v) { all += v, left += goes_left & v; }
    SWEEP_INLINE Both<V> both() const { return {left, all - left}; }
};

// Adds the rows [from, to) of a list; `ended` is called behind each value.
template <class Add, class Ended>
SWEEP_INLINE inline void pass(const Entry* list, std::uint32_t from, std::uint32_t to, const Add& add,
                              const Ended& ended) {
    for (std::uint32_t i = from; i < to; ++i) {
        add(list[i]);
        if (ends(list[i])) ended();
    }
}

// Runs the program of a column's levels.
template <class Put, class Take, class Look>
SWEEP_INLINE inline void follow(std::span<const std::int16_t> program, const Put& put, const Take& take,
                                const Look& look) {
    for (const std::int16_t step : program) {
        if (step > 0)
            put(static_cast<std::size_t>(step - 1));
        else if (step < 0)
            take(static_cast<std::size_t>(-step - 1));
        else
            look();
    }
}

template <class V>
SWEEP_INLINE inline void store(const Both<V>& from, Sides* to, int lanes, Count (Sides::*member)[2]) {
    for (int i = 0; i < lanes; ++i) (to[i].*member)[0] = from.left[i];
    for (int i = 0; i < lanes; ++i) (to[i].*member)[1] = from.right[i];
}
