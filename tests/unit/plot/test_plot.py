"""bosco.plot: what is drawn is what was given, and nothing but the given axis is touched."""

import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn import datasets, tree
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier

import bosco
from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, ParameterError, plot


def axis(n: int = 1) -> Any:
    return Figure(layout="constrained").subplots(n, 1)


def blobs(k: int = 7) -> tuple[Any, Any]:
    X, y = datasets.make_blobs(150, 2, centers=k, random_state=0)
    return X, np.array([f"kind {v}" for v in y])


def image(ax: Any) -> Any:
    return ax.images[0].get_array()


# Regions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [
        DecisionTreeClassifier(max_depth=3),
        DecisionTreeClassifier(max_depth=10),
        tree.DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(5, random_state=0),
    ],
    ids=lambda x: f"{type(x).__module__.split('.')[0]} {type(x).__name__}",
)
def test_regions_are_the_predictions(learner: Any) -> None:
    X, y = blobs()
    learner = clone(learner).fit(X, y)
    ax = plot.regions(learner, X, y, ax=axis(), resolution=20)
    shown = image(ax)
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    across = x0 + (x1 - x0) * (np.arange(20) + 0.5) / 20
    up = y0 + (y1 - y0) * (np.arange(20) + 0.5) / 20
    grid = np.array([[a, b] for b in up for a in across])
    expected = np.searchsorted(learner.classes_, learner.predict(grid)).reshape(20, 20)
    assert (shown == expected).all()
    drawn = np.concatenate([c.get_offsets() for c in ax.collections])
    assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, X.tolist()))
    assert [t.get_text() for t in ax.get_legend().get_texts()] == list(learner.classes_)


def mixed(n: int = 120) -> tuple[dict[str, Any], Any]:
    random = np.random.default_rng(0)
    X = {
        "age": random.uniform(20, 70, n).round(1),
        "sex": random.choice(["f", "m"], n).tolist(),
        "town": random.choice(["a", "b", "c"], n).tolist(),
    }
    return X, np.where((X["age"] > 40) ^ (np.array(X["sex"]) == "f"), "yes", "no")


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "categories", "rows"])
def test_any_table_and_levels(kind: str) -> None:
    given, y = mixed()
    X: Any = {
        "dict": lambda: given,
        "pandas": lambda: pd.DataFrame(given),
        "polars": lambda: pl.DataFrame(given),
        "categories": lambda: pd.DataFrame(given).astype({"sex": "category", "town": "category"}),
        "rows": lambda: [list(row) for row in zip(*given.values(), strict=True)],
    }[kind]()
    model = DecisionTreeClassifier().fit(X, y)
    columns = (0, 1) if kind == "rows" else ("age", "sex")
    ax = plot.regions(model, X, y, columns=columns, ax=axis(), resolution=30)
    shown = image(ax)
    assert shown.shape == (2, 30)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["f", "m"]
    assert (shown[0] == 1).sum() + (shown[1] == 1).sum() in range(28, 33)
    assert "median" in ax.get_title()
    plot.regions(model.model_, X, columns=columns, ax=axis(), resolution=5)


def test_regions_of_numbers_and_the_two_that_matter() -> None:
    bunch = datasets.load_diabetes(as_frame=True)
    model = DecisionTreeRegressor(max_depth=3).fit(bunch.data, bunch.target)
    ax = plot.regions(model, bunch.data, bunch.target, ax=axis(), resolution=10)
    top = np.sort(np.argsort(-model.feature_importances_)[:2])
    assert [ax.get_xlabel(), ax.get_ylabel()] == [bunch.feature_names[k] for k in top]
    assert set(np.unique(image(ax))) <= set(model.predict(bunch.data)) | set(model.tree_.value.flat)
    frame = pl.DataFrame(bunch.data)
    peer = tree.DecisionTreeRegressor(max_depth=2).fit(frame, bunch.target)
    plot.regions(peer, frame, ax=axis(), resolution=10)


def test_regions_say_what_is_wrong() -> None:
    X, y = mixed()
    model = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ParameterError, match=r"no column 'sexx'\. Did you mean 'sex'"):
        plot.regions(model, X, columns=("age", "sexx"))
    with pytest.raises(ParameterError, match="two columns"):
        plot.regions(model, X, columns=("age",))
    with pytest.raises(DataError, match="one value for each of the 120 rows"):
        plot.regions(model, X, y[:3])
    with pytest.raises(ParameterError, match="resolution"):
        plot.regions(model, X, resolution=0)


# The others ---------------------------------------------------------------------------------------


def test_impurity_curves_are_the_criteria() -> None:
    ax = plot.impurity_curves(axis())
    p = np.arange(101) / 100
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.nan_to_num(p * np.log2(p)) + np.nan_to_num((1 - p) * np.log2(1 - p))
    expected = [np.minimum(p, 1 - p), 2 * p * (1 - p), -logs / 2, np.sqrt(p * (1 - p))]
    for line, curve in zip(ax.lines, expected, strict=True):
        assert line.get_xdata() == pytest.approx(p)
        assert line.get_ydata() == pytest.approx(curve, abs=1e-9)
    low_to_high = [line.get_ydata() for line in ax.lines]
    assert all((a <= b + 1e-9).all() for a, b in pairwise(low_to_high))


