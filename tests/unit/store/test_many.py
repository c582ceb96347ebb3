"""Forests and score tables in files: what comes back, and what is refused."""

import io
import json
import pickle
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    ModelError,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import loans
from tests.test_files import many_trees, median_forests, table

FORMS = ("json", "binary")
MODELS = many_trees() | median_forests()


def written(model: Any, form: Any = "json") -> bytes:
    file = io.BytesIO()
    model.save(file, form=form)
    return file.getvalue()


def loaded(data: bytes) -> Any:
    return bosco.load(io.BytesIO(data))


def answers(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.points(X)


# What is kept ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MODELS)
def test_everything_comes_back(name: str, form: str) -> None:
    model = MODELS[name]
    again = loaded(written(model, form))
    assert type(again) is type(model)
    assert str(again) == str(model)
    assert (again.schema, again.growth) == (model.schema, model.growth)
    assert dict(again.provenance) == dict(model.provenance)
    assert answers(again, table()).tobytes() == answers(model, table()).tobytes()
    for other in FORMS:  # whatever form it came by
        assert written(again, other) == written(model, other)
        assert written(pickle.loads(pickle.dumps(again)), other) == written(model, other)
    if isinstance(model, bosco.ForestModel):
        assert again.digest() == model.digest()


def test_both_forms_have_one_hash() -> None:
    for model in MODELS.values():
        binary = written(model, "binary")
        length = int.from_bytes(binary[:8], "little")
        header = json.loads(json.loads(binary[8 : 8 + length])["__metadata__"]["bosco"])
        assert header["hash"] == json.loads(written(model))["hash"]


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "error"])
@pytest.mark.parametrize("nominal_test", ["multiway", "subset", "group", "one_vs_rest"])
def test_no_sound_forest_is_refused(missing: str, nominal_test: str) -> None:
    X = table(missing=0.0 if missing == "error" else 0.2)
    settings: dict[str, Any] = {"missing": missing, "nominal_test": nominal_test}
    y = [("a", "b", "c")[i * i % 7 % 3] for i in range(48)]
    for learner in (
        RandomForestClassifier(3, random_state=1, criterion="log_loss", **settings),
        ExtraTreesClassifier(3, random_state=1, class_weight="balanced", missing=missing),
        RandomForestRegressor(3, random_state=1, **settings),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2, **settings), n_estimators=3),
    ):
        target = np.arange(48) % 13 / 7 if isinstance(learner, RandomForestRegressor) else y
        weight = [0.25 + i % 3 for i in range(48)]
        model = learner.fit(X, target, sample_weight=weight).model_
        for form in FORMS:
            assert written(loaded(written(model, form)), form) == written(model, form)


def test_a_large_forest_is_compact() -> None:
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.repeat(X, 20, axis=0) + rng.normal(size=(len(X) * 20, 13))
    model = (
        RandomForestClassifier(20, random_state=0).fit(X, rng.permutation(np.repeat(y, 20))).model_
    )
    data = written(model, "binary")
    assert len(data) < 12 * model.native.n_nodes
    assert loaded(data).digest() == model.digest()


def test_estimators_by_pickle() -> None:
    X, y = loans()
    for learner in (RandomForestClassifier(3, random_state=0), AdaBoostClassifier(n_estimators=3)):
        fitted = learner.fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        assert (again.predict_proba(X) == fitted.predict_proba(X)).all()
        assert written(again.model_) == written(fitted.model_)


def test_learners_of_others_have_no_table() -> None:
    X, y = load_wine(return_X_y=True)
    boosted = AdaBoostClassifier(GaussianNB(), n_estimators=2).fit(X[:, :2], y)
    with pytest.raises(AttributeError, match=r"only trees of bosco.*GaussianNB"):
        _ = boosted.model_


# What is refused ------------------------------------------------------------------------------


def changed(model: Any, change: Any) -> bytes:
    said = json.loads(written(model))
    change(said)
    data = json.dumps(said).encode()
    try:
        loaded(data)
    except ModelError as error:
        if "it has sha256:" in str(error):
            said["hash"] = str(error).split("it has ")[1].split(",")[0]
    return json.dumps(said).encode()


def nodes(said: Any, tree: int = 0) -> Any:
    return said["trees" if "trees" in said else "lines"][tree]["nodes"]


