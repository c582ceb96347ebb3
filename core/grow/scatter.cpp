#include "grow/scatter.hpp"

#include <algorithm>
#include <numeric>

#include "data/random.hpp"

namespace bosco {

template <class T>
void Scatter<T>::part_in_two(const Place& place, Nursery& nursery) {
    const DrawnCut& cut = cuts_.best();
    Sprout& s = *place.seedling.sprout;
    s.children = nursery.sprouts(2);
    s.n_children = 2;
    s.column = static_cast<std::int32_t>(cut.column);
    s.threshold = cut.threshold;
    const Count all = shape_.weight(s.tally);
    s.missing = growth_.missing == Missing::fractional ? by_share : cut.weight >= all - cut.weight ? 0 : 1;
    const std::size_t n = place.end - place.begin;
    const T t = not_above<T>(cut.threshold);
    const T* const x = cuts_.values();
    std::uint32_t* const rows = order_ + place.begin;
    std::uint32_t* left = rows;
    std::uint32_t* right = aside_.data();
    for (std::size_t i = 0; i < n; ++i) {  // both are written and one moves on: nothing to predict
        const std::uint32_t row = rows[i];
        const std::uint32_t to = x[i] > t;
        *left = row;
        *right = row;
        left += 1 - to;
        right += to;
    }
    std::copy(aside_.data(), right, left);
    first_ = {place.begin, place.begin + static_cast<std::uint32_t>(left - rows), place.end};
}

template <class T>
void Scatter<T>::part(const Place& place, Nursery& nursery) {
    Sprout& s = *place.seedling.sprout;
    parent_ = &s;
    if (cuts_.best().decrease != nothing) return part_in_two(place, nursery);
    const Candidate& choice = other_;
    take_test(s, choice, growth_.threshold, nursery);
    const Test test = test_of(choice, growth_.threshold);
    const Column& c = field_.frame.column(static_cast<std::uint32_t>(choice.column));
    const auto k = static_cast<std::size_t>(choice.branches);
    const std::size_t n = place.end - place.begin;
    std::uint32_t* const rows = order_ + place.begin;
    branch_.resize(n);
    std::vector<std::uint32_t> next(k + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const int b = TestView(test).ask(c, ground_.plot->number[rows[i]]);
        branch_[i] = static_cast<std::uint32_t>(b < 0 ? choice.missing : b);
        ++next[branch_[i] + 1];
    }
    first_.assign(k + 1, place.begin);
    for (std::size_t b = 0; b < k; ++b) {
        next[b + 1] += next[b];
        first_[b + 1] = place.begin + next[b + 1];
    }
    for (std::size_t i = 0; i < n; ++i) aside_[next[branch_[i]]++] = rows[i];
    std::copy_n(aside_.data(), n, rows);
}

template <class T>
bool Scatter<T>::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    if (cuts_.best().decrease == nothing || shape_.classes == 0) {
        const std::uint32_t* const own = order_ + first_[branch];
        return ground_.plot->fill(
            child, first_[branch + 1] - first_[branch], [own](std::size_t i) { return own[i]; }, growth_,
            nursery);
    }
    // A plain cut of classes has been tallied already.
    const auto slots = static_cast<std::size_t>(shape_.slots());
    const Count* const left = cuts_.left();
    child.tally = nursery.counts(slots);
    for (std::size_t k = 0; k < slots; ++k)
        child.tally[k] = branch == 0 ? left[k] : parent_->tally[k] - left[k];
    const bool pure = shape_.only_class(child.tally) >= 0;
    child.impurity = pure ? 0 : impurity_of(growth_.criterion, shape_, child.tally, 0);
    return pure;
}

template <class T>
void Scatter<T>::keep(const Place& place, std::span<Place> branches) {
    if (!cuts_.any_closed() && growth_.reuse) return columns_.hand_on(place, branches);
    const auto column = static_cast<std::uint32_t>(parent_->column);
    columns_.narrow(place, branches,
                    [&](std::uint32_t j) { return !cuts_.closed(j) && (j != column || growth_.reuse); });
}

template <class T>
bool Scatter<T>::find(const Place& place) {
    return cuts_.find(ground_, place.seedling, {order_ + place.begin, place.size()}, columns_.of(place),
                      other_);
}

template <class T>
bool Scatter<T>::enter(const Place& place) {
    columns_.drop_after(place);
    const bool near = order_ == near_order_.data();
    if (!near && place.size() <= leave_) {
        const auto open = columns_.of(place);
        tasks_->push_back({place, {open.begin(), open.end()}});
        return false;
    }
    if (near || place.size() > field_.small_rows) return true;
    grow_near(place);
    return false;
}

