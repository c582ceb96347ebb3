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
from bosco.data.schema import Schema
from bosco.errors import DataError, ParameterError
from bosco.estimators.base import warn_of_identifiers
from bosco.estimators.boost import hearing
from bosco.estimators.jury import Validation, hold_back
from bosco.estimators.parameters import check_parameters
from bosco.estimators.rounds import Dresser, boost_rows, weakest, why_foreign
from bosco.estimators.start import Beginning
from bosco.growth import MISSING, setting
from bosco.scale.asking import Told, tell_outcome
from bosco.scale.boosted import packed
from bosco.scale.border import together
from bosco.scale.part import merged
from bosco.scale.parts import Parts
from bosco.scale.source import Engine
from bosco.tree.census import Census


def boost_parts(estimator: Any, engine: Engine) -> Any:
    """Boost trees over the rows of an engine's parts.

    Parameters
    ----------
    estimator : AdaBoostClassifier
        Unfitted, or to be fitted again.
    engine : Engine
        Whose parts have rows.

    Returns
    -------
    estimator
        The same, fitted.
    """
    check_parameters(estimator)
    learner = weakest() if estimator.estimator is None else estimator.estimator
    if why := why_foreign(learner):
        raise ParameterError(
            "Over rows that lie in parts only those learners are boosted that tables of counts "
            "are enough for: bosco.DecisionTreeClassifier, unpruned and without weights of "
            f"classes, whose rows each end in one leaf. Here {why}."
        )
    rows = BoostedParts(estimator, learner, engine)
    warn_of_identifiers(rows.identifiers())
    remembered = rows.fingerprint() if estimator.fingerprint else None
    heard = None
    if estimator.early_stopping:
        weight = sum(rows.told.ask("jury_weight"))
        heard = Validation(lambda *_: rows.right, weight, estimator.n_iter_no_change)
    n_rounds, rate = estimator.n_estimators, float(estimator.learning_rate)
    with progress(n_rounds, "rounds", bool(estimator.verbose)) as tell:
        made = boost_rows(rows, len(rows.classes), n_rounds, rate, hearing(heard, tell))
    return estimator._keep(made, rows, rows.schema, heard, remembered)


class BoostedParts(Parts):
    """Rows in parts whose weights rounds change: a `bosco.estimators.rounds.Weighted`."""

    def __init__(self, estimator: Any, learner: Any, engine: Engine):
        self.told = told = Told(engine)
        given = check_parameters(learner)
        watch = Watch(estimator.watch, told)
        self.classes, _ = tell_outcome(told, "classification", None)
        if estimator.early_stopping:
            self._hold_back(estimator)
        all_ = together(told.ask("glance"), engine.names)
        self.schema = Schema.infer(all_, learner.categorical_features, learner.domains)
        self.policy = MISSING[setting(learner.algorithm, "missing", learner.missing)]
        told.tell("columns", self.schema, self.policy.refused, type(learner).__name__)
        beginning = Beginning.of(told, len(self.classes))
        self.n_rows = told.n_kept
        self.samples = int(beginning.total) if beginning.whole else self.n_rows
        self.weight = float(self.samples)
        self.lacking = np.any(told.ask("lacking"), axis=0)
        growth = learner._growth(given, self)
        self.dresser = Dresser.of(learner, growth, self.classes, self)
        count: Any = "one" if self.dresser.counts_samples else "weight"
        self.recipe = Recipe(self.classes, Scaling(0, None, 2.0**_core.boost_bits, count))
        told.tell("weigh", beginning, self.recipe, self.policy.refused)
        self.by_class = np.sum(told.ask("classes_of_all"), axis=0)
        self.counts_rows = self.dresser.counts_rows(estimator.n_estimators)
        self.watch = watch
        self.watch.check(self.watched(), estimator.early_stopping)
        self.round = self.begun = 0
        self.right: Any = None  # what the jury has right after the last round

    def _hold_back(self, estimator: Any) -> None:
        """Tell parts which of their rows judge."""
        told = self.told
        all_ = together(told.ask("glance"), told.engine.names)
        said = told.ask("contents", all_, told.plain)
        keys, codes = (np.concatenate(some) for some in zip(*said, strict=True))
        order = np.argsort(keys, kind="stable")
        share, random = estimator.validation_fraction, estimator.random_state
        _, judge = hold_back(order, codes, share, random)
        marks = np.zeros(len(keys), bool)
        marks[judge] = True
        ends = np.cumsum([len(part) for part, _ in said])[:-1]
        told.tell("hold_back", [np.packbits(part) for part in np.split(marks, ends)])

    # What rounds ask ---------------------------------------------------------------------------

    def fit(self, round_: int) -> tuple[Any, int, int]:
        """Grow the tree of a round; what the rows weigh that it has right, and the others."""
        self.round, self.begun = round_, len(self.source.steps)
        native = self.grow(replace(self.dresser.growth, tree=round_).to_dict())
        return native, *_core.weighed(native)

    def watched(self) -> NDArray[np.float64]:
        """The weights of the rows that are watched."""
        if not len(self.watch):
            return np.zeros(0)
        return self.watch.chosen(self.source.ask("weights", self.watch.rows))

    def change(self, learner: Any, right: float, wrong: float, vote: tuple[float, float]) -> Any:
        """Tell parts the tree, and how weights change; returns the fitted learner."""
        native, (log_odds, times) = learner, vote
        self.source.pass_over(self.begun)
        self.source.tell("boosted", packed(native), right, wrong, times, log_odds)
        said = merged("marked", self.source.ask("marked", self.counts_rows))
        ((samples, rows, self.right),) = said
        tree = _core.tree_from_state(native.state() | {"count": samples})
        return self.dresser.dress(tree, self.round, Census(rows) if self.counts_rows else None)

    def fingerprint(self) -> Fingerprint:
        """What a model remembers of the rows, those held back too."""
        parts: list[Fingerprint] = self.told.ask("fingerprint_of_all")
        return reduce(Fingerprint.joined, parts)


class Watch:
    """Rows whose weights are noted, numbered from part to part in their order.

    Parts do not know which they are: each is asked for all of the numbers, and one is listened to.
    """

    def __init__(self, watch: Any, told: Told):
        wanted = np.asarray([] if watch is None else watch, np.int64)
        n_given = told.ask("n_given") if len(wanted) else []
        asked = told.without_empty("weighty")
        ends = np.cumsum(n_given)
        if wanted.ndim != 1 or (len(wanted) and not 0 <= wanted.min() <= wanted.max() < ends[-1]):
            raise DataError(f"watch must hold numbers of rows from 0 to {ends[-1] - 1}.")
        part = np.searchsorted(ends, wanted, side="right")
        own = wanted - (ends - n_given)[part] if len(wanted) else wanted
        self.rows, self._place = np.unique(own, return_inverse=True)
        self._part = [asked.index(k) if k in asked else None for k in part.tolist()]

    def __len__(self) -> int:
        return len(self._part)

    def chosen(self, said: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The weights, from what all parts say."""
        found = zip(self._part, self._place.tolist(), strict=True)
        return np.array([np.nan if part is None else said[part][at] for part, at in found])

    @staticmethod
    def check(weights: NDArray[np.float64], early_stopping: bool) -> None:
        """Refuse rows that are not learned from."""
        if np.isnan(weights).any():
            held = ", or one that early_stopping holds back" if early_stopping else ""
            raise DataError(f"watch names a row of weight 0, which takes no part{held}.")
