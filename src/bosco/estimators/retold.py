"""The making of many trees again, from their rows: rounds of boosting, trees of a forest."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit, read_table
from bosco.data.target import Labels
from bosco.data.weights import Weights
from bosco.errors import DataError, ParameterError
from bosco.estimators.foreign import taking
from bosco.estimators.rounds import Rounds
from bosco.estimators.start import Start
from bosco.models.forest import ForestModel
from bosco.models.model import Model
from bosco.models.scoreline import UNIT, points_of
from bosco.reasons.boosting import BoostingTrace, Formula, Round
from bosco.reasons.held import Held
from bosco.reasons.listed import Listed
from bosco.reasons.making import Making
from bosco.reasons.trace import Step, Trace
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree

if TYPE_CHECKING:
    from bosco.estimators.ensemble import ForestEstimator

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """Rounds of boosting, and the rows that they were learned from."""

    rounds: Rounds
    rows: Any
    codes: NDArray[np.uint32]
    classes: NDArray[Any]
    start: Start
    native: bool  # trees of bosco, boosted by the core


def retell(made: Boosted, rate: float, half: bool) -> BoostingTrace:
    """Tell every round, with the weights that it had."""
    weights = _Native(made) if made.native else _Anyones(made)
    formula = Formula(len(made.classes), rate, half)
    first, n_classes = weights.now(), len(made.classes)
    votes = np.zeros((len(first), n_classes), np.int64)
    places, bound, told = np.arange(len(first)), 1.0 if n_classes == 2 else np.nan, []
    for number, (learner, error, log_odds) in enumerate(
        zip(made.rounds.learners, made.rounds.error, made.rounds.log_odds, strict=True), 1
    ):
        before, said = weights.now(), weights.says(learner)
        wrong, perfect = said != made.codes, error == 0
        coefficient = float(log_odds / 2 if half else log_odds)
        steps = weights.steps(learner)
        if perfect:  # it decides alone
            coefficient, normaliser, points = np.inf, 0.0, int(UNIT)
            votes[:] = 0
        else:
            normaliser = _normaliser(float(error), coefficient, half)
            points = int(points_of([coefficient])[0])
            weights.change(learner, wrong)
        votes[places, said] += points
        bound *= normaliser if half else _normaliser(float(error), coefficient / 2, True)
        margins = _margins(votes, made.codes)
        together = float(first[heaviest(votes) != made.codes].sum() / first.sum())
        told.append(
            Round(
                number=number,
                weights=before,
                after=weights.now(),
                wrong=wrong,
                error=float(error),
                coefficient=coefficient,
                normaliser=normaliser,
                bound=float(bound),
                training_error=together,
                margins=margins,
                steps=steps,
                model=learner.model_ if made.native else None,
                formula=formula,
            )
        )
    return BoostingTrace(tuple(told), made.rounds.ended, weights.listed)


def _normaliser(error: float, coefficient: float, half: bool) -> float:
    """What changed weights sum to."""
    if not np.isfinite(coefficient):
        return 0.0
    right = np.exp(-coefficient) if half else 1.0
    return float((1 - error) * right + error * np.exp(coefficient))


def _margins(votes: NDArray[np.int64], codes: NDArray[np.uint32]) -> Floats:
    """Votes for a row's class less those for the next, as a share of all votes."""
    places = np.arange(len(votes))
    own = votes[places, codes]
    others = votes.copy()
    others[places, codes] = np.iinfo(np.int64).min
    whole = np.maximum(votes.sum(axis=1), 1)
    margins: Floats = (own - others.max(axis=1)) / whole
    return margins


class _Anyones:
    """Rows that any learner was boosted on."""

    listed: Listed | None = None

    def __init__(self, made: Boosted):
        self.made = made
        times = made.start.times
        self.weight = made.start.share * (1 if times is None else times)

    def now(self) -> Floats:
        return self.weight.copy()

    def says(self, learner: Any) -> NDArray[np.int64]:
        with taking(learner, self.made.rows, "predict"):
            said = learner.predict(self.made.rows)
        return np.asarray(np.searchsorted(self.made.classes, said), np.int64)

    def steps(self, learner: Any) -> tuple[Step, ...]:  # noqa: ARG002
        return ()

    def change(self, learner: Any, wrong: NDArray[np.bool_]) -> None:
        at = next(i for i, one in enumerate(self.made.rounds.learners) if one is learner)
        self.weight[wrong] *= np.exp(self.made.rounds.log_odds[at])
        self.weight /= self.weight.sum()


