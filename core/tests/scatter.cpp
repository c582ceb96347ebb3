// Random cuts: the values they read, and the same trees whichever way rows are kept.
#include "grow/scatter.hpp"

#include "check.hpp"
#include "data.hpp"
#include "many/forest.hpp"

namespace bosco::check {
namespace {

constexpr float most = std::numeric_limits<float>::max();

const Test rounded{"a float not above a threshold parts floats as the threshold does", [] {
                       equal(not_above<double>(0.1), 0.1);
                       equal(not_above<float>(0.5), 0.5f);
                       equal(not_above<float>(0.1), std::nextafter(0.1f, 0.0f));  // 0.1f is above 0.1
                       equal(not_above<float>(-1e-60), -std::numeric_limits<float>::denorm_min());
                       equal(not_above<float>(1e-60), 0.0f);
                       equal(not_above<float>(-infinite), -std::numeric_limits<float>::infinity());
                       Draws draw(5);
                       for (int i = 0; i < 2000; ++i) {
                           const auto x =
                               static_cast<float>((draw.real() - 0.5) * std::ldexp(1.0, i % 250 - 125));
                           const auto next = std::nextafter(x, most);
                           const double t = x + draw.real() * (static_cast<double>(next) - x);
                           const float f = not_above<float>(t);
                           for (const float v : {std::nextafter(x, -most), x, next})
                               equal(v <= f, static_cast<double>(v) <= t);
                       }
                   }};

// The same numbers side by side, far apart, backwards and unaligned; small integers; levels.
const Test wherever{"values are the frame's, wherever they lie", [] {
                        const std::size_t n = 37;
                        std::vector<float> x;
                        for (std::size_t i = 0; i < 3 * n; ++i) x.push_back(static_cast<float>(i) / 8);
                        std::vector<std::byte> odd(4 * n + 1);
                        std::memcpy(odd.data() + 1, x.data(), 4 * n);
                        std::vector<std::int16_t> whole;
                        std::vector<std::uint8_t> codes;
                        for (std::size_t i = 0; i < n; ++i) {
                            whole.push_back(static_cast<std::int16_t>(-20 * static_cast<int>(i)));
                            codes.push_back(static_cast<std::uint8_t>(i % 4));
                        }
                        const auto bytes = [](const auto& of) {
                            return reinterpret_cast<const std::byte*>(of.data());
                        };
                        Frame frame(n);
                        frame.add_numeric({bytes(x), 4, DType::f32, false, {}});
                        frame.add_numeric({bytes(x), 12, DType::f32, false, {}});
                        frame.add_numeric({bytes(x) + 4 * (n - 1), -4, DType::f32, false, {}});
                        frame.add_numeric({odd.data() + 1, 4, DType::f32, false, {}});
                        frame.add_numeric({bytes(whole), 2, DType::i16, false, {}});
                        frame.add_coded(bytes(codes), 1, 3, true);
                        frame.add_coded(bytes(codes), 1, 3, false);
                        frame.encode(1, 255);
                        Pool pool(2);
                        std::vector<std::uint32_t> some{3, 4, 11, 36}, columns{6, 1, 4};
                        const auto any = values_of(frame, pool);
                        const auto& of = std::get<Values<float>>(*any);
                        const auto expected = [&](std::uint32_t j, std::size_t i) {
                            const Column& c = frame.column(j);
                            if (c.kind == ColumnKind::numeric) return c.raw.at(i);
                            return c.code(i) == 0 ? none : c.ordered() ? c.value(c.code(i)) : c.code(i);
                        };
                        const auto alike = [](double a, double b) { return a == b || (a != a && b != b); };
                        for (std::uint32_t j = 0; j < frame.n_columns(); ++j)
                            for (std::size_t i = 0; i < n; ++i) holds(alike(of.column(j)[i], expected(j, i)));
                        holds(of.column(0) == x.data());  // read where it lies
                        Values<float> copy(frame);
                        copy.load(of, columns, some);
                        for (const std::uint32_t j : columns)
                            for (std::size_t i = 0; i < some.size(); ++i)
                                holds(alike(copy.column(j)[i], expected(j, some[i])));
                        frame.add_numeric({bytes(x), 4, DType::i32, false, {}});
                        holds(std::holds_alternative<Values<double>>(*values_of(frame, pool)));
                    }};

// Numbers; few levels, many, and ordered ones.
Data columns(std::size_t n, Draws& draw) {
    Data data = rough(n, draw);
    std::vector<std::uint8_t> few, many, ranks;
    for (std::size_t i = 0; i < n; ++i) {
        few.push_back(static_cast<std::uint8_t>(draw.below(6)));
        many.push_back(static_cast<std::uint8_t>(draw.below(201)));
        ranks.push_back(static_cast<std::uint8_t>(1 + draw.below(9)));
    }
    data.nominal(std::move(few), 5).nominal(std::move(many), 200).ordinal(std::move(ranks), 9).encode();
    return data;
}

struct Goals {
    Goal two, many, heavy, apart, real;

