// A small pool of threads that live as long as one growth. Work is handed out by index, so what
// is computed never depends on who computes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "data/error.hpp"

namespace bosco {

class Pool {
public:
    // `poll` is called now and then by the calling thread; it throws to stop the work.
    explicit Pool(int n_threads, std::function<void()> poll = {}) : poll_(std::move(poll)) {
        try {
            for (int i = 1; i < n_threads; ++i) workers_.emplace_back([this, i] { loop(i); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those there are do the same work.
        } catch (...) {
            end();
            throw;
        }
    }
    ~Pool() { end(); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int size() const { return static_cast<int>(workers_.size()) + 1; }

    // Calls work(index, thread) for every index below n; returns when all are done. The first
    // exception is thrown again here.
    void run(std::int64_t n, const std::function<void(std::int64_t, int)>& work) {
        if (n <= 0) return;
        if (workers_.empty() || n == 1) {
            for (std::int64_t i = 0; i < n; ++i) {
                check(0);
                work(i, 0);
            }
            return;
        }
        {
            std::lock_guard lock(mutex_);
            work_ = &work;
            next_ = 0;
            n_ = n;
            ++round_;
        }
        wake_.notify_all();
        take(0, work);
        std::unique_lock lock(mutex_);
        // All indices are taken. A worker that wakes up only from here on finds no work and sleeps again; it
        // is not among the busy ones that are waited for.
        work_ = nullptr;
        lock.unlock();
        spin([this] { return busy_ == 0; });
        lock.lock();
        done_.wait(lock, [this] { return busy_ == 0; });
        stopping_ = false;
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    // The same for n things in blocks of so many: work(begin, end).
    template <class Work>
    void run_blocks(std::size_t n, std::size_t size, const Work& work) {
        run(static_cast<std::int64_t>((n + size - 1) / size), [&](std::int64_t block, int) {
            const std::size_t begin = static_cast<std::size_t>(block) * size;
            work(begin, std::min(n, begin + size));
        });
    }

    // Long work calls this often: it throws if the caller wants to stop.
    void check(int thread) {
        if (stopping_.load(std::memory_order_relaxed)) throw Interrupted{};
        if (thread != 0 || !poll_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now - polled_ < std::chrono::milliseconds(20)) return;
        polled_ = now;
        poll_();
    }

private:
    void end() {
        {
            std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (auto& w : workers_) w.join();
    }
    void take(int thread, const std::function<void(std::int64_t, int)>& work) {
        try {
            for (std::int64_t i; (i = next_.fetch_add(1)) < n_;) {
                check(thread);
                work(i, thread);
            }
        } catch (...) {
            std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stopping_ = true;
            next_ = n_;
        }
    }
    void loop(int thread) {
        std::uint64_t seen = 0;
        for (;;) {
            spin([&] { return stop_ || round_ != seen; });
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || round_ != seen; });
            if (stop_) return;
            seen = round_;
            if (work_ == nullptr) continue;
            ++busy_;
            const auto& work = *work_;
            lock.unlock();
            take(thread, work);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    // Waits a little without sleeping: to wake up takes longer than most pauses between two works.
    template <class Done>
    static void spin(const Done& done) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
        while (!done() && std::chrono::steady_clock::now() < end) {
#if defined(__x86_64__) && defined(__GNUC__)
            for (int i = 0; i < 32 && !done(); ++i) __builtin_ia32_pause();
#endif
            std::this_thread::yield();  // to whoever has something to do
        }
    }

    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const std::function<void(std::int64_t, int)>* work_ = nullptr;
    std::atomic<std::int64_t> next_{0};
    std::int64_t n_ = 0;
    std::atomic<int> busy_{0};
    std::atomic<std::uint64_t> round_{0};
    std::atomic<bool> stop_{false};
    std::exception_ptr failure_;
    std::function<void()> poll_;
    std::chrono::steady_clock::time_point polled_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopping_{false};
};

// Calls work(first, last, thread) on blocks of n rows, by all threads.
template <class Work>
void each_block(Pool& pool, std::size_t n, const Work& work) {
    constexpr std::size_t rows = 8192;
    pool.run(static_cast<std::int64_t>((n + rows - 1) / rows), [&](std::int64_t b, int thread) {
        const std::size_t first = static_cast<std::size_t>(b) * rows;
        work(first, std::min(n, first + rows), static_cast<std::size_t>(thread));
    });
}

}  // namespace bosco
