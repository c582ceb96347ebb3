"""Rows counted as they come in, chunk by chunk, for comparing them with what a model remembers."""

from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bosco.data.fingerprint import seen_rows
from bosco.data.frame import Frame
from bosco.data.sketch import Count, Sketch
from bosco.errors import ModelError
from bosco.figures.figure import codes_of
from bosco.tree.census import Census
from bosco.tree.family import AnyModel
from bosco.tree.tree import Tree

UNDATED = "undated"
"""The period of rows whose date is not known."""

_GROUP = 20  # of the training rows, one in so many at least makes a group of leaves


class OneTree(Protocol):
    """What a model of one tree has, besides what every model has."""

    @property
    def tree(self) -> Tree:
        """The tree."""

    @property
    def census(self) -> Census | None:
        """The training rows of every node, where they are known."""

    def apply_frame(self, frame: Frame) -> NDArray[np.int32]:
        """The leaf of each row."""


def sketch_of(model: AnyModel) -> Sketch:
    """What a model remembers of the columns of its training rows."""
    said = model.provenance.get("sketch")
    if said is None:
        raise ModelError(
            "This model remembers nothing of the columns of its training rows. Hint: bosco fit "
            "keeps a sketch of them; in Python, model = model.sketched(X) with the training rows."
        )
    return Sketch.read(said, model.schema)


@dataclass(slots=True)
class Errors:
    """How wrong a model is on the rows of one period: sums of errors, and of their squares."""

    rows: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, errors: NDArray[np.float64]) -> None:
        """Add rows."""
        self.rows += len(errors)
        self.total += float(errors.sum())
        self.squares += float((errors**2).sum())


@dataclass(slots=True)
class Watch:
    """Counts of rows that come in."""

    model: AnyModel
    sketch: Sketch
    n_rows: int = 0
    counts: dict[int, Count] = field(default_factory=dict)
    errors: dict[str, Errors] = field(default_factory=dict)
    prices: dict[str, Errors] = field(default_factory=dict)  # what mistakes cost, where they do
    leaves: NDArray[np.int64] | None = None
    n_untold: int = 0  # rows of which the truth is not known
    n_looked: int = 0  # of the others, those that can be told from training rows
    n_equal: int = 0  # and those that equal one

    def add(
        self,
        frame: Frame,
        truth: NDArray[Any] | None = None,
        periods: NDArray[np.str_] | None = None,
    ) -> None:
        """Count the rows of a table.

        `truth`: numbers, or places of classes; NaN or -1 where it is not known. `periods` names the
        period of each row; without, all are one.
        """
        self.n_rows += frame.n_rows
        for j, count in self.sketch.counted(frame).items():
            self.counts[j] = self.counts[j] + count if j in self.counts else count
        if leaf_groups(self.model, self.sketch.n_rows) is not None:
            tree = cast(OneTree, self.model)
            found = np.bincount(tree.apply_frame(frame), minlength=tree.tree.node_count)
            self.leaves = found if self.leaves is None else self.leaves + found
        if truth is not None:
            self._judge(frame, truth, periods)

    def _judge(self, frame: Frame, truth: NDArray[Any], periods: NDArray[np.str_] | None) -> None:
        said, costs = self.model.predict_frame(frame, -1), self.model.decision.costs
        prices = None
        if self.model.classes is None:
            known = ~np.isnan(truth)
            errors = np.abs(said - truth)
        else:
            known = truth >= 0
            said = codes_of(said, self.model.classes)
            errors = (said != truth).astype(np.float64)
            prices = None if costs is None else np.array(costs)[truth, said]
        when = np.full(len(truth), "") if periods is None else periods
        for period in np.unique(when[known]).tolist():
            these = known & (when == period)
            self.errors.setdefault(period, Errors()).add(errors[these])
            if prices is not None:
                self.prices.setdefault(period, Errors()).add(prices[these])
        seen = seen_rows(self.model, frame, truth)
        self.n_untold += int(np.count_nonzero(~known))
        self.n_looked += seen.n_looked
        self.n_equal += seen.n_equal


def leaf_groups(model: AnyModel, n_rows: int) -> tuple[NDArray[np.intp], NDArray[np.int64]] | None:
    """For every node of a tree the group of leaves it is in, and the training rows of each group.

    A leaf counts for itself if it has one in twenty of the training rows; else with others below
    the nearest node above it that has. None of many trees, where missing values go down several
    branches, and where the rows of leaves are not known or are not the so many that are remembered:
    drawn ones, copies.
    """
    if model.kind != "tree" or model.growth.on_missing.shared:
        return None
    one = cast(OneTree, model)
    tree, census = one.tree, one.census
    if census is None or model.provenance.get("drawn") or round(census.total[0]) != n_rows:
        return None
    rows = census.total
    group = np.arange(tree.node_count)
    for node in range(1, tree.node_count):  # parents come first
        if rows[node] < rows[0] / _GROUP:
            group[node] = group[tree.path(node)[-2]]
    leaf = tree.native.first_child < 0
    then = np.bincount(group[leaf], weights=rows[leaf], minlength=tree.node_count)
    return group, np.rint(then).astype(np.int64)
