#include "search/chains.hpp"

#include <algorithm>
#include <bit>

namespace bosco::search {
namespace {

std::uint32_t code_at(const Cases& cases, const Group& group, std::uint32_t column, std::uint32_t position) {
    return cases.ranks[column][group.row[row_of(group.list(column)[position])]];
}

// One level after the other goes to the left and back, alone and together with the missing rows.
struct Levels {
    std::vector<std::uint32_t> codes;
    std::vector<Count> weight, samples;
    bool missing() const { return !codes.empty() && codes[0] == 0; }
};

}  // namespace

void Chains::make(const Cases& cases, const Group& group, Count least) {
    const std::size_t d = cases.columns.size();
    chains_.clear();
    ends_.resize(d);
    before_.resize(d);
    programs_.resize(d);
    missing_ = group.missing;
    held_.resize(d);
    lost_.assign(d, 0);
    lost_samples_.assign(d, 0);
    for (std::uint32_t j = 0; j < d; ++j) {
        if (cases.columns[j].ordered)
            cuts_of(group, j, least);
        else
            levels_of(cases, group, j, least);
    }
}

void Chains::cuts_of(const Group& group, std::uint32_t column, Count least) {
    const Entry* const list = group.list(column);
    const std::uint32_t n = group.size, missing = group.missing[column];
    auto& at = ends_[column];
    at.resize(n - missing);
    std::size_t m = 0;
    for (std::uint32_t i = missing; i < n; ++i) {
        at[m] = i + 1;
        m += ends(list[i]) ? 1 : 0;
    }
    at.resize(m);
    // Sums up to the end of each value, where rows are not all alike.
    const auto sum_up = [&](const std::vector<Count>& of, std::vector<Count>& to, Count& lost) {
        to.clear();
        if (of.empty()) return;
        Count sum = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            sum += of[row_of(list[i])];
            if (i + 1 == missing) lost = sum;
            if (i >= missing && ends(list[i])) to.push_back(sum);
        }
    };
    sum_up(group.weights, before_[column], lost_[column]);
    sum_up(group.samples, held_[column], lost_samples_[column]);
    if (m == 0 || (m == 1 && missing == 0)) return;
    for (const bool missing_left : {false, true}) {
        if (missing_left && missing == 0) break;
        Chain c;
        c.question = {column, Question::Kind::cut, 0, 0, missing_left};
        // The last value is on the left only if the missing rows are on the right.
        c.whole = static_cast<std::uint32_t>(missing > 0 && !missing_left ? m : m - 1);
        if (c.whole == 0) continue;
        c.last = c.whole;
        if (least > 1) {
            while (c.first < c.last && samples(c, c.first) < least) ++c.first;
            while (c.last > c.first && group.sample_count - samples(c, c.last - 1) < least) --c.last;
        }
        chains_.push_back(c);
    }
}

void Chains::levels_of(const Cases& cases, const Group& group, std::uint32_t column, Count least) {
    const Entry* const list = group.list(column);
    Levels levels;
    Count weight = 0, samples = 0;
    for (std::uint32_t i = 0; i < group.size; ++i) {
        const std::uint32_t row = row_of(list[i]);
        weight += group.weights.empty() ? 1 : group.weights[row];
        samples += group.samples.empty() ? 1 : group.samples[row];
        if (!ends(list[i])) continue;
        levels.codes.push_back(code_at(cases, group, column, i));
        levels.weight.push_back(weight);
        levels.samples.push_back(samples);
        weight = samples = 0;
    }
    auto& program = programs_[column];
    program.clear();
    ends_[column].clear();
    const std::size_t n = levels.codes.size();
    if (n < 2) return;
    std::vector<char> left(n, 0);
    const auto put = [&](std::size_t level) {
        left[level] ^= 1;
        program.push_back(static_cast<std::int16_t>(left[level] ? level + 1 : -static_cast<int>(level) - 1));
    };
    const auto look = [&](const Question& question) {
        Chain c;
        c.question = question;
        c.cuts = false;
        c.whole = 1;
        for (std::size_t i = 0; i < n; ++i)
            if (left[i]) c.weight += levels.weight[i], c.samples += levels.samples[i];
        if (c.weight == 0 || c.weight == group.weight) return;
        program.push_back(0);
        c.last = c.samples >= least && group.sample_count - c.samples >= least ? 1 : 0;
        chains_.push_back(c);
    };
    const Cases::Column& of = cases.columns[column];
    if (of.subsets) {
        // Neighbours in Gray's code differ in one level; the last level stays right, so that no parting
        // comes twice.
        const std::size_t begin = chains_.size();
        for (std::uint32_t k = 1; k < 1u << (n - 1); ++k) {
            put(static_cast<std::size_t>(std::countr_zero(k)));
            std::uint32_t bits = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (left[i]) bits |= 1u << levels.codes[i];
            look({column, Question::Kind::subset, 0, bits, (bits & 1) != 0});
        }
        std::sort(chains_.begin() + static_cast<std::ptrdiff_t>(begin), chains_.end(),
                  [](const Chain& a, const Chain& b) { return a.question < b.question; });
        return;
    }
    const bool missing = levels.missing();
    const auto look_both = [&](Question question) {
        look(question);
        if (!missing) return;
        put(0);
        question.missing_left = true;
        look(question);
        put(0);
    };
    if (missing) {
        put(0);
        look({column, Question::Kind::one, 0, 0, true});
        put(0);
    }
    for (std::size_t i = missing ? 1 : 0; i < n; ++i) {
        if (n == 2) {  // one against the other is all there is
            if (missing || i == 1) break;
        }
        put(i);
        look_both({column, Question::Kind::one, 0, levels.codes[i], false});
        put(i);
    }
    for (std::uint32_t o = 0; o < of.orders.size() && n > (missing ? 4u : 3u); ++o) {
        std::size_t seen = 0, known = n - (missing ? 1 : 0);
        for (const std::uint32_t code : of.orders[o]) {
            const auto i =
                static_cast<std::size_t>(std::ranges::lower_bound(levels.codes, code) - levels.codes.begin());
            if (i == n || levels.codes[i] != code) continue;
            put(i);
            // One against the rest is there already.
            if (++seen >= 2 && seen + 2 <= known)
                look_both({column, Question::Kind::prefix, o, of.place[o][code] + 1, false});
        }
        for (std::size_t i = 0; i < n; ++i)
            if (left[i]) put(i);
    }
}

Question Chains::question(const Cases& cases, const Group& group, const Chain& c, std::size_t j) const {
    Question q = c.question;
    if (!c.cuts) return q;
    const std::uint32_t column = q.column;
    const bool all = j + 1 == ends_[column].size();
    q.code = all ? all_known : code_at(cases, group, column, ends_[column][j] - 1);
    return q;
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> Chains::find(const Cases& cases, const Group& group,
                                                                    const Question& question) const {
    for (std::uint32_t i = 0; i < chains_.size(); ++i) {
        const Chain& c = chains_[i];
        if (c.question.column != question.column || c.question.kind != question.kind ||
            c.question.missing_left != question.missing_left || c.first == c.last)
            continue;
        if (!c.cuts) {
            if (c.question == question) return {{i, 0u}};
            continue;
        }
        const auto& at = ends_[question.column];
        const auto after =
            std::partition_point(at.begin() + c.first, at.begin() + c.last, [&](std::uint32_t position) {
                return code_at(cases, group, question.column, position - 1) <= question.code;
            });
        if (after == at.begin() + c.first) return {};
        return {{i, static_cast<std::uint32_t>(after - at.begin() - 1)}};
    }
    return {};
}

}  // namespace bosco::search
