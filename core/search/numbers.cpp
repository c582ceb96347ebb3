#include "search/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "search/chains.hpp"
#include "search/meter.hpp"

namespace bosco::search {
namespace {

constexpr Wide none = -(Wide{1} << 126);
constexpr Wide rounding = 8;  // more than what rounding down may hide in a tree of four leaves

// Rows together: what their leaf says, and how many samples it has.
struct Part {
    Count sum = 0, weight = 0, samples = 0;

    Part& operator+=(const Part& o) { return sum += o.sum, weight += o.weight, samples += o.samples, *this; }
    Part& operator-=(const Part& o) { return sum -= o.sum, weight -= o.weight, samples -= o.samples, *this; }
    friend Part operator+(Part a, const Part& b) { return a += b; }
    friend Part operator-(Part a, const Part& b) { return a -= b; }

    Wide explained(int bits) const {
        return weight == 0 ? 0 : (static_cast<Wide>(sum) * sum << bits) / weight;
    }
    double about() const {
        const auto s = static_cast<double>(sum);
        return s * s / static_cast<double>(weight);
    }
};

// The most that two leaves explain; numbers in floating point only save most of the exact ones.
struct Most {
    Wide exact = none;
    double about = -1;

    // `finest`: what rounding down may hide.
    void take(double value, const Part& a, const Part& b, int bits, double finest) {
        if (value < about - (about * 1e-13 + finest)) return;
        about = std::max(about, value);
        exact = std::max(exact, a.explained(bits) + b.explained(bits));
    }
};

// What is known of a side: by one leaf, by two, and by two that have enough samples.
struct Side {
    Part all;
    Most free, kept;
};

// A cost, and of equal ones the number of leaves.
struct Score {
    Wide cost = 0;
    std::int64_t leaves = 1;
    auto operator<=>(const Score&) const = default;
    friend Score operator+(const Score& a, const Score& b) { return {a.cost + b.cost, a.leaves + b.leaves}; }
};

// Of a side with one leaf at most, and with two.
struct Costs {
    Score one, two;
};

// The tests of a chain between two that are known.
struct Span {
    std::uint32_t chain = 0;
    std::int32_t first = 0, last = -1;
    Costs before, after;  // of the left side before, and of the right side behind: inside they cost as much
    Wide key = 0;         // what any test inside costs at least
};
bool later(const Span& a, const Span& b) {
    if (a.key != b.key) return a.key > b.key;
    return a.chain != b.chain ? a.chain > b.chain : a.first > b.first;
}

class Numbers {
public:
    Numbers(const Cases& cases, const Wanted& wanted, Wide price, const std::function<bool()>& asked)
        : cases_(cases),
          wanted_(wanted),
          price_(price),
          leaves_(std::min<std::int64_t>(wanted.max_leaf_nodes, wanted.max_depth < 2 ? 2 : 4)),
          halt_(wanted.time_limit, asked),
          meter_(halt_, true) {}

    FoundNumbers run() {
        for (std::uint32_t i = 0; i < cases_.n_rows; ++i) {
            const Count w = cases_.weight_of(i);
            parts_.push_back({w * cases_.y[i], w, cases_.samples_of(i)});
        }
        set_unit();
        Group root;
        gather(cases_, root);
        meter_.start(wanted_.work_limit);
        FoundNumbers found;
        found.nodes.resize(1);
        found.bits = bits_;
        chains_.make(cases_, root, wanted_.min_samples_leaf);
        const Part all = part_of(root);
        best_ = {squares_ - all.explained(bits_) + price_, 1};
        const Wide low = look_everywhere(root, all);
        plant(root, found);
        found.leaves = best_.leaves;
        found.objective = best_.cost;
        found.error = best_.cost - price_ * best_.leaves;
        found.bound = std::min(best_.cost, low);
        found.end = found.bound == found.objective ? End::proved
                    : halt_.late()                 ? End::time
                    : halt_.stopped()              ? End::asked
                                                   : End::work;
        found.work = meter_.work();
        return found;
    }

private:
    // No sum over the rows is larger than that of all |w y|: what is left of 128 bits makes errors finer.
    void set_unit() {
        Wide whole = 1;
        for (const Part& p : parts_) whole += p.sum < 0 ? -static_cast<Wide>(p.sum) : p.sum;
        int large = 0;
        while (whole >> large > 0) ++large;
        bits_ = std::clamp(124 - 2 * large, 0, 40);
        finest_ = std::ldexp(4.0, -bits_);
        for (std::uint32_t i = 0; i < cases_.n_rows; ++i) squares_ += square(i);
        // A price beyond all squares is as good as any other.
        const Wide most = (squares_ >> bits_) + 1;
        if (price_ >> price_bits >= most)
            price_ = most << bits_;
        else
            price_ = bits_ >= price_bits ? price_ << (bits_ - price_bits) : price_ >> (price_bits - bits_);
    }
    const Part& part(std::uint32_t row) const { return parts_[row]; }
    Wide square(std::uint32_t row) const {
        return static_cast<Wide>(cases_.weight_of(row)) * cases_.y[row] * cases_.y[row] << bits_;
    }
    Part part_of(const Group& group) const {
        Part all;
        for (const std::uint32_t row : group.row) all += part(row);
        return all;
    }
    Score leaf(const Part& all, Wide squares) const { return {squares - all.explained(bits_) + price_, 1}; }
    Costs costs(const Side& side, Wide squares, bool free) const {
        Costs c{leaf(side.all, squares), {}};
        const Most& most = free ? side.free : side.kept;
        c.two = most.exact == none ? c.one : std::min(c.one, Score{squares - most.exact + 2 * price_, 2});
        return c;
    }
    // Of a test, by how many leaves its sides may have.
    Score total(const Costs& left, const Costs& right) const {
        if (leaves_ >= 4) return left.two + right.two;
        if (leaves_ == 2) return left.one + right.one;
        return std::min(left.one + right.two, left.two + right.one);
    }

