// Small nodes: every way of sorting and parting them gives the same tree.
#include "presort.hpp"

#include "arrange.hpp"
#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

const Test parted{"entries are parted by bits as they are one by one", [] {
                      if (!parts_by_bits()) return;
                      Draws draw(7);
                      for (const std::size_t n : {1u, 15u, 16u, 17u, 63u, 64u, 65u, 200u, 1000u, 4096u})
                          for (const Count one_in : {1, 2, 40, 100000}) {
                              std::vector<std::uint32_t> e, aside(n + aside_slack);
                              std::vector<std::uint16_t> branch(Bits::most_rows);
                              Bits bits;
                              for (std::uint32_t row = 0; row < Bits::most_rows; ++row)
                                  if (draw.below(one_in) == 0) branch[row] = 1, bits.set(row);
                              for (std::size_t i = 0; i < n + 1; ++i)
                                  e.push_back(static_cast<std::uint32_t>(i << 16) |
                                              static_cast<std::uint32_t>(draw.below(Bits::most_rows)));
                              auto other = e;
                              arrange(e.data(), n, branch.data(), aside.data());
                              arrange(other.data(), n, bits, aside.data());
                              holds(e == other);  // what lies beyond the last included
                          }
                  }};

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
