"""How the rows of a judgement were parted by time or groups, and what that means, in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bosco.base.language import tr
from bosco.base.visible import visible
from bosco.judge.data import Data, Rows
from bosco.judge.splits import Plan


@dataclass(frozen=True, slots=True)
class Window:
    """One step in time: what was learned from, and what follows.

    Attributes
    ----------
    learned_from, learned_to, tested_from, tested_to : str
        The first and last moment of each part.
    train_rows, test_rows : int
        Their rows.
    """

    learned_from: str
    learned_to: str
    tested_from: str
    tested_to: str
    train_rows: int
    test_rows: int


def windows(plan: Plan) -> tuple[Window, ...]:
    """The steps of a plan that goes by time; none of another."""
    if plan.data.when is None:
        return ()
    return tuple(_window(plan.data, split.train, split.test) for split in plan)


def _window(data: Data, train: Rows, test: Rows) -> Window:
    ends = (*_ends(data, train), *_ends(data, test))
    return Window(*ends, train_rows=len(train), test_rows=len(test))


def _ends(data: Data, rows: Rows) -> tuple[str, str]:
    """The first and the last moment of some rows."""
    assert data.when is not None
    assert data.by is not None
    when = data.when[rows]
    return data.by.show(float(when.min())), data.by.show(float(when.max()))


def column_of(data: Data) -> str:
    """What the column is called."""
    if data.by is not None and data.by.name is not None:
        return visible(data.by.name)
    return tr("group") if data.when is None else tr("time")


def say_parted(plan: Plan) -> str:
    """How the rows were parted, and what it means; empty if it was by chance alone."""
    data = plan.data
    if data.when is not None and plan.method == "holdout":
        return say_parts(data, next((split.train, split.test) for split in plan))
    if data.when is not None:
        return tr(
            "Parted by {column}: each model learned from all rows before its window and was tested "
            "on the rows in it, so that none has seen what comes after; rows of one moment are on "
            "one side.",
            column=column_of(data),
        )
    return "" if data.groups is None else _of_groups(data)


def say_parts(data: Data, parts: Sequence[Rows]) -> str:
    """The same of parts: learned from, perhaps chosen on, and tested on."""
    if data.when is None:
        return "" if data.groups is None else _of_groups(data, parts)
    spans = [
        tr("{n} rows, {first} to {last}", n=f"{len(rows):,}", first=first, last=last)
        for rows in parts
        for first, last in [_ends(data, rows)]
    ]
    named = {"column": column_of(data), "learned": spans[0], "tested": spans[-1]}
    if len(parts) > 2:
        said = tr(
            "Parted by {column}: learned from {learned}; chosen on {chosen}; tested on {tested}.",
            chosen=spans[1],
            **named,
        )
    else:
        said = tr("Parted by {column}: learned from {learned}; tested on {tested}.", **named)
    return f"{said} " + tr("It says how a model of the past does on what comes after.")


def _of_groups(data: Data, parts: Iterable[Rows] = ()) -> str:
    """How many groups there are, and in which part."""
    assert data.groups is not None
    counts = [len(np.unique(data.groups[rows])) for rows in parts]
    said = tr(
        "Parted by {column}: the rows of each of its {n} values are on one side only",
        column=column_of(data),
        n=f"{len(np.unique(data.groups)):,}",
    )
    if counts:
        said += tr(
            " ({others} in what was learned from and chosen on, {tested} in what was tested)",
            others=f"{sum(counts[:-1]):,}",
            tested=f"{counts[-1]:,}",
        )
    return f"{said}. " + tr(
        "It says how a model does on values of {column} that it has not met. Rows of one value are "
        "alike, so that figures are less sure than as many rows of their own would make them.",
        column=column_of(data),
    )


def between(data: Data, rows: Rows) -> str:
    """Which rows were tested, after their number: in time, or of how many groups."""
    if data.when is not None:
        first, last = _ends(data, rows)
        named = {"column": column_of(data), "first": first, "last": last}
        return tr(", {column} {first} to {last}", **named)
    if data.groups is not None:
        n = len(np.unique(data.groups[rows]))
        return tr(", of {n} other values of {column}", n=f"{n:,}", column=column_of(data))
    return ""
