// Memory that runs out, at every allocation in turn: the work is given up with an exception, nothing is lost
// or half done, and the same work succeeds afterwards.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>

#include "check.hpp"
#include "data.hpp"
#include "data/parallel.hpp"
#include "many/forest.hpp"
#include "tree/route.hpp"
#include "tree/shap.hpp"

namespace {
std::atomic<long> left{-1};  // allocations until one fails; negative: none does

void* allocated(std::size_t n) {
    if (left.load(std::memory_order_relaxed) >= 0 && left.fetch_sub(1) == 0) throw std::bad_alloc();
    if (void* memory = std::malloc(n > 0 ? n : 1)) return memory;
    throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t n) { return allocated(n); }
void* operator new[](std::size_t n) { return allocated(n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    try {
        return allocated(n);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace bosco::check {
namespace {

// Lets the k-th allocation of a work fail, for every k up to the last that it makes.
void fail_each(const std::function<void()>& work) {
    long failed = 0;
    for (long k = 0;; ++k) {
        left = k;
        try {
            work();
        } catch (const std::bad_alloc&) {
            ++failed;
        }
        const bool reached = left.exchange(-1) < 0;
        if (!reached) break;  // it was done before its k-th allocation
    }
    holds(failed > 0);
}

Data small(std::size_t n) {
    Draws draw(7);
    Data data = rough(n, draw);
    std::vector<std::uint8_t> levels;
    for (std::size_t i = 0; i < n; ++i) levels.push_back(static_cast<std::uint8_t>(draw.below(6)));
    data.nominal(std::move(levels), 5);
    return data;
}

Goal three(std::size_t n) {
    Draws draw(11);
    Goal goal;
    goal.n_classes = 3;
    for (std::size_t i = 0; i < n; ++i) goal.classes.push_back(static_cast<std::uint32_t>(draw.below(3)));
    return goal;
}

const Test trees{"a tree is grown, or memory is said to be out", [] {
                     const std::size_t n = 60;
                     Data data = small(n);
                     data.encode(8);
                     const Goal goal = three(n);
                     for (const int threads : {1, 3}) {
                         Growth growth;
                         growth.nominal_test = NominalTest::subset;
                         const Tuning how = tuning(16, 8);
                         const Tree whole = grown(data, goal, growth, threads, how);
                         fail_each([&] { grown(data, goal, growth, threads, how); });
                         holds(same(grown(data, goal, growth, threads, how), whole));
                     }
                 }};

const Test encoded{"columns are encoded, or memory is said to be out",
                   [] { fail_each([] { small(40).encode(8, 2); }); }};

const Test forests{"a forest is grown, or memory is said to be out", [] {
                       const std::size_t n = 40;
                       Data data = small(n);
                       data.encode();
                       const Goal goal = three(n);
                       Growth growth;
                       growth.nominal_test = NominalTest::subset;
                       growth.max_features = 2;
                       const Target target = goal.target();
                       fail_each([&] {
                           Forest forest;
                           forest.n_classes = 3;
                           Plan plan;
                           plan.n_trees = 3;
                           plan.sampled = true;
                           plan.sample = n;
                           grow_forest(data.frame(), target, growth, plan, 2, {}, {}, {}, forest, nullptr);
                       });
                   }};

const Test asked{"rows are led and columns weighed, or memory is said to be out", [] {
                     const std::size_t n = 60;
                     Data data = small(n);
                     data.encode();
                     Growth growth;
                     growth.nominal_test = NominalTest::subset;
                     const Tree tree = grown(data, three(n), growth);
                     fail_each([&] {
                         Pool pool(3);
                         std::vector<std::int32_t> leaf(n);
                         route(tree, data.frame(), pool, leaf);
                         std::vector<double> out(n * data.frame().n_columns() * 3), base(3);
                         add_contributions(tree, data.frame(), tree.value, 3, 1.0, pool, out, base);
                     });
                 }};

}  // namespace
}  // namespace bosco::check
