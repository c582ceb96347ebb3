#include "search/front.hpp"

#include <algorithm>

namespace bosco::search {

bool Front::later(const Interval& a, const Interval& b) {
    if (a.key != b.key) return a.key > b.key;
    if (a.chain != b.chain) return a.chain > b.chain;
    if (a.first != b.first) return a.first > b.first;
    return a.share.left > b.share.left;
}

Front::Front(const Frame& frame, const Group& group, const Task& task, int depth, Result best, Bound one_less,
             const std::optional<Question>& hint)
    : frame_(frame), group_(group), task_(task), best_(std::move(best)) {
    const Objective& o = frame_.objective;
    chains_.make(frame_.cases, group, frame_.least);
    if (hint) hinted_ = chains_.find(frame_.cases, group, *hint);
    // A side of such a depth has at most so many leaves.
    const std::int64_t most = depth - 1 < 40 ? std::int64_t{1} << (depth - 1) : task.leaves;
    closed_.add_free(one_less.free);
    for (std::uint32_t i = 0; i < chains_.all().size(); ++i) {
        const Chain& chain = chains_[i];
        if (task_.column && chain.question.column != *task_.column) continue;
        const auto at_least = [&](Count weight) {
            return std::max(o.price, one_less.free - o.unit * weight);
        };
        if (chain.first > 0) closed_.add_free(o.price + at_least(chains_.weight(chain, chain.first - 1)));
        if (chain.last < chain.whole)
            closed_.add_free(at_least(group.weight - chains_.weight(chain, chain.last)) + o.price);
        if (chain.first == chain.last) continue;
        Interval v;
        v.chain = i;
        v.first = static_cast<std::int32_t>(chain.first);
        v.last = static_cast<std::int32_t>(chain.last) - 1;
        v.weight_after = group.weight;
        v.left_before = v.right_after = o.price;
        v.right_before = v.left_after = one_less.low;
        v.right_before_free = v.left_after_free = one_less.free;
        if (task.leaves >= 2 * most) {
            v.share = {most, most};
            push(v);
            continue;
        }
        // Every way to share all leaves out.
        for (std::int64_t left = std::max<std::int64_t>(1, task.leaves - most);
             left <= std::min(most, task.leaves - 1); ++left) {
            v.share = {left, task.leaves - left};
            push(v);
        }
    }
    if (hinted_)  // it goes first
        for (Interval& v : heap_)
            if (v.chain == hinted_->first) {
                v.key = -1;
                std::make_heap(heap_.begin(), heap_.end(), later);
                break;
            }
}

void Front::push(Interval v) {
    if (v.empty()) return;
    const Cost limit = limit_of(frame_, group_, chains_, task_, best_, v);
    if (alive(v, chains_, frame_.objective, limit).none()) {
        closed_.retire(v, limit, frame_.least);
        return;
    }
    heap_.push_back(v);
    std::push_heap(heap_.begin(), heap_.end(), later);
}

bool Front::matters(const Interval& part, Cost limit) const {
    Interval v = part;
    return !v.empty() && !alive(v, chains_, frame_.objective, limit).none();
}

bool Front::take(Job& job) {
    const Objective& o = frame_.objective;
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        Interval v = heap_.back();
        heap_.pop_back();
        const Cost limit = limit_of(frame_, group_, chains_, task_, best_, v);
        const Alive some = alive(v, chains_, o, limit);
        if (some.none()) {
            closed_.retire(v, limit, frame_.least);
            continue;
        }
        const Chain& chain = chains_[v.chain];
        const auto weight = [&](std::int32_t j) {
            return chains_.weight(chain, static_cast<std::size_t>(j));
        };
        std::int32_t test;
        if (hinted_ && hinted_->first == v.chain) {
            test = std::clamp(static_cast<std::int32_t>(hinted_->second), some.first, some.last);
            hinted_.reset();
        } else {
            // The one nearest to the middle of what is alive, by weight.
            const Count aim = weight(some.first) + (weight(some.last) - weight(some.first) + 1) / 2;
            test = chains_.reach(chain, some.first, some.last - 1, aim);
            if (test > some.first && aim - weight(test - 1) < weight(test) - aim) --test;
        }
        job.interval = v;
        job.test = test;
        job.only = some.first == some.last;
        job.question = chains_.question(frame_.cases, group_, chain, static_cast<std::size_t>(test));
        job.weight = weight(test);
        job.limit = limit;
        job.left = v.left_at(o, job.weight);
        job.right = v.right_at(o, job.weight);
        return true;
    }
    return false;
}

void Front::give(const Job& job, const Outcome& found) {
    closed_.add(found.side[0].low + found.side[1].low, found.side[0].free + found.side[1].free);
    const bool tie = found.cost == best_.cost && task_.ruled && !best_.leaf &&
                     (!best_.question || job.question < *best_.question);
    if (found.cost < best_.cost || tie) {
        best_.cost = found.cost;
        best_.question = job.question;
        best_.leaf = false;
        auto plan = std::make_shared<Plan>();
        plan->question = job.question;
        plan->left = found.left;
        plan->right = found.right;
        best_.plan = std::move(plan);
    }
    push(job.interval.before(job.test, job.weight, found.side[0], found.side[1]));
    push(job.interval.after(job.test, job.weight, found.side[0], found.side[1]));
}

Result Front::finish(bool stopped) {
    if (stopped) {
        for (Interval& v : heap_) {
            alive(v, chains_, frame_.objective, unreachable);
            closed_.retire(v, 0, frame_.least);
        }
    }
    closed_.conclude(best_, task_);
    return best_;
}

}  // namespace bosco::search
