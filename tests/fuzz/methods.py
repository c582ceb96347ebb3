"""Every public method of a model and of what it answers, found by looking, not by a list.

A method that joins is called from the day it is there; one that needs an argument nobody here knows
how to draw fails until it is taught (`ARGUMENTS`). An answer or an error of bosco is what may come.
"""

from __future__ import annotations

import atexit
import inspect
import io
import random
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import bosco
from bosco.base.visible import harmless
from bosco.errors import BoscoError, ModelError
from tests.fuzz.grammar import absurd
from tests.fuzz.use import any_hash, odd_rows, use

SECONDS = 60.0
"""Of the processor, for one call: a file of a megabyte may take some, but not for ever."""

DATA = frozenset({"program", "subject", "parts", "read", "trees"})
"""Methods for other parts of bosco; what they give back is not for people and not asked further."""

OURS = frozenset({"PruningLog.then", "ScoreTable.bar"})
"""Methods by which bosco makes such values, not for anybody else."""

CODE = frozenset(
    {"to_c", "to_dot", "to_javascript", "to_latex", "to_mermaid", "to_pmml", "to_python", "to_sql"}
)
"""Methods whose text is for machines: it quotes by the rules of its language."""

SPEECHES = ("duckdb", "sqlite", "postgres", "mysql", "bigquery", "snowflake", "spark", "tsql")

Given = Callable[[Any, random.Random], Any]


@cache
def _folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="bosco-fuzz-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _rows(model: Any) -> list[dict[str, Any]]:
    tests = None
    if hasattr(model, "tree") and not callable(model.tree):
        tests = model.tree.native.tests
    return odd_rows(model.schema.columns, tests, n=6)


def _targets(model: Any) -> Any:
    if getattr(model, "classes", None) is None:
        return np.arange(6.0)
    return np.resize(model.classes, 6)


def _shares(model: Any) -> Any:
    n = len(model.classes) if getattr(model, "classes", None) is not None else 1
    return np.eye(n)[[0, n - 1]]


def _node(model: Any, draw: random.Random) -> int:
    n = model.tree.node_count if isinstance(model, bosco.Model) else 1
    return draw.choice((0, n - 1, n, -1))


ARGUMENTS: dict[str, Given] = {
    "X": lambda model, _draw: _rows(model),
    "y": lambda model, _draw: _targets(model),
    "row": lambda model, draw: draw.choice(_rows(model)),
    "frame": lambda model, _draw: model.read(_rows(model)),
    "node": _node,
    "index": lambda _model, _draw: 0,
    "policy": lambda _model, draw: draw.choice(("pessimistic", "cost_complexity", "nobody's")),
    "dialect": lambda _model, draw: draw.choice((*SPEECHES, "nobody's")),
    "path": lambda _model, draw: _folder() / draw.choice(("a.json", "a.bosco", "a.html", "a.svg")),
    "line": lambda model, _draw: model.lines[0],
    "other": lambda model, _draw: model,
    "answer": lambda _model, _draw: None,
    "label": lambda _model, _draw: None,
    "k": lambda _model, _draw: 0,
    "i": lambda _model, _draw: 0,
    "x": lambda _model, _draw: 0.5,
    "column": lambda _model, _draw: 0,
    "shares": lambda model, _draw: _shares(model),
    "own": lambda model, _draw: _shares(model),
    "weight": lambda _model, _draw: np.ones(2),
    "classes": lambda model, _draw: [] if model.classes is None else model.classes.tolist(),
}
"""How a required argument of that name is drawn."""

CHOSEN: dict[str, Given] = {
    "form": lambda _model, draw: draw.choice(("json", "binary")),
    "kind": lambda _model, draw: draw.choice(("select", "view", "expression", "case")),
    "ascii": lambda _model, draw: draw.random() < 0.5,
    "max_levels": lambda _model, draw: draw.choice((8, 1, None)),
    "orientation": lambda _model, draw: draw.choice(("auto", "vertical", "horizontal")),
    "missing": lambda _model, draw: draw.random() < 0.5,
}
"""Optional arguments that are given, one time in two, where a method has them."""


ALWAYS: dict[str, Given] = {
    "ax": lambda _model, _draw: Figure().subplots(),
    "time_limit": lambda _model, _draw: 0.05,
}
"""Optional arguments that are always given: pyplot keeps figures, and time is short."""

NOTHING = object()


