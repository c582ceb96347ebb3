"""What judgements look like in print."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

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
    return f" · the first {MAX_ROWS} of {n} {what}".rstrip() if n > MAX_ROWS else ""


def number(x: float) -> str:
    """A score: four decimals, or four digits where it is large."""
    if np.isnan(x):
        return "–"
    return f"{x:.4f}" if abs(x) < 10 else show_figure(x)


def bounds(pair: tuple[float, float]) -> str:
    """An interval."""
    return "–" if np.isnan(pair[0]) else f"{number(pair[0])} to {number(pair[1])}"


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
    target = "a real target" if e.classes is None else f"{len(e.classes)} classes"
    lines = [e.name, f"{say_rows(e)}, {target} · {e.plan}"]
    if e.interrupted:
        lines.append(f"INTERRUPTED: {e.repeats} of {e.planned} splits were done.")
    share = f"{100 * e.confidence:g} % interval"
    table = [["", "mean", "sd", "mean ± 2 sd", share, "constant"]]
    for s in e.summaries:
        cells = [number(s.mean), number(s.sd), bounds(s.two_sigma), bounds(s.interval)]
        table.append([s.metric, *cells, number(s.constant)])
    lines += ["", *lay_out(table), *wrap(meaning(e), 100), *beside_constant(e)]
    lines += _confusion(e) + _calibration(e) + _notes(e)
    last = []
    if e.leaves is not None and e.depth is not None:
        last = [f"leaves {_spread(e.leaves)}", f"depth {_spread(e.depth)}"]
    last += [seconds(e.seconds)] * time
    return "\n".join([*lines, "", " · ".join(last)]).rstrip()


def say_rows(e: "Evaluation") -> str:
    """How many rows there are, and whether scores go by their weights."""
    return f"{e.n_rows} rows{', scores by weight' if e.weighted else ''}"


def meaning(e: "Evaluation") -> str:
    """What the confidence interval says, and what it does not."""
    rows = round(float(np.mean([run.train_rows for run in e.runs])))
    if e.method == "holdout":
        if np.isnan(e.interval[0]):
            return "One split has no spread, so there is no interval; method='monte_carlo' has one."
        return (
            "The interval (Wilson, of the accuracy) holds for the one model fitted here on new "
            "rows like the test rows, and says nothing of models fitted to other rows."
        )
    if e.repeats < 2:
        return "One split has no spread, so there is no interval."
    about = f"the mean score of models fitted to about {rows} such rows"
    if e.method == "bootstrap_632":
        return (
            "The interval is for the .632 estimate, its correction for overlapping samples being "
            "borrowed from random splits; it does not say that the estimate is unbiased, and .632 "
            "flatters learners that fit their rows perfectly, as full trees do."
        )
    return (
        f"The interval (corrected resampled t) is for {about}, allowing for the overlap of their "
        "training sets; it does not say how one model will do (see ± 2 sd), nor how any will on "
        "rows of another kind."
    )


def beside_constant(e: "Evaluation") -> list[str]:
    """What the constant answer is, and by which scores the estimator is no better; a line each."""
    of = "the mean of the rows fitted to" if e.classes is None else "what most rows fitted to are"
    if e.weighted:
        of = "the weighted mean of the rows fitted to"
        of = of if e.classes is None else "what weighs most of the rows fitted to"
    lines = wrap(f"Constant: always saying {e.constant}, {of}.", 100)
    return lines + [line for said in e.no_better for line in wrap(said, 100)]


def no_better(s: "Summary", e: "Evaluation") -> str:
    """A sentence where a score is no better than the constant answer's; else nothing."""
    if s.verdict not in ("no better", "worse"):
        return ""
    said = f"{s.verdict.capitalize()} than always saying {e.constant} by {s.metric}"
    if s.gain == (0.0, 0.0):
        return f"{said}: it does the same on every split."
    gap = f"{number(s.gain[0])} to {number(s.gain[1])}"
    return f"{said}: the {100 * e.confidence:g} % interval of the difference is {gap}."


