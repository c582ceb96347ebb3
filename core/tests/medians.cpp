// Medians and quantiles of rows that go one by one, against every answer tried.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "grow/thinning.hpp"

namespace bosco::check {
namespace {

Wide least_cost(const Pinball& loss, const std::vector<Count>& y, const std::vector<Count>& w,
                const std::vector<char>& here) {
    Wide least = -1;
    for (std::size_t a = 0; a < y.size(); ++a) {
        if (!here[a]) continue;
        Wide cost = 0;
        for (std::size_t k = 0; k < y.size(); ++k)
            if (here[k])
                cost += w[k] * (y[k] > y[a] ? loss.above * (y[k] - y[a]) : loss.below * (y[a] - y[k]));
        if (least < 0 || cost < least) least = cost;
    }
    return std::max<Wide>(least, 0);
}

const Test by_hand{
    "the middle of the best answers", [] {
        const std::vector<Count> y = {1, 2, 5, 90}, one = {1, 1, 1, 1}, heavy = {1, 1, 2, 0};
        const auto of = [&](const Pinball& loss, const std::vector<Count>& w) {
            return middle_of(
                loss, y.size(), [&](std::size_t i) { return y[i]; }, [&](std::size_t i) { return w[i]; });
        };
        equal(of({}, one).value(), 3.5);
        holds(of({}, one).cost == 92);
        equal(of({}, heavy).value(), 3.5);
        const Pinball decile = Pinball::of_quantile(900000);
        equal(decile.above, Count{9});
        equal(decile.unit, 10.0);
        equal(of(decile, one).value(), 90.0);
        equal(of(Pinball::of_quantile(250000), one).value(), 1.5);
        holds(middle_of(
                  {}, 0, [](std::size_t) { return Count{0}; }, [](std::size_t) { return Count{0}; })
                  .cost == 0);
    }};

const Test one_by_one{"what is left costs what the best answer does, going and coming back", [] {
                          Draws draws(31);
                          for (int round = 0; round < 400; ++round) {
                              const Pinball loss =
                                  round % 2 ? Pinball{} : Pinball::of_quantile(1 + draws.below(999999));
                              const auto n = static_cast<std::size_t>(1 + draws.below(12));
                              std::vector<Count> y, w;
                              for (std::size_t k = 0; k < n; ++k) {
                                  y.push_back(draws.below(9) - 4);
                                  w.push_back(1 + draws.below(round % 3 ? 2 : 100));
                              }
                              std::ranges::sort(y);
                              Thinning thin;
                              thin.begin(loss, y, w);
                              std::vector<char> here(n, 1);
                              std::vector<std::uint32_t> gone;
                              for (int step = 0; step < 40; ++step) {
                                  holds(thin.cost() == least_cost(loss, y, w, here));
                                  if (!gone.empty() && (gone.size() == n || draws.below(3) == 0)) {
                                      thin.restore(gone.back());
                                      here[gone.back()] = 1;
                                      gone.pop_back();
                                      continue;
                                  }
                                  auto k = static_cast<std::uint32_t>(draws.below(static_cast<Count>(n)));
                                  while (!here[k]) k = (k + 1) % static_cast<std::uint32_t>(n);
                                  thin.remove(k);
                                  here[k] = 0;
                                  gone.push_back(k);
                              }
                          }
                      }};

}  // namespace
}  // namespace bosco::check
