"""How one case comes to its prediction, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.columns import plain
from bosco.errors import DataError
from bosco.objects import is_missing
from bosco.render.card import Card, card, say, show_share, show_weight
from bosco.schema import Column, Schema

if TYPE_CHECKING:
    from bosco.model import Model


@dataclass(frozen=True, slots=True)
class Step:
    """One test on the way: the value met, and the condition of the branch taken.

    Attributes
    ----------
    node, child : int
        The node and the child that the case goes to.
    column : str
        The column tested.
    value : object
        The value of the case there.
    condition : str
        The condition of the branch, in words.
    known : bool
        False if the value is missing or not a level that the model knows, and the branch is the one
        for missing values.
    stand_in : str
        If so and a surrogate test decided: its condition, in words; else empty.
    """

    node: int
    child: int
    column: str
    value: Any
    condition: str
    known: bool
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one case and what it ends in; ``print`` it to read it.

    Attributes
    ----------
    steps : tuple of Step
        From the root to the leaf.
    prediction : object
        The class or the number predicted.
    shares : dict
        Share of each class; empty for a real target.
    leaf : Card
        What the leaf says of its training rows.
    shared : bool
        Whether missing values sent the case down several branches; the steps are then the heaviest
        ones, the prediction is from all.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> day = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    >>> print(model.explain(day))
    Outlook is 'Rain': Outlook = Rain [2]
    Wind is 'Weak': Wind = Weak [5]
    so Yes: 100 % of 3 training rows
    """

    steps: tuple[Step, ...]
    prediction: Any
    shares: dict[Any, float]
    leaf: Card
    shared: bool

    def __str__(self) -> str:
        lines = [_say_step(step) for step in self.steps]
        if self.shared:
            lines.append("(missing values: the heaviest branches are shown, all are counted)")
            shares = ", ".join(f"{label} {show_share(s)}" for label, s in self.shares.items() if s)
            lines.append(f"so {self.prediction}" + (f": {shares}" if shares else ""))
        elif not self.leaf.samples:
            lines.append(f"so {self.prediction}: no training row came here, the parent decides")
        elif self.leaf.share is None:
            lines.append(f"so {self.prediction}: the mean of {_rows(self.leaf)}")
        else:
            lines.append(
                f"so {self.prediction}: {show_share(self.leaf.share)} of {_rows(self.leaf)}"
            )
        return "\n".join(lines)


def _rows(leaf: Card) -> str:
    samples = show_weight(leaf.samples)
    return "1 training row" if samples == "1" else f"{samples} training rows"


def _say_step(step: Step) -> str:
    if step.known:
        return f"{step.column} is {step.value!r}: {step.condition} [{step.child}]"
    what = "missing" if is_missing(step.value) else f"{step.value!r}, which the model does not know"
    if step.condition == f"{step.column} is {what}":  # a branch of its own
        return f"{step.condition} [{step.child}]"
    decides = f", but {step.stand_in}" if step.stand_in else ""
    return f"{step.column} is {what}{decides}: as {step.condition} [{step.child}]"


def explain(model: "Model", row: Any) -> Explanation:
    """Follow one case through the tree; see `Model.explain`."""
    values = _by_name(model.schema, row)
    frame = model.read([values] if model.schema.named else [list(values.values())])
    path = model.tree.path(int(model.apply_frame(frame)[0]))
    steps = []
    for node, child in pairwise(path):
        test = model.tree.test(node)
        assert test is not None
        column = model.schema.columns[test.column]
        value = values.get(column.name)
        known = _is_known(column, value)
        branch = child - model.tree.children(node)[0]
        stand_in = "" if known else _stand_in(model, node, branch, values)
        condition = test.branches[branch]
        words = say(model.schema, condition, missing=not known and not stand_in)
        steps.append(Step(node, child, column.name, value, words, known, stand_in))
    shares = {}
    if model.classes is not None:
        chances = model.values_frame(frame)[0].tolist()
        shares = dict(zip(model.classes.tolist(), chances, strict=True))
    return Explanation(
        steps=tuple(steps),
        prediction=model.predict_frame(frame).tolist()[0],
        shares=shares,
        leaf=card(model, path[-1]),
        shared=model.growth.missing == "fractional" and not all(step.known for step in steps),
    )


def _is_known(column: Column, value: Any) -> bool:
    if is_missing(value):
        return False
    return column.levels is None or plain(value) in column.levels


def _stand_in(model: "Model", node: int, branch: int, values: Mapping[str, Any]) -> str:
    """The condition of the first surrogate that the case has a value for."""
    for surrogate in model.tree.surrogates(node):
        column = model.schema.columns[surrogate.column]
        if _is_known(column, values.get(column.name)):
            return say(model.schema, surrogate.branches[branch], missing=False)
    return ""


def _by_name(schema: Schema, row: Any) -> dict[str, Any]:
    """One case as values by column name."""
    if isinstance(row, Mapping) or hasattr(row, "items"):  # a dict, or a pandas Series
        return {str(name): _unboxed(value) for name, value in row.items()}
    if isinstance(row, np.ndarray):
        row = list(row)
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(schema.columns):
        raise DataError(
            f"One case is wanted: a mapping of column names to values, or {len(schema.columns)} "
            f"values in the order of the columns. Got {row!r:.60}."
        )
    return dict(zip(schema.names, map(_unboxed, row), strict=True))


def _unboxed(value: Any) -> Any:
    """A numpy number or text as Python's own, which reads better."""
    return value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value
