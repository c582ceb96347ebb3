"""Boosted trees as a table of points that a person can add up.

Every stump asks one question and gives its coefficient to a class. Rounds that ask the same
question are one line, their points summed; a deeper tree is a line of its own, with points for each
leaf. Points are whole numbers over 2**40, so the sum does not depend on its order: the table
decides exactly as the ensemble does.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.data.frame import Frame
from bosco.data.schema import Schema, show_label
from bosco.errors import ModelError
from bosco.export.program import Program, program_of
from bosco.growth import Growth
from bosco.models.exported import Exported
from bosco.models.scoreline import UNIT, ScoreLine, bare, points_of, shares_of, votes_of
from bosco.reasons.account import Account, Item
from bosco.reasons.given import by_name, derived_values, frame_of
from bosco.render.card import HOLDS_TOO, count, say, say_unseen
from bosco.store.decisions import write_decision
from bosco.store.scoretables import LineParts, TableParts, restored_table
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.family import Kind, rows_of, threads
from bosco.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class ScoreTable(Exported):
    """Questions with points; the class with the most points is predicted.

    Fitted ensembles of trees hold one as ``model_``: ``AdaBoostClassifier().fit(X, y).model_``.

    Parameters
    ----------
    lines : tuple of ScoreLine
        The questions, the weightiest first.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray
        The class labels in order.
    growth : Growth
        The settings that grew the trees.
    provenance : mapping
        Where it comes from: algorithm, version, size of the training data.
    decision : Decision
        How the points become an answer: the most, or a lead that one of two classes must have.

    Examples
    --------
    >>> from bosco import AdaBoostClassifier
    >>> from bosco.datasets import loans
    >>> print(AdaBoostClassifier(n_estimators=2).fit(*loans()).model_)
    2 questions from 2 rounds; safe if the points sum to 0 or more, else risky
    <BLANKLINE>
    income = low *  -0.7332
    income = high   +0.7332
    <BLANKLINE>
    reputation = poor    -0.6931
    reputation ≠ poor *  +0.6931
    <BLANKLINE>
    * Holds for a missing value, too; training had none in reputation, income.
    """

    lines: tuple[ScoreLine, ...]
    schema: Schema
    classes: NDArray[Any]
    growth: Growth
    provenance: Mapping[str, Any] = field(default_factory=dict)
    decision: Decision = HEAVIEST

    kind: ClassVar[Kind] = "score_table"
    instead: ClassVar[str] = "print(model) has all of it, model.explain(row) tells one case."

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.parts()
        said = (parts.schema.to_dict(), parts.classes, parts.growth.to_dict(), parts.provenance)
        decided = [write_decision(self.decision)] if self.decision else []
        return _restore, ([tuple(line) for line in parts.lines], *said, *decided)

    @classmethod
    def of_trees(
        cls,
        trees: Sequence[Tree],
        coefficients: Any,
        schema: Schema,
        classes: NDArray[Any],
        growth: Growth,
        provenance: Mapping[str, Any],
    ) -> "ScoreTable":
        """Merge stumps that ask the same question, their points summed; deeper trees stay."""
        found: dict[Any, tuple[Tree, NDArray[np.int64], int]] = {}
        for tree, points in zip(trees, points_of(coefficients).tolist(), strict=True):
            votes = votes_of(tree, len(classes)) * points
            key = tree.test(0) if tree.max_depth <= 1 else len(found), "deeper"
            if key in found:
                first, sum_, rounds = found[key]
                found[key] = first, sum_ + votes, rounds + 1
            else:
                found[key] = bare(tree, len(classes)), votes, 1
        lines = sorted((ScoreLine(*line) for line in found.values()), key=lambda x: -x.weight)
        return cls(tuple(lines), schema, classes, growth, provenance)

    def parts(self) -> TableParts:
        """What a file keeps."""
        lines = tuple(LineParts(line.tree, line.points, line.rounds) for line in self.lines)
        about = (self.schema, self.classes, self.growth, dict(self.provenance))
        return TableParts(lines, *about, self.decision)

    # Reading ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        what = "trees" if self.deep else "questions"
        return f"<ScoreTable: {len(self.lines)} {what}, {len(self.classes)} classes>"

    @property
    def deep(self) -> bool:
        """Whether some line asks more than one question."""
        return any(line.tree.max_depth > 1 for line in self.lines)

    def __str__(self) -> str:
        return self.to_text()

    @property
    def headline(self) -> str:
        """How many questions there are, and how their points decide, in a line."""
        rounds = sum(line.rounds for line in self.lines)
        labels = [show_label(label) for label in self.classes]
        what = count(len(self.lines), "tree" if self.deep else "question")
        head = tr("{what} from {rounds}", what=what, rounds=count(rounds, "round"))
        if len(labels) == 2:
            return f"{head}; {self.bar(labels)}"
        most = tr("the class with the most points is predicted, of equals the first")
        return f"{head}; {most}"

    def bar(self, labels: list[str]) -> str:
        """Which sums of points, those for the second class less the first's, give which class."""
        cut, (a, b) = self.decision.cut, labels
        if cut is None:
            return tr("{b} if the points sum to 0 or more, else {a}", a=a, b=b)
        if cut.of == 1:
            at = show_figure(cut.at, 6)
            return tr("{b} if the points sum to {at} or more, else {a}", a=a, b=b, at=at)
        at = show_figure(-cut.at, 6)
        return tr("{a} if the points sum to {at} or less, else {b}", a=a, b=b, at=at)

    @property
    def n_leaves(self) -> int:
        """Number of answers of all lines."""
        return sum(line.tree.n_leaves for line in self.lines)

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """The points that each column can move, from its worst answers to its best."""
        moves = np.zeros(len(self.schema.columns))
        for line in self.lines:
            gap = line.weight
            if len(self.classes) == 2:  # what is shown are points for the second, less the first's
                gap = int(np.ptp(line.points[:, 1] - line.points[:, 0]))
            moves[line.tree.columns_asked] += gap / UNIT
        return moves

    def to_text(
        self, *, digits: int = 4, max_levels: int | None = 8, max_lines: int | None = 200
    ) -> str:
        """The table as text; ``print`` is this with its defaults.

        Parameters
        ----------
        digits : int, default=4
            Decimals of the points; the exact ones are in ``lines``.
        max_levels : int or None, default=8
            Spell out so many levels of a set; None spells out all.
        max_lines : int or None, default=200
            Show so many answers, of the weightiest lines; None shows all.
        """
        labels = [show_label(label) for label in self.classes]
        out, shown = [self.headline], 0
        for at, line in enumerate(self.lines):
            shown += line.tree.n_leaves
            if max_lines is not None and shown > max_lines and at > 0:
                left = len(self.lines) - at
                more = trn("… {n} more question", "… {n} more questions", left)
                if self.deep:
                    more = trn("… {n} more tree", "… {n} more trees", left)
                out += ["", more]
                break
            answers = self.answers(line, max_levels)
            rows = [(words, self.say_points(p, labels, digits)) for words, p in answers]
            width = max(len(words) for words, _ in rows)
            out += ["", *(f"{words:<{width}}  {points}" for words, points in rows)]
        asked = {j for line in self.lines for j in line.tree.native.tests.column.tolist()}
        if marked := asked & self.never_missing:
            out += ["", say_unseen(self.schema, marked, HOLDS_TOO)]
        if notes := [*self.meanings, *self.deciding]:
            out += ["", *notes]
        return "\n".join(out)

    def text_within(self, **limits: Any) -> str:
        """The text of `to_text`: as many answers as a tree would have nodes."""
        known = {"max_nodes": "max_lines", "max_levels": "max_levels"}
        return self.to_text(**{known[name]: n for name, n in limits.items() if name in known})

    def answers(
        self, line: ScoreLine, max_levels: int | None = 8
    ) -> list[tuple[str, NDArray[np.int64]]]:
        """What leads to each leaf of a line, in words, and its points over 2**40."""
        words: dict[int, str] = {0: tr("always")}
        for node in range(line.tree.node_count):
            test = line.tree.test(node)
            for branch, child in zip(
                test.branches if test else (), line.tree.children(node), strict=True
            ):
                said = say(
                    self.schema, branch, max_levels or sys.maxsize, unseen=self.never_missing
                )
                words[child] = said if node == 0 else f"{words[node]}; {said}"
        leaves = np.flatnonzero(line.tree.native.first_child < 0).tolist()
        return [(words[leaf], p) for leaf, p in zip(leaves, line.points, strict=True)]

    @staticmethod
    def say_points(points: NDArray[np.int64], labels: list[str], digits: int = 4) -> str:
        """What an answer gives: of two classes, points for the second less those of the first."""
        if len(labels) == 2:
            return f"{(points[1] - points[0]) / UNIT:+.{digits}f}"
        given = [k for k in np.argsort(-points, kind="stable") if points[k]]
        return ", ".join(f"{points[k] / UNIT:+.{digits}f} {labels[k]}" for k in given) or "0"

    def explain(self, row: Any) -> Account:
        """Which answers decided one case, and how many points each gave.

        Parameters
        ----------
        row : mapping or sequence
            The case: values by column name, or in the order of the columns.

        Returns
        -------
        Account
            Of two classes, points for the second less those for the first; else points of the
            class that is predicted. ``print`` it.
        """
        case = by_name(self.schema, row)
        frame = frame_of(self, case)
        case |= derived_values(frame)
        points = self.points_frame(frame)
        labels = self.classes.tolist()
        two, at = len(labels) == 2, int(self.decision.answers(points)[0])
        items = []
        for line in self.lines:
            words, given = self.answers(line)[int(line.answers(frame)[0])]
            if adds := int(given[1] - given[0]) if two else int(given[at]):
                items.append(Item(words, adds / UNIT))
        total = int(points[0, 1] - points[0, 0]) if two else int(points[0, at])
        said = [show_label(label) for label in labels]
        of = (
            f"{tr('points for {b}', b=said[1])}; {self.bar(said)}"
            if two and self.decision
            else tr("points for {b}; {b} if they sum to 0 or more, else {a}", a=said[0], b=said[1])
            if two
            else tr("points for {answer}; the class with the most is predicted", answer=said[at])
        )
        return Account(
            case={name: case.get(name) for name in self.schema.names},
            prediction=labels[at],
            of=of,
            unit="points",
            base=0.0,
            items=tuple(sorted(items, key=lambda item: -abs(item.adds))),
            total=total / UNIT,
            shares={} if two else dict(zip(labels, (points[0] / UNIT).tolist(), strict=True)),
        )

    def program(self) -> Program:
        """The lines as plain nodes, end to end, for exports; points as float64, exactly."""
        most = sum(int(np.abs(line.points).max()) for line in self.lines)
        if most >= 2**53:
            raise ModelError(
                "The points of so many rounds pass what a float64 adds exactly. "
                "Hint: fewer rounds, or a smaller learning_rate."
            )

        def trees() -> Iterator[tuple[Tree, NDArray[np.float64], float]]:
            for line in self.lines:
                says = np.zeros((line.tree.node_count, len(self.classes)))
                says[line.tree.native.first_child < 0] = line.points / UNIT
                yield line.tree, says, 1.0

        return program_of(self, trees(), adds="points")

    # Applying ---------------------------------------------------------------------------------

    def predict_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict rows that are read already: the points decide, not the shares made of them."""
        return self._answers(self.points_frame(frame, n_jobs))

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Share of every class for rows that are read already."""
        boosting = str(self.provenance.get("boosting", "discrete"))  # older files do not say
        return shares_of(self.points_frame(frame, n_jobs), boosting)

    def points(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Points of every class for raw rows: shape (n_rows, n_classes)."""
        rows, _ = rows_of(X)
        frame = self.read(rows)
        return self.points_frame(frame, n_jobs) / UNIT

    def points_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int64]:
        """Whole points over 2**40 of rows that are read already."""
        total = np.zeros((frame.n_rows, len(self.classes)), np.int64)
        n_threads = threads(n_jobs, frame)
        for line in self.lines:
            total += line.given(frame, n_threads)
        return total

    def ahead_frame(self, frame: Frame) -> NDArray[np.float64]:
        """By how many points the prediction is ahead of the next class."""
        best = np.sort(self.points_frame(frame) / UNIT, axis=1)
        ahead: NDArray[np.float64] = best[:, -1] - best[:, -2]
        return ahead

    def _columns(self) -> list[int]:
        return sorted({j for line in self.lines for j in line.tree.columns_asked.tolist()})


def _restore(*content: Any) -> ScoreTable:
    """A table from a pickle, checked as one from a file."""
    return table_of(restored_table(*content))


def table_of(parts: TableParts) -> ScoreTable:
    """A score table of its parts."""
    return ScoreTable(tuple(ScoreLine(*line) for line in parts.lines), *parts[1:])
