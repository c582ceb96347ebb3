"""What a node says, before any painter decides how it looks.

Conditions are put into words here and nowhere else, so text, explanations and tables of candidates
say the same thing the same way. Numbers are exact: thresholds and means with the fewest digits that
give back the same float64.
"""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bosco.base.numerals import show_figure, show_number
from bosco.base.visible import visible
from bosco.data.columns import Level
from bosco.data.schema import Column, Schema, show_label, show_level
from bosco.tree.conditions import Condition, Interval, Members, Test
from bosco.tree.ties import tied

if TYPE_CHECKING:
    from bosco.models.model import Model

MAX_LEVELS = 8
"""How many levels of a set are spelled out unless all are asked for."""

SHORT_LEVELS = 4
"""How many levels the label of a branch in a picture spells out."""

MARK = "*"
"""Stands where a missing value would go, of a column that had none in training."""

MAX_NAMES = 12
"""How many columns the note on the mark names."""

NO_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Branch:
    """One way out of a node, or several that lead to empty leaves.

    `words` is the whole condition; `label` leaves out the column and the missing values, for a
    picture that shows the column above; `missing` says whether they go this way, `marked` that
    they would, though training had none: a mark says so, and a note what the mark means.
    """

    words: str
    children: tuple[int, ...]
    empty: bool
    label: str
    missing: bool
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """All there is to say of one node. Rows and weights are those of training."""

    node: int
    leaf: bool
    prediction: str  # the class, or the exact mean
    share: float | None  # of the predicted class by weight, as predicted; None for a real target
    mean: float | None  # of a real target, by weight; None for classes
    rows: float | None  # their number; None where only their weight is known
    weight: float  # what the learner counted
    noun: str  # what the rows are: "row" or "drawn row"
    weighted: bool  # whether rows are known and weigh other than 1
    classes: tuple[tuple[str, float], ...]  # rows (or weight) of each that is present, most first
    row_share: float | None  # of the predicted class among the rows, where these are known
    tie: bool  # whether another class weighs as much as the one predicted
    gain: float  # of the node's test; 0 for a leaf
    branches: tuple[Branch, ...]  # the ways out, in order
    stand_ins: tuple[str, ...]  # what decides, in turn, where the value tested is missing


def card(model: "Model", node: int, max_levels: int = MAX_LEVELS) -> Card:
    """Say everything about one node of a model."""
    native, census = model.tree.native, model.census
    test = model.tree.test(node)
    classes: tuple[tuple[str, float], ...] = ()
    share = row_share = mean = None
    tie = False
    rows = None if census is None else float(census.total[node])
    if model.classes is not None:
        best = int(model.node_class[node])
        share = float(native.value[node, best])
        tie = bool(tied(native.tally[node : node + 1])[0])
        amount = model.amounts[node]
        order = sorted(amount.nonzero()[0].tolist(), key=lambda k: (-amount[k], k != best, k))
        classes = tuple((show_label(model.classes[k]), float(amount[k])) for k in order)
        row_share = float(amount[best] / rows) if rows else None
        prediction = show_label(model.classes[best])
    else:
        mean = float(native.value[node, 0])
        prediction = show_number(mean)
    return Card(
        node=node,
        leaf=test is None,
        prediction=prediction,
        share=share,
        mean=mean,
        rows=rows,
        weight=float(model.tree.node_weight[node]),
        noun="row" if census is None else census.noun,
        weighted=model.counted is not None,
        classes=classes,
        row_share=row_share,
        tie=tie,
        gain=float(native.gain[node]),
        branches=() if test is None else _branches(model, node, test, max_levels),
        stand_ins=_stand_ins(model, node, test, max_levels),
    )


def _branches(model: "Model", node: int, test: Test, max_levels: int) -> tuple[Branch, ...]:
    children, unseen = model.tree.children(node), model.never_missing
    marks = test.column in unseen
    # Where stand-ins decide, their own line says where missing values go.
    refused = model.growth.on_missing.refused or bool(model.tree.surrogates(node))
    found: list[Branch] = []
    absent: list[tuple[Members, int]] = []
    for condition, child in zip(test.branches, children, strict=True):
        if isinstance(condition, Members) and model.tree.node_weight[child] == 0:
            absent.append((condition, child))
        else:
            words = say(model.schema, condition, max_levels, missing=not refused, unseen=unseen)
            label = say_short(model.schema, condition)
            missing = condition.missing and not refused
            found.append(Branch(words, (child,), False, label, missing, missing and marks))
    if absent:
        codes = tuple(sorted(code for condition, _ in absent for code in condition.codes))
        missing = any(condition.missing for condition, _ in absent) and not refused
        together = Members(test.column, codes, missing)
        words = say(model.schema, together, max_levels, unseen=unseen)
        label = say_short(model.schema, together)
        nodes = tuple(child for _, child in absent)
        found.append(Branch(words, nodes, True, label, missing, missing and marks))
    return tuple(found)


def _stand_ins(model: "Model", node: int, test: Test | None, max_levels: int) -> tuple[str, ...]:
    if test is None or not (surrogates := model.tree.surrogates(node)):
        return ()
    children = model.tree.children(node)
    said = []
    for surrogate in surrogates:
        first = say(model.schema, surrogate.branches[0], max_levels, missing=False)
        said.append(f"{first} → [{children[0]}], else [{children[1]}]")
    return (*said, f"[{children[test.missing]}]")


def count(n: int | str, noun: str) -> str:
    """A number and its noun: ``1 leaf``, ``2 leaves``."""
    if str(n) == "1":
        return f"1 {noun}"
    plural = {"leaf": "leaves", "class": "classes"}.get(noun, f"{noun}s")
    return f"{n} {plural}"


