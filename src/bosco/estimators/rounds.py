"""The rounds of AdaBoost: a weak learner, its weighted error, other weights, again.

Trees of bosco on rows that are here are boosted by the core, on codes made once. Any other
classifier that takes ``sample_weight``, and rows that lie elsewhere, go through the same rounds
here.
"""

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import has_fit_parameter

from bosco import _core
from bosco.data.readers import Table
from bosco.data.schema import Schema
from bosco.errors import DataError, ParameterError
from bosco.estimators.about import warn_of_identifiers
from bosco.estimators.foreign import taking
from bosco.estimators.ground import InMemory
from bosco.estimators.parameters import alone_seed
from bosco.estimators.start import Start
from bosco.estimators.tree import DecisionTreeClassifier
from bosco.growth import MISSING, Growth, setting
from bosco.models.model import Model
from bosco.tree.census import Census, boosted_census
from bosco.tree.family import threads
from bosco.tree.tree import Tree

_COUNTED = 2_000_000  # rows times rounds up to which the rows at every node are counted


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


def weak_learner(given: Any, derive: Any) -> Any:
    """The learner of the rounds: that which is given, or the weakest; with derived columns."""
    learner = weakest() if given is None else given
    if getattr(learner, "costs", None) is not None:
        raise ParameterError(
            "Boosting weighs rows by itself: a weak learner with costs would answer otherwise than "
            "it counts. Hint: model_.at(cost=…, X=X, y=y) sets the bar between two classes."
        )
    if getattr(learner, "ask_costs", None) is not None:
        raise ParameterError(
            "Boosting asks what every one of its learners asks: what answers cost (ask_costs) is "
            "of one tree. Hint: DecisionTreeClassifier(ask_costs=…) by itself."
        )
    if not derive:
        return learner
    if "derive" not in learner.get_params():
        raise ParameterError(
            f"derive is for trees of bosco, and {type(learner).__name__} reads X as it is. "
            f"Hint: add the columns to X."
        )
    if learner.derive:
        raise ParameterError(
            "derive is said twice: of AdaBoostClassifier, and of its estimator. Hint: say it once."
        )
    return clone(learner).set_params(derive=derive)


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
        ("criterion", learner.criterion, not callable(learner.criterion)),
        ("algorithm", learner.algorithm, learner.algorithm != "optimal"),
        ("lookahead", learner.lookahead, learner.lookahead in (None, 1)),
        ("polish", learner.polish, not learner.polish),
        ("numeric_test", learner.numeric_test, learner.numeric_test != "pairs"),
        ("class_weight", learner.class_weight, learner.class_weight is None),
        ("ccp_alpha", learner.ccp_alpha, learner.ccp_alpha == 0),
        ("pruning", pruning, pruning == "none"),
        ("missing", missing, MISSING[missing].one_way),
    ):
        if not plain:
            return f"they have {name}={value!r}"
    return ""


@dataclass(frozen=True, slots=True, eq=False)
class Dresser:
    """Makes fitted learners of the trees of the rounds."""

    learner: Any
    schema: Schema
    classes: NDArray[Any]
    growth: Growth
    n_rows: int
    missing: list[str]  # columns

    @classmethod
    def of(cls, learner: Any, growth: Growth, classes: NDArray[Any], rows: Any) -> "Dresser":
        """Take the settings of a learner for those of the rounds; `rows` tell of themselves."""
        least = setting(
            learner.algorithm, "min_weight_fraction_leaf", learner.min_weight_fraction_leaf
        )
        record = learner.record is True  # "auto" is meant for one tree
        weight = float(least)  # of a total of 1
        growth = replace(growth, record=record, record_leaves=record, min_weight_leaf=weight)
        return cls(clone(learner), rows.schema, classes, growth, rows.n_rows, rows.missing)

    @property
    def counts_samples(self) -> bool:
        """Whether limits go by samples, which the weights of the rounds do not tell."""
        return self.growth.min_samples_leaf > 1 or self.growth.min_samples_split > 2

    def counts_rows(self, n_rounds: int) -> bool:
        """Whether the rows at every node are counted."""
        return self.n_rows * n_rounds <= _COUNTED

    def dress(self, native: _core.Tree, round_: int, rows: Census | None) -> Any:
        """A fitted learner, which has the tree of a round."""
        about = {"algorithm": f"round {round_}", "rows": self.n_rows, "missing": self.missing}
        tree, own = Tree(native, len(self.schema.columns)), replace(self.growth, tree=round_)
        fitted = copy(self.learner)
        if fitted.random_state is None:
            fitted.random_state = alone_seed(self.growth.seed, round_)
        fitted._keep(Model(tree, self.schema, self.classes, own, about, counted=rows))
        return fitted