def leaf(said: Any) -> Any:
    return next(node for node in nodes(said) if "test" not in node)


FOREST: dict[str, tuple[str, Any]] = {
    "other kind": ("lacks 'pruning', 'nodes'", lambda s: s.update(kind="tree")),
    "vote": ("vote: one of 'mean', 'mode'", lambda s: s.update(vote="median")),
    "no trees": ("trees: there is none", lambda s: s["trees"].clear()),
    "no nodes": ("one has no nodes", lambda s: nodes(s).clear()),
    "tree number": (r"trees\[1\].tree: a whole", lambda s: s["trees"][1].update(tree=5)),
    "weights": ("together 1", lambda s: s["trees"][0].update(weight=0.9)),
    "weight": ("not negative", lambda s: [t.update(weight=w) for t, w in
                                          zip(s["trees"], (-0.5, 0.5, 0.5, 0.5), strict=True)]),
    "no weight": (r"trees\[0\].weight: a finite", lambda s: s["trees"][0].update(weight="nan")),
    "count_scale": ("unknown key 'count_scale'", lambda s: s["scales"].update(count_scale=1.0)),
    "scale": ("scales: one is out", lambda s: s["scales"].update(weight_scale=0.0)),
    "criterion": ("growth", lambda s: s["growth"].update(criterion="squared_error")),
    "missing": ("not of forests", lambda s: s["growth"].update(missing="fractional")),
    "unknown key": ("unknown key 'gain'", lambda s: nodes(s)[0].update(gain=1.0)),
    "node number": (r"trees\[0\].nodes\[1\].node", lambda s: nodes(s)[1].update(node=2)),
    "child": (r"nodes\[0\].first_child", lambda s: nodes(s)[0].update(first_child=0)),
    "two parents": ("parents than one", lambda s: next(
        n for n in nodes(s)[1:] if "test" in n).update(first_child=len(nodes(s)) - 2)),
    "orphan": ("children do not fit", lambda s: nodes(s).append(
        dict(leaf(s), node=len(nodes(s))))),
    "column": ("there is no column", lambda s: nodes(s)[0]["test"].update(column="nobody")),
    "no threshold": (r"test.thresholds: there is none", lambda s: next(
        n for n in nodes(s) if "thresholds" in n.get("test", ()))["test"].update(
            thresholds=[], missing=1)),
    "branch": ("no such branch", lambda s: nodes(s)[0]["test"].update(missing=9)),
    "tally": ("a list of 3 numbers", lambda s: leaf(s).update(tally=[1, 2])),
    "negative": ("not above 0", lambda s: leaf(s).update(tally=[-1, 0, 0])),
    "fraction": ("whole number", lambda s: leaf(s).update(tally=[0.5, 0, 0])),
    "64 bits": ("64 bits", lambda s: leaf(s).update(tally=[2**63, 0, 0])),
    "sum of 64 bits": ("62 bits", lambda s: [
        n.update(tally=[2**62, 0, 0]) for n in nodes(s) if "test" not in n]),
    "wrapping": ("passes 64 bits", lambda s: leaf(s).update(tally=[2**62, 2**62, 2**62])),
    "no rows": ("no rows", lambda s: [
        n.update(tally=[0, 0, 0]) for n in nodes(s) if "test" not in n]),
    "a leaf alone": ("no rows", lambda s: s["trees"][0].update(
        nodes=[{"node": 0, "tally": [0, 0, 0]}])),
}  # fmt: skip


@pytest.mark.parametrize("case", FOREST)
def test_unsound_forests_are_refused_with_a_place(case: str) -> None:
    what, change = FOREST[case]
    with pytest.raises(ModelError, match=what):
        loaded(changed(MODELS["forest"], change))


