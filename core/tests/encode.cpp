// Codes of numeric columns: ranks where values are few, bins where they are many.
#include "check.hpp"
#include "data.hpp"

namespace bosco::check {
namespace {

std::vector<std::uint32_t> codes(const Frame& frame, std::uint32_t j) {
    std::vector<std::uint32_t> c;
    for (std::size_t i = 0; i < frame.n_rows(); ++i) c.push_back(frame.column(j).code(i));
    return c;
}

template <class T>
Frame encoded(const std::vector<T>& x, DType dtype, std::ptrdiff_t step = 1) {
    const std::size_t n = x.size() / static_cast<std::size_t>(std::abs(step));
    Frame frame(n);
    const T* first = step > 0 ? x.data() : x.data() + x.size() - 1;
    Raw raw;
    raw.data = reinterpret_cast<const std::byte*>(first);
    raw.stride = step * static_cast<std::ptrdiff_t>(sizeof(T));
    raw.dtype = dtype;
    frame.add_numeric(raw);
    frame.encode(1, 255);
    return frame;
}

template <class T>
void takes(DType dtype) {
    const std::vector<T> x = {7, 3, 100, 3, 7};
    const Frame f = encoded(x, dtype);
    equal(codes(f, 0), std::vector<std::uint32_t>{2, 1, 3, 1, 2});
    equal(f.column(0).values, std::vector<double>{3, 7, 100});
    holds(!f.has_missing(0));
}

const Test dtypes{"every dtype is read", [] {
                      takes<float>(DType::f32);
                      takes<double>(DType::f64);
                      takes<std::int8_t>(DType::i8);
                      takes<std::int16_t>(DType::i16);
                      takes<std::int32_t>(DType::i32);
                      takes<std::int64_t>(DType::i64);
                      takes<std::uint8_t>(DType::u8);
                      takes<std::uint16_t>(DType::u16);
                      takes<std::uint32_t>(DType::u32);
                      takes<std::uint64_t>(DType::u64);
                  }};

const Test signs{
    "negative and very large whole numbers keep their order", [] {
        const Frame a = encoded<std::int64_t>({std::numeric_limits<std::int64_t>::max(), -5, 0}, DType::i64);
        equal(codes(a, 0), std::vector<std::uint32_t>{3, 1, 2});
        const Frame b = encoded<std::uint64_t>({std::numeric_limits<std::uint64_t>::max(), 5}, DType::u64);
        equal(codes(b, 0), std::vector<std::uint32_t>{2, 1});
        const Frame c = encoded<std::int8_t>({-128, 127, -1}, DType::i8);
        equal(codes(c, 0), std::vector<std::uint32_t>{1, 3, 2});
    }};

const Test rare{"values that the sample misses get codes of their own, if they are few enough", [] {
                    for (const int n_rare : {3, 243, 244}) {
                        std::vector<double> x;
                        for (int i = 0; i < 40000; ++i) x.push_back(i % 12);
                        // Rows 1, 2, 3 of every five are not in a sample of 8,192 of 40,000 rows …
                        for (int i = 0; i < n_rare; ++i) x[static_cast<std::size_t>(5 * i + 2)] = 100.5 + i;
                        x[3] = infinite, x[8] = none;
                        const Frame f = encoded(x, DType::f64);
                        const Column& c = f.column(0);
                        equal(c.coarse, n_rare + 12 + 1 > 255);
                        equal(c.missing, true);
                        equal(c.code(8), 0u);
                        for (std::size_t i = 0; i < x.size() && !c.coarse; ++i)
                            if (x[i] == x[i]) equal(c.value(c.code(i)), x[i]);
                    }
                }};

const Test strides{"strides of more than one value, and backwards", [] {
                       const std::vector<double> x = {5, -1, 4, -1, 5, -1};
                       equal(codes(encoded(x, DType::f64, 2), 0), std::vector<std::uint32_t>{2, 1, 2});
                       const std::vector<float> y = {1, 2, 3};
                       equal(codes(encoded(y, DType::f32, -1), 0), std::vector<std::uint32_t>{3, 2, 1});
                   }};

const Test one_value_stride{"a stride of nothing repeats one value", [] {
                                const double x = 4;
                                Frame f(3);
                                Raw raw;
                                raw.data = reinterpret_cast<const std::byte*>(&x);
                                f.add_numeric(raw);
                                f.encode(1, 255);
                                equal(codes(f, 0), std::vector<std::uint32_t>{1, 1, 1});
                            }};

const Test missing_values{"NaN is missing, in both float types", [] {
                              Data d(4);
                              d.numeric({none, 2, none, 1}).encode();
                              equal(codes(d.frame(), 0), std::vector<std::uint32_t>{0, 2, 0, 1});
                              holds(d.frame().has_missing(0));
                              const float f = std::numeric_limits<float>::quiet_NaN();
                              const Frame g = encoded<float>({1, f, 1}, DType::f32);
                              equal(codes(g, 0), std::vector<std::uint32_t>{1, 0, 1});
                          }};

const Test has_missing_before{"missing values are seen without encoding", [] {
                                  Data d(2);
                                  d.numeric({1, none}).numeric({1, 2}).nominal({0, 1}, 2).nominal({2, 1}, 2);
                                  holds(d.frame().has_missing(0) && !d.frame().has_missing(1));
                                  holds(d.frame().has_missing(2) && !d.frame().has_missing(3));
                              }};

const Test all_missing{"a column without any value", [] {
                           Data d(3);
                           d.numeric({none, none, none}).encode();
                           equal(codes(d.frame(), 0), std::vector<std::uint32_t>{0, 0, 0});
                           holds(!d.frame().column(0).coarse);
                       }};

const Test infinities{"infinities are values like others", [] {
                          Data d(5);
                          d.numeric({infinite, -infinite, 0, none, 1e308}).encode();
                          equal(codes(d.frame(), 0), std::vector<std::uint32_t>{4, 1, 2, 0, 3});
                      }};

const Test extremes{"values whose difference overflows, and denormals", [] {
                        constexpr double least = std::numeric_limits<double>::denorm_min();
                        Data d(6);
                        d.numeric({1e308, -1e308, 0, -1.7e308, 1.7e308, 1})
                            .numeric({3 * least, least, 0, 2 * least, -least, 4 * least})
                            .encode();
                        equal(codes(d.frame(), 0), std::vector<std::uint32_t>{5, 2, 3, 1, 6, 4});
                        equal(codes(d.frame(), 1), std::vector<std::uint32_t>{5, 3, 2, 4, 1, 6});
                    }};

const Test zeros{"plus and minus zero are one value", [] {
                     Data d(3);
                     d.numeric({0.0, -0.0, 1}).encode();
                     equal(codes(d.frame(), 0), std::vector<std::uint32_t>{1, 1, 2});
                 }};

// Codes must never decrease with the value, and equal values have equal codes.
void monotone(const std::vector<double>& x, const Frame& f) {
    std::vector<std::size_t> order(x.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return x[a] < x[b]; });
    const Column& c = f.column(0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::uint32_t code = c.code(order[k]);
        holds(code >= 1 && code <= c.n_codes);
        if (k == 0) continue;
        const std::uint32_t before = c.code(order[k - 1]);
        holds(before <= code);
        if (x[order[k - 1]] == x[order[k]]) equal(before, code);
        if (!c.coarse && x[order[k - 1]] != x[order[k]]) holds(before < code);
    }
    // Bin i ends at its edge.
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::uint32_t code = c.code(i);
        if (code <= c.values.size()) holds(x[i] <= c.value(code));
        if (code > 1) holds(x[i] > c.value(code - 1));
    }
}

