"""All of scikit-learn's checks, for both estimators and every algorithm, none declared to fail."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from bosco import DecisionTreeClassifier, DecisionTreeRegressor

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
]


@parametrize_with_checks(ESTIMATORS)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)
