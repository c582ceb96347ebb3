"""How good the model is: on the rows given, and as others judged it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bosco.base.language import phrase, tr
from bosco.base.numerals import show_figure
from bosco.data.schema import show_label
from bosco.figures.figure import Judged
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table
from bosco.reporting.charts import calibration
from bosco.reporting.parts import Part, Screen, fill, fold, lines, paragraph, show, verbatim
from bosco.reporting.scores import Point, Scores

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability

MAX_CLASSES = 30
"""A confusion matrix of more classes is not shown."""


BY_LEAF = phrase("Calibration: what each leaf promises, and what these rows say")
BY_SURENESS = phrase("Calibration: what the trees say together, and what these rows say")


def on_rows(
    scores: Scores, classes: Sequence[Any] | None, title: Callable[[], str] = BY_LEAF
) -> Part:
    """The model itself, on the rows given to the report."""
    judged, weighted = scores.judged, scores.judged.whole.weighted
    idle = tr("always saying {answer}", answer=judged.whole.says)
    heads = [tr("figure"), tr("value"), tr("95 % interval"), idle]
    rows: list[list[object]] = []
    for line in scores.figures:
        show_ = show_share if line.share else show_figure
        ends = tr("{low} to {high}", low=show_(line.low), high=show_(line.high))
        bounds = "–" if line.low != line.low else ends
        cells: list[object] = [line.name, show_(line.value), bounds, show_(line.constant)]
        rows.append([*cells, *([show_(line.known)] if judged.apart else [])])
    if judged.apart:
        n = judged.seen.n_equal
        heads.append(tr("on {n:,} rows seen in training (no test)", n=n))
    caption = tr("This model on {rows}", rows=population(scores))
    learned = judged.seen.state == "learned" and not judged.untouched
    against = "" if learned else judged.against
    parts: list[Part] = [show(Table(heads, rows, caption))]
    cost = "" if judged.cost is None else f"{tr('By its costs')}: {judged.cost}."
    parts += [paragraph(text, "note") for text in (about_rows(judged), cost, against) if text]
    if classes is not None and scores.confusion is not None:
        parts.append(_confusion(scores.confusion.tolist(), classes, caption, weighted))
    parts += _calibrated(scores.points, title(), classes is None, weighted)
    if scores.ahead:
        parts.append(_ahead(scores.ahead, weighted))
    return lines(parts)


def population(scores: Scores) -> str:
    """Whose rows the figures are of."""
    judged, n = scores.judged, scores.rows
    if judged.untouched:
        return tr("the {n:,} rows set apart to test it", n=n)
    if judged.apart:
        return tr("{n:,} rows that equal no training row", n=n)
    if not judged.seen.known or judged.seen.sampled:
        return tr("the {n:,} rows given to the report", n=n)
    return judged.seen.whose


METRICS = {
    "accuracy": phrase("accuracy"),
    "balanced_accuracy": phrase("balanced accuracy"),
}


def metric_words(metric: str) -> str:
    """A metric in words; of most, the name that they have in scikit-learn."""
    return METRICS[metric]() if metric in METRICS else metric.replace("_", " ")


def about_rows(judged: Judged) -> str:
    """What the rows are to the model, in a sentence or two."""
    seen = judged.seen
    if judged.untouched:
        said = tr("These rows were set apart before anything was learned or chosen.")
        if seen.known and judged.known is not None and judged.fresh is not None:
            return f"{said} {judged.by_chance}"
        return said
    if not seen.known:
        flatter = tr("The figures flatter it if it was grown on, or chosen with, any of these.")
        return f"{seen} {flatter}"
    if seen.mixed:
        others = tr(
            "The matrix and the calibration below are of the others, too. (An equal row "
            "need not be the same one.)"
        )
        return f"{seen} {others}"
    if seen.state == "fresh":
        return str(seen)
    if seen.sampled:
        flatter = tr("The figures, of all, flatter it if it was grown on the others, too.")
        return f"{seen} {flatter}"
    return f"{seen} {tr('So this is no test: the figures flatter the model.')}"


def _ahead(points: Sequence[Point], weighted: bool) -> Part:
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
    amount = tr("weight") if weighted else tr("rows")
    heads = [tr("points ahead of the next class, mean"), amount, tr("right"), tr("95 % interval")]
    said = tr("Calibration: points are no probabilities; the further ahead, the surer it should be")
    return show(Table(heads, rows, said))


def judged(evaluation: "Evaluation") -> Part:
    """Models grown in the same way on other rows, as `bosco.evaluate` found."""
    every, seen = evaluation.tables(), 1 + (len(evaluation.windows) > 1)
    first, others = every[:seen], every[seen:]
    parts: list[Part] = [paragraph(evaluation.parted)] if evaluation.parted else []
    parts += [show(*first), paragraph(evaluation.says, "note")]
    parts += [paragraph(line, "note") for line in evaluation.shared]
    parts += [paragraph(line, "note") for line in evaluation.no_better]
    matrix, classes, bins = evaluation.confusion, evaluation.classes, evaluation.calibration()
    if matrix is not None and classes is not None:
        summed = tr("Summed over all test parts")
        parts.append(_confusion(matrix.tolist(), classes, summed, evaluation.weighted))
    if bins is not None:
        nan = float("nan")
        points = [Point(p, o, nan, nan, w) for p, o, w in zip(*bins.values(), strict=True)]
        title = tr("Calibration over all test parts")
        parts += _calibrated(points, title, classes is None, evaluation.weighted)
    if others:
        parts.append(fold(tr("The same in numbers"), show(*others)))
    return lines(parts)


def steadiness(stability: "Stability") -> Part:
    """What stays of the tree when the rows are drawn again."""
    parts = [
        paragraph(
            tr(
                "The tree was grown again on samples of the rows, drawn with replacement. A "
                "question that comes back in nearly all of them does not hang on a few rows."
            )
        ),
        show(*stability.tables()),
        fold(tr("In words"), verbatim(stability.to_text(time=False), tr("Stability in words"))),
    ]
    return lines(parts)


def choosing(selection: "Selection") -> Part:
    """What was tried before this model was chosen."""
    text = selection.to_text(time=False).rpartition("\n\n")[2]
    parts: list[Part] = [paragraph(selection.parted)] if selection.parted else []
    parts += [show(*selection.tables()), paragraph(" ".join(text.split()), "note")]
    return lines([*parts, *(paragraph(line, "note") for line in selection.shared)])


def _confusion(
    matrix: list[list[float]], classes: Sequence[Any], caption: str, weighted: bool
) -> Part:
    """True by predicted, each cell shaded by its part of the true class."""
    if len(classes) > MAX_CLASSES:
        return paragraph(
            tr(
                "The confusion matrix is left out: {n} classes are too many for a page.",
                n=len(classes),
            ),
            "note",
        )
    said = tr("Confusion matrix: a row per true class, a column per prediction")
    said += tr("; rows are counted, whatever they weigh") if weighted else ""
    said += f". {caption}"
    names = [show_label(label) for label in classes]
    rows = []
    for k, row in enumerate(matrix):
        found = show_share(row[k] / sum(row)) if sum(row) else "–"
        rows.append([names[k], *map(show_weight, row), found])
    table = Table([tr("true \\ predicted"), *names, tr("found")], rows, said)
    return Screen(fill("confusion", table=table, shares=list(map(_shares, matrix))), show(table))


def _shares(row: list[float]) -> list[float]:
    """Each cell as a part of the true class."""
    return [n / (sum(row) or 1) for n in row]


def _calibrated(points: Sequence[Point], title: str, real: bool, weighted: bool) -> list[Part]:
    if not points:
        return []
    what = tr("a weighted mean") if weighted else tr("a mean")
    if not real:
        what = tr("a weighted share") if weighted else tr("a share")
    much = tr("a dot is as large as its rows are many")
    if weighted:
        much = tr("a dot is as large as its rows weigh much")
    legend = tr(
        "{title}. On the line, {what} is what it says; {much}, a bar is its 95 % interval.",
        title=title,
        what=what,
        much=much,
    )
    return [calibration(points, title, legend, real)]
