// Rows as numbers: equal for equal values, whatever holds them and wherever they stand.
#include "data/fingerprint.hpp"

#include <algorithm>
#include <limits>

#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t all = std::uint64_t{1} << column_bits;

template <class T>
Raw raw_of(const std::vector<T>& x, DType dtype, std::size_t step = 1) {
    Raw raw;
    raw.data = reinterpret_cast<const std::byte*>(x.data());
    raw.stride = static_cast<std::ptrdiff_t>(step * sizeof(T));
    raw.dtype = dtype;
    return raw;
}

std::vector<std::uint64_t> keys(const std::vector<Raw>& columns, std::size_t n, const Truth& truth = {},
                                int n_threads = 1) {
    Frame frame(n);
    for (const Raw& raw : columns) frame.add_numeric(raw);
    return row_keys(frame, truth, 7, n_threads);
}

const Test types{"numbers count by their value", [] {
                     const std::vector<double> x = {1, -3, 0, 200};
                     const std::vector<double> apart = {1, 9, -3, 9, -0.0, 9, 200, 9};
                     const std::vector<std::int16_t> whole = {1, -3, 0, 200};
                     const std::vector<float> narrow = {1, -3, -0.0f, 200};
                     const auto first = keys({raw_of(x, DType::f64)}, 4);
                     equal(first, keys({raw_of(apart, DType::f64, 2)}, 4));
                     equal(first, keys({raw_of(whole, DType::i16)}, 4));
                     equal(first, keys({raw_of(narrow, DType::f32)}, 4));
                 }};

const Test holes{"missing values are one, and no number", [] {
                     const std::vector<double> x = {nan, -nan, 0, std::numeric_limits<double>::infinity()};
                     const auto k = keys({raw_of(x, DType::f64)}, 4);
                     equal(k[0], k[1]);
                     holds(k[0] != k[2] && k[0] != k[3] && k[2] != k[3]);
                 }};

const Test places{"a value counts in its column, a row wherever it stands", [] {
                      const std::vector<double> a = {1, 2, 2}, b = {2, 1, 2};
                      const auto k = keys({raw_of(a, DType::f64), raw_of(b, DType::f64)}, 3);
                      const auto turned = keys({raw_of(b, DType::f64), raw_of(a, DType::f64)}, 3);
                      holds(k[0] != k[1]);
                      equal(k[0], turned[1]);
                      equal(k[2], turned[2]);
                  }};

const Test codes{"levels count by their codes, of any width", [] {
                     const std::vector<std::uint8_t> a = {0, 1, 2};
                     const std::vector<std::uint32_t> b = {0, 1, 2};
                     Frame narrow(3), wide(3);
                     narrow.add_coded(reinterpret_cast<const std::byte*>(a.data()), 1, 2, false);
                     wide.add_coded(reinterpret_cast<const std::byte*>(b.data()), 4, 2, true);
                     equal(row_keys(narrow, {}, 7, 1), row_keys(wide, {}, 7, 1));
                 }};

const Test truths{"the last bits are the target's", [] {
                      const std::vector<double> x(300, 1.5);
                      std::vector<std::uint32_t> classes(300);
                      for (std::uint32_t i = 0; i < 300; ++i) classes[i] = i % 2;
                      Truth truth;
                      truth.classes = classes;
                      const auto k = keys({raw_of(x, DType::f64)}, 300, truth);
                      const auto bare = keys({raw_of(x, DType::f64)}, 300);
                      equal(k[0], k[2]);
                      holds(k[0] != k[1]);
                      equal(k[0] >> truth_bits, bare[0] >> truth_bits);
                      equal(k[1] >> truth_bits, bare[0] >> truth_bits);
                      truth.classes = truth.classes.first(9);
                      throws<Error>([&] { keys({raw_of(x, DType::f64)}, 300, truth); });
                  }};

const Test threads{"any number of threads", [] {
                       std::vector<double> x(60001);
                       for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 1000) / 3;
                       const Raw raw = raw_of(x, DType::f64);
                       equal(keys({raw, raw}, x.size()), keys({raw, raw}, x.size(), {}, 3));
                   }};

const Test smallest{"the smallest different keys are kept, those of equal columns all or none", [] {
                        std::vector<std::uint64_t> k;
                        for (std::uint64_t i = 0; i < 100; ++i)
                            for (std::uint64_t again = 0; again < 5; ++again)
                                k.push_back(((i * 37 % 100) << truth_bits << 20) + again % 3);
                        const Fingerprint whole = fingerprint(k, 300);
                        equal(whole.keys.size(), std::size_t{300});
                        equal(whole.below, all);
                        const Fingerprint some = fingerprint(k, 31);  // ten of three, and one more
                        equal(some.keys.size(), std::size_t{30});
                        equal(some.below, std::uint64_t{10} << 20);
                        holds(std::is_sorted(some.keys.begin(), some.keys.end()));
                        holds(fingerprint({}, 5).keys.empty());
                        holds(fingerprint(k, 0).keys.empty());
                    }};

const Test spread{"keys are spread evenly", [] {
                      std::vector<double> x(40000);
                      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
                      const auto k = keys({raw_of(x, DType::f64)}, x.size());
                      std::vector<double> cells(64);
                      for (const auto key : k) cells[key >> (column_bits + truth_bits - 6)] += 1;
                      for (const double c : cells) near(c, 625, 125);  // five standard deviations
                      const Fingerprint found = fingerprint(k, 1000);
                      equal(found.keys.size(), std::size_t{1000});
                      near(static_cast<double>(found.below) / static_cast<double>(all), 1.0 / 40, 0.005);
                  }};

}  // namespace
}  // namespace bosco::check