def _confusion(e: "Evaluation") -> list[str]:
    many, rows = _by_class(e)
    if not rows:
        return []
    first = [] if many else [*(label for label, *_ in rows), ""]
    shown = [["class" if many else "true \\ predicted", *first, *_FIGURES, *["rows"] * many]]
    for label, counts, figures, n in rows:
        cells = [] if many else [*map(show_weight, counts), ""]
        shown.append([label, *cells, *(f"{x:.3f}" for x in figures), *[show_weight(n)] * many])
    return ["", f"{'rows, ' * e.weighted}summed over all test parts:", *lay_out(shown)]


_FIGURES = ("precision", "recall", "f1")


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
    return ["", "calibration:", *lay_out(rows)]


def _bins(e: "Evaluation") -> tuple[list[str], list[tuple[float, ...]]] | None:
    """Heads and rows of the calibration."""
    if (table := e.calibration()) is None:
        return None
    heads = ["predicted mean", "true mean"]
    heads = heads if e.classes is None else ["predicted share", "share right"]
    return [*heads, list(table)[-1]], list(zip(*table.values(), strict=True))


_VERDICTS = {"better": "yes", "no better": "NO", "worse": "NO, worse", "unknown": "–"}


def evaluation_tables(e: "Evaluation") -> tuple[Table, ...]:
    """What a notebook or a report shows: scores, confusion matrix or each class, calibration."""
    share = f"{100 * e.confidence:g} % interval"
    heads = ["metric", "mean", "sd", "mean ± 2 sd", share, "constant", "better than it?"]
    rows: list[list[object]] = []
    for s in e.summaries:
        row = [s.metric, s.mean, s.sd, bounds(s.two_sigma), bounds(s.interval), s.constant]
        rows.append([*row, _VERDICTS[s.verdict]])
    said = f"{e.name}: {say_rows(e)} · {e.plan} · constant: always saying {e.constant}"
    found = [Table(heads, rows, said), *_class_tables(e)]
    if (binned := _bins(e)) is not None:
        bins = [[p, o, _count(w)] for p, o, w in binned[1]]
        found.append(Table(binned[0], bins, "Calibration"))
    return tuple(found)


def _class_tables(e: "Evaluation") -> list[Table]:
    many, rows = _by_class(e)
    if not rows:
        return []
    if many:
        short = [[label, *figures, show_weight(n)] for label, _, figures, n in rows[:MAX_ROWS]]
        return [Table(["class", *_FIGURES, "rows"], short, of_more(len(rows), "classes"))]
    matrix = [[label, *map(_count, counts), *figures] for label, counts, figures, _ in rows]
    caption = "True class by predicted class, summed over all test parts"
    caption += ": rows, whatever they weigh" if e.weighted else ""
    heads = ["true \\ predicted", *(label for label, *_ in rows), *_FIGURES]
    return [Table(heads, matrix, caption)]


def _count(weight: float) -> int | str:
    return int(weight) if float(weight).is_integer() else show_weight(weight)


def _notes(e: "Evaluation") -> list[str]:
    """What a reader should know of splits that lack something."""
    notes = [
        f"{s.metric} is undefined on {e.repeats - s.defined} of {e.repeats} splits."
        for s in e.summaries
        if s.defined < e.repeats
    ]
    for part, what in (("untrained", "training"), ("untested", "test")):
        absent = [k for run in e.runs for k in getattr(run, part)]
        for k in sorted(set(absent)):
            assert e.classes is not None
            notes.append(
                f"The {what} part of {absent.count(k)} of {e.repeats} splits has no row of class "
                f"{e.classes[k]!r}."
            )
    return ["", *notes] if notes else []


def _spread(values: Any) -> str:
    low, high = values.min(), values.max()
    return f"{values.mean():.1f} ({low:g} to {high:g})" if low < high else f"{low:g}"
