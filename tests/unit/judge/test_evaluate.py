"""`evaluate`, against loops written by hand with scikit-learn."""

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as Peer

import bosco
from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, ParameterError, evaluate
from bosco.datasets import golf
from bosco.judge.splits import key

WINE = load_wine(return_X_y=True, as_frame=True)
TREE = DecisionTreeClassifier(max_depth=3)


def test_monte_carlo_by_hand() -> None:
    X, y = WINE
    e = evaluate(TREE, X, y, repeats=6, metrics=["accuracy"], random_state=3)
    scores, table = [], np.zeros((3, 3))
    for r in range(6):
        how = StratifiedShuffleSplit(1, test_size=0.3, random_state=key(3, r))
        train, test = next(how.split(X, y))
        fitted = clone(TREE).fit(X.iloc[train], y.iloc[train])
        scores.append(fitted.score(X.iloc[test], y.iloc[test]))
        table += confusion_matrix(y.iloc[test], fitted.predict(X.iloc[test]))
    assert e.scores["accuracy"].tolist() == scores
    assert e.confusion is not None
    assert (e.confusion == table).all()
    assert e.mean == pytest.approx(np.mean(scores))
    assert e.sd == pytest.approx(np.std(scores, ddof=1))
    assert e.two_sigma == pytest.approx((e.mean - 2 * e.sd, e.mean + 2 * e.sd))
    t = 2.5705818366147395  # of 5 degrees, 97.5 %
    reach = t * e.sd * np.sqrt(1 / 6 + 54 / 124)
    assert e.interval == pytest.approx((e.mean - reach, e.mean + reach))


def test_bootstrap_632_by_hand() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    e = evaluate(tree, X, y, method="bootstrap_632", repeats=5, metrics="accuracy", stratify=False)
    apparent = clone(tree).fit(X, y).score(X, y)
    wanted = []
    for r in range(5):
        train = np.random.RandomState(key(0, r)).randint(0, 150, size=150)
        out = np.setdiff1d(np.arange(150), train)
        score = clone(tree).fit(X[train], y[train]).score(X[out], y[out])
        wanted.append(0.368 * apparent + 0.632 * score)
    assert e.scores["accuracy"] == pytest.approx(wanted)
    assert e.mean == pytest.approx(np.mean(wanted))
    assert e.apparent == {"accuracy": apparent}
    assert e.confusion is not None
    assert e.confusion.sum() == sum(run.test_rows for run in e.runs)


def test_k_fold_tests_every_row_once() -> None:
    e = evaluate(TREE, *WINE, method="k_fold", folds=5, repeats=2)
    assert e.repeats == e.planned == 10
    assert e.confusion is not None
    assert e.confusion.sum(axis=1).tolist() == [2 * 59, 2 * 71, 2 * 48]
    assert e.ratio == pytest.approx(1 / 4)


def test_per_class_figures_are_scikit_learns() -> None:
    X, y = WINE
    e = evaluate(TREE, X, y, repeats=4)
    assert e.confusion is not None
    true = np.repeat([0, 1, 2], e.confusion.sum(axis=1).astype(int))
    said = np.concatenate([np.repeat([0, 1, 2], row.astype(int)) for row in e.confusion])
    wanted = classification_report(true, said, output_dict=True)
    found = e.per_class()
    for k in range(3):
        for ours, theirs in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert found[ours][k] == pytest.approx(wanted[str(k)][theirs])


def test_calibration_by_hand() -> None:
    X, y = WINE
    e = evaluate(DecisionTreeClassifier(max_depth=1), X, y, method="holdout")
    table = e.calibration()
    assert table is not None
    assert sum(table["rows"]) == 54
    right = np.dot(table["observed"], table["rows"]) / 54
    assert right == pytest.approx(e.mean)
    assert (
        evaluate(LinearSVC(), StandardScaler().fit_transform(X), y, repeats=2).calibration() is None
    )
    numbers = evaluate(
        DecisionTreeRegressor(max_depth=1), *load_diabetes(return_X_y=True), repeats=3
    )
    table = numbers.calibration()
    assert table is not None
    assert table["predicted"] == sorted(table["predicted"])
    assert sum(table["rows"]) == 3 * 133


def test_any_estimator() -> None:
    X, y = WINE
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    for estimator, sized in [
        (make_pipeline(StandardScaler(), LogisticRegression()), False),
        (make_pipeline(StandardScaler(), TREE), True),
        (RandomForestClassifier(3), False),
        (Peer(), True),
        (search, True),
    ]:
        e = evaluate(estimator, X, y, repeats=2)
        assert e.mean > 0.6
        assert (e.leaves is not None) == (e.depth is not None) == sized
    e = evaluate(Ridge(), *load_diabetes(return_X_y=True), repeats=2)
    assert list(e.scores) == ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"]
    assert e.confusion is None
    with pytest.raises(ParameterError, match="for classifiers"):
        e.per_class()


