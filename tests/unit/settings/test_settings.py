"""Each setting is declared once; all that speak of it say what its declaration says."""

import inspect
import json
import re
from dataclasses import fields
from importlib.resources import files
from typing import Annotated, Any, Unpack

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

import bosco
from bosco import _core
from bosco.cli import options
from bosco.errors import ParameterError
from bosco.estimators.parameters import assign, with_settings
from bosco.growth import FIELDS, PRESETS, resolve
from bosco.pruning import POLICIES
from bosco.settings.allowed import NONE, Option, Setting, whole
from bosco.settings.asking import Asking, Item
from bosco.settings.settings import (
    ALGORITHMS,
    OPTIONS,
    ROWS,
    WORDS,
    Boosted,
    ClassForest,
    ClassTree,
    NumberForest,
    NumberTree,
    declared,
)

TABLES: dict[str, Any] = {
    "DecisionTreeClassifier": ClassTree,
    "DecisionTreeRegressor": NumberTree,
    "RandomForestClassifier": ClassForest,
    "RandomForestRegressor": NumberForest,
    "ExtraTreesClassifier": ClassForest,
    "ExtraTreesRegressor": NumberForest,
    "AdaBoostClassifier": Boosted,
}
RESOLVED = {"min_weight_fraction_leaf": "min_weight_leaf"}  # what `Growth` calls differently


def parameters() -> list[Any]:
    """Every parameter of every estimator, with what is declared of it."""
    return [
        pytest.param(cls, name, declaration, id=f"{cls.__name__}-{name}")
        for cls in (getattr(bosco, name) for name in TABLES)
        for name, declaration in cls._settings.items()
    ]


# Estimators ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_estimators_have_what_is_declared_and_nothing_else(name: str) -> None:
    cls = getattr(bosco, name)
    of_table = declared(TABLES[name])
    own = {"AdaBoostClassifier": ["estimator"]}.get(name, ["n_estimators"] * ("Dec" not in name))
    assert list(inspect.signature(cls).parameters) == [*own, *of_table]
    assert cls._settings.keys() == set(cls().get_params()) == {*own, *of_table}


@pytest.mark.parametrize(("cls", "name", "declaration"), parameters())
def test_docstrings_say_what_is_declared(cls: Any, name: str, declaration: Setting) -> None:
    default = inspect.signature(cls).parameters[name].default
    said = f'"{default}"' if isinstance(default, str) else repr(default)
    text = inspect.getdoc(cls) or ""
    assert f"\n{name} : {declaration.type}, default={said}\n    " in text
    assert declaration.says in " ".join(text.split())


@pytest.mark.parametrize(("cls", "name", "declaration"), parameters())
def test_defaults_hold(cls: Any, name: str, declaration: Setting) -> None:
    assert declaration.holds(inspect.signature(cls).parameters[name].default)


@pytest.mark.parametrize(("cls", "name", "declaration"), parameters())
def test_what_is_not_allowed_is_refused_in_the_words_of_the_table(
    cls: Any, name: str, declaration: Setting
) -> None:
    wrong = object()
    with pytest.raises(ParameterError) as refused:
        cls(**{name: wrong}).fit([[0.0], [1.0]], [0, 1])
    assert str(refused.value) == (
        f"The {name!r} parameter of {cls.__name__} must be {declaration.allows}. "
        f"Got {wrong!r} instead."
    )


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("max_depth", [1, np.int32(3), None], [0, 1.0, np.float64(2), "2", [1]]),
        ("min_samples_split", [2, 0.5, 1.0, np.float32(0.5)], [1, 0.0, 1.5, np.nan]),
        ("min_samples_leaf", [1, 0.99], [0, 1.0, -0.1, np.inf]),
        ("min_weight_fraction_leaf", [0, 0.5, 0.0], [0.51, -1e-9, np.nan, "0.1"]),
        ("min_gain", [0, 1.5, 10**6], [-1, np.inf, np.nan]),
        ("max_features", [1, 0.1, "sqrt", None], [0, 0.0, "auto", True + 0.5]),
        ("record", [True, np.True_, "auto"], [1, "yes", None]),
        ("random_state", [0, 2**64 - 1, np.random.RandomState(0), None], [-1, 2**64, 0.5]),
        ("n_jobs", [-1, 2, None], [0.5, "all"]),
        ("monotonic_cst", [[1], (0,), np.array([1]), {"x0": 1}, None], [1, "up"]),
        ("class_weight", [{0: 1}, [{0: 1}, {}], "balanced"], ["balance", [1, 2]]),
        ("pruning", ["none", "pessimistic", bosco.pruning.Pessimistic()], ["all", object()]),
    ],
)
def test_kinds_and_ranges(name: str, good: list[Any], bad: list[Any]) -> None:
    declaration = declared(ClassTree)[name]
    assert [value for value in good if not declaration.holds(value)] == []
    assert [value for value in bad if declaration.holds(value)] == []


def test_a_wrong_name_is_refused_as_python_does_with_a_hint() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'max_dept'.*'max_depth'"):
        bosco.DecisionTreeClassifier(max_dept=3)  # type: ignore[call-arg]


def test_a_class_of_policies_is_not_a_policy() -> None:
    with pytest.raises(ParameterError, match="'pruning' parameter"):
        bosco.DecisionTreeClassifier(pruning=bosco.pruning.Pessimistic).fit([[0], [1]], [0, 1])


