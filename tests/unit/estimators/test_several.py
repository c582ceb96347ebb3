"""Several outputs: what estimators take, say, refuse and keep."""

import pickle
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import mean_poisson_deviance

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import golf
from bosco.errors import DataError, ModelError, ModelKindError, ParameterError

X, LABELS = golf()
TWO = np.column_stack([LABELS, np.where(np.array(X["windy"]), "windy", "calm")])
NUMBERS = np.column_stack([X["temperature"], np.arange(14) ** 2])
Y3 = np.column_stack([np.arange(14) % 3, np.arange(14) % 2])


def test_text_tells_every_output() -> None:
    model = DecisionTreeClassifier(max_depth=1).fit(X, TWO).model_
    lines = str(model).splitlines()
    assert lines[0] == "cart (gini) · 14 rows, 4 columns, 2 outputs · 2 leaves, depth 1"
    assert lines[3:5] == [
        "├─ [1] windy = false * → y0 = Play (75.0 %), y1 = calm · 8 rows",
        "└─ [2] windy = true → y0 = Play (50.0 %), y1 = windy · 6 rows",
    ]
    assert model.predict({name: cells[0] for name, cells in X.items()}) == ["Play", "calm"]


def test_columns_of_a_frame_have_their_names_and_kinds() -> None:
    frame = pd.DataFrame({"play": LABELS, "n": np.arange(14) % 3})
    tree = DecisionTreeClassifier().fit(X, frame)
    assert tree.model_.outputs.names == ["play", "n"]
    said = tree.predict(X)
    assert said.dtype == object
    assert said[:, 1].tolist() == (np.arange(14) % 3).tolist()
    assert [labels.dtype.kind for labels in tree.classes_] == ["O", "i"] or tree.classes_


def test_one_column_is_one_output() -> None:
    with pytest.warns(UserWarning, match="column-vector"):
        tree = DecisionTreeRegressor().fit(X, NUMBERS[:, :1])
    assert tree.n_outputs_ == 1
    assert tree.predict(X).ndim == 1


def test_many_levels_of_many_classes_and_weights() -> None:
    """Weights of the classes of each output are multiplied."""
    weights = [{0: 2.0, 1: 1.0, 2: 3.0}, {0: 1.0, 1: 5.0}]
    rows = np.array([weights[0][a] * weights[1][b] for a, b in Y3.tolist()])
    by_class = DecisionTreeClassifier(class_weight=weights, max_depth=2).fit(X, Y3)
    by_row = DecisionTreeClassifier(max_depth=2).fit(X, Y3, rows)
    for one, other in zip(by_class.predict_proba(X), by_row.predict_proba(X), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    even = DecisionTreeClassifier(class_weight="balanced", max_depth=1).fit(X, Y3)
    assert even.tree_.value[0, 1, :2] == pytest.approx([0.5, 0.5], abs=0.02)
    subsample = RandomForestClassifier(3, class_weight="balanced_subsample", random_state=0)
    trees = subsample.fit(X, Y3).estimators_
    for tree, rows_of in zip(trees, subsample.estimators_samples_, strict=True):
        a = np.bincount(Y3[rows_of, 0]), np.bincount(Y3[rows_of, 1])
        factor = [len(rows_of) / (len(own) * np.maximum(own, 1)) for own in a]
        w = factor[0][Y3[rows_of, 0]] * factor[1][Y3[rows_of, 1]]
        told = np.bincount(Y3[rows_of, 0], w) / w.sum()
        assert tree.tree_.value[0, 0] == pytest.approx(told, abs=2e-3)


@pytest.mark.parametrize(
    ("estimator", "y", "said"),
    [
        (DecisionTreeClassifier(criterion="error"), TWO, "of one output"),
        (DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]), TWO, "nominal|multiple output"),
        (DecisionTreeRegressor(monotonic_cst=[0, 1, 0, 0]), NUMBERS, "multiple output"),
        (DecisionTreeClassifier(missing="fractional"), TWO, "trees of one output"),
        (DecisionTreeClassifier(missing="surrogate"), TWO, "trees of one output"),
        (DecisionTreeClassifier(pruning="reduced_error"), TWO, "errors of one output"),
        (DecisionTreeClassifier(costs={"windy": {"calm": 3}}), TWO, "classes of one output"),
        (DecisionTreeClassifier(algorithm="optimal", max_depth=2), TWO, "of one output"),
        (DecisionTreeClassifier(lookahead=2), TWO, "errors of one output"),
        (DecisionTreeClassifier(class_weight={0: 1}), TWO, "list of dicts"),
        (DecisionTreeClassifier(class_weight=[{}]), TWO, "match number of outputs: 1 and 2"),
        (RandomForestClassifier(2, vote="mode"), TWO, "of one output"),
        (RandomForestClassifier(2, tree_weights="oob_accuracy"), TWO, "of one output"),
        (RandomForestRegressor(2, leaf_rows=True), NUMBERS, "of one output"),
        (RandomForestClassifier(9, oob_score=True), Y3, "multiclass-multioutput"),
        (AdaBoostClassifier(), TWO, "1d array"),
    ],
)
def test_what_is_of_one_output_is_refused(estimator: Any, y: Any, said: str) -> None:
    with pytest.raises((ParameterError, DataError), match=said):
        clone(estimator).fit(X, y)
    assert not hasattr(estimator, "model_")