def show_amount(rows: float | None, weight: float, noun: str = "row") -> str:
    """How many rows, ``12 rows``; where that is not known, what they weigh: ``weight 7.4``."""
    return f"weight {show_weight(weight)}" if rows is None else count(show_weight(rows), noun)


def show_weight(weight: float) -> str:
    """A number of rows or a weight for reading: whole numbers in full, others to four digits."""
    if not float(weight).is_integer():
        return show_figure(weight)
    return f"{int(weight)}" if abs(weight) < 10_000 else f"{int(weight):,}"


def show_share(share: float) -> str:
    """A share as a percentage; 0 and 100 only where they are exact."""
    if share in (0.0, 1.0):
        return f"{share:.0%}".replace("%", " %")
    return f"{min(max(share, 0.001), 0.999) * 100:.1f} %"


def say(
    schema: Schema,
    condition: Condition,
    max_levels: int = MAX_LEVELS,
    *,
    missing: bool = True,
    unseen: Collection[int] = (),
) -> str:
    """A condition in words: ``humidity ≤ 77.5 or missing``.

    So many levels of a set are spelled out; `missing` says whether to tell where missing values go,
    by a mark in columns that are `unseen`: that had no missing value in training.
    """
    column = schema.columns[condition.column]
    if isinstance(condition, Interval):
        words = _say_interval(schema, condition, column)
    else:
        if not condition.codes:
            return f"{column.shown} is missing"
        words = _say_members(condition, column, max_levels)
    if not (missing and condition.missing):
        return words
    return f"{words} {MARK}" if condition.column in unseen else f"{words} or missing"


GOES_HERE = "A missing value would go here"
HOLDS_TOO = "Holds for a missing value, too"


def say_unseen(schema: Schema, columns: Iterable[int], meaning: str = GOES_HERE) -> str:
    """What the mark means, said once."""
    names = [visible(schema.columns[j].name) for j in sorted(columns)]
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"{MARK} {meaning}; training had none in {', '.join(names[:MAX_NAMES])}{more}."


def say_short(schema: Schema, condition: Condition, max_levels: int = SHORT_LEVELS) -> str:
    """A condition without its column and the missing values: ``≤ 77.5``, ``Rain``, ``a, b``."""
    column = schema.columns[condition.column]
    if isinstance(condition, Interval):
        bounds = (("> ", condition.low), ("≤ ", condition.high))
        said = [sign + _edge(schema, condition.column, at) for sign, at in bounds if at is not None]
        return ", ".join(said) or "known"
    if not condition.codes:
        return "missing"
    words = _say_members(condition, column, max_levels).removeprefix(f"{column.shown} ")
    for sign, short in (("= ", ""), ("in ", ""), ("not in ", "none of "), ("is ", "")):
        if words.startswith(sign):
            return short + words.removeprefix(sign).removeprefix("{").removesuffix("}")
    return words


def say_test(schema: Schema, test: Test, max_levels: int = MAX_LEVELS) -> str:
    """A test in words, short: by its first branch if it has two, else by all it tells apart."""
    first = test.branches[0]
    if len(test.branches) == 2:
        return say(schema, first, max_levels, missing=False)
    name = schema.columns[test.column].shown
    if isinstance(first, Interval):
        cuts = [b.high for b in test.branches if isinstance(b, Interval) and b.high is not None]
        return f"{name} cut at {', '.join(_edge(schema, test.column, cut) for cut in cuts)}"
    sets = [b for b in test.branches if isinstance(b, Members) and b.codes]
    if all(len(b.codes) == 1 for b in sets):
        return f"{name}, one branch per value"
    levels = schema.columns[test.column].levels or ()
    return f"{name} in " + " | ".join(_set(levels, b.codes, max_levels) for b in sets)


def _say_interval(schema: Schema, interval: Interval, column: Column) -> str:
    ends, name = (interval.low, interval.high), column.shown
    low, high = (None if x is None else _edge(schema, interval.column, x) for x in ends)
    if low is None and high is None:
        return f"{name} is known"
    if low is None:
        return f"{name} ≤ {high}"
    return f"{name} > {low}" if high is None else f"{low} < {name} ≤ {high}"


def _edge(schema: Schema, column: int, value: float) -> str:
    """A threshold as text; of an ordinal column, the last level below it."""
    levels = schema.columns[column].levels
    if levels is not None:
        return quote(levels[math.floor(value)])
    return schema.show_value(column, value)


def _say_members(members: Members, column: Column, max_levels: int) -> str:
    levels, codes = column.levels or (), members.codes
    n_others = len(levels) - len(codes)
    if n_others == 0:
        return f"{column.shown} is known"
    if len(codes) == 1:
        return f"{column.shown} = {quote(levels[codes[0] - 1])}"
    if n_others >= len(codes):
        return f"{column.shown} in {_set(levels, codes, max_levels)}"
    inside = set(codes)
    others = tuple(code for code in range(1, len(levels) + 1) if code not in inside)
    if n_others == 1:
        return f"{column.shown} ≠ {quote(levels[others[0] - 1])}"
    return f"{column.shown} not in {_set(levels, others, max_levels)}"


def _set(levels: tuple[Level, ...], codes: tuple[int, ...], max_levels: int) -> str:
    shown = [quote(levels[code - 1]) for code in codes[:max_levels]]
    if len(codes) > max_levels:
        shown.append(f"… {len(codes) - max_levels} more")
    return "{" + ", ".join(shown) + "}"


def quote(level: Level) -> str:
    """A level as text, in quotes where it could be read otherwise."""
    text = show_level(level)
    plain = text == text.strip() and text and not set(text) & set(",{}|'\"→…*")
    return visible(text) if plain else repr(text)
