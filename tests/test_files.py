"""Files written by earlier versions load for ever, and are what saving them again gives.

``before`` has those of models that this version would grow otherwise.
``python -m tests.test_files`` writes the files of the present version of the format. It is for a
new version: what an older one wrote stays as it is.
"""

import datetime as dt
import json
from dataclasses import replace
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from sklearn.base import clone

import bosco
from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    Model,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.datasets import play_tennis
from bosco.store.header import VERSION
from tests.edited import edited

FOLDER = Path(__file__).parent / "models"
KEPT = sorted(path for path in FOLDER.rglob("*") if path.is_file())
FORMS = {".json": "json", ".bosco": "binary"}
SCHEMA = json.loads((files("bosco.store") / "model.schema.json").read_text())


def table(n: int = 48, missing: float = 0.1) -> dict[str, list[Any]]:
    """Every kind of column, with holes, from whole numbers only: the same on any machine."""
    day = dt.date(2020, 2, 28)
    columns: dict[str, list[Any]] = {
        "weight [kg]": [(7 * i) % 23 / 4 for i in range(n)],
        'the "colour"': [("red", "green", "blå", "")[(i * i) % 7 % 4] for i in range(n)],
        "windy": [(i * 5) % 3 == 0 for i in range(n)],
        "day": [day + dt.timedelta(days=(11 * i) % 40) for i in range(n)],
    }
    for j, cells in enumerate(columns.values()):
        for i in range(n):
            if (i * 13 + j * 29) % 97 < 97 * missing:
                cells[i] = None
    return columns


def target(n: int = 48) -> list[float]:
    return [((7 * i) % 23 + 3 * ((i * i) % 7) + (i * 5) % 3) / 8 for i in range(n)]


def models(version: int = VERSION) -> dict[str, Any]:
    """One model for each thing that a file of a version must hold."""
    if version == 7:
        return median_forests()
    if version == 6:
        return priced() | several_outputs()
    if version == 5:
        return decided()
    if version == 4:
        return searched_trees()
    return edited_trees() if version == 3 else single_trees() | many_trees()


def priced() -> dict[str, Any]:
    """What answers cost: version 6, and nothing else is."""
    X, y = table(), target()
    low = np.where(np.array(y) < 2.5, "low", "high")
    prices = {"windy": 3, "visit": 12.5, "day": 1}
    groups = {"visit": ["weight [kg]", 'the "colour"']}
    asked = {"ask_costs": prices, "ask_groups": groups, "ask_delayed": ["visit"], "max_depth": 4}
    idx = DecisionTreeRegressor(**asked, ask_rule="idx", ask_weight=0.5)
    return {
        "priced": DecisionTreeClassifier(**asked).fit(X, low).model_,
        "priced_real": idx.fit(X, y, sample_weight=[0.5 + i % 3 for i in range(48)]).model_,
    }


def median_forests() -> dict[str, Any]:
    """Forests whose leaves say medians or quantiles: version 7, and nothing else is."""
    X, y = table(), target()
    small: dict[str, Any] = {"n_estimators": 3, "random_state": 0, "max_depth": 3}
    domains = {'the "colour"': ["red", "green", "blå", "", "puce"]}  # leaves without rows
    wide: dict[str, Any] = {"nominal_test": "multiway", "max_branches": 5, "domains": domains}
    fits = {
        "medians_forest": RandomForestRegressor(criterion="absolute_error", **wide, **small),
        "medians_extra": ExtraTreesRegressor(criterion="quantile", quantile=0.9, **small),
    }
    return {name: fitted.fit(X, y).model_ for name, fitted in fits.items()}


def several_outputs() -> dict[str, Any]:
    """Trees that answer several targets: version 6, and nothing else is."""
    X, y = table(), target()
    low = np.array([["no", "yes"][v < 2.5] for v in y])
    three = np.array([("low", "middle", "high")[(v > 1.5) + (v > 3)] for v in y])
    domains = {'the "colour"': ["red", "green", "blå", "", "puce"]}
    wide: dict[str, Any] = {"nominal_test": "multiway", "max_branches": 5, "domains": domains}
    numbers = np.column_stack([y, 1000 + np.arange(48) % 7])
    weight = [0.5 + i % 3 for i in range(48)]
    classes = np.column_stack([low, three])
    fits = {
        "several": DecisionTreeClassifier(max_depth=3).fit(X, classes),
        "several_wide": DecisionTreeClassifier(**wide, max_depth=2).fit(X, classes, weight),
        "several_real": DecisionTreeRegressor(max_depth=3).fit(X, numbers),
        "several_forest": RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, numbers),
    }
    return {name: fitted.model_ for name, fitted in fits.items()}


