"""Exported programs in company: rows that carry more than the model's columns, two models."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.datasets import golf
from tests.contract.check import disagreements
from tests.contract.kinds import Case, as_frame, case
from tests.contract.many import case_of_many
from tests.contract.runners import AbsentError, run_javascript, run_python

RUNNERS = {"Python": run_python, "JavaScript": run_javascript}


def fewer(one: Case, n: int) -> Case:
    points = {name: column[:n] for name, column in one.points.items()}
    return Case(one.name, one.model, points, one.labels[:n], one.shares[:n])


@pytest.mark.parametrize("kind", ["cart, mixed", "c4.5, fractional", "odd names", "forest, mean"])
@pytest.mark.parametrize("language", RUNNERS)
def test_rows_scored_before(language: str, kind: str) -> None:
    """A row may carry old answers, and names that the program has itself."""
    one = fewer(case_of_many(kind, 200) if kind.startswith("forest") else case(kind), 200)
    text = one.model.to_python() if language == "Python" else one.model.to_javascript()
    words = {*re.findall(r"[A-Za-z_]\w*", text)}
    known = {name.lower() for name in one.points}
    extra = {w: ["zz"] * one.n_points for w in sorted(words) if w.lower() not in known}
    assert {"predict", "row"} <= {*extra}
    extra |= {"prediction": [0] * one.n_points, "bosco_leaf": [7] * one.n_points}
    try:
        answers = RUNNERS[language](one.model, extra | one.points)
    except AbsentError as error:
        pytest.skip(str(error))
    assert disagreements(one, *answers) == 0


@pytest.mark.parametrize("language", RUNNERS)
def test_a_column_beside_its_capital(language: str) -> None:
    """Programs tell x from X, where some databases do not."""
    X = {"x": [1.0, 2.0, 3.0, 4.0], "X": [2.0, 2.0, 1.0, 4.0]}
    model = DecisionTreeClassifier().fit(X, ["a", "b", "b", "a"]).model_
    points: dict[str, list[Any]] = {"X": [*X["X"], None], "x": [*X["x"], 2.5]}
    frame = as_frame(model, points)
    shares = model.predict_proba(frame)
    one = Case("x and X", model, points, model.predict(frame).tolist(), shares)
    try:
        assert disagreements(one, *RUNNERS[language](model, points)) == 0
    except AbsentError as error:
        pytest.skip(str(error))


_TWO = """
#include "one.h"
#include "many.h"
#include "one.h"
#include <stdio.h>
int main(void)
{
    double a[ONE_COLUMNS], b[MANY_COLUMNS];
    a[ONE_outlook] = one_level_outlook("sunny");
    a[ONE_temperature] = 70; a[ONE_humidity] = 90; a[ONE_windy] = NAN;
    b[MANY_outlook] = many_level_outlook("rain");
    b[MANY_temperature] = 70; b[MANY_humidity] = 65; b[MANY_windy] = NAN;
    printf("[\\"%s\\", ", one_class_name(one_predict(a)));
    printf("\\"%s\\"]", many_class_name(many_predict(b)));
    return 0;
}
"""


@pytest.mark.parametrize("how", ["cc -std=c99 -x c", "cc -x c++"])
def test_two_models_in_one_c_file(how: str, tmp_path: Path) -> None:
    """Each header twice, side by side, without a warning; in C++ as well."""
    compiler, *flags = how.split()
    if shutil.which(compiler) is None:
        pytest.skip("no C compiler")
    X, y = golf()
    one = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    many = RandomForestClassifier(5, random_state=0).fit(X, y).model_
    (tmp_path / "one.h").write_text(one.to_c("one"))
    (tmp_path / "many.h").write_text(many.to_c("many"))
    (tmp_path / "two.c").write_text(_TWO)
    warn = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-function"]
    build = [compiler, *flags, *warn, "two.c", "-o", "two", "-lm"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([tmp_path / "two"], check=True, capture_output=True).stdout
    day = {"temperature": 70, "windy": None}
    assert json.loads(said) == [
        one.predict(day | {"outlook": "sunny", "humidity": 90}),
        many.predict(day | {"outlook": "rain", "humidity": 65}),
    ]


def test_an_answer_taken_from_the_wrong_column_is_caught() -> None:
    """A fault planted: a program that reads a name without its case."""
    one = fewer(case("cart, mixed"), 200)
    text = one.model.to_python()
    assert "row" in text

    class Faulty:
        def __getattr__(self, name: str) -> Any:
            return getattr(one.model, name)

        def to_python(self) -> str:
            return f"{text}\nasked = predict_proba\ndef predict_proba(row):\n    return asked(" + (
                "{k.lower(): v for k, v in row.items()})\n"
            )

    faulty: Any = Faulty()
    points = one.points | {"DOSE": [1e9] * one.n_points}
    assert disagreements(one, *run_python(one.model, points)) == 0
    assert disagreements(one, *run_python(faulty, points)) > 0