    Goals(std::size_t n, Draws& draw) {
        two.n_classes = 2;
        many.n_classes = 4;
        for (std::size_t i = 0; i < n; ++i) {
            two.classes.push_back(static_cast<std::uint32_t>(draw.below(2)));
            many.classes.push_back(static_cast<std::uint32_t>(draw.below(4)));
            real.y.push_back(draw.below(1000) - 500);
        }
        heavy = apart = two;
        for (std::size_t i = 0; i < n; ++i) {
            heavy.weight.push_back(1 + draw.below(5));
            apart.weight.push_back(1 + draw.below(5));
            apart.count.push_back(1);
        }
    }
    std::vector<const Goal*> all() const { return {&two, &many, &heavy, &apart, &real}; }
};

const Test scattered{
    "random cuts are the same with rows scattered, and with tables", [] {
        Draws draw(3);
        const std::size_t n = 900;
        const Data data = columns(n, draw);
        const Goals goals(n, draw);
        for (const Goal* goal : goals.all())
            for (const Missing missing : {Missing::learn, Missing::branch, Missing::majority})
                for (const int drawn : {-1, 1, 3})
                    for (const bool record : {false, true}) {
                        Growth growth;
                        growth.random_cuts = true;
                        growth.missing = missing;
                        growth.max_features = drawn;
                        growth.record = record;
                        growth.reuse = drawn != 3;
                        growth.min_samples_leaf = drawn == 3 ? 4 : 1;
                        if (goal == &goals.real) growth.criterion = Criterion::squared_error;
                        if (goal == &goals.many) growth.score = Score::gain_ratio;
                        Tuning tables;
                        tables.presort = false;
                        const Tree tree = grown(data, *goal, growth, 1, tables);
                        holds(same(tree, grown(data, *goal, growth, 1)));
                        holds(same(tree, grown(data, *goal, growth, 1, tuning(100, 1000))));
                        holds(tree.test.size() > 20);
                    }
    }};

const Test at_once{"threads, samples and values made before change no tree of random cuts", [] {
                       Draws draw(8);
                       const std::size_t n = 7000;  // enough for threads to take part
                       const Data data = columns(n, draw);
                       const Goals goals(n, draw);
                       Sample sample = draw_sample(4, n, n, true, {}),
                              part = draw_sample(5, n, n / 3, false, {});
                       Pool pool(2);
                       const auto values = values_of(data.frame(), pool);
                       for (const Goal* goal : goals.all())
                           for (const Sample* drawn : {static_cast<const Sample*>(nullptr),
                                                       &std::as_const(sample), &std::as_const(part)}) {
                               Growth growth;
                               growth.random_cuts = true;
                               growth.max_features = 2;
                               if (goal == &goals.real) growth.criterion = Criterion::squared_error;
                               const auto tree = [&](const Tuning& how, int threads, const AnyValues* known) {
                                   return grow(data.frame(), goal->target(), growth, threads, how, {},
                                               nullptr, {drawn, nullptr, known})
                                       .tree;
                               };
                               Tuning tables;
                               tables.presort = false;
                               const Tree one = tree(tables, 1, nullptr);
                               one.check();
                               holds(same(one, tree(tuning(300, 1000), 2, nullptr)));
                               holds(same(one, tree(tuning(300, 1000), 1, values.get())));
                               holds(same(one, tree({}, 3, values.get())));
                           }
                   }};

const Test lean{"a forest takes the same from a lean tree", [] {
                    Draws draw(9);
                    const std::size_t n = 500;
                    const Data data = columns(n, draw);
                    const Goals goals(n, draw);
                    for (const bool random : {false, true}) {
                        Growth growth;
                        growth.random_cuts = random;
                        const auto made = [&](bool is_lean) {
                            Forest forest;
                            forest.n_classes = 2;
                            forest.add(grow(data.frame(), goals.two.target(), growth, 1, {}, {}, nullptr,
                                            {nullptr, nullptr, nullptr, is_lean})
                                           .tree);
                            return forest;
                        };
                        const Forest a = made(false), b = made(true);
                        holds(same(a.tree(0), b.tree(0)));
                        holds(a.nodes.size() > 20);
                    }
                }};

}  // namespace
}  // namespace bosco::check
