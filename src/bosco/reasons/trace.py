"""The making of a tree as values: steps, what was tried at each, and the arithmetic in words."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import lay_out, show_figure, show_number
from bosco.reasons.why import Candidate, Why
from bosco.render.card import show_amount, show_weight

SHOWN = 8
"""So many cuts of a column are printed."""


@dataclass(frozen=True, slots=True)
class Way:
    """One branch of a test that was tried.

    Attributes
    ----------
    words : str
        Its condition.
    weight : float
        Of its rows; their number, unless they have weights.
    tally : tuple of float
        The same by class; of numbers, their sum alone.
    impurity : float
        Of its rows.
    """

    words: str
    weight: float
    tally: tuple[float, ...]
    impurity: float


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Every cut of one column at a node, ascending.

    Attributes
    ----------
    low, high : ndarray of float64
        The values on both sides.
    threshold : ndarray of float64
        Where the cut would be.
    gain, split_info, gain_ratio : ndarray of float64
        What it is worth, before any penalty; the ratio is NaN where there is none.
    allowed : ndarray of bool
        Whether each side holds what it must.
    left : ndarray
        Weight of what lies left, by class; of numbers, weight and sum.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    threshold: NDArray[np.float64]
    gain: NDArray[np.float64]
    split_info: NDArray[np.float64]
    gain_ratio: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    left: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.low)

    def to_dict(self) -> dict[str, list[Any]]:
        """The cuts as columns."""
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What was tried of one column at a node.

    Attributes
    ----------
    best : Candidate
        Its best test.
    impurity : float
        Of the rows that were judged: all, or those whose value is known.
    ways : tuple of Way
        The branches of the best test.
    cuts : Cuts or None
        Every cut, of a column that has an order.
    """

    best: Candidate
    impurity: float
    ways: tuple[Way, ...]
    cuts: Cuts | None

    def arithmetic(self, weight: float) -> str:
        """The gain as a student would write it, at a node of this weight."""
        judged = sum(way.weight for way in self.ways)
        said = digits(self.impurity) + "".join(
            f" − ({show_weight(way.weight)}/{show_weight(judged)})·{digits(way.impurity)}"
            for way in self.ways
            if way.weight
        )
        if judged < weight:
            said = f"({show_weight(judged)}/{show_weight(weight)})·({said})"
        return f"{said} = {digits(self.best.gain + self.best.penalty)}"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the making of a tree: a node, what was tried there, and what came of it.

    Attributes
    ----------
    number : int
        Which step it is, from 1.
    node : int
        The node, as the tree's text has it.
    conditions : tuple of str
        What leads to it.
    weight : float
        Of its rows; their number, unless they have weights (`weighted`).
    tally : tuple of float
        The same by class; of numbers, their sum alone.
    impurity : float
        E(S) of its rows.
    columns : tuple of Tried
        What was tried, the winner first. None where no test was looked for.
    why : Why
        The candidates side by side; of a leaf, why it is one.
    verdict : str
        What came of it, in a sentence.
    """

    number: int
    node: int
    conditions: tuple[str, ...]
    weight: float
    tally: tuple[float, ...]
    impurity: float
    columns: tuple[Tried, ...]
    why: Why
    verdict: str
    classes: tuple[str, ...] = ()
    weighted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "step": self.number,
            "node": self.node,
            "conditions": list(self.conditions),
            "weight": self.weight,
            "tally": list(self.tally),
            "impurity": self.impurity,
            "columns": [
                {
                    **{field.name: getattr(tried.best, field.name) for field in fields(Candidate)},
                    "branches": [
                        {field.name: getattr(way, field.name) for field in fields(Way)}
                        for way in tried.ways
                    ],
                    "arithmetic": tried.arithmetic(self.weight),
                    "cuts": None if tried.cuts is None else tried.cuts.to_dict(),
                }
                for tried in self.columns
            ],
            "ended": self.why.ended,
            "verdict": self.verdict,
        }

    def __str__(self) -> str:
        where = " and ".join(self.conditions) or "all rows"
        lines = [
            f"step {self.number}: node {self.node}, {where}",
            f"  {self._held(self.weight, self.tally)}, E(S) = {digits(self.impurity)}",
        ]
        for tried in self.columns:
            lines += ["", *self._lines(tried)]
        return "\n".join([*lines, *[""] * bool(self.columns), self.verdict])

    def _held(self, weight: float, tally: tuple[float, ...]) -> str:
        """What a node or a branch holds: ``14 rows: No 5, Yes 9``; of weighted rows, the weight."""
        held = show_amount(None if self.weighted else weight, weight)
        if not self.classes:
            return f"{held}, mean {show_figure(tally[0] / weight) if weight else '–'}"
        by_class = (f"{name} {show_weight(w)}" for name, w in zip(self.classes, tally, strict=True))
        return f"{held}: {', '.join(by_class)}"

    def _lines(self, tried: Tried) -> Iterator[str]:
        best = tried.best
        yield f"  {best.test}"
        rows = [
            [way.words, self._held(way.weight, way.tally), f"E = {digits(way.impurity)}"]
            for way in tried.ways
        ]
        yield from (f"    {line}" for line in lay_out(rows, "<"))
        yield f"    gain {tried.arithmetic(self.weight)}"
        if best.penalty:
            gross = digits(best.gain + best.penalty)
            yield f"    less its penalty {gross} − {digits(best.penalty)} = {digits(best.gain)}"
        if self.why.score != "gain" and best.split_info > 0:
            ratio = f"{digits(best.gain)} / {digits(best.split_info)}"
            yield f"    gain ratio {ratio} = {digits(best.gain_ratio)}"
        if tried.cuts is not None and len(tried.cuts) > 1:
            yield f"    cuts {_some_cuts(tried.cuts)}"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The making of a tree as a sequence of steps, in the order in which it was grown.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> X, y = play_tennis()
    >>> trace = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_.trace(X, y)
    >>> len(trace), trace[0].verdict
    (8, 'Outlook wins: its gain, 0.2467, is the largest; the next is that of Humidity, 0.1518.')
    >>> print(trace[1])
    step 2: node 1, Outlook = Overcast
      4 rows: No 0, Yes 4, E(S) = 0
    It stays a leaf and says Yes. All its rows are of one class.
    """

    steps: tuple[Step, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, at: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[at]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.steps))

    def to_dict(self) -> dict[str, Any]:
        """All steps as plain values."""
        return {"steps": [step.to_dict() for step in self.steps]}


def _some_cuts(cuts: Cuts) -> str:
    """The best cuts, in their order, and how many others there are."""
    best = np.sort(np.argsort(-cuts.gain, kind="stable")[:SHOWN])
    said = [f"≤ {show_number(cuts.threshold[i])}: {digits(cuts.gain[i])}" for i in best.tolist()]
    more = len(cuts) - len(best)
    return ", ".join(said) + (f" and {more} more" if more else "")


def digits(x: float) -> str:
    """Four digits after the point, as a student writes; large and tiny numbers as in sentences."""
    if x == 0 or 1e-3 <= abs(x) < 1000:
        return f"{x:.4f}" if x else "0"
    return show_figure(x)
