#include "search/pair.hpp"

#include <algorithm>
#include <functional>

namespace bosco::search {

bool settled(const Frame& frame, const Group& group, Task& task, Result& r) {
    const Objective& o = frame.objective;
    r = {};
    r.cost = o.of(group.wrong(), 1);
    r.plan = std::make_shared<const Plan>();
    const Cost two_leaves = o.of(group.doomed, 2);
    task.known.free = std::max(task.known.free, std::min(r.cost, two_leaves));
    task.known.low = std::max(task.known.low, task.known.free);
    r.low = std::min(r.cost, task.known.low);
    r.free = std::min(r.cost, task.known.free);
    if (task.leaves < 2) r.low = r.free = r.cost;
    if (group.sample_count < 2 * frame.least) r.low = r.cost;
    return r.low >= r.cost || r.low >= task.limit;
}

void Pairs::make_strips(const Group& group) {
    const Cases& cases = frame_.cases;
    const bool missing_apart = cases.classes > 2 || frame_.least > 1;
    strips_.clear();
    turned_.resize(cases.columns.size());
    for (std::uint32_t j = 0; j < cases.columns.size(); ++j) {
        Strip strip;
        strip.list = group.list(j);
        if (!cases.columns[j].ordered) {
            const auto& program = chains_.program(j);
            if (program.empty()) continue;
            strip.shape = Strip::Shape::levels;
            strip.program = program;
            for (std::uint32_t i = 0; i < group.size; ++i) strip.n_levels += ends(strip.list[i]) ? 1 : 0;
            strips_.push_back(strip);
            continue;
        }
        const std::uint32_t missing = group.missing[j];
        const std::size_t values = chains_.values(j);
        if (values == 0 || (values == 1 && missing == 0)) continue;
        strip.shape = values + missing == group.size                     ? Strip::Shape::distinct
                      : values > (group.size - missing) / std::size_t{8} ? Strip::Shape::mixed
                                                                         : Strip::Shape::few;
        strip.missing = missing_apart ? 0 : missing;
        strips_.push_back(strip);
        if (!missing_apart || missing == 0) continue;
        // Once more, with the missing rows behind all others.
        auto& turned = turned_[j];
        turned.assign(strip.list + missing, strip.list + group.size);
        turned.insert(turned.end(), strip.list, strip.list + missing);
        strip.list = turned.data();
        strips_.push_back(strip);
    }
}

// All tests, in one interval for each chain and each way to share the leaves out. What the whole group costs
// with one test is not known yet; until it is, its cost as a leaf only orders the tests.
void Pairs::open(const Group& group, const Task& task) {
    const Cost price = frame_.objective.price;
    open_.clear();
    for (std::uint32_t i = 0; i < chains_.all().size(); ++i) {
        const Chain& chain = chains_[i];
        if (chain.first == chain.last) continue;
        const auto add = [&](Share share) {
            Interval v;
            v.chain = i;
            v.first = static_cast<std::int32_t>(chain.first);
            v.last = static_cast<std::int32_t>(chain.last) - 1;
            v.share = share;
            v.weight_after = group.weight;
            v.left_before = v.right_after = price;
            open_.push_back(v);
        };
        if (task.leaves >= 4) {
            add({2, 2});
        } else if (task.leaves == 2) {
            add({1, 1});
        } else {
            add({1, 2});
            add({2, 1});
        }
    }
}

Cost limit_of(const Frame& frame, const Group& group, const Chains& chains, const Task& task,
              const Result& best, const Interval& of) {
    Cost limit = best.cost;
    if (task.ruled && !best.leaf) {
        const Question first =
            chains.question(frame.cases, group, chains[of.chain], static_cast<std::size_t>(of.first));
        if (!best.question || first < *best.question) ++limit;
    }
    return std::min(limit, task.limit);
}

// Which tests are looked at next: spread over the intervals with the lowest bounds.
void Pairs::select(const Group& group, const Task& task, bool first, const Hints& hints) {
    const std::size_t width = static_cast<std::size_t>(frame_.sweep.width()) - (first ? 1 : 0);
    lanes_.clear();
    const auto& hint = hints[2][static_cast<std::size_t>(task.side)];
    if (first && hint) {
        if (const auto place = chains_.find(frame_.cases, group, *hint)) {
            const auto test = static_cast<std::int32_t>(place->second);
            for (const Candidate& c : candidates_)
                if (open_[c.interval].chain == place->first) {
                    lanes_.push_back({c.interval, test, place->first, {}, {}});
                    break;
                }
        }
    }
    const std::size_t use = std::min(candidates_.size(), width - lanes_.size());
    const std::size_t each = std::max<std::size_t>(1, (width - lanes_.size()) / use);
    const std::size_t more = width - lanes_.size() > each * use ? width - lanes_.size() - each * use : 0;
    for (std::size_t k = 0; k < use && lanes_.size() < width; ++k) {
        const auto [i, alive] = candidates_[k];
        const Interval& v = open_[i];
        const Chain& chain = chains_[v.chain];
        const std::int32_t inside = alive.last - alive.first + 1;
        const auto wanted = static_cast<std::int32_t>(std::min(
            each + (k < more ? 1 : 0), std::min(width - lanes_.size(), static_cast<std::size_t>(inside))));
        const auto weight = [&](std::int32_t j) {
            return chains_.weight(chain, static_cast<std::size_t>(j));
        };
        const Count from = weight(alive.first), to = weight(alive.last);
        std::int32_t last = -1;
        for (std::int32_t x = 1; x <= wanted; ++x) {
            std::int32_t test = alive.first + x - 1;
            if (wanted < inside) {
                // x / (wanted + 1) of the way, in two steps that do not overflow.
                const Count parts = wanted + 1, way = to - from;
                const Count aim = from + way / parts * x + way % parts * x / parts;
                test = chains_.reach(chain, alive.first, alive.last - 1, aim);
            }
            if (test == last) continue;
            last = test;
            if (!lanes_.empty() && lanes_[0].interval == i && lanes_[0].test == test) continue;
            lanes_.push_back({i, test, v.chain, {}, {}});
        }
    }
    // By column, so that its list is read once, and by test.
    std::sort(lanes_.begin(), lanes_.end(), [&](const Lane& a, const Lane& b) {
        const std::uint32_t x = chains_[a.chain].question.column, y = chains_[b.chain].question.column;
        if (x != y) return x < y;
        if (a.test != b.test) return a.test < b.test;
        return a.interval < b.interval;
    });
}

// Gives every row its bits.
void Pairs::paint(const Group& group, bool first) {
    const Cases& cases = frame_.cases;
    const int skip = first ? 1 : 0;  // the first test of the first batch sends every row left
    masks_.assign(group.size, first ? frame_.sweep.bit(0) : 0);
    for (std::size_t k = 0; k < lanes_.size();) {
        const std::uint32_t column = chains_[lanes_[k].chain].question.column;
        std::size_t end = k;
        std::uint32_t all = 0, missing_left = 0;
        for (; end < lanes_.size() && chains_[lanes_[end].chain].question.column == column; ++end) {
            const std::uint32_t bit = frame_.sweep.bit(static_cast<int>(end) + skip);
            all |= bit;
            if (chains_[lanes_[end].chain].question.missing_left) missing_left |= bit;
        }
        const Entry* const list = group.list(column);
        if (cases.columns[column].ordered) {
            const std::uint32_t missing = group.missing[column];
            for (std::uint32_t i = 0; i < missing; ++i) masks_[row_of(list[i])] |= missing_left;
            std::uint32_t i = missing;
            for (std::size_t x = k; x < end; ++x) {
                const std::uint32_t until = chains_.end(column, static_cast<std::size_t>(lanes_[x].test));
                for (; i < until; ++i) masks_[row_of(list[i])] |= all;
                all &= ~frame_.sweep.bit(static_cast<int>(x) + skip);
            }
        } else {
            std::uint32_t bits = 0;
            bool fresh = true;
            for (std::uint32_t i = 0; i < group.size; ++i) {
                if (fresh) {
                    const std::uint32_t code = cases.ranks[column][group.row[row_of(list[i])]];
                    bits = 0;
                    for (std::size_t x = k; x < end; ++x)
                        if (cases.left(chains_[lanes_[x].chain].question, code))
                            bits |= frame_.sweep.bit(static_cast<int>(x) + skip);
                }
                masks_[row_of(list[i])] |= bits;
                fresh = ends(list[i]);
            }
        }
        k = end;
    }
}

void Pairs::look(const Group& group, bool first, Meter& meter) {
    paint(group, first);
    SweepJob job;
    job.group = &group;
    job.strips = strips_;
    job.masks = masks_.data();
    job.least = frame_.least;
    job.classes = frame_.cases.classes;
    job.savings = &frame_.cases.savings;
    job.scratch = &scratch_;
    job.out = sides_;
    std::size_t at = 0;
    if (first) {
        job.left[0] = group.weight;
        job.samples[0] = group.sample_count;
        at = 1;
    }
    for (const Lane& lane : lanes_) {
        const Chain& chain = chains_[lane.chain];
        job.left[at] = chains_.weight(chain, static_cast<std::size_t>(lane.test));
        if (frame_.least > 1) job.samples[at] = chains_.samples(chain, static_cast<std::size_t>(lane.test));
        ++at;
    }
    frame_.sweep(job);
    meter.add(static_cast<std::int64_t>(group.size) * static_cast<std::int64_t>(strips_.size()));
}

// Now it is known what the whole group costs with one test, which no side can cost more than its weight less.
void Pairs::begin(const Group& group) {
    const Objective& o = frame_.objective;
    const Sides& whole = sides_[0];
    const Cost one = std::min(best_.cost, o.of(whole.stump[0], 2));
    if (const Cost kept = o.of(whole.kept[0], 2); kept < best_.cost) {
        best_.cost = kept;
        best_.leaf = false;
    }
    closed_.add_free(one);
    for (Interval& v : open_) {
        v.right_before = v.left_after = best_.cost;
        v.right_before_free = v.left_after_free = one;
    }
    if (frame_.least <= 1) return;
    // Tests that leave too few samples are not looked at, but neighbours must not rely on that.
    for (const Chain& chain : chains_.all()) {
        const auto at_least = [&](Count weight) { return std::max(o.price, one - o.unit * weight); };
        if (chain.first > 0) closed_.add_free(o.price + at_least(chains_.weight(chain, chain.first - 1)));
        if (chain.last < chain.whole)
            closed_.add_free(at_least(group.weight - chains_.weight(chain, chain.last)) + o.price);
    }
}

// What the tests of a batch cost; the best is kept.
void Pairs::consider(const Group& group, const Task& task, bool first) {
    const Objective& o = frame_.objective;
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
        Lane& lane = lanes_[k];
        const Sides& sides = sides_[k + (first ? 1 : 0)];
        const Share share = open_[lane.interval].share;
        const auto cost = [&](std::int64_t leaves, Count leaf, Count stump) {
            return leaves < 2 ? o.of(leaf, 1) : std::min(o.of(leaf, 1), o.of(stump, 2));
        };
        const auto side = [&](std::int64_t leaves, int i) {
            return Bound{cost(leaves, sides.leaf[i], sides.kept[i]),
                         cost(leaves, sides.leaf[i], sides.stump[i])};
        };
        lane.left = side(share.left, 0);
        lane.right = side(share.right, 1);
        const Cost total = lane.left.low + lane.right.low;
        closed_.add(total, lane.left.free + lane.right.free);
        if (total > best_.cost || (total == best_.cost && (!task.ruled || best_.leaf))) continue;
        const Question question =
            chains_.question(frame_.cases, group, chains_[lane.chain], static_cast<std::size_t>(lane.test));
        if (total == best_.cost && best_.question && !(question < *best_.question)) continue;
        best_.cost = total;
        best_.question = question;
        best_.leaf = false;
    }
}

