"""Small pictures as files that a person has looked at: tests/golden/*.svg.

After a change that is meant to change pictures, write them anew, look at them, and say why in the
changelog: ``python -m tests.test_golden_pictures``
"""

from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from sklearn import datasets

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, loans, play_tennis
from bosco.render.svg import Svg

GOLDEN = Path(__file__).parent / "golden"
DOCS = Path(__file__).parent.parent / "docs"


def tennis(**options: object) -> Svg:
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    return model.svg(**options)  # type: ignore[arg-type]


def missing() -> Svg:
    X = {"age": [10, 20, 30, 40, None, None, 60, 70], "sex": [*"mfmfmfm", None]}
    y = ["low", "low", "low", "mid", "high", "high", "mid", "mid"]
    learner = DecisionTreeClassifier(missing="branch", domains={"sex": ["f", "m", "other"]})
    return learner.fit(X, y).model_.svg()


def regression() -> Svg:
    x = np.arange(24.0)
    learner = DecisionTreeRegressor(max_depth=2)
    X = {"x": x, "z": x % 3}
    return learner.fit(X, np.where(x < 9, 1.0, 4.0) + x % 3).model_.svg(X=X)


CASES: dict[str, Callable[[], Svg]] = {
    "tennis": tennis,
    "tennis_case_dark": lambda: tennis(
        row={"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"},
        theme="dark",
        orientation="horizontal",
    ),
    "golf_histograms": lambda: (
        DecisionTreeClassifier().fit(*golf()).model_.svg(X=golf()[0], y=golf()[1])
    ),
    "loans_folded": lambda: DecisionTreeClassifier().fit(*loans()).model_.svg(max_depth=2),
    "missing_branch": missing,
    "regression": regression,
    "leaf": lambda: DecisionTreeClassifier(min_samples_split=99).fit(*loans()).model_.svg(),
    "iris": lambda: (
        DecisionTreeClassifier(max_depth=3)
        .fit(*datasets.load_iris(return_X_y=True))
        .model_.svg(width=800)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_pictures_are_as_reviewed(name: str) -> None:
    expected = (GOLDEN / f"{name}.svg").read_text(encoding="utf-8")
    assert f"{CASES[name]()}\n" == expected


def test_the_trees_of_the_documents_are_what_is_drawn_today() -> None:
    page = run_path(str(DOCS / "make_images.py"))
    for name, draw in page["TREES"].items():
        committed = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
        assert f"{draw()}\n" == committed, f"{name}: python docs/make_images.py"


def test_every_file_is_compared() -> None:
    assert {path.stem for path in GOLDEN.glob("*.svg")} == set(CASES)


if __name__ == "__main__":
    for name, draw in CASES.items():
        draw().save(GOLDEN / f"{name}.svg")