def test_the_form_of_the_table_does_not_matter() -> None:
    X, y = golf()
    rows = [dict(zip(X, values, strict=True)) for values in zip(*X.values(), strict=True)]
    tables: list[tuple[Any, Any]] = [
        (X, y),
        (rows, y),
        (pd.DataFrame(X), pd.Series(y, dtype="category")),
        (pl.DataFrame(X), pl.Series(y)),
        (pa.table(X), pa.chunked_array([y])),
    ]
    tree = DecisionTreeClassifier(algorithm="c45")
    found = [evaluate(tree, X, y, repeats=8, test_size=0.4).scores["accuracy"] for X, y in tables]
    assert all(scores.tolist() == found[0].tolist() for scores in found)


@pytest.mark.parametrize("method", ["monte_carlo", "k_fold", "bootstrap_632"])
def test_the_number_of_jobs_does_not_matter(method: str) -> None:
    folds = 3 if method == "k_fold" else None
    forest = RandomForestClassifier(2)  # its random state is left open, and keyed by the split
    one, two = (
        evaluate(forest, *WINE, method=method, repeats=3, n_jobs=n, folds=folds)
        .scores["accuracy"]
        .tolist()
        for n in (1, 2)
    )
    assert one == two
    assert len(set(one)) > 1


def test_a_given_random_state_is_kept() -> None:
    X, y = WINE
    a, b = (evaluate(RandomForestClassifier(2, random_state=s), X, y, repeats=3) for s in (0, 1))
    assert a.scores["accuracy"].tolist() != b.scores["accuracy"].tolist()


def test_weights_fit_and_score() -> None:
    X, y = WINE
    heavy = np.where(y == 1, 1000, 1)
    e = evaluate(DecisionTreeClassifier(max_depth=1), X, y, sample_weight=heavy, repeats=3)
    assert e["accuracy"].mean > 0.9
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1))
    again = evaluate(piped, X, y, sample_weight=heavy, repeats=3)
    assert again["accuracy"].mean == pytest.approx(e["accuracy"].mean)


def test_the_estimator_is_left_alone() -> None:
    tree = DecisionTreeClassifier()
    evaluate(tree, *WINE, repeats=2)
    assert not hasattr(tree, "model_")
    assert tree.random_state is None


def test_holdout() -> None:
    e = evaluate(TREE, *WINE, method="holdout", test_size=50)
    assert e.repeats == 1
    assert np.isnan(e.sd)
    low, high = e.interval
    assert 0.5 < low < e.mean < high < 1
    assert "Wilson" in e.says
    assert "no interval" in evaluate(TREE, *WINE, method="holdout", metrics="f1_macro").says


def test_metrics() -> None:
    X, y = WINE
    e = evaluate(
        TREE, X, y, repeats=2, metrics={"mine": lambda *given: len(given[2]), "f": "f1_macro"}
    )
    assert e.scores["mine"].tolist() == [54, 54]
    assert e["f"].mean > 0.5
    with pytest.raises(
        ParameterError, match=r"Unknown metric 'acuracy'. Did you mean 'accuracy'\?"
    ):
        evaluate(TREE, X, y, metrics="acuracy")
    with pytest.raises(
        ParameterError, match=r"metric 'roc_auc' failed on split 0. ValueError: multi"
    ):
        evaluate(TREE, X, y, metrics=["accuracy", "roc_auc"], repeats=1)
    with pytest.raises(ParameterError, match="must give one number"):
        evaluate(TREE, X, y, metrics=lambda *_: [1, 2], repeats=1)
    for wrong in ([], 3, {}):
        with pytest.raises(ParameterError, match="metrics must be"):
            evaluate(TREE, X, y, metrics=wrong)


def test_parts_without_a_class_are_reported() -> None:
    X, y = WINE
    groups = y * 10 + np.arange(len(y)) % 2  # two groups per class
    e = evaluate(TREE, X, y, groups=groups, repeats=10)
    assert "splits has no row of class" in str(e)
    rare = np.where(np.arange(len(y)) < 3, "rare", y.astype(str))
    e = evaluate(TREE, X, rare, method="k_fold", metrics=["roc_auc_ovr"])
    assert e["roc_auc_ovr"].defined < 10
    assert "roc_auc_ovr is undefined on" in str(e)
    assert "The test part of 7 of 10 splits has no row of class 'rare'." in str(e)


def test_a_training_part_of_one_class_is_refused() -> None:
    X, y = WINE
    two = np.where(y == 0, "a", "b")
    with pytest.raises(DataError, match=r"training part of split 0 has one class only, '[ab]'"):
        evaluate(TREE, X, two, groups=two, method="k_fold", folds=2)


@pytest.mark.parametrize("wrong", [DecisionTreeClassifier, StandardScaler(), "tree", None])
def test_not_an_estimator(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="estimator must be a classifier"):
        evaluate(wrong, *WINE)