def test_what_another_library_says_of_its_own_parameters_is_left_as_it_is() -> None:
    weak = bosco.AdaBoostClassifier(GaussianNB(var_smoothing=-1))
    with pytest.raises(ValueError, match="'var_smoothing' parameter of GaussianNB") as refused:
        weak.fit([[0.0], [1.0]] * 4, [0, 1] * 4)
    assert not isinstance(refused.value, bosco.BoscoError)


# Growth, files, the core --------------------------------------------------------------------------


def test_words_are_those_of_the_core_and_of_what_has_names() -> None:
    assert {name: list(words) for name, words in WORDS.items()} == _core.setting_words()
    assert {f.name for f in FIELDS if f.type is str} == WORDS.keys() - {"ask_rule"} <= ROWS.keys()
    assert set(ALGORITHMS) == PRESETS.keys()
    assert set(ROWS["pruning"].words) == {"none", *POLICIES}
    for row in PRESETS.values():
        assert row.keys() == {*ROWS, "tasks"}


@pytest.mark.parametrize("name", [name for name in ROWS if name != "pruning"])
def test_what_rows_say_is_what_the_core_is_told(name: str) -> None:
    growth = resolve("cart", "classification", samples=10, columns=3, weight=10.0)
    row = PRESETS["cart"][name]
    assert getattr(growth, RESOLVED.get(name, name)) == (-1 if row is None else row)


def test_the_schema_of_files_says_what_growth_says() -> None:
    said = json.loads((files("bosco.store") / "model.schema.json").read_text())
    said = said["properties"]["growth"]
    wanted: dict[str, Any] = {}
    for f in FIELDS:
        kind: Any = f.type
        if kind is str:
            wanted[f.name] = {"enum": list(WORDS[f.name])}
        elif hasattr(kind, "__metadata__"):
            wanted[f.name] = {"type": "integer", "minimum": kind.__metadata__[0]}
        elif kind in (bool, float):
            wanted[f.name] = {"type": "boolean" if kind is bool else "number"}
        else:
            wanted[f.name] = {"type": "array", "items": {"enum": [-1, 0, 1]}}
    own = {"type": "string", "pattern": "^custom: ", "maxLength": 108}  # a function, by its name
    wanted["criterion"] = {"anyOf": [wanted["criterion"], own]}
    asking = wanted["asking"] = said["properties"]["asking"]  # a mapping of its own
    assert asking["properties"].keys() == {f.name for f in fields(Asking)}
    assert asking["properties"]["rule"] == {"enum": list(WORDS["ask_rule"])}
    item = asking["properties"]["items"]["items"]["properties"]
    assert item.keys() == {f.name for f in fields(Item)}
    assert said["properties"] == wanted
    later = (
        "min_gain",
        "search",
        "alpha",
        "lookahead",
        "polish",
        "record_leaves",
        "record_whole",
        "asking",
    )
    assert said["required"] == [
        f.name for f in FIELDS if f.name not in later
    ]  # than the first files


# The command line ---------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["fit", "select", "evaluate", "stability"])
def test_options_are_those_of_the_table(verb: str) -> None:
    from bosco.cli.app import app

    help_ = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "200"}).output
    shown = re.sub(r"[\s│]+", " ", help_)
    for name, declaration in OPTIONS.items():
        option: Any = declaration.option
        assert ", ".join(options.flags_of(name)) in shown
        assert option.help in shown


# A new one ----------------------------------------------------------------------------------------


class Patient(ClassTree, total=False):
    patience: Annotated[
        int | None, Setting(whole(3, 9), NONE, says="How long to wait.", option=Option("Wait."))
    ]


@with_settings()
class PatientTree(bosco.DecisionTreeClassifier):
    """A tree with a setting that is only declared.

    @parameters
    """

    def __init__(self, **given: Unpack[Patient]) -> None:
        assign(self, given)


def test_docstrings_may_come_without_their_indent() -> None:
    """As they do from Python 3.13 on."""

    def init(self: Any, **given: Unpack[Patient]) -> None:
        assign(self, given)

    said = {"__doc__": "A.\n\n@parameters\n", "__init__": init}
    bare = type("Bare", (bosco.DecisionTreeClassifier,), said)
    text = str(with_settings()(bare).__doc__)
    assert text.startswith("A.\n\nParameters\n----------\nalgorithm : ")
    assert "\nmax_branches : int or None, default=None\n    Most branches of" in text


def test_a_declaration_is_all_that_an_estimator_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "patience : int or None, default=None\n        How long to wait." in str(
        PatientTree.__doc__
    )
    tree = PatientTree(patience=4, max_depth=2)
    assert (tree.get_params()["patience"], tree.fit([[0], [1]], [0, 1]).get_depth()) == (4, 1)
    with pytest.raises(ParameterError, match=r"'patience'.* an int in the range \[3, 9\] or None"):
        PatientTree(patience=2).fit([[0], [1]], [0, 1])
    monkeypatch.setitem(OPTIONS, "patience", declared(Patient)["patience"])
    group = options.with_settings(type("Group", (), {"__annotations__": {"also": str}}))
    assert group.__annotations__["patience"].__origin__ == int | None
    assert list(group.__annotations__)[-1] == "also"
