"""What pruning compared: one entry per node that was weighed, cut or kept."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.hints import how
from bosco.base.language import phrase, retold, tr
from bosco.base.numerals import lay_out, show_figure
from bosco.render.html import Shown, Table

SHOWN = 20
"""So many entries of a pruning are printed, unless all are asked for."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """One node that a pruning weighed.

    Attributes
    ----------
    step : int
        Which pruning it was, from 1.
    policy : str
        The policy, with its settings.
    node : int
        The node's number in the tree before.
    now : int or None
        Its number in the tree as it is now; None: it went with a node above it.
    action : {"collapsed", "raised", "kept"}
        It became a leaf; the test and the branches of a node below it took its place; or it stayed.
    raised : int or None
        The number, before, of the node that took its place.
    weight : float
        Weight of the training rows of the node.
    kept, pruned : float
        What the node costs with its subtree, and what without; `measure` says in what.
    leaves_before, leaves_after : int
        Number of leaves of the node, before the pruning and after.
    measure : str
        What `kept` and `pruned` are.
    """

    step: int
    policy: str
    node: int
    now: int | None
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
    """One pruning: the nodes that it weighed, as columns.

    `changed` says which of them became leaves or got another's test. `compared` is how many were
    weighed in all; of a very large tree those that went with a node above them are not listed. It
    is None in logs of older files, which list the changed nodes only and say in `now` which numbers
    they had after this pruning, whatever came later.
    """

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
    changed: NDArray[np.bool_]
    compared: int | None

    def entries(self, number: int, rows: NDArray[np.int64] | None = None) -> Iterator[Pruned]:
        """The nodes one by one; `rows`: only those, in that order."""
        names = ("node", "now", "raised", "changed", "weight", "kept", "pruned")
        rows = np.arange(len(self.node)) if rows is None else rows
        columns = [
            getattr(self, name)[rows].tolist() for name in (*names, "leaves_before", "leaves_after")
        ]
        for node, now, raised, changed, *costs in zip(*columns, strict=True):
            what = ("collapsed" if raised < 0 else "raised") if changed else "kept"
            present, other = (None if at < 0 else at for at in (now, raised))
            about = [number, self.policy, node, present, what, other, *costs, self.measure]
            yield Pruned(*about)

    @property
    def cut(self) -> NDArray[np.int64]:
        """The changed entries that did not go with a node above them: what the pruning came to."""
        return np.flatnonzero(self.changed & (self.leaves_after > 0))

    def renumbered(self, number: NDArray[np.int64]) -> "Step":
        """The same where a later pruning gave the nodes these numbers, -1 to those that went."""
        if self.compared is None:
            return self
        now = np.where(self.now >= 0, number[np.maximum(self.now, 0)], -1)
        return replace(self, now=now)


@dataclass(frozen=True, eq=False)
class PruningLog(Shown):
    """All that prunings of a tree compared, in order.

    Iterating gives one `Pruned` per node that was weighed, cut or kept; `to_dict` gives columns, so
    that ``pandas.DataFrame(log.to_dict())`` is a table. ``print`` shows what was cut and counts the
    rest; ``print(log.to_text(all=True))`` shows every comparison.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> from bosco.pruning import GeneralizationError
    >>> model = DecisionTreeClassifier().fit(*golf()).model_
    >>> print(model.prune(GeneralizationError(alpha=2)).pruning_log())
    1. generalization error (alpha 2): 6 leaves before, 1 after
    kept, pruned: wrong rows in training + 2 per leaf
    node  now  what       weight  kept  pruned  leaves
       0    0  collapsed      14     9       7  6 → 1
    weighed too: 4 inside what went; to_text(all=True) shows them
    """

    steps: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[Pruned]:
        for number, step in enumerate(self.steps, start=1):
            yield from step.entries(number)

    def __len__(self) -> int:
        return sum(len(step.node) for step in self.steps)

    @property
    def cut(self) -> list[Pruned]:
        """The entries of the nodes that became leaves, or got another's test, and no others."""
        numbered = enumerate(self.steps, start=1)
        return [entry for number, step in numbered for entry in step.entries(number, step.cut)]

    def then(self, step: Step, number: NDArray[np.int64]) -> "PruningLog":
        """The log with one more pruning, which gave the nodes new numbers."""
        return PruningLog((*(old.renumbered(number) for old in self.steps), step))

    def to_dict(self) -> dict[str, list[Any]]:
        """The entries as columns."""
        entries = list(self)
        return {name: [getattr(entry, name) for entry in entries] for name in _FIELDS}

    def made_leaf(self, node: int) -> Pruned | None:
        """The entry of the pruning that made a node of the present tree a leaf; None: not known.

        Where `told` is false, an older log may know of one without being able to say of which node.
        """
        for number, step in reversed([*enumerate(self.steps, start=1)]):
            if self._told(step):
                here = step.changed & (step.raised < 0) & (step.now == node)
                if here.any():
                    return next(step.entries(number, np.flatnonzero(here)))
        return None

    def raised(self) -> set[int]:
        """The nodes of the present tree that got the test of one below them."""
        return {
            now
            for step in self.steps
            if self._told(step)
            for now in step.now[(step.raised >= 0) & (step.now >= 0)].tolist()
        }

    @property
    def told(self) -> bool:
        """Whether the log says of every pruned node which one it is now."""
        return all(self._told(step) for step in self.steps)

    def _told(self, step: Step) -> bool:
        """Logs of older files number nodes as they were before the prunings that came later."""
        later = self.steps[self.steps.index(step) + 1 :]
        return step.compared is not None or not any(len(other.cut) for other in later)

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it: a table per pruning, what was cut first."""
        return tuple(_table(number, step) for number, step in enumerate(self.steps, start=1))

    def _repr_html_(self) -> str:
        return super()._repr_html_() or "<p>nothing was pruned</p>"

    def to_text(self, *, all: bool = False) -> str:  # noqa: A002
        """The log in lines.

        Parameters
        ----------
        all : bool, default=False
            Every comparison, kept or cut, by node; else the nodes that went, and how many others
            were compared.

        Returns
        -------
        str
            A block per pruning.
        """
        if not self.steps:
            return tr("nothing was pruned")
        blocks = [_show(number, step, all) for number, step in enumerate(self.steps, start=1)]
        return "\n\n".join(blocks)


_ACTIONS = {
    "collapsed": phrase("collapsed"),
    "kept": phrase("kept"),
    "raised": phrase("raised"),
}


def head_of(number: int, step: Step) -> str:
    """Which pruning it was, and how many leaves went."""
    before, after = step.leaves
    sizes = {"before": before, "after": after}
    return f"{number}. {step.policy}: {tr('{before} leaves before, {after} after', **sizes)}"


def _compared(step: Step) -> str:
    """What the costs are, in words."""
    return tr("kept, pruned: {measure}", measure=retold(step.measure, within=True))


def _cells(number: int, step: Step, rows: NDArray[np.int64]) -> list[list[str]]:
    """The header and some entries, in words."""
    lines = [
        [
            tr("node"),
            tr("now"),
            tr("what"),
            tr("weight"),
            tr("kept", "cost"),
            tr("pruned", "cost"),
            tr("leaves"),
        ]
    ]
    for entry in step.entries(number, rows):
        what = _ACTIONS[entry.action]()
        what += "" if entry.raised is None else f" {entry.raised}"
        gone = entry.now is None
        sizes = f"{entry.leaves_before} → {'–' if gone else entry.leaves_after}"
        numbers = [show_figure(value) for value in (entry.weight, entry.kept, entry.pruned)]
        now = "–" if gone else str(entry.now)
        lines.append([str(entry.node), now, what, *numbers, sizes])
    return lines


def _table(number: int, step: Step) -> Table:
    rest = np.flatnonzero(~np.isin(np.arange(len(step.node)), step.cut))
    rows = np.concatenate([step.cut, rest])[:SHOWN]
    header, *lines = _cells(number, step, rows)
    caption = f"{head_of(number, step)} · {_compared(step)}"
    total = len(step.node) if step.compared is None else step.compared
    if total > len(rows):
        of = {"n": len(rows), "all": total}
        caption += f" · {tr('the first {n} of {all} nodes that were weighed', **of)}"
    return Table(header, lines, caption)


def _show(number: int, step: Step, every: bool) -> str:
    lines = [head_of(number, step)]
    rows = np.arange(len(step.node)) if every else step.cut[:SHOWN]
    if len(rows):
        lines.append(_compared(step))
        cells = _cells(number, step, rows)
        lines += lay_out(cells, ">><>>><")
    if not every and len(step.cut) > SHOWN:
        more = len(step.cut) - SHOWN
        lines.append(tr("… and {n} more that went; {how} has all", n=more, how=how("to_dict()")))
    return "\n".join([*lines, *_rest(step, every)])


def _rest(step: Step, every: bool) -> list[str]:
    """What else was weighed, counted."""
    if step.compared is None:
        return []
    listed = len(step.node)
    if every:
        more = step.compared - listed
        return [tr("{n} more went with a node above them", n=more)] * (more > 0)
    stays = int(np.count_nonzero(~step.changed & (step.leaves_after > 0)))
    inside = step.compared - stays - len(step.cut)
    parts = [tr("{n} kept", n=stays)] * (stays > 0)
    parts += [tr("{n} inside what went", n=inside)] * (inside > 0)
    call = how("to_text(all=True)")
    said = tr("weighed too: {parts}; {how} shows them", parts=", ".join(parts), how=call)
    return [said] if parts else []