def test_settings_are_checked() -> None:
    for settings, said in [
        ({"confidence": 95}, "confidence"),
        ({"random_state": "x"}, "random_state must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"n_jobs": "two"}, "n_jobs must be"),
    ]:
        with pytest.raises(ParameterError, match=said):
            evaluate(TREE, *WINE, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_gives_what_is_done(n_jobs: int) -> None:
    calls = []

    def scorer(*_: Any) -> float:
        calls.append(1)
        if len(calls) > 6:
            raise KeyboardInterrupt
        return 1.0

    e = evaluate(TREE, *WINE, repeats=50, metrics=scorer, n_jobs=n_jobs)
    assert e.interrupted
    assert 0 < e.repeats <= 6
    assert f"INTERRUPTED: {e.repeats} of 50" in str(e)
    calls.extend([1] * 6)
    with pytest.raises(KeyboardInterrupt):
        evaluate(TREE, *WINE, repeats=50, metrics=scorer, n_jobs=n_jobs)


def test_tables_and_report() -> None:
    e = evaluate(TREE, *WINE, repeats=5)
    table = pd.DataFrame(e.to_dict())
    assert table.shape[0] == 5
    assert {"accuracy", "leaves", "depth", "train_rows", "test_rows", "fit_seconds"} <= {*table}
    assert pd.DataFrame(e.summary()).shape == (3, 11)
    text = str(e)
    assert max(map(len, text.splitlines())) <= 100
    for word in ("corrected resampled t", "true \\ predicted", "calibration", "leaves", "recall"):
        assert word in text
    with pytest.raises(KeyError):
        e["nothing"]


def test_many_classes_are_listed() -> None:
    X = np.arange(300.0)[:, None]
    e = evaluate(DecisionTreeClassifier(), X, np.arange(300) // 15, repeats=2)
    assert "true \\ predicted" not in str(e)
    assert e.confusion is not None
    assert e.confusion.shape == (20, 20)


def test_names_with_quotes_and_unicode() -> None:
    X = pd.DataFrame({'größe "cm"': np.arange(40.0), "naïve, 'x'": ["ä", "ß"] * 20})
    y = np.where(np.arange(40) < 20, "sì", 'n"o')
    assert "sì" in str(evaluate(DecisionTreeClassifier(), X, y, repeats=2))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_warning_is_given_once(n_jobs: int) -> None:
    X = pd.DataFrame({"id": [f"d{i}" for i in range(40)], "x": np.arange(40.0)})
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        evaluate(TREE, X, np.arange(40) % 2, repeats=4, n_jobs=n_jobs)
    assert [w.category for w in raised] == [bosco.IdentifierWarning]
    assert raised[0].filename == __file__


def test_the_wine_protocol() -> None:
    """100 random 70/30 splits of wine: CART and C4.5 within the peer's interval, and vice versa."""
    X, y = load_wine(return_X_y=True)
    cart, c45, peer = (
        evaluate(tree, X, y, method="monte_carlo", repeats=100, test_size=0.3, metrics="accuracy")
        for tree in (DecisionTreeClassifier(), DecisionTreeClassifier(algorithm="c45"), Peer())
    )
    for e in (cart, c45):
        assert peer.interval[0] < e.mean < peer.interval[1]
        assert e.interval[0] < peer.mean < e.interval[1]
        assert e.confusion is not None
        assert e.confusion.sum() == 100 * 54
    assert abs(cart.mean - peer.mean) < 0.01  # the same splits, nearly the same trees


def test_public_names() -> None:
    assert bosco.evaluate is evaluate
    assert all(map(callable, (bosco.compare, bosco.select, bosco.stability)))


def test_time_is_taken() -> None:
    start = time.perf_counter()
    e = evaluate(TREE, *WINE, repeats=3)
    assert 0 < e.seconds <= time.perf_counter() - start
    assert sum(run.fit_seconds + run.score_seconds for run in e.runs) < e.seconds


def test_weights_are_not_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((100, 2)), np.where(np.arange(100) < 80, "a", "b")
    weight = np.where(y == "b", 10.5, 1.0)
    more: dict[str, Any] = {"method": "k_fold", "folds": 5, "sample_weight": weight}
    e = evaluate(DecisionTreeClassifier(max_depth=1), X, y, **more)
    assert e.weighted
    assert e.confusion is not None
    assert e.weighted_confusion is not None
    assert e.confusion.sum(axis=1).tolist() == e.per_class()["rows"] == [80, 20]
    assert e.weighted_confusion.sum(axis=1).tolist() == [80, 210]
    right = np.diag(e.confusion)
    assert e.per_class()["recall"] == pytest.approx(right / [80, 20])
    text = str(e)
    assert text.splitlines()[1].startswith("100 rows, scores by weight, 2 classes")
    assert "Constant: always saying b, what weighs most of the rows fitted to." in text
    assert "\nrows, summed over all test parts:\n" in text
    assert "predicted share  share right  weight\n" in text
    calibration = e.calibration()
    assert calibration is not None
    assert sum(calibration["weight"]) == pytest.approx(290)
    captions = [table.caption for table in e.tables()]
    assert "scores by weight" in captions[0]
    assert "rows, whatever they weigh" in captions[1]
    real = evaluate(DecisionTreeRegressor(max_depth=1), X, rng.random(100), **more)
    assert "the weighted mean of the rows fitted to." in str(real)
    once = evaluate(TREE, *WINE, repeats=2, sample_weight=np.ones(178))
    assert not once.weighted
    assert once.weighted_confusion is None
