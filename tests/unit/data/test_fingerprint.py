"""What a model remembers of its training rows: who is known again, and that order is nothing."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
)
from bosco.data import fingerprint
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import ModelError
from bosco.estimators import base
from bosco.pruning import ReducedError

HERE = Path(__file__).parents[2]


def table(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Numbers, levels and holes, and a class; few values, so that some rows are equal."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(-2, 3, n) / 2,
            "b": rng.integers(0, 3, n).astype(float),
            "c": rng.choice(["x", "y", "z"], n),
            "d": rng.random(n).round(2),
        }
    )
    X = X.mask(rng.random(X.shape) < 0.05)
    return X, np.where(X["a"].fillna(0) + rng.normal(size=n) > 0, "up", "down")


def rows(X: pd.DataFrame, y: Any = None) -> list[tuple[Any, ...]]:
    """Rows as plain values, missing as None."""
    whole = X if y is None else X.assign(target=np.asarray(y))
    plain = whole.astype(object).where(whole.notna(), None)
    return list(plain.itertuples(index=False, name=None))


LEARNERS = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "forest": RandomForestClassifier(5, random_state=0),
    "boosted": AdaBoostClassifier(n_estimators=3),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_are_known_again(name: str) -> None:
    X, y = table(600)
    model = LEARNERS[name].fit(X[:400], y[:400]).model_
    found = model.seen(X, y)
    known = set(rows(X[:400], y[:400]))
    assert found.known
    assert not found.sampled
    assert found.equal.tolist() == [row in known for row in rows(X, y)]
    bare = model.seen(X)
    assert bare.equal.tolist() == [row in set(rows(X[:400])) for row in rows(X)]
    assert bare.n_equal > found.n_equal > 400
    other = np.where(y == "up", "down", "up")
    known_turned = [row in known for row in rows(X, other)]
    assert model.seen(X, other).equal.tolist() == known_turned


def test_numbers_are_targets_too() -> None:
    X, _ = table(300)
    y = np.round(np.random.default_rng(1).normal(size=300), 1)
    y[:2] = 0.0
    for learner in (DecisionTreeRegressor(max_depth=3), ExtraTreesRegressor(3, random_state=0)):
        model = learner.fit(X[:200], y[:200]).model_
        known = set(rows(X[:200], y[:200]))
        assert model.seen(X, y).equal.tolist() == [row in known for row in rows(X, y)]
        assert model.seen(X, -y).equal[:2].all()  # -0 is 0
        assert not model.seen(X[:50], y[:50] + 1e-9).n_equal


def test_values_count_not_what_holds_them() -> None:
    X = pd.DataFrame({"n": [1.0, -0.0, 3.0, math.nan], "s": ["u", "v", "u", None]})
    model = DecisionTreeClassifier().fit(X, [0, 1, 0, 1]).model_
    whole = pd.DataFrame({"s": pd.Categorical(["v", "u"]), "n": np.array([0, 3], np.int8)})
    assert model.seen(whole, [1, 0]).equal.tolist() == [True, True]
    assert model.seen([{"n": None, "s": None}, {"n": 1, "s": "u"}], [1, 0]).n_equal == 2
    assert model.seen(X.to_dict("list")).n_equal == 4
    one = {"n": [1.0000000000000002], "s": ["u"]}
    assert not model.seen(one, [0]).n_equal


def saved(model: Any, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["tree", "boosted"])
def test_the_file_is_the_same_in_any_order(name: str, tmp_path: Path) -> None:
    X, y = table(500)
    order = np.random.default_rng(3).permutation(500)
    first = LEARNERS[name].fit(X, y).model_
    path = tmp_path / "a.json"
    one = saved(first, path)
    assert saved(LEARNERS[name].fit(X.iloc[order], y[order]).model_, path) == one
    loaded = bosco.load(path)
    assert loaded.provenance["fingerprint"] == first.provenance["fingerprint"]
    assert loaded.seen(X, y).n_equal == 500


def test_threads_change_nothing() -> None:
    X = np.random.default_rng(0).normal(size=(60_000, 4))
    frame = Frame.read(X, Schema.infer(X))
    truth = (X[:, 0] > 0).astype(np.uint32)
    one, more = (Fingerprint.of(frame, truth, n).to_plain() for n in (1, 3))
    assert one == more


# More rows than are remembered ---------------------------------------------------------------


def test_of_many_rows_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 300)
    X, y = table(3000)
    X["d"] = np.arange(3000.0)  # all rows differ
    model = DecisionTreeClassifier(max_depth=2).fit(X[:2000], y[:2000]).model_
    kept = Fingerprint.read(model.provenance["fingerprint"])
    assert 290 < len(kept.keys) <= 300
    found = model.seen(X, y)
    assert found.sampled
    assert 350 < found.n_looked < 550  # three in twenty, of 3,000
    looked = np.flatnonzero(found.looked)
    assert (found.equal[looked] == (looked < 2000)).all()
    assert found.n_equal == len(kept.keys)
    assert "remembers a sample of its training rows" in str(found)
    # Rows that are there often count once: the same are kept.
    again = np.concatenate((np.arange(2000), np.arange(1500)))
    twice = DecisionTreeClassifier(max_depth=2).fit(X.iloc[again], y[again]).model_
    assert twice.provenance["fingerprint"] == model.provenance["fingerprint"]


def test_few_different_rows_are_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 50)
    X = {"x": np.arange(4000) % 40}
    model = DecisionTreeClassifier().fit(X, np.arange(4000) % 2).model_
    assert not model.seen(X).sampled
    assert model.seen({"x": np.arange(50)}).n_equal == 40


def test_two_fingerprints_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 100)
    X = np.random.default_rng(0).normal(size=(900, 2))
    frame = Frame.read(X, Schema.infer(X))

    def of(part: slice) -> Fingerprint:
        return Fingerprint.of(Frame.read(X[part], frame.schema), np.zeros(len(X[part]), np.uint32))

    whole = of(slice(None))
    joint = of(slice(300)).joined(of(slice(200, 900)))
    assert joint.to_plain() == whole.to_plain()
    few = of(slice(50)).joined(of(slice(40, 80)))
    assert few.to_plain() == of(slice(80)).to_plain()


# Which rows those are --------------------------------------------------------------------------


def test_rows_that_chose_the_tree_are_remembered() -> None:
    X, y = table(300)
    X["d"] = np.arange(300.0)
    share = DecisionTreeClassifier(pruning=ReducedError(0.3)).fit(X, y).model_
    assert share.provenance["rows"] == 210
    assert share.seen(X, y).n_equal == 300
    given = ReducedError(validation=(X[100:200], y[100:200]))
    model = DecisionTreeClassifier(pruning=given).fit(X[:100], y[:100]).model_
    assert np.flatnonzero(model.seen(X, y).equal).tolist() == list(range(200))
    plain = DecisionTreeClassifier().fit(X[:100], y[:100]).model_
    assert plain.seen(X, y).n_equal == 100
    assert plain.prune(given).seen(X, y).n_equal == 200
    assert plain.prune("same_answer").seen(X, y).n_equal == 100
    held = AdaBoostClassifier(early_stopping=True, n_estimators=5, random_state=0)
    assert held.fit(X, y).model_.seen(X, y).n_equal == 300


def test_rows_of_weight_0_are_absent() -> None:
    X, y = table(100)
    X["d"] = np.arange(100.0)
    weight = np.arange(100) % 3
    for learner in (DecisionTreeClassifier(), AdaBoostClassifier(n_estimators=2)):
        model = learner.fit(X, y, sample_weight=weight).model_
        assert (model.seen(X, y).equal == (weight > 0)).all()


def test_a_warm_start_remembers_both_fits() -> None:
    X, y = table(200)
    X["d"] = np.arange(200.0)
    forest = RandomForestClassifier(2, warm_start=True, random_state=0).fit(X[:120], y[:120])
    forest.set_params(n_estimators=4).fit(X[80:], y[80:])
    assert forest.model_.seen(X, y).n_equal == 200
    assert forest.model_.tree(0).seen(X, y).n_equal == 200


# Without --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_it_can_be_switched_off(name: str) -> None:
    X, y = table(60)
    learner = LEARNERS[name]
    model = type(learner)(**(learner.get_params(deep=False) | {"fingerprint": False})).fit(X, y)
    found = model.model_.seen(X, y)
    assert "fingerprint" not in model.model_.provenance
    assert not found.known
    assert str(found) == "This model does not remember its training rows."
    with pytest.raises(bosco.ParameterError, match="fingerprint"):
        type(learner)(fingerprint="yes").fit(X, y)


def test_one_tree_of_a_large_table_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(60)
    monkeypatch.setattr(base, "RECORD_CELLS", 4 * 60 - 1)
    assert not DecisionTreeClassifier().fit(X, y).model_.seen(X, y).known
    assert DecisionTreeClassifier(fingerprint=True).fit(X, y).model_.seen(X, y).known


def test_older_files_remember_nothing() -> None:
    folders = [HERE / "models" / version for version in ("v1", "v2")]
    old = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    models = [bosco.load(path) for path in old if json.loads(path.read_text()).get("format")]
    assert models
    for model in models:
        assert "fingerprint" not in model.provenance


@pytest.mark.parametrize(
    "said",
    [
        7,
        {},
        {"below": 2**32, "keys": "###"},
        {"below": 2**32, "keys": "AAAA"},
        {"below": 2**33, "keys": ""},
        {"below": True, "keys": ""},
        {"below": 2**32, "keys": "AAAAAAAAAAAAAA=="},  # a key twice
        {"below": 1, "keys": "AAEAAAA="},  # not below
    ],
)
def test_what_is_none_is_refused(said: Any, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"provenance\.fingerprint"):
        Fingerprint.read(said)
    X, y = table(20)
    path = tmp_path / "m.json"
    DecisionTreeClassifier(max_depth=1).fit(X, y).model_.save(path)
    content = json.loads(path.read_text())
    content["provenance"]["fingerprint"] = said
    path.write_text(json.dumps(content))
    with pytest.raises(ModelError):
        bosco.load(path)


def test_it_is_small(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(50_000, 3))
    model = DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 0).model_
    assert len(Fingerprint.read(model.provenance["fingerprint"]).keys) == fingerprint.MOST
    model.save(tmp_path / "m.json")
    assert (tmp_path / "m.json").stat().st_size < 140_000


def test_sentences() -> None:
    X, y = table(30)
    X["d"] = np.arange(30.0)
    model = DecisionTreeClassifier().fit(X, y).model_
    both = "in every column and the target."
    assert str(model.seen(X[:5], y[:5])) == f"All 5 rows equal training rows {both}"
    assert str(model.seen(X[:1], y[:1])) == f"1 of 1 rows equals a training row {both}"
    far = X.assign(d=99.0)
    assert str(model.seen(far, y)) == f"None of 30 rows equals a training row {both}"
    mixed = pd.concat([X, far[:20]])
    assert str(model.seen(mixed)) == "30 of 50 rows equal training rows in every column."
    assert model.seen(mixed).to_dict() == {"rows": 50, "looked_at": 50, "equal_training_rows": 30}


def test_an_unknown_level_is_no_missing_value() -> None:
    """It has the code of a missing one, and equals no row that was learned from."""
    X = {"k": ["p", "q", None, "p", "q"], "v": [1, 2, 3, 4, 5]}
    model = DecisionTreeClassifier().fit(X, ["a", "b", "a", "a", "b"]).model_
    found = model.seen({"v": [3, 3, 1], "k": ["zzz", None, "p"]}, ["a", "a", "a"])
    assert found.equal.tolist() == [False, True, True]
    assert model.judge({"k": ["zzz"], "v": [3]}, ["a"]).test is not None
    whole = model.recount({"k": ["zzz", "zzz"], "v": [3, 3]}, ["a", "a"], [0, 2])
    assert whole.whose == "1 rows that equal no training row"


def test_what_is_told_of_some_rows_is_not_said_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "MOST", 100)
    X = np.random.default_rng(0).random((2000, 2))
    y = np.where(X[:, 0] > 0.5, "up", "down")
    model = DecisionTreeClassifier().fit(X[:1000], y[:1000]).model_
    hidden = 1000 + np.flatnonzero(~model.seen(X[1000:], y[1000:]).looked)[:50]
    known = np.flatnonzero(model.seen(X[:1000], y[:1000]).equal)[:2]
    rows = np.r_[hidden, known]
    found = model.seen(X[rows], y[rows])
    assert (found.state, found.sampled) == ("learned", True)
    assert found.whose == (
        "the 52 rows given (of the 2 that can be told of, all equal training rows)"
    )
    counted = model.recount(X[rows], y[rows])
    assert "no test" not in str(counted)
    assert "From the 52 rows given (of the 2 that can be told of, all equal" in str(counted)
