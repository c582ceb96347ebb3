"""AdaBoost over rows in parts, of trees that the core's rounds do not know: each round a whole fit.

Pruned trees, those with weights of classes, those whose rows go down several branches.
"""

import pickle
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from bosco import _core
from bosco.data.recipe import class_factors
from bosco.estimators.parameters import check_parameters
from bosco.estimators.start import Beginning
from bosco.models.model import Model
from bosco.scale.asking import Told
from bosco.scale.beginning import begin
from bosco.scale.boosted import bare
from bosco.scale.parts import Parts, policy_over_parts
from bosco.tree.tree import Tree


class RefittedParts:
    """Rows in parts to which learners are fitted: a `bosco.estimators.rounds.Weighted`."""

    def __init__(self, estimator: Any, learner: Any, told: Told):
        self.given, self.policy = check_parameters(learner), policy_over_parts(learner)
        self.told, self.learner = told, learner
        self.random = check_random_state(estimator.random_state)
        self.classes, self.watch = begin(estimator, learner, told)
        self.by_class = np.sum(told.ask("classes_of_all", len(self.classes)), axis=0)
        beginning = Beginning.of(told, len(self.classes))
        self.samples = beginning.samples(told.n_kept)
        told.tell("shares", beginning, self.classes)
        self.watch.check(self.watched(), estimator.early_stopping)
        self.judged = estimator.early_stopping
        self.right: Any = None  # what the jury has right after the last round

    def fingerprint(self) -> None:
        """Every learner remembers the rows by itself."""

    def fit(self, round_: int) -> tuple[Any, float, float]:  # noqa: ARG002
        """Fit a learner to the weights; what the rows weigh that it has right, and the others."""
        learner = clone(self.learner)
        if learner.random_state is None:
            learner.set_params(random_state=int(self.random.randint(np.iinfo(np.int32).max)))
        rows = Round(learner, self.told, self.classes, self.samples)
        learner._learn_from(rows, learner._growth(self.given, rows), self.policy)
        passed = len(rows.told.steps) - len(self.told.steps)  # nothing depends on them any more
        self.told.steps += [("passed",)] * passed
        self.told.tell("learned", _packed(learner.model_))
        right, wrong = zip(*self.told.ask("right_and_wrong"), strict=True)
        return learner, float(sum(right)), float(sum(wrong))  # rounded once

    def watched(self) -> NDArray[np.float64]:
        """The weights of the rows that are watched."""
        return self.watch.weights(self.told.ask)

    def change(self, learner: Any, right: float, wrong: float, vote: tuple[float, float]) -> Any:
        """Tell parts how weights change; the learner stays as it is."""
        log_odds, times = vote
        self.told.tell("reweigh", times, right + wrong * times, log_odds)
        if self.judged:
            self.right = sum(self.told.ask("jury_right"))
        return learner


class Round(Parts):
    """Rows in parts as one round weighs them."""

    def __init__(self, learner: Any, before: Told, classes: NDArray[Any], samples: int):
        told = before.again(("again", samples))
        factor = class_factors(learner.class_weight, classes, told)
        if factor is not None and not factor.all():
            told = told.again(("drop", np.flatnonzero(factor == 0).tolist()))
        self._read(learner, told, classes, factor)


def _packed(model: Any) -> bytes:
    """A model on its way to the parts: all that predicting takes."""
    tree = Tree(_core.tree_from_state(bare(model.tree.native)), len(model.schema.columns))
    plain = Model(tree, model.schema, model.classes, model.growth, {})
    return zlib.compress(pickle.dumps(plain))
