// A sound tree passes check(); every kind of broken one is named. Pruning, weakest links.
#include "tree/tree.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

// Root: x0 <= 1. Left: a map of three levels. Five leaves in all.
//   0 -> 1, 2;  1 -> 3, 4, 5;  2 -> 6, 7
Tree sound() {
    Tree t;
    t.n_classes = 2;
    bosco::Test cut, map, last;
    cut.column = 0;
    cut.thresholds = {1};
    map.kind = TestKind::map;
    map.column = 1;
    map.branches = 3;
    map.jumps = {1, 0, 1, 2};
    last.column = 0;
    last.thresholds = {3};
    last.missing = 1;
    for (const auto& test : {cut, map, last}) t.tests.push(test);
    t.test = {0, 1, 2, -1, -1, -1, -1, -1};
    t.parent = {-1, 0, 0, 1, 1, 1, 2, 2};
    t.first_child = {1, 3, 6, -1, -1, -1, -1, -1};
    t.n_children = {2, 3, 2, 0, 0, 0, 0, 0};
    t.tally = {8, 8, 6, 2, 2, 6, 4, 0, 2, 0, 0, 2, 1, 1, 1, 5};
    t.count = {16, 8, 8, 4, 2, 2, 2, 6};
    t.known = t.count;
    for (std::size_t i = 0; i < 16; ++i)
        t.value.push_back(static_cast<double>(t.tally[i]) / static_cast<double>(t.count[i / 2]));
    t.impurity.assign(8, 0.25);
    t.gain = {0.1, 0.2, 0.3, 0, 0, 0, 0, 0};
    t.surrogate_begin.assign(9, 0);
    t.candidate_begin.assign(9, 0);
    return t;
}

template <class Break>
void refused(Break broken, const Place& at = Place::current()) {
    Tree t = sound();
    broken(t);
    throws<Error>([&] { t.check(); }, at);
}

const Test passes{"a sound tree passes", [] { sound().check(); }};

const Test lengths{"arrays of the wrong length", [] {
                       refused([](Tree& t) { t.test.clear(); });
                       refused([](Tree& t) { t.test.push_back(-1); });
                       refused([](Tree& t) { t.parent.pop_back(); });
                       refused([](Tree& t) { t.first_child.pop_back(); });
                       refused([](Tree& t) { t.n_children.push_back(0); });
                       refused([](Tree& t) { t.count.pop_back(); });
                       refused([](Tree& t) { t.known.pop_back(); });
                       refused([](Tree& t) { t.impurity.pop_back(); });
                       refused([](Tree& t) { t.gain.push_back(0); });
                       refused([](Tree& t) { t.tally.pop_back(); });
                       refused([](Tree& t) { t.value.pop_back(); });
                       refused([](Tree& t) { t.n_classes = 3; });
                       refused([](Tree& t) { t.n_classes = -1; });
                       refused([](Tree& t) { t.candidate_gain.push_back(0); });
                       refused([](Tree& t) { t.candidate_split_info.push_back(0); });
                       refused([](Tree& t) { t.candidate_penalty.push_back(0); });
                   }};

const Test scales{"scales by which nothing can be read", [] {
                      refused([](Tree& t) { t.weight_scale = 0; });
                      refused([](Tree& t) { t.scale = -1; });
                      refused([](Tree& t) { t.center = none; });
                      refused([](Tree& t) { t.count_scale = 0.5; });
                      refused([](Tree& t) { t.count_scale = 0x1p63; });
                  }};

const Test links{"links that lead nowhere, round, or twice to one node", [] {
                     refused([](Tree& t) { t.parent[0] = 0; });
                     refused([](Tree& t) { t.parent[4] = 2; });
                     refused([](Tree& t) { t.parent[4] = -1; });
                     refused([](Tree& t) { t.first_child[0] = 0; });
                     refused([](Tree& t) { t.first_child[2] = 1; });
                     refused([](Tree& t) { t.first_child[2] = 7; });
                     refused([](Tree& t) { t.first_child[2] = -1; });
                     refused([](Tree& t) { t.first_child[2] = 2147483647; });
                     refused([](Tree& t) { t.first_child[2] = 4; });
                     refused([](Tree& t) { t.first_child[5] = 6; });
                     refused([](Tree& t) { t.n_children[5] = 1; });
                     refused([](Tree& t) { t.n_children[0] = 3; });
                     refused([](Tree& t) { t.test[0] = 1; });
                     refused([](Tree& t) { t.test[0] = 3; });
                     refused([](Tree& t) { t.test[7] = 0; });
                 }};

