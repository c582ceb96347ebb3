"""How a model does on given rows: figures, confusion matrix, whether it keeps its word."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.constant import constant_answer
from bosco.family import AnyModel
from bosco.figure import Judged
from bosco.frame import Frame
from bosco.intervals import mean_interval, wilson
from bosco.leaves import Leaves

if TYPE_CHECKING:
    from bosco.model import Model

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Point:
    """What was predicted somewhere, and what was seen there, with an interval (or NaN)."""

    predicted: float
    observed: float
    low: float
    high: float
    rows: float


class Line(NamedTuple):
    """One figure: its value, its 95 % interval (NaN: none), and the constant answer's.

    `known` is the same figure on rows that equal training rows, NaN where they are not told apart.
    """

    name: str
    value: float
    low: float
    high: float
    constant: float
    known: float


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A model on given rows.

    Attributes
    ----------
    judged : Judged
        The error beside that of the constant answer, apart for rows seen in training.
    rows : int
        How many rows all that follows was counted on: where some were seen in training and some
        were not, the latter.
    figures : tuple of Line
        The figures.
    confusion : ndarray or None
        True classes × predicted classes; None for a real target.
    points : tuple of Point
        For each leaf, what the training rows promise and what these rows say; of many trees, by
        how sure they are.
    ahead : tuple of Point
        Of points to add up: how far the prediction is ahead of the next, and how often it is right.
    """

    judged: Judged
    rows: int
    figures: tuple[Line, ...]
    confusion: NDArray[np.int64] | None
    points: tuple[Point, ...]
    ahead: tuple[Point, ...] = ()

    @property
    def apart(self) -> bool:
        """Whether rows seen in training are told apart."""
        return self.judged.seen.mixed and not self.judged.untouched


def score(model: "Model", truth: NDArray[Any], leaves: Leaves, found: Judged) -> Scores:
    """A tree on rows that it was judged by; `leaves` are those of `Model.recount` with them."""
    rows, lines, confusion = _told(model, truth, found)
    points = tuple(
        Point(_promised(model, leaf.node), leaf.share, leaf.share_low, leaf.share_high, samples)
        for leaf in leaves
        if (samples := leaf.number) > 0
    )
    return Scores(found, len(rows), lines, confusion, points)


def score_many(model: AnyModel, frame: Frame, truth: NDArray[Any], found: Judged) -> Scores:
    """The same of many trees."""
    rows, lines, confusion = _told(model, truth, found)
    if model.classes is None:
        points = _gathered(found.said[rows], truth[rows], real=True)
        return Scores(found, len(rows), lines, None, points)
    right = np.asarray(truth == found.said, np.float64)[rows]
    if (margins := model.ahead_frame(frame)) is not None:
        ahead = _gathered(margins[rows], right, edges=4)
        return Scores(found, len(rows), lines, confusion, (), ahead)
    sure = model.values_frame(frame)[rows].max(axis=1)
    return Scores(found, len(rows), lines, confusion, _gathered(sure, right))


def _told(
    model: AnyModel, truth: NDArray[Any], found: Judged
) -> tuple[NDArray[np.intp], tuple[Line, ...], NDArray[np.int64] | None]:
    """The rows that figures are told of, the figures, and the confusion matrix."""
    known, rows = np.zeros(0, np.intp), np.arange(len(truth))
    if found.seen.mixed and not found.untouched:
        known, rows = found.seen.parts()
    if model.classes is None:
        answer, _ = constant_answer(model, truth)
        return rows, _errors(truth, found.said, answer, rows, known, found), None
    confusion = _confusion(truth[rows], found.said[rows], len(model.classes))
    return rows, _right(found), confusion


def _gathered(
    said: NDArray[np.float64], seen: NDArray[np.float64], *, real: bool = False, edges: int = 0
) -> tuple[Point, ...]:
    """Rows of like predictions together: by tenths of a share, else by as many quantiles."""
    cuts = np.linspace(0.1, 0.9, 9)
    if real or edges:
        cuts = np.unique(np.quantile(said, np.linspace(0, 1, (edges or 10) + 1)[1:-1]))
    place = np.searchsorted(cuts, said)
    found = []
    for at in np.unique(place).tolist():
        these = seen[place == at]
        mean, n = float(these.mean()), len(these)
        spread = float(these.std(ddof=1)) if n > 1 else 0.0
        low, high = mean_interval(mean, spread, n) if real else wilson(mean, n)
        found.append(Point(float(said[place == at].mean()), mean, float(low), float(high), n))
    return tuple(found)


def _confusion(truth: NDArray[Any], guess: NDArray[Any], n: int) -> NDArray[np.int64]:
    counts = np.zeros((n, n), np.int64)
    np.add.at(counts, (truth, guess), 1)
    return counts


def _right(found: Judged) -> tuple[Line, ...]:
    """The shares of wrong and right rows."""
    apart = found.seen.mixed and not found.untouched
    of = (found.fresh if apart else found.whole) or found.whole
    known = found.known.value if apart and found.known is not None else _NAN
    return (
        Line("error", of.value, of.low, of.high, of.baseline, known),
        Line("accuracy", 1 - of.value, 1 - of.high, 1 - of.low, 1 - of.baseline, 1 - known),
    )


def _promised(model: "Model", node: int) -> float:
    """What the training rows of a leaf say of its prediction."""
    at = 0 if model.classes is None else int(model.node_class[node])
    return float(model.tree.native.value[node, at])


def _errors(
    truth: NDArray[np.float64],
    said: NDArray[np.float64],
    answer: float,
    rows: NDArray[np.intp],
    known: NDArray[np.intp],
    found: Judged,
) -> tuple[Line, ...]:
    idle = np.full(len(truth), answer)
    of = (found.fresh if len(known) else found.whole) or found.whole
    bounds = {"mean absolute error": (of.low, of.high)}
    lines = []
    for name, figure in _FIGURES.items():
        value, constant = figure(truth[rows], said[rows]), figure(truth[rows], idle[rows])
        before = figure(truth[known], said[known]) if len(known) else _NAN
        lines.append(Line(name, value, *bounds.get(name, (_NAN, _NAN)), constant, before))
    return tuple(lines)


def _r2(truth: NDArray[np.float64], said: NDArray[np.float64]) -> float:
    spread = float(np.sum((truth - truth.mean()) ** 2))
    return 1 - float(np.sum((said - truth) ** 2)) / spread if spread else _NAN


_FIGURES = {
    "mean absolute error": lambda truth, said: float(np.abs(said - truth).mean()),
    "root of the mean squared error": lambda truth, said: float(
        np.sqrt(np.mean((said - truth) ** 2))
    ),
    "R²": _r2,
}
