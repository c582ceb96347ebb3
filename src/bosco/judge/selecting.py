"""`select`: choose settings on one part of the rows, and report on another, looked at once.

The rows are split in three. Every candidate is fitted to the first part and scored on the second.
The best is fitted again to both. Only then, and only once, is the third part used. The function
that looks at it is called at one place, after the choice, and its figures are kept: there is no way
to ask for them earlier, and asking again looks at nothing.
"""

import warnings
from collections.abc import Mapping, Sequence
from math import isclose, sqrt
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import ParameterGrid

from bosco.base.language import tr
from bosco.errors import DataError, ParameterError, did_you_mean, require_one_of
from bosco.figures.intervals import Floats, mean_sd
from bosco.judge.constant import constant, gain_on_rows, says
from bosco.judge.data import Data, Rows, read_data, task_of
from bosco.judge.metrics import Metrics
from bosco.judge.parted import between, say_parts
from bosco.judge.runs import Run, fit, inner_edges, run_all
from bosco.judge.selection import PREFERENCES, Candidate, Selection, by_size
from bosco.judge.shared import warn_of_shared
from bosco.judge.splits import Plan, Split, key, plan, read_seed

_BLOCKS = 20  # of validation rows, each left out once
_INNER = ("validation", "k_fold", "monte_carlo", "rolling")


