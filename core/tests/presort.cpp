// Small nodes: every way of sorting and parting them gives the same tree.
#include "grow/presort.hpp"

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

// Enough distinct values to be coarse, and levels.
Data columns(std::size_t n, Draws& draw) {
    Data data = rough(n, draw);
    std::vector<std::uint8_t> codes;
    for (std::size_t i = 0; i < n; ++i) codes.push_back(static_cast<std::uint8_t>(draw.below(6)));
    data.nominal(std::move(codes), 5).encode();
    return data;
}

const Test ranked{"ranks made once give the same tree as values compared", [] {
                      for (const std::size_t n : {60u, 700u, 3000u}) {
                          Draws draw(n);
                          const Data data = columns(n, draw);
                          std::vector<std::uint32_t> y;
                          for (std::size_t i = 0; i < n; ++i)
                              y.push_back(static_cast<std::uint32_t>(draw.below(3)));
                          const Goal goal = classes(std::move(y), 3);
                          Pool pool(2);
                          const Ranks ranks(data.frame(), pool);
                          for (const int drawn : {-1, 2}) {
                              Growth growth;
                              growth.max_features = drawn;
                              const Tree plain = grown(data, goal, growth, 1, tuning(500, 1000));
                              const Tree tree = grow(data.frame(), goal.target(), growth, 1,
                                                     tuning(500, 1000), {}, nullptr, {nullptr, &ranks})
                                                    .tree;
                              holds(same(plain, tree));
                          }
                      }
                  }};

}  // namespace
}  // namespace bosco::check
