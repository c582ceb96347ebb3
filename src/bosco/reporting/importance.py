"""What many trees look at: shares of the decrease of impurity, points, and what shuffling costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.frame import Frame
from bosco.moments import show_figure
from bosco.render.card import show_share
from bosco.render.html import Table
from bosco.reporting.charts import interval
from bosco.reporting.page import fold, paragraph, show

MAX_FIRST = 20
"""Columns in the open; the others are opened by those who want them."""

MAX_SHUFFLED = 50
MAX_ROWS = 2000
REPEATS = 5
"""Columns and rows at most, and how often: shuffling predicts all of the rows again each time."""

_BIASED = (
    "The share of the decrease of impurity favours columns with many values, which offer more "
    "tests to choose from, and counts what was learned by heart. Columns that say the same share "
    "what they are worth, here and when they are shuffled."
)


@dataclass(frozen=True, slots=True, eq=False)
class Drops:
    """How much worse the predictions are if the values of a column are dealt out anew.

    Attributes
    ----------
    mean, sd : ndarray
        Of each column, over the repeats; NaN where it was not shuffled.
    metric : str
        What drops.
    where : str
        On which rows.
    repeats : int
        How often.
    """

    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    metric: str
    where: str
    repeats: int = REPEATS


def drops_given(importances: Any, real: bool) -> Drops:
    """What `permutation_importances_oob` found."""
    mean, sd = (np.asarray(importances[f"importances_{what}"]) for what in ("mean", "std"))
    where = "rows out of the bag, each judged by the trees that have not seen it"
    return Drops(mean, sd, _metric(real), where, np.shape(importances["importances"])[1])


def drops_on(model: Any, frame: Frame, truth: NDArray[Any]) -> Drops | None:
    """Shuffle the columns on rows that are read already: those that matter most.

    `truth` holds numbers, or the places of the labels among the classes. None: one row cannot be
    shuffled.
    """
    if frame.n_rows < 2:
        return None
    from sklearn.metrics import r2_score

    random = np.random.default_rng(0)
    real = model.classes is None
    given, n = frame.n_rows, min(frame.n_rows, MAX_ROWS)
    if n < given:
        rows = np.sort(random.choice(given, n, replace=False))
        frame, truth = model.read(frame.table.take(rows)), truth[rows]
    labels = truth if real else model.classes.take(truth)

    def score(rows: Frame) -> float:
        said = model.predict_frame(rows)
        return float(r2_score(labels, said)) if real else float(np.mean(said == labels))

    worth = points_moved(model) if hasattr(model, "lines") else model.feature_importances
    usual, width = score(frame), len(frame.schema.columns)
    mean, sd = np.full(width, np.nan), np.full(width, np.nan)
    for j in np.argsort(-worth, kind="stable")[:MAX_SHUFFLED].tolist():
        lost = [usual - score(frame.dealt(j, random.permutation(n))) for _ in range(REPEATS)]
        mean[j], sd[j] = np.mean(lost), np.std(lost)
    where = f"{n:,} of the rows given to the report" if n < given else f"the {n:,} rows given"
    return Drops(mean, sd, _metric(real), where)


def _metric(real: bool) -> str:
    return "R²" if real else "accuracy"


def of_forest(model: Any, drops: Drops | None) -> str:
    """Each column's share of the decrease of impurity, with its spread over the trees."""
    each = np.array([tree.compute_feature_importances() for tree in model.trees()])
    asking = np.zeros(each.shape[1])
    for tree in model.trees():
        asking[tree.columns_asked] += 1
    shares = model.feature_importances
    low, high = np.quantile(each, [0.25, 0.75], axis=0)
    most = max(float(high.max()), float(shares.max())) or 1.0
    heads = ["column", "share of the decrease", "middle half of the trees", "", "trees that ask"]
    rows: list[list[object]] = [
        [
            name,
            show_share(shares[j]),
            f"{show_share(low[j]).removesuffix(' %')} – {show_share(high[j])}",
            interval(shares[j] / most, low[j] / most, high[j] / most),
            show_share(float(asking[j] / model.n_trees)),
        ]
        for j, name in enumerate(model.schema.names)
    ]
    table = _table(heads, rows, shares, drops, f"The columns, by {model.n_trees} trees")
    return "\n".join([table, paragraph(_shuffled(drops) + _BIASED, "note")])


