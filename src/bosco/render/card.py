"""What a node says, before any painter decides how it looks.

Conditions are put into words here and nowhere else, so text, explanations and tables of candidates
say the same thing the same way. Numbers are exact: thresholds and means with the fewest digits that
give back the same float64.

Over 400 lines, so that all words of a node stand in one place.
"""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import show_figure, show_number
from bosco.base.visible import visible
from bosco.data.columns import Level
from bosco.data.schema import Column, Schema, show_label, show_level
from bosco.tree.conditions import Condition, Interval, Members, Test
from bosco.tree.edits import ByHand, Order
from bosco.tree.ties import heaviest

if TYPE_CHECKING:
    from bosco.growth import Growth
    from bosco.models.model import Model

MAX_LEVELS = 8
"""How many levels of a set are spelled out unless all are asked for."""

SHORT_LEVELS = 4
"""How many levels the label of a branch in a picture spells out."""

MARK = "*"
"""Stands where a missing value would go, of a column that had none in training."""

BY_HAND = phrase("by hand")
"""Stands at a node whose test a person chose."""

BY_ORDER = phrase("by order")
"""Stands at a leaf that answers what a person ordered."""

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
    mean: float | None  # of a real target, by weight, or what stands for it; None for classes
    statistic: str  # which that is, in a word
    medians: bool  # whether it is a median, or another quantile
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
    own: str  # what its rows say, other than the prediction where that is by order
    own_share: float | None  # of that class by weight; None for a real target
    order: Order | None  # what was ordered, if it answers by order
    turned: bool  # whether costs or a cut-off decide for another class than the heaviest
    by: str  # in a word, why it answers otherwise than its rows say; empty if it does not
    by_hand: ByHand | None  # what is known of its test, if a person chose it
    note: str  # what a person wrote beside it
    locked: bool  # whether it must not change


def card(model: "Model", node: int, max_levels: int = MAX_LEVELS) -> Card:
    """Say everything about one node of a model."""
    native, census = model.tree.native, model.census
    test = model.tree.test(node)
    classes: tuple[tuple[str, float], ...] = ()
    share = row_share = mean = None
    tie = turned = False
    ordered = model.edits.orders.get(node)
    own_share = None
    rows = None if census is None else float(census.total[node])
    if model.classes is not None:
        best = int(model.node_class[node])
        rows_say = int(heaviest(native.value[node : node + 1])[0])
        share, own_share = (float(native.value[node, k]) for k in (best, rows_say))
        tie, turned = bool(model.ties[node]), bool(model.turned[node])
        amount = model.amounts[node]
        order = sorted(amount.nonzero()[0].tolist(), key=lambda k: (-amount[k], k != best, k))
        classes = tuple((show_label(model.classes[k]), float(amount[k])) for k in order)
        row_share = float(amount[best] / rows) if rows else None
        prediction, own = (show_label(model.classes[k]) for k in (best, rows_say))
    else:
        mean = float(native.value[node, 0])
        prediction, own = (show_number(x) for x in (float(model.decided[node, 0]), mean))
    return Card(
        node=node,
        leaf=test is None,
        prediction=prediction,
        share=share,
        mean=mean,
        statistic=statistic(model.growth, weighted=model.counted is not None),
        medians=model.growth.medians,
        rows=rows,
        weight=float(model.tree.node_weight[node]),
        noun="row" if census is None else census.noun,
        weighted=model.counted is not None,
        classes=classes,
        row_share=row_share,
        tie=tie,
        gain=float(native.gain[node]),
        branches=() if test is None else branches_of(model, node, test, max_levels),
        stand_ins=stand_ins_of(model, node, test, max_levels),
        own=own,
        own_share=own_share,
        order=ordered,
        turned=turned,
        by=BY_ORDER() if ordered else model.decision.word * turned,
        by_hand=model.edits.chosen.get(node),
        note=model.edits.notes.get(node, ""),
        locked=node in model.edits.locked,
    )


def statistic(growth: "Growth", *, weighted: bool = False) -> str:
    """What leaves of numbers say of their rows, in a word."""
    if growth.criterion == "absolute_error":
        return tr("weighted median") if weighted else tr("median")
    if growth.criterion == "quantile":
        share = show_number(growth.quantile)
        words = (tr("weighted {share} quantile", share=share), tr("{share} quantile", share=share))
        return words[0] if weighted else words[1]
    return tr("weighted mean") if weighted else tr("mean")


