"""How far each leaf can be trusted: its rows, its shares or mean, and an interval.

The rows that a tree was grown on flatter it, since its tests were chosen to suit them. Rows that it
has not seen do not: `Model.recount` sends them down the tree and counts again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.errors import DataError, ParameterError
from bosco.fingerprint import Seen, seen_rows
from bosco.intervals import check_confidence, mean_interval, wilson
from bosco.moments import show_number
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table, notebook
from bosco.target import encode_among, encode_values
from bosco.weights import read_weights

if TYPE_CHECKING:
    from bosco.frame import Frame
    from bosco.model import Model

WEAK_BELOW = 5.0
"""A leaf of fewer rows has weak support. Of four rows that agree, the 95 % interval is 51 to 100 %,
so fewer than five hardly tell a leaf from a coin."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf.

    Attributes
    ----------
    node : int
        Its number, as the text of the model shows it.
    prediction : object
        What the model predicts there.
    samples, weight : float
        Number and weight of the rows that reach it.
    values : tuple of float
        Share of each class among them, by weight; for a real target their mean. NaN: no row.
    low, high : tuple of float
        The interval of each value.
    share : float
        The value for what is predicted: the share of the predicted class, or the mean.
    share_low, share_high : float
        Its interval.
    weak : bool
        Too few rows.
    """

    node: int
    prediction: Any
    samples: float
    weight: float
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    share: float
    share_low: float
    share_high: float
    weak: bool


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of a tree with what some rows say of them; ``print`` it, iterate, or tabulate.

    A share has Wilson's interval, a mean Student's t; each stands for itself, not for all at once.
    They count samples, so they hold for rows drawn one by one; with weights that are not
    multiplicities, or with `class_weight`, they are approximate.

    Attributes
    ----------
    source : {"training", "given"}
        Whose rows they are.
    classes : tuple or None
        The classes, in the order of `Leaf.values`; None for a real target.
    confidence, weak_below : float
        As asked.
    leaves : tuple of Leaf
        By number.
    seen : Seen or None
        Of rows given to `Model.recount`: which of them equal training rows.
    parts : tuple of Leaves
        Where some do and some do not: by the others, and by those that do.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> print(model.leaves())
    leaf  predicts  rows  share  95 % interval
    [1]   Yes       4     100 %  51.0 – 100 %   weak support
    [4]   No        2     100 %  34.2 – 100 %   weak support
    [5]   Yes       3     100 %  43.9 – 100 %   weak support
    [6]   No        3     100 %  43.9 – 100 %   weak support
    [7]   Yes       2     100 %  34.2 – 100 %   weak support
    <BLANKLINE>
    Optimistic: these are the rows that the tree was grown on. model.recount(X, y) asks others.
    5 of 5 leaves have weak support: fewer than 5 rows.
    """

    source: str
    classes: tuple[Any, ...] | None
    confidence: float
    weak_below: float
    leaves: tuple[Leaf, ...]
    seen: Seen | None = field(default=None, compare=False)
    parts: tuple["Leaves", ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    @property
    def optimistic(self) -> bool:
        """Whether the rows are, or some of them equal, those that the tree was grown on."""
        return self.source == "training" or (self.seen is not None and self.seen.n_equal > 0)

    @property
    def weak(self) -> tuple[Leaf, ...]:
        """The leaves with weak support."""
        return tuple(leaf for leaf in self.leaves if leaf.weak)

    def to_dict(self) -> dict[str, list[Any]]:
        """The leaves as columns."""
        names = ["node", "prediction", "samples", "weight", "share", "share_low", "share_high"]
        if self.classes is None:
            said = {"share": "mean", "share_low": "low", "share_high": "high"}
            table = {said.get(name, name): [getattr(x, name) for x in self] for name in names}
        else:
            table = {name: [getattr(leaf, name) for leaf in self] for name in names}
            for k, label in enumerate(self.classes):
                for part in ("values", "low", "high"):
                    column = "share" if part == "values" else part
                    table[f"{column}[{label}]"] = [getattr(leaf, part)[k] for leaf in self]
        table |= {"weak": [leaf.weak for leaf in self.leaves]}
        for whose, leaves in zip(("unseen", "seen"), self.parts, strict=False):
            columns = ("samples", "share", "share_low", "share_high")
            table |= {f"{whose}_{x}": [getattr(leaf, x) for leaf in leaves] for x in columns}
        return table

    def _cells(self) -> list[list[str]]:
        """The header and a row per leaf, in words."""
        real = self.classes is None
        heads = ["leaf", "predicts", "rows", "mean" if real else "share"]
        rows = [[*heads, f"{100 * self.confidence:g} % interval", ""]]
        for leaf in self.leaves:
            predicts = show_number(leaf.prediction) if real else str(leaf.prediction)
            seen = ["–", "–"] if not leaf.samples else _cells_seen(leaf, real)
            remark = "weak support" if leaf.weak else ""
            rows.append([f"[{leaf.node}]", predicts, show_weight(leaf.samples), *seen, remark])
        return rows

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        if self.parts:
            return tuple(table for part in self.parts for table in part.tables())
        header, *rows = self._cells()
        return (Table(header, rows, f"Leaves, by {self.whose}"),)

    @property
    def whose(self) -> str:
        """Whose rows they are, in words."""
        if self.seen is None:
            return "training rows"
        n = f"{self.seen.rows:,}"
        if not self.seen.known:
            return f"the {n} rows given"
        if self.parts:
            return f"the {n} rows given, of which {self.seen.n_equal:,} equal training rows"
        if self.seen.n_equal:
            return f"{n} rows that equal training rows"
        return f"{n} rows that equal no training row"

    def _repr_html_(self) -> str:
        return notebook(self.tables())

    @property
    def _whence(self) -> str:
        """What the rows are to the tree, in a sentence."""
        if self.seen is None:
            return (
                "Optimistic: these are the rows that the tree was grown on. "
                "model.recount(X, y) asks others."
            )
        if not self.seen.known:
            doubt = "Optimistic if it was grown on any of them."
            return f"From the {self.seen.rows:,} rows given. {self.seen} {doubt}"
        if self.seen.n_equal:
            return f"Optimistic, no test: from {self.whose}."
        return f"From {self.whose}."

    def __str__(self) -> str:
        if self.parts:
            fresh, known = self.parts
            return f"{self.seen}\n\n{fresh}\n\n{known}"
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        lines += ["", self._whence]
        if self.weak:
            lines.append(
                f"{len(self.weak)} of {len(self)} leaves have weak support: fewer than "
                f"{self.weak_below:g} rows."
            )
        return "\n".join(lines)


def _cells_seen(leaf: Leaf, real: bool) -> list[str]:
    if real:
        bounds = f"{leaf.share_low:.6g} – {leaf.share_high:.6g}"
        return [f"{leaf.share:.6g}", "–" if np.isinf(leaf.share_low) else bounds]
    low = show_share(leaf.share_low).removesuffix(" %")
    return [show_share(leaf.share), f"{low} – {show_share(leaf.share_high)}"]


def training_leaves(model: "Model", confidence: float, weak_below: float) -> Leaves:
    """The leaves by the rows that the tree was grown on; see `Model.leaves`."""
    native = model.tree.native
    samples = np.asarray(native.count / native.count_scale, np.float64)
    # An empty leaf predicts what its parent does; nobody has seen a row there.
    values = np.where(samples[:, None] > 0, native.value, np.nan)
    weight = model.tree.node_weight
    return _leaves(
        model, "training", samples, weight, values, native.impurity, confidence, weak_below
    )


def recount(
    model: "Model", X: Any, y: Any, sample_weight: Any, confidence: float, weak_below: float
) -> Leaves:
    """The leaves by other rows, those that equal training rows apart; see `Model.recount`."""
    frame = model.read(X)
    whole = _recount(model, frame, y, sample_weight, confidence, weak_below)
    target = _target(model, y, sample_weight)
    if target.keep is not None:
        frame = model.read(frame.table.take(target.keep))
    truth = target.numbers if model.classes is None else target.codes
    seen = seen_rows(model, frame, truth)
    parts: list[Leaves] = []
    if seen.mixed:
        known, fresh = seen.parts()
        weight, _ = read_weights(sample_weight, target.n_rows)
        labels = truth if model.classes is None else model.classes[truth]
        for rows, equal in ((fresh, False), (known, True)):
            part = model.read(frame.table.take(rows))
            here = None if weight is None else weight[rows]
            counted = _recount(model, part, labels[rows], here, confidence, weak_below)
            all_, these = np.ones(len(rows), bool), np.full(len(rows), equal)
            parts.append(replace(counted, seen=Seen(len(rows), all_, these)))
    return replace(whole, seen=seen, parts=tuple(parts))


def _target(model: "Model", y: Any, sample_weight: Any) -> Any:
    """What is true of rows, as the core sees it."""
    fractional = model.growth.missing == "fractional"
    if model.classes is None:
        return encode_values(y, sample_weight, fractional)
    return encode_among(y, model.classes, sample_weight, fractional)


def _recount(
    model: "Model", frame: "Frame", y: Any, sample_weight: Any, confidence: float, weak_below: float
) -> Leaves:
    """The leaves by rows that are read already."""
    fractional = model.growth.missing == "fractional"
    native = model.tree.native
    variance = np.zeros(model.tree.node_count)
    target = _target(model, y, sample_weight)
    if model.classes is not None:
        tally, count = _counted(model, frame, target)
        whole = tally.sum(axis=1)
        values = _divided(tally, whole[:, None])
    else:
        tally, count = _counted(model, frame, target)
        whole = tally[:, 0]
        mean = _divided(tally[:, 1], whole) / target.scale + target.center
        # The core sums y; sums of squares are those of another target, (y − its mean)².
        numbers = np.asarray(y, np.float64)
        middle = (numbers if target.keep is None else numbers[target.keep]).mean()
        squares = encode_values((numbers - middle) ** 2, sample_weight, fractional)
        other = _counted(model, frame, squares)[0]
        square = _divided(other[:, 1], other[:, 0]) / squares.scale + squares.center
        variance = np.maximum(square - (mean - middle) ** 2, 0.0)
        values = mean[:, None]
    weight = whole / whole[0] * target.weight
    samples = count / native.count_scale
    return _leaves(model, "given", samples, weight, values, variance, confidence, weak_below)


def _counted(
    model: "Model", frame: "Frame", target: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tally and number of samples of every node, as counted in the core."""
    if frame.n_rows != target.n_rows:
        raise DataError(
            f"X has {frame.n_rows} rows and y {target.n_rows}; they must have equally many."
        )
    if target.keep is not None:
        frame = model.read(frame.table.take(target.keep))
    tally, count = _core.recount(model.tree.native, frame.native, target.native)
    return tally.astype(np.float64), count.astype(np.float64)


def _divided(sums: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """A quotient, NaN where nothing is divided by nothing."""
    quotient: NDArray[np.float64] = np.full(sums.shape, np.nan)
    np.divide(sums, by, out=quotient, where=by > 0)
    return quotient


def _leaves(
    model: "Model",
    source: str,
    samples: NDArray[np.float64],
    weight: NDArray[np.float64],
    values: NDArray[np.float64],
    variance: NDArray[np.float64],
    confidence: float,
    weak_below: float,
) -> Leaves:
    confidence = check_confidence(confidence)
    if isinstance(weak_below, bool) or not isinstance(weak_below, float | int) or weak_below < 0:
        raise ParameterError(
            f"weak_below must be a number of rows, not negative. Got {weak_below!r}."
        )
    if model.classes is not None:
        low, high = wilson(values, samples[:, None], confidence)
        best = model.node_class
    else:
        spread = np.sqrt(variance * samples / np.maximum(samples - 1, 1))
        low, high = (b[:, None] for b in mean_interval(values[:, 0], spread, samples, confidence))
        best = np.zeros(len(samples), np.intp)
    nodes = np.flatnonzero(model.tree.native.first_child < 0).tolist()
    answers = model._answer[nodes].tolist()
    leaves = tuple(
        Leaf(
            node=node,
            prediction=answer,
            samples=float(samples[node]),
            weight=float(weight[node]),
            values=tuple(values[node].tolist()),
            low=tuple(low[node].tolist()),
            high=tuple(high[node].tolist()),
            share=float(values[node, best[node]]),
            share_low=float(low[node, best[node]]),
            share_high=float(high[node, best[node]]),
            weak=bool(samples[node] < weak_below),
        )
        for node, answer in zip(nodes, answers, strict=True)
    )
    classes = None if model.classes is None else tuple(model.classes.tolist())
    return Leaves(source, classes, confidence, float(weak_below), leaves)
