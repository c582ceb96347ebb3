// Packed trees: unfolded they are the trees that would have grown, and they send rows to the same leaves.
#include "tree/packed.hpp"

#include "check.hpp"
#include "data.hpp"
#include "tree/route.hpp"

namespace bosco::check {
namespace {

struct Case {
    Data data;
    Goal goal;
    Growth growth;
};

Case make(std::size_t n, int n_classes, bool weighted, Criterion criterion) {
    Draws draws(91);
    Case c{rough(n, draws), {}, {}};
    for (std::size_t i = 0; i < n; ++i) {
        if (n_classes > 0)
            c.goal.classes.push_back(static_cast<std::uint32_t>(draws.below(n_classes)));
        else
            c.goal.y.push_back(draws.below(2000) - 1000);
        if (weighted) {
            c.goal.weight.push_back(1 + draws.below(50));
            c.goal.count.push_back(1);
        }
    }
    c.goal.n_classes = n_classes;
    c.growth.criterion = criterion;
    c.data.encode(16);
    return c;
}

std::vector<Case> cases(std::size_t n) {
    std::vector<Case> all;
    for (const bool weighted : {false, true}) {
        all.push_back(make(n, 0, weighted, Criterion::squared_error));
        for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::error,
                                          Criterion::sqrt, Criterion::scaled_entropy}) {
            all.push_back(make(n, 2, weighted, criterion));
            all.push_back(make(n, 4, weighted, criterion));
        }
    }
    return all;
}

std::shared_ptr<const Packed> packed(const Case& c, int n_threads, std::size_t small_rows) {
    Tuning how = tuning(small_rows, 100);
    how.pack_rows = 0;
    Among among;
    among.pack = true;
    return grow(c.data.frame(), c.goal.target(), c.growth, n_threads, how, {}, nullptr, among).packed;
}

std::int32_t depth_of(const Tree& tree) {
    std::vector<std::int32_t> depth(tree.test.size(), 0);
    for (std::size_t i = 1; i < depth.size(); ++i)
        depth[i] = depth[static_cast<std::size_t>(tree.parent[i])] + 1;
    return *std::ranges::max_element(depth);
}

const Test unfolded{"an unfolded tree is the tree itself", [] {
                        for (Case& c : cases(1200))
                            for (const Count least : {1, 7}) {
                                c.growth.min_samples_leaf = least;
                                const Tree tree = grown(c.data, c.goal, c.growth);
                                for (const int n_threads : {1, 3})
                                    for (const std::size_t small : {std::size_t{20}, std::size_t{300}}) {
                                        const auto p = packed(c, n_threads, small);
                                        holds(p != nullptr);
                                        const Tree t = p->unfold();
                                        t.check();
                                        holds(same(t, tree));
                                        equal(p->n_nodes(), tree.n_nodes());
                                        equal(p->depth(), depth_of(tree));
                                        equal(p->n_leaves(),
                                              static_cast<std::int32_t>(std::ranges::count(tree.test, -1)));
                                    }
                            }
                    }};

const Test all_in_one{"the root itself may be put away", [] {
                          const Case c = make(200, 0, false, Criterion::squared_error);
                          const auto p = packed(c, 1, 4000);
                          holds(same(p->unfold(), grown(c.data, c.goal, c.growth)));
                      }};

const Test leaves{
    "rows go to the leaves of the tree, and hear what it says", [] {
        for (const int n_classes : {0, 3}) {
            const Case c =
                make(9000, n_classes, false, n_classes > 0 ? Criterion::gini : Criterion::squared_error);
            const Tree tree = grown(c.data, c.goal, c.growth);
            const auto p = packed(c, 2, 500);
            Pool pool(2);
            std::vector<std::int32_t> expected(9000), leaf(9000);
            route(tree, c.data.frame(), pool, expected);
            route(*p, c.data.frame(), pool, leaf);
            equal(leaf, expected);
            const std::vector<double> values = p->leaf_values();
            const auto width = static_cast<std::size_t>(tree.width());
            for (std::size_t i = 0; i < leaf.size(); ++i) {
                const auto at = [&](std::uint32_t j) { return c.data.frame().column(j).raw.at(i); };
                equal(p->leaf(at), expected[i]);
                for (std::size_t k = 0; k < width; ++k) {
                    const std::size_t place = static_cast<std::size_t>(leaf[i]) * width + k;
                    equal(values[place], tree.value[place]);
                }
            }
        }
    }};

const Test other_frames{"frames that a packed tree does not fit", [] {
                            const auto p = packed(make(500, 0, false, Criterion::squared_error), 1, 50);
                            Pool pool(1);
                            std::vector<std::int32_t> leaf(2);
                            Data few(2), coded(2);
                            few.numeric({1, 2});
                            throws<Error>([&] { route(*p, few.frame(), pool, leaf); });
                            for (int j = 0; j < 5; ++j) coded.nominal({1, 2}, 3);
                            throws<Error>([&] { route(*p, coded.frame(), pool, leaf); });
                        }};

const Test not_packed{"what cannot be derived is not packed", [] {
                          Case c = make(300, 2, false, Criterion::gini);
                          holds(packed(c, 1, 50) != nullptr);
                          const auto refused = [&](auto set) {
                              Case other = make(300, 2, false, Criterion::gini);
                              set(other.growth);
                              holds(packed(other, 1, 50) == nullptr);
                          };
                          refused([](Growth& g) { g.order = Order::breadth; });
                          refused([](Growth& g) { g.record = true; });
                          refused([](Growth& g) { g.missing = Missing::majority; });
                          refused([](Growth& g) { g.score = Score::gain_ratio; });
                          refused([](Growth& g) { g.max_leaf_nodes = 9; });
                          refused([](Growth& g) { g.monotonic.assign(5, 0); });
                          refused([](Growth& g) { g.max_depth = 0; });
                      }};

const Test room{"shares need room beside weights and sums", [] {
                    Case c = make(50, 0, false, Criterion::squared_error);
                    c.growth.missing = Missing::fractional;
                    grown(c.data, c.goal, c.growth);
                    c.goal.y.assign(50, Count{1} << 40);
                    throws<Error>([&] { grown(c.data, c.goal, c.growth); });
                }};

}  // namespace
}  // namespace bosco::check
