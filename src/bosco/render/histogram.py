"""How the rows of a node spread over the column that it tests, counted from given rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.columns import Coded
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.schema import Schema, show_level
from bosco.data.target import encode_among
from bosco.errors import DataError
from bosco.tree.conditions import Interval, Members, Test

if TYPE_CHECKING:
    from bosco.models.model import Model

BINS = 24
MAX_LEVELS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Bars of one node, and where its test cuts; places are shares of the width."""

    left: NDArray[np.float64]  # where each bar begins
    right: NDArray[np.float64]  # where it ends
    counts: NDArray[np.int64]  # rows in each bar, by class if classes are known
    missing: NDArray[np.int64]  # rows whose value is missing, likewise
    cuts: tuple[float, ...]  # where the branches part
    ends: tuple[str, str]  # what stands at the left and the right end


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Rows given to a picture: how many pass each node, and how they spread there."""

    seen: Seen  # which of them equal training rows
    training: int  # how many rows the tree was grown on
    passing: NDArray[np.int64]  # how many of the rows given pass each node
    histograms: dict[int, Histogram]  # by node

    @property
    def same(self) -> bool:
        """Whether they are the rows that the tree was grown on: as many, all of them equal."""
        seen = self.seen
        return seen.known and seen.n_equal == seen.n_looked and seen.rows == self.training

    def __str__(self) -> str:
        if self.same:
            return tr("Boxes and histograms: the {n:,} training rows.", n=self.training)
        return tr(
            "Boxes: the {n:,} training rows. Histograms: the {given:,} rows given. {seen}",
            n=self.training,
            given=self.seen.rows,
            seen=self.seen,
        )


def given_rows(model: "Model", X: Any, y: Any, nodes: Iterable[int]) -> Given:
    """Count rows at every node, and draw how they spread at some."""
    frame = model.read(X)
    truth: Any = None
    if y is not None:
        if np.shape(y) != (frame.n_rows,):
            raise DataError(f"y must have one value for each of the {frame.n_rows} rows of X.")
        truth = np.asarray(y, np.float64) if model.classes is None else None
        if model.classes is not None:
            truth = encode_among(y, model.classes, None, False).codes
    start = _first_leaf(model)
    rank = start[model.apply_frame(frame)]
    rows = np.argsort(rank, kind="stable")
    ends = start + model.tree.leaves_below
    first, last = (np.searchsorted(rank[rows], bounds) for bounds in (start, ends))
    grown = model.provenance.get("rows")
    if type(grown) is not int:
        grown = round(float(model.tree.native.count[0] / model.tree.native.count_scale))
    found, n_classes = {}, 1
    codes = np.zeros(frame.n_rows, np.intp)
    if truth is not None and model.classes is not None:
        codes, n_classes = truth, len(model.classes)
    for node in nodes:
        if (test := model.tree.test(node)) is None:
            continue
        here = rows[first[node] : last[node]]
        cells = frame.table.column(test.column).take(here)
        if not isinstance(cells, Coded):
            x = cells.values.astype(np.float64)
        elif model.schema.columns[test.column].kind == "nominal":
            found[node] = _by_level(model.schema, test, cells.codes, codes[here], n_classes)
            continue
        else:
            x = np.where(cells.codes == 0, np.nan, cells.codes - 1.0)
        found[node] = _by_value(model.schema, test, x, codes[here], n_classes)
    return Given(seen_rows(model, frame, truth), grown, last - first, found)


def _first_leaf(model: "Model") -> NDArray[np.int64]:
    """How many leaves stand before each node's, read from the first branch to the last."""
    native, leaves = model.tree.native, model.tree.leaves_below
    start = np.zeros(model.tree.node_count, dtype=np.int64)
    for node in np.flatnonzero(native.first_child >= 0).tolist():
        children = model.tree.children(node)
        below = leaves[children.start : children.stop]
        start[children.start : children.stop] = start[node] + np.cumsum(below) - below
    return start