    // Every test of the root, or what shows that it is not the best; what those left out cost at least.
    Wide look_everywhere(const Group& root, const Part& all) {
        std::vector<Span> open;
        Wide low = best_.cost;
        if (leaves_ < 2 || best_.cost <= price_) return low;
        const Costs least{{price_, 1}, {price_, 1}};
        const auto push = [&](Span v) {
            if (v.first > v.last) return;
            v.key = total(v.before, v.after).cost - rounding;
            if (v.key > best_.cost) return;
            open.push_back(v);
            std::push_heap(open.begin(), open.end(), later);
        };
        for (std::uint32_t i = 0; i < chains_.all().size(); ++i) {
            const Chain& c = chains_[i];
            push({i, static_cast<std::int32_t>(c.first), static_cast<std::int32_t>(c.last) - 1, least, least,
                  0});
        }
        while (!open.empty() && !meter_.stopped()) {
            std::pop_heap(open.begin(), open.end(), later);
            const Span v = open.back();
            open.pop_back();
            if (v.key > best_.cost) break;  // and so are all others
            const std::int32_t test = v.first + (v.last - v.first) / 2;
            const Chain& chain = chains_[v.chain];
            const Question q = chains_.question(cases_, root, chain, static_cast<std::size_t>(test));
            Side sides[2];
            Wide squares = 0;
            sweep(root, q, sides, squares);
            sides[1].all = all - sides[0].all;
            const Wide rest = squares_ - squares;
            const Score score = total(costs(sides[0], squares, false), costs(sides[1], rest, false));
            if (score < best_ || (score == best_ && question_ && q < *question_)) {
                best_ = score;
                question_ = q;
            }
            const Costs left = costs(sides[0], squares, true), right = costs(sides[1], rest, true);
            push({v.chain, v.first, test - 1, v.before, right, 0});
            push({v.chain, test + 1, v.last, left, v.after, 0});
        }
        for (const Span& v : open) low = std::min(low, v.key);
        return meter_.stopped() ? std::max(low, price_) : best_.cost;
    }

    // What both sides of a test explain, in one pass of every column; the squares of the left one.
    void sweep(const Group& group, const Question& q, Side (&sides)[2], Wide& squares) {
        left_.resize(group.size);
        const auto& ranks = cases_.ranks[q.column];
        for (std::uint32_t i = 0; i < group.size; ++i) {
            left_[i] = cases_.left(q, ranks[group.row[i]]) ? 0 : 1;
            if (left_[i] != 0) continue;
            sides[0].all += part(group.row[i]);
            squares += square(group.row[i]);
        }
        sides[1].all = part_of(group) - sides[0].all;
        meter_.add(static_cast<std::int64_t>(group.size) * static_cast<std::int64_t>(cases_.columns.size()));
        if (leaves_ < 3) return;
        judge_all(group, sides);
    }

    void judge(Side& side, const Part& l) const {
        const Part r = side.all - l;
        if (l.weight == 0 || r.weight == 0) return;
        const double value = l.about() + r.about();
        side.free.take(value, l, r, bits_, finest_);
        if (std::min(l.samples, r.samples) >= wanted_.min_samples_leaf)
            side.kept.take(value, l, r, bits_, finest_);
    }

