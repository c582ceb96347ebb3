"""How one case comes to its prediction, in words."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import show_number
from bosco.data.columns import plain
from bosco.data.deriving import meanings
from bosco.data.frame import Frame
from bosco.data.objects import is_missing
from bosco.data.schema import Column
from bosco.errors import ParameterError, did_you_mean
from bosco.figures.intervals import wilson
from bosco.reasons.asking import Ask, unasked, what_to_ask
from bosco.reasons.counterfactual import Change, smallest_change, tied
from bosco.reasons.given import by_name, derived_values, frame_of, value_of
from bosco.render.card import Card, card, say
from bosco.render.case import case_markdown, case_text
from bosco.rules.align import raw_value
from bosco.rules.space import Space
from bosco.tree.census import training_evidence
from bosco.tree.conditions import Condition, Members, Test

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
    later : bool
        Whether the case says nothing of the column, which is then read as missing for now.
    stand_in : str
        If so and a surrogate test decided: its condition, in words; else empty.
    by_hand : bool
        Whether a person chose the test.
    """

    node: int
    child: int
    column: str
    value: Any
    condition: str
    known: bool
    stand_in: str = ""
    by_hand: bool = False
    later: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value met on the way that the model could not use as it is.

    Attributes
    ----------
    column, value : str, object
        Where, and what it was.
    missing : bool
        Whether it was missing; if not, it is a level that the model does not know, or a number
        outside the bounds that were declared.
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
    meanings : tuple of str
        What the derived columns mean that were met on the way.
    held : tuple of str
        Columns that no change was looked for in, as they do not change alone: those that are
        derived, and those that they are derived from.
    decided : tuple of str
        How the answer is decided, in sentences, where that is not by the heaviest class.
    calibrated : bool
        Whether `shares` are calibrated, and so other ones than those of the training rows.
    ask : Ask or None
        Of a case that is not wholly known: what to ask next, or that nothing need be asked.
    paid : float or None
        What was paid for answers on the way, where answers have prices.

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
    meanings: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    calibrated: bool = False
    ask: Ask | None = None
    paid: float | None = None

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
            "calibrated": self.calibrated,
            "seen": self.seen,
            "intervals": {label: list(ends) for label, ends in self.intervals.items()},
            "basis": self.basis,
            "number": self.number,
            "rival": None if self.rival is None else list(self.rival),
            "leaf": self.leaf.node,
            "by_order": self.leaf.order is not None,
            "by": self.leaf.by,
            "rows_say": self.leaf.own,
            "rows": self.leaf.rows,
            "weight": self.leaf.weight,
            "shared": self.shared,
            "meanings": list(self.meanings),
            "unknown": list(map(asdict, self.unknown)),
            "change": None if self.change is None else asdict(self.change),
            "ask": None if self.ask is None else asdict(self.ask) | {"settled": self.ask.settled},
            "paid": self.paid,
        }


def explain(
    model: "Model", row: Any, *, allow: Any = None, to: Any = None, change: bool = True
) -> Explanation:
    """How one case comes to its prediction, and what would change it.

    Parameters
    ----------
    row : mapping or sequence
        The case: values by column name, or in the order of the columns. Columns that are left out
        are not known yet (None is a value that is missing for good): the explanation says what to
        ask next, or that whatever is answered, the decision stays.
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
    later = unasked(model, values)
    if later:
        names = [column.name for column in model.schema.given]
        values = {name: values.get(name) for name in names}
    frame = frame_of(model, values)
    values |= derived_values(frame)
    change = change and not later
    path = model.tree.path(int(model.apply_frame(frame)[0]))
    steps: list[Step] = []
    asked: list[Test] = []
    conditions: list[Condition] = []
    for node, child in pairwise(path):
        test = model.tree.test(node)
        assert test is not None
        asked.append(test)
        column = model.schema.columns[test.column]
        value = values.get(column.name)
        known = _is_known(column, value)
        branch = child - model.tree.children(node)[0]
        stand_in = "" if known else _stand_in(model, node, branch, values)
        condition = test.branches[branch]
        words = say(model.schema, condition, missing=not known and not stand_in)
        by_hand = node in model.edits.chosen
        at = Step(node, child, column.name, value, words, known, stand_in, by_hand)
        steps.append(replace(at, later=test.column in later))
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
        meanings=tuple(meanings(model.schema, [test.column for test in asked])),
        held=tuple(model.schema.names[j] for j in sorted(tied(model))) if change else (),
        decided=tuple(model.deciding),
        calibrated=model.decision.calibration is not None,
        ask=what_to_ask(model, _known(frame, later)) if later else None,
        paid=None if later or model.prices is None else float(model.price_frame(frame)[0]),
    )


def _known(frame: Frame, later: set[int]) -> dict[int, float | None]:
    """The columns that a case has an answer to, as conditions ask for them."""
    found: dict[int, float | None] = {}
    for j, column in enumerate(frame.schema.columns):
        if j not in later:
            value = value_of(frame.table.column(j))
            code = column.kind == "nominal" and value is not None
            found[j] = value + 1 if code and value is not None else value
    return found


def _unknown(model: "Model", steps: Sequence[Step]) -> Iterator[Unknown]:
    """Every column met without a value that the model can use, once."""
    for step in {step.column: step for step in reversed(steps) if not step.known}.values():
        test = model.tree.test(step.node)
        assert test is not None
        alone = test.branches[step.child - model.tree.children(step.node)[0]]
        if test.by_share:
            handled = tr("went down every branch, in shares")
        elif step.stand_in:
            handled = tr("{test} decided instead", test=step.stand_in)
        elif isinstance(alone, Members) and not alone.codes:
            handled = tr("has a branch of its own")
        else:
            handled = tr("went with {test}", test=say(model.schema, alone, missing=False))
        yield Unknown(step.column, step.value, is_missing(step.value), handled)
    bounds = {c.name: c.bounds for c in model.schema.columns if c.bounds is not None}
    for step in {step.column: step for step in steps if step.known}.values():
        low, high = bounds.get(step.column, (-math.inf, math.inf))
        if not low <= float(step.value if step.column in bounds else 0) <= high:
            handled = tr(
                "is outside what was declared, {low} to {high}, and is read as it is",
                low=show_number(low),
                high=show_number(high),
            )
            yield Unknown(step.column, step.value, False, handled)


def _change(
    model: "Model", values: dict[str, Any], prediction: Any, allow: Any, to: Any
) -> Change | None:
    """The smallest change that alters a prediction, tried out before it is told."""
    columns = model.schema.columns
    table = frame_of(model, values).table
    case = {j: value_of(table.column(j)) for j in range(len(columns))}
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
