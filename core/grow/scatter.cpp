#include "grow/scatter.hpp"

#include <algorithm>
#include <numeric>

#include "data/random.hpp"

namespace bosco {

template <class T>
void Scatter<T>::part_by_cut(const NodeRows& at_node, Nursery& nursery) {
    const DrawnCut& cut = cuts_.best();
    Sprout& s = *at_node.seedling.sprout;
    const std::int32_t missing = missing_branch(growth_, cut.weight, shape_.weight(s.tally) - cut.weight);
    take_column(s, static_cast<std::int32_t>(cut.column), 2, missing, nursery);
    s.threshold = cut.threshold;
    const T t = not_above<T>(cut.threshold);
    const T* const x = cuts_.values();
    const std::uint32_t* const middle = part_in_two(rows_of(at_node), aside_.data(),
                                                    [&](std::size_t i) -> std::uint32_t { return x[i] > t; });
    first_ = {at_node.begin, static_cast<std::uint32_t>(middle - order_), at_node.end};
}

template <class T>
void Scatter<T>::part(const NodeRows& at_node, Nursery& nursery) {
    Sprout& s = *at_node.seedling.sprout;
    parent_ = &s;
    if (cuts_.best().decrease != nothing) return part_by_cut(at_node, nursery);
    const Candidate& choice = other_;
    take_test(s, choice, growth_.threshold, nursery);
    const Test test = test_of(choice, growth_.threshold);
    const Column& c = shared_.frame.column(static_cast<std::uint32_t>(choice.column));
    const auto k = static_cast<std::size_t>(choice.branches);
    const std::span<std::uint32_t> rows = rows_of(at_node);
    branch_.resize(rows.size());
    first_.assign(k + 1, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const int b = TestView(test).ask(c, given_.rows->number[rows[i]]);
        branch_[i] = static_cast<std::uint32_t>(b < 0 ? choice.missing : b);
        ++first_[branch_[i] + 1];
    }
    first_[0] = at_node.begin;
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    part_in_order(rows, aside_.data(), first_, [&](std::size_t i) { return branch_[i]; });
}

template <class T>
bool Scatter<T>::fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
    if (cuts_.best().decrease == nothing || shape_.classes == 0) {
        const std::uint32_t* const own = order_ + first_[branch];
        return given_.rows->fill(
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
void Scatter<T>::keep(const NodeRows& at_node, std::span<NodeRows> branches) {
    if (!cuts_.any_closed() && growth_.reuse) return columns_.hand_on(at_node, branches);
    const auto column = static_cast<std::uint32_t>(parent_->column);
    columns_.narrow(at_node, branches,
                    [&](std::uint32_t j) { return !cuts_.closed(j) && (j != column || growth_.reuse); });
}

template <class T>
bool Scatter<T>::find(const NodeRows& at_node) {
    return cuts_.find(given_, at_node.seedling, rows_of(at_node), columns_.of(at_node), other_);
}

template <class T>
bool Scatter<T>::enter(const NodeRows& at_node) {
    columns_.drop_after(at_node);
    const bool near = order_ == near_order_.data();
    if (!near && at_node.size() <= leave_) {
        tasks_->push_back(columns_.hand_over(at_node));
        return false;
    }
    if (near || at_node.size() > shared_.small_rows) return true;
    grow_near(at_node);
    return false;
}

// Grows everything below a small node on a copy of its rows, which stays in the cache.
template <class T>
void Scatter<T>::grow_near(const NodeRows& at_node) {
    const std::span<const std::uint32_t> rows = rows_of(at_node);
    near_rows_.load(shared_.rows, rows);
    near_values_.load(shared_.values, columns_.of(at_node), rows);
    near_order_.resize(rows.size());
    std::iota(near_order_.begin(), near_order_.end(), 0u);
    given_ = {&near_rows_, &near_values_};
    order_ = near_order_.data();
    NodeRows copy = at_node;
    copy.begin = 0;
    copy.end = static_cast<std::uint32_t>(rows.size());
    Driver<Scatter>(*this, shared_.stop, shared_.pool).run(copy, *nursery_, thread_);
    given_ = {&shared_.rows, &shared_.values};
    order_ = shared_.order.data();
}

template <class T>
void Scatter<T>::grow(const Handover& task, std::size_t leave, std::vector<Handover>& tasks, Nursery& nursery,
                      int thread) {
    given_ = {&shared_.rows, &shared_.values};
    order_ = shared_.order.data();
    aside_.resize(task.at_node.size() + 1);
    leave_ = leave;
    tasks_ = &tasks;
    nursery_ = &nursery;
    thread_ = thread;
    NodeRows at_node = columns_.begin(task.at_node.seedling, 0, task.columns);
    at_node.begin = task.at_node.begin;
    at_node.end = task.at_node.end;
    Driver<Scatter>(*this, shared_.stop, shared_.pool).run(at_node, nursery, thread);
}

bool scatters(const Frame& frame, const Growth& growth, const Tuning& tuning) {
    // All values side by side would be the whole of a sparse table.
    if (!growth.random_cuts || !tuning.presort || frame.has_sparse() ||
        growth.missing == Missing::surrogate || !growth.criterion.bounded() ||
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
    LocalRows rows(target);
    rows.load(among.sample);
    std::vector<std::uint32_t> order = among.sample != nullptr ? among.sample->rows : rows.number;
    std::vector<Nursery> nursery(static_cast<std::size_t>(pool.size()));
    Sprout* const top = nursery[0].sprouts(1);
    const bool pure =
        rows.fill(*top, order.size(), [&](std::size_t i) { return order[i]; }, growth, nursery[0]);
    const Standing& at = among.at;
    const Stop stop(growth, target, 1.0, at.weight.value_or(rows.shape.weight(top->tally)));
    at.tell(*top, growth);
    const Seedling seedling{top, at.key(growth), at.depth(), pure};
    if (!stop.leaf(top->tally, pure, at.depth()))
        std::visit(
            [&](const auto& known) {
                using T = std::remove_cvref_t<decltype(*known.column(0))>;
                const typename Scatter<T>::Shared shared{
                    frame, known, growth, stop, rows, order, tuning.small_rows, pool};
                std::vector<Scatter<T>> scatters;
                for (int t = 0; t < pool.size(); ++t) scatters.emplace_back(shared);
                const Handover root{{seedling, 0, static_cast<std::uint32_t>(order.size())},
                                    columns_but(at.banned, frame.n_columns())};
                std::vector<Handover> tasks;
                const auto threads = static_cast<std::size_t>(pool.size());
                const std::size_t leave = threads == 1 ? 0 : order.size() / (8 * threads);
                scatters[0].grow(root, leave, tasks, nursery[0], 0);
                std::ranges::sort(tasks, largest_first);
                pool.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t i, int thread) {
                    const auto t = static_cast<std::size_t>(thread);
                    std::vector<Handover> none;
                    scatters[t].grow(tasks[static_cast<std::size_t>(i)], 0, none, nursery[t], thread);
                });
            },
            own ? *own : *among.values);
    return lay_out(top, growth, Scales(target, stop.unit()), among.lean);
}

template class Scatter<float>;
template class Scatter<double>;

}  // namespace bosco