const Test dense_and_coarse{"255 values are dense, 256 are coarse", [] {
                                for (const std::size_t n : {2u, 254u, 255u, 256u, 257u, 1000u}) {
                                    std::vector<double> x;
                                    for (std::size_t i = 0; i < n; ++i)
                                        x.push_back(static_cast<double>(i * 7919 % n));
                                    Data d(n);
                                    d.numeric(x).encode();
                                    equal(d.frame().column(0).coarse, n > 255);
                                    holds(d.frame().column(0).n_codes <= 255);
                                    monotone(x, d.frame());
                                }
                            }};

const Test few_bins{"max_bins is a limit", [] {
                        std::vector<double> x;
                        Draws draws(3);
                        for (int i = 0; i < 500; ++i) x.push_back(draws.real() * draws.real());
                        for (const int bins : {2, 3, 10, 255}) {
                            Data d(x.size());
                            d.numeric(x).encode(bins);
                            holds(d.frame().column(0).n_codes <= static_cast<std::uint32_t>(bins));
                            monotone(x, d.frame());
                        }
                    }};

const Test skewed{"heavy tails, heavy ties and infinities keep the order", [] {
                      Draws draws(4);
                      for (int kind = 0; kind < 5; ++kind) {
                          std::vector<double> x;
                          for (int i = 0; i < 3000; ++i) {
                              const double u = draws.real();
                              x.push_back(kind == 0   ? std::pow(u, -20.0)
                                          : kind == 1 ? (u < 0.9 ? 0.0 : u)
                                          : kind == 2
                                              ? std::ldexp(u, static_cast<int>(draws.below(2000)) - 1070)
                                          : kind == 3 ? (u < 0.1   ? infinite
                                                         : u < 0.2 ? -infinite
                                                                   : u)
                                                      : (u - 0.5) * 1.7e308 * 2);
                          }
                          Data d(x.size());
                          d.numeric(x).encode();
                          monotone(x, d.frame());
                      }
                  }};

