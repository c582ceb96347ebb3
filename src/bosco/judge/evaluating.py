"""`evaluate`: how well an estimator does on rows that it was not fitted to."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from bosco.figures.intervals import (
    check_confidence,
    corrected_interval,
    mean_sd,
    paired_interval,
    wilson,
)
from bosco.judge.constant import constant, says
from bosco.judge.data import read_data, task_of
from bosco.judge.evaluation import Evaluation, Summary, combined
from bosco.judge.metrics import Metrics
from bosco.judge.parted import say_parted, windows
from bosco.judge.report import name_of
from bosco.judge.runs import Run, inner_edges, run_all, run_one
from bosco.judge.shared import warn_of_shared
from bosco.judge.splits import Plan, Split, plan, read_seed


class Idle(NamedTuple):
    """The constant answer on the same splits."""

    says: str
    runs: tuple[Run, ...]
    apparent: dict[str, float]


def evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
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
) -> Evaluation:
    """Judge an estimator on rows that it was not fitted to.

    Parameters
    ----------
    estimator : classifier or regressor
        Any of scikit-learn's kind, pipelines included. It is cloned, never fitted itself; where its
        `random_state` is None, each split gives it a seed.
    X, y : table, array-like of shape (n_rows,)
        In any form that the estimator takes; rows are handed on in the form they have.
    method : {"monte_carlo", "holdout", "k_fold", "bootstrap_632", "rolling"}, default=None
        Random splits, one split, cross-validation, Efron's .632 bootstrap; or windows that follow
        one another in time, each tested on by a model of all rows before it. None: "monte_carlo",
        or "rolling" where `time` is given, which goes with "rolling" and "holdout" only.
    repeats : int, default=None
        Number of splits, of cross-validations, or of bootstrap samples. None: 100; 1 for "k_fold".
    test_size : float or int, default=None
        Share, or number, of the rows to test on ("holdout", "monte_carlo"). None: 0.3. By time,
        the latest ones, as many as moments that are not parted allow.
    folds : int, default=None
        Number of folds ("k_fold"; None: 10, or as many as there are groups) or windows ("rolling",
        of as many moments each; None: 5, or as many as there can be).
    metrics : str, callable, sequence or dict of them, default=None
        scikit-learn's scorers by name, or callables ``(estimator, X, y) -> float``; larger is
        better. Short names: "auc", "log_loss", "mse", "rmse", "mae"; of one class: "recall:bad",
        "precision:bad", "f1:bad"; "cost:bad=5" is the mean cost of a row, where one that is wrong
        costs 1, or 5 if its class is "bad" (negative, as errors are). None: accuracy, balanced
        accuracy and macro F1, or R², mean absolute and root mean squared error (negative, as
        scikit-learn has them). The first is the one reported first.
    groups : str or array-like of shape (n_rows,), default=None
        Rows of one group are never on both sides of a split. A column of X that is named is not
        learned from; give its values to learn from it, too.
    time : str or array-like of shape (n_rows,), default=None
        Dates, times or numbers that say what came first: models learn from the past and are tested
        on what follows, and rows of one moment are on one side. Named as `groups` are; one of both.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights, for fitting and for scoring.
    stratify : bool, default=True
        Keep the shares of the classes in all parts (random splits of groups cannot).
    confidence : float, default=0.95
        Of the interval.
    n_jobs : int, default=None
        Splits run at the same time; None is 1, -1 all cores. The figures do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the splits. None: other splits each time.

    Returns
    -------
    Evaluation
        Scores, intervals, confusion matrix, calibration, sizes, time; ``print`` it. Ctrl-C ends the
        run and gives what is done so far, marked `interrupted`.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = bosco.DecisionTreeClassifier(max_depth=3)
    >>> result = bosco.evaluate(tree, X, y, repeats=20)
    >>> len(result.scores["accuracy"]), result.confusion.sum()
    (20, np.float64(900.0))
    >>> result.interval[0] < result.mean < result.interval[1]
    True
    """
    splits = {"method": method, "repeats": repeats, "test_size": test_size, "folds": folds}
    splits |= {"stratify": stratify, "seed": random_state}
    data = (X, y, {"groups": groups, "time": time}, sample_weight)
    return evaluations([estimator], *data, splits, metrics, confidence, n_jobs)[0]


def evaluations(
    estimators: Sequence[Any],
    X: Any,
    y: Any,
    parting: dict[str, Any],
    sample_weight: Any,
    splits: dict[str, Any],
    metrics: Any,
    confidence: float,
    n_jobs: int | None,
) -> list[Evaluation]:
    """Judge several estimators on the same splits, asked for as `plan` has them; see `evaluate`."""
    start = perf_counter()
    confidence = check_confidence(confidence)
    task = task_of(estimators[0])
    data = read_data(X, y, task, **parting, sample_weight=sample_weight)
    measured = Metrics(metrics, task, data.classes)
    made = plan(data, **splits | {"seed": read_seed(splits["seed"])})
    first = next(iter(made))
    common = tuple(map(str, warn_of_shared(data, first.train, first.test)))
    edges = inner_edges(data)
    everyone = [*estimators, constant(task)]  # on the same splits, to be read beside each
    apparent: list[dict[str, float]] = [{} for _ in everyone]
    if made.method == "bootstrap_632":
        rows = np.arange(data.n_rows)
        everything = Split(0, rows, rows)
        apparent = [
            run_one(e, data, everything, measured, made.seed, edges).scores for e in everyone
        ]
    runs, interrupted = run_all(
        everyone, made, measured, n_jobs=n_jobs, what="evaluating", edges=edges
    )
    complete = min(map(len, runs))
    if not complete:
        raise KeyboardInterrupt
    seconds = perf_counter() - start
    answer = says(constant(task).fit(data.X, data.y, data.weights))
    *found, (idle, flattered) = zip((tuple(own[:complete]) for own in runs), apparent, strict=True)
    beside = Idle(answer, idle, flattered)
    return [
        _evaluation(name_of(e), made, own, scores, beside, interrupted, confidence, seconds, common)
        for e, (own, scores) in zip(estimators, found, strict=True)
    ]


def _evaluation(
    name: str,
    made: Plan,
    runs: tuple[Run, ...],
    apparent: dict[str, float],
    beside: Idle,
    interrupted: bool,
    confidence: float,
    seconds: float,
    shared: tuple[str, ...],
) -> Evaluation:
    classes = made.data.classes
    ratio = sum(run.test_rows for run in runs) / sum(run.train_rows for run in runs)
    summaries = []
    for metric in runs[0].scores:
        scores = combined(metric, runs, apparent)
        idle = combined(metric, beside.runs, beside.apparent)
        mean, sd, n = mean_sd(scores)
        interval = corrected_interval(scores, ratio, confidence)
        gain = corrected_interval(scores - idle, ratio, confidence)
        if made.method == "holdout" and metric == "accuracy" and made.data.weights is None:
            low, high = wilson(mean, runs[0].test_rows, confidence)
            interval = float(low), float(high)
            gain = _gain_of_rows(runs[0].confusion, beside.runs[0].confusion, confidence)
        around = (mean - 2 * sd, mean + 2 * sd)
        summaries.append(Summary(metric, mean, sd, around, interval, n, mean_sd(idle)[0], gain))
    return Evaluation(
        name=name,
        plan=made.say(),
        method=made.method,
        classes=None if classes is None else tuple(classes.tolist()),
        n_rows=made.data.n_rows,
        planned=len(made),
        interrupted=interrupted,
        confidence=confidence,
        ratio=ratio,
        summaries=tuple(summaries),
        apparent=apparent,
        runs=runs,
        seconds=seconds,
        constant=beside.says,
        weighted=made.data.weights is not None,
        parted=say_parted(made),
        windows=windows(made)[: len(runs)],
        shared=shared,
    )


def _gain_of_rows(one: Any, idle: Any, confidence: float) -> tuple[float, float]:
    """How much more often one is right than the constant answer, by their confusion matrices."""
    k = int(np.argmax(idle.sum(axis=0)))  # the only class that the constant says
    better = float(np.trace(one) - one[k, k])
    worse = float(one[k].sum() - one[k, k])
    return paired_interval(better, worse, float(one.sum()), confidence=confidence)
