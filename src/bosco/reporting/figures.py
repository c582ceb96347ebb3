"""How good the model is: on the rows given, and as others judged it."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bosco.render.card import show_share, show_weight
from bosco.render.html import Markup, Table
from bosco.reporting.charts import calibration
from bosco.reporting.page import fold, paragraph, show, verbatim
from bosco.reporting.scores import Point, Scores

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability

MAX_CLASSES = 30
"""A confusion matrix of more classes is not shown."""


BY_LEAF = "Calibration: what each leaf promises, and what these rows say"
BY_SURENESS = "Calibration: what the trees say together, and what these rows say"


def on_rows(scores: Scores, classes: Sequence[Any] | None, title: str = BY_LEAF) -> str:
    """The model itself, on the rows given to the report."""
    rows = [
        [name, value, "–" if low != low else f"{low:.4f} to {high:.4f}"]
        for name, value, low, high in scores.figures
    ]
    caption = f"This model on the {scores.rows} rows given to the report"
    parts = [
        show(Table(["figure", "value", "95 % interval"], rows, caption)),
        paragraph(
            "They flatter the model if it was grown on, or chosen with, any of these rows.", "note"
        ),
    ]
    if classes is not None and scores.confusion is not None:
        parts.append(_confusion(scores.confusion.tolist(), classes, caption))
    parts.append(_calibrated(scores.points, title, classes is None))
    if scores.ahead:
        parts.append(_ahead(scores.ahead))
    return "\n".join(parts)


def _ahead(points: Sequence[Point]) -> str:
    """Points are no probabilities: how often they are right is to be seen."""
    rows = [
        [
            f"{p.predicted:.4f}",
            show_weight(p.rows),
            show_share(p.observed),
            f"{show_share(p.low).removesuffix(' %')} – {show_share(p.high)}",
        ]
        for p in points
    ]
    heads = ["points ahead of the next class, mean", "rows", "right", "95 % interval"]
    said = "Calibration: points are no probabilities; the further ahead, the surer it should be"
    return show(Table(heads, rows, said))


def lead(scores: Scores) -> str:
    """The first figure, in a sentence."""
    name, value, low, high = scores.figures[0]
    said = f"On the {scores.rows} rows given to this report: {name} "
    if low != low:
        return f"{said}{value:.4g}."
    return f"{said}{show_share(value)}, 95 % interval {show_share(low)} to {show_share(high)}."


def judged(evaluation: "Evaluation") -> str:
    """Models grown in the same way on other rows, as `bosco.evaluate` found."""
    first, *others = evaluation.tables()
    parts = [show(first), paragraph(evaluation.says, "note")]
    matrix, classes, bins = evaluation.confusion, evaluation.classes, evaluation.calibration()
    if matrix is not None and classes is not None:
        parts.append(_confusion(matrix.tolist(), classes, "Summed over all test parts"))
    if bins is not None:
        nan = float("nan")
        points = [Point(p, o, nan, nan, w) for p, o, w in zip(*bins.values(), strict=True)]
        parts.append(_calibrated(points, "Calibration over all test parts", classes is None))
    if others:
        parts.append(fold("The same in numbers", show(*others)))
    return "\n".join(parts)


def steadiness(stability: "Stability") -> str:
    """What stays of the tree when the rows are drawn again."""
    parts = [
        paragraph(
            "The tree was grown again on samples of the rows, drawn with replacement. A question "
            "that comes back in nearly all of them does not hang on a few rows."
        ),
        show(*stability.tables()),
        fold("In words", verbatim(stability.to_text(time=False), "Stability in words")),
    ]
    return "\n".join(parts)


def choosing(selection: "Selection") -> str:
    """What was tried before this model was chosen."""
    text = selection.to_text(time=False).rpartition("\n\n")[2]
    return "\n".join([show(*selection.tables()), paragraph(" ".join(text.split()), "note")])


def _confusion(matrix: list[list[float]], classes: Sequence[Any], caption: str) -> str:
    """True by predicted, each cell shaded by its part of the true class."""
    if len(classes) > MAX_CLASSES:
        return paragraph(
            f"The confusion matrix is left out: {len(classes)} classes are too many for a page.",
            "note",
        )
    names = [escape(str(label)) for label in classes]
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = []
    for k, row in enumerate(matrix):
        whole = sum(row) or 1
        cells = "".join(
            f'<td class="number shade-{round(9 * n / whole)}{" right" if k == at else ""}">'
            f"{show_weight(n)}</td>"
            for at, n in enumerate(row)
        )
        recall = show_share(row[k] / whole) if sum(row) else "–"
        lines.append(
            f'<tr><th scope="row">{names[k]}</th>{cells}<td class="number">{recall}</td></tr>'
        )
    said = escape(f"Confusion matrix: a row per true class, a column per prediction. {caption}")
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="Confusion matrix">'
        f'<table class="bosco-table confusion"><caption>{said}</caption><thead><tr>'
        f'<th scope="col">true \\ predicted</th>{heads}<th scope="col">found</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _calibrated(points: Sequence[Point], title: str, real: bool) -> str:
    if not points:
        return ""
    chart: Markup = calibration(points, title, real)
    what = "a mean" if real else "a share"
    legend = (
        f"{title}. On the line, {what} is what it says; a dot is as large as its rows are many, "
        "a bar is its 95 % interval."
    )
    return f"<figure>{chart}<figcaption>{escape(legend)}</figcaption></figure>"
