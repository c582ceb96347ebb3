"""What judgements look like in print."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import phrase, tr
from bosco.base.numerals import lay_out, show_figure
from bosco.data.schema import show_label
from bosco.pruning.policy import Policy
from bosco.render.card import show_weight
from bosco.render.html import Table

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation, Summary

MAX_CLASSES = 12
"""A confusion matrix of more classes is not printed; it is there as an array."""

MAX_ROWS = 50
"""Rows of a table in notebooks and reports; `to_dict` of the value has all."""


def of_more(n: int, what: str) -> str:
    """What a caption adds where not all of so many rows are shown."""
    if n <= MAX_ROWS:
        return ""
    return " · " + tr("the first {most} of {n} {what}", most=MAX_ROWS, n=n, what=what).rstrip()


def number(x: float) -> str:
    """A score: four decimals, or four digits where it is large."""
    if np.isnan(x):
        return "–"
    return f"{x:.4f}" if abs(x) < 10 else show_figure(x)


def bounds(pair: tuple[float, float]) -> str:
    """An interval."""
    if np.isnan(pair[0]):
        return "–"
    return tr("{low} to {high}", low=number(pair[0]), high=number(pair[1]))


def name_of(estimator: Any) -> str:
    """An estimator in one line."""
    text = " ".join(repr(estimator).split())
    return text if len(text) <= 70 else f"{text[:69]}…"


def say_setting(value: Any) -> str:
    """One setting that was tried."""
    if isinstance(value, Policy):
        return value.words
    return name_of(value) if hasattr(value, "get_params") else str(value)


def seconds(t: float) -> str:
    """A time for reading."""
    return f"{t:.2f} s" if t < 60 else f"{int(t // 60)} min {int(t % 60)} s"


def evaluation(e: "Evaluation", *, time: bool = True) -> str:
    """The report; ``print`` shows it. `time` False leaves out how long it took."""
    target = tr("a real target")
    if e.classes is not None:
        target = tr("{n} classes", n=len(e.classes))
    lines = [e.name, f"{say_rows(e)}, {target} · {e.plan}"]
    if e.interrupted:
        done = {"n": e.repeats, "all": e.planned}
        lines.append(tr("INTERRUPTED: {n} of {all} splits were done.", **done))
    lines += wrap(e.parted, 100)
    share = tr("{n:g} % interval", n=100 * e.confidence)
    table = [["", tr("mean"), tr("sd"), tr("mean ± 2 sd"), share, tr("constant")]]
    for s in e.summaries:
        cells = [number(s.mean), number(s.sd), bounds(s.two_sigma), bounds(s.interval)]
        table.append([s.metric, *cells, number(s.constant)])
    lines += ["", *lay_out(table), *wrap(meaning(e), 100), *beside_constant(e)]
    lines += say_windows(e) + _confusion(e) + _calibration(e) + _notes(e)
    last = []
    if e.leaves is not None and e.depth is not None:
        last = [f"{tr('leaves')} {_spread(e.leaves)}", f"{tr('depth')} {_spread(e.depth)}"]
    last += [seconds(e.seconds)] * time
    return "\n".join([*lines, "", " · ".join(last)]).rstrip()


def say_rows(e: "Evaluation") -> str:
    """How many rows there are, and whether scores go by their weights."""
    return tr("{n} rows", n=e.n_rows) + (tr(", scores by weight") if e.weighted else "")


def say_windows(e: "Evaluation") -> list[str]:
    """The score of each window in time; nothing where there is one, or none."""
    if len(e.windows) < 2:
        return []
    heads, rows = _windows(e)
    return [
        "",
        *lay_out([heads, *([*map(str, row[:-1]), number(row[-1])] for row in rows)], "<><<>"),
    ]


def _windows(e: "Evaluation") -> tuple[list[str], list[list[Any]]]:
    """Heads and rows of the table of windows."""
    metric = e.summaries[0].metric
    heads = [tr("learned from all until"), tr("rows"), tr("tested from"), tr("to", "until when")]
    rows = [
        [w.learned_to, w.train_rows, w.tested_from, w.tested_to, w.test_rows, float(score)]
        for w, score in zip(e.windows, e.scores[metric], strict=True)
    ]
    return [*heads, tr("rows"), metric], rows


def meaning(e: "Evaluation") -> str:
    """What the confidence interval says, and what it does not."""
    rows = round(float(np.mean([run.train_rows for run in e.runs])))
    if e.method == "holdout":
        if np.isnan(e.interval[0]):
            return tr(
                "One split has no spread, so there is no interval; method='monte_carlo' has one."
            )
        return tr(
            "The interval (Wilson, of the accuracy) holds for the one model fitted here on new "
            "rows like the test rows, and says nothing of models fitted to other rows."
        )
    if e.repeats < 2:
        return tr("One split has no spread, so there is no interval.")
    if e.method == "rolling":
        return tr(
            "The interval (corrected resampled t) is for the mean score of the windows, and a "
            "rough one: each model learned from more rows than the one before, and windows that "
            "follow one another are alike. Where scores rise or fall, the last window says more "
            "of what comes next than the mean."
        )
    if e.method == "bootstrap_632":
        return tr(
            "The interval is for the .632 estimate, its correction for overlapping samples being "
            "borrowed from random splits; it does not say that the estimate is unbiased, and .632 "
            "flatters learners that fit their rows perfectly, as full trees do."
        )
    return tr(
        "The interval (corrected resampled t) is for the mean score of models fitted to about {n} "
        "such rows, allowing for the overlap of their training sets; it does not say how one model "
        "will do (see ± 2 sd), nor how any will on rows of another kind.",
        n=rows,
    )


def beside_constant(e: "Evaluation") -> list[str]:
    """What the constant answer is, and by which scores the estimator is no better; a line each."""
    if e.classes is None:
        of = tr("the mean of the rows fitted to")
        of = tr("the weighted mean of the rows fitted to") if e.weighted else of
    else:
        of = tr("what most rows fitted to are")
        of = tr("what weighs most of the rows fitted to") if e.weighted else of
    said = tr("Constant: always saying {answer}, {of}.", answer=e.constant, of=of)
    lines = wrap(said, 100)
    return lines + [line for said in e.no_better for line in wrap(said, 100)]


def no_better(s: "Summary", e: "Evaluation") -> str:
    """A sentence where a score is no better than the constant answer's; else nothing."""
    if s.verdict not in ("no better", "worse"):
        return ""
    idle = tr("always saying {answer}", answer=e.constant)
    worse = s.verdict == "worse"
    said = tr("Worse than {what}", what=idle) if worse else tr("No better than {what}", what=idle)
    said += " " + tr("by {metric}", metric=s.metric)
    if s.gain == (0.0, 0.0):
        return f"{said}: {tr('it does the same on every split.')}"
    gap = tr(
        "the {n:g} % interval of the difference is {low} to {high}.",
        n=100 * e.confidence,
        low=number(s.gain[0]),
        high=number(s.gain[1]),
    )
    return f"{said}: {gap}"


