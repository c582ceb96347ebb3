// The pool: every index once, exceptions handed back, nothing left behind.
#include "data/parallel.hpp"

#include <numeric>
#include <stdexcept>

#include "check.hpp"

namespace bosco::check {
namespace {

const Test each_once{
    "every index is worked on once, by a thread of the pool", [] {
        for (const int threads : {1, 2, 5}) {
            Pool pool(threads);
            equal(pool.size(), threads);
            for (const std::int64_t n : {0, 1, 2, 7, 1000}) {
                std::vector<int> done(static_cast<std::size_t>(n), 0);
                std::atomic<bool> strange{false};
                pool.run(n, [&](std::int64_t i, int thread) {
                    ++done[static_cast<std::size_t>(i)];
                    if (thread < 0 || thread >= threads) strange = true;
                });
                holds(!strange && std::accumulate(done.begin(), done.end(), std::int64_t{0}) == n);
            }
        }
    }};

const Test rethrown{"the exception of any index comes out, and the pool goes on working", [] {
                        for (const int threads : {1, 4}) {
                            Pool pool(threads);
                            for (int round = 0; round < 20; ++round) {
                                throws<std::logic_error>([&] {
                                    pool.run(100, [&](std::int64_t i, int) {
                                        if (i == 37) throw std::logic_error("37");
                                    });
                                });
                                std::atomic<int> sum{0};
                                pool.run(10, [&](std::int64_t i, int) { sum += static_cast<int>(i); });
                                equal(sum.load(), 45);
                            }
                        }
                    }};

const Test first_failure{"what comes out is a failure, not the stop it caused", [] {
                             Pool pool(4);
                             for (int round = 0; round < 50; ++round)
                                 throws<std::logic_error>([&] {
                                     pool.run(64, [&](std::int64_t i, int thread) {
                                         if (i == round) throw std::logic_error("the cause");
                                         pool.check(thread);
                                     });
                                 });
                         }};

const Test all_throw{"every index throws", [] {
                         Pool pool(4);
                         throws<std::logic_error>(
                             [&] { pool.run(50, [](std::int64_t, int) { throw std::logic_error("all"); }); });
                         pool.run(3, [](std::int64_t, int) {});
                     }};

const Test poll_stops{"a poll that throws ends long work", [] {
                          for (const int threads : {1, 3}) {
                              Pool pool(threads, [] { throw Interrupted{}; });
                              throws<Interrupted>([&] {
                                  pool.run(1000000, [&](std::int64_t, int thread) {
                                      std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                      pool.check(thread);
                                  });
                              });
                          }
                      }};

const Test unused{"a pool that is never used ends", [] {
                      for (int i = 0; i < 20; ++i) Pool pool(4);
                  }};

}  // namespace
}  // namespace bosco::check
