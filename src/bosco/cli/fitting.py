"""The main job: choose, grow and test a model, and say how each of it was done."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import bosco
from bosco.cli.choosing import can_part, grid_of, select, shares_of
from bosco.cli.figures import Figure, by_folds, judged
from bosco.cli.groups import Parts, Task
from bosco.cli.learners import MANY, learner
from bosco.cli.learning import Lesson
from bosco.cli.literals import write_literal
from bosco.pruning import CostComplexity

__all__ = ["Learned", "learn", "out_of_bag"]

_FOLDS = 5
_CELLS = 1_000_000  # of all rows, columns and trees, that are shuffled out of the bag


@dataclass(frozen=True, eq=False)
class Learned:
    """A model, and how it came about."""

    model: Any
    settings: dict[str, Any]  # all that was given or chosen
    said: tuple[str, ...]  # the choices, in words
    figure: Figure | None
    selection: Any = None
    evaluation: Any = None
    all_rows: bool = False
    estimator: Any = None
    grown_on: tuple[Any, Any, Any] = (None, None, None)  # rows, target, weights
    held_out: tuple[Any, Any] = (None, None)  # the test rows
    predicted: Any = None  # what the model says of them


def learn(
    lesson: Lesson, settings: dict[str, Any], parts: Parts, choose: bool, all_rows: bool
) -> Learned:
    """Choose, grow and test; on all rows if asked to, or if there are too few to part them."""
    reason = "as asked" if all_rows else can_part(lesson, shares_of(parts))
    if reason:
        return _on_all_rows(lesson, settings, parts.seed, choose, reason)
    return _in_three_parts(lesson, settings, parts, choose)


def _in_three_parts(
    lesson: Lesson, settings: dict[str, Any], parts: Parts, choose: bool
) -> Learned:
    grid = grid_of(lesson, settings) if choose else [{}]
    if grid == [{}]:  # nothing to choose: no folds are needed
        parts = replace(parts, inner="validation")
    chosen = select(lesson, settings, grid, parts)
    model, test = chosen.estimator.model_, chosen.test_rows
    known = np.setdiff1d(np.arange(len(lesson.y)), test)
    X, y = lesson.X.take(test), lesson.y[test]
    predicted = model.predict(X)
    weights = _weights(lesson, test)
    figure = judged(model, X, y, weights, how=", looked at once", predicted=predicted)
    best = chosen.best
    said = [_parts(chosen, parts)]
    if len(chosen.candidates) > 1:
        said.append(
            f"chosen of {len(chosen.candidates)} settings by {_score(chosen)}: "
            f"{_settings(best.parameters)}"
        )
        said.append(f"grown again on {len(known):,} rows")
    return Learned(
        model=model,
        settings=settings | best.parameters,
        said=tuple(said),
        figure=figure,
        selection=chosen,
        estimator=chosen.estimator,
        grown_on=(lesson.X.take(known), lesson.y[known], _weights(lesson, known)),
        held_out=(X, y),
        predicted=predicted,
    )


def _weights(lesson: Lesson, rows: Any) -> Any:
    return None if lesson.weight is None else lesson.weight[rows]


def out_of_bag(learned: Learned) -> Any:
    """What shuffling a column costs on rows out of the bag; None where that takes too long."""
    X, y, weight = learned.grown_on
    forest = learned.estimator
    if not getattr(forest, "bootstrap", False):
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
    classes = lesson.task is Task.classification
    counts = np.unique(lesson.y, return_counts=True)[1] if classes else np.array([len(lesson.y)])
    said = [f"parts: none ({reason}); grown on all {len(lesson.y):,} rows"]
    choose = choose and settings.get("algorithm") not in MANY
    if choose and not {"pruning", "ccp_alpha"} & settings.keys() and counts.max() >= 4 * _FOLDS:
        settings = settings | {"pruning": CostComplexity(cv=_FOLDS)}
        shown = {n: v for n, v in settings.items() if n in ("max_depth", "pruning")}
        said.append(f"chosen by {_FOLDS}-fold cross-validation: {_settings(shown)}")
    estimator = learner(lesson.task, settings, seed)
    model = estimator.fit(lesson.X, lesson.y, sample_weight=lesson.weight).model_
    evaluation = figure = None
    try:
        evaluation = bosco.evaluate(
            estimator,
            lesson.X,
            lesson.y,
            method="k_fold",
            metrics="accuracy" if classes else "neg_mean_absolute_error",
            folds=min(10, len(lesson.y)),
            sample_weight=lesson.weight,
            stratify=bool(counts.min() > 1),
            n_jobs=-1,
        )
        if evaluation.interrupted:
            raise KeyboardInterrupt
        figure = by_folds(evaluation, model, lesson.y)
    except bosco.DataError as error:
        said.append(f"no error can be told: {str(error).partition(' Hint:')[0]}")
    return Learned(
        model=model,
        settings=settings,
        said=tuple(said),
        figure=figure,
        evaluation=evaluation,
        all_rows=True,
        estimator=estimator,
        grown_on=(lesson.X, lesson.y, lesson.weight),
    )


def _parts(chosen: Any, parts: Parts) -> str:
    """How the rows were parted."""
    shares = "/".join(f"{100 * share:g}" for share in shares_of(parts))
    learn_from, choose_on, test_on = chosen.sizes
    on = (
        f"to learn from, {choose_on:,} to choose on" if choose_on else "to learn from and choose on"
    )
    return f"parts: {shares}, seed {parts.seed}: {learn_from:,} rows {on}, {test_on:,} to test on"


def _score(chosen: Any) -> str:
    """The score that chose, and where it was taken."""
    score = chosen.best.score
    name = chosen.metric.removeprefix("neg_").replace("_", " ")
    value = -score if chosen.metric.startswith("neg_") else score
    where = chosen.inner.removeprefix("inner ") if not chosen.sizes[1] else "validation"
    return f"{name} {value:.4g} ({where})"


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{name} {write_literal(value)}" for name, value in settings.items())
