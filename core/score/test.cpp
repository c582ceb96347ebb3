#include "score/test.hpp"

#include <cmath>
#include <string>

namespace bosco {
namespace {

const char* flaw_of_cut(const TestView& t) {
    // A branch for the missing values alone is one more than the thresholds make.
    const auto cuts = static_cast<std::int64_t>(t.thresholds.size());
    const bool alone = cuts + 2 == t.branches && t.missing == cuts + 1;
    if (cuts < 1 || !(cuts + 1 == t.branches || alone)) return "thresholds do not fit the branches";
    if (!t.jumps.empty()) return "a cut with jumps";
    if (std::ranges::any_of(t.thresholds, [](double x) { return std::isnan(x); }))
        return "a threshold is NaN";
    if (std::ranges::adjacent_find(t.thresholds, std::greater_equal{}) != t.thresholds.end())
        return "thresholds do not increase";
    return nullptr;
}

}  // namespace

const char* TestView::flaw() const {
    if (kind != TestKind::cut && kind != TestKind::map) return "unknown kind";
    if (column < 0) return "negative column";
    if (branches < 2) return "fewer than two branches";
    // Turned round, the two sides of one threshold change places; more sides have no places.
    if (flip && !binary_cut()) return "only a binary cut is flipped";
    if (missing < by_share || missing >= branches) return "missing branch out of range";
    if (kind == TestKind::cut) return flaw_of_cut(*this);
    if (!thresholds.empty() || jumps.empty()) return "a map without jumps";
    if (std::ranges::max(jumps) >= static_cast<std::uint32_t>(branches)) return "a jump leads nowhere";
    return nullptr;
}

void TestView::require_fit(const Frame& frame) const {
    const auto refuse = [this](const std::string& what) {
        throw Error("column " + std::to_string(column) + what + " the test that asks for it");
    };
    if (column < 0 || static_cast<std::uint32_t>(column) >= frame.n_columns())
        refuse(" is not among the " + std::to_string(frame.n_columns()) + " columns there are for");
    const Column& c = column_of(frame);
    if ((kind == TestKind::map) == c.ordered()) refuse(" is of another kind than");
    if (kind == TestKind::map && jumps.size() != std::size_t{c.n_codes} + 1) refuse(" has other levels than");
}

}  // namespace bosco
