"""The rounds of AdaBoost: a weak learner, its weighted error, other weights, again.

Trees of bosco are boosted by the core on codes made once. Any other classifier that takes
``sample_weight`` goes through the same arithmetic here.
"""

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import has_fit_parameter

from bosco import _core
from bosco.data.fixedpoint import fix_weights
from bosco.data.readers import Table
from bosco.data.weights import WEIGHT_BITS
from bosco.errors import DataError, ParameterError
from bosco.estimators.base import warn_of_identifiers
from bosco.estimators.foreign import taking
from bosco.estimators.tree import DecisionTreeClassifier
from bosco.growth import MISSING, setting
from bosco.models.model import Model
from bosco.tree.census import boosted_census
from bosco.tree.family import threads
from bosco.tree.tree import Tree

_COUNTED = 2_000_000  # rows times rounds up to which the rows at every node are counted


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Weights before the first round: of one sample of each row, and how many samples it is.

    Examples
    --------
    >>> Start.of(None, 4).share
    array([0.25, 0.25, 0.25, 0.25])
    >>> Start.of(np.array([3.0, 1.0]), 2)
    Start(share=array([0.25, 0.25]), times=array([3, 1]))
    """

    share: NDArray[np.float64]
    times: NDArray[np.int64] | None

    @classmethod
    def of(cls, sample: NDArray[np.float64] | None, n_rows: int) -> "Start":
        """Normalise sample weights; whole numbers are repeated rows."""
        if sample is None:
            return cls(np.full(n_rows, 1.0 / n_rows), None)
        fixed = fix_weights(sample, 2**WEIGHT_BITS).integers
        total = float(fixed.sum())
        if (sample == fixed).all():
            return cls(np.full(n_rows, 1.0 / total), fixed)
        return cls(fixed / total, None)


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """What came of the rounds."""

    learners: list[Any]  # those that count, fitted, in order
    error: NDArray[np.float64]  # of each, by weight
    log_odds: NDArray[np.float64]  # rate · (ln((1 - error) / error) + ln(classes - 1))
    weights: NDArray[np.float64]  # of the watched rows, before each round
    ended: str  # why there are no more: all_done, perfect, chance or asked


def refuse_chance(error: float, n_classes: int) -> NoReturn:
    """Say that the first learner is no better than guessing."""
    raise DataError(
        f"BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be "
        f"fit: the weighted error of the first weak learner is {error:.6g}, not below "
        f"1 - 1/{n_classes}. Hint: a stronger `estimator`, or columns that tell of the target."
    )


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is boosted, and how. `heard` is told (learner, log-odds), and says whether to go on."""

    learner: Any
    rows: Any
    codes: NDArray[np.uint32]
    classes: NDArray[Any]
    start: Start
    n_rounds: int
    learning_rate: float
    watched: NDArray[np.uint32]
    heard: Callable[[Any, float], bool] | None


def weakest() -> DecisionTreeClassifier:
    """The weak learner that the method has in mind: one test, of the least weighted error."""
    return DecisionTreeClassifier(max_depth=1, criterion="error")


def why_foreign(learner: Any) -> str:
    """Say why the core cannot boost a learner; an empty text if it can.

    It boosts unpruned trees of bosco, classes unweighted, whose rows each end in one leaf.

    Examples
    --------
    >>> why_foreign(weakest()), why_foreign(DecisionTreeClassifier(ccp_alpha=0.1))
    ('', 'they have ccp_alpha=0.1')
    """
    if type(learner) is not DecisionTreeClassifier:
        return f"a learner is {type(learner).__name__}"
    pruning = setting(learner.algorithm, "pruning", learner.pruning)
    missing = setting(learner.algorithm, "missing", learner.missing)
    for name, value, plain in (
        ("class_weight", learner.class_weight, learner.class_weight is None),
        ("ccp_alpha", learner.ccp_alpha, learner.ccp_alpha == 0),
        ("pruning", pruning, pruning == "none"),
        ("missing", missing, MISSING[missing].one_way),
    ):
        if not plain:
            return f"they have {name}={value!r}"
    return ""


