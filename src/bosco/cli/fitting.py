"""The main job: choose, grow and test a model, and say how each of it was done."""

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bosco
from bosco.base.language import tr
from bosco.base.numerals import show_figure
from bosco.cli.choosing import can_part, grid_of, select, shares_of, with_limits
from bosco.cli.groups import Parts
from bosco.data.schema import show_label
from bosco.figures.figure import Figure, Judged, judge, truth_of
from bosco.lessons.learners import MANY, learner
from bosco.lessons.lesson import Lesson
from bosco.lessons.literals import write_literal
from bosco.lessons.told import Task
from bosco.pruning import CostComplexity
from bosco.render.card import show_share, show_weight
from bosco.reporting.figures import metric_words

_FOLDS = 5
_USUAL = ("accuracy", "neg_root_mean_squared_error")  # the test error says as much
_UNEVEN = 1.5  # times as many rows of one class as of another
_SHOWN = 8  # classes
_CELLS = 1_000_000  # of all rows, columns and trees, that are shuffled out of the bag


@dataclass(frozen=True, slots=True)
class Recall:
    """Of each class, the share of its rows that were told as such, whatever they weigh.

    Where classes are uneven, an error alone hides that.
    """

    classes: tuple[Any, ...]
    shares: tuple[float, ...]
    rows: tuple[float, ...]

    @property
    def uneven(self) -> bool:
        """Whether some class has many more rows than another."""
        return max(self.rows) >= _UNEVEN * min(self.rows)

    def __str__(self) -> str:
        every = list(zip(self.classes, self.shares, self.rows, strict=True))
        there = [(label, share, n) for label, share, n in every if n]
        worst = sorted(there, key=lambda one: one[1])[:_SHOWN]
        shown = [one for one in there if one in worst]
        told = [
            show_label(label)
            + " "
            + tr("{part} of {rows}", part=show_share(share), rows=show_weight(n))
            for label, share, n in shown
        ]
        told[0] += f" {tr('row') if shown[0][2] == 1 else tr('rows')}"
        more = len(there) - len(shown)
        rest = tr(", and {n} more, of which more were found", n=more) if more else ""
        return f"{tr('found of each class (recall)')}: {', '.join(told)}{rest}"

    def to_dict(self) -> dict[str, float]:
        """The share of each class."""
        return {str(label): share for label, share in zip(self.classes, self.shares, strict=True)}


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and how it came about."""

    model: Any
    settings: dict[str, Any]  # all that was given or chosen
    said: tuple[str, ...]  # the choices, in words
    figure: Judged | Figure | None
    recall: Recall | None = None
    selection: Any = None
    evaluation: Any = None
    all_rows: bool = False
    estimator: Any = None
    grown_on: tuple[Any, Any, Any] = (None, None, None)  # rows, target, weights
    held_out: tuple[Any, Any] = (None, None)  # the test rows

    @property
    def beside(self) -> list[str]:
        """What an error alone does not tell of the test rows."""
        said = []
        by_cost = isinstance(self.figure, Judged) and self.figure.cost is not None
        told = (*_USUAL, *([self.selection.metric] if by_cost and self.selection else []))
        if self.selection is not None and self.selection.metric not in told:
            metric = self.selection.metric
            score = _show(metric, self.selection.test_score)
            said.append(tr("test {metric}: {score}", metric=_name(metric), score=score))
        if self.recall is not None and self.recall.uneven:
            said.append(str(self.recall))
        return said


def learn(
    lesson: Lesson, settings: dict[str, Any], parts: Parts, choose: bool, all_rows: bool
) -> Learned:
    """Choose, grow and test; on all rows if asked to, or if there are too few to part them."""
    reason = tr("as asked") if all_rows else can_part(lesson, shares_of(parts))
    if reason:
        return _on_all_rows(lesson, settings, parts.seed, choose, reason)
    return _in_three_parts(lesson, settings, parts, choose)


def _in_three_parts(
    lesson: Lesson, settings: dict[str, Any], parts: Parts, choose: bool
) -> Learned:
    grid = grid_of(lesson, settings) if choose else [{}]
    if grid == [{}]:  # nothing to choose: no folds are needed
        parts = replace(parts, inner="validation")
    settings = with_limits(lesson, settings)
    chosen = select(lesson, settings, grid, parts)
    model, test = chosen.estimator.model_, chosen.test_rows
    known = np.setdiff1d(np.arange(len(lesson.y)), test)
    if lesson.weight is not None:  # a row of weight 0 is absent
        test = test[lesson.weight[test] > 0]
    X, y = lesson.X.take(test), lesson.y[test]
    weight = _weights(lesson, test)
    frame = model.read(X)
    truth = truth_of(model, frame, y)
    once = chosen.tested + tr(", looked at once")
    figure = judge(model, frame, truth, weight, untouched=True, how=once)
    best = chosen.best
    said = [_parts(chosen, parts), *wrap(chosen.parted, 100)]
    if len(chosen.candidates) > 1:
        where = (
            tr("validation") if chosen.sizes[1] else chosen.inner.removeprefix(f"{tr('inner')} ")
        )
        said += [
            tr(
                "chosen of {n} settings by {metric} ({where}): {settings}",
                n=len(chosen.candidates),
                metric=_name(chosen.metric),
                where=where,
                settings=_settings(best.parameters),
            ),
            *_sizes(chosen),
            tr("grown again on {n:,} rows", n=len(known)),
        ]
    return Learned(
        model=model,
        settings=settings | best.parameters,
        said=tuple(said),
        figure=figure,
        recall=recall_on(model, X, y),
        selection=chosen,
        estimator=chosen.estimator,
        grown_on=(lesson.X.take(known), lesson.y[known], _weights(lesson, known)),
        held_out=(X, y),
    )


def _weights(lesson: Lesson, rows: Any) -> Any:
    return None if lesson.weight is None else lesson.weight[rows]


def out_of_bag(learned: Learned) -> Any:
    """What shuffling a column costs on rows out of the bag; None where that takes too long."""
    X, y, weight = learned.grown_on
    forest = learned.estimator
    drawn = getattr(forest, "bootstrap", False)
    if not drawn or (drawn == "once" and forest.max_samples is None):
        return None
    if len(y) * len(X.names) * forest.n_estimators > _CELLS:
        return None
    try:
        return forest.permutation_importances_oob(X, y, weight)
    except bosco.DataError:  # by chance, every tree has seen every row
        return None


def _on_all_rows(
    lesson: Lesson, settings: dict[str, Any], seed: int, choose: bool, reason: str
) -> Learned:
    """Without a test part: alpha and error both by cross-validation, one inside the other."""
    settings = with_limits(lesson, settings)
    classes = lesson.task is Task.classification
    counts = np.unique(lesson.y, return_counts=True)[1] if classes else np.array([len(lesson.y)])
    n = len(lesson.y)
    said = [tr("parts: none ({reason}); grown on all {n:,} rows", reason=reason, n=n)]
    choose = choose and settings.get("algorithm") not in (*MANY, "optimal")
    if choose and lesson.parted.names:
        choose = False
        said.append(tr("nothing was chosen: folds by chance would part what belongs together"))
    if choose and not {"pruning", "ccp_alpha"} & settings.keys() and counts.max() >= 4 * _FOLDS:
        settings = settings | {"pruning": CostComplexity(cv=_FOLDS)}
        shown = {n: v for n, v in settings.items() if n in ("max_depth", "pruning")}
        folds = {"n": _FOLDS, "settings": _settings(shown)}
        said.append(tr("chosen by {n}-fold cross-validation: {settings}", **folds))
    estimator = learner(lesson.task, settings, seed)
    model = estimator.fit(lesson.X, lesson.y, sample_weight=lesson.weight).model_
    evaluation = figure = recall = None
    stratify = bool(counts.min() > 1)
    try:
        evaluation = bosco.evaluate(
            estimator,
            lesson.X,
            lesson.y,
            **_splits(lesson, int(counts.max()) if stratify else n),
            metrics="accuracy" if classes else "neg_mean_absolute_error",
            **lesson.parting,
            sample_weight=lesson.weight,
            stratify=stratify,
            n_jobs=-1,
        )
        if evaluation.interrupted:
            raise KeyboardInterrupt
        said += wrap(evaluation.parted, 100)
        figure = by_folds(evaluation, model)
        if evaluation.classes is not None:
            found = evaluation.per_class()
            recall = Recall(evaluation.classes, tuple(found["recall"]), tuple(found["rows"]))
    except bosco.DataError as error:
        reason = str(error).partition(" Hint:")[0]
        said.append(tr("no error can be told: {reason}", reason=reason))
    return Learned(
        model=model,
        settings=settings,
        said=tuple(said),
        figure=figure,
        recall=recall,
        evaluation=evaluation,
        all_rows=True,
        estimator=estimator,
        grown_on=(lesson.X, lesson.y, lesson.weight),
    )


def _splits(lesson: Lesson, most: int) -> dict[str, Any]:
    """By how many folds the error is told: each has a class, or what belongs together."""
    if lesson.when is not None:
        moments = len(np.unique(lesson.when.moments("--time")))
        return {"method": "rolling" if moments > 2 else "holdout"}
    return {"method": "k_fold", "folds": min(10, most) if lesson.groups is None else None}


def _parts(chosen: Any, parts: Parts) -> str:
    """How the rows were parted."""
    shares = "/".join(f"{100 * share:g}" for share in shares_of(parts))
    learn_from, choose_on, test_on = chosen.sizes
    sizes = {"shares": shares, "seed": parts.seed, "learn": learn_from, "test": test_on}
    if choose_on:
        return tr(
            "parts: {shares}, seed {seed}: {learn:,} rows to learn from, {choose:,} to choose on, "
            "{test:,} to test on",
            choose=choose_on,
            **sizes,
        )
    return tr(
        "parts: {shares}, seed {seed}: {learn:,} rows to learn from and choose on, {test:,} to "
        "test on",
        **sizes,
    )


def _sizes(chosen: Any) -> list[str]:
    """How large the chosen tree is and how good, and how large and good the best one."""
    best, top = chosen.best, chosen.most_exact
    name = tr("error") if chosen.metric == "accuracy" else _name(chosen.metric)
    score = f"{name} {_show(chosen.metric, best.score)}"
    if np.isnan(best.leaves):
        return [tr("{score}, the best of those tried", score=score)]
    mine = tr("{n} leaves, {score}", n=_count(best.leaves), score=score)
    if best is top:
        return [tr("{mine}, the best of those tried", mine=mine)]
    near = top.score - best.score <= chosen.standard_error
    other = tr(
        "the best of those tried has {n} leaves, {score}",
        n=_count(top.leaves),
        score=_show(chosen.metric, top.score),
    )
    other += tr(", within one standard error") if near else ""
    return [f"{mine}; {other}: --prefer accuracy"]


def _count(leaves: float) -> str:
    """A number of leaves, which is a mean over folds."""
    return f"{leaves:,.1f}".removesuffix(".0") if leaves < 10 else f"{leaves:,.0f}"


def _name(metric: str) -> str:
    return metric_words(metric.removeprefix("neg_"))


def _show(metric: str, score: float) -> str:
    """A score as people say it: an error rather than its negative."""
    if metric == "accuracy":
        return show_share(1 - score)
    value = -score if metric.startswith("neg_") else score
    return show_figure(value)


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {write_literal(value)}" for name, value in settings.items())


def by_folds(evaluation: Any, model: Any) -> Figure:
    """The error of an evaluation by accuracy, or by the negative mean absolute error."""
    top = 0.0 if model.classes is None else 1.0
    low, high = (max(top - end, 0.0) for end in reversed(evaluation.interval))
    first = evaluation.summaries[0]
    return Figure(
        metric="mean absolute error" if model.classes is None else "error",
        value=top - first.mean,
        low=low,
        high=high if model.classes is None else min(high, 1.0),
        rows=evaluation.n_rows,
        baseline=top - first.constant,
        says=evaluation.constant,
        gain=first.mean - first.constant,
        gain_low=first.gain[0],
        gain_high=first.gain[1],
        weighted=evaluation.weighted,
        how=tr(", by {plan}", plan=evaluation.plan),
    )


def recall_on(model: Any, X: Any, y: NDArray[Any]) -> Recall | None:
    """What a model finds on some rows; None if it predicts numbers."""
    if model.classes is None:
        return None
    from sklearn.metrics import recall_score

    said = model.predict(X)
    shares = recall_score(y, said, labels=model.classes, average=None, zero_division=np.nan)
    rows = [int(np.count_nonzero(y == label)) for label in model.classes]
    return Recall(tuple(model.classes.tolist()), tuple(shares.tolist()), tuple(rows))
