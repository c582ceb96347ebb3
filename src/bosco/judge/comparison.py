"""`compare`: several estimators on the same splits, and whether their differences mean anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from textwrap import wrap
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import lay_out
from bosco.errors import ParameterError
from bosco.figures.intervals import corrected_interval, corrected_p, holm, mean_sd
from bosco.judge.data import task_of
from bosco.judge.evaluating import evaluations
from bosco.judge.evaluation import Evaluation
from bosco.judge.report import bounds, name_of, no_better, number, say_rows, seconds
from bosco.render.html import Shown, Table


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one estimator scored than another on the same splits.

    Attributes
    ----------
    metric, better, other : str
        The metric, and the two estimators, the one with the higher mean first.
    mean, sd : float
        Of the differences, split by split.
    interval : tuple of float
        Confidence interval of their mean (corrected resampled t).
    p : float
        Of the corrected test that it is 0, two-sided.
    p_holm : float
        The same, adjusted by Holm for all pairs that are compared by this metric.
    """

    metric: str
    better: str
    other: str
    mean: float
    sd: float
    interval: tuple[float, float]
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Shown):
    """What `compare` found; ``print`` it for a report.

    ``pandas.DataFrame(comparison.to_dict())`` has a row per metric and pair.

    Attributes
    ----------
    evaluations : dict of str to Evaluation
        Each estimator's own, by name, all on the same splits.
    differences : tuple of Difference
        All pairs, by every metric.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = {a: bosco.DecisionTreeClassifier(algorithm=a) for a in ("cart", "c45")}
    >>> found = bosco.compare(trees, X, y, repeats=10)
    >>> found["cart"].repeats, len(found.differences)
    (10, 3)
    """

    evaluations: dict[str, Evaluation]
    differences: tuple[Difference, ...]

    def __getitem__(self, name: str) -> Evaluation:
        """The evaluation of one estimator, by name."""
        return self.evaluations[name]

    def to_dict(self) -> dict[str, list[Any]]:
        """The differences as columns."""
        names = ["metric", "better", "other", "mean", "sd", "low", "high", "p", "p_holm"]
        rows = [
            (d.metric, d.better, d.other, d.mean, d.sd, *d.interval, d.p, d.p_holm)
            for d in self.differences
        ]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def to_text(self, *, time: bool = True) -> str:
        """The report; ``print`` shows it. `time` False leaves out how long it took."""
        first = next(iter(self.evaluations.values()))
        metric = first.summaries[0].metric
        lines = [f"{say_rows(first)} · {first.plan} · {tr('the same splits for all')}"]
        if first.interrupted:
            done = {"n": first.repeats, "all": first.planned}
            lines.append(tr("INTERRUPTED: {n} of {all} splits were done.", **done))
        lines += wrap(first.parted, 100)
        share = tr("{n:g} % interval", n=100 * first.confidence)
        table = [[metric, tr("mean"), tr("sd"), share, tr("leaves")]]
        for name, e in self.evaluations.items():
            leaves = "–" if e.leaves is None else f"{e.leaves.mean():.1f}"
            table.append([name, number(e.mean), number(e.sd), bounds(e.interval), leaves])
        always = tr("always saying {answer}", answer=first.constant)
        table.append([always, number(first.summaries[0].constant), "", "", ""])
        lines += ["", *lay_out(table)]
        lines += [line for said in self.beside_constant for line in wrap(said, 100)]
        holm = len(self.evaluations) > 2
        table = [[tr("difference"), tr("mean"), tr("sd"), share, "p"]]
        table[0] += ["p (Holm)"] * holm
        for d in self.differences:
            if d.metric == metric:
                row = [f"{d.better} − {d.other}", number(d.mean), number(d.sd), bounds(d.interval)]
                table.append([*row, _say_p(d.p), *[_say_p(d.p_holm)] * holm])
        lines += ["", *lay_out(table), *wrap(self.says, 100), *self._windows()]
        return "\n".join([*lines, *["", seconds(first.seconds)] * time])

    def _windows(self) -> list[str]:
        """Every window in time, and each one's score there."""
        first = next(iter(self.evaluations.values()))
        if len(first.windows) < 2:
            return []
        metric = first.summaries[0].metric
        heads = [
            tr("learned from all until"),
            tr("tested from"),
            tr("to", "until when"),
            tr("rows"),
        ]
        rows = [[*heads, *self.evaluations]]
        for k, w in enumerate(first.windows):
            scores = (number(e.scores[metric][k]) for e in self.evaluations.values())
            rows.append([w.learned_to, w.tested_from, w.tested_to, f"{w.test_rows:,}", *scores])
        return ["", *lay_out(rows, "<<<>")]

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        first = next(iter(self.evaluations.values()))
        metric = first.summaries[0].metric
        share = tr("{n:g} % interval", n=100 * first.confidence)
        each: list[list[object]] = []
        for name, e in self.evaluations.items():
            leaves = "–" if e.leaves is None else float(e.leaves.mean())
            each.append([name, e.mean, e.sd, bounds(e.interval), leaves])
        always = tr("always saying {answer}", answer=first.constant)
        each.append([always, first.summaries[0].constant, "", "", ""])
        pairs = [
            [f"{d.better} − {d.other}", d.mean, d.sd, bounds(d.interval), d.p, d.p_holm]
            for d in self.differences
            if d.metric == metric
        ]
        by = f", {tr('by weight')}" if first.weighted else ""
        said = f"{metric}{by} · {first.plan}"
        heads = [tr("difference"), tr("mean"), tr("sd"), share, "p", "p (Holm)"]
        return (
            Table([tr("estimator"), tr("mean"), tr("sd"), share, tr("leaves")], each, said),
            Table(heads, pairs, tr("Paired differences")),
        )

    @property
    def beside_constant(self) -> tuple[str, ...]:
        """Which estimators are no better than the constant answer by the first metric, in words."""
        said = ((name, no_better(e.summaries[0], e)) for name, e in self.evaluations.items())
        return tuple(f"{name}: {words[0].lower()}{words[1:]}" for name, words in said if words)

    @property
    def says(self) -> str:
        """What the test says, and what it does not."""
        first = next(iter(self.evaluations.values()))
        if first.repeats < 2:
            return tr(
                "One split has no spread, so nothing is tested; method='monte_carlo' has one."
            )
        several = ""
        if len(self.evaluations) > 2:
            several = " " + tr(
                "Holm's p holds for all pairs at once, p for one pair named beforehand."
            )
        if first.method == "rolling":
            several += " " + tr(
                "Windows that follow one another are alike, and each model learned from more rows "
                "than the one before, so that p and the intervals are rough."
            )
        paired = tr(
            "Paired differences with the corrected resampled t test: a small p says that on rows "
            "like these the means differ; a large one does not say that they are equal."
        )
        return paired + several