MEDIANS: dict[str, tuple[str, Any]] = {
    "no value": (r"trees\[1\]: it lacks 'value'", lambda s: s["trees"][1].pop("value")),
    "no list": (r"trees\[0\].gain: a list", lambda s: s["trees"][0].update(gain=1)),
    "a word": ("trees, value 1: a number", lambda s: s["trees"][0]["value"].__setitem__(1, "a")),
    "endless": (r"nodes\[1\].value: it is not finite",
                lambda s: s["trees"][0]["value"].__setitem__(1, "inf")),
    "one more": ("value: one for each node", lambda s: s["trees"][0]["value"].append(1.0)),
    "gains": ("gain: one for each inner node", lambda s: s["trees"][0]["gain"].pop()),
    "a loss": (r"nodes\[0\].gain: it is negative",
               lambda s: s["trees"][0]["gain"].__setitem__(0, -1.0)),
    "empty": ("does not say what its parent says", lambda s: [
        t["value"].__setitem__(n["node"], 77.0) for t in s["trees"] for n in t["nodes"]
        if n.get("tally") == [0, 0]]),
    "of means": ("unknown key 'value'", lambda s: s["growth"].update(criterion="squared_error")),
}  # fmt: skip


@pytest.mark.parametrize("case", MEDIANS)
def test_unsound_medians_are_refused_with_a_place(case: str) -> None:
    what, change = MEDIANS[case]
    model = MODELS["medians_forest"]
    assert (model.native.state()["first"] == -2).any()
    with pytest.raises(ModelError, match=what):
        loaded(changed(model, change))
    with pytest.raises(ModelError, match="lacks the array 'gain'"):
        loaded(arrays_changed(model, lambda a: a.pop("gain")))


TABLE: dict[str, tuple[str, Any]] = {
    "no lines": ("lines: there is none", lambda s: s["lines"].clear()),
    "no classes": ("lines|classes|growth", lambda s: s.update(classes=None)),
    "rounds": (r"lines\[0\].rounds", lambda s: s["lines"][0].update(rounds=0)),
    "vote": ("unknown key 'vote'", lambda s: s.update(vote="mean")),
    "points": ("a list of 3 numbers", lambda s: leaf(s).update(points=[1])),
    "fraction": ("whole number", lambda s: leaf(s).update(points=[1.5, 0, 0])),
    "huge": ("pass 62 bits", lambda s: leaf(s).update(points=[2**62, 0, 0])),
    "least": ("pass 62 bits", lambda s: leaf(s).update(points=[-(2**63), 0, 0])),
    "tally": ("lacks 'points'", lambda s: leaf(s).update(tally=leaf(s).pop("points"))),
    "threshold": ("out of range", lambda s: nodes(s)[0]["test"].update(
        thresholds=["inf"], missing=0)),
    "child": (r"lines\[0\].nodes\[0\].first_child", lambda s: nodes(s)[0].update(first_child=9)),
    "missing": ("not of points|not what", lambda s: s["growth"].update(missing="fractional")),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE)
def test_unsound_tables_are_refused_with_a_place(case: str) -> None:
    what, change = TABLE[case]
    with pytest.raises(ModelError, match=what):
        loaded(changed(MODELS["boosted_three"], change))


def arrays_changed(model: Any, change: Any) -> bytes:
    data = written(model, "binary")
    length = int.from_bytes(data[:8], "little")
    about = json.loads(data[8 : 8 + length])["__metadata__"]
    arrays = {name: array.copy() for name, array in safetensors.numpy.load(data).items()}
    change(arrays)
    changed_bytes: bytes = safetensors.numpy.save(arrays, about)
    return changed_bytes


ARRAYS: dict[str, tuple[str, Any]] = {
    "unknown": ("unknown array 'odd'", lambda a: a.update(odd=np.zeros(1))),
    "lacks": ("lacks the array 'threshold'", lambda a: a.pop("threshold")),
    "nodes": ("do not add up", lambda a: a["nodes"].__setitem__(0, 250)),
    "too many nodes": ("do not add up", lambda a: a.update(nodes=np.array([2**62, 2**62]))),
    "first": ("children|parents|leaf|hash", lambda a: a["first"].__setitem__(0, 2)),
    "mark": ("marked wrongly", lambda a: a["first"].__setitem__(int(np.argmin(a["first"])), -3)),
    "no such tally": ("no such tally", lambda a: a["tally"].__setitem__(0, 250)),
    "a tally twice": ("twice", lambda a: a["tallies"].__setitem__(1, a["tallies"][0])),
    "order": ("first use", lambda a: a.update(tally=a["tally"].max() - a["tally"])),
    "unused": ("first use", lambda a: a.update(tallies=np.vstack([a["tallies"], [[9, 9, 9]]]))),
    "column": ("no such column", lambda a: a["column"].__setitem__(0, 200)),
    "huge column": ("out of range", lambda a: a.update(
        column=a["column"].astype(np.uint32) + (1 << 30))),
    "threshold": ("NaN", lambda a: a["threshold"].__setitem__(0, np.nan)),
    "kind": ("another type", lambda a: a.update(threshold=a["threshold"].view(int))),
    "width": ("another shape", lambda a: a.update(tallies=a["tallies"][:, :2].copy())),
    "other": ("0 or 1", lambda a: a.update(other=np.full(len(a["other"]), 2, np.uint8))),
    "empty leaf": ("without rows", lambda a: a["tally"].__setitem__(
        np.flatnonzero(a["first"][a["first"] < 0] == -2)[-1], 0)),
    "hash": ("damaged", lambda a: a["tree_weights"].__setitem__(
        slice(None), a["tree_weights"][::-1].copy())),
}  # fmt: skip


