"""Declared bounds of numbers."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.data.schema import Schema
from bosco.errors import DataError, ModelError, ParameterError

AGES = {"age": [20.0, 35.0, None, 60.0], "ward": [1, 2, 1, 2]}
Y = [0, 0, 1, 1]


def fit(X: Any = AGES, **domains: Any) -> Any:
    return DecisionTreeClassifier(domains=domains).fit(X, Y).model_


def test_the_tree_is_the_same_and_tells_them() -> None:
    model = fit(age=(12, 90))
    assert model.schema.columns[0].bounds == (12.0, 90.0)
    said = "Declared: age from 12 to 90. What is outside is read as it is."
    assert said in str(model).splitlines()
    plain = DecisionTreeClassifier().fit(AGES, Y).model_
    assert str(model).splitlines()[:-2] == str(plain).splitlines()


@pytest.mark.parametrize("wrong", [11.9, 90.1, np.inf, -np.inf])
def test_what_is_outside_is_refused_in_training(wrong: float) -> None:
    with pytest.raises(DataError, match=r"Column 'age', row 2: \S+ is not in its declared domain"):
        fit({"age": [20, 35, wrong, 60]}, age=(12, 90))
    with pytest.raises(DataError, match="row 2"):
        RandomForestClassifier(domains={0: (12, 90)}).fit([[20], [35], [wrong], [60]], Y)


@pytest.mark.parametrize("at", [12, 90])
def test_the_ends_are_inside(at: float) -> None:
    fit({"age": [20, 35, at, 60]}, age=(12, 90))


def test_in_predicting_it_is_read_as_it_is_and_explained() -> None:
    model = fit(age=(12, 90))
    assert model.predict({"age": 200.0, "ward": 1}) == model.predict({"age": 90.0, "ward": 1})
    (met,) = model.explain({"age": 200.0, "ward": 1}).unknown
    assert (met.column, met.missing) == ("age", False)
    assert met.handled == "is outside what was declared, 12 to 90, and is read as it is"
    assert model.explain({"age": 50.0, "ward": 1}).unknown == ()


def test_files_and_pickles_keep_them(tmp_path: Path) -> None:
    model = fit(age=(12, 90.5))
    model.save(tmp_path / "m.json")
    for back in (bosco.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert back.schema == model.schema
        assert str(back) == str(model)


@pytest.mark.parametrize(
    "bounds", [[1], [2, 1], ["a", "b"], [1, None], 5, [0, float("inf")], [True, 2]]
)
def test_a_file_may_not_say_anything(bounds: Any) -> None:
    said = Schema.infer({"a": [1.0]}, domains={"a": (0, 2)}).to_dict()
    said["columns"][0]["bounds"] = bounds
    with pytest.raises(ModelError, match="bounds of column 'a'"):
        Schema.from_dict(said)


def test_what_cannot_be_bounds() -> None:
    with pytest.raises(ParameterError, match=r"the least and the largest.*Got \(90, 12\)"):
        fit(age=(90, 12))
    with pytest.raises(ParameterError, match=r"such as .a.\. Hint: a list declares levels"):
        fit({"age": ["a", "b", "a", "b"]}, age=(1, 2))
    dates = {"age": np.array(["2020-01-01"] * 4, "datetime64[D]")}
    with pytest.raises(ParameterError, match="a date has no bounds"):
        fit(dates, age=(1, 2))


def test_levels_are_levels_still() -> None:
    assert fit(ward=[1, 2, 3]).schema.columns[1].levels == (1, 2, 3)
    nominal = DecisionTreeClassifier(categorical_features=["ward"], domains={"ward": (1, 2)})
    assert nominal.fit(AGES, Y).model_.schema.columns[1].levels == (1, 2)


@pytest.mark.parametrize("domain", [5, None, (12, 10**400)])
def test_domains_that_are_none(domain: Any) -> None:
    with pytest.raises(ParameterError, match=r"domains\['age'\]"):
        DecisionTreeClassifier(domains={"age": domain}).fit({"age": [20, 30, 40, 50]}, list("aabb"))
