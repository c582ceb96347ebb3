// Names become enums here and nowhere else.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "bind.hpp"
#include "grow/rows.hpp"

namespace bosco::bind {
namespace {

template <class Enum>
using Words = std::initializer_list<std::pair<const char*, Enum>>;

constexpr Words<Criterion> criteria = {{"gini", Criterion::gini},
                                       {"entropy", Criterion::entropy},
                                       {"log_loss", Criterion::entropy},
                                       {"error", Criterion::error},
                                       {"scaled_entropy", Criterion::scaled_entropy},
                                       {"sqrt", Criterion::sqrt},
                                       {"squared_error", Criterion::squared_error},
                                       {"poisson", Criterion::poisson},
                                       {"absolute_error", Criterion::absolute_error},
                                       {"quantile", Criterion::quantile}};

constexpr Words<AskRule> ask_rules = {
    {"eg2", AskRule::eg2}, {"idx", AskRule::idx}, {"cs_id3", AskRule::cs_id3}};

// Every setting that is a word, with its words.
template <class Visit>
void each_word(Growth& g, Visit visit) {
    visit("score", g.score,
          Words<Score>{{"gain", Score::gain},
                       {"gain_ratio", Score::gain_ratio},
                       {"gain_ratio_above_average", Score::gain_ratio_above_average}});
    visit("numeric_test", g.numeric_test,
          Words<NumericTest>{{"threshold", NumericTest::threshold},
                             {"pairs", NumericTest::threshold},  // of columns that are there already
                             {"intervals", NumericTest::intervals}});
    visit("nominal_test", g.nominal_test,
          Words<NominalTest>{{"multiway", NominalTest::multiway},
                             {"subset", NominalTest::subset},
                             {"one_vs_rest", NominalTest::one_vs_rest},
                             {"group", NominalTest::group}});
    visit("threshold", g.threshold,
          Words<Threshold>{{"midpoint", Threshold::midpoint},
                           {"observed", Threshold::observed},
                           {"round", Threshold::round}});
    visit("missing", g.missing,
          Words<Missing>{{"learn", Missing::learn},
                         {"fractional", Missing::fractional},
                         {"surrogate", Missing::surrogate},
                         {"branch", Missing::branch},
                         {"majority", Missing::majority},
                         {"error", Missing::error}});
    visit("order", g.order,
          Words<Order>{{"depth", Order::depth}, {"breadth", Order::breadth}, {"best", Order::best}});
    visit("search", g.search, Words<Search>{{"greedy", Search::greedy}, {"optimal", Search::optimal}});
    visit("splitter", g.random_cuts, Words<bool>{{"best", false}, {"random", true}});
}

template <class Enum>
Enum named(const nb::dict& d, const char* key, Words<Enum> words) {
    const auto given = nb::cast<std::string>(d[key]);
    std::string allowed;
    for (const auto& [word, value] : words) {
        if (given == word) return value;
        allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    throw Error(std::string(key) + " must be one of " + allowed + "; got '" + given + "'");
}

// -1 in Python means "no limit".
template <class T>
T limit(const nb::dict& d, const char* key) {
    const auto v = nb::cast<std::int64_t>(d[key]);
    return v < 0 ? std::numeric_limits<T>::max() : static_cast<T>(v);
}

}  // namespace

Criterion criterion_of(const nb::dict& d) {
    if (nb::cast<std::string>(d["criterion"]).starts_with("custom: ")) return Criterion::custom;
    return named(d, "criterion", criteria);
}

const char* word_of(Criterion criterion) {
    const auto is = [criterion](const auto& word) { return word.second == criterion; };
    return std::ranges::find_if(criteria, is)->first;
}

namespace {

// A function of Python, which takes an array of shares and returns one of impurities. The caller sees to it
// that it does.
std::shared_ptr<const Psi> psi_of(nb::callable function) {
    return std::make_shared<const Psi>([function](const std::vector<double>& shares, int classes) {
        nb::gil_scoped_acquire lock;
        const auto n = static_cast<std::size_t>(classes);
        auto said = nb::cast<Vector<double>>(function(give(std::vector<double>(shares), n)));
        if (said.shape(0) * n != shares.size()) throw Error("there must be one impurity per share");
        return list<double>(said);
    });
}

// Prices, and which columns need them.
Asking asking_of(const nb::dict& d) {
    std::vector<Asking::Item> items;
    for (const nb::handle item : nb::cast<nb::list>(d["items"])) {
        const auto said = nb::cast<nb::dict>(item);
        items.push_back(
            {nb::cast<double>(said["price"]), nb::cast<std::vector<std::uint32_t>>(said["columns"])});
    }
    return {named(d, "rule", ask_rules), nb::cast<double>(d["weight"]), std::move(items),
            nb::cast<std::vector<std::uint32_t>>(d["delayed"])};
}

}  // namespace

Growth growth_of(const nb::dict& d) {
    Growth g;
    g.criterion = criterion_of(d);
    if (d.contains("psi")) {
        g.psi = psi_of(nb::cast<nb::callable>(d["psi"]));
        g.criterion = Criterion(*g.psi);
    }
    each_word(g, [&](const char* key, auto& to, const auto& words) {
        if (std::string(key) == "search" && !d.contains(key)) return;  // greedy, unless it is said
        to = named(d, key, words);
    });
    if (g.criterion == Criterion::quantile)
        g.pinball = Pinball::of_quantile(std::llround(nb::cast<double>(d["quantile"]) * 1e6));
    g.max_branches = nb::cast<int>(d["max_branches"]);
    g.max_depth = limit<int>(d, "max_depth");
    g.max_leaf_nodes = limit<std::int64_t>(d, "max_leaf_nodes");
    g.min_samples_split = nb::cast<Count>(d["min_samples_split"]);
    g.min_samples_leaf = nb::cast<Count>(d["min_samples_leaf"]);
    g.min_weight_leaf = nb::cast<double>(d["min_weight_leaf"]);
    g.min_impurity_decrease = nb::cast<double>(d["min_impurity_decrease"]);
    g.min_gain = nb::cast<double>(d["min_gain"]);
    g.zero_gain = nb::cast<bool>(d["zero_gain"]);
    g.reuse = nb::cast<bool>(d["reuse"]);
    g.penalty = nb::cast<bool>(d["penalty"]);
    g.subset_penalty = nb::cast<bool>(d["subset_penalty"]);
    g.max_features = nb::cast<int>(d["max_features"]);
    g.seed = nb::cast<std::uint64_t>(d["seed"]);
    g.tree = nb::cast<std::uint64_t>(d["tree"]);
    g.monotonic = nb::cast<std::vector<int>>(d["monotonic"]);
    if (d.contains("asking") && !d["asking"].is_none()) g.asking = asking_of(nb::cast<nb::dict>(d["asking"]));
    g.record = nb::cast<bool>(d["record"]);
    if (d.contains("record_whole")) g.record_whole = limit<Count>(d, "record_whole");
    if (d.contains("record_samples")) g.record_samples = nb::cast<Count>(d["record_samples"]);
    return g;
}

void bind_growth(nb::module_& m) {
    m.def(
        "setting_words",
        [] {
            std::map<std::string, std::vector<std::string>> found;
            Growth g;
            for (const auto& [word, value] : ask_rules) found["ask_rule"].emplace_back(word);
            for (const auto& [word, value] : criteria) found["criterion"].emplace_back(word);
            each_word(g, [&](const char* key, auto&, const auto& words) {
                for (const auto& [word, value] : words) found[key].emplace_back(word);
            });
            return found;
        },
        "The words that each setting of growth may be, for the settings that are words.");
    m.attr("share_bits") = share_bits;
    m.attr("near_tie") = Growth::near_tie;
    m.def("near", &Growth::near, nb::arg("best"),
          "The decrease that is near the best of a node: what is kept of large ones.");
    m.def(
        "half_deviance",
        [](const Vector<double>& y, const Vector<double>& said) {
            if (y.shape(0) != said.shape(0)) throw Error("there must be as many of both");
            std::vector<double> of(y.shape(0));
            for (std::size_t i = 0; i < of.size(); ++i)
                of[i] = said.data()[i] * log_excess((y.data()[i] - said.data()[i]) / said.data()[i]);
            return give(std::move(of));
        },
        nb::arg("y"), nb::arg("said"),
        "Half of Poisson's deviance of each number, not negative, from what is said of it, above 0.");
}

// Optional keys for tests and benches: where one way of counting gives way to another.
Tuning tuning_of(const nb::dict& d) {
    Tuning t;
    if (d.contains("small_rows")) t.small_rows = nb::cast<std::size_t>(d["small_rows"]);
    if (d.contains("parallel_rows")) t.parallel_rows = nb::cast<std::size_t>(d["parallel_rows"]);
    if (d.contains("pack_rows")) t.pack_rows = nb::cast<std::size_t>(d["pack_rows"]);
    if (d.contains("together_bytes")) t.together_bytes = nb::cast<std::size_t>(d["together_bytes"]);
    if (d.contains("presort")) t.presort = nb::cast<bool>(d["presort"]);
    return t;
}

}  // namespace bosco::bind
