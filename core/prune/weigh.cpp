// What policies of pruning weigh that is more than a count of errors: bits, and p-values.
#include <algorithm>
#include <span>

#include "score/functions.hpp"
#include "tree/tree.hpp"

namespace bosco {
namespace {

// The rows of a tree's nodes in samples, so that the unit of the weights does not matter.
class Samples {
public:
    explicit Samples(const Tree& tree) : tree_(tree) {}

    double all(std::size_t i) const { return static_cast<double>(tree_.count[i]) / tree_.count_scale; }

    // By class; they add up to `all`.
    void by_class(std::size_t i, std::vector<double>& to) const {
        const Count* t = tree_.tally.data() + i * to.size();
        const Count whole = Shape{tree_.n_classes, false}.weight(t);
        const double weight = static_cast<double>(whole) / tree_.weight_scale;
        const double ratio = whole > 0 ? all(i) / weight : 1;
        for (std::size_t c = 0; c < to.size(); ++c)
            to[c] = static_cast<double>(t[c]) / tree_.weight_scale * ratio;
    }

private:
    const Tree& tree_;
};

double log2_choose(double n, double k) {
    return log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k);
}

// A test's cuts among the gaps between n samples, or the branch of each level: none if each has its own.
double test_bits(const TestView& test, double n) {
    if (test.kind == TestKind::cut) {
        const auto cuts = static_cast<double>(test.thresholds.size());
        return log2_choose(std::max(std::floor(n) - 1, cuts), cuts);
    }
    const auto jumps = test.jumps.subspan(1);  // after that of missing values
    const double levels = std::max(1.0, static_cast<double>(jumps.size()));
    const double branches = test.branches;
    if (branches >= levels) return 0;
    const auto ones = static_cast<double>(std::ranges::count(jumps, 1u));
    const bool alone = branches == 2 && std::min(ones, levels - ones) <= 1;
    return alone ? log2_fixed(levels) : levels * log2_fixed(branches);
}

}  // namespace

Description description_bits(const Tree& tree, int n_columns) {
    if (tree.n_classes == 0) throw Error("real numbers have no code without a limit of precision");
    const Samples samples(tree);
    const double classes = tree.n_classes;
    std::vector<double> rows(static_cast<std::size_t>(tree.n_classes));
    Description bits;
    for (std::size_t i = 0; i < tree.test.size(); ++i) {
        const double n = samples.all(i);
        // How many of each class, log2 C(n+k-1, k-1), and in which order, log2 n!/prod c!: n! falls out.
        double leaf = log2_factorial(n + classes - 1) - log2_factorial(classes - 1);
        samples.by_class(i, rows);
        for (const double c : rows) leaf -= log2_factorial(c);
        bits.as_leaf.push_back(1 + leaf);
        bits.of_test.push_back(
            tree.leaf(i) ? 0 : 1 + log2_fixed(n_columns) + test_bits(tree.tests[tree.test[i]], n));
    }
    return bits;
}

std::vector<double> p_values(const Tree& tree) {
    const Samples samples(tree);
    std::vector<double> p(tree.test.size(), 1);
    std::vector<double> rows(static_cast<std::size_t>(tree.n_classes)), branch(rows);
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (tree.test[i] < 0) continue;
        samples.by_class(i, rows);
        double filled = 0, ratio = 0;  // branches that have rows; the sum of O²/E by n
        for (const std::int32_t child : tree.children(i)) {
            const double own = samples.all(child);
            if (own <= 0) continue;
            ++filled;
            samples.by_class(child, branch);
            for (std::size_t c = 0; c < rows.size(); ++c)
                if (rows[c] > 0) ratio += branch[c] * branch[c] / (own * rows[c]);
        }
        const double n = samples.all(i);
        if (filled < 2) continue;
        if (tree.n_classes > 0) {
            const auto classes =
                static_cast<double>(std::ranges::count_if(rows, [](double c) { return c > 0; }));
            if (classes > 1) p[i] = chi_square_tail(n * (ratio - 1), (filled - 1) * (classes - 1));
        } else if (const double within = n - filled; within > 0) {
            const double between = tree.gain[i] * n, rest = std::max(0.0, tree.impurity[i] * n - between);
            p[i] = f_tail(between / (filled - 1) / (rest / within), filled - 1, within);
        }
    }
    return p;
}

}  // namespace bosco
