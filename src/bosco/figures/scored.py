"""How rows of a class and all others lie along a score, as counts: what every curve is made from.

A score is what a model says of one class, such as its share in the leaf that a row reaches. Rows of
the same score are told apart by nobody, so that they are counted together: a tree of 50 leaves has
50 scores at most, however many rows there are. Counts of parts of the rows add up.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bosco.data.frame import Frame
from bosco.data.schema import show_label
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.figures.intervals import Floats
from bosco.tree.family import AnyModel

Counts = NDArray[np.int64]
Count = Callable[[int, Any, NDArray[np.bool_], Floats | None], "Scored"]


@dataclass(frozen=True, eq=False)
class Confusion:
    """What is true by what is said, where a score of `threshold` or more means the class.

    Attributes
    ----------
    threshold : float
        The least score that is said to be the class; infinite: none is.
    rows : ndarray of shape (2, 2)
        Rows by truth and answer; the first are the others, the second the class.
    weight, squares : ndarray of shape (2, 2)
        The sum of their weights, and of the squares of these. Without weights both are the rows.
    """

    threshold: float
    rows: Counts
    weight: Floats
    squares: Floats

    @property
    def error(self) -> float:
        """Share of the weight that is answered wrongly."""
        return float((self.weight[0, 1] + self.weight[1, 0]) / self.weight.sum())

    @property
    def recall(self) -> float:
        """Share of the class that is found; NaN if there is none of it."""
        return _quotient(self.weight[1, 1], self.weight[1].sum())

    @property
    def false_alarms(self) -> float:
        """Share of the others that are taken for the class; NaN if there are none."""
        return _quotient(self.weight[0, 1], self.weight[0].sum())

    @property
    def precision(self) -> float:
        """Share of the class among what is said to be it; NaN if nothing is."""
        return _quotient(self.weight[1, 1], self.weight[:, 1].sum())

    @property
    def answered(self) -> float:
        """Share of all that is said to be the class."""
        return float(self.weight[:, 1].sum() / self.weight.sum())


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows of a class, and all others, by score.

    It is made by `of_rows`, `of_counts`, `scored` or `total`, which check and sort.

    Attributes
    ----------
    scores : ndarray of float64
        The different scores, the highest first.
    rows : ndarray of int64, shape (n, 2)
        How many rows have each: the others, and those of the class.
    weight, squares : ndarray of float64, shape (n, 2)
        The sum of their weights, and of the squares of these. Without weights both are the rows.
    weighted : bool
        Whether the rows carry weights.

    Examples
    --------
    >>> from bosco.figures.scored import Scored
    >>> found = Scored.of_rows([0.9, 0.2, 0.9, 0.5], [True, False, False, True])
    >>> found.scores.tolist(), found.rows.tolist()
    ([0.9, 0.5, 0.2], [[1, 1], [0, 1], [1, 0]])
    >>> found.confusion(0.5).rows.tolist()
    [[1, 1], [0, 2]]
    """

    scores: Floats
    rows: Counts
    weight: Floats
    squares: Floats
    weighted: bool = False

    @classmethod
    def of_rows(cls, scores: Any, positive: Any, weight: Any = None) -> Self:
        """Count rows by their scores; `positive` says which are of the class."""
        scores = np.asarray(scores, np.float64).reshape(-1)
        kind = np.asarray(positive, bool).reshape(-1).astype(np.intp)
        w = None if weight is None else np.asarray(weight, np.float64).reshape(-1)
        if len(scores) != len(kind) or (w is not None and len(w) != len(kind)):
            raise DataError(
                f"{len(scores)} scores, {len(kind)} truths"
                + ("" if w is None else f", {len(w)} weights")
                + ": there must be equally many."
            )
        if w is not None and (w == 0).any():  # a row of weight 0 is absent
            scores, kind, w = scores[w != 0], kind[w != 0], w[w != 0]
        _check(scores, "row")
        levels, place = np.unique(scores, return_inverse=True)
        cell, n = 2 * place.reshape(-1) + kind, 2 * len(levels)
        rows = np.bincount(cell, minlength=n).reshape(-1, 2)
        if w is None:
            return cls.of_counts(levels, rows)
        sums = (np.bincount(cell, x, n).reshape(-1, 2) for x in (w, w * w))
        return cls.of_counts(levels, rows, *sums)

    @classmethod
    def of_counts(cls, scores: Any, rows: Any, weight: Any = None, squares: Any = None) -> Self:
        """Put counts together that are known by leaf: those of equal scores are added up."""
        scores = np.asarray(scores, np.float64).reshape(-1)
        rows = np.asarray(rows, np.int64).reshape(-1, 2)
        there = rows.any(axis=1)
        _check(scores[there], "count")
        levels, place = np.unique(-scores[there], return_inverse=True)
        place = place.reshape(-1)

        def added(counts: NDArray[Any]) -> NDArray[Any]:
            summed = np.zeros((len(levels), 2), counts.dtype)
            np.add.at(summed, place, counts[there])
            return summed

        whole = added(rows)
        if weight is None:
            plain = whole.astype(np.float64)
            return cls(-levels + 0.0, whole, plain, plain)
        w, s = (added(np.asarray(x, np.float64).reshape(-1, 2)) for x in (weight, squares))
        return cls(-levels + 0.0, whole, w, s, weighted=True)

    @classmethod
    def total(cls, parts: "Iterable[Scored]") -> Self:
        """Add up parts of the rows, such as chunks of a stream, in any order.

        Parts wait until they are as large as what was added up already, so that a stream is not
        sorted anew with every chunk.
        """
        whole, waiting, held = cls.of_counts([], np.zeros((0, 2))), list[Scored](), 0
        for part in parts:
            waiting.append(part)
            held += len(part.scores)
            if held >= len(whole.scores):
                whole, waiting, held = cls._joined([whole, *waiting]), [], 0
        return cls._joined([whole, *waiting])

    @classmethod
    def _joined(cls, parts: "list[Scored]") -> Self:
        def all_(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        weights: tuple[NDArray[Any], ...] = ()
        if any(part.weighted for part in parts):
            weights = (all_("weight"), all_("squares"))
        return cls.of_counts(all_("scores"), all_("rows"), *weights)

    def __add__(self, other: "Scored") -> "Scored":
        return Scored.total([self, other])

    @property
    def n_rows(self) -> int:
        """How many rows were scored."""
        return int(self.rows.sum())

    @property
    def effective(self) -> Floats:
        """How many rows of equal weight would say as much, (Σw)² / Σw²: others, and the class."""
        whole, squares = self.weight.sum(axis=0), self.squares.sum(axis=0)
        many: Floats = np.divide(whole**2, squares, out=np.zeros(2), where=squares > 0)
        return many

    @cached_property
    def thresholds(self) -> Floats:
        """Every point where a bar can stand: above all scores (infinite), and at each."""
        return np.concatenate([[np.inf], self.scores])

    @cached_property
    def above(self) -> Floats:
        """Weight of the others and of the class at or above each of `thresholds`."""
        return _running(self.weight)

    @cached_property
    def rows_above(self) -> Counts:
        """The same in rows."""
        return _running(self.rows)

    def place(self, threshold: float) -> int:
        """Which of `thresholds` gives the same answers: how many scores are at or above it."""
        if np.isnan(threshold):
            raise ParameterError("A threshold must be a number. Got NaN.")
        return int(np.searchsorted(-self.scores, -threshold, side="right"))

    def confusion(self, threshold: float) -> Confusion:
        """What is true by what is said, where a score of `threshold` or more means the class."""
        k = self.place(threshold)

        def cut(counts: NDArray[Any]) -> NDArray[Any]:
            return np.stack([counts[k:].sum(axis=0), counts[:k].sum(axis=0)], axis=1)

        return Confusion(float(threshold), *map(cut, (self.rows, self.weight, self.squares)))


def scored(
    model: AnyModel,
    frame: Frame,
    truth: NDArray[Any],
    positive: int,
    weight: Floats | None = None,
) -> Scored:
    """Count rows by what a model says of one class; rows and truth as for `judge`."""
    if model.classes is None:
        raise ParameterError("Scores are of a class, and this model predicts a number.")
    return scorer(model, frame)(positive, slice(None), np.asarray(truth == positive), weight)


def scorer(model: AnyModel, frame: Frame) -> Count:
    """What counts rows of a frame by what a model says of a class.

    It takes the class, the rows, which of these are of the class, and what they weigh. Of one tree
    that sends each row one way, rows are counted by leaf and nothing is sorted.
    """
    if model.kind == "tree" and not model.growth.on_missing.shared:
        leaves = model.apply_frame(frame)  # type: ignore[attr-defined]
        shares = model.node_value  # type: ignore[attr-defined]
        return lambda k, rows, own, w: by_place(shares[:, k], leaves[rows], own, w)
    values = model.values_frame(frame)
    return lambda k, rows, own, w: Scored.of_rows(values[rows, k], own, w)


def by_place(
    scores: Floats, place: NDArray[Any], positive: NDArray[np.bool_], weight: Floats | None
) -> Scored:
    """Count rows by place, such as their leaf, where each place has one score."""
    cell, n = 2 * place.astype(np.intp) + positive, 2 * len(scores)
    if weight is None:
        return Scored.of_counts(scores, np.bincount(cell, minlength=n))
    rows = np.bincount(cell[weight > 0], minlength=n)
    sums = (np.bincount(cell, w, n) for w in (weight, weight * weight))
    return Scored.of_counts(scores, rows, *sums)


def positive_of(model_classes: NDArray[Any], positive: Any = None) -> int:
    """The place of a class among those of a model, by itself or by its name.

    If none is said, of two classes the second, as scikit-learn has it.
    """
    known = model_classes.tolist()
    if positive is None:
        if len(known) == 2:
            return 1
        some = ", ".join(show_label(label) for label in known[:20])
        raise ParameterError(f"Which class is meant? positive= names one of {some}.")
    plain = positive.item() if isinstance(positive, np.generic) else positive
    for place, label in enumerate(known):
        if type(label) is type(plain) and label == plain:
            return place
    names = [show_label(label) for label in known]
    for written in (names, [str(label) for label in known]):
        if show_label(plain) in written:
            return written.index(show_label(plain))
    raise ParameterError(
        f"positive must be one of the classes {', '.join(names[:20])}. Got {plain!r}."
        + did_you_mean(str(plain), names)
    )


def _check(scores: Floats, what: str) -> None:
    """Refuse scores that have no place in an order."""
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        raise DataError(
            f"A score must be a finite number; {what} {int(bad[0])} has {scores[bad[0]]}."
        )


def _running(counts: NDArray[Any]) -> NDArray[Any]:
    """Sums from the top, the first of nothing."""
    return np.concatenate([np.zeros((1, 2), counts.dtype), np.cumsum(counts, axis=0)])


def _quotient(a: float, b: float) -> float:
    return float(a / b) if b > 0 else float("nan")