def of_points(model: Any, drops: Drops | None) -> str:
    """How many points each column can move."""
    asked = np.zeros(len(model.schema.columns), np.int64)
    moves = points_moved(model)
    for line in model.lines:
        asked[sorted(set(line.tree.native.tests.column.tolist()))] += 1
    heads = ["column", "trees that ask" if model.deep else "questions", "points it can move"]
    rows: list[list[object]] = [
        [name, str(asked[j]), f"{moves[j]:.4f}" if asked[j] else "unused"]
        for j, name in enumerate(model.schema.names)
    ]
    said = (
        "A column can move the points from its worst answers to its best, all questions together."
    )
    if model.deep:
        said += " A tree of several columns counts for each of them."
    table = _table(heads, rows, moves, drops, "The columns, by the points of their answers")
    return "\n".join([table, paragraph(_shuffled(drops) + said, "note")])


def weightiest(model: Any, drops: Drops | None) -> list[str]:
    """What the trees go by, in sentences, the weightiest column first."""
    names = [column.shown for column in model.schema.columns]
    if drops is not None and np.nanmax(drops.mean, initial=0.0) > 0:
        lost = np.nan_to_num(drops.mean, nan=0.0)
        unit, scale = ("R²", 1.0) if drops.metric == "R²" else ("points of accuracy", 100.0)
        return [
            f"{names[j]}: with its values shuffled, {show_figure(scale * lost[j], 2)} {unit} less."
            for j in _heaviest(lost)
        ]
    if hasattr(model, "lines"):
        moves = points_moved(model)
        return [
            f"{names[j]}: its answers move up to {show_figure(moves[j], 3)} points."
            for j in _heaviest(moves)
        ]
    shares = model.feature_importances
    return [
        f"{names[j]}: {show_share(shares[j])} of the decrease of impurity."
        for j in _heaviest(shares)
    ]


def _heaviest(worth: NDArray[np.float64]) -> list[int]:
    return [j for j in np.argsort(-worth, kind="stable").tolist() if worth[j] > 0]


def _shuffled(drops: Drops | None) -> str:
    if drops is None:
        return ""
    return (
        f"Shuffling deals the values of one column out anew among {drops.where}, "
        f"{drops.repeats} times; what is lost of the {drops.metric} is the mean of them, ± their "
        "standard deviation. "
    )


def points_moved(model: Any) -> NDArray[np.float64]:
    """The widest gap between the answers to the questions about each column, summed."""
    moves = np.zeros(len(model.schema.columns))
    for line in model.lines:
        gap = line.weight
        if len(model.classes) == 2:  # what is shown are points for the second, less the first's
            gap = int(np.ptp(line.points[:, 1] - line.points[:, 0]))
        moves[sorted(set(line.tree.native.tests.column.tolist()))] += gap / 2.0**40
    return moves


def _table(
    heads: list[str],
    rows: list[list[object]],
    worth: NDArray[np.float64],
    drops: Drops | None,
    caption: str,
) -> str:
    """The columns, those first whose shuffling costs most."""
    order = np.argsort(-worth, kind="stable")
    if drops is not None:
        order = order[np.argsort(-np.nan_to_num(drops.mean[order], nan=-np.inf), kind="stable")]
        heads = [heads[0], f"{drops.metric} lost if shuffled", *heads[1:]]
        for j, row in enumerate(rows):
            lost = drops.mean[j]
            row.insert(1, "–" if np.isnan(lost) else f"{lost:.4f}\u00a0±\u00a0{drops.sd[j]:.4f}")
    rows = [rows[j] for j in order.tolist()]
    first = show(Table(heads, rows[:MAX_FIRST], caption))
    if len(rows) <= MAX_FIRST:
        return first
    rest = Table(heads, rows[MAX_FIRST:], "The others")
    return first + "\n" + fold(f"{len(rows) - MAX_FIRST} more columns", show(rest))
