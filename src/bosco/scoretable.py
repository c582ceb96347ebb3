"""Boosted stumps as a table of points that a person can add up.

Every stump asks one question and gives its coefficient to a class. Rounds that ask the same
question are one line, their points summed. Points are whole numbers over 2**40, so the sum does not
depend on its order: the table decides exactly as the ensemble does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.conditions import Test
from bosco.forest import heaviest
from bosco.frame import Frame
from bosco.model import rows_of, threads
from bosco.render.card import say
from bosco.schema import Schema, show_level
from bosco.tree import Tree

__all__ = ["ScoreLine", "ScoreTable", "points_of"]

_UNIT = 2.0**40


def points_of(coefficients: Any) -> NDArray[np.int64]:
    """Coefficients as whole points over 2**40, of which sums are exact.

    Examples
    --------
    >>> points_of([0.5]) / 2**40
    array([0.5])
    """
    points: NDArray[np.int64] = np.rint(np.asarray(coefficients) * _UNIT).astype(np.int64)
    return points


@dataclass(frozen=True, slots=True, eq=False)
class ScoreLine:
    """One question and the points of its answers.

    Parameters
    ----------
    tree : Tree
        A stump that asks the question; branch b leads to its node b + 1. A leaf asks nothing.
    points : ndarray of int64, shape (n_branches, n_classes)
        What each answer gives to each class, over 2**40.
    rounds : int
        How many rounds asked it.
    """

    tree: Tree
    points: NDArray[np.int64]
    rounds: int

    @property
    def test(self) -> Test | None:
        """The question; None: the points are given whatever the row is."""
        return self.tree.test(0)

    @property
    def weight(self) -> int:
        """How much the answer can matter: the widest gap between the points of two answers."""
        return int(np.ptp(self.points, axis=0).max())


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Questions with points; the class with the most points is predicted, of equals the last.

    Fitted ensembles of stumps hold one as ``model_``: ``AdaBoostClassifier().fit(X, y).model_``.

    Parameters
    ----------
    lines : tuple of ScoreLine
        The questions, the weightiest first.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray
        The class labels in order.
    missing : str
        The policy for missing values, as the settings of growth name it.

    Examples
    --------
    >>> from bosco import AdaBoostClassifier
    >>> from bosco.datasets import loans
    >>> print(AdaBoostClassifier(n_estimators=2).fit(*loans()).model_)
    2 questions from 2 rounds; safe if the points sum to 0 or more, else risky
    <BLANKLINE>
    income = low or missing  -0.7332
    income = high            +0.7332
    <BLANKLINE>
    reputation = poor             -0.6931
    reputation ≠ poor or missing  +0.6931
    """

    lines: tuple[ScoreLine, ...]
    schema: Schema
    classes: NDArray[Any]
    missing: str = "learn"

    def __reduce__(self) -> tuple[Any, ...]:
        lines = [(line.tree, line.points, line.rounds) for line in self.lines]
        return _restore, (lines, self.schema, self.classes, self.missing)

    @classmethod
    def of_stumps(
        cls,
        trees: Sequence[Tree],
        coefficients: Any,
        schema: Schema,
        classes: NDArray[Any],
        missing: str = "learn",
    ) -> "ScoreTable":
        """Merge stumps that ask the same question, their points summed."""
        found: dict[Any, tuple[Tree, NDArray[np.int64], int]] = {}
        for tree, points in zip(trees, points_of(coefficients).tolist(), strict=True):
            votes = _votes(tree, len(classes)) * points
            key = tree.test(0)
            if key in found:
                first, sum_, rounds = found[key]
                found[key] = first, sum_ + votes, rounds + 1
            else:
                found[key] = tree, votes, 1
        lines = sorted((ScoreLine(*line) for line in found.values()), key=lambda x: -x.weight)
        return cls(tuple(lines), schema, classes, missing)

    # Reading ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<ScoreTable: {len(self.lines)} questions, {len(self.classes)} classes>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, digits: int = 4, max_levels: int = 8) -> str:
        """The table as text; ``print`` is this with its defaults.

        Parameters
        ----------
        digits : int, default=4
            Decimals of the points; the exact ones are in ``lines``.
        max_levels : int, default=8
            Spell out so many levels of a set.
        """
        rounds = sum(line.rounds for line in self.lines)
        labels = [show_level(label) for label in self.classes.tolist()]
        count = len(self.lines)
        head = f"{count} question{'s' * (count != 1)} from {rounds} round{'s' * (rounds != 1)}; "
        if len(labels) == 2:
            head += f"{labels[1]} if the points sum to 0 or more, else {labels[0]}"
        else:
            head += "the class with the most points is predicted, of equals the last"
        out = [head]
        for line in self.lines:
            rows = [
                (words, self._say(p, labels, digits))
                for words, p in self._answers(line, max_levels)
            ]
            width = max(len(words) for words, _ in rows)
            out += ["", *(f"{words:<{width}}  {points}" for words, points in rows)]
        return "\n".join(out)

    def _answers(self, line: ScoreLine, max_levels: int) -> list[tuple[str, NDArray[np.int64]]]:
        test = line.test
        if test is None:
            return [("always", line.points[0])]
        words = [say(self.schema, branch, max_levels=max_levels) for branch in test.branches]
        return list(zip(words, line.points, strict=True))

    def _say(self, points: NDArray[np.int64], labels: list[str], digits: int) -> str:
        if len(labels) == 2:
            return f"{(points[1] - points[0]) / _UNIT:+.{digits}f}"
        given = [k for k in np.argsort(-points, kind="stable") if points[k]]
        return ", ".join(f"{points[k] / _UNIT:+.{digits}f} {labels[k]}" for k in given) or "0"

    # Applying ---------------------------------------------------------------------------------

    def predict(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Predict from raw rows, or one case given as a mapping."""
        rows, single = rows_of(X)
        frame = Frame.read(rows, self.schema, missing=self.missing)
        answers = self.classes.take(heaviest(self.points_frame(frame, n_jobs)), axis=0)
        return answers.tolist()[0] if single else answers

    def points(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Points of every class for raw rows: shape (n_rows, n_classes)."""
        rows, _ = rows_of(X)
        frame = Frame.read(rows, self.schema, missing=self.missing)
        return self.points_frame(frame, n_jobs) / _UNIT

    def points_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int64]:
        """Whole points over 2**40 of rows that are read already."""
        total = np.zeros((frame.n_rows, len(self.classes)), np.int64)
        n_threads = threads(n_jobs, frame)
        for line in self.lines:
            if line.test is None:
                total += line.points[0]
            else:
                total += line.points[_core.route(line.tree.native, frame.native, n_threads) - 1]
        return total


def _votes(tree: Tree, n_classes: int) -> NDArray[np.int64]:
    """One vote of each branch for the class that it predicts; of a leaf, of itself."""
    says = heaviest(tree.native.value)
    says = says if len(says) == 1 else says[1:]
    return np.eye(n_classes, dtype=np.int64)[says]


def _restore(lines: list[Any], schema: Schema, classes: Any, missing: str) -> ScoreTable:
    return ScoreTable(tuple(ScoreLine(*line) for line in lines), schema, classes, missing)
