"""Tools that take scikit-learn's estimators, on ours: what the how-to page says of each."""

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)
from sklearn.tree import export_graphviz, export_text, plot_tree
from sklearn.utils._param_validation import InvalidParameterError

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

X, y = load_wine(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
TREES: list[Any] = [DecisionTreeClassifier(max_depth=3), DecisionTreeRegressor(max_depth=3)]
EVERY: list[Any] = [
    *TREES,
    RandomForestClassifier(5, random_state=0),
    RandomForestRegressor(5, random_state=0),
    AdaBoostClassifier(n_estimators=5),
]


def name_of(learner: Any) -> str:
    return type(learner).__name__


@pytest.fixture(params=EVERY, ids=name_of)
def learned(request: Any) -> tuple[Any, Any, Any]:
    data = NUMBERS if is_regressor(request.param) else (X, y)
    return request.param.fit(*data), *data


@pytest.fixture(params=TREES, ids=name_of)
def tree(request: Any) -> Any:
    return request.param.fit(*(NUMBERS if is_regressor(request.param) else (X, y)))


def test_permutation_importance(learned: tuple[Any, Any, Any]) -> None:
    one, rows, truth = learned
    found = permutation_importance(one, rows, truth, n_repeats=3, random_state=0)
    unused = one.feature_importances_ == 0
    assert (found.importances_mean[unused] == 0).all()
    assert found.importances_mean[~unused].max() > 0.05


def test_partial_dependence(learned: tuple[Any, Any, Any]) -> None:
    """The mean answer where a column is set to a value, for all rows."""
    one, rows, _ = learned
    column = int(one.feature_importances_.argmax())
    target = {} if is_regressor(one) else {"response_method": "predict_proba"}
    found = partial_dependence(one, rows, [column], grid_resolution=5, **target)
    say = one.predict if is_regressor(one) else one.predict_proba
    for value, mean in zip(found["grid_values"][0], found["average"].T, strict=True):
        moved = rows.copy()
        moved[:, column] = value
        assert mean == pytest.approx(np.atleast_1d(say(moved).mean(axis=0)))
    with pytest.raises(ValueError, match="recursion"):
        partial_dependence(one, rows, [column], method="recursion")
    shown = PartialDependenceDisplay.from_estimator(one, rows, [column], target=0)
    assert len(shown.lines_.ravel()) == 1


def test_selection_of_columns(learned: tuple[Any, Any, Any]) -> None:
    one, rows, truth = learned
    kept = SelectFromModel(one, prefit=True).get_support()
    importances = one.feature_importances_
    np.testing.assert_array_equal(kept, importances >= importances.mean())
    assert RFE(one, n_features_to_select=2).fit(rows, truth).support_.sum() == 2


def test_boundaries_are_drawn() -> None:
    one = DecisionTreeClassifier(max_depth=3).fit(X[:, :2], y)
    shown = DecisionBoundaryDisplay.from_estimator(one, X[:, :2], response_method="predict")
    assert set(np.unique(shown.response)) <= {0, 1, 2}


def test_scikit_learns_pictures_of_a_tree(tree: Any) -> None:
    """Two ask for scikit-learn's classes; without that check they show ours."""
    for show in (export_text, plot_tree):
        with pytest.raises(InvalidParameterError, match="must be an instance"):
            show(tree)
    nodes = tree.tree_.node_count
    with sklearn.config_context(skip_parameter_validation=True):
        text, boxes, dots = export_text(tree, decimals=6), plot_tree(tree), export_graphviz(tree)
    for threshold in tree.tree_.threshold[tree.tree_.children_left >= 0]:
        assert f"<= {threshold:.6f}" in text
    assert text.count("value: ") == tree.get_n_leaves()
    assert sum("samples" in box.get_text() for box in boxes) == nodes
    assert dots.count("[label=") == nodes


def test_shap_refuses_other_classes_and_asks_any_function() -> None:
    shap = pytest.importorskip("shap", reason="needs shap")
    one = DecisionTreeRegressor(max_depth=3).fit(*NUMBERS)
    rows = NUMBERS[0]
    with pytest.raises(Exception, match="not yet supported by TreeExplainer"):
        shap.TreeExplainer(one)
    found = shap.Explainer(one.predict, rows[:50])(rows[:3], silent=True)
    said = found.values.sum(axis=1) + found.base_values
    assert said == pytest.approx(one.predict(rows[:3]))


def test_skl2onnx_knows_no_converter() -> None:
    skl2onnx = pytest.importorskip("skl2onnx", reason="needs skl2onnx")
    one = DecisionTreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(Exception, match="Unable to find a shape calculator"):
        skl2onnx.to_onnx(one, X[:1].astype(np.float32))
    assert one.model_.to_onnx()
