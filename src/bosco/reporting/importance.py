"""What many trees look at: what each column is worth to them, and what shuffling it costs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.data.frame import Frame
from bosco.figures.intervals import Floats
from bosco.render.html import Table
from bosco.reporting.parts import Part, fold, lines, show
from bosco.tree.family import AnyModel

MAX_FIRST = 20
"""Columns in the open; the others are opened by those who want them."""

MAX_SHUFFLED = 50
MAX_ROWS = 2000
REPEATS = 5
"""Columns and rows at most, and how often: shuffling predicts all of the rows again each time."""


@dataclass(frozen=True, slots=True, eq=False)
class Drops:
    """How much worse the predictions are if the values of a column are dealt out anew."""

    mean: Floats  # of each column, over the repeats; NaN where it was not shuffled
    sd: Floats
    metric: str  # what drops
    where: str  # on which rows
    repeats: int = REPEATS


def drops_given(importances: Any, real: bool) -> Drops:
    """What `permutation_importances_oob` found."""
    mean, sd = (np.asarray(importances[f"importances_{what}"]) for what in ("mean", "std"))
    where = tr("rows out of the bag, each judged by the trees that have not seen it")
    return Drops(mean, sd, _metric(real), where, np.shape(importances["importances"])[1])


def drops_on(model: AnyModel, frame: Frame, truth: NDArray[Any]) -> Drops | None:
    """Shuffle the columns on rows that are read already: those that matter most.

    `truth` holds numbers, or the places of the labels among the classes. None: one row cannot be
    shuffled.
    """
    if frame.n_rows < 2:
        return None
    from sklearn.metrics import r2_score

    random = np.random.default_rng(0)
    classes, real = model.classes, model.classes is None
    given, n = frame.n_rows, min(frame.n_rows, MAX_ROWS)
    if n < given:
        rows = np.sort(random.choice(given, n, replace=False))
        frame, truth = model.read(frame.table.take(rows)), truth[rows]
    labels = truth if classes is None else classes.take(truth)

    def score(rows: Frame) -> float:
        said = model.predict_frame(rows)
        return float(r2_score(labels, said)) if real else float(np.mean(said == labels))

    usual, width = score(frame), len(frame.schema.columns)
    mean, sd = np.full(width, np.nan), np.full(width, np.nan)
    for j in np.argsort(-model.worth, kind="stable")[:MAX_SHUFFLED].tolist():
        lost = [usual - score(frame.dealt(j, random.permutation(n))) for _ in range(REPEATS)]
        mean[j], sd[j] = np.mean(lost), np.std(lost)
    where = tr("the {n:,} rows given", n=n)
    if n < given:
        where = tr("{n:,} of the rows given to the report", n=n)
    return Drops(mean, sd, _metric(real), where)


def _metric(real: bool) -> str:
    return "R²" if real else "accuracy"


def _said(metric: str) -> str:
    return metric if metric == "R²" else tr("accuracy")


def weightiest(model: AnyModel, drops: Drops | None, say: Callable[[float], str]) -> list[str]:
    """What the trees go by, in sentences, the weightiest column first; `say` is of its worth."""
    names = [column.shown for column in model.schema.columns]
    if drops is not None and np.nanmax(drops.mean, initial=0.0) > 0:
        lost = np.nan_to_num(drops.mean, nan=0.0)
        of_numbers = drops.metric == "R²"
        unit, scale = ("R²", 1.0) if of_numbers else (tr("points of accuracy"), 100.0)
        return [
            tr(
                "{column}: with its values shuffled, {n} {unit} less.",
                column=names[j],
                n=show_figure(scale * lost[j], 2),
                unit=unit,
            )
            for j in _heaviest(lost)
        ]
    return [f"{names[j]}: {say(float(model.worth[j]))}." for j in _heaviest(model.worth)]


def _heaviest(worth: Floats) -> list[int]:
    return [j for j in np.argsort(-worth, kind="stable").tolist() if worth[j] > 0]


def say_shuffled(drops: Drops | None) -> str:
    """What shuffling is, in sentences; nothing if none was done."""
    if drops is None:
        return ""
    return tr(
        "Shuffling deals the values of one column out anew among {rows}, {n} times; what is lost "
        "of the {metric} is the mean of them, ± their standard deviation. ",
        rows=drops.where,
        n=drops.repeats,
        metric=_said(drops.metric),
    )


def table_of(
    heads: list[str], rows: list[list[object]], worth: Floats, drops: Drops | None, caption: str
) -> Part:
    """The columns as a table, those first whose shuffling costs most."""
    order = np.argsort(-worth, kind="stable")
    if drops is not None:
        order = order[np.argsort(-np.nan_to_num(drops.mean[order], nan=-np.inf), kind="stable")]
        heads = [heads[0], tr("{metric} lost if shuffled", metric=_said(drops.metric)), *heads[1:]]
        for j, row in enumerate(rows):
            lost = drops.mean[j]
            row.insert(1, "–" if np.isnan(lost) else f"{lost:.4f}\u00a0±\u00a0{drops.sd[j]:.4f}")
    rows = [rows[j] for j in order.tolist()]
    first = show(Table(heads, rows[:MAX_FIRST], caption))
    if len(rows) <= MAX_FIRST:
        return first
    rest = Table(heads, rows[MAX_FIRST:], tr("The others"))
    return lines([first, fold(tr("{n} more columns", n=len(rows) - MAX_FIRST), show(rest))])