    // All tests of the rows of two sides.
    void judge_all(const Group& group, Side (&sides)[2]) {
        for (std::uint32_t j = 0; j < cases_.columns.size(); ++j) {
            const Entry* const list = group.list(j);
            const std::uint32_t missing = group.missing[j];
            if (!cases_.columns[j].ordered) {
                judge_levels(group, j, sides);
                continue;
            }
            Part absent[2], left[2];
            for (std::uint32_t i = 0; i < missing; ++i)
                absent[left_[row_of(list[i])]] += part(group.row[row_of(list[i])]);
            bool changed[2] = {false, false};
            for (std::uint32_t i = missing; i < group.size; ++i) {
                const int s = left_[row_of(list[i])];
                left[s] += part(group.row[row_of(list[i])]);
                changed[s] = true;
                if (!ends(list[i])) continue;
                for (int side = 0; side < 2; ++side) {
                    if (!changed[side]) continue;
                    changed[side] = false;
                    judge(sides[side], left[side]);
                    if (absent[side].weight > 0) judge(sides[side], left[side] + absent[side]);
                }
            }
        }
    }
    void judge_levels(const Group& group, std::uint32_t j, Side (&sides)[2]) {
        const auto& program = chains_.program(j);
        if (program.empty()) return;
        const Entry* const list = group.list(j);
        levels_.clear();
        Part own[2];
        for (std::uint32_t i = 0; i < group.size; ++i) {
            own[left_[row_of(list[i])]] += part(group.row[row_of(list[i])]);
            if (!ends(list[i])) continue;
            levels_.insert(levels_.end(), {own[0], own[1]});
            own[0] = own[1] = {};
        }
        Part left[2];
        for (const std::int16_t step : program) {
            for (std::size_t side = 0; side < 2; ++side) {
                if (step > 0)
                    left[side] += levels_[2 * static_cast<std::size_t>(step - 1) + side];
                else if (step < 0)
                    left[side] -= levels_[2 * static_cast<std::size_t>(-step - 1) + side];
                else
                    judge(sides[side], left[side]);
            }
        }
    }

    // The first test, by rule, of those that explain the most of a group in two leaves.
    std::optional<Question> best_test(const Group& group, Wide explained) {
        Chains chains;
        chains.make(cases_, group, wanted_.min_samples_leaf);
        std::optional<Question> best;
        const Part all = part_of(group);
        std::vector<Part> upto;
        std::uint32_t read = ~0u;
        for (const Chain& chain : chains.all()) {
            const std::uint32_t column = chain.question.column;
            const Entry* const list = group.list(column);
            if (chain.cuts && column != read) {
                read = column;
                upto.clear();
                Part sum;
                for (std::uint32_t i = group.missing[column]; i < group.size; ++i) {
                    sum += part(group.row[row_of(list[i])]);
                    if (ends(list[i])) upto.push_back(sum);
                }
            }
            Part absent;
            if (chain.question.missing_left && chain.cuts)
                for (std::uint32_t i = 0; i < group.missing[column]; ++i)
                    absent += part(group.row[row_of(list[i])]);
            for (std::uint32_t k = chain.first; k < chain.last; ++k) {
                const Question q = chains.question(cases_, group, chain, k);
                if (best && !(q < *best)) continue;
                Part left = absent;
                if (chain.cuts) {
                    left += upto[k];
                } else {
                    for (std::uint32_t i = 0; i < group.size; ++i)
                        if (cases_.left(q, cases_.ranks[column][group.row[i]])) left += part(group.row[i]);
                }
                if (left.explained(bits_) + (all - left).explained(bits_) == explained) best = q;
            }
        }
        return best;
    }

    void plant(const Group& root, FoundNumbers& found) {
        if (!question_) return;
        Group groups[2];
        Splitter().split(cases_, root, *question_, groups[0], groups[1]);
        Side sides[2];
        Wide squares[2] = {0, 0};
        sweep(root, *question_, sides, squares[0]);
        squares[1] = squares_ - squares[0];
        const Costs own[2] = {costs(sides[0], squares[0], false), costs(sides[1], squares[1], false)};
        // The left side has as few leaves as it can.
        bool parted[2] = {false, false};
        if (leaves_ >= 4)
            for (int side = 0; side < 2; ++side) parted[side] = own[side].two < own[side].one;
        else if (leaves_ == 3 && own[0].one + own[1].two == best_)
            parted[1] = own[1].two < own[1].one;
        else if (leaves_ == 3)
            parted[0] = own[0].two < own[0].one;
        found.nodes[0] = {false, *question_, 1, 2};
        found.nodes.resize(3);
        for (std::size_t side = 0; side < 2; ++side) {
            if (!parted[side]) continue;
            const auto q = best_test(groups[side], sides[side].kept.exact);
            if (!q) throw Error("a test that was found is lost");
            const auto first = static_cast<std::int32_t>(found.nodes.size());
            found.nodes[1 + side] = {false, *q, first, first + 1};
            found.nodes.resize(found.nodes.size() + 2);
        }
    }

    const Cases& cases_;
    Wanted wanted_;
    Wide price_;
    std::int64_t leaves_;
    Halt halt_;
    Meter meter_;
    Chains chains_;
    int bits_ = 0;
    double finest_ = 0;
    Wide squares_ = 0;  // of all rows
    Score best_;
    std::optional<Question> question_;
    std::vector<Part> parts_;         // by row
    std::vector<std::uint8_t> left_;  // by row of the group: 0 on the left, 1 on the right
    std::vector<Part> levels_;
};

}  // namespace

FoundNumbers search_numbers(const Cases& cases, const Wanted& wanted, Wide price,
                            const std::function<bool()>& asked) {
    return Numbers(cases, wanted, price, asked).run();
}

}  // namespace bosco::search
