"""PMML beyond the contract test: it fits the schema of PMML 4.4, and says why it refuses."""

from __future__ import annotations

import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, loans
from bosco.errors import ModelError
from bosco.export.pmml import _records
from tests.contract.kinds import KINDS
from tests.contract.runners import AbsentError, run_pmml

SPACE = {"p": "http://www.dmg.org/PMML-4_4"}


def fitted(X: Any, y: Any, **settings: Any) -> Any:
    return DecisionTreeClassifier(**settings).fit(X, y).model_


def answers(model: Any, points: dict[str, list[Any]]) -> Any:
    try:
        return run_pmml(model, points)
    except AbsentError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("kind", KINDS)
def test_it_fits_the_schema(kind: str) -> None:
    """The schema is in the jar of the evaluator."""
    etree = pytest.importorskip("lxml.etree")
    home = Path(pytest.importorskip("jpmml_evaluator").__file__).parent
    jar = next(home.glob("dependencies/pmml-model-[0-9]*.jar"))
    schema = etree.XMLSchema(etree.fromstring(zipfile.ZipFile(jar).read("pmml.xsd")))
    try:
        text = KINDS[kind]().to_pmml()
    except ModelError:
        pytest.skip("refused")
    schema.assertValid(etree.fromstring(text.encode()))


def test_a_small_tree() -> None:
    model = fitted({"x": [1.0, 2.0, None]}, ["a", "b", "b"])
    root = ET.fromstring(model.to_pmml())
    assert root.get("version") == "4.4"
    top = root.find("p:TreeModel/p:Node", SPACE)
    assert top is not None
    first, second = top.findall("p:Node", SPACE)
    assert first.find("p:SimplePredicate", SPACE).attrib == {  # type: ignore[union-attr]
        "field": "x",
        "operator": "lessOrEqual",
        "value": "1.5",
    }
    assert second.find("p:True", SPACE) is not None
    assert [node.get("score") for node in (first, second)] == ["a", "b"]


@pytest.mark.parametrize(
    "labels", [[True, False], [3, 10], [1.0, 1e300], ["", " two\nlines "], ["1", "01"]]
)
def test_labels_of_any_kind(labels: list[Any]) -> None:
    model = fitted({"x": [1.0, 2.0, 3.0, 4.0]}, [labels[i] for i in (0, 0, 1, 1)])
    found, shares = answers(model, {"x": [1.0, 4.0]})
    assert found == labels
    assert shares.tolist() == model.predict_proba({"x": [1.0, 4.0]}).tolist()


def test_names_that_are_taken() -> None:
    columns = {"target": [1.0, 2.0], "target1": [5.0, 5.0], "probability(a)": [5.0, 5.0]}
    model = fitted(columns, ["a", "b"])
    names = [
        f.get("name") for f in ET.fromstring(model.to_pmml()).iter() if f.tag.endswith("Field")
    ]
    assert {"target2", "probability(a)_"} <= set(names)
    assert answers(model, columns)[0] == ["a", "b"]


def test_leaves_without_rows_say_what_is_above_them() -> None:
    X, y = golf()
    domains = {"outlook": ["sunny", "overcast", "rain", "hail"]}
    model = fitted(X, y, algorithm="id3", domains=domains)
    points: dict[str, list[Any]] = {name: [cells[0]] for name, cells in dict(X).items()}
    points["outlook"] = ["hail"]
    labels, shares = answers(model, points)
    assert labels == model.predict(points).tolist()
    assert shares.tolist() == model.predict_proba(points).tolist()


def test_weights_that_are_no_whole_numbers() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 5, 300)
    model = DecisionTreeClassifier(max_leaf_nodes=40).fit(X, y, rng.random(300)).model_
    points = {name: X[:, j].tolist() for j, name in enumerate(model.schema.names)}
    labels, shares = answers(model, points)
    assert labels == model.predict(X).tolist()
    assert (shares == model.predict_proba(X)).all()


def test_shares_that_are_no_parts_of_a_sum() -> None:
    shares = (0.2, 0.7, 0.1)  # what an evaluator divides by is 0.9999999999999999
    code: Any = SimpleNamespace(values=[shares])
    assert _records(code, 0, [2.0, 7.0, 1.0]) == [2.0, 7.0, 1.0]
    with pytest.raises(ModelError, match="no sum of float64"):
        _records(code, 0, [1.0, 1.0, 1.0])


def test_missing_values_may_be_refused() -> None:
    X = {"x": [1.0, 2.0, 3.0, 4.0], "a": ["p", "q", "p", "q"], "unused": [0.0, 0.0, 0.0, 0.0]}
    model = fitted(X, ["u", "v", "w", "v"], missing="error")
    assert model.to_pmml().count('missingValueTreatment="returnInvalid"') == 2
    labels, _ = answers(model, {"x": [1.0], "a": ["p"], "unused": [None]})
    assert labels == ["u"]


REFUSED: dict[str, tuple[str, Any]] = {
    "shares": ("several branches, in shares", lambda: fitted(*loans(), algorithm="c45")),
    "deep": ("levels deep", lambda: chain()),
    "control character": ("XML cannot hold", lambda: fitted({"a": ["\x01", "b"]}, [0, 1])),
    "half a character": ("XML cannot hold", lambda: fitted({"a": ["\ud800", "b"]}, [0, 1])),
    "two kinds": ("both text and numbers", lambda: fitted(
        {"a": ["x", "y"]}, [0, 1], domains={"a": ["x", "y", 3]})),
    "large numbers": (r"beyond 2\*\*53", lambda: fitted(
        pd.DataFrame({"id": pd.Categorical([2**53 + 1, 5])}), [0, 1])),
}  # fmt: skip


def chain() -> Any:
    """One level against the rest, again and again."""
    site = [f"s{i}" for i in range(600)] * 3
    y = [int(s[1:]) * 7919 % 13 % 2 for s in site]
    return fitted({"site": site}, y, nominal_test="one_vs_rest")


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    what, make = REFUSED[case]
    with pytest.raises(ModelError, match=what):
        make().to_pmml()


def test_a_real_target() -> None:
    model = DecisionTreeRegressor().fit([[1.0], [2.0], [3.0]], [0.1, -1e-9, 2 / 3]).model_
    labels, _ = answers(model, {"x0": [1.0, 2.0, 3.0, None]})
    assert labels == model.predict([[1.0], [2.0], [3.0], [np.nan]]).tolist()