def test_error_vs_size() -> None:
    data = {"depth": [3, 1, 2], "training": [0.1, 0.3, 0.2], "test": [0.25, 0.3, 0.2]}
    ax = plot.error_vs_size(data | {"test spread": [0.1] * 3, "chosen": 2}, ax=axis())
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert ax.lines[1].get_ydata().tolist() == [0.3, 0.2, 0.25]
    assert (ax.get_xlabel(), ax.lines[2].get_label()) == ("depth", "chosen: 2")
    assert len(ax.collections) == 1
    plot.error_vs_size(pd.DataFrame(data), ax=axis())
    with pytest.raises(DataError, match="'test' must be 2 numbers"):
        plot.error_vs_size({"size": [1, 2], "test": [0.1]})
    with pytest.raises(DataError, match="no curve is given"):
        plot.error_vs_size({"size": [1, 2]})
    with pytest.raises(DataError, match="Got int"):
        plot.error_vs_size(3)


def test_confusion() -> None:
    class Evaluation:
        confusion = np.array([[3.0, 1.0], [0.0, 2.5]])
        classes = ("no", "yes")

    ax = plot.confusion(Evaluation(), ax=axis())
    assert [t.get_text() for t in ax.texts] == ["3", "1", "0", "2.5"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["no", "yes"]
    assert image(ax)[0].tolist() == [0.75, 0.25]
    many = plot.confusion(np.eye(40, dtype=int), ax=axis())
    assert not many.texts
    for bad in ([[1, 2]], [1, 2], [["a"]]):
        with pytest.raises(DataError, match="a row and a column of numbers"):
            plot.confusion(bad)
    with pytest.raises(DataError, match="2 names are needed"):
        plot.confusion([[1, 0], [0, 1]], ["a"])


def test_importances() -> None:
    bunch = datasets.load_wine(as_frame=True)
    model = DecisionTreeClassifier().fit(bunch.data, bunch.target)
    ax = plot.importances(model, top=3, ax=axis())
    order = np.argsort(-model.feature_importances_)[:3]
    assert [p.get_width() for p in ax.patches] == model.feature_importances_[order].tolist()
    assert [t.get_text() for t in ax.get_yticklabels()] == [bunch.feature_names[k] for k in order]
    assert not ax.containers[1:]
    again = plot.importances(model, bunch.data, bunch.target, repeats=3, ax=axis())
    assert len(again.containers) == 2
    forest = RandomForestClassifier(4, random_state=0).fit(bunch.data, bunch.target)
    spread = plot.importances(forest, ax=axis()).containers[1]
    means = np.mean([t.feature_importances_ for t in forest.estimators_], axis=0)
    assert spread[0].get_xdata() == pytest.approx(
        means[np.argsort(-forest.feature_importances_, kind="stable")]
    )
    plot.importances([[0.5, 0.5], [0.2, 0.8]], names=["a", "b"], ax=axis())
    with pytest.raises(DataError, match="without y"):
        plot.importances(model, bunch.data)


def test_stability_and_boosting() -> None:
    ax = plot.stability(
        {"column": list("abc"), "root": [0, 0.2, 0.8], "used": [0.1, 0.9, 1]}, axis()
    )
    assert [t.get_text() for t in ax.get_yticklabels()] == ["c", "b", "a"]
    with pytest.raises(DataError, match="'used' is not among the data"):
        plot.stability({"column": ["a"], "usd": [1]})
    X, y = datasets.make_moons(100, noise=0.3, random_state=0)
    booster = AdaBoostClassifier(n_estimators=6, random_state=0).fit(X, y)
    above, below = plot.boosting(booster, axis(2))
    assert above.lines[0].get_ydata().tolist() == booster.estimator_errors_.tolist()
    assert [p.get_height() for p in below.patches] == booster.estimator_weights_.tolist()
    with pytest.raises(DataError, match="two axes"):
        plot.boosting(booster, axis())
    # Its own history, whatever is in it.
    for watch, early in (([0, 3], False), (None, True)):
        ours = bosco.AdaBoostClassifier(n_estimators=6, watch=watch, early_stopping=early)
        ours.set_params(random_state=0).fit(X, y)
        for given in (ours.history_, ours):
            above, below = plot.boosting(given, axis(2))
            assert above.lines[0].get_ydata().tolist() == ours.history_["error"].tolist()
            assert len(above.lines) == 2 + early
            heights = [p.get_height() for p in below.patches]
            assert heights == ours.history_["coefficient"].tolist()
    sure = bosco.AdaBoostClassifier().fit([[0], [1]], ["a", "b"])
    above, below = plot.boosting(sure.history_, axis(2))
    assert [(p.get_height(), p.get_hatch()) for p in below.patches] == [(1.2, "//")]


def test_a_given_axis_is_all_that_is_touched() -> None:
    before = pyplot.get_fignums()
    X, y = blobs(3)
    model = DecisionTreeClassifier().fit(X, y)
    plot.regions(model, X, y, ax=axis(), resolution=5)
    plot.impurity_curves(axis())
    plot.importances(model, ax=axis())
    model.model_.plot(axis())
    assert pyplot.get_fignums() == before
    plot.impurity_curves()
    assert len(pyplot.get_fignums()) == len(before) + 1


def test_matplotlib_is_asked_for_late_and_politely() -> None:
    code = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
sys.meta_path.insert(0, Blocker())
import bosco
model = bosco.DecisionTreeClassifier().fit([[0], [1]], [0, 1])
assert str(model.model_.svg()).startswith("<svg")
for draw in (model.model_.plot, bosco.plot.impurity_curves):
    try:
        draw()
    except ImportError as error:
        assert "pip install 'bosco[plot]'" in str(error), error
    else:
        raise AssertionError(draw)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
