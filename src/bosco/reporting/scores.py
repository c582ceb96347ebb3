"""How a model does on given rows: figures, confusion matrix, whether it keeps its word."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import phrase, tr
from bosco.data.frame import Frame
from bosco.figures.constant import constant_answer, mean_of
from bosco.figures.figure import Judged
from bosco.figures.intervals import Floats, wilson
from bosco.figures.leaves import Leaves
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.models.model import Model

_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Point:
    """What was predicted somewhere, and what was seen there, with an interval (or NaN).

    `rows` is how many rows that were, or what they weigh.
    """

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
    share: bool = False  # of rows, or of their weight; else a number


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """A model on given rows."""

    judged: Judged  # the error beside that of the constant answer, apart for rows seen in training
    rows: int  # that all below was counted on: where some were seen in training, the others
    figures: tuple[Line, ...]  # weighted, and called so, where the rows have weights
    confusion: NDArray[np.int64] | None  # rows by true and predicted class, whatever they weigh
    points: tuple[Point, ...]  # of each leaf, or by how sure many trees are: promised and seen
    ahead: tuple[Point, ...] = ()  # of points to add up: how far ahead of the next class, how right


def score(model: "Model", truth: NDArray[Any], leaves: Leaves, found: Judged) -> Scores:
    """A tree on rows that it was judged by; `leaves` are those of `Model.recount` with them."""
    rows, lines, confusion = _told(model, truth, found)
    value, best = model.node_value, model.node_class  # of numbers, the only one
    points = []
    for leaf in leaves:
        seen = (leaf.share, leaf.share_low, leaf.share_high, leaf.weight)
        if leaf.weight > 0:
            points.append(Point(float(value[leaf.node, best[leaf.node]]), *seen))
    return Scores(found, len(rows), lines, confusion, tuple(points))


def score_many(model: AnyModel, frame: Frame, truth: NDArray[Any], found: Judged) -> Scores:
    """The same of many trees."""
    rows, lines, confusion = _told(model, truth, found)
    w = _weights(found)[rows]
    if model.classes is None:
        points = _gathered(found.said[rows], truth[rows], w, real=True)
        return Scores(found, len(rows), lines, None, points)
    right = np.asarray(truth == found.said, np.float64)[rows]
    if len(model.classes) > 1 and (margins := model.ahead_frame(frame)) is not None:
        ahead = _gathered(margins[rows], right, w, edges=4)
        return Scores(found, len(rows), lines, confusion, (), ahead)
    sure = model.values_frame(frame)[rows].max(axis=1)
    return Scores(found, len(rows), lines, confusion, _gathered(sure, right, w))


def _weights(found: Judged) -> Floats:
    return np.ones(len(found.said)) if found.weight is None else found.weight


def _told(
    model: AnyModel, truth: NDArray[Any], found: Judged
) -> tuple[NDArray[np.intp], tuple[Line, ...], NDArray[np.int64] | None]:
    """The rows that figures are told of, the figures, and the confusion matrix."""
    known, rows = np.zeros(0, np.intp), np.arange(len(truth))
    if found.apart:
        known, rows = found.seen.parts()
    if model.classes is None:
        answer, _ = constant_answer(model, truth)
        return rows, _errors(truth, found.said, answer, rows, known, found), None
    n = len(model.classes)
    cells = np.bincount(truth[rows] * n + found.said[rows], minlength=n * n)
    return rows, _right(found), cells.reshape(n, n)


def _gathered(
    said: Floats, seen: Floats, w: Floats, *, real: bool = False, edges: int = 0
) -> tuple[Point, ...]:
    """Rows of like predictions together: by tenths of a share, else by as many quantiles."""
    cuts = np.linspace(0.1, 0.9, 9)
    if real or edges:
        cuts = np.unique(np.quantile(said, np.linspace(0, 1, (edges or 10) + 1)[1:-1]))
    place = np.searchsorted(cuts, said)
    found = []
    for at in np.unique(place).tolist():
        these, here = seen[place == at], w[place == at]
        mean, low, high = mean_of(these, here)
        if not real:
            low, high = map(float, wilson(mean, here.sum() ** 2 / (here @ here)))
        predicted = float(np.average(said[place == at], weights=here))
        found.append(Point(predicted, mean, low, high, float(here.sum())))
    return tuple(found)


def _right(found: Judged) -> tuple[Line, ...]:
    """The shares of wrong and right rows."""
    of = found.told
    known = found.known.value if found.apart and found.known is not None else _NAN
    wrong = (of.value, of.low, of.high, of.baseline, known)
    right = (1 - of.value, 1 - of.high, 1 - of.low, 1 - of.baseline, 1 - known)
    return (
        Line(of.name, *wrong, share=True),
        Line(tr("weighted accuracy") if of.weighted else tr("accuracy"), *right, share=True),
    )


def _errors(
    truth: Floats,
    said: Floats,
    answer: float,
    rows: NDArray[np.intp],
    known: NDArray[np.intp],
    found: Judged,
) -> tuple[Line, ...]:
    idle, w, of = np.full(len(truth), answer), _weights(found), found.told
    unknown = (_NAN,) * len(_FIGURES)
    with np.errstate(over="ignore", invalid="ignore"):  # squares may pass a float64
        values, constant = (_figures(truth[rows], x[rows], w[rows]) for x in (said, idle))
        before = _figures(truth[known], said[known], w[known]) if len(known) else unknown
    ends = [(of.low, of.high), (_NAN, _NAN), (_NAN, _NAN)]
    return tuple(
        Line(name(), values[at], *ends[at], constant[at], before[at])
        for at, name in enumerate(_WEIGHTED if of.weighted else _FIGURES)
    )


_FIGURES = (
    phrase("mean absolute error"),
    phrase("root of the mean squared error"),
    phrase("R²"),
)
_WEIGHTED = (
    phrase("weighted mean absolute error"),
    phrase("weighted root of the mean squared error"),
    phrase("weighted R²"),
)


def _figures(truth: Floats, said: Floats, w: Floats) -> tuple[float, ...]:
    off, around = said - truth, truth - np.average(truth, weights=w)
    squared, spread = (float(np.average(x**2, weights=w)) for x in (off, around))
    r2 = 1 - squared / spread if spread else _NAN
    return float(np.average(np.abs(off), weights=w)), math.sqrt(squared), r2