def say_own(said: Card) -> str:
    """What the rows of a leaf say that answers otherwise: ``its rows say Yes, 80.0 %``."""
    if not (said.weight if said.rows is None else said.rows):
        return tr("its parent says {answer}", answer=said.own)
    share = "" if said.own_share is None else f", {show_share(said.own_share)}"
    share += f" {tr('by weight')}" if share and said.weighted else ""
    return tr("its rows say {answer}", answer=said.own) + share


def say_empty(said: Card) -> str:
    """Why a leaf without rows answers as it does."""
    if said.by:
        return f"{tr('no rows')}; {say_own(said)}"
    return tr("no rows, as its parent")


def branches_of(model: Any, node: int, test: Test, max_levels: int) -> tuple[Branch, ...]:
    """The ways out of a node, in order."""
    children, unseen = model.tree.children(node), model.never_missing
    marks = test.column in unseen
    # Where stand-ins decide, their own line says where missing values go.
    refused = model.growth.on_missing.refused or bool(model.tree.surrogates(node))
    found: list[Branch] = []
    absent: list[tuple[Members, int]] = []
    for condition, child in zip(test.branches, children, strict=True):
        lacks_rows = isinstance(condition, Members) and bool(model.tree.node_weight[child] == 0)
        if isinstance(condition, Members) and lacks_rows and not model.edits.touch(child):
            absent.append((condition, child))
        else:
            words = say(model.schema, condition, max_levels, missing=not refused, unseen=unseen)
            label = say_short(model.schema, condition)
            missing = condition.missing and not refused
            found.append(Branch(words, (child,), lacks_rows, label, missing, missing and marks))
    if absent:
        codes = tuple(sorted(code for condition, _ in absent for code in condition.codes))
        missing = any(condition.missing for condition, _ in absent) and not refused
        together = Members(test.column, codes, missing)
        words = say(model.schema, together, max_levels, unseen=unseen)
        label = say_short(model.schema, together)
        nodes = tuple(child for _, child in absent)
        found.append(Branch(words, nodes, True, label, missing, missing and marks))
    return tuple(found)


def stand_ins_of(model: Any, node: int, test: Test | None, max_levels: int) -> tuple[str, ...]:
    """What decides, in turn, where the value that a node tests is missing."""
    if test is None or not (surrogates := model.tree.surrogates(node)):
        return ()
    children = model.tree.children(node)
    said = []
    for surrogate in surrogates:
        first = say(model.schema, surrogate.branches[0], max_levels, missing=False)
        said.append(tr("{test} → [{a}], else [{b}]", test=first, a=children[0], b=children[1]))
    return (*said, f"[{children[test.missing]}]")


COUNTED: dict[str, Callable[[int | str], str]] = {
    "class": lambda n: trn("{n} class", "{n} classes", n),
    "column": lambda n: trn("{n} column", "{n} columns", n),
    "entry": lambda n: trn("{n} entry", "{n} entries", n),
    "test": lambda n: trn("{n} test", "{n} tests", n),
    "drawn row": lambda n: trn("{n} drawn row", "{n} drawn rows", n),
    "drawn training row": lambda n: trn("{n} drawn training row", "{n} drawn training rows", n),
    "leaf": lambda n: trn("{n} leaf", "{n} leaves", n),
    "output": lambda n: trn("{n} output", "{n} outputs", n),
    "question": lambda n: trn("{n} question", "{n} questions", n),
    "round": lambda n: trn("{n} round", "{n} rounds", n),
    "row": lambda n: trn("{n} row", "{n} rows", n),
    "sample": lambda n: trn("{n} sample", "{n} samples", n),
    "training row": lambda n: trn("{n} training row", "{n} training rows", n),
    "tree": lambda n: trn("{n} tree", "{n} trees", n),
    "weighted drawn row": lambda n: trn("{n} weighted drawn row", "{n} weighted drawn rows", n),
    "weighted row": lambda n: trn("{n} weighted row", "{n} weighted rows", n),
}
"""Everything that is counted, by its noun."""

ALL_OF = {
    "drawn row": phrase("drawn rows"),
    "drawn training row": phrase("drawn training rows"),
    "row": phrase("rows"),
    "training row": phrase("training rows"),
}
"""The same without a number."""


def count(n: int | str, noun: str) -> str:
    """A number and its noun: ``1 leaf``, ``2 leaves``."""
    return COUNTED[noun](n)


def say_columns(schema: Schema) -> str:
    """How many columns there are; derived ones apart."""
    given = count(len(schema.given), "column")
    if not schema.derived:
        return given
    return tr("{columns} and {n} derived", columns=given, n=len(schema.derived))


