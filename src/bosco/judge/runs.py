"""Fitting and scoring, once per estimator and split, in a loop that Ctrl-C may cut short.

What a run leaves is small and additive, so that a hundred of them cost no memory.
"""

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import Pipeline

from bosco.base.progress import track
from bosco.errors import DataError, ParameterError
from bosco.estimators.foreign import taking
from bosco.figures.intervals import Floats
from bosco.judge.constant import AlwaysTheMean, AlwaysTheSame
from bosco.judge.data import Data
from bosco.judge.metrics import Metrics
from bosco.judge.splits import Plan, Split, key

T = TypeVar("T")
Matrix = Floats | None

BINS = 10
"""Rows of a calibration table."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What one estimator did on one split."""

    scores: dict[str, float]
    confusion: Floats | None  # rows
    weighted_confusion: Floats | None  # their weights, if they have any
    calibration: Floats | None  # bins × (weight, Σ predicted, Σ observed)
    leaves: float
    depth: float
    train_rows: int
    test_rows: int
    fit_seconds: float
    score_seconds: float
    untrained: tuple[int, ...]  # classes without a row in the training part
    untested: tuple[int, ...]  # … in the test part


def run_all(
    estimators: Sequence[Any],
    plan: Plan,
    metrics: Metrics,
    *,
    n_jobs: int | None,
    what: str,
    edges: Floats,
) -> tuple[list[list[Run]], bool]:
    """The runs of every estimator, in the order of the splits; whether Ctrl-C ended it early."""
    tasks = (
        (estimator, plan.data, split, metrics, key(plan.seed, split.repeat), edges)
        for split in plan
        for estimator in estimators
    )
    with warnings.catch_warnings(record=True) as raised:
        # Said by the report: which scores are undefined, which classes some part has not.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        warnings.filterwarnings("ignore", "y_pred contains classes not in y_true")
        warnings.filterwarnings("ignore", "A single label was found")
        total = len(plan) * len(estimators)
        done, interrupted = do_all(run_one, tasks, total, n_jobs=n_jobs, what=what)
    for category, message in dict.fromkeys((w.category, str(w.message)) for w in raised):
        warnings.warn(message, category, stacklevel=4)  # once, not once per split
    return [done[i :: len(estimators)] for i in range(len(estimators))], interrupted


def run_one(
    estimator: Any, data: Data, split: Split, metrics: Metrics, seed: int, edges: Floats
) -> Run:
    """Fit a clone on the training part and judge it on the test part."""
    where = f"split {split.repeat}"
    untrained, untested = _absent(data, split, where)
    X, y, weights = data.take(split.train)
    start = time.perf_counter()
    fitted = fit(estimator, X, y, weights, seed)
    middle = time.perf_counter()
    X, y, weights = data.take(split.test)
    # A metric may ask for what the constant answer has not.
    partial = bool(untrained or untested) or isinstance(fitted, AlwaysTheMean | AlwaysTheSame)
    scores = metrics.score(fitted, X, y, weights, where, partial=partial)
    end = time.perf_counter()
    (confusion, weighted), calibration = _details(fitted, X, y, data, weights, edges)
    tree, _ = innermost(fitted)
    sized = hasattr(tree, "get_n_leaves")
    return Run(
        scores=scores,
        confusion=confusion,
        weighted_confusion=weighted,
        calibration=calibration,
        leaves=float(tree.get_n_leaves()) if sized else float("nan"),
        depth=float(tree.get_depth()) if sized else float("nan"),
        train_rows=len(np.unique(split.train)),
        test_rows=len(split.test),
        fit_seconds=middle - start,
        score_seconds=end - middle,
        untrained=untrained,
        untested=untested,
    )


