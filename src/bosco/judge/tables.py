"""Judgements as tables, for notebooks and reports."""

from typing import TYPE_CHECKING

import numpy as np

from bosco.data.schema import show_label
from bosco.judge.report import MAX_CLASSES, bounds, number, say_rows, say_setting
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table

if TYPE_CHECKING:
    from bosco.judge.comparison import Comparison
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability

MAX_SHOWN = 50
"""Rows of a table; `to_dict` of the value has all."""


_VERDICTS = {"better": "yes", "no better": "NO", "worse": "NO, worse", "unknown": "–"}


def evaluation_tables(e: "Evaluation") -> tuple[Table, ...]:
    """Scores; confusion matrix or figures per class; calibration."""
    share = f"{100 * e.confidence:g} % interval"
    scores = Table(
        ["metric", "mean", "sd", "mean ± 2 sd", share, "constant", "better than it?"],
        [
            [
                s.metric,
                s.mean,
                s.sd,
                bounds(s.two_sigma),
                bounds(s.interval),
                s.constant,
                _VERDICTS[s.verdict],
            ]
            for s in e.summaries
        ],
        f"{e.name}: {say_rows(e)} · {e.plan} · constant: always saying {e.constant}",
    )
    return (scores, *_classes(e), *_calibration(e))


def _classes(e: "Evaluation") -> list[Table]:
    matrix, classes = e.confusion, e.classes
    if matrix is None or classes is None:
        return []
    figures = e.per_class()
    heads = ["precision", "recall", "f1"]
    if len(classes) > MAX_CLASSES:
        rows = [
            [show_label(label), *(figures[h][k] for h in heads), show_weight(figures["rows"][k])]
            for k, label in enumerate(classes[:MAX_SHOWN])
        ]
        return [Table(["class", *heads, "rows"], rows, _more(len(classes), "classes"))]
    rows = [
        [show_label(label), *map(_count, matrix[k].tolist()), *(figures[h][k] for h in heads)]
        for k, label in enumerate(classes)
    ]
    caption = "True class by predicted class, summed over all test parts"
    caption += ": rows, whatever they weigh" if e.weighted else ""
    return [Table(["true \\ predicted", *map(show_label, classes), *heads], rows, caption)]


def _calibration(e: "Evaluation") -> list[Table]:
    found = e.calibration()
    if found is None:
        return []
    real = e.classes is None
    heads = ["predicted mean", "true mean"] if real else ["predicted share", "share right"]
    rows = [[p, o, _count(w)] for p, o, w in zip(*found.values(), strict=True)]
    return [Table([*heads, list(found)[-1]], rows, "Calibration")]


def comparison_tables(c: "Comparison") -> tuple[Table, ...]:
    """Each estimator's first metric, and the difference of every two."""
    first = next(iter(c.evaluations.values()))
    metric = first.summaries[0].metric
    share = f"{100 * first.confidence:g} % interval"
    each = [
        [
            name,
            e.mean,
            e.sd,
            bounds(e.interval),
            "–" if e.leaves is None else float(e.leaves.mean()),
        ]
        for name, e in c.evaluations.items()
    ]
    each.append([f"always saying {first.constant}", first.summaries[0].constant, "", "", ""])
    pairs = [
        [f"{d.better} − {d.other}", d.mean, d.sd, bounds(d.interval), d.p, d.p_holm]
        for d in c.differences
        if d.metric == metric
    ]
    by = ", by weight" if first.weighted else ""
    return (
        Table(["estimator", "mean", "sd", share, "leaves"], each, f"{metric}{by} · {first.plan}"),
        Table(["difference", "mean", "sd", share, "p", "p (Holm)"], pairs, "Paired differences"),
    )


def selection_tables(s: "Selection") -> tuple[Table, ...]:
    """What was tried, the best first; how the chosen one did on the test part."""
    shown = s.ranked(MAX_SHOWN)
    names = list(dict.fromkeys(name for c in s.candidates for name in c.parameters))
    rows = [
        [c.rank, *(_setting(c.parameters, name) for name in names), c.score, c.sd, c.leaves]
        for c in shown
    ]
    by = ", by weight," if s.weighted else ""
    caption = f"Tried, by {s.metric}{by} on validation rows · {s.inner}"
    caption += _more(len(s.candidates), "")
    chosen = [] if s.interrupted else [i for i, c in enumerate(shown) if c is s.best]
    tried = Table(["rank", *names, "score", "sd", "leaves"], rows, caption, chosen)
    if s.interrupted:
        return (tried,)
    test = [[name, score, s.constant_scores[name]] for name, score in s.test_scores.items()]
    said = f"The chosen one on {s.sizes[2]} test rows{by.removesuffix(',')}, looked at once, after "
    said += "the choice"
    if s.no_better:
        said += f". {s.no_better.removesuffix('.')}"
    return tried, Table(["metric", "score", f"always saying {s.constant}"], test, said)


def stability_tables(s: "Stability") -> tuple[Table, ...]:
    """How often each node comes back; which column comes first."""
    rows = []
    for n in s.nodes[:MAX_SHOWN]:
        q1, q3 = n.thresholds
        middle = "" if np.isnan(q1) else f"{number(q1)} to {number(q3)}"
        shares = map(show_share, (n.reached, n.same_column, n.same_question))
        rows.append([f"[{n.node}]", n.question, *shares, middle])
    heads = ["node", "question", "reached", "same column", "same question", "thresholds"]
    caption = f"{s.repeats} bootstrap samples of {s.n_rows} rows{_more(len(s.nodes), 'nodes')}"
    first = [[name, show_share(share)] for name, share in list(s.roots.items())[:MAX_SHOWN]]
    return (
        Table(heads, rows, caption),
        Table(["column", "share of the samples"], first, "The first question"),
    )


def _setting(parameters: dict[str, object], name: str) -> str:
    return say_setting(parameters[name]) if name in parameters else ""


def _count(weight: float) -> int | str:
    return int(weight) if float(weight).is_integer() else show_weight(weight)


def _more(n: int, what: str) -> str:
    if n <= MAX_SHOWN:
        return ""
    return f" · the first {MAX_SHOWN} of {n} {what}".rstrip()
