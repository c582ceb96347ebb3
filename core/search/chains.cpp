#include "search/chains.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace bosco::search {
namespace {

std::uint32_t code_at(const Cases& cases, const Group& group, std::uint32_t column, std::uint32_t position) {
    return cases.ranks[column][group.row[row_of(group.list(column)[position])]];
}

// What of the rows up to the end of each known value of a list adds up to, and of those without a value.
void sum_up(const Group& group, std::uint32_t column, const std::vector<Count>& of, std::vector<Count>& to,
            Count& lost) {
    const Entry* const list = group.list(column);
    const std::uint32_t missing = group.missing[column];
    to.clear();
    if (of.empty()) return;
    Count sum = 0;
    for (std::uint32_t i = 0; i < group.size; ++i) {
        sum += of[row_of(list[i])];
        if (i + 1 == missing) lost = sum;
        if (i >= missing && ends(list[i])) to.push_back(sum);
    }
}

// The ways to part the levels of a column, as chains, and the program that meets them: one level after the
// other goes to the left and back.
class Partings {
public:
    Partings(const Cases& cases, const Group& group, std::uint32_t column, Count least,
             std::vector<Chain>& chains, std::vector<std::int16_t>& program)
        : of_(cases.columns[column]),
          group_(group),
          column_(column),
          least_(least),
          chains_(chains),
          program_(program) {
        const Entry* const list = group.list(column);
        Level sum;
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const std::uint32_t row = row_of(list[i]);
            sum.weight += group.weights.empty() ? 1 : group.weights[row];
            sum.samples += group.samples.empty() ? 1 : group.samples[row];
            if (!ends(list[i])) continue;
            sum.code = code_at(cases, group, column, i);
            levels_.push_back(std::exchange(sum, {}));
        }
    }

    void make() {
        if (levels_.size() < 2) return;
        if (of_.subsets) {
            make_subsets();
            return;
        }
        make_ones();
        if (n_known() > 3)
            for (std::uint32_t o = 0; o < of_.orders.size(); ++o) make_prefixes(o);
    }

private:
    struct Level {
        std::uint32_t code = 0;
        Count weight = 0, samples = 0;
        bool left = false;
    };

    bool missing() const { return levels_[0].code == 0; }
    std::size_t n_known() const { return levels_.size() - (missing() ? 1 : 0); }

    // To the other side.
    void move(std::size_t level) {
        const bool left = levels_[level].left ^= true;
        program_.push_back(static_cast<std::int16_t>(left ? level + 1 : -static_cast<int>(level) - 1));
    }
    // What is on the left, as an answer to this question.
    void look(const Question& question) {
        Chain c;
        c.question = question;
        c.cuts = false;
        c.whole = 1;
        for (const Level& level : levels_)
            if (level.left) c.weight += level.weight, c.samples += level.samples;
        if (c.weight == 0 || c.weight == group_.weight) return;
        program_.push_back(0);
        c.last = c.samples >= least_ && group_.sample_count - c.samples >= least_ ? 1 : 0;
        chains_.push_back(c);
    }
    // Alone, and together with the missing rows.
    void look_both(Question question) {
        look(question);
        if (!missing()) return;
        question.missing_left = true;
        look_with(0, question);
    }
    void look_with(std::size_t level, const Question& question) {
        move(level);
        look(question);
        move(level);
    }

    // Neighbours in Gray's code differ in one level; the last level stays right, so that no parting comes
    // twice.
    void make_subsets() {
        const std::size_t begin = chains_.size();
        for (std::uint32_t k = 1; k < 1u << (levels_.size() - 1); ++k) {
            move(static_cast<std::size_t>(std::countr_zero(k)));
            std::uint32_t bits = 0;
            for (const Level& level : levels_)
                if (level.left) bits |= 1u << level.code;
            look({column_, Question::Kind::subset, 0, bits, (bits & 1) != 0});
        }
        std::sort(chains_.begin() + static_cast<std::ptrdiff_t>(begin), chains_.end(),
                  [](const Chain& a, const Chain& b) { return a.question < b.question; });
    }
    // One level against the rest. One against the other is all there is of two.
    void make_ones() {
        if (missing()) look_with(0, {column_, Question::Kind::one, 0, 0, true});
        const std::size_t first = missing() ? 1 : 0, last = levels_.size() == 2 ? 1 : levels_.size();
        for (std::size_t i = first; i < last; ++i) {
            move(i);
            look_both({column_, Question::Kind::one, 0, levels_[i].code, false});
            move(i);
        }
    }
    // The first levels of an order against the others; one against the rest is there already.
    void make_prefixes(std::uint32_t order) {
        std::size_t seen = 0;
        for (const std::uint32_t code : of_.orders[order]) {
            const auto level = std::ranges::lower_bound(levels_, code, {}, &Level::code);
            if (level == levels_.end() || level->code != code) continue;
            move(static_cast<std::size_t>(level - levels_.begin()));
            if (++seen >= 2 && seen + 2 <= n_known())
                look_both({column_, Question::Kind::prefix, order, of_.place[order][code] + 1, false});
        }
        for (std::size_t i = 0; i < levels_.size(); ++i)
            if (levels_[i].left) move(i);
    }

    const Cases::Column& of_;
    const Group& group_;
    std::uint32_t column_;
    Count least_;
    std::vector<Level> levels_;  // that the group has, the missing one first
    std::vector<Chain>& chains_;
    std::vector<std::int16_t>& program_;
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
        else {
            ends_[j].clear();
            programs_[j].clear();
            Partings(cases, group, j, least, chains_, programs_[j]).make();
        }
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
    sum_up(group, column, group.weights, before_[column], lost_[column]);
    sum_up(group, column, group.samples, held_[column], lost_samples_[column]);
    // The last value is on the left only if the missing rows are on the right.
    if (m > 0) add_cuts(group, column, false, missing > 0 ? m : m - 1, least);
    if (m > 0 && missing > 0) add_cuts(group, column, true, m - 1, least);
}

void Chains::add_cuts(const Group& group, std::uint32_t column, bool missing_left, std::size_t n,
                      Count least) {
    if (n == 0) return;
    Chain c;
    c.question = {column, Question::Kind::cut, 0, 0, missing_left};
    c.last = c.whole = static_cast<std::uint32_t>(n);
    if (least > 1) {
        while (c.first < c.last && samples(c, c.first) < least) ++c.first;
        while (c.last > c.first && group.sample_count - samples(c, c.last - 1) < least) --c.last;
    }
    chains_.push_back(c);
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