const Test orphans{"a node that nobody leads to", [] {
                       refused([](Tree& t) { t.test[2] = -1, t.first_child[2] = -1, t.n_children[2] = 0; });
                   }};

const Test pools{"tests that make no sense", [] {
                     refused([](Tree& t) { t.tests.kind[0] = 0; });
                     refused([](Tree& t) { t.tests.kind[0] = 3; });
                     refused([](Tree& t) { t.tests.kind[0] = 2; });
                     refused([](Tree& t) { t.tests.kind[1] = 1; });
                     refused([](Tree& t) { t.tests.column[0] = -1; });
                     refused([](Tree& t) { t.tests.branches[0] = 1; });
                     refused([](Tree& t) { t.tests.branches[0] = 3; });
                     refused([](Tree& t) { t.tests.missing[0] = 2; });
                     refused([](Tree& t) { t.tests.missing[0] = -2; });
                     refused([](Tree& t) { t.tests.flip[0] = 2; });
                     refused([](Tree& t) { t.tests.flip[1] = 1; });
                     refused([](Tree& t) { t.tests.jumps[2] = 3; });
                     refused([](Tree& t) { t.tests.thresholds[0] = none; });
                     refused([](Tree& t) { t.tests.column.pop_back(); });
                     refused([](Tree& t) { t.tests.flip.pop_back(); });
                     refused([](Tree& t) { t.tests.missing.push_back(0); });
                     refused([](Tree& t) { t.tests.branches.pop_back(); });
                 }};

const Test offsets{"offsets that do not fit", [] {
                       refused([](Tree& t) { t.tests.threshold_begin.pop_back(); });
                       refused([](Tree& t) { t.tests.jump_begin.push_back(4); });
                       refused([](Tree& t) { t.tests.threshold_begin[0] = -1; });
                       refused([](Tree& t) { t.tests.threshold_begin[1] = 5; });
                       refused([](Tree& t) { t.tests.jump_begin[1] = 9; });
                       refused([](Tree& t) { t.tests.thresholds.push_back(4); });
                       refused([](Tree& t) { t.tests.jumps.pop_back(); });
                       refused([](Tree& t) { t.surrogate_begin.pop_back(); });
                       refused([](Tree& t) { t.surrogate_begin.back() = 1; });
                       refused([](Tree& t) { t.surrogate_begin[3] = 2; });
                       refused([](Tree& t) { t.candidate_begin[0] = 1; });
                       refused([](Tree& t) { t.candidate_begin.clear(); });
                   }};

const Test increasing{"thresholds must increase", [] {
                          Tree t = sound();
                          bosco::Test intervals;
                          intervals.column = 0;
                          intervals.branches = 3;
                          intervals.thresholds = {1, 2};
                          t.candidates.push(intervals);
                          t.candidate_gain = t.candidate_split_info = t.candidate_penalty = {0};
                          t.candidate_begin.assign(9, 1);
                          t.candidate_begin[0] = 0;
                          t.check();
                          for (const double second : {1.0, 0.5, none}) {
                              t.candidates.thresholds[1] = second;
                              throws<Error>([&] { t.check(); });
                          }
                      }};

const Test missing_branch{"a branch for missing values alone is one more than the cuts make", [] {
                              Tree t = sound();
                              t.tests.branches[0] = 3;
                              t.tests.missing[0] = 2;
                              throws<Error>([&] { t.check(); });  // but the node has two children
                              Tree leaf;
                              leaf.n_classes = 0;
                              leaf.test = {0, -1, -1, -1};
                              leaf.parent = {-1, 0, 0, 0};
                              leaf.first_child = {1, -1, -1, -1};
                              leaf.n_children = {3, 0, 0, 0};
                              leaf.tally.assign(8, 1);
                              leaf.count = leaf.known = {3, 1, 1, 1};
                              leaf.value = leaf.impurity = leaf.gain = {0, 0, 0, 0};
                              leaf.surrogate_begin = leaf.candidate_begin = {0, 0, 0, 0, 0};
                              bosco::Test test;
                              test.column = 0;
                              test.branches = 3;
                              test.missing = 2;
                              test.thresholds = {0.5};
                              leaf.tests.push(test);
                              leaf.check();
                              leaf.tests.missing[0] = 1;
                              throws<Error>([&] { leaf.check(); });
                          }};