def attack_methods(draw: random.Random) -> bool:
    """Build one absurd model and call all its methods; tell whether it was a model."""
    data = absurd(draw)
    try:
        with any_hash(True):
            model = bosco.load(io.BytesIO(data))
    except ModelError:
        return False
    call_all(model, draw)
    use(model)
    contributions_add_up(model)
    return True


def contributions_add_up(model: Any) -> None:
    """What columns add comes to what is predicted, whatever the tree."""
    try:
        rows = _rows(model)
        said, found = model.values_frame(model.read(rows)), model.contributions(rows)
    except (BoscoError, AttributeError):  # shares of rows, or points, have none
        return
    if getattr(model, "vote", "mean") == "mode":
        return
    total = found.base + found.values.sum(axis=1)
    # A sum is as exact as its largest term: an order may be far smaller than the mean of all rows.
    scale = max(1.0, float(np.abs(said).max()), float(np.abs(found.base).max()))
    assert np.allclose(total.reshape(said.shape) / scale, said / scale, atol=1e-6), "they do not"


def call_all(model: Any, draw: random.Random) -> int:
    """Call every method of a model, and of what comes back; tell how many answered."""
    return sum(_call_each(model, model, draw, deeper=1))


def _call_each(value: Any, model: Any, draw: random.Random, *, deeper: int) -> list[bool]:
    answered = []
    for name, method in methods_of(value):
        where = f"{type(value).__name__}.{name}"
        answer = _called(where, method, model, draw)
        answered.append(answer is not NOTHING)
        if isinstance(answer, str) and is_for_people(value, name):
            require_harmless(answer, where)
        if deeper and name not in DATA and is_bosco(answer):
            answered += _call_each(answer, model, draw, deeper=deeper - 1)
    return answered


def _called(where: str, method: Callable[..., Any], model: Any, draw: random.Random) -> Any:
    start = time.thread_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ResourceWarning)
            return method(**arguments(where, method, model, draw))
    except BoscoError as error:
        require_harmless(str(error), f"the error of {where}")
        return NOTHING
    except Exception as error:
        error.add_note(f"in {where}")
        raise
    finally:
        taken = time.thread_time() - start
        if taken > SECONDS:
            raise TimeoutError(f"{where} took {taken:.0f} s")


def methods_of(value: Any) -> list[tuple[str, Callable[..., Any]]]:
    """The public methods of a value, its texts, and its properties as calls."""
    found: list[tuple[str, Callable[..., Any]]] = [
        ("__str__", lambda: str(value)),
        ("__repr__", lambda: repr(value)),
    ]
    for name in dir(type(value)):
        if name.startswith("_") and name != "_repr_html_":
            continue
        if f"{type(value).__name__}.{name}" in OURS:
            continue
        static = inspect.getattr_static(type(value), name)
        if isinstance(static, classmethod | staticmethod) or inspect.isclass(static):
            continue  # a way to make such values
        if callable(static):
            found.append((name, getattr(value, name)))
        else:
            found.append((name, lambda name=name: getattr(value, name)))
    return found


def arguments(
    where: str, method: Callable[..., Any], model: Any, draw: random.Random
) -> dict[str, Any]:
    """What to call a method with: all it needs, and one time in two what it may be told."""
    given = {}
    for parameter in inspect.signature(method).parameters.values():
        name, needed = parameter.name, parameter.default is parameter.empty
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if needed and name not in ARGUMENTS:
            raise NotImplementedError(
                f"{where} needs {name!r}, and tests/fuzz/methods.py cannot draw one yet"
            )
        if needed or name in ALWAYS:
            given[name] = (ARGUMENTS | ALWAYS)[name](model, draw)
        elif name in CHOSEN and draw.random() < 0.5:
            given[name] = CHOSEN[name](model, draw)
    return given


def is_bosco(value: Any) -> bool:
    """Whether a value is of a class of bosco's own."""
    return type(value).__module__.startswith("bosco.") and not isinstance(value, type)


def is_for_people(value: Any, name: str) -> bool:
    """Whether a text is read by people as it is: neither code, nor a page, nor the data itself."""
    page = type(value).__name__ in ("Report", "Svg") or "html" in name
    made = name.startswith("__") or callable(inspect.getattr_static(type(value), name))
    return made and not page and name not in CODE


def require_harmless(text: str, where: str) -> None:
    """Nothing in a text for people acts on a terminal."""
    assert harmless(text) == text, f"{where} shows control characters: {text[:200]!r}"