def show_amount(rows: float | None, weight: float, noun: str = "row") -> str:
    """How many rows, ``12 rows``; where that is not known, what they weigh: ``weight 7.4``."""
    if rows is None:
        return tr("weight {weight}", weight=show_weight(weight))
    return count(show_weight(rows), noun)


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
            return tr("{column} is missing", column=column.shown)
        words = _say_members(condition, column, max_levels)
    if not (missing and condition.missing):
        return words
    seen = condition.column not in unseen
    return tr("{words} or missing", words=words) if seen else f"{words} {MARK}"


GOES_HERE = phrase("A missing value would go here")
HOLDS_TOO = phrase("Holds for a missing value, too")


def say_unseen(
    schema: Schema, columns: Iterable[int], meaning: Callable[[], str] = GOES_HERE
) -> str:
    """What the mark means, said once."""
    names = [visible(schema.columns[j].name) for j in sorted(columns)]
    said = ", ".join(names[:MAX_NAMES])
    if len(names) > MAX_NAMES:
        said = tr("{names} and {n} more", names=said, n=len(names) - MAX_NAMES)
    none = tr("{meaning}; training had none in {names}.", meaning=meaning(), names=said)
    return f"{MARK} {none}"


def say_bounds(columns: Iterable[Column]) -> str:
    """Between what the numbers of some columns were declared to be."""
    said = [
        tr(
            "{column} from {low} to {high}",
            column=c.shown,
            low=show_number(c.bounds[0]),
            high=show_number(c.bounds[1]),
        )
        for c in columns
        if c.bounds is not None
    ]
    more = len(said) - MAX_NAMES
    rest = trn(" and {n} more", " and {n} more", more) if more > 0 else ""
    return tr(
        "Declared: {columns}. What is outside is read as it is.",
        columns=", ".join(said[:MAX_NAMES]) + rest,
    )


def say_short(schema: Schema, condition: Condition, max_levels: int = SHORT_LEVELS) -> str:
    """A condition without its column and the missing values: ``≤ 77.5``, ``Rain``, ``a, b``."""
    column = schema.columns[condition.column]
    if isinstance(condition, Interval):
        bounds = (("> ", condition.low), ("≤ ", condition.high))
        said = [sign + _edge(schema, condition.column, at) for sign, at in bounds if at is not None]
        return ", ".join(said) or tr("known")
    if not condition.codes:
        return tr("missing")
    words = _say_members(condition, column, max_levels).removeprefix(f"{column.shown} ")
    among, none, be = tr("in "), tr("not in "), tr("is ")
    for sign, short in (("= ", ""), (among, ""), (none, tr("none of ")), (be, "")):
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
        ends = ", ".join(_edge(schema, test.column, cut) for cut in cuts)
        return tr("{column} cut at {cuts}", column=name, cuts=ends)
    sets = [b for b in test.branches if isinstance(b, Members) and b.codes]
    if all(len(b.codes) == 1 for b in sets):
        return tr("{column}, one branch per value", column=name)
    levels = schema.columns[test.column].levels or ()
    return f"{name} {tr('in ')}" + " | ".join(_set(levels, b.codes, max_levels) for b in sets)


def _say_interval(schema: Schema, interval: Interval, column: Column) -> str:
    ends, name = (interval.low, interval.high), column.shown
    low, high = (None if x is None else _edge(schema, interval.column, x) for x in ends)
    if low is None and high is None:
        return f"{name} {tr('is ')}{tr('known')}"
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
        return f"{column.shown} {tr('is ')}{tr('known')}"
    if len(codes) == 1:
        return f"{column.shown} = {quote(levels[codes[0] - 1])}"
    if n_others >= len(codes):
        return f"{column.shown} {tr('in ')}{_set(levels, codes, max_levels)}"
    inside = set(codes)
    others = tuple(code for code in range(1, len(levels) + 1) if code not in inside)
    if n_others == 1:
        return f"{column.shown} ≠ {quote(levels[others[0] - 1])}"
    return f"{column.shown} {tr('not in ')}{_set(levels, others, max_levels)}"


def _set(levels: tuple[Level, ...], codes: tuple[int, ...], max_levels: int) -> str:
    shown = [quote(levels[code - 1]) for code in codes[:max_levels]]
    if len(codes) > max_levels:
        shown.append(tr("… {n} more", "levels", n=len(codes) - max_levels))
    return "{" + ", ".join(shown) + "}"


def quote(level: Level) -> str:
    """A level as text, in quotes where it could be read otherwise."""
    text = show_level(level)
    plain = text == text.strip() and text and not set(text) & set(",{}|'\"→…*")
    return visible(text) if plain else repr(text)