def test_other_verbs_of_the_model_are_refused_with_the_reason() -> None:
    model = DecisionTreeClassifier().fit(X, TWO).model_
    for verb in ("to_sql", "judge", "rules", "why", "report"):
        with pytest.raises(ModelKindError, match=r"only\. Hint: fit one model for each output"):
            getattr(model, verb)
    forest = RandomForestRegressor(2, random_state=0).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="one output"):
        forest.permutation_importances_oob(X, NUMBERS)
    with pytest.raises(ParameterError, match="one output"):
        forest.trace(X, NUMBERS)


def test_warm_starts_add_trees_of_the_same_outputs() -> None:
    forest = RandomForestRegressor(2, random_state=0, warm_start=True).fit(X, NUMBERS)
    forest.set_params(n_estimators=3)
    more = np.column_stack([NUMBERS] * 2)
    for other, said in ((NUMBERS[:, 0], "as many outputs"), (more, "other outputs")):
        with pytest.raises(DataError, match=said):
            forest.fit(X, other)
    assert len(forest.fit(X, NUMBERS)) == 3
    one = RandomForestRegressor(2, random_state=0, warm_start=True).fit(X, NUMBERS[:, 0])
    with pytest.raises(DataError, match="as many outputs"):
        one.set_params(n_estimators=3).fit(X, NUMBERS)


@pytest.mark.parametrize("form", ["json", "binary"])
@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (DecisionTreeClassifier(), TWO),
        (DecisionTreeClassifier(ccp_alpha=0.05, nominal_test="multiway"), Y3),
        (DecisionTreeRegressor(max_depth=2), NUMBERS + np.array([1e6, 0.1])),
        (ExtraTreesRegressor(3, random_state=0), NUMBERS),
        (DecisionTreeRegressor(criterion="poisson"), NUMBERS),
    ],
)
def test_files_and_pickles_answer_the_same(estimator: Any, y: Any, form: Any) -> None:
    model = estimator.fit(X, y).model_
    file = BytesIO()
    model.save(file, form=form)
    kept = bosco.load(BytesIO(file.getvalue()))
    holes = {"outlook": [None, "new", "rain"], "temperature": [1, None, 99], "humidity": [70] * 3}
    holes["windy"] = [None, True, False]
    for twin in (kept, pickle.loads(pickle.dumps(model))):
        assert str(twin) == str(model)
        assert twin.predict(holes).tolist() == model.predict(holes).tolist()
        said = zip(twin.predict_proba(holes), model.predict_proba(holes), strict=True)
        assert all(np.array_equal(a, b) for a, b in said)
        assert twin.worth.tolist() == model.worth.tolist()
    broken = file.getvalue().replace(b'"importances": [', b'"importances": [-', 1)
    if form == "json":
        with pytest.raises(ModelError, match=r"importances|number"):
            bosco.load(BytesIO(broken))


def test_trees_of_a_forest_grow_again_from_their_draws() -> None:
    """Each tree has the seed by which it grows alone, from the rows that it drew."""
    table = np.random.default_rng(0).normal(size=(80, 6))
    for y in (table[:, 0] > 0, np.column_stack([table[:, 0] > 0, table[:, 1] > 0])):
        forest = RandomForestClassifier(4, random_state=7, max_features=2).fit(table, y)
        for tree, rows in zip(forest, forest.estimators_samples_, strict=True):
            again = clone(tree).fit(table[rows], y[rows])
            np.testing.assert_array_equal(again.tree_.value, tree.tree_.value)


def test_a_warm_start_judges_earlier_trees_out_of_their_bags() -> None:
    table = np.random.default_rng(0).normal(size=(80, 6))
    for y in (table[:, 0], np.column_stack([table[:, 0], table[:, 1]])):
        whole = RandomForestRegressor(30, random_state=3, oob_score=True).fit(table, y)
        parts = RandomForestRegressor(12, random_state=3).fit(table, y)
        parts.set_params(warm_start=True, oob_score=True, n_estimators=30).fit(table, y)
        assert parts.oob_score_ == whole.oob_score_
        np.testing.assert_array_equal(parts.oob_prediction_, whole.oob_prediction_)
        late = RandomForestRegressor(30, random_state=3, warm_start=True).fit(table, y)
        with pytest.warns(UserWarning, match="does not fit new trees"):
            late.set_params(oob_score=True).fit(table, y)
        assert late.oob_score_ == whole.oob_score_


@pytest.mark.parametrize(
    "make",
    [DecisionTreeRegressor, RandomForestRegressor, ExtraTreesRegressor],
    ids=lambda make: make.__name__,
)
def test_counts_of_several_outputs(make: Any) -> None:
    """A leaf says the means of its rows, none of them 0; its impurity is half their deviance."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    Y = rng.poisson(np.exp(X[:, :2] - 0.5))
    asked = {} if make is DecisionTreeRegressor else {"n_estimators": 5, "bootstrap": False}
    grown = make(criterion="poisson", min_samples_leaf=5, random_state=0, **asked).fit(X, Y)
    for one in getattr(grown, "estimators_", [grown]):
        tree, leaf = one.tree_, one.apply(X)
        assert tree.node_count > 9
        for node in np.unique(leaf):
            rows = Y[leaf == node]
            means = rows.mean(axis=0)
            assert (means > 0).all()
            assert tree.value[node, :, 0] == pytest.approx(means, rel=1e-9)
            half = np.mean(
                [
                    mean_poisson_deviance(y, [m] * len(y)) / 2
                    for y, m in zip(rows.T, means, strict=True)
                ]
            )
            assert tree.impurity[node] == pytest.approx(half, rel=1e-9, abs=1e-12)
    with pytest.raises(DataError, match="negative"):
        make(criterion="poisson").fit(X, Y - [0, 1])
    with pytest.raises(DataError, match="not strictly positive"):
        make(criterion="poisson").fit(X, Y * [0, 1])
