#include "many/stump.hpp"

#include "data/random.hpp"

namespace bosco {

Stumps::Stumps(const Frame& frame, const Target& target, const Growth& growth, const Tuning& tuning,
               Pool& pool)
    : target_(target),
      growth_(growth),
      pool_(pool),
      rows_(frame, target, false, pool),
      order_(frame.n_columns()),
      shared_(rows_, growth_, tuning, pool),
      leaf_(frame.n_rows()) {
    shared_.order = &order_;
}

template <class Branch>
std::vector<Count> Stumps::tallies(std::size_t branches, const Branch& branch) {
    const auto slots = static_cast<std::size_t>(rows_.shape().slots());
    std::vector<std::vector<Count>> own(static_cast<std::size_t>(pool_.size()),
                                        std::vector<Count>(branches * slots, 0));
    each_block(pool_, rows_.n_rows(), [&](std::size_t first, std::size_t last, std::size_t thread) {
        Count* const to = own[thread].data();
        for (std::size_t i = first; i < last; ++i) {
            const std::byte* r = record(i);
            rows_.add_to(to + branch(i, r) * slots, r);
        }
    });
    for (std::size_t t = 1; t < own.size(); ++t)
        for (std::size_t i = 0; i < own[0].size(); ++i) own[0][i] += own[t][i];  // whole numbers: any order
    return std::move(own[0]);
}

// Gives a node what it holds; is it pure?
bool Stumps::plant(Sprout& s, const Count* tally, Nursery& nursery) const {
    const Shape shape = rows_.shape();
    s.tally = nursery.counts(static_cast<std::size_t>(shape.slots()));
    std::copy_n(tally, shape.slots(), s.tally);
    s.impurity = impurity_of(growth_.criterion, shape, tally, 0);
    return shape.only_class(tally) >= 0;
}

// Finds tests by histograms, and parts rows without moving them.
class Stumps::Source : public Histograms {
public:
    Source(Stumps& of, const Stop& stop) : Histograms(of.shared_, stop, true, 0), of_(of) {}

    void part(NodeRows& root, Nursery& nursery) {
        take_test(*root.seedling.sprout, root.choice, of_.growth_.threshold, nursery);
        const Test test = test_of(root.choice, of_.growth_.threshold);
        const Sorter sorter(of_.rows_, test, nullptr);
        tallies_ =
            of_.tallies(static_cast<std::size_t>(test.branches), [&](std::size_t i, const std::byte* r) {
                const int branch = sorter.branch(r);
                of_.leaf_[i] = branch + 1;
                return static_cast<std::size_t>(branch);
            });
    }
    bool fill(std::uint32_t branch, Sprout& child, Nursery& nursery) {
        return of_.plant(child, tallies_.data() + branch * of_.rows_.shape().slots(), nursery);
    }

private:
    Stumps& of_;
    std::vector<Count> tallies_;  // by branch
};

Tree Stumps::grow(std::uint64_t round) {
    growth_.tree = round;
    each_block(pool_, rows_.n_rows(), [&](std::size_t first, std::size_t last, std::size_t) {
        for (std::size_t i = first; i < last; ++i) rows_.set_share(record(i), 1);
    });
    Nursery nursery;
    Sprout* const top = nursery.sprouts(1);
    const auto all = tallies(1, [](std::size_t, const std::byte*) { return std::size_t{0}; });
    const bool pure = plant(*top, all.data(), nursery);
    const Stop stop(growth_, target_, 1.0, rows_.shape().weight(top->tally));
    if (!stop.leaf(top->tally, pure, 0)) {
        Histograms::NodeRows root;
        root.seedling = {top, mix(growth_.seed, round), 0, pure};
        root.segment = rows_.all();
        Source source(*this, stop);
        source.count(root);
        Driver<Source>(source, stop, pool_).run(std::move(root), nursery, 0);
    }
    if (top->n_children == 0) std::fill(leaf_.begin(), leaf_.end(), 0);
    return lay_out(top, growth_, Scales(target_, stop.unit()));
}

}  // namespace bosco
