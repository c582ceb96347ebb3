"""How far each leaf can be trusted: its rows, its shares or mean, and an interval.

The rows that a tree was grown on flatter it, since its tests were chosen to suit them. Rows that it
has not seen do not: `Model.recount` sends them down the tree and counts again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.errors import DataError, ParameterError
from bosco.intervals import check_confidence, mean_interval, wilson
from bosco.moments import show_number
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table, notebook
from bosco.target import encode_among, encode_values
from bosco.visible import visible

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
    source : {"training", "held-out"}
        Whose rows they are.
    classes : tuple or None
        The classes, in the order of `Leaf.values`; None for a real target.
    confidence, weak_below : float
        As asked.
    leaves : tuple of Leaf
        By number.

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

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    @property
    def optimistic(self) -> bool:
        """Whether the rows are those that the tree was grown on."""
        return self.source == "training"

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
        return table | {"weak": [leaf.weak for leaf in self.leaves]}

    def _cells(self) -> list[list[str]]:
        """The header and a row per leaf, in words."""
        real = self.classes is None
        heads = ["leaf", "predicts", "rows", "mean" if real else "share"]
        rows = [[*heads, f"{100 * self.confidence:g} % interval", ""]]
        for leaf in self.leaves:
            predicts = show_number(leaf.prediction) if real else visible(str(leaf.prediction))
            seen = ["–", "–"] if not leaf.samples else _seen(leaf, real)
            remark = "weak support" if leaf.weak else ""
            rows.append([f"[{leaf.node}]", predicts, show_weight(leaf.samples), *seen, remark])
        return rows

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        header, *rows = self._cells()
        return (Table(header, rows, f"Leaves, by {self.source} rows"),)

    def _repr_html_(self) -> str:
        return notebook(self.tables())

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        if self.optimistic:
            lines += [
                "",
                "Optimistic: these are the rows that the tree was grown on. "
                "model.recount(X, y) asks others.",
            ]
        else:
            lines += ["", "From held-out rows, if the tree was not grown or chosen with them."]
        if self.weak:
            lines.append(
                f"{len(self.weak)} of {len(self)} leaves have weak support: fewer than "
                f"{self.weak_below:g} rows."
            )
        return "\n".join(lines)


def _seen(leaf: Leaf, real: bool) -> list[str]:
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
    """The leaves by other rows; see `Model.recount`."""
    fractional = model.growth.missing == "fractional"
    frame = model.read(X)
    native = model.tree.native
    variance = np.zeros(model.tree.node_count)
    if model.classes is not None:
        target: Any = encode_among(y, model.classes, sample_weight, fractional)
        tally, count = _counted(model, frame, target)
        whole = tally.sum(axis=1)
        values = _divided(tally, whole[:, None])
    else:
        target = encode_values(y, sample_weight, fractional)
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
    return _leaves(model, "held-out", samples, weight, values, variance, confidence, weak_below)


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
        with np.errstate(invalid="ignore", over="ignore"):  # squares may pass a float64
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
