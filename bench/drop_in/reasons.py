"""Why some of scikit-learn's tests do not pass on our classes, by their names.

"aside" are those that no other implementation can pass: they look at private parts of
scikit-learn's, or at a deprecation of its own. The others are decided otherwise here, and count.
"""

import re
from typing import NamedTuple


class Reason(NamedTuple):
    """Which tests of a file, whether they are aside, and why they do not pass."""

    file: str
    tests: str  # a regular expression that the name matches from its beginning
    aside: bool
    why: str


_FLOAT32 = "X is not narrowed to float32: values that differ are told apart, and may be as large"
_CRITERIA = "absolute error is of one output: what a branch costs needs its rows in order of each"
REASONS = (
    Reason("test_tree", r"test_build_pruned_tree", True, "a private function of its tree"),
    Reason("test_tree", r"test_huge_allocations", False, "a limit past 2³¹ is refused as one"),
    Reason("test_tree", r"test_(almost_constant_feature|big_input)", False, _FLOAT32),
    Reason(
        "test_tree",
        r"test_missing_values_best_splitter_on_equal_nodes",
        False,
        "where training had no missing value and both branches weigh the same, one goes left",
    ),
    Reason(
        "test_forest",
        r"test_(validate_y_class_weight|class_weights_forest|oob_not_computed_twice|max_samples_geq)",
        True,
        "private attributes of its forests",
    ),
    Reason(
        "test_forest",
        r"test_forest_multioutput_integral_regression_target",
        True,
        "draws the samples again by a private function of its own",
    ),
    Reason(
        "test_forest",
        r"test_mse_criterion_object_segfault",
        True,
        "a private criterion object as the criterion",
    ),
    Reason("test_forest", r"test_backend_respected", False, "threads are native, not joblib's"),
    Reason(
        "test_forest",
        r"test_distribution",
        False,
        "nodes are numbered side by side, and the test reads trees by number",
    ),
    Reason(
        "test_forest",
        r"test_min_samples_leaf",
        False,
        "a row that is drawn twice counts as two samples of a leaf",
    ),
    Reason(
        "test_forest",
        r"test_regression_criterion\[absolute_error",
        False,
        "other columns are drawn: a score of 0.9196 where more than 0.92 is asked",
    ),
    Reason(
        "test_weight_boosting",
        r"test_sample_weights_infinite",
        False,
        "weights are normalised in every round: they do not become infinite",
    ),
    Reason("test_tree", r"test_multioutput\[.*absolute_error", False, _CRITERIA),
    Reason("test_", r"test_friedman_mse_deprecation", True, "a deprecation of its own"),
)


def reason_of(file: str, test: str) -> Reason | None:
    """The reason that is known for a test; None if there is none."""
    for reason in REASONS:
        if file.startswith(reason.file) and re.match(reason.tests, test):
            return reason
    return None
