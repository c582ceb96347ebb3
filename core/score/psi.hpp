// An impurity that is given from outside: any function of class shares (docs/growing.md §2). To ask it may be
// slow, so all that a proposal must know is asked for together.
#pragma once

#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "data/tally.hpp"

namespace bosco {

class Psi {
public:
    // The impurity at each of some shares: so many numbers each, one behind the other.
    using Function = std::function<std::vector<double>(const std::vector<double>& shares, int classes)>;

    explicit Psi(Function function) : function_(std::move(function)) {}
    Psi(const Psi&) = delete;  // it remembers

    // Of the rows of a tally, whose classes are given.
    double of(std::vector<Count> tally) const {
        reduce(tally);
        if (const auto found = known_.find(tally); found != known_.end()) return found->second;
        asked_.emplace(tally, 0);
        if (listening_) return 0;  // until it is known
        answer();
        return known_.at(tally);
    }

    // What `work` makes, having asked for all it needs at once: it is done without the answers, to hear what
    // they are to be of, and again until it asks for nothing new. It must be a pure function.
    template <class Work>
    auto together(const Work& work) const {
        if (known_.size() > most_known) known_.clear();
        const Listening hears(listening_);
        for (;;) {
            auto made = work();
            if (asked_.empty()) return made;
            answer();
        }
    }

private:
    static constexpr std::size_t most_known = 1 << 16;

    // While it lives, questions are only heard.
    class Listening {
    public:
        explicit Listening(bool& on) : on_(on), was_(on) { on = true; }
        ~Listening() { on_ = was_; }
        Listening(const Listening&) = delete;

    private:
        bool& on_;
        bool was_;
    };

    // Equal shares are one question, whatever their weight.
    static void reduce(std::vector<Count>& tally) {
        Count divisor = 0;
        for (const Count count : tally) divisor = std::gcd(divisor, count);
        for (Count& count : tally) count /= divisor > 0 ? divisor : 1;
    }
    void answer() const {
        std::vector<double> shares;
        std::size_t classes = 0;
        for (const auto& [tally, unknown] : asked_) {
            const auto weight = static_cast<double>(std::accumulate(tally.begin(), tally.end(), Count{0}));
            for (const Count count : tally) shares.push_back(static_cast<double>(count) / weight);
            classes = tally.size();
        }
        auto asked = std::exchange(asked_, {});  // nothing is left if the function fails
        const std::vector<double> said = function_(shares, static_cast<int>(classes));
        auto next = said.begin();
        for (auto& [tally, impurity] : asked) impurity = *next++;
        known_.merge(asked);
    }

    Function function_;
    mutable std::map<std::vector<Count>, double> known_, asked_;
    mutable bool listening_ = false;
};

}  // namespace bosco
