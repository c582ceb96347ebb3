"""Why nodes were pruned: one entry per node that became a leaf or got another's test."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.render.html import Table, notebook

SHOWN = 20
"""So many entries are printed."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """One node that was pruned.

    Attributes
    ----------
    step : int
        Which pruning it was, from 1.
    policy : str
        The policy, with its settings.
    node, now : int
        The node's number in the tree before and after.
    action : {"collapsed", "raised"}
        It became a leaf; or the test and the branches of a node below it took its place.
    raised : int or None
        The number, before, of the node that took its place.
    weight : float
        Weight of the training rows of the node.
    kept, pruned : float
        What the subtree cost, what it costs now; `measure` says in what.
    leaves_before, leaves_after : int
        Number of leaves of the node, before the pruning and after.
    measure : str
        What `kept` and `pruned` are.
    """

    step: int
    policy: str
    node: int
    now: int
    action: str
    raised: int | None
    weight: float
    kept: float
    pruned: float
    leaves_before: int
    leaves_after: int
    measure: str


_FIELDS = tuple(field.name for field in fields(Pruned))


@dataclass(frozen=True, eq=False)
class Step:
    """One pruning: the nodes that it changed, as columns."""

    policy: str
    measure: str
    leaves: tuple[int, int]
    node: NDArray[np.int64]
    now: NDArray[np.int64]
    raised: NDArray[np.int64]
    weight: NDArray[np.float64]
    kept: NDArray[np.float64]
    pruned: NDArray[np.float64]
    leaves_before: NDArray[np.int64]
    leaves_after: NDArray[np.int64]

    def entries(self, number: int) -> Iterator[Pruned]:
        """The nodes one by one."""
        columns = (self.node, self.now, self.raised, self.weight, self.kept, self.pruned)
        sizes = (self.leaves_before, self.leaves_after)
        for node, now, raised, weight, kept, pruned, before, after in zip(
            *(column.tolist() for column in (*columns, *sizes)), strict=True
        ):
            action = "collapsed" if raised < 0 else "raised"
            yield Pruned(
                number,
                self.policy,
                node,
                now,
                action,
                None if raised < 0 else raised,
                weight,
                kept,
                pruned,
                before,
                after,
                self.measure,
            )


@dataclass(frozen=True, eq=False)
class PruningLog:
    """All that was pruned from a tree, in order.

    Iterating gives one `Pruned` per node; `to_dict` gives columns, so that
    ``pandas.DataFrame(log.to_dict())`` is a table.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> from bosco.pruning import GeneralizationError
    >>> model = DecisionTreeClassifier().fit(*golf()).model_
    >>> print(model.prune(GeneralizationError(alpha=2)).pruning_log())
    1. GeneralizationError(alpha=2): 6 leaves before, 1 after
    kept, pruned: wrong rows in training + 2 per leaf
    node  now  what       weight  kept  pruned  leaves
       0    0  collapsed      14     9       7  6 → 1
    """

    steps: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[Pruned]:
        for number, step in enumerate(self.steps, start=1):
            yield from step.entries(number)

    def __len__(self) -> int:
        return sum(len(step.node) for step in self.steps)

    def then(self, step: Step) -> "PruningLog":
        """The log with one more pruning."""
        return PruningLog((*self.steps, step))

    def to_dict(self) -> dict[str, list[Any]]:
        """The entries as columns."""
        entries = list(self)
        return {name: [getattr(entry, name) for entry in entries] for name in _FIELDS}

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it: a table per pruning."""
        return tuple(_table(number, step) for number, step in enumerate(self.steps, start=1))

    def _repr_html_(self) -> str:
        return notebook(self.tables()) or "<p>nothing was pruned</p>"

    def __str__(self) -> str:
        if not self.steps:
            return "nothing was pruned"
        blocks = [_show(number, step) for number, step in enumerate(self.steps, start=1)]
        return "\n\n".join(blocks)


def _head(number: int, step: Step) -> str:
    before, after = step.leaves
    return f"{number}. {step.policy}: {before} leaves before, {after} after"


def _cells(number: int, step: Step) -> list[list[str]]:
    """The header and the first entries, in words."""
    rows = [["node", "now", "what", "weight", "kept", "pruned", "leaves"]]
    for entry, _ in zip(step.entries(number), range(SHOWN), strict=False):
        what = entry.action if entry.raised is None else f"raised {entry.raised}"
        sizes = f"{entry.leaves_before} → {entry.leaves_after}"
        numbers = [f"{value:.4g}" for value in (entry.weight, entry.kept, entry.pruned)]
        rows.append([str(entry.node), str(entry.now), what, *numbers, sizes])
    return rows


def _table(number: int, step: Step) -> Table:
    header, *rows = _cells(number, step)
    caption = f"{_head(number, step)} · kept, pruned: {step.measure}"
    if len(step.node) > SHOWN:
        caption += f" · the first {SHOWN} of {len(step.node)} nodes"
    return Table(header, rows, caption)


def _show(number: int, step: Step) -> str:
    lines = [_head(number, step)]
    if not len(step.node):
        return lines[0]
    lines.append(f"kept, pruned: {step.measure}")
    rows = _cells(number, step)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].rjust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2])]
        cells += map(str.rjust, row[3:6], widths[3:6])
        lines.append("  ".join([*cells, row[6]]).rstrip())
    if len(step.node) > SHOWN:
        lines.append(f"… and {len(step.node) - SHOWN} more; to_dict() has all")
    return "\n".join(lines)
