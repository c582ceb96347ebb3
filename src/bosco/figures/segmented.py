"""A model on given rows, segment by segment: what is found, and what is said of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import lay_out, show_figure
from bosco.base.visible import visible
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.frame import Frame
from bosco.data.schema import show_label
from bosco.errors import ParameterError, did_you_mean
from bosco.figures.fairness import Fairness, fairness
from bosco.figures.figure import codes_of
from bosco.figures.grouping import Grouping
from bosco.figures.intervals import Floats
from bosco.figures.onrows import whose_rows, why_no_test
from bosco.figures.parting import Parting, partings
from bosco.figures.scored import positive_of
from bosco.figures.segments import (
    LEAST,
    Ground,
    SegmentFigure,
    adjusted,
    compared,
    counted,
    figures_of,
)
from bosco.render.card import show_share
from bosco.render.html import Shown, Table
from bosco.tree.family import AnyModel


@dataclass(frozen=True, eq=False)
class Grouped:
    """One column and its segments.

    Attributes
    ----------
    column : str
        Its name.
    segments : tuple of str
        Its segments in words.
    rows : ndarray of int64
        How many rows each has.
    figures : tuple of tuple of SegmentFigure
        Every figure, of all segments.
    fairness : tuple of Fairness
        How far the groups are apart; none of numbers, or of several classes without `positive`.
    parting : tuple of Parting
        Of one tree: where the segments part most.
    """

    column: str
    segments: tuple[str, ...]
    rows: NDArray[np.int64]
    figures: tuple[tuple[SegmentFigure, ...], ...]
    fairness: tuple[Fairness, ...]
    parting: tuple[Parting, ...]


@dataclass(frozen=True, eq=False)
class Segments(Shown):
    """What `bosco.segments` found; ``print`` it, iterate, or tabulate ``to_dict()``.

    Attributes
    ----------
    columns : tuple of Grouped
        The columns that were asked for.
    n_rows : int
        How many rows the figures are of.
    compared : int
        How many comparisons Holm's p is adjusted for.
    positive : object
        The class that is looked for; None: numbers, or several classes.
    weighted : bool
        Whether rows carry weights, which all but numbers of rows go by.
    seen : Seen
        Which of the rows given equal training rows.
    apart : bool
        Whether those were left out, since others were there.
    untouched : bool
        The rows were set apart before anything was learned or chosen.

    Examples
    --------
    >>> import bosco
    >>> X = [[x] for x in range(40)]
    >>> tree = bosco.DecisionTreeClassifier(max_depth=1).fit(X, [x // 20 for x in range(40)])
    >>> rows, truth = [[x + 0.5] for x in range(40)], [x // 22 for x in range(40)]
    >>> found = bosco.segments(tree, rows, truth, by={"half": ["low"] * 20 + ["high"] * 20})
    >>> [(one.value, one.few) for one in found["half"].figures[0]]
    [(0.1, True), (0.0, True)]
    """

    columns: tuple[Grouped, ...]
    n_rows: int
    compared: int
    positive: Any
    weighted: bool
    seen: Seen
    apart: bool
    untouched: bool

    def __iter__(self) -> Iterator[Grouped]:
        return iter(self.columns)

    def __getitem__(self, column: str) -> Grouped:
        """One column, by its name."""
        known = {one.column: one for one in self.columns}
        if column not in known:
            raise ParameterError(
                f"There are segments of {', '.join(known)}. Got {column!r}."
                + did_you_mean(str(column), known)
            )
        return known[column]

    @property
    def whose(self) -> str:
        """Whose rows they are, in words."""
        return whose_rows(self.n_rows, self.seen, apart=self.apart, untouched=self.untouched)

    @property
    def differing(self) -> tuple[tuple[str, SegmentFigure], ...]:
        """What differs from all others, with the column, the surest first."""
        found = [(g.column, one) for g in self for row in g.figures for one in row if one.differs]
        return tuple(sorted(found, key=lambda pair: pair[1].p_holm))

    def to_dict(self) -> dict[str, list[Any]]:
        """Every figure of every segment as columns."""
        kept = ("key", "label", "value", "low", "high", "rows", "others", "p", "p_holm")
        table: dict[str, list[Any]] = {name: [] for name in ("column", "segment", *kept)}
        table |= {"few": [], "differs": []}
        for group in self:
            for one in (one for row in group.figures for one in row):
                table["column"].append(group.column)
                table["segment"].append(group.segments[one.segment])
                for name in (*kept, "few", "differs"):
                    table[name].append(getattr(one, name))
        return table

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        found = []
        for group in self:
            title = tr("By {column}, {rows}", column=visible(group.column), rows=self.whose)
            found.append(Table(*_figures(group), title))
            if group.fairness:
                said = tr("Fairness between the groups of {column}", column=visible(group.column))
                found.append(Table(*_fairness(group), said))
            if group.parting:
                said = tr("Where the groups of {column} part", column=visible(group.column))
                found.append(Table(*_parting(group), said))
        return tuple(found)

    @property
    def notes(self) -> list[str]:
        """What is to be known of the figures, in sentences."""
        said = [why_no_test(self.seen, untouched=self.untouched)]
        if self.compared:
            said.append(
                trn(
                    "Each segment is compared with all rows outside it. * differs: Holm's p, "
                    "adjusted for the {n} comparison made, is below 0.05.",
                    "Each segment is compared with all rows outside it. * differs: Holm's p, "
                    "adjusted for all {n} comparisons made, is below 0.05.",
                    self.compared,
                )
            )
        if any(one.few for group in self for row in group.figures for one in row):
            said.append(
                tr(
                    "Too few to tell: a figure rests on fewer than {n} rows there or outside, or "
                    "a cell has fewer than 5 to be expected.",
                    n=int(LEAST),
                )
            )
        if self.weighted:
            said.append(tr("All but numbers of rows go by weight; intervals are about right."))
        if any(group.fairness for group in self):
            said += [
                *(f"{name()}: {words(name=show_label(self.positive))}" for name, words in _PARITY),
                tr(
                    "These exclude each other: unless the groups have equal shares of the class, "
                    "or no answer is wrong, equalised odds and predictive parity cannot both hold. "
                    "Which one is owed is no question of figures."
                ),
            ]
        return [one for one in said if one]

    def to_text(self) -> str:
        """A table for each column, and what it means; ``print`` shows it."""
        lines = [tr("On {rows}", rows=self.whose) + "."]
        for group in self:
            lines += ["", visible(group.column)]
            lines += _laid(*_figures(group), "<<>>")
            if group.fairness:
                lines += ["", *_laid(*_fairness(group), "<><")]
            if group.parting:
                lines += ["", *_laid(*_parting(group), "<><")]
        told = [line for note in self.notes for line in wrap(note, 100)]
        return "\n".join([*lines, "", *told])


_FIGURES = {
    "error": phrase("error"),
    "answered": phrase("said to be {name}"),
    "recall": phrase("recall of {name}"),
    "alarms": phrase("others said to be {name}"),
    "precision": phrase("precision of {name}"),
    "promised": phrase("promised {name}, less seen (points)"),
    "absolute": phrase("mean absolute error"),
    "residual": phrase("true less predicted, mean"),
}

_PARITY = (
    (phrase("demographic parity"), phrase("all groups are said to be {name} equally often.")),
    (phrase("equal opportunity"), phrase("of those who are {name}, equally many are found.")),
    (
        phrase("equalised odds"),
        phrase("that, and of the others equally many are taken for {name} (the larger gap)."),
    ),
    (
        phrase("predictive parity"),
        phrase("of those said to be {name}, equally many are; as sure in each group."),
    ),
)
_PARITY_NAMES = {
    "demographic parity": _PARITY[0][0],
    "equal opportunity": _PARITY[1][0],
    "equalised odds": _PARITY[2][0],
    "predictive parity": _PARITY[3][0],
}


def _laid(head: list[str], rows: list[list[str]], sides: str) -> list[str]:
    return lay_out([head, *rows], sides)


def _figures(group: Grouped) -> tuple[list[str], list[list[str]]]:
    """Every figure of every segment, with its interval and what lies outside."""
    head = [tr("figure"), tr("segment"), tr("rows"), tr("value"), tr("95 % interval")]
    head += [tr("all others"), "p (Holm)", ""]
    rows = []
    for figures in group.figures:
        for one in figures:
            name = "" if one.label is None else show_label(one.label)
            share = one.key not in ("absolute", "residual", "promised")
            label = _FIGURES[one.key](name=name)
            row = [label if one is figures[0] else "", group.segments[one.segment]]
            row += [f"{one.rows:,}", say(one, one.value)]
            low, high = say(one, one.low), say(one, one.high)
            unsure = not np.isfinite([one.low, one.high]).all()
            bounds = "–" if unsure else f"{low.removesuffix(' %') if share else low} – {high}"
            row += [bounds, say(one, one.others)]
            row += [tr("too few to tell"), ""] if one.few else [_p(one.p_holm), "*" * one.differs]
            rows.append(row)
    return head, rows


def say(one: SegmentFigure, value: float) -> str:
    """A figure, or one like it, as text: a share, or a number; what was promised, in points."""
    if np.isnan(value):
        return "–"
    if one.key in ("absolute", "residual"):
        return show_figure(value)
    if one.key == "promised":
        return f"{100 * value:+.1f}"
    return show_share(value)


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _fairness(group: Grouped) -> tuple[list[str], list[list[str]]]:
    head = [tr("fairness"), tr("points apart"), tr("95 % interval"), tr("ratio"), tr("between")]
    rows = []
    for one in group.fairness:
        row = [_PARITY_NAMES[one.name]()]
        if np.isnan(one.gap):
            rows.append([*row, "–", "–", "–", tr("too few to tell")])
            continue
        between = tr(
            "{a} ({x}) and {b} ({y})",
            a=group.segments[one.most],
            x=show_share(one.most_value),
            b=group.segments[one.least],
            y=show_share(one.least_value),
        )
        ends = tr("{low} to {high}", low=f"{100 * one.low:.1f}", high=f"{100 * one.high:.1f}")
        ratio = "–" if np.isnan(one.ratio) else f"{one.ratio:.2f}"
        rows.append([*row, f"{100 * one.gap:.1f}", ends, ratio, between])
    return head, rows


def _parting(group: Grouped) -> tuple[list[str], list[list[str]]]:
    head = [tr("where they part"), tr("tells"), tr("branch"), *group.segments]
    rows = []
    for one in group.parting:
        whole = one.rows.sum(axis=0)
        for branch, counts in zip(one.branches, one.rows, strict=True):
            first = branch == one.branches[0]
            row = [f"[{one.node}] {one.question}" if first else ""]
            row += [show_share(one.tells) if first else "", branch]
            shares = counts / np.maximum(whole, 1)
            row += [show_share(s) if n else "–" for s, n in zip(shares, whole, strict=True)]
            rows.append(row)
    return head, rows


def segments_on(
    model: AnyModel,
    frame: Frame,
    truth: NDArray[Any],
    groups: tuple[Grouping, ...],
    weight: Floats | None = None,
    *,
    positive: Any = None,
    untouched: bool = False,
) -> Segments:
    """Segments of rows that are read already, of which `truth_of` says what is true."""
    seen = seen_rows(model, frame, truth)
    apart = seen.mixed and not untouched
    rows: Any = seen.parts()[1] if apart else slice(None)
    said: NDArray[Any] = model.predict_frame(frame)
    classes = place = score = None
    if model.classes is not None:
        classes, said = model.classes.tolist(), codes_of(said, model.classes)
        if positive is not None or len(classes) == 2:
            place = positive_of(model.classes, positive)
            score = model.values_frame(frame)[rows, place]
    w = None if weight is None else weight[rows]
    ground = Ground(truth[rows], said[rows], classes, place, score, w)
    leaves = model.apply_frame(frame)[rows] if model.kind == "tree" else None  # type: ignore[attr-defined]
    taken = [one.take(rows) for one in groups]
    sums = [counted(ground, one) for one in taken]
    found = adjusted([figures_of(one) for of in sums for one in of])
    tests, made = compared(found), []
    for group, of in zip(taken, sums, strict=True):
        own, found = found[: len(of)], found[len(of) :]
        fair = [] if place is None or classes is None else fairness(of, classes[place])
        made.append(
            Grouped(
                group.column,
                group.names,
                np.bincount(group.place, minlength=len(group.names)),
                tuple(map(tuple, own)),
                tuple(fair),
                () if leaves is None else partings(model, leaves, group),  # type: ignore[arg-type]
            )
        )
    label = None if place is None or classes is None else classes[place]
    n = len(ground.truth)
    return Segments(tuple(made), n, tests, label, weight is not None, seen, apart, untouched)
