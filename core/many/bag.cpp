#include "many/bag.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>

#include "tree/route.hpp"

namespace bosco {

int error_bits(Count reach) {
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Count>(0, reach))));
    return std::max(0, 38 - width);
}

Count reach_of(const Target& target) {
    Count reach = 0;
    for (const Count y : target.y) reach = std::max(reach, y < 0 ? -y : y);
    return reach;
}

Bag::Bag(const Target& target, Count reach, Vote vote, OutOfBag& out)
    : target_(target),
      bits_(target.real() ? error_bits(reach) : 0),
      unit_(std::ldexp(target.scale, bits_)),
      vote_(vote),
      out_(out),
      width_(static_cast<std::size_t>(target.real() ? 1 : target.n_classes)) {
    if (!out.sum.empty()) return;
    out.sum.assign(target.n_rows() * width_, 0.0);
    out.trees.assign(target.n_rows(), 0);
}

Bag::Added Bag::add(const Made& made) {
    Added added;
    const auto meet = [&](Figure& figure, std::size_t row, const double* said) {
        const Count samples = target_.count_at(row);
        figure.samples += samples;
        figure.sum += samples * hit(row, said);
    };
    for (std::size_t i = 0; i < made.unseen.size(); ++i) {
        const std::size_t row = made.unseen[i];
        const double* from = made.tree.value.data() + made.leaf[i] * width_;
        double* to = out_.sum.data() + row * width_;
        if (vote_ == Vote::mode && !target_.real())
            to[heaviest(from, target_.n_classes)] += 1;
        else
            for (std::size_t k = 0; k < width_; ++k) to[k] += from[k];
        ++out_.trees[row];
        meet(added.tree, row, from);
    }
    for (std::size_t row = 0; row < out_.trees.size(); ++row) {
        if (out_.trees[row] == 0) continue;
        const double* sum = out_.sum.data() + row * width_;
        const double said = sum[0] / out_.trees[row];
        meet(added.all, row, target_.real() ? &said : sum);
    }
    out_.tree_score.push_back(mean(added.tree));
    out_.curve.push_back(mean(added.all));
    return added;
}

Wide Bag::hit(std::size_t row, const double* said) const {
    if (target_.real()) {
        const Wide e = std::llround((said[0] - target_.center) * unit_) - (Wide{target_.y[row]} << bits_);
        return e * e;
    }
    return heaviest(said, target_.n_classes) == static_cast<int>(target_.classes[row]) ? 1 : 0;
}

double Bag::mean(const Figure& figure) const {
    if (figure.samples == 0) return 0.0;
    const double each = static_cast<double>(figure.sum) / static_cast<double>(figure.samples);
    return target_.real() ? each / unit_ / unit_ : each;
}

void send_unseen(const Frame& frame, const Sample& sample, Made& made) {
    std::vector<std::uint32_t> all(frame.n_rows());
    std::iota(all.begin(), all.end(), 0u);
    std::ranges::set_difference(all, sample.rows, std::back_inserter(made.unseen));
    made.leaf.resize(made.unseen.size());
    Pool alone(1);
    route(made.tree, frame, alone, made.leaf, made.unseen);
}

OutOfBag bag_again(const Forest& forest, const Frame& frame, const Target& target, const Growth& growth,
                   const Plan& plan, const std::function<void()>& poll) {
    OutOfBag out;
    Bag bag(target, reach_of(target), plan.vote, out);
    for (int t = 0; t < forest.n_trees(); ++t) {
        poll();
        Made made{forest.tree(t), {}, {}};
        send_unseen(frame, sample_of(plan, growth, frame.n_rows(), t), made);
        bag.add(made);
    }
    return out;
}

BagPart bag_part(const Forest& forest, const Frame& frame, const Target& target, Count reach,
                 const Plan& plan, std::uint64_t seed, std::uint64_t n_places, std::uint64_t begin) {
    const std::size_t n = frame.n_rows();
    OutOfBag out;
    Bag bag(target, reach, plan.vote, out);
    BagPart part;
    Pool alone(1);
    for (int t = 0; t < forest.n_trees(); ++t) {
        const std::uint64_t key = sample_key(seed, static_cast<std::uint64_t>(t));
        const auto times = draw_places(key, n_places, plan.sample, plan.replace, begin, begin + n);
        Made made{forest.tree(t), {}, {}};
        for (std::uint32_t row = 0; row < n; ++row)
            if (times[row] == 0) made.unseen.push_back(row);
        made.leaf.resize(made.unseen.size());
        route(made.tree, frame, alone, made.leaf, made.unseen);
        const Bag::Added added = bag.add(made);
        part.tree.push_back(added.tree);
        part.all.push_back(added.all);
    }
    for (std::size_t row = 0; row < n; ++row) {
        const Count samples = target.count_at(row);
        if (out.trees[row] == 0) {
            ++part.rows_without;
            continue;
        }
        part.samples += samples;
        if (!target.real()) continue;
        part.sum += Wide{samples} * target.y[row];
        part.squares += Wide{samples} * target.y[row] * target.y[row];
    }
    return part;
}

}  // namespace bosco