def _absent(data: Data, split: Split, where: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The classes that a part has no row of; refuse a training part with one class only."""
    if data.classes is None or data.codes is None:
        return (), ()
    n_classes = len(data.classes)
    counts = [np.bincount(data.codes[r], minlength=n_classes) for r in (split.train, split.test)]
    if np.count_nonzero(counts[0]) < 2:
        only = data.classes.tolist()[int(np.argmax(counts[0]))]
        raise DataError(
            f"The training part of {where} has one class only, {only!r}: nothing can be learned "
            f"from it. Hint: a smaller test_size, fewer folds, other groups, or stratify=True."
        )
    lost, unseen = (tuple(np.flatnonzero(count == 0).tolist()) for count in counts)
    return lost, unseen


def fit(estimator: Any, X: Any, y: Any, weights: Any, seed: int) -> Any:
    """Fit a clone; where its random state is left open, a seed fills it."""
    fresh = clone(estimator)
    open_states = {
        name: seed
        for name, value in fresh.get_params(deep=True).items()
        if value is None and name.split("__")[-1] == "random_state"
    }
    fresh.set_params(**open_states)
    told: dict[str, Any] = {}
    if weights is not None:
        last = f"{fresh.steps[-1][0]}__" if isinstance(fresh, Pipeline) else ""
        told = {f"{last}sample_weight": weights}
    with taking(fresh, X):
        return fresh.fit(X, y, **told)


def innermost(fitted: Any, X: Any = None) -> tuple[Any, Any]:
    """The estimator at the end of a pipeline, or that a search chose; and X as it sees it."""
    while True:
        if isinstance(fitted, Pipeline):
            X = fitted[:-1].transform(X) if X is not None and len(fitted.steps) > 1 else X
            fitted = fitted.steps[-1][1]
        elif hasattr(fitted, "best_estimator_"):
            fitted = fitted.best_estimator_
        else:
            return fitted, X


def _details(
    fitted: Any, X: Any, y: NDArray[Any], data: Data, weights: Any, edges: Floats
) -> tuple[tuple[Matrix, Matrix], Matrix]:
    """Confusion matrices (of rows, of weight) and calibration sums of one test part."""
    predicted = np.asarray(fitted.predict(X))
    counted = np.ones(len(y)) if weights is None else weights
    if data.classes is None:
        return (None, None), _binned(predicted, np.asarray(y, np.float64), counted, edges)

    def matrix(weight: Any) -> Floats:
        found = confusion_matrix(y, predicted, labels=data.classes, sample_weight=weight)
        return np.asarray(found, np.float64)

    # a row of weight 0 is absent
    both = (matrix(counted > 0), None if weights is None else matrix(weights))
    if not hasattr(fitted, "predict_proba"):
        return both, None
    sure = np.asarray(fitted.predict_proba(X)).max(axis=1)
    right = np.asarray(predicted == y, np.float64)
    return both, _binned(sure, right, counted, edges)


def _binned(predicted: Floats, observed: Floats, weights: Floats, edges: Floats) -> Floats:
    place = np.searchsorted(edges, predicted, side="left")
    sums = (weights, weights * predicted, weights * observed)
    return np.stack([np.bincount(place, s, len(edges) + 1) for s in sums], axis=1)


def inner_edges(data: Data) -> Floats:
    """Where the bins of the calibration table meet: tenths, or deciles of a real target."""
    if data.classes is not None:
        return np.linspace(0, 1, BINS + 1)[1:-1]
    return np.unique(np.quantile(np.asarray(data.y, np.float64), np.linspace(0, 1, BINS + 1)[1:-1]))


def do_all(
    act: Callable[..., T],
    tasks: Iterable[tuple[Any, ...]],
    total: int,
    *,
    n_jobs: int | None,
    what: str,
) -> tuple[list[T], bool]:
    """Do every task; give the results in order, and whether Ctrl-C ended it early.

    Tasks are the arguments of `act`, made as they are needed, `total` in all; `n_jobs` of them are
    done at the same time, in threads. `what` is the name of the work in the progress bar.
    """
    n = _check_jobs(n_jobs)
    results = (act(*task) for task in tasks) if n == 1 else _in_threads(act, tasks, n)
    done: list[T] = []
    try:
        for result in track(results, total, what):
            done.append(result)  # noqa: PERF402 (what came before Ctrl-C is kept)
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False


def _in_threads(act: Callable[..., T], tasks: Iterable[tuple[Any, ...]], n: int) -> Iterator[T]:
    """Results in order, never more than a few tasks ahead.

    Threads, because growing a tree leaves Python's lock and X need not be copied.
    """
    config = get_config()  # scikit-learn keeps it per thread

    def configured(*task: Any) -> T:
        with config_context(**config):
            return act(*task)

    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(n)
    try:
        for task in tasks:
            waiting.append(pool.submit(configured, *task))
            if len(waiting) > 2 * n:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _check_jobs(n_jobs: Any) -> int:
    try:
        return int(effective_n_jobs(n_jobs))
    except (TypeError, ValueError):
        raise ParameterError(
            f"n_jobs must be a whole number, -1 for all cores, or None. Got {n_jobs!r}."
        ) from None
