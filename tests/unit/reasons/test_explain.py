"""One case: what is said of it, and the smallest change that would alter the decision."""

import io
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ParameterError
from bosco.datasets import golf, play_tennis
from bosco.models.model import Model
from bosco.reasons.explain import wilson
from tests.fuzz.grammar import chain
from tests.fuzz.use import any_hash

CASE = {"outlook": "sunny", "temperature": 70, "humidity": 90, "windy": False}


@pytest.fixture(scope="module")
def model() -> Model:
    return DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_


@pytest.fixture(scope="module")
def iris() -> tuple[Model, pd.DataFrame]:
    X, y = load_iris(return_X_y=True, as_frame=True)
    return DecisionTreeClassifier().fit(X, y).model_, X


def test_ranges_are_merged(iris: tuple[Model, pd.DataFrame]) -> None:
    said = iris[0].explain(iris[1].iloc[77])
    assert said.ranges == (
        "sepal length (cm) ≤ 6.95",
        "petal length (cm) > 4.95",
        "1.55 < petal width (cm) ≤ 1.75",
    )
    assert "in short: sepal length (cm) ≤ 6.95 and" in str(said)


def test_shares_have_their_interval(model: Model) -> None:
    said = model.explain(CASE)
    low, high = said.intervals["Don't Play"]
    assert (round(low, 4), high) == (0.4385, 1.0)
    assert said.rival == ("Play", 0.0)
    shared = model.explain(CASE | {"outlook": None})
    assert shared.intervals == {}
    assert shared.rival is not None
    assert shared.rival[1] == pytest.approx(5 / 14)


def test_wilson_is_wilson() -> None:
    """Against the roots of the quadratic that defines it."""
    z = 1.959963984540054
    for share, n in [(0.1, 20), (0.5, 3), (0.93, 178)]:
        for p in wilson(share, n):
            assert (share - p) ** 2 == pytest.approx(z * z * p * (1 - p) / n)
    assert wilson(0.0, 5)[0] == 0.0
    assert wilson(1.0, 5)[1] == 1.0


@pytest.mark.parametrize(
    ("allow", "values"),
    [
        (None, {"humidity": 77.5}),
        (["humidity"], {"humidity": 77.5}),
        ({"humidity": "down"}, {"humidity": 77.5}),
        ({"humidity": "up"}, None),
        ({"humidity": (60, 75)}, {"humidity": 75.0}),
        ({"humidity": (78, 100)}, None),
        ("outlook", {"outlook": "overcast"}),
        ({"outlook": ["rain"]}, {"outlook": "rain"}),
        (["windy"], None),
        ([], None),
    ],
)
def test_only_what_is_allowed_changes(model: Model, allow: Any, values: Any) -> None:
    change = model.explain(CASE, allow=allow).change
    assert (None if change is None else change.values) == values


