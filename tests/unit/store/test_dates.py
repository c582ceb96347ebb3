"""Dates and times in model files: what is no moment is refused, the rest can be used."""

import io
import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier
from bosco.errors import ModelError
from tests.fuzz.grammar import chain
from tests.fuzz.use import any_hash

FORMS = ["json", "binary"]


def written(model: Any, form: Any) -> bytes:
    file = io.BytesIO()
    model.save(file, form=form)
    return file.getvalue()


@pytest.mark.parametrize(
    ("unit", "cut", "sound"),
    [
        ("date", 1e300, False), ("date", -1e12, False), ("date", 3e6, True),
        ("datetime", 1e300, False), ("datetime", 2.5e17, True), ("datetime", 9.1e18, False),
        ("instant", -1e19, False), ("instant", 2.5e17, True), ("duration", 1e300, False),
        ("duration", -1e15, True), ("time", -1.0, False), ("time", 8.64e10, False),
        ("time", 4e10, True), ("number", 1e300, True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", FORMS)
def test_a_threshold_that_is_no_date_or_time(unit: str, cut: float, sound: bool, form: Any) -> None:
    """What is accepted can be printed, explained and exported, or says why not."""
    file = json.loads(chain(1))
    file["schema"]["columns"][0]["unit"] = unit
    file["nodes"][0]["test"]["thresholds"] = [cut]
    data = json.dumps(file).encode()
    if not sound:
        with pytest.raises(ModelError, match="no date or time"), any_hash(True):
            bosco.load(io.BytesIO(data))
        return
    with any_hash(True):
        found = bosco.load(io.BytesIO(data))
    again = bosco.load(io.BytesIO(written(found, form)))
    for word in (str(again), str(again.explain({"x0": None})), str(again.rules())):
        assert "x0" in word
    for dialect in ("duckdb", "sqlite", "postgres"):
        with suppress(ModelError):  # years that SQL has no dates for
            again.to_sql(dialect)


def test_dates_far_away_are_refused_when_they_are_read() -> None:
    """So that no model is grown that its file could not hold."""
    for far in ("1000000-01-01", "-500000-01-01"):
        with pytest.raises(bosco.DataError, match="285,000 years"):
            DecisionTreeClassifier().fit({"d": np.array(["2020-01-01", far], "M8[D]")}, ["a", "b"])
    X = {"d": np.array(["2020-01-01", "200000-01-01"], "M8[D]")}
    model = DecisionTreeClassifier().fit(X, ["a", "b"]).model_
    assert "Z" not in str(model)
    assert bosco.load(io.BytesIO(written(model, "json"))).predict(X).tolist() == ["a", "b"]