const Test pruned{"pruning keeps the order and copies what stays", [] {
                      const Tree t = sound();
                      holds(same(prune(t, std::vector<char>(8, 0)), t));
                      const Tree small = prune(t, {0, 1, 0, 0, 0, 0, 0, 0});
                      small.check();
                      equal(small.test, std::vector<std::int32_t>{0, -1, 1, -1, -1});
                      equal(small.parent, std::vector<std::int32_t>{-1, 0, 0, 2, 2});
                      equal(small.first_child, std::vector<std::int32_t>{1, -1, 3, -1, -1});
                      equal(small.tally, std::vector<Count>{8, 8, 6, 2, 2, 6, 1, 1, 1, 5});
                      equal(small.tests.size(), 2);
                      equal(small.tests.thresholds, std::vector<double>{1, 3});
                      equal(small.gain, std::vector<double>{0.1, 0, 0.3, 0, 0});
                      const Tree root = prune(t, {1, 0, 1, 0, 0, 0, 0, 0});
                      root.check();
                      equal(root.n_nodes(), 1);
                      equal(root.tests.size(), 0);
                      holds(same(prune(t, {0, 0, 0, 1, 1, 1, 1, 1}), t));  // leaves are leaves already
                      throws<Error>([&] { prune(t, {0, 1}); });
                  }};

const Test weakest{"weakest links, worked by hand", [] {
                       // Errors of the nodes: subtree of 1 saves 1 with 2 extra leaves, that of 2 saves 1
                       // with 1.
                       const std::vector<double> risk = {8, 2, 3, 0, 1, 0, 1, 1};
                       const WeakestLinks w = weakest_links(sound(), risk);
                       // 1: (2 - 1) / 2 = 0.5; 2: (3 - 2) / 1 = 1; 0: (8 - 3) / 4 = 1.25, then (8 - 5) / 1
                       // = 3.
                       equal(w.alpha, std::vector<double>{0, 0.5, 1, 3});
                       equal(w.risk, std::vector<double>{3, 4, 5, 8});
                       equal(w.leaves, std::vector<std::int32_t>{5, 3, 2, 1});
                       equal(w.cut_at[0], 3.0);
                       equal(w.cut_at[1], 0.5);
                       equal(w.cut_at[2], 1.0);
                       for (std::size_t i = 3; i < 8; ++i) equal(w.cut_at[i], infinite);
                   }};

const Test weakest_root{"the root can be the weakest link", [] {
                            const WeakestLinks w = weakest_links(sound(), {4, 3, 3, 0, 1, 0, 1, 1});
                            // 0: (4 - 3) / 4 = 0.25, before 1 (1) and 2 (1).
                            equal(w.alpha, std::vector<double>{0, 0.25});
                            equal(w.leaves, std::vector<std::int32_t>{5, 1});
                            equal(w.cut_at[1], infinite);
                        }};

const Test weakest_useless{"a useless split goes at 0; alpha never falls", [] {
                               const WeakestLinks w = weakest_links(sound(), {8, 1, 1, 0, 1, 0, 1, 1});
                               // 2 makes things worse (1 against 2): cut at 0. Then 1: 0 / 2, and 0: (8 - 2)
                               // / 1.
                               equal(w.alpha, std::vector<double>{0, 0, 0, 6});
                               equal(w.leaves, std::vector<std::int32_t>{5, 4, 2, 1});
                               equal(w.risk, std::vector<double>{3, 2, 2, 8});
                               throws<Error>([] { weakest_links(sound(), {1, 2}); });
                           }};

const Test stump_links{"a lone leaf has nothing to cut", [] {
                           const Tree root = prune(sound(), {1, 0, 0, 0, 0, 0, 0, 0});
                           const WeakestLinks w = weakest_links(root, {2});
                           equal(w.alpha, std::vector<double>{0});
                           equal(w.leaves, std::vector<std::int32_t>{1});
                       }};

}  // namespace
}  // namespace bosco::check