def decided() -> dict[str, Any]:
    """Costs, bars and calibrated shares: version 5, and nothing else is."""
    X, y = table(), target()
    three = [("low", "middle", "high")[(v > 1.5) + (v > 3)] for v in y]
    low = np.where(np.array(y) < 2.5, "low", "high")
    others, truth = table(48, 0.2), low[::-1]
    costs = [[0, 1, 2.5], [7, 0, 1], [0.3, 4, 0]]
    tree = DecisionTreeClassifier(max_depth=3, costs={"low": {"high": 3}}).fit(X, low).model_
    stump = DecisionTreeClassifier(max_depth=1)
    boosted = AdaBoostClassifier(stump, n_estimators=8).fit(X, low).model_
    forest = RandomForestClassifier(4, random_state=0, max_depth=3, costs=costs)
    return {
        "costs": DecisionTreeClassifier(algorithm="c45", costs=costs).fit(X, three).model_,
        "costs_forest": forest.fit(X, three).model_,
        "bar": tree.at(others, truth, recall=0.4, positive="low"),
        "bar_points": boosted.at(threshold=0.25, positive="low"),
        "calibrated": tree.calibrated(others, truth),
        "calibrated_laplace": tree.calibrated(method="laplace"),
    }


def searched_trees() -> dict[str, Model]:
    """The best small trees, with what is known of them: version 4, and nothing else is."""
    X, y = table(), target()
    three = [("low", "middle", "high")[(v > 1.5) + (v > 3)] for v in y]
    best = DecisionTreeClassifier(algorithm="optimal", max_depth=2)
    fits = {
        "optimal": best.fit(X, three),
        "optimal_priced": clone(best)
        .set_params(alpha=0.5, work_limit=300, max_depth=3)
        .fit(X, [v < 2.5 for v in y], sample_weight=[0.5 + i % 3 for i in range(48)]),
    }
    return {name: fitted.model_ for name, fitted in fits.items()}


def edited_trees() -> dict[str, Model]:
    """What people did to trees: version 3, and nothing else is."""
    plain = single_trees()
    kept = {name: plain[name] for name in ("id3", "c45", "regression", "leaf")}
    return {f"edited_{name}": edited(model) for name, model in kept.items()}


def many_trees() -> dict[str, Any]:
    X, y = table(), target()
    three = [("low", "middle", "high")[(v > 1.5) + (v > 3)] for v in y]
    # A level that no row has: leaves without rows, which say what the node above them says.
    domains = {'the "colour"': ["red", "green", "blå", "", "puce"]}
    wide: dict[str, Any] = {"nominal_test": "multiway", "max_branches": 5, "domains": domains}
    small: dict[str, Any] = {"n_estimators": 4, "random_state": 0}
    stump = DecisionTreeClassifier(max_depth=1)
    weak = DecisionTreeClassifier(max_depth=2, missing="branch", numeric_test="intervals")
    fits = {
        "forest": RandomForestClassifier(**small, max_depth=4).fit(X, three),
        "forest_mode": RandomForestClassifier(
            **small, **wide, vote="mode", tree_weights="oob_accuracy"
        ).fit(X, three),
        "forest_real": RandomForestRegressor(**small, **wide, max_depth=4).fit(X, y),
        "extra_real": ExtraTreesRegressor(**small, max_depth=3).fit(X, y),
        "boosted": AdaBoostClassifier(stump, n_estimators=8).fit(X, [v < 2.5 for v in y]),
        "boosted_three": AdaBoostClassifier(stump, n_estimators=8).fit(X, three),
        "boosted_deep": AdaBoostClassifier(weak, n_estimators=4).fit(X, three),
    }
    return {name: fitted.model_ for name, fitted in fits.items()}