// Into the queue, unless it holds nothing better.
void Pairs::push(const Interval& v, const Group& group, const Task& task) {
    if (v.empty()) return;
    open_.push_back(v);
    Interval& own = open_.back();
    const Cost limit = limit_of(frame_, group, chains_, task, best_, own);
    if (alive(own, chains_, frame_.objective, limit).none()) {
        closed_.retire(own, limit, frame_.least);
        open_.pop_back();
        return;
    }
    queue_.push_back({own.key, static_cast<std::uint32_t>(open_.size() - 1)});
    std::push_heap(queue_.begin(), queue_.end(), std::greater{});
}

// Intervals that were looked into become several; those that were not go back.
void Pairs::part(const Group& group, const Task& task) {
    std::sort(lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) {
        return a.interval != b.interval ? a.interval < b.interval : a.test < b.test;
    });
    for (std::size_t k = 0; k < lanes_.size();) {
        const std::uint32_t i = lanes_[k].interval;
        Interval rest = open_[i];
        for (; k < lanes_.size() && lanes_[k].interval == i; ++k) {
            const Lane& lane = lanes_[k];
            const Count weight = chains_.weight(chains_[lane.chain], static_cast<std::size_t>(lane.test));
            push(rest.before(lane.test, weight, lane.left, lane.right), group, task);
            rest = rest.after(lane.test, weight, lane.left, lane.right);
        }
        push(rest, group, task);
        open_[i].last = open_[i].first - 1;  // looked into
    }
    for (const Candidate& c : candidates_)
        if (!open_[c.interval].empty()) push(open_[c.interval], group, task);
}

