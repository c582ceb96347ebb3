"""The estimators: worked figures through the public face, and scikit-learn's ways."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import tree as peers
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bosco import DataError, DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.datasets import golf, loans, play_tennis

# Worked figures ----------------------------------------------------------------------------------


def fitted(counts: dict[tuple[int, int], int], **settings: Any) -> DecisionTreeClassifier:
    """Learn from counts of (x, y), given as weights."""
    X, y = np.array([[x] for x, _ in counts]), [label for _, label in counts]
    return DecisionTreeClassifier(**settings).fit(X, y, sample_weight=list(counts.values()))


@pytest.mark.parametrize(
    ("criterion", "gain"),
    [("error", 0.25), ("entropy", 0.3113), ("gini", 0.1667)],
)
def test_gains_of_an_even_node(criterion: str, gain: float) -> None:
    counts = {(0, 0): 200, (0, 1): 400, (1, 0): 200}
    root = fitted(counts, criterion=criterion).model_.why(0)
    assert root.chosen.gain == pytest.approx(gain, abs=5e-5)


@pytest.mark.parametrize(
    ("criterion", "gain"),
    [("error", 0.0), ("gini", 0.08), ("scaled_entropy", 0.1182), ("sqrt", 0.1551)],
)
def test_gains_where_the_error_sees_nothing(criterion: str, gain: float) -> None:
    counts = {(0, 1): 3, (0, 0): 2, (1, 1): 5}
    assert fitted(counts, criterion=criterion).model_.why(0).chosen.gain == pytest.approx(
        gain, abs=5e-5
    )


def test_play_tennis() -> None:
    X, y = play_tennis()
    clf = DecisionTreeClassifier(algorithm="id3").fit(X, y)
    assert clf.tree_.impurity[0] == pytest.approx(0.9403, abs=5e-5)
    names = clf.feature_names_in_
    root, rain, sunny = clf.tree_.feature[[0, 2, 3]]
    assert (names[root], names[rain], names[sunny]) == ("Outlook", "Wind", "Humidity")
    assert clf.tree_.feature[1] == -2  # Overcast is a leaf
    assert clf.score(X, y) == 1.0
    assert (clf.get_depth(), clf.get_n_leaves()) == (2, 5)


def test_c45_learns_the_same_from_play_tennis() -> None:
    X, y = play_tennis()
    clf = DecisionTreeClassifier(algorithm="c45").fit(X, y)
    assert clf.score(X, y) == 1.0
    assert clf.tree_.feature[:4].tolist() == [0, -2, 3, 2]


def test_golf_cuts_humidity_halfway() -> None:
    X, y = golf()
    clf = DecisionTreeClassifier(algorithm="c45").fit(X, y)
    assert clf.score(X, y) == 1.0
    assert clf.tree_.threshold[clf.tree_.feature == 2].tolist() == [77.5]
    assert "humidity ≤ 77.5 → Play" in str(clf.model_)
    observed = DecisionTreeClassifier(algorithm="c45", threshold="observed").fit(X, y)
    assert "humidity ≤ 70 → Play" in str(observed.model_)


def test_loans() -> None:
    X, y = loans()
    stump = DecisionTreeClassifier(algorithm="stump").fit(X, y)
    assert stump.score(X, y) == 0.8
    assert stump.model_.why(0).chosen.column == "reputation"
    term = DecisionTreeClassifier(algorithm="stump").fit({"term": X["term"]}, y)
    assert term.score({"term": X["term"]}, y) == 0.75


def test_an_empty_partition_predicts_as_its_parent() -> None:
    X = {"sky": ["a", "a", "b", "b", "b"]}
    clf = DecisionTreeClassifier(algorithm="id3", domains={"sky": ["a", "b", "never"]})
    clf.fit(X, [0, 0, 1, 1, 1])
    assert clf.predict({"sky": ["never"]}).tolist() == [1]
    assert clf.predict_proba({"sky": ["never"]}).tolist() == [[0.4, 0.6]]
    assert "sky = never → 1 (no rows, as its parent)" in str(clf.model_)


def test_no_columns_left_gives_a_majority_leaf() -> None:
    clf = DecisionTreeClassifier(algorithm="id3").fit({"x": list("aaab")}, [0, 1, 1, 0])
    assert clf.get_n_leaves() == 2
    assert clf.predict({"x": ["a", "b"]}).tolist() == [1, 0]


def test_a_tie_goes_to_the_second_of_two() -> None:
    clf = DecisionTreeClassifier().fit([[0.0], [0.0]], [-1, 1])
    assert clf.predict([[0.0]]).tolist() == [1]


def test_xor_needs_a_test_that_gains_nothing() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0
    assert DecisionTreeClassifier(algorithm="hunt").fit(X, y).get_n_leaves() == 1


# Parameters --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_depth": 0}, r"'max_depth' parameter of DecisionTreeClassifier must be an int in the "
                           r"range \[1, inf\) or None. Got 0 instead."),
        ({"min_samples_leaf": 1.5}, "'min_samples_leaf' parameter"),
        ({"min_samples_split": 1}, "'min_samples_split' parameter"),
        ({"criterion": "ginni"}, "'criterion' parameter.*Did you mean 'gini'"),
        ({"score": "gain_ration"}, "'score' parameter.*Did you mean 'gain_ratio'"),
        ({"missing": 3}, "'missing' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        ({"ccp_alpha": -1.0}, "'ccp_alpha' parameter"),
        ({"record": "yes"}, "'record' parameter"),
        ({"n_jobs": 0.5}, "'n_jobs' parameter"),
        ({"max_branches": 1}, "'max_branches' parameter"),
        ({"algorithm": "id3", "missing": "surrogate"}, "needs tests with two branches"),
        ({"monotonic_cst": [1]}, "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": [1, 2]}, "must be None or an array-like of -1, 0 or 1"),
        ({"monotonic_cst": {"y0": 1}}, "names a column that X does not have: 'y0'"),
    ],
)  # fmt: skip
def test_wrong_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(**given).fit([[0, 1], [1, 1]], [0, 1])


def test_the_setting_score_and_the_method_score_live_together() -> None:
    X, y = load_iris(return_X_y=True)
    clf = DecisionTreeClassifier(score="gain_ratio")
    assert clf.get_params()["score"] == "gain_ratio"
    assert clone(clf).get_params()["score"] == "gain_ratio"
    assert repr(clf) == "DecisionTreeClassifier(score='gain_ratio')"
    assert clf.fit(X, y).score(X, y) == 1.0
    assert clf.model_.growth.score == "gain_ratio"
    clf.set_params(score="gain")
    assert clf.fit(X, y).model_.growth.score == "gain"
    assert pickle.loads(pickle.dumps(clf)).get_params()["score"] == "gain"
    assert "accuracy" in (DecisionTreeClassifier.score.__doc__ or "")
    search = GridSearchCV(clf, {"score": ["gain", "gain_ratio"], "max_depth": [1, 3]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9


def test_fractions_count_samples_not_rows() -> None:
    X, y = [[0], [1], [2]], [0, 1, 0]
    for weight, leaves in ((None, 3), ([10, 1, 10], 2)):
        clf = DecisionTreeClassifier(min_samples_leaf=0.1).fit(X, y, sample_weight=weight)
        assert clf.get_n_leaves() == leaves


def test_monotone_by_name_and_by_position() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + rng.normal(size=300)
    by_position = DecisionTreeRegressor(monotonic_cst=[1, 0]).fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    by_name = DecisionTreeRegressor(monotonic_cst={"a": 1}).fit(frame, y)
    assert by_position.tree_ == by_name.tree_
    grid = np.column_stack([np.linspace(-3, 3, 200), np.zeros(200)])
    assert (np.diff(by_position.predict(grid)) >= 0).all()
    nominal = {"a": ["x", "y"], "b": [1, 2]}
    with pytest.raises(ParameterError, match="'a', which is nominal"):
        DecisionTreeRegressor(monotonic_cst=[1, 0]).fit(nominal, [0, 1])


@pytest.mark.parametrize("setting", [{"splitter": "random"}, {"max_features": 3}])
def test_randomness_is_seeded(setting: dict[str, Any]) -> None:
    X, y = load_wine(return_X_y=True)

    def tree(seed: Any) -> Any:
        return DecisionTreeClassifier(random_state=seed, **setting).fit(X, y).tree_

    assert tree(1) == tree(1)
    assert len({tree(seed).digest() for seed in range(5)}) > 1
    assert tree(np.random.RandomState(1)) == tree(np.random.RandomState(1))


# Attributes and methods --------------------------------------------------------------------------


def test_attributes() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = DecisionTreeClassifier(max_features="sqrt", random_state=0).fit(X, y)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert (clf.n_classes_, clf.n_features_in_, clf.n_outputs_, clf.max_features_) == (3, 4, 1, 2)
    assert clf.feature_names_in_.tolist() == X.columns.tolist()
    clf.fit(X.to_numpy(), y)
    assert not hasattr(clf, "feature_names_in_")


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_importances_and_pruning_path_are_scikit_learns(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(600, 6)) * 2**16) / 2**16
    signal = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) / 2
    weight = rng.integers(2**12, 2**16, 600) / 2**14  # so that nothing ties
    limits = {"min_samples_leaf": 15}
    if criterion == "squared_error":
        y = np.round(signal * 256)
        ours: Any = DecisionTreeRegressor(**limits)
        theirs: Any = peers.DecisionTreeRegressor(random_state=0, **limits)
    else:
        y = np.digitize(signal, [-1, 1])
        ours = DecisionTreeClassifier(criterion=criterion, **limits)
        theirs = peers.DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
    data = X, y, weight
    ours.fit(*data)
    theirs.fit(*data)
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=1e-9)
    path = ours.cost_complexity_pruning_path(*data)
    peer = theirs.cost_complexity_pruning_path(*data)
    assert path.ccp_alphas == pytest.approx(peer.ccp_alphas, rel=1e-9, abs=1e-12)
    assert path.impurities == pytest.approx(peer.impurities, rel=1e-9, abs=1e-12)
    for alpha in path.ccp_alphas[::5] * (1 + 1e-9):
        a = clone(ours).set_params(ccp_alpha=alpha).fit(*data)
        b = clone(theirs).set_params(ccp_alpha=alpha).fit(*data)
        assert a.get_n_leaves() == b.get_n_leaves()
        assert a.predict(X) == pytest.approx(b.predict(X), rel=1e-12)


def test_decision_path() -> None:
    X, y = load_wine(return_X_y=True)
    clf = DecisionTreeClassifier().fit(X, y)
    path, leaves = clf.decision_path(X), clf.apply(X)
    assert path.shape == (len(X), clf.tree_.node_count)
    for row in (0, 50, 177):
        assert path[[row]].indices.tolist() == clf.tree_.path(int(leaves[row]))
    theirs = peers.DecisionTreeClassifier(random_state=0).fit(X, y).decision_path(X)
    assert path.sum() == theirs.sum()


def test_probabilities() -> None:
    X, y = load_iris(return_X_y=True)
    clf = DecisionTreeClassifier(max_depth=2).fit(X, y)
    shares = clf.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert (clf.classes_[shares.argmax(axis=1)] == clf.predict(X)).all()
    logs = clf.predict_log_proba(X)
    assert np.exp(logs) == pytest.approx(shares)
    assert np.isneginf(logs[shares == 0]).all()


def test_labels_of_any_kind() -> None:
    X = [[0], [1], [2], [3]]
    for y in (["b", "a", "b", "b"], [True, False, True, True], [3.0, 1.0, 3.0, 3.0]):
        clf = DecisionTreeClassifier().fit(X, y)
        assert clf.predict(X).tolist() == y
        assert clf.classes_.tolist() == sorted(set(y))
    series = pd.Series(["x", "y", "x", "x"], dtype="category")
    assert DecisionTreeClassifier().fit(X, series).predict(X).tolist() == list(series)


def test_unfitted() -> None:
    for call in ("predict", "predict_proba", "apply", "decision_path"):
        with pytest.raises(sklearn.exceptions.NotFittedError):
            getattr(DecisionTreeClassifier(), call)([[1]])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        DecisionTreeRegressor().get_depth()


def test_rows_must_match() -> None:
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[2, 3\]"):
        DecisionTreeClassifier().fit([[1], [2]], [1, 2, 3])


def test_columns_are_matched_by_name() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = DecisionTreeClassifier().fit(X, y)
    assert (clf.predict(X[X.columns[::-1]]) == clf.predict(X)).all()
    with pytest.raises(DataError, match=r"Did you mean 'petal width \(cm\)'"):
        clf.predict(X.rename(columns={"petal width (cm)": "petal widht (cm)"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Decision"):
        clf.predict(X.to_numpy())
    clf.fit(X.to_numpy(), y)
    with pytest.warns(UserWarning, match="X has feature names, but DecisionTreeClassifier was fit"):
        clf.predict(X)
    with pytest.raises(DataError, match="X has 3 features, but DecisionTreeClassifier"):
        clf.predict(X.to_numpy()[:, :3])


def test_a_fit_that_fails_leaves_what_was_there() -> None:
    clf = DecisionTreeClassifier().fit([[0], [1]], ["a", "b"])
    with pytest.raises(DataError):
        clf.fit([[0], [1], [2]], ["x", "y"])
    assert clf.classes_.tolist() == ["a", "b"]
    assert clf.predict([[1]]).tolist() == ["b"]


def test_subclasses_work() -> None:
    class Mine(DecisionTreeClassifier):
        pass

    assert Mine(score="gain_ratio").fit([[0], [1]], [0, 1]).model_.growth.score == "gain_ratio"


# Company -----------------------------------------------------------------------------------------


def test_pipelines_searches_and_validation() -> None:
    X, y = load_wine(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.8
    grid = {"decisiontreeclassifier__max_depth": [1, 4]}
    search = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert search.best_params_ == {"decisiontreeclassifier__max_depth": 4}
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(DecisionTreeRegressor(max_depth=3), X, y, cv=3).mean() > 0.2


def test_set_output_passes_frames_through() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    pipe = make_pipeline(StandardScaler(), DecisionTreeClassifier()).set_output(transform="pandas")
    assert pipe.fit(X, y)[-1].feature_names_in_.tolist() == X.columns.tolist()


def test_sample_weights_are_routed() -> None:
    X, y = load_wine(return_X_y=True)
    weight = np.where(y == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        clf = DecisionTreeClassifier().set_fit_request(sample_weight=True)
        clf.set_score_request(sample_weight=True)
        result = cross_validate(
            clf, X, y, params={"sample_weight": weight}, return_estimator=True, cv=3
        )
    assert [e.classes_.tolist() for e in result["estimator"]] == [[1, 2]] * 3


def test_pickles_hold_no_rows() -> None:
    X, y = np.random.default_rng(0).normal(size=(20_000, 5)), np.arange(20_000) % 2
    clf = DecisionTreeClassifier(max_depth=2, record=False, fingerprint=False).fit(X, y)
    assert len(pickle.dumps(clf)) < 20_000
    clf = DecisionTreeClassifier(max_depth=2, record=False).fit(X, y)
    assert len(pickle.dumps(clf)) < 150_000  # of 800,000 bytes of X, five a row and its text


def test_small_tables_keep_all_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_wine(return_X_y=True)

    def whole(**settings: Any) -> tuple[int, int]:
        growth = DecisionTreeClassifier(**settings).fit(X, y).model_.growth
        assert growth.record == (settings.get("record") is not False)
        return growth.record_whole, len(growth.to_dict())

    assert whole() == whole(record=True)
    assert whole()[0] == -1
    monkeypatch.setattr("bosco.growth.RECORD_ROWS", 177)
    assert whole()[0] == 0
    assert whole(record=True)[0] == whole(record=False)[0] == whole(score="gain_ratio")[0] == -1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("missing", ["learn", "majority", "branch", "error", "fractional"])
def test_few_rows_take_a_short_way_to_the_same_answer(missing: str, dtype: type) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1).astype(dtype)
    y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)
    if missing != "error":
        X[rng.random(X.shape) < 0.1] = np.nan
    clf = DecisionTreeClassifier(missing=missing).fit(X, y)
    whole = clf.predict(X)
    strided = np.asfortranarray(np.hstack([X, X]))[::-1, :4]
    for rows in (X[:1], X[:7], strided[:7], X[::-1][:5]):
        assert np.array_equal(clf.predict(rows), clf.predict(rows.tolist()))
    assert np.array_equal(np.concatenate([clf.predict(row[None]) for row in X]), whole)
    with pytest.raises(ValueError, match="features"):
        clf.predict(X[:1, :3])
    if missing == "error":
        with pytest.raises(ValueError, match="missing"):
            clf.predict(np.full((1, 4), np.nan))


def test_a_stump_says_that_it_is_one() -> None:
    """max_depth=None is what the row says, here 1; the text and the parameter's words say so."""
    X, y = [[1], [2], [3], [4]], [0, 1, 0, 1]
    stump = DecisionTreeClassifier(algorithm="stump", max_depth=None).fit(X, y)
    assert stump.get_depth() == 1
    assert str(stump.model_).startswith("stump (error, max_depth=1) · ")
    assert '1 for "stump"' in str(DecisionTreeClassifier.__doc__)
    deeper = DecisionTreeClassifier(algorithm="stump", criterion="gini", max_depth=3).fit(X, y)
    assert str(deeper.model_).startswith("stump (gini, max_depth=3) · ")
    assert deeper.get_depth() == 3