def _by_value(
    schema: Schema, test: Test, x: NDArray[np.float64], codes: NDArray[np.intp], n_classes: int
) -> Histogram:
    """Bars of equal width, one of whose edges is the first cut."""
    known = np.isfinite(x)
    absent = np.bincount(codes[np.isnan(x)], minlength=n_classes)
    highs = (b.high for b in test.branches if isinstance(b, Interval))
    cuts = sorted(high for high in highs if high is not None)
    points = np.concatenate((x[known], [cut for cut in cuts if np.isfinite(cut)]))
    if not points.size:
        return _empty(absent)
    low, high = float(points.min()), float(points.max())
    width = (high - low) / BINS or 1.0
    if known.any() and (x[known] == np.floor(x[known])).all():
        width = max(1.0, float(np.ceil(width)))  # bars of whole numbers hold equally many of them
    anchor = cuts[0] if cuts and np.isfinite(cuts[0]) else low
    first = int(np.floor((low - anchor) / width))
    last = max(int(np.ceil((high - anchor) / width)), first + 1)
    edges = anchor + width * np.arange(first, last + 1)
    # x ≤ cut goes down: bars own their upper edge.
    bar = np.clip(np.searchsorted(edges, x[known], side="left") - 1, 0, len(edges) - 2)
    flat = np.bincount(bar * n_classes + codes[known], minlength=(len(edges) - 1) * n_classes)
    span = edges[-1] - edges[0]
    places = (edges - edges[0]) / span
    return Histogram(
        left=places[:-1],
        right=places[1:],
        counts=flat.reshape(-1, n_classes),
        missing=absent,
        cuts=tuple(float((c - edges[0]) / span) for c in cuts if np.isfinite(c)),
        ends=_ends(schema, test.column, low, high),
    )


def _by_level(
    schema: Schema, test: Test, x: NDArray[Any], codes: NDArray[np.intp], n_classes: int
) -> Histogram:
    """A bar for each level that is present, branch by branch, a cut between branches."""
    levels = schema.columns[test.column].levels or ()
    cells = x.astype(np.int64) * n_classes + codes
    table = np.bincount(cells, minlength=(len(levels) + 1) * n_classes).reshape(-1, n_classes)
    present = table.sum(axis=1) > 0
    n_present = int(present[1:].sum())
    if n_present > MAX_LEVELS:  # the heaviest stand for all
        weight = np.where(present, table.sum(axis=1), 0)
        weight[0] = 0
        present[np.argsort(-weight, kind="stable")[MAX_LEVELS:]] = False
    members = (b.codes for b in test.branches if isinstance(b, Members))
    groups = [here for own in members if (here := [c for c in own if present[c]])]
    order = [code for group in groups for code in group]
    if not order:
        return _empty(table[0])
    places = np.linspace(0.0, 1.0, len(order) + 1)
    inset = 0.1 / len(order)
    ends = np.cumsum([len(group) for group in groups])[:-1]
    names = [visible(show_level(levels[order[at] - 1])) for at in (0, -1)]
    if n_present > MAX_LEVELS:
        names = [tr("{n} of {all} levels", n=MAX_LEVELS, all=n_present), ""]
    return Histogram(
        left=places[:-1] + inset,
        right=places[1:] - inset,
        counts=table[order],
        missing=table[0],
        cuts=tuple(float(places[end]) for end in ends),
        ends=(names[0], names[1] if len(order) > 1 else ""),
    )


def _empty(missing: NDArray[np.int64]) -> Histogram:
    nothing = np.zeros(0)
    counts = np.zeros((0, len(missing)), dtype=np.int64)
    return Histogram(nothing, nothing, counts, missing, (), ("", ""))


def _ends(schema: Schema, column: int, low: float, high: float) -> tuple[str, str]:
    """Short words for the ends of an axis: numbers to four digits, of two moments the days."""
    if schema.columns[column].levels is None and schema.columns[column].unit == "number":
        return show_figure(low), show_figure(high)
    first, last = schema.show_value(column, low), schema.show_value(column, high)
    if schema.columns[column].levels is None and first.split()[0] != last.split()[0]:
        return first.split()[0], last.split()[0]
    return first, last
