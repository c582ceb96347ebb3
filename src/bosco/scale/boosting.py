"""AdaBoost over rows that lie in parts: each round a tree from tables, then weights change there.

The rounds are those of `bosco.estimators.rounds`, the trees those of `grower`; the weights of rows
never travel, except those that are watched.
"""

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.progress import progress
from bosco.data.fingerprint import Fingerprint
from bosco.data.recipe import Recipe, Scaling
from bosco.errors import ParameterError
from bosco.estimators.about import warn_of_identifiers
from bosco.estimators.boost import hearing
from bosco.estimators.jury import Validation
from bosco.estimators.parameters import check_parameters
from bosco.estimators.rounds import Dresser, boost_rows, weak_learner, why_foreign
from bosco.estimators.start import Beginning
from bosco.estimators.tree import DecisionTreeClassifier
from bosco.scale.adding import merged
from bosco.scale.asking import Told
from bosco.scale.beginning import begin
from bosco.scale.boosted import packed
from bosco.scale.parts import Parts
from bosco.scale.refitting import RefittedParts
from bosco.scale.source import Engine
from bosco.tree.census import Census


def boost(estimator: Any, engine: Engine) -> Any:
    """Boost trees over the rows of an engine's parts; returns the estimator, fitted."""
    learner = weak_learner(estimator.estimator, estimator.derive)
    if type(learner) is not DecisionTreeClassifier:
        raise ParameterError(
            "Over rows that lie in parts trees of bosco are boosted, for which tables of counts "
            "are enough: the estimator must be a bosco.DecisionTreeClassifier. Got "
            f"{type(learner).__module__}.{type(learner).__name__}."
        )
    kind = RefittedParts if why_foreign(learner) else BoostedParts
    rows: Any = kind(estimator, learner, Told(engine))
    remembered = rows.fingerprint() if estimator.fingerprint else None
    heard = None
    if estimator.early_stopping:
        weight = sum(rows.told.ask("jury_weight"))
        heard = Validation(lambda *_: rows.right, weight, estimator.n_iter_no_change)
    n_rounds, rate = estimator.n_estimators, float(estimator.learning_rate)
    with progress(n_rounds, "rounds", bool(estimator.verbose)) as tell:
        made = boost_rows(rows, len(rows.classes), n_rounds, rate, hearing(heard, tell))
    return estimator._keep(made, rows, made.learners[0].model_.schema, heard, remembered)


class BoostedParts(Parts):
    """Rows in parts whose weights rounds change: a `bosco.estimators.rounds.Weighted`."""

    def __init__(self, estimator: Any, learner: Any, told: Told):
        given = check_parameters(learner)
        self.told, (self.classes, watch) = told, begin(estimator, learner, told)
        self._find_columns(learner)
        self._tell_columns(learner)
        beginning = Beginning.of(told, len(self.classes))
        self.n_rows = told.n_kept
        self.samples = beginning.samples(self.n_rows)
        self.weight = float(self.samples)
        lacking, by_class = self._hear(("lacking",), ("classes_of_all", len(self.classes)))
        self.lacking = np.any(lacking, axis=0)
        self.by_class = np.sum(by_class, axis=0)
        self.dresser = Dresser.of(learner, learner._growth(given, self), self.classes, self)
        count: Any = "one" if self.dresser.counts_samples else "weight"
        self.recipe = Recipe(self.classes, Scaling(0, None, 2.0**_core.boost_bits, count))
        told.tell("weigh", beginning, self.recipe, self.policy.refused)
        self.counts_rows = self.dresser.counts_rows(estimator.n_estimators)
        warn_of_identifiers(self.identifiers())
        self.watch = watch
        self.watch.check(self.watched(), estimator.early_stopping)
        self.round = 0
        self.right: Any = None  # what the jury has right after the last round

    # What rounds ask ---------------------------------------------------------------------------

    def fit(self, round_: int) -> tuple[Any, int, int]:
        """Grow the tree of a round; what the rows weigh that it has right, and the others."""
        self.round = round_
        native = self.grow(replace(self.dresser.growth, tree=round_).for_core())
        return native, *_core.weighed(native)

    def watched(self) -> NDArray[np.float64]:
        """The weights of the rows that are watched."""
        return self.watch.weights(self.told.ask)

    def change(self, learner: Any, right: float, wrong: float, vote: tuple[float, float]) -> Any:
        """Tell parts the tree, and how weights change; returns the fitted learner."""
        native, (log_odds, times) = learner, vote
        self.told.tell("boosted", packed(native), right, wrong, times, log_odds)
        said = merged("marked", self.told.ask("marked", self.counts_rows))
        ((samples, rows, self.right),) = said
        tree = _core.tree_from_state(native.state() | {"count": samples})
        return self.dresser.dress(tree, self.round, Census(rows) if self.counts_rows else None)

    def fingerprint(self) -> Fingerprint:
        """What a model remembers of the rows, those held back too."""
        parts: list[Fingerprint] = self.told.ask("fingerprint_of_all")
        return reduce(Fingerprint.joined, parts)