// Grows everything below a small node on a copy of its rows, which stays in the cache.
template <class T>
void Scatter<T>::grow_near(const Place& place) {
    const std::span<const std::uint32_t> rows(order_ + place.begin, order_ + place.end);
    near_plot_.load(field_.plot, rows);
    near_values_.load(field_.values, columns_.of(place), rows);
    near_order_.resize(rows.size());
    std::iota(near_order_.begin(), near_order_.end(), 0u);
    ground_ = {&near_plot_, &near_values_};
    order_ = near_order_.data();
    Place copy = place;
    copy.begin = 0;
    copy.end = static_cast<std::uint32_t>(rows.size());
    Driver<Scatter>(*this, field_.stop, field_.pool).run(copy, *nursery_, thread_);
    ground_ = {&field_.plot, &field_.values};
    order_ = field_.order.data();
}

template <class T>
void Scatter<T>::grow(const Task& task, std::size_t leave, std::vector<Task>& tasks, Nursery& nursery,
                      int thread) {
    ground_ = {&field_.plot, &field_.values};
    order_ = field_.order.data();
    columns_.all = task.columns;
    aside_.resize(task.place.size() + 1);
    leave_ = leave;
    tasks_ = &tasks;
    nursery_ = &nursery;
    thread_ = thread;
    Place place = task.place;
    place.columns_begin = 0;
    place.columns_end = static_cast<std::uint32_t>(task.columns.size());
    Driver<Scatter>(*this, field_.stop, field_.pool).run(place, nursery, thread);
}

bool scatters(const Frame& frame, const Growth& growth, const Tuning& tuning) {
    if (!growth.random_cuts || !tuning.presort || growth.missing == Missing::surrogate ||
        growth.max_leaf_nodes < std::numeric_limits<std::int64_t>::max())
        return false;
    if (growth.missing == Missing::fractional)
        for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
            if (frame.has_missing(j)) return false;  // rows would be shared out
    return true;
}

Tree grow_scattered(const Frame& frame, const Target& target, const Growth& growth, int n_threads,
                    const Tuning& tuning, const std::function<void()>& poll, const Among& among) {
    Pool pool(frame.n_rows() * frame.n_columns() < 50000 ? 1 : n_threads, poll);
    std::unique_ptr<AnyValues> own;
    if (among.values == nullptr) own = values_of(frame, pool);
    Plot plot(target);
    plot.load(among.sample);
    std::vector<std::uint32_t> order = among.sample != nullptr ? among.sample->rows : plot.number;
    std::vector<Nursery> nursery(static_cast<std::size_t>(pool.size()));
    Sprout* const top = nursery[0].sprouts(1);
    const bool pure =
        plot.fill(*top, order.size(), [&](std::size_t i) { return order[i]; }, growth, nursery[0]);
    const Standing& at = among.at;
    const Stop stop(growth, target, 1.0, at.weight.value_or(plot.shape.weight(top->tally)));
    if (!growth.monotonic.empty() && at.depth() > 0) top->rare().bounds = at.bounds;
    const Seedling seedling{top, at.key(growth), at.depth(), pure};
    if (!stop.leaf(top->tally, pure, at.depth()))
        std::visit(
            [&](const auto& known) {
                using T = std::remove_cvref_t<decltype(*known.column(0))>;
                const Field<T> field{frame, known, growth, stop, plot, order, tuning.small_rows, pool};
                std::vector<Scatter<T>> scatters;
                for (int t = 0; t < pool.size(); ++t) scatters.emplace_back(field);
                typename Scatter<T>::Task root{{seedling, 0, static_cast<std::uint32_t>(order.size())}, {}};
                for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
                    if (at.banned.empty() || !at.banned[j]) root.columns.push_back(j);
                std::vector<typename Scatter<T>::Task> tasks;
                const auto threads = static_cast<std::size_t>(pool.size());
                const std::size_t leave = threads == 1 ? 0 : order.size() / (8 * threads);
                scatters[0].grow(root, leave, tasks, nursery[0], 0);
                std::sort(tasks.begin(), tasks.end(),
                          [](const auto& a, const auto& b) { return a.place.size() > b.place.size(); });
                pool.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i, int thread) {
                    const auto t = static_cast<std::size_t>(thread);
                    std::vector<typename Scatter<T>::Task> none;
                    scatters[t].grow(tasks[static_cast<std::size_t>(i)], 0, none, nursery[t], thread);
                });
            },
            own ? *own : *among.values);
    return lay_out(top, growth, Scales(target, stop.unit()), among.lean);
}

template class Scatter<float>;
template class Scatter<double>;

}  // namespace bosco