const Test many_rows{"more rows than are sampled, several threads", [] {
                         constexpr std::size_t n = 60000;
                         std::vector<double> x(n), y(n);
                         Draws draws(5);
                         for (std::size_t i = 0; i < n; ++i)
                             x[i] = draws.real(), y[i] = static_cast<double>(draws.below(100));
                         Data one(n), three(n);
                         one.numeric(x).numeric(y).encode(255, 1);
                         three.numeric(x).numeric(y).encode(255, 3);
                         monotone(x, one.frame());
                         holds(one.frame().column(0).coarse && !one.frame().column(1).coarse);
                         for (std::uint32_t j = 0; j < 2; ++j)
                             holds(codes(one.frame(), j) == codes(three.frame(), j));
                     }};

const Test unsampled{"a value that the sample did not meet makes the column coarse", [] {
                         std::vector<double> x(20000, 1.0);
                         x[1] = 5;  // every other row or so is sampled, this one is not
                         x[2] = 0;
                         Data d(x.size());
                         d.numeric(x).encode();
                         monotone(x, d.frame());
                     }};

const Test wrong_bins{"max_bins out of range is refused", [] {
                          for (const int bins : {-1, 0, 1, 256}) {
                              Data d(1);
                              d.numeric({1});
                              throws<Error>([&] { d.encode(bins); });
                          }
                      }};

const Test coded_columns{
    "given codes of every width are taken as they are", [] {
        const std::vector<std::uint16_t> two = {300, 0, 1};
        const std::vector<std::uint32_t> four = {70000, 0, 1};
        Frame f(3);
        f.add_coded(reinterpret_cast<const std::byte*>(two.data()), 2, 300, false);
        f.add_coded(reinterpret_cast<const std::byte*>(four.data()), 4, 70000, true);
        f.encode(1, 255);
        equal(codes(f, 0), std::vector<std::uint32_t>{300, 0, 1});
        equal(codes(f, 1), std::vector<std::uint32_t>{70000, 0, 1});
        equal(f.column(1).value(70000), 69999.0);
        holds(f.has_missing(0));
        throws<Error>([&] { f.add_coded(reinterpret_cast<const std::byte*>(two.data()), 2, 299, false); });
    }};

const Test no_rows{"no rows at all", [] {
                       Data d(0);
                       d.numeric({}).nominal({}, 3).encode();
                       holds(d.frame().encoded() && !d.frame().has_missing(0));
                   }};

const Test stopped{"a poll that throws stops the encoding, which can begin again", [] {
                       const std::vector<double> x(400000, 2);
                       Frame f(x.size());
                       Raw raw;
                       raw.data = reinterpret_cast<const std::byte*>(x.data());
                       raw.stride = sizeof(double);
                       for (int j = 0; j < 8; ++j) f.add_numeric(raw);
                       throws<Interrupted>([&] { f.encode(2, 255, [] { throw Interrupted{}; }); });
                       holds(!f.encoded());
                       f.encode(2, 255);
                       holds(f.encoded());
                       equal(f.column(7).code(399999), 1u);
                   }};

}  // namespace
}  // namespace bosco::check
