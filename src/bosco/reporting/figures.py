"""How good the model is: on the rows given, and as others judged it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.figures.figure import Judged
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table
from bosco.reporting.charts import calibration
from bosco.reporting.page import fill, fold, lines, paragraph, show, verbatim
from bosco.reporting.scores import Point, Scores

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability

MAX_CLASSES = 30
"""A confusion matrix of more classes is not shown."""


BY_LEAF = "Calibration: what each leaf promises, and what these rows say"
BY_SURENESS = "Calibration: what the trees say together, and what these rows say"


def on_rows(scores: Scores, classes: Sequence[Any] | None, title: str = BY_LEAF) -> Markup:
    """The model itself, on the rows given to the report."""
    judged, weighted = scores.judged, scores.judged.whole.weighted
    heads = ["figure", "value", "95 % interval", f"always saying {judged.whole.says}"]
    rows: list[list[object]] = []
    for line in scores.figures:
        show_ = show_share if line.share else show_figure
        bounds = "–" if line.low != line.low else f"{show_(line.low)} to {show_(line.high)}"
        cells: list[object] = [line.name, show_(line.value), bounds, show_(line.constant)]
        rows.append([*cells, *([show_(line.known)] if judged.apart else [])])
    if judged.apart:
        heads.append(f"on {judged.seen.n_equal:,} rows seen in training (no test)")
    caption = f"This model on {population(scores)}"
    learned = judged.seen.state == "learned" and not judged.untouched
    against = "" if learned else judged.told.against
    parts = [show(Table(heads, rows, caption))]
    parts += [paragraph(text, "note") for text in (about_rows(judged), against) if text]
    if classes is not None and scores.confusion is not None:
        parts.append(_confusion(scores.confusion.tolist(), classes, caption, weighted))
    parts += _calibrated(scores.points, title, classes is None, weighted)
    if scores.ahead:
        parts.append(_ahead(scores.ahead, weighted))
    return lines(parts)


def population(scores: Scores) -> str:
    """Whose rows the figures are of."""
    judged, n = scores.judged, f"{scores.rows:,}"
    if judged.untouched:
        return f"the {n} rows set apart to test it"
    if judged.apart:
        return f"{n} rows that equal no training row"
    if not judged.seen.known or judged.seen.sampled:
        return f"the {n} rows given to the report"
    return judged.seen.whose


def about_rows(judged: Judged) -> str:
    """What the rows are to the model, in a sentence or two."""
    seen = judged.seen
    if judged.untouched:
        said = "These rows were set apart before anything was learned or chosen."
        if seen.known and judged.known is not None and judged.fresh is not None:
            return f"{said} {judged.by_chance}"
        return said
    if not seen.known:
        return f"{seen} The figures flatter it if it was grown on, or chosen with, any of these."
    if seen.mixed:
        return (
            f"{seen} The matrix and the calibration below are of the others, too. (An equal row "
            "need not be the same one.)"
        )
    if seen.state == "fresh":
        return str(seen)
    if seen.sampled:
        return f"{seen} The figures, of all, flatter it if it was grown on the others, too."
    return f"{seen} So this is no test: the figures flatter the model."


def _ahead(points: Sequence[Point], weighted: bool) -> Markup:
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
    amount = "weight" if weighted else "rows"
    heads = ["points ahead of the next class, mean", amount, "right", "95 % interval"]
    said = "Calibration: points are no probabilities; the further ahead, the surer it should be"
    return show(Table(heads, rows, said))


def judged(evaluation: "Evaluation") -> Markup:
    """Models grown in the same way on other rows, as `bosco.evaluate` found."""
    first, *others = evaluation.tables()
    parts = [show(first), paragraph(evaluation.says, "note")]
    parts += [paragraph(line, "note") for line in evaluation.no_better]
    matrix, classes, bins = evaluation.confusion, evaluation.classes, evaluation.calibration()
    if matrix is not None and classes is not None:
        summed = "Summed over all test parts"
        parts.append(_confusion(matrix.tolist(), classes, summed, evaluation.weighted))
    if bins is not None:
        nan = float("nan")
        points = [Point(p, o, nan, nan, w) for p, o, w in zip(*bins.values(), strict=True)]
        title = "Calibration over all test parts"
        parts += _calibrated(points, title, classes is None, evaluation.weighted)
    if others:
        parts.append(fold("The same in numbers", show(*others)))
    return lines(parts)


def steadiness(stability: "Stability") -> Markup:
    """What stays of the tree when the rows are drawn again."""
    parts = [
        paragraph(
            "The tree was grown again on samples of the rows, drawn with replacement. A question "
            "that comes back in nearly all of them does not hang on a few rows."
        ),
        show(*stability.tables()),
        fold("In words", verbatim(stability.to_text(time=False), "Stability in words")),
    ]
    return lines(parts)


def choosing(selection: "Selection") -> Markup:
    """What was tried before this model was chosen."""
    text = selection.to_text(time=False).rpartition("\n\n")[2]
    return lines([show(*selection.tables()), paragraph(" ".join(text.split()), "note")])


def _confusion(
    matrix: list[list[float]], classes: Sequence[Any], caption: str, weighted: bool
) -> Markup:
    """True by predicted, each cell shaded by its part of the true class."""
    if len(classes) > MAX_CLASSES:
        return paragraph(
            f"The confusion matrix is left out: {len(classes)} classes are too many for a page.",
            "note",
        )
    counts = "; rows are counted, whatever they weigh" if weighted else ""
    said = f"Confusion matrix: a row per true class, a column per prediction{counts}. {caption}"
    return fill(
        "confusion",
        matrix=matrix,
        names=[show_label(label) for label in classes],
        caption=said,
        show_weight=show_weight,
        show_share=show_share,
    )


def _calibrated(points: Sequence[Point], title: str, real: bool, weighted: bool) -> list[Markup]:
    if not points:
        return []
    what = f"a {'weighted ' if weighted else ''}{'mean' if real else 'share'}"
    rows = "weigh much" if weighted else "are many"
    legend = (
        f"{title}. On the line, {what} is what it says; a dot is as large as its rows {rows}, "
        "a bar is its 95 % interval."
    )
    return [calibration(points, title, legend, real)]
