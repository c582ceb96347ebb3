// How much work was done, counted in entries of lists that were looked at, and whether to go on. The count is
// the same on every machine and with any number of threads; only a limit of time is not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace bosco::search {

// What all threads of a search look at.
class Halt {
public:
    using Clock = std::chrono::steady_clock;
    // `asked` is called now and then on the calling thread: does somebody want to stop?
    Halt(double seconds, std::function<bool()> asked) : asked_(std::move(asked)) {
        if (seconds < 1e9)
            end_ = Clock::now() +
                   std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    bool late() const { return late_.load(std::memory_order_relaxed); }
    // Looks at the clock; the calling thread asks, too.
    void look(bool calling) {
        if (end_ && Clock::now() >= *end_) late_ = stopped_ = true;
        if (!calling || !asked_) return;
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(20)) return;
        last_ = now;
        if (asked_()) stopped_ = true;
    }

private:
    std::function<bool()> asked_;
    std::optional<Clock::time_point> end_;
    Clock::time_point last_ = Clock::now();
    std::atomic<bool> stopped_{false}, late_{false};
};

class Meter {
public:
    Meter(Halt& halt, bool calling) : halt_(&halt), calling_(calling) {}

    // `heeds`: does it end when all are to stop?
    void start(std::int64_t limit, bool heeds = true) {
        work_ = 0, limit_ = limit, over_ = false, heeds_ = heeds;
    }
    void add(std::int64_t work) {
        work_ += work;
        if (work_ > limit_) over_ = true;
        halt_->look(calling_);
    }
    std::int64_t work() const { return work_; }
    bool stopped() const { return over_ || (heeds_ && halt_->stopped()); }

private:
    Halt* halt_;
    bool calling_;
    std::int64_t work_ = 0, limit_ = std::numeric_limits<std::int64_t>::max();
    bool over_ = false, heeds_ = true;
};

}  // namespace bosco::search