@pytest.mark.parametrize(
    ("allow", "message"),
    [
        (["humidty"], "Did you mean 'humidity'"),
        ({"outlook": "up"}, "list of levels"),
        ({"outlook": ["snow"]}, "none of the column's levels"),
        ({"humidity": "sideways"}, "pair"),
        ({"humidity": (3, 1)}, "pair"),
    ],
)
def test_bad_permissions_are_refused(model: Model, allow: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        model.explain(CASE, allow=allow)


def test_a_class_to_change_to(iris: tuple[Model, pd.DataFrame]) -> None:
    model, X = iris
    said = model.explain(X.iloc[77], to=0)
    assert said.change is not None
    assert said.change.prediction == 0
    assert said.change.values == {"petal length (cm)": 2.45}
    with pytest.raises(ParameterError, match="one of the classes"):
        model.explain(X.iloc[77], to=7)


def test_a_number_to_change_to() -> None:
    X, y = {"a": [1.0, 2.0, 3.0, 4.0]}, [10.0, 20.0, 30.0, 40.0]
    model = DecisionTreeRegressor().fit(X, y).model_
    change = model.explain({"a": 1.0}, to=(25, 35)).change
    assert change is not None
    assert (change.prediction, change.values) == (30.0, {"a": math.nextafter(2.5, 3)})
    assert model.explain({"a": 1.0}, to=(41, 50)).change is None
    with pytest.raises(ParameterError, match="pair"):
        model.explain({"a": 1.0}, to=30.0)


def test_the_nearer_of_two_ways_is_taken() -> None:
    """Two columns could flip it; the distance, in spans of their thresholds, decides."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 10, 400), "b": rng.uniform(0, 1000, 400)})
    y = (X["a"] > 5) & (X["b"] > 500)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y).model_
    near_a = model.explain({"a": 5.2, "b": 900.0}).change
    near_b = model.explain({"a": 9.0, "b": 505.0}).change
    assert near_a is not None
    assert near_b is not None
    assert list(near_a.values) == ["a"]
    assert list(near_b.values) == ["b"]


def test_dates_change_to_dates() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05", "2020-01-07"] * 2)
    for day in (days, days.date, days.tz_localize("UTC")):
        model = DecisionTreeClassifier().fit({"day": list(day)}, [0, 0, 1, 1] * 2).model_
        said = model.explain({"day": day[0]})
        assert said.change is not None
        assert model.predict({"day": said.change.values["day"]}) == 1


def test_what_was_missing_is_told(model: Model) -> None:
    fog = model.explain(CASE | {"outlook": "fog"})
    (unknown,) = fog.unknown
    assert (unknown.column, unknown.value, unknown.missing) == ("outlook", "fog", False)
    assert unknown.handled == "went down every branch, in shares"
    tennis = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    (unknown,) = tennis.explain(
        {"Outlook": None, "Wind": "Weak"} | {"Temperature": "Hot", "Humidity": "High"}
    ).unknown
    assert unknown.missing
    assert unknown.handled == "went with Outlook = Rain"


def test_markdown_and_dict(model: Model) -> None:
    said = model.explain(CASE)
    text = said.to_markdown()
    assert text.startswith("**Don't Play**")
    assert "| Play | 0 % | 0 % to 56.1 % |" in text
    plain = json.loads(json.dumps(said.to_dict()))
    assert plain["change"] == {
        "values": {"humidity": 77.5},
        "prediction": "Play",
        "distance": 12.5 / 77.5,
    }
    assert plain["ranges"] == ["outlook = sunny", "humidity > 77.5"]
    assert model.explain(CASE, change=False).change is None
    assert "would" not in str(model.explain(CASE, change=False))


def test_names_that_markdown_would_read() -> None:
    model = DecisionTreeClassifier().fit({"a_b*": [1.0, 2.0]}, ["x|y", "z"]).model_
    text = model.explain({"a_b*": 1.0}).to_markdown()
    assert r"a\_b\*" in text
    assert r"x\|y" in text


def test_no_change_to_a_time_that_no_clock_shows() -> None:
    """Between two thresholds within one microsecond there is nothing to change to."""
    file = json.loads(chain(2))
    file["schema"]["columns"][0]["unit"] = "datetime"
    for node, cut in ((0, 0.25), (2, 0.5)):
        file["nodes"][node]["test"]["thresholds"] = [cut]
    file["nodes"][0]["test"]["missing"] = 0
    with any_hash(True):
        model = bosco.load(io.BytesIO(json.dumps(file).encode()))
    told = model.explain({"x0": None})
    assert told.change is not None
    assert told.change.values["x0"] == np.datetime64("1970-01-01T00:00:00.000001")


def test_values_are_told_as_they_are_written() -> None:
    """Not as numpy or pandas spell them."""
    days = np.array(["2024-01-01", "2024-01-05"], "M8[D]")
    model = DecisionTreeClassifier().fit({"day": days, "n": [1.0, 2.0]}, ["a", "b"]).model_
    for day in (days[0], days[0].astype(object)):
        said = str(model.explain({"day": day, "n": np.float64(1)}))
        assert said.startswith("day is 2024-01-01: day ≤ ")
        assert "(it is 2024-01-01)" in said
    levels = DecisionTreeClassifier().fit({"x": ["p", "q"]}, ["a", "b"]).model_
    assert str(levels.explain({"x": np.str_("p")})).startswith("x is 'p': x = p")