def _confusion(e: "Evaluation") -> list[str]:
    many, rows = _by_class(e)
    if not rows:
        return []
    first = [] if many else [*(label for label, *_ in rows), ""]
    head = tr("class") if many else tr("true \\ predicted")
    shown = [[head, *first, *_heads(), *[tr("rows")] * many]]
    for label, counts, figures, n in rows:
        cells = [] if many else [*map(show_weight, counts), ""]
        shown.append([label, *cells, *(f"{x:.3f}" for x in figures), *[show_weight(n)] * many])
    summed = tr("summed over all test parts:")
    if e.weighted:
        summed = f"{tr('rows')}, {summed}"
    return ["", summed, *lay_out(shown)]


_FIGURES = ("precision", "recall", "f1")


def _heads() -> list[str]:
    return [tr("precision"), tr("recall"), "f1"]


def _by_class(e: "Evaluation") -> tuple[bool, list[tuple[str, list[float], list[float], float]]]:
    """Whether classes are many; of each its name, rows by prediction, figures and rows in all."""
    if e.confusion is None or e.classes is None:
        return False, []
    of = e.per_class()
    figures = map(list, zip(*(of[name] for name in _FIGURES), strict=True))
    rows = zip(map(show_label, e.classes), e.confusion.tolist(), figures, of["rows"], strict=True)
    return len(e.classes) > MAX_CLASSES, list(rows)


