"""What people did, in a model file: kept whole in both forms, and refused where it is odd."""

import io
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, play_tennis
from bosco.errors import ModelError
from bosco.models.model import Model
from bosco.store import files
from bosco.tree.edits import Edits, Order
from tests.edited import edited, leaves


def tennis() -> Model:
    return edited(DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_)


def saved(model: Model, form: Any) -> bytes:
    file = io.BytesIO()
    model.save(file, form=form)
    return file.getvalue()


def numbers() -> Model:
    X = [[float(i)] for i in range(20)]
    return edited(DecisionTreeRegressor(max_depth=3).fit(X, [i % 5 / 3 for i in range(20)]).model_)


@pytest.mark.parametrize("form", ["json", "binary"])
@pytest.mark.parametrize("make", [tennis, numbers])
def test_edits_are_kept_in_both_forms(make: Callable[[], Model], form: str) -> None:
    model = make()
    data = saved(model, form)
    again = bosco.load(io.BytesIO(data))
    assert isinstance(again, Model)
    assert again.edits == model.edits
    assert str(again) == str(model)
    assert saved(again, form) == data


@pytest.mark.parametrize("make", [tennis, numbers])
def test_edits_are_kept_in_pickles(make: Callable[[], Model]) -> None:
    model = make()
    again = pickle.loads(pickle.dumps(model))
    assert again.edits == model.edits
    assert str(again) == str(model)


def test_a_pickle_of_odd_edits_is_refused() -> None:
    model = replace(tennis(), edits=Edits(orders={0: Order(0, "")}))
    data = pickle.dumps(model)
    with pytest.raises(ModelError, match="only leaves answer"):
        pickle.loads(data)


def test_the_version_says_that_there_are_edits() -> None:
    model = tennis()
    assert json.loads(saved(model, "json"))["version"] == 3
    plain = replace(model, edits=Edits())
    said = json.loads(saved(plain, "json"))
    assert "edits" not in said
    assert said["version"] < 3


def test_an_answer_of_a_real_target_is_a_number_whatever_its_type() -> None:
    model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [0.5, 1.5]).model_
    whole = replace(model, edits=Edits(orders={1: Order(3, "")}))
    again = bosco.load(io.BytesIO(saved(whole, "json")))
    assert again.predict([[0.0]]).tolist() == [3.0]
    assert saved(again, "json") == saved(whole, "json")


Change = Callable[[dict[str, Any]], Any]


def put(*path: Any, value: Any) -> Change:
    def change(said: dict[str, Any]) -> None:
        at: Any = said["edits"]
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return change


ODD: dict[str, tuple[Change, str]] = {
    "not a mapping": (lambda said: said.update(edits=[]), "a mapping is wanted"),
    "nothing": (
        lambda said: said.update(edits={k: [] for k in said["edits"]}),
        "there are none: leave it out",
    ),
    "no log": (lambda said: said["edits"].pop("log"), "it lacks 'log'"),
    "unknown key": (put("why", value=[]), "unknown key 'why'"),
    "no such node": (put("notes", 1, "node", value=99), "there is no node 99"),
    "negative node": (put("notes", 0, "node", value=-1), "a whole number from 0"),
    "a truth value": (put("notes", 0, "node", value=True), "a whole number from 0"),
    "a test of a leaf": (put("chosen", 1, "node", value=7), "node 7 has no test"),
    "an order within": (put("orders", 0, "node", value=0), "only leaves answer"),
    "no such class": (put("orders", 0, "answer", value=2), "there is no class 2"),
    "a broken answer": (put("orders", 0, "answer", value=0.5), "a whole number from 0"),
    "a reason": (put("orders", 0, "reason", value=None), "a text is wanted"),
    "twice": (
        lambda said: said["edits"]["notes"].append(said["edits"]["notes"][-1]),
        "in order, each once",
    ),
    "locked": (put("locked", value=[3, 3]), "in order, each once"),
    "locked, no node": (put("locked", value=[8]), "there is no node 8"),
    "a loss": (put("chosen", 0, "loss", value="much"), "a finite number is wanted"),
    "a changed log": (put("log", 0, "who", value="Bert"), "entry 1 does not follow"),
    "an omitted entry": (lambda said: said["edits"]["log"].pop(0), "entry 1 does not follow"),
    "half a character": (put("log", 0, "who", value="\ud800"), "edits.log"),
    "a deep log": (
        put("log", 0, "who", value=[[[[[[[[[[[[["deep"]]]]]]]]]]]]]),
        "it is nested too deep",
    ),
    "no entry": (put("log", 0, value=3), "a mapping is wanted"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_edits_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any hash: that of the file protects nothing."""
    monkeypatch.setattr(files, "refuse_hash", lambda *_: None)
    change, message = ODD[name]
    said = json.loads(saved(tennis(), "json"))
    change(said)
    with pytest.raises(ModelError, match=message):
        bosco.load(io.BytesIO(json.dumps(said).encode()))


def test_a_forest_has_no_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "refuse_hash", lambda *_: None)
    forest = bosco.RandomForestClassifier(n_estimators=2, random_state=0).fit(*golf()).model_
    said = json.loads(saved(forest, "json"))
    said["edits"] = json.loads(saved(tennis(), "json"))["edits"]
    with pytest.raises(ModelError, match="unknown key 'edits'"):
        bosco.load(io.BytesIO(json.dumps(said).encode()))


def test_a_test_by_hand_need_not_be_a_candidate() -> None:
    """The learner's best test of the column may be another than the one that a person chose."""
    model = DecisionTreeClassifier(max_depth=2).fit(*golf()).model_
    said = json.loads(saved(edited(model), "json"))
    assert 0 in {by["node"] for by in said["edits"]["chosen"]}
    ends = leaves(model)
    assert len(ends) > 1
    column = said["nodes"][0]["test"]["column"]
    candidates = [c for c in said["candidates"] if c["node"] != 0 or c["column"] != column]
    said["candidates"] = candidates
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "refuse_hash", lambda *_: None)
        assert bosco.load(io.BytesIO(json.dumps(said).encode())).n_leaves == model.n_leaves
        del said["edits"]
        with pytest.raises(ModelError, match="its test is not among its candidates"):
            bosco.load(io.BytesIO(json.dumps(said).encode()))
