"""The making of a tree as values: steps, what was tried at each, and the arithmetic in words."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import lay_out
from bosco.reasons.tried import Amount, Tried, digits
from bosco.reasons.why import Why

if TYPE_CHECKING:
    from bosco.models.model import Model
    from bosco.reasons.listed import Listed

NO_ROWS = np.zeros(0, np.int64)


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
        Of its rows; their number, unless they have weights (`amount.weighted`).
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
    rows : ndarray of int64
        The numbers of its rows, from 0, as they were given; none where no rows were.
    drawn : tuple of str or None
        The columns that the node drew, and looked at; None: it looked at all.
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
    amount: Amount = field(default_factory=Amount)
    rows: NDArray[np.int64] = field(default_factory=NO_ROWS.copy)
    drawn: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "step": self.number,
            "node": self.node,
            "conditions": list(self.conditions),
            "rows": self.rows.tolist(),
            "weight": self.weight,
            "tally": list(self.tally),
            "impurity": self.impurity,
            "drawn": None if self.drawn is None else list(self.drawn),
            "columns": [tried.to_dict(self.weight) for tried in self.columns],
            "ended": self.why.ended,
            "verdict": self.verdict,
        }

    def head(self) -> str:
        """Which node it is, and what leads there."""
        where = tr(" and ").join(self.conditions) or tr("all rows")
        return tr(
            "step {step}: node {node}, {where}", step=self.number, node=self.node, where=where
        )

    def held(self) -> str:
        """What the node holds, and its impurity."""
        return f"{self.amount.say(self.weight, self.tally)}, E(S) = {digits(self.impurity)}"

    def looked_at(self) -> str:
        """Which columns were drawn, if any were."""
        if self.drawn is None:
            return ""
        return tr("columns drawn: {columns}", columns=", ".join(self.drawn) or "–")

    def __str__(self) -> str:
        lines = [self.head(), f"  {self.held()}"]
        lines += [f"  {self.looked_at()}"] * (self.drawn is not None)
        for tried in self.columns:
            lines += ["", *self._lines(tried)]
        return "\n".join([*lines, *[""] * bool(self.columns), self.verdict])

    def _lines(self, tried: Tried) -> Iterator[str]:
        yield f"  {tried.best.test}"
        rows = [
            [way.words, self.amount.say(way.weight, way.tally), f"E = {digits(way.impurity)}"]
            for way in tried.ways
        ]
        yield from (f"    {line}" for line in (lay_out(rows, "<") if rows else ()))
        for name, sum_ in tried.sums(self.weight, self.why.score):
            yield f"    {name} {sum_}"
        others = tried.others
        if others is not None and len(others) > 1:
            kind = tr("cuts") if tried.cuts is not None else tr("levels")
            yield f"    {kind} {others}"


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The making of a tree as a sequence of steps, in the order in which it was grown.

    Attributes
    ----------
    steps : tuple of Step
        One per node.
    model : Model or None
        The tree.
    listed : Listed or None
        The rows that it was made from.
    note : str
        What is to be known of all steps, if anything.
    drawn : ndarray of int64 or None
        How often each row was drawn, by a tree of a forest.

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
    model: "Model | None" = None
    listed: "Listed | None" = None
    note: str = ""
    drawn: NDArray[np.int64] | None = None

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
        return "\n\n".join([*[self.note] * bool(self.note), *map(str, self.steps)])

    def to_dict(self) -> dict[str, Any]:
        """All steps as plain values."""
        return {"note": self.note, "steps": [step.to_dict() for step in self.steps]}