def single_trees() -> dict[str, Model]:
    import pandas as pd

    X, y = table(), target()
    low = [v < 2.5 for v in y]
    three = [("low", "middle", "high")[(v > 1.5) + (v > 3)] for v in y]
    classify = DecisionTreeClassifier
    mixed = pd.DataFrame(X)
    sizes = ["S", "M", "L", "XL"]
    mixed["size"] = pd.Categorical([sizes[i % 11 % 4] for i in range(48)], sizes, ordered=True)
    mixed["when"] = pd.to_datetime("2021-03-01 12:30") + pd.to_timedelta(
        [17 * i % 29 for i in range(48)], unit="h"
    )
    fits = {
        "id3": classify(algorithm="id3").fit(*play_tennis()),
        "c45": classify(algorithm="c45").fit(X, three),
        "cart": classify(max_depth=4).fit(mixed, low),
        "ordered": classify(max_depth=3, order="breadth").fit(
            mixed[["size", "windy"]], [i % 11 % 4 > 1 or i % 3 == 0 for i in range(48)]
        ),
        "regression": DecisionTreeRegressor(max_depth=3).fit(X, y),
        "surrogate": classify(missing="surrogate", max_depth=3).fit(X, three),
        "intervals": classify(numeric_test="intervals", missing="branch", max_depth=2).fit(
            X, three
        ),
        "groups": classify(nominal_test="group", record=False, max_depth=3).fit(
            X, np.arange(48) % 5, sample_weight=[0.5 + i % 3 for i in range(48)]
        ),
        "monotone": classify(monotonic_cst={"weight [kg]": 1}, max_depth=3).fit(X, low),
        "leaf": DecisionTreeRegressor().fit([[1.0], [2.0]], [0.1, 0.1]),
        "infinite": classify(domains={"x1": [1.5, np.inf]}).fit(
            [[-np.inf, 1.5], [1.0, np.inf], [np.nan, 1.5], [np.inf, 1.5]],
            np.array(["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-03"], "datetime64[D]"),
        ),
    }
    return {name: fitted.model_ for name, fitted in fits.items()}


@pytest.mark.parametrize("path", KEPT, ids=lambda p: str(p.relative_to(FOLDER)))
def test_kept_files_load_for_ever(path: Path) -> None:
    model = bosco.load(path)
    assert str(model)
    again = BytesIO()
    model.save(again, form=FORMS[path.suffix])  # type: ignore[arg-type]
    assert again.getvalue() == path.read_bytes()


@pytest.mark.parametrize("path", [p for p in KEPT if p.suffix == ".json"], ids=lambda p: p.stem)
def test_kept_files_follow_the_schema(path: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(path.read_bytes()))


def test_every_model_is_kept_in_both_forms() -> None:
    for version in (2, 3, 4, 5, 6, 7):
        kept = {path.name for path in (FOLDER / f"v{version}").iterdir()}
        assert kept == {f"{name}{suffix}" for name in models(version) for suffix in FORMS}


@pytest.mark.parametrize(
    "name",
    [
        "id3",
        "c45",
        "regression",
        "surrogate",
        "leaf",
        "edited_c45",
        "optimal",
        "costs",
        "bar",
        "priced",
    ],
)
def test_this_version_writes_what_is_kept(name: str) -> None:
    """A change of the format, or of a model, is not made by accident."""
    version = {"edited": 3, "optimal": 4, "costs": 5, "bar": 5, "priced": 6}.get(
        name.split("_")[0], 2
    )
    model = models(version)[name]
    kept = bosco.load(FOLDER / f"v{version}" / f"{name}.json")
    assert model.tree == kept.tree
    assert model.edits == kept.edits
    assert model.decision == kept.decision
    assert model.growth == kept.growth
    assert model.schema == kept.schema


GROWN = many_trees() | median_forests()
MANY = [path for path in KEPT if path.stem in GROWN]


@pytest.mark.parametrize("path", MANY, ids=lambda path: path.name)
def test_many_trees_are_what_this_version_grows(path: Path) -> None:
    """Both forms of a file hold one model, which predicts to the last bit what it did."""
    kept = bosco.load(path)
    model = replace(GROWN[path.stem], provenance=kept.provenance)  # names the version
    file = BytesIO()
    model.save(file, form=FORMS[path.suffix])  # type: ignore[arg-type]
    assert file.getvalue() == path.read_bytes()
    ask = "points" if path.stem.startswith("boosted") else "predict_proba"
    assert (getattr(kept, ask)(table()) == getattr(model, ask)(table())).all()


@pytest.mark.parametrize("name", several_outputs())
@pytest.mark.parametrize("suffix", FORMS)
def test_several_outputs_are_what_this_version_grows(name: str, suffix: str) -> None:
    kept = bosco.load(FOLDER / "v6" / f"{name}{suffix}")
    model = replace(several_outputs()[name], provenance=kept.provenance)
    file = BytesIO()
    model.save(file, form=FORMS[suffix])  # type: ignore[arg-type]
    assert file.getvalue() == (FOLDER / "v6" / f"{name}{suffix}").read_bytes()
    assert str(kept) == str(model)
    said, told = kept.predict_proba(table(60, 0.3)), model.predict_proba(table(60, 0.3))
    assert all(np.array_equal(a, b) for a, b in zip(said, told, strict=True))


if __name__ == "__main__":
    folder = FOLDER / f"v{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in models().items():
        for suffix in FORMS:
            path = folder / f"{name}{suffix}"
            if path.exists():
                print(f"{path.name} is there already, and stays as it is")
            else:
                model.save(path)