def boost_trees(task: Task, n_jobs: int | None) -> Rounds:
    """Boost trees of bosco in the core."""
    learner, classes, start = task.learner, task.classes, task.start
    frame, _, growth = learner._prepare(task.rows, classes[task.codes], start.times)
    least = setting(learner.algorithm, "min_weight_fraction_leaf", learner.min_weight_fraction_leaf)
    record = learner.record is True  # "auto" is meant for one tree
    weight = float(least)  # of a total of 1
    growth = replace(growth, record=record, record_leaves=record, min_weight_leaf=weight)
    n_threads = threads(n_jobs, frame, 4)
    frame.native.encode(n_threads)
    warn_of_identifiers(frame.identifier_columns())
    learners: list[Any] = []
    bare, missing = clone(learner), frame.missing_columns()

    def dress(native: _core.Tree) -> Any:
        tree = Tree(native, len(frame.schema.columns))
        own = replace(growth, tree=len(learners))
        fitted = copy(bare)
        about = {
            "algorithm": f"round {len(learners)}",
            "rows": frame.n_rows,
            "missing": missing,
        }
        counted = None
        if frame.n_rows * task.n_rounds <= _COUNTED:
            counted = boosted_census(tree, frame, task.codes, len(classes), n_threads)
        fitted._keep(Model(tree, frame.schema, classes, own, about, counted=counted))
        learners.append(fitted)
        return fitted

    def hear(native: _core.Tree, _: float, log_odds: float) -> bool:
        assert task.heard is not None
        return task.heard(dress(native), log_odds)

    boosted: Any = _core.boost(
        frame.native,
        task.codes,
        len(classes),
        growth.to_dict(),
        start.share,
        start.times,
        task.n_rounds,
        task.learning_rate,
        task.watched,
        growth.min_samples_leaf > 1 or growth.min_samples_split > 2,
        n_threads,
        None if task.heard is None else hear,
        consume=True,
    )
    if not boosted["trees"]:
        refuse_chance(boosted["last_error"], len(classes))
    for native in boosted["trees"][len(learners) :]:
        dress(native)
    return Rounds(learners, *(boosted[name] for name in ("error", "log_odds", "weights", "ended")))


def boost_any(task: Task, random_state: Any) -> Rounds:
    """Boost any classifier that takes sample weights."""
    estimator, X, codes = task.learner, task.rows, task.codes
    classes, start = task.classes, task.start
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ParameterError(
            f"AdaBoost gives every round other weights, and {type(estimator).__name__} doesn't "
            f"support sample_weight. Use a classifier whose fit takes it."
        )
    random = check_random_state(random_state)
    k, y = len(classes), classes[codes]
    share = start.share.copy()
    times = np.ones(len(codes), np.int64) if start.times is None else start.times
    learners: list[Any] = []
    errors: list[float] = []
    odds: list[float] = []
    noted: list[NDArray[np.float64]] = []
    ended = "all_done"
    for round_ in range(task.n_rounds):
        weight = share * times
        learner = clone(estimator)
        if "random_state" in learner.get_params() and learner.random_state is None:
            learner.set_params(random_state=int(random.randint(np.iinfo(np.int32).max)))
        # Learners that weigh errors against a penalty are told weights of mean 1.
        with taking(learner, X):
            learner.fit(X, y, sample_weight=weight * times.sum())
            wrong = np.asarray(learner.predict(X)) != y
        bad, good = math.fsum(weight[wrong]), math.fsum(weight[~wrong])  # rounded once: any order
        error = bad / (good + bad)
        vote = _core.vote(good, bad, k, task.learning_rate) if bad > 0 else (0.0, 0.0)
        if vote is None:
            ended = "chance"
            if round_ == 0:
                refuse_chance(error, k)
            break
        learners.append(learner)
        errors.append(error)
        noted.append(weight[task.watched])
        log_odds, times_wrong = vote
        odds.append(log_odds)
        goes_on = task.heard is None or task.heard(learner, log_odds)
        if bad == 0:
            ended = "perfect"
            break
        if not goes_on:
            ended = "asked"
            break
        share[wrong] *= times_wrong
        share /= good + bad * times_wrong
    return Rounds(learners, np.array(errors), np.array(odds), np.array(noted), ended)


def rows_where(X: Any, rows: NDArray[Any] | None, learner: Any) -> Any:
    """Some rows of any X, by a mask or by number, in the form that X has; None: all."""
    if rows is None:
        return X
    if isinstance(X, Table):
        return X.take(rows)
    with taking(learner, X):
        return _safe_indexing(X, np.flatnonzero(rows) if rows.dtype == bool else rows)