// The most promising of the open intervals, as many as a batch can look into.
bool Pairs::choose(const Group& group, const Task& task) {
    candidates_.clear();
    const auto width = static_cast<std::size_t>(frame_.sweep.width());
    while (!queue_.empty() && candidates_.size() < width) {
        const std::uint32_t i = queue_.front().second;
        std::pop_heap(queue_.begin(), queue_.end(), std::greater{});
        queue_.pop_back();
        Interval& v = open_[i];
        const Cost limit = limit_of(frame_, group, chains_, task, best_, v);
        const Alive some = alive(v, chains_, frame_.objective, limit);
        if (some.none())
            closed_.retire(v, limit, frame_.least);
        else
            candidates_.push_back({i, some});
    }
    return !candidates_.empty();
}

Result Pairs::solve(const Group& group, const Task& given, Meter& meter, Hints& hints) {
    Task task = given;
    if (settled(frame_, group, task, best_)) return best_;
    closed_ = {};
    chains_.make(frame_.cases, group, frame_.least);
    make_strips(group);
    if (strips_.empty()) {
        best_.low = best_.free = best_.cost;
        return best_;
    }
    open(group, task);
    candidates_.clear();
    for (std::uint32_t i = 0; i < open_.size(); ++i) {
        Interval& v = open_[i];
        // Nothing is known yet: chains of many tests first, then those that part the rows evenly.
        const Count weight = chains_.weight(chains_[v.chain], static_cast<std::size_t>(v.first));
        v.key = v.first < v.last ? 0 : std::abs(group.weight - 2 * weight);
        candidates_.push_back({i, {v.first, v.last}});
    }
    std::ranges::stable_sort(candidates_, {}, [&](const Candidate& c) { return open_[c.interval].key; });
    queue_.clear();
    bool first = true;
    for (;;) {
        if (candidates_.empty())
            lanes_.clear();
        else
            select(group, task, first, hints);
        look(group, first, meter);
        if (first) begin(group);
        if (task.leaves == 2 && !task.ruled) {  // the best test is all that was wanted
            closed_.low = best_.cost;
            break;
        }
        consider(group, task, first);
        part(group, task);
        first = false;
        if (meter.stopped() || (!task.ruled && best_.cost <= task.known.low)) break;
        if (!choose(group, task)) break;
    }
    // Nothing more is open, unless the search was stopped, or ends because it cannot get better.
    if (meter.stopped())
        for (const auto& [key, i] : queue_) closed_.retire(open_[i], 0, frame_.least);
    closed_.conclude(best_, task);
    if (!best_.leaf) {
        auto plan = std::make_shared<Plan>();
        plan->question = best_.question;
        plan->depth = best_.question ? 2 : 1;
        plan->leaves = task.leaves;
        best_.plan = std::move(plan);
    }
    if (best_.question) hints[2][static_cast<std::size_t>(task.side)] = best_.question;
    return best_;
}

}  // namespace bosco::search