def _calibration(e: "Evaluation") -> list[str]:
    if (found := _bins(e)) is None:
        return []
    (heads, bins), say = found, number if e.classes is None else "{:.3f}".format
    rows = [heads, *([say(p), say(o), show_weight(w)] for p, o, w in bins)]
    return ["", f"{tr('calibration')}:", *lay_out(rows)]


def _bins(e: "Evaluation") -> tuple[list[str], list[tuple[float, ...]]] | None:
    """Heads and rows of the calibration."""
    if (table := e.calibration()) is None:
        return None
    heads = [tr("predicted mean"), tr("true mean")]
    heads = heads if e.classes is None else [tr("predicted share"), tr("share right")]
    amount = tr("weight") if list(table)[-1] == "weight" else tr("rows")
    return [*heads, amount], list(zip(*table.values(), strict=True))


_VERDICTS = {
    "better": phrase("yes"),
    "no better": phrase("NO"),
    "worse": phrase("NO, worse"),
    "unknown": phrase("–"),
}


def evaluation_tables(e: "Evaluation") -> tuple[Table, ...]:
    """What a notebook or a report shows: scores, confusion matrix or each class, calibration."""
    share = tr("{n:g} % interval", n=100 * e.confidence)
    heads = [tr("metric"), tr("mean"), tr("sd"), tr("mean ± 2 sd"), share, tr("constant")]
    heads.append(tr("better than it?"))
    rows: list[list[object]] = []
    for s in e.summaries:
        row = [s.metric, s.mean, s.sd, bounds(s.two_sigma), bounds(s.interval), s.constant]
        rows.append([*row, _VERDICTS[s.verdict]()])
    constant = tr("constant: always saying {answer}", answer=e.constant)
    said = f"{e.name}: {say_rows(e)} · {e.plan} · {constant}"
    steps = [Table(*_windows(e), tr("Window by window"))] if len(e.windows) > 1 else []
    found = [Table(heads, rows, said), *steps, *_class_tables(e)]
    if (binned := _bins(e)) is not None:
        bins = [[p, o, _count(w)] for p, o, w in binned[1]]
        found.append(Table(binned[0], bins, tr("Calibration")))
    return tuple(found)


def _class_tables(e: "Evaluation") -> list[Table]:
    many, rows = _by_class(e)
    if not rows:
        return []
    if many:
        short = [[label, *figures, show_weight(n)] for label, _, figures, n in rows[:MAX_ROWS]]
        heads = [tr("class"), *_heads(), tr("rows")]
        return [Table(heads, short, of_more(len(rows), tr("classes")))]
    matrix = [[label, *map(_count, counts), *figures] for label, counts, figures, _ in rows]
    caption = tr("True class by predicted class, summed over all test parts")
    caption += tr(": rows, whatever they weigh") if e.weighted else ""
    heads = [tr("true \\ predicted"), *(label for label, *_ in rows), *_heads()]
    return [Table(heads, matrix, caption)]


def _count(weight: float) -> int | str:
    return int(weight) if float(weight).is_integer() else show_weight(weight)


_UNTRAINED = phrase("The training part of {n} of {all} splits has no row of class {label}.")
_UNTESTED = phrase("The test part of {n} of {all} splits has no row of class {label}.")


def _notes(e: "Evaluation") -> list[str]:
    """What a reader should know of splits that lack something."""
    notes = [
        tr(
            "{metric} is undefined on {n} of {all} splits.",
            metric=s.metric,
            n=e.repeats - s.defined,
            all=e.repeats,
        )
        for s in e.summaries
        if s.defined < e.repeats
    ]
    for part, say in (("untrained", _UNTRAINED), ("untested", _UNTESTED)):
        absent = [k for run in e.runs for k in getattr(run, part)]
        for k in sorted(set(absent)):
            assert e.classes is not None
            notes.append(say(n=absent.count(k), all=e.repeats, label=repr(e.classes[k])))
    return ["", *notes] if notes else []


def _spread(values: Any) -> str:
    low, high = values.min(), values.max()
    if low == high:
        return f"{low:g}"
    ends = tr("{low} to {high}", low=f"{low:g}", high=f"{high:g}")
    return f"{values.mean():.1f} ({ends})"