def compare(
    *estimators_and_data: Any,
    method: str | None = None,
    repeats: int | None = None,
    test_size: float | None = None,
    folds: int | None = None,
    metrics: Any = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    stratify: bool = True,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Comparison:
    """Judge several estimators on the same splits, and their differences.

    Parameters
    ----------
    *estimators_and_data
        The estimators, then X, then y: ``compare(a, b, X, y)``. In place of the estimators, one
        dict of names to estimators, to name them in the report.
    method, repeats, test_size, folds, metrics, groups, time, sample_weight, stratify
        As in `evaluate`.
    confidence, n_jobs
        As in `evaluate`.
    random_state : int, RandomState instance or None, default=0
        Seed of the splits.

    Returns
    -------
    Comparison
        Each one's evaluation, and the paired difference of every two with its corrected interval
        and test; ``print`` it. Ctrl-C gives the splits that all estimators have done.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> trees = {d: bosco.DecisionTreeClassifier(max_depth=d) for d in (1, 3)}
    >>> found = bosco.compare(trees, X, y, repeats=10, metrics="accuracy").differences[0]
    >>> found.better, found.other, found.p < 0.05
    ('3', '1', True)
    """
    named, X, y = _read(estimators_and_data)
    splits = {"method": method, "repeats": repeats, "test_size": test_size, "folds": folds}
    splits |= {"stratify": stratify, "seed": random_state}
    data = (X, y, {"groups": groups, "time": time}, sample_weight)
    made = evaluations(list(named.values()), *data, splits, metrics, confidence, n_jobs)
    found = dict(zip(named, made, strict=True))
    metric_names = [summary.metric for summary in made[0].summaries]
    differences = (d for metric in metric_names for d in _differences(found, metric))
    return Comparison(found, tuple(differences))


def _read(given: tuple[Any, ...]) -> tuple[dict[str, Any], Any, Any]:
    """The estimators by name, X and y."""
    *first, X, y = given if len(given) > 2 else (*given, None, None)
    if not first or y is None or hasattr(X, "get_params") or hasattr(y, "get_params"):
        raise ParameterError(
            "compare wants the estimators, then X, then y: compare(a, b, X, y), or "
            "compare({'a': a, 'b': b}, X, y)."
        )
    if len(first) == 1 and isinstance(first[0], Mapping):
        named = {str(name): estimator for name, estimator in first[0].items()}
    else:
        if len(first) == 1 and isinstance(first[0], list | tuple):
            first = list(first[0])
        named = dict(zip(_names(first), first, strict=True))
    if len(named) < 2:
        raise ParameterError("compare wants two estimators or more. Hint: evaluate judges one.")
    tasks = {name: task_of(estimator) for name, estimator in named.items()}
    if len(set(tasks.values())) > 1:
        raise ParameterError(f"compare wants all classifiers or all regressors. Got {tasks}.")
    return named, X, y


def _names(estimators: list[Any]) -> list[str]:
    """Names that differ: by the library where that is enough, else by a number."""
    names = list(map(name_of, estimators))
    twice = {name for name in names if names.count(name) > 1}
    libraries = [type(estimator).__module__.split(".")[0] for estimator in estimators]
    full = [f"{lib} {n}" if n in twice else n for lib, n in zip(libraries, names, strict=True)]
    return [f"{n} ({i})" if full.count(n) > 1 else n for i, n in enumerate(full, 1)]


def _differences(found: dict[str, Evaluation], metric: str) -> list[Difference]:
    """Every two estimators by one metric, on the splits where both have a score."""
    pairs = []
    for a, b in combinations(found, 2):
        one, two = (a, b) if found[a][metric].mean >= found[b][metric].mean else (b, a)
        gap = found[one].scores[metric] - found[two].scores[metric]
        pairs.append((one, two, gap))
    first = next(iter(found.values()))
    ratio, confidence = first.ratio, first.confidence
    p = np.array([corrected_p(gap, ratio) for _, _, gap in pairs])
    return [
        Difference(
            metric=metric,
            better=one,
            other=two,
            mean=mean_sd(gap)[0],
            sd=mean_sd(gap)[1],
            interval=corrected_interval(gap, ratio, confidence),
            p=float(raw),
            p_holm=float(adjusted),
        )
        for (one, two, gap), raw, adjusted in zip(pairs, p, holm(p), strict=True)
    ]


def _say_p(p: float) -> str:
    if np.isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
