"""How one case comes to its prediction, in words."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.data.columns import Cells, Coded, plain
from bosco.data.frame import Frame
from bosco.data.objects import is_missing
from bosco.data.schema import Column, Schema
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.figures.intervals import wilson
from bosco.reasons.counterfactual import Change, smallest_change
from bosco.render.card import Card, card, say
from bosco.render.case import case_markdown, case_text
from bosco.rules.align import raw_value
from bosco.rules.space import Space
from bosco.tree.census import training_evidence
from bosco.tree.conditions import Condition, Members
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.model import Model


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
class Unknown:
    """A value met on the way that the model could not use as it is.

    Attributes
    ----------
    column, value : str, object
        Where, and what it was.
    missing : bool
        Whether it was missing; if not, it is a level that the model does not know.
    handled : str
        What was done, in words.
    """

    column: str
    value: Any
    missing: bool
    handled: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one case and what it ends in; ``print`` it to read it.

    Attributes
    ----------
    case : dict
        The case, by column name.
    steps : tuple of Step
        From the root to the leaf.
    ranges : tuple of str
        The same path with the conditions on each column merged into one.
    prediction : object
        The class or the number predicted.
    shares : dict
        Share of each class as it is predicted, by weight where rows have weights; empty for a real
        target.
    seen : dict
        Share of each class among the training rows of the leaf; by weight where rows have weights
        of their own. Empty for a real target, for one class, in an empty leaf, and where shares are
        mixed from several leaves.
    intervals : dict
        Wilson's 95 % interval of each of these, by the number of rows.
    basis : {"rows", "effective", "weight"}
        What counts as their number: see `bosco.tree.census.Evidence`.
    number : float
        That number.
    rival : (object, float) or None
        The class with the largest share but one, and that share.
    leaf : Card
        What the leaf says of its training rows.
    shared : bool
        Whether missing values sent the case down several branches; the steps are then the heaviest
        ones, the prediction is from all.
    unknown : tuple of Unknown
        Missing values and unknown levels met, and how they were handled.
    change : Change or None
        The smallest change that would alter the decision; None if there is none, or none was
        looked for.
    sought : bool
        Whether a change was looked for; not in a tree of one leaf.

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
    95 % interval of that share: 43.9 % to 100 %
    strongest rival: No, 0 %
    it would be No if Wind were 'Strong' (it is 'Weak')
    """

    case: dict[str, Any]
    steps: tuple[Step, ...]
    ranges: tuple[str, ...]
    prediction: Any
    shares: dict[Any, float]
    seen: dict[Any, float]
    intervals: dict[Any, tuple[float, float]]
    basis: str
    number: float
    rival: tuple[Any, float] | None
    leaf: Card
    shared: bool
    unknown: tuple[Unknown, ...]
    change: Change | None
    sought: bool

    __str__ = case_text
    to_markdown = case_markdown

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; values of the case and labels stay as they are."""
        return {
            "case": self.case,
            "steps": list(map(asdict, self.steps)),
            "ranges": list(self.ranges),
            "prediction": self.prediction,
            "shares": self.shares,
            "seen": self.seen,
            "intervals": {label: list(ends) for label, ends in self.intervals.items()},
            "basis": self.basis,
            "number": self.number,
            "rival": None if self.rival is None else list(self.rival),
            "leaf": self.leaf.node,
            "rows": self.leaf.rows,
            "weight": self.leaf.weight,
            "shared": self.shared,
            "unknown": list(map(asdict, self.unknown)),
            "change": None if self.change is None else asdict(self.change),
        }


def explain(
    model: "Model", row: Any, *, allow: Any = None, to: Any = None, change: bool = True
) -> Explanation:
    """How one case comes to its prediction, and what would change it.

    Parameters
    ----------
    row : mapping or sequence
        The case: values by column name, or in the order of the columns.
    allow : mapping or sequence, optional
        What may change, by column name: "any", "up" or "down", a list of levels, or for numbers
        a pair (lowest, highest). A sequence of names allows any change of these columns. By
        default every column may change. Nothing is ever changed to a missing value.
    to : object, optional
        The class to change to, or for numbers a pair (lowest, highest); by default any other.
    change : bool, default=True
        Whether to look for the smallest change that alters the prediction: the fewest columns,
        then the shortest way; see `bosco.reasons.counterfactual.Change`.

    Returns
    -------
    Explanation
        The path, what the leaf says, and the change; ``print`` it.
    """
    values = by_name(model.schema, row)
    frame = frame_of(model, values)
    path = model.tree.path(int(model.apply_frame(frame)[0]))
    steps: list[Step] = []
    conditions: list[Condition] = []
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
        conditions.append(
            replace(condition, missing=False) if known else Members(test.column, (), True)
        )
    prediction = model.predict_frame(frame).tolist()[0]
    shared = model.growth.on_missing.shared and not all(step.known for step in steps)
    leaf = card(model, path[-1])
    shares: dict[Any, float] = {}
    if model.classes is not None:
        chances = model.values_frame(frame)[0].tolist()
        shares = dict(zip(model.classes.tolist(), chances, strict=True))
    counted = len(shares) > 1 and bool(leaf.weight) and not shared
    evidence = training_evidence(model)
    seen, number = evidence.values[path[-1]], float(evidence.numbers[path[-1]])
    low, high = wilson(np.clip(seen, 0.0, 1.0), number)
    intervals = zip(low.tolist(), high.tolist(), strict=True)
    space = Space(model.schema, conditions)
    ranges = space.conditions(space.box(conditions))  # one for each column
    others = [(label, share) for label, share in shares.items() if label != prediction]
    return Explanation(
        case={name: values.get(name) for name in model.schema.names},
        steps=tuple(steps),
        ranges=tuple(say(model.schema, condition) for condition in ranges),
        prediction=prediction,
        shares=shares,
        seen=dict(zip(shares, seen.tolist(), strict=True)) if counted else {},
        intervals=dict(zip(shares, intervals, strict=True)) if counted else {},
        basis=evidence.basis,
        number=number,
        rival=max(others, key=lambda other: other[1]) if others else None,
        leaf=leaf,
        shared=shared,
        unknown=tuple(_unknown(model, steps)),
        change=_change(model, values, prediction, allow, to) if change else None,
        sought=change and bool(steps),
    )


def frame_of(model: AnyModel, values: Mapping[str, Any]) -> Frame:
    """One case as a frame of a model."""
    frame: Frame = model.read([values] if model.schema.named else [list(values.values())])
    return frame


def _unknown(model: "Model", steps: Sequence[Step]) -> Iterator[Unknown]:
    """Every column met without a value that the model can use, once."""
    for step in {step.column: step for step in reversed(steps) if not step.known}.values():
        test = model.tree.test(step.node)
        assert test is not None
        alone = test.branches[step.child - model.tree.children(step.node)[0]]
        if test.by_share:
            handled = "went down every branch, in shares"
        elif step.stand_in:
            handled = f"{step.stand_in} decided instead"
        elif isinstance(alone, Members) and not alone.codes:
            handled = "has a branch of its own"
        else:
            handled = f"went with {say(model.schema, alone, missing=False)}"
        yield Unknown(step.column, step.value, is_missing(step.value), handled)


def _change(
    model: "Model", values: dict[str, Any], prediction: Any, allow: Any, to: Any
) -> Change | None:
    """The smallest change that alters a prediction, tried out before it is told."""
    columns = model.schema.columns
    table = frame_of(model, values).table
    case = {j: _as_core(table.column(j)) for j in range(len(columns))}
    found = smallest_change(model, case, allow, _wanted(model, prediction, to))
    if found is None:
        return None
    moved, answer, distance = found
    new = {columns[j].name: raw_value(columns[j], x) for j, x in moved.items()}
    zoneless = [
        isinstance(new[columns[j].name], np.datetime64)
        for j in moved
        if columns[j].unit == "instant"
    ]
    if any(zoneless):  # a year that cannot be typed in with a time zone
        return Change(new, answer, distance)
    after = model.predict_frame(frame_of(model, values | new)).tolist()[0]
    assert after == answer, f"{new} leads to {after!r}, not to {answer!r}"
    return Change(new, after, distance)


def _as_core(cells: Cells) -> float | None:
    """The value of a one-row column as the core has it."""
    if isinstance(cells, Coded):
        return float(cells.codes[0]) - 1 if cells.codes[0] else None
    x = float(cells.values[0])
    return None if math.isnan(x) else x


def _wanted(model: "Model", prediction: Any, to: Any) -> Callable[[Any], bool]:
    if to is None:
        return lambda answer: bool(answer != prediction)
    if model.classes is not None:
        labels = model.classes.tolist()
        if to not in labels:
            raise ParameterError(
                f"to must be one of the classes {labels[:20]}. Got {to!r}."
                + did_you_mean(to, labels)
            )
        return lambda answer: bool(answer == to)
    if not isinstance(to, Sequence) or len(to) != 2:
        raise ParameterError(f"to must be a pair (lowest, highest) of a number. Got {to!r}.")
    return lambda answer: bool(to[0] <= answer <= to[1])


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


def by_name(schema: Schema, row: Any) -> dict[str, Any]:
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