def select(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    split: Sequence[float] = (0.6, 0.2, 0.2),
    inner: str = "validation",
    repeats: int | None = None,
    folds: int | None = None,
    metrics: Any = None,
    prefer: str = "accuracy",
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    stratify: bool = True,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Selection:
    """Choose settings on validation rows, and report on test rows that are looked at once.

    Parameters
    ----------
    estimator : classifier or regressor
        Any of scikit-learn's kind; it is cloned.
    grid : dict of names to lists, or list of such dicts
        The settings to try, in every combination, as scikit-learn's `ParameterGrid` has them.
    X, y : table, array-like of shape (n_rows,)
        In any form that the estimator takes.
    split : three numbers, default=(0.6, 0.2, 0.2)
        Shares of the rows to train on, to validate on and to test on; together 1.
    inner : {"validation", "k_fold", "monte_carlo", "rolling"}, default="validation"
        How candidates are scored: on the validation part; or by cross-validation, random splits,
        or windows in time, of the training and validation parts together.
    repeats, folds : int, default=None
        Of the inner loop, as in `evaluate` (None: 10 folds once; 20 random splits; 5 windows).
    metrics : str, callable, sequence or dict of them, default=None
        As in `evaluate`; the first decides. None, and the estimator has `costs`: the mean cost.
    prefer : {"accuracy", "small"}, default="accuracy"
        "accuracy": the best score wins; equal scores go to the tree with fewer leaves, then to the
        earlier candidate. "small": the tree with the fewest leaves wins of those whose score is
        within one standard error of the best, because such a difference may be luck. If all of
        those have more than 30 leaves, which nobody reads, the best of the smaller trees wins. A
        tree that, fitted again, says the same of all rows is passed over. Where candidates are no
        single trees, the best score wins.
    groups, time, sample_weight, stratify, n_jobs
        As in `evaluate`; groups are kept together in all three parts, and by time the latest rows
        are tested on, those before them validated on (`inner` is "validation" or "rolling").
    random_state : int, RandomState instance or None, default=0
        Seed of the splits.

    Returns
    -------
    Selection
        The table of all that was tried, the chosen estimator fitted to the training and validation
        parts, and its test scores; ``print`` it. After Ctrl-C nothing is chosen and no test score
        exists.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = bosco.DecisionTreeClassifier()
    >>> chosen = bosco.select(tree, {"max_depth": [1, 2, 3, 4]}, X, y, metrics="accuracy")
    >>> chosen.best.parameters, len(chosen.candidates)
    ({'max_depth': 3}, 4)
    >>> sorted(chosen.test_scores)
    ['accuracy']
    """
    start = perf_counter()
    task = task_of(estimator)
    settings = _settings(estimator, grid)
    shares = _shares(split)
    require_one_of(_INNER, "inner", inner)
    require_one_of(PREFERENCES, "prefer", prefer)
    data = read_data(X, y, task, groups=groups, time=time, sample_weight=sample_weight)
    measured = Metrics(metrics, task, data.classes, getattr(estimator, "costs", None))
    seed = read_seed(random_state)
    known, test = _parts(data, shares[2], stratify, seed)
    seen = data.part(known)
    common = tuple(map(str, warn_of_shared(data, known, test)))
    inner_plan = _inner_plan(seen, shares, inner, repeats, folds, stratify, seed)
    tried = [clone(estimator).set_params(**clone(s, safe=False)) for s in settings]
    edges = inner_edges(data)
    runs, interrupted = run_all(
        tried, inner_plan, measured, n_jobs=n_jobs, what="selecting", edges=edges
    )
    candidates = _ranked(settings, runs, measured.names[0])
    validation = runs[0][0].test_rows if inner == "validation" else 0
    fitted = gain = None
    scores: dict[str, float] = {}
    idle: dict[str, float] = {}
    error, choice = float("nan"), -1
    always = fit(constant(task), seen.X, seen.y, seen.weights, 0)
    if not interrupted:
        top = min(range(len(candidates)), key=lambda i: candidates[i].rank)
        order = [top]
        if prefer == "small" and len(candidates) > 1:
            error = standard_error(tried[top], inner_plan, measured, runs[top])
            place = {id(candidate): i for i, candidate in enumerate(candidates)}
            order = [place[id(candidate)] for candidate in by_size(candidates, error)]
        last = key(seed, len(inner_plan))
        choice, fitted = _fit_again(order, tried, seen, last)
        scores, idle, gain = _look_once(fitted, always, data, test, measured)
    return Selection(
        metric=measured.names[0],
        inner=tr("one validation part")
        if inner == "validation"
        else f"{tr('inner')} {inner_plan.say()}",
        sizes=(len(known) - validation, validation, len(test)),
        candidates=candidates,
        standard_error=error,
        choice=choice,
        interrupted=interrupted,
        estimator=fitted,
        test_scores=scores,
        test_rows=test,
        constant=says(always),
        constant_scores=idle,
        gain=gain,
        weighted=data.weights is not None,
        parted=say_parts(data, _as_rows(known, inner_plan, inner, test)),
        tested=between(data, test),
        shared=common,
        seconds=perf_counter() - start,
    )


def _fit_again(order: list[int], tried: list[Any], seen: Data, seed: int) -> tuple[int, Any]:
    """Fit the first candidate in order to all rows but the test part.

    One that then says the same of all rows is passed over if there is another: grown on more rows,
    a small tree may be pruned to nothing.
    """
    first = None
    for i in order:
        fitted = fit(tried[i], seen.X, seen.y, seen.weights, seed)
        if len(order) == 1 or len(np.unique(fitted.predict(seen.X))) > 1:
            return i, fitted
        first = first or (i, fitted)
    assert first is not None
    return first


def _look_once(
    fitted: Any, always: Any, data: Data, test: NDArray[np.intp], metrics: Metrics
) -> tuple[dict[str, float], dict[str, float], tuple[float, float, float] | None]:
    """The only place where the test part is looked at; beside it what the constant answer gets."""
    X, y, weights = data.take(test)
    said: list[Any] = []
    scores = metrics.score(fitted, X, y, weights, "the test part", said=said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        idle = metrics.score(always, X, y, weights, "the constant answer", partial=True)
    gain = gain_on_rows(metrics.names[0], said[0], always.answer_, y, weights) if said else None
    return scores, idle, gain


def _parts(
    data: Data, test_share: float, stratify: bool, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows to choose with, and the rows to test on."""
    outer = plan(data, "holdout", test_size=test_share, stratify=stratify, seed=seed)
    split: Split = next(iter(outer))
    if data.codes is not None and data.classes is not None:
        parts = {"training and validation parts": split.train, "test part": split.test}
        for part, rows in parts.items():
            absent = np.setdiff1d(np.arange(len(data.classes)), data.codes[rows])
            if len(absent):
                raise DataError(
                    f"The {part} would have no row of class {data.classes.tolist()[absent[0]]!r}. "
                    f"Hint: other shares in split, or merge rare classes."
                )
    return np.sort(split.train), np.sort(split.test)


def _as_rows(known: Rows, inner_plan: Plan, inner: str, test: Rows) -> list[Rows]:
    """The rows of each part."""
    if inner != "validation":
        return [known, test]
    split = next(iter(inner_plan))
    return [known[split.train], known[split.test], test]


def _inner_plan(
    seen: Data,
    shares: tuple[float, float, float],
    inner: str,
    repeats: int | None,
    folds: int | None,
    stratify: bool,
    seed: int,
) -> Plan:
    if inner == "validation" and repeats is not None:
        raise ParameterError("repeats is for inner='k_fold' or 'monte_carlo'.")
    if inner == "monte_carlo" and repeats is None:
        repeats = 20
    method = "holdout" if inner == "validation" else inner
    size = None if inner in ("k_fold", "rolling") else shares[1] / (shares[0] + shares[1])
    splits: dict[str, Any] = {"repeats": repeats, "test_size": size, "folds": folds}
    return plan(seen, method, **splits, stratify=stratify, seed=key(seed, 1))


def _settings(estimator: Any, grid: Any) -> list[dict[str, Any]]:
    """Every combination of the grid, its names checked."""
    grids = [grid] if isinstance(grid, Mapping) else grid
    if not isinstance(grids, Sequence) or not all(isinstance(g, Mapping) for g in grids):
        raise ParameterError(
            "grid must be a dict of parameter names to lists of values, or a list of such dicts. "
            f"Got {grid!r:.60}."
        )
    known = estimator.get_params(deep=True)
    for one in grids:
        for name, values in one.items():
            if name not in known:
                raise ParameterError(
                    f"grid names {name!r}, which {type(estimator).__name__} does not have."
                    + did_you_mean(name, known)
                )
            if isinstance(values, str) or not hasattr(values, "__len__"):
                raise ParameterError(
                    f"grid[{name!r}] must be a list of values. Got {values!r}. Hint: [{values!r}]."
                )
            if not len(values):
                raise ParameterError(f"grid[{name!r}] is empty; give it one value or more.")
    settings = list(ParameterGrid(list(grids))) if grids else []
    if not settings:
        raise ParameterError("grid is empty; there is nothing to choose from.")
    return settings


def _shares(split: Any) -> tuple[float, float, float]:
    try:
        shares = tuple(split)
    except TypeError:
        shares = ()
    fine = len(shares) == 3 and all(isinstance(s, Real) and 0 < float(s) < 1 for s in shares)
    if not fine or not isclose(sum(shares), 1):
        raise ParameterError(
            "split must be three shares, of rows to train on, to validate on and to test on, each "
            f"above 0, together 1. Got {split!r}."
        )
    return float(shares[0]), float(shares[1]), float(shares[2])


def _ranked(
    settings: list[dict[str, Any]], runs: list[list[Run]], metric: str
) -> tuple[Candidate, ...]:
    """The candidates that were run, with their ranks."""
    tried = []
    for parameters, own in zip(settings, runs, strict=True):
        score, sd, _ = mean_sd([run.scores[metric] for run in own])
        leaves = float(np.mean([run.leaves for run in own])) if own else float("nan")
        tried.append((parameters, score, sd, leaves, bool(own)))
    # Sums in another order may differ in the last digit; such scores are equal.
    worth = [(-round(t[1], 12) if t[1] == t[1] else np.inf, np.nan_to_num(t[3])) for t in tried]
    order = sorted(range(len(tried)), key=lambda i: (*worth[i], i))
    rank = {i: place for place, i in enumerate(order, 1)}
    return tuple(
        Candidate(parameters, score, sd, leaves, rank[i])
        for i, (parameters, score, sd, leaves, ran) in enumerate(tried)
        if ran
    )


def standard_error(estimator: Any, plan: Plan, metrics: Metrics, runs: list[Run]) -> float:
    """The standard error of an estimator's score by the first metric.

    Of several splits, that of their mean. Of one, the jackknife's, which serves any metric: the
    score is taken again without each twentieth of the validation rows, and how much it moves tells
    how much it would have moved with other rows. Groups stay together.

    The estimator is not fitted; `runs` is what it did on each split. NaN where there is no telling.
    """
    if len(runs) > 1:
        _, sd, n = mean_sd([run.scores[metrics.names[0]] for run in runs])
        return sd / sqrt(max(n, 1))
    _, sd, n = mean_sd(_without_each_block(estimator, plan, metrics))
    return sd * (n - 1) / sqrt(max(n, 1))


def _without_each_block(estimator: Any, plan: Plan, metrics: Metrics) -> Floats:
    data, split = plan.data, next(iter(plan))
    fitted = fit(estimator, *data.take(split.train), key(plan.seed, split.repeat))
    test = data.part(split.test)
    units = np.arange(test.n_rows)
    if test.groups is not None:
        units = np.unique(test.groups, return_inverse=True)[1].reshape(-1)
    n_units = int(units.max()) + 1
    dealt = np.random.default_rng(key(plan.seed, split.repeat)).permutation(n_units)
    block = dealt[units] % min(_BLOCKS, n_units)
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whatever there is to say was said of all rows
        for left_out in range(int(block.max()) + 1):
            rest = test.part(np.flatnonzero(block != left_out))
            if rest.n_rows:
                score = metrics.score(
                    fitted, rest.X, rest.y, rest.weights, "the validation part", partial=True
                )
                scores.append(score[metrics.names[0]])
    return np.array(scores)