def boost_trees(task: Task, n_jobs: int | None) -> Rounds:
    """Boost trees of bosco in the core."""
    classes, start = task.classes, task.start
    frame, target, growth = task.learner._prepare(task.rows, classes[task.codes], start.times)
    n_threads = threads(n_jobs, frame, 4)
    frame.native.encode(n_threads)
    warn_of_identifiers(frame.identifier_columns())
    dresser = Dresser.of(task.learner, growth, classes, InMemory(frame, target))
    counts = dresser.counts_rows(task.n_rounds)
    learners: list[Any] = []

    def dress(native: _core.Tree) -> Any:
        counted = None
        if counts:
            tree = Tree(native, len(frame.schema.columns))
            counted = boosted_census(tree, frame, task.codes, len(classes), n_threads)
        learners.append(dresser.dress(native, len(learners), counted))
        return learners[-1]

    def hear(native: _core.Tree, _: float, log_odds: float) -> bool:
        assert task.heard is not None
        return task.heard(dress(native), log_odds)

    boosted: Any = _core.boost(
        frame.native,
        task.codes,
        len(classes),
        dresser.growth.for_core(),
        start.share,
        start.times,
        task.n_rounds,
        task.learning_rate,
        task.watched,
        dresser.counts_samples,
        n_threads,
        None if task.heard is None else hear,
        consume=True,
    )
    if not boosted["trees"]:
        refuse_chance(boosted["last_error"], len(classes))
    for native in boosted["trees"][len(learners) :]:
        dress(native)
    return Rounds(learners, *(boosted[name] for name in ("error", "log_odds", "weights", "ended")))


class Weighted(Protocol):
    """Rows whose weights the rounds change."""

    def fit(self, round_: int) -> tuple[Any, float, float]:
        """Fit a learner to the weights; what the rows weigh that it has right, and the others."""

    def watched(self) -> NDArray[np.float64]:
        """The weights of the rows that are watched."""

    def change(self, learner: Any, right: float, wrong: float, vote: tuple[float, float]) -> Any:
        """Change the weights by a learner's log-odds and factor; returns the learner to keep."""


def boost_rows(
    rows: Weighted, n_classes: int, n_rounds: int, learning_rate: float, heard: Any
) -> Rounds:
    """Boost over any rows, round by round; `heard` as in `Task`."""
    learners: list[Any] = []
    errors: list[float] = []
    odds: list[float] = []
    noted: list[NDArray[np.float64]] = []
    ended = "all_done"
    for round_ in range(n_rounds):
        learner, right, wrong = rows.fit(round_)
        error = wrong / (right + wrong)
        vote = _core.vote(right, wrong, n_classes, learning_rate) if wrong > 0 else (0.0, 0.0)
        if vote is None:
            ended = "chance"
            if round_ == 0:
                refuse_chance(error, n_classes)
            break
        noted.append(rows.watched())
        learners.append(rows.change(learner, right, wrong, vote))
        errors.append(error)
        odds.append(vote[0])
        goes_on = heard is None or heard(learners[-1], vote[0])
        if wrong == 0:
            ended = "perfect"
            break
        if not goes_on:
            ended = "asked"
            break
    weights = np.array(noted) if len(noted[0]) else np.zeros((0, 0))
    return Rounds(learners, np.array(errors), np.array(odds), weights, ended)


class Anyones:
    """Rows that any classifier learns which takes sample weights."""

    def __init__(self, task: Task, random_state: Any) -> None:
        if not has_fit_parameter(task.learner, "sample_weight"):
            raise ParameterError(
                f"AdaBoost gives every round other weights, and {type(task.learner).__name__} "
                f"doesn't support sample_weight. Use a classifier whose fit takes it."
            )
        self.task, self.random = task, check_random_state(random_state)
        self.y = task.classes[task.codes]
        self.share, times = task.start.share.copy(), task.start.times
        self.times = np.ones(len(task.codes), np.int64) if times is None else times
        self.wrong = np.zeros(len(task.codes), bool)

    def fit(self, round_: int) -> tuple[Any, float, float]:  # noqa: ARG002
        """Fit a learner to the weights; what the rows weigh that it has right, and the others."""
        X, weight = self.task.rows, self.share * self.times
        learner = clone(self.task.learner)
        if "random_state" in learner.get_params() and learner.random_state is None:
            learner.set_params(random_state=int(self.random.randint(np.iinfo(np.int32).max)))
        # Learners that weigh errors against a penalty are told weights of mean 1.
        with taking(learner, X):
            learner.fit(X, self.y, sample_weight=weight * self.times.sum())
            self.wrong = np.asarray(learner.predict(X)) != self.y
        bad = math.fsum(weight[self.wrong])
        return learner, math.fsum(weight[~self.wrong]), bad  # rounded once: any order

    def watched(self) -> NDArray[np.float64]:
        """The weights of the rows that are watched."""
        weight: NDArray[np.float64] = self.share * self.times
        return weight[self.task.watched]

    def change(self, learner: Any, right: float, wrong: float, vote: tuple[float, float]) -> Any:
        """Change the weights; the learner stays as it is."""
        self.share[self.wrong] *= vote[1]
        self.share /= right + wrong * vote[1]
        return learner


def boost_any(task: Task, random_state: Any) -> Rounds:
    """Boost any classifier that takes sample weights."""
    rows = Anyones(task, random_state)
    return boost_rows(rows, len(task.classes), task.n_rounds, task.learning_rate, task.heard)


def rows_where(X: Any, rows: NDArray[Any] | None, learner: Any) -> Any:
    """Some rows of any X, by a mask or by number, in the form that X has; None: all."""
    if rows is None:
        return X
    if isinstance(X, Table):
        return X.take(rows)
    with taking(learner, X):
        return _safe_indexing(X, np.flatnonzero(rows) if rows.dtype == bool else rows)
