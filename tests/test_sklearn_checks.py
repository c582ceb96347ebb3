"""All of scikit-learn's checks, for every estimator and algorithm.

Two are declared to fail, for forests that draw their rows: "a row of weight 2 is that row twice"
can hold for a bootstrap in distribution only. Two equal rows are drawn apart, one row of weight 2
is drawn as one, and the check shuffles the weighted rows, so that no key can say which rows are
which. Forests that draw no rows pass it (``bootstrap=False``).

One more, for trees whose leaves are mixed: it takes for granted that of two classes with the same
share of an output the first is predicted, as argmax has it. Here it is the second, everywhere.
"""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

ESTIMATORS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(algorithm="id3"),
    DecisionTreeClassifier(algorithm="c45"),
    DecisionTreeClassifier(algorithm="best_first", max_leaf_nodes=16),
    DecisionTreeClassifier(algorithm="hunt"),
    DecisionTreeClassifier(algorithm="stump"),
    DecisionTreeClassifier(missing="surrogate", criterion="entropy"),
    DecisionTreeClassifier(splitter="random", random_state=0),
    DecisionTreeClassifier(numeric_test="intervals", max_features="sqrt", random_state=0),
    DecisionTreeRegressor(),
    DecisionTreeRegressor(algorithm="best_first", max_leaf_nodes=16),
    DecisionTreeRegressor(algorithm="stump"),
    DecisionTreeRegressor(missing="fractional", threshold="round"),
    DecisionTreeRegressor(splitter="random", random_state=0),
    RandomForestClassifier(n_estimators=5),
    RandomForestClassifier(n_estimators=5, bootstrap=False, vote="mode"),
    RandomForestRegressor(n_estimators=5),
    RandomForestRegressor(n_estimators=5, bootstrap=False, max_features="sqrt"),
    ExtraTreesClassifier(n_estimators=5),
    ExtraTreesRegressor(n_estimators=5),
    AdaBoostClassifier(n_estimators=5),
    AdaBoostClassifier(n_estimators=5, algorithm="samme", learning_rate=0.5),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5),
]

DRAWN = "equal rows are drawn apart, a row of weight 2 as one: the same in distribution only"
TIES = "of two classes with the same share the second is predicted, and argmax takes the first"


def expected_failures(estimator: Any) -> dict[str, str]:
    drawn = getattr(estimator, "bootstrap", False)
    checks = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    failures = dict.fromkeys(checks, DRAWN) if drawn else {}
    if getattr(estimator, "max_leaf_nodes", None) is not None:
        failures["check_classifier_multioutput"] = TIES
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)