@pytest.mark.parametrize("case", ARRAYS)
def test_unsound_arrays_are_refused(case: str) -> None:
    what, change = ARRAYS[case]
    with pytest.raises(ModelError, match=what):
        loaded(arrays_changed(MODELS["forest_mode"], change))


def test_few_bytes_cannot_ask_for_much_memory() -> None:
    """Leaves share a tally, so that nodes times classes may be more than the file holds."""
    data = written(RandomForestClassifier(1).fit([[1.0], [2.0]], ["a", "a"]).model_, "binary")
    length = int.from_bytes(data[:8], "little")
    header = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["bosco"])
    header["classes"]["labels"] = [f"c{i}" for i in range(5000)]
    n = 50_001  # a tree of them in full: 250 million numbers
    first = np.array([2 * i + 1 if i < n // 2 else -1 for i in range(n)], np.int32)
    inner = n // 2
    arrays = {
        "first": first,
        "nodes": np.array([n]),
        "column": np.zeros(inner, np.uint8),
        "missing": np.zeros(inner, np.uint8),
        "threshold": np.zeros(inner),
        "tally": np.zeros(n - inner, np.uint8),
        "tallies": np.ones((1, 5000), np.uint8),
        "tree_weights": np.ones(1),
    }
    data = safetensors.numpy.save(arrays, {"bosco": json.dumps(header)})
    with pytest.raises(ModelError, match="nodes times classes"):
        loaded(data)


def test_every_truncation_is_refused() -> None:
    for name, form in (("forest", "binary"), ("boosted", "binary"), ("boosted", "json")):
        data = written(MODELS[name], form)
        for end in range(0, len(data) - 2, 97):
            with pytest.raises(ModelError):
                loaded(data[:end])


def test_pickles_are_checked() -> None:
    rebuild, (state, schema, classes, growth, *rest) = MODELS["forest"].__reduce__()
    with pytest.raises(ModelError, match="not of forests"):
        rebuild(state, schema, classes, growth | {"missing": "surrogate"}, *rest)
    with pytest.raises(ModelError, match="do not add up"):
        rebuild(state | {"begin": np.array([0, 2**40, len(state["first"])])}, schema, classes,
                growth, *rest)  # fmt: skip
    with pytest.raises(ModelError, match="another type"):
        rebuild(state | {"what": state["what"].astype(float)}, schema, classes, growth, *rest)
    rebuild, (lines, *about) = MODELS["boosted"].__reduce__()
    tree, points, rounds = lines[0]
    with pytest.raises(ModelError, match="points for each leaf"):
        rebuild([(tree, points[:1], rounds)], *about)


def test_the_core_refuses_overlapping_children() -> None:
    """Two nodes that share a child leave another without a parent: no index may go wild."""
    state: Any = RandomForestClassifier(1, random_state=0).fit(*load_wine(return_X_y=True))
    state = state.model_.native.state()
    n = len(state["first"])
    inner = np.flatnonzero(state["first"] >= 0)
    assert len(inner) >= 2
    first = state["first"].copy()
    first[inner[1]] = first[inner[-1]]
    with pytest.raises(bosco._core.CoreError, match="two parents"):
        bosco._core.forest_from_state(state | {"first": first})
    with pytest.raises(bosco._core.CoreError, match="empty or too large"):
        bosco._core.forest_from_state(state | {"begin": np.array([0, n + 50, n])})