class _Native:
    """Rows that the core boosted: their weights are whole numbers, and so are these."""

    def __init__(self, made: Boosted):
        model = made.rounds.learners[0].model_
        self.made, self.frame = made, Frame.read(made.rows, model.schema)
        self.weighing = _core.Weighing(made.start.share, made.start.times)
        self.all = np.arange(len(made.codes), dtype=np.uint32)
        self.listed = Listed(self.frame, self._target(model))

    def now(self) -> Floats:
        return np.array(self.weighing.weights(self.all))

    def says(self, learner: Any) -> NDArray[np.int64]:
        model = learner.model_
        return np.asarray(model.node_class[model.apply_frame(self.frame)], np.int64)

    def _target(self, model: Any) -> Labels:
        """The classes with the weights of this round."""
        growth, times = model.growth, self.made.start.times
        fixed, count, n = np.array(self.weighing.fixed), None, len(self.made.codes)
        if growth.min_samples_leaf > 1 or growth.min_samples_split > 2:
            count = np.ones(n, np.int64) if times is None else times
        scale, classes = 2.0**_core.boost_bits, self.made.classes
        native = _core.Target.classes(self.made.codes, len(classes), fixed, count, scale)
        weights = Weights(fixed, count, scale, n)
        return Labels(native, None, n, weights, classes, self.made.codes)

    def steps(self, learner: Any) -> tuple[Step, ...]:
        model = learner.model_
        held = Held(self.frame, self._target(model), model.growth)
        return tuple(Making(model, held).steps())

    def change(self, learner: Any, wrong: NDArray[np.bool_]) -> None:  # noqa: ARG002
        native = learner.tree_.native
        at = next(i for i, one in enumerate(self.made.rounds.learners) if one is learner)
        right, bad = _core.weighed(native)
        self.weighing.mark(native, self.frame.native, self.made.codes)
        self.weighing.multiply(right, bad, float(np.exp(self.made.rounds.log_odds[at])))


def retell_tree(forest: "ForestEstimator", X: Any, y: Any, sample_weight: Any, tree: int) -> Trace:
    """The making of one tree of a forest, from the rows that it drew."""
    if not isinstance(forest.model_, ForestModel):
        raise ParameterError(
            "A trace tells how tests were chosen for one output. Hint: fit one forest for each."
        )
    if not 0 <= tree < forest.model_.n_trees:
        raise ParameterError(
            f"tree must be a number from 0 to {forest.model_.n_trees - 1}. Got {tree!r}."
        )
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    target = forest._encode(y, sample_weight, False, forest._spare())
    rows = target.rows_of(read_table(X))
    frame = forest.model_.read(rows, owner=type(forest).__name__, all_columns=True)
    draws, model = forest._draws, forest.model_.tree(tree)
    if frame.n_rows != draws.n_rows:
        raise DataError(
            f"A trace needs the training rows: {draws.n_rows} (with a weight), got {frame.n_rows}."
        )
    times = None if draws.sample is None else draws.times(tree)
    if forest._balances_samples():
        target = _balanced(target, times)
    note = ""
    if times is not None:
        drawn, n = int(times.sum()), len(times)
        note = tr(
            "tree {tree} drew {drawn} of {n} rows, {different} different ones; {out} are out of "
            "its bag",
            tree=tree,
            drawn=drawn,
            n=n,
            different=int(np.count_nonzero(times)),
            out=int(np.count_nonzero(times == 0)),
        )
    if model.growth.medians:
        told = _recorded_again(forest, model, frame, target, tree)
        return replace(told, note=f"{told.note} {note}".rstrip(), drawn=times)
    made = Making(model, Held(frame, target, model.growth, times))
    return Trace(tuple(made.steps()), model, made.listed, note, times)


def _recorded_again(
    forest: "ForestEstimator", model: Model, frame: Frame, target: Any, tree: int
) -> Trace:
    """The trace of a tree that is grown again as it was, and recorded.

    So it is with medians, whose nodes are not made again from tables.
    """
    draws = forest._draws
    frame.native.encode(1)
    (native,) = _core.grow_trees(
        frame.native,
        target.native,
        draws.growth.for_core() | {"record": True},
        1,
        first=tree,
        sample=draws.sample,
        replace=draws.replace,
        order=draws.order,
        ccp_alpha=float(forest.ccp_alpha),
    )
    if not np.array_equal(native.tally, model.tree.native.tally):
        raise DataError(
            "These are not the training rows: grown again from them, the tree is another. "
            "Hint: give X, y and sample_weight as they were given to fit."
        )
    return replace(model, tree=Tree(native, len(model.schema.columns))).trace()


def _balanced(target: Labels, times: NDArray[np.int64] | None) -> Labels:
    """The classes with weights by which they weigh the same in a sample."""
    w, n = target.weights, len(target.codes)
    own = np.ones(n, np.int64) if w.weight is None else w.weight
    drawn = own if times is None else own * times
    in_class = np.zeros(target.n_classes, np.int64)
    np.add.at(in_class, target.codes, drawn)
    weight = own * _core.balance_factors(in_class)[target.codes]
    count = np.ones(n, np.int64) if w.count is None else w.count
    scale = float(np.ldexp(w.scale, _core.balance_bits))
    native = _core.Target.classes(target.codes, target.n_classes, weight, count, scale)
    weights = Weights(weight, count, scale, n, by_class=True)
    return replace(target, native=native, weights=weights)
