"""Rows that lie in parts, as a fit asks of them: the same answers that one table would give."""

from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import identifies
from bosco.data.recipe import recipe_of
from bosco.data.schema import Schema
from bosco.errors import ParameterError
from bosco.estimators.parameters import check_parameters
from bosco.estimators.pruned import policy_of
from bosco.growth import MISSING, setting
from bosco.pruning import CostComplexity, Pessimistic, ReducedError
from bosco.scale.asking import Told, tell_edges, tell_outcome
from bosco.scale.border import together
from bosco.scale.grower import Grower
from bosco.scale.source import Engine, Source
from bosco.tree.census import Census, Counted
from bosco.tree.tree import Tree


def fit_parts(estimator: Any, engine: Engine) -> Any:
    """Fit an estimator of one tree to the rows of an engine's parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        Unfitted, or to be fitted again.
    engine : Engine
        Whose parts have rows.

    Returns
    -------
    estimator
        The same, fitted.
    """
    given, policy = check_parameters(estimator), policy_over_parts(estimator)
    rows = Parts(estimator, engine)
    return estimator._learn_from(rows, estimator._growth(given, rows), policy)


def policy_over_parts(estimator: Any) -> Any:
    """The policy of pruning of an estimator, unless it needs the rows."""
    policy = policy_of(estimator)
    if _goes_back(policy):
        raise ParameterError(
            f"{policy!r} goes back to the rows, which are elsewhere. Hint: pruning='none', "
            f"ccp_alpha, or a policy that looks at the tree alone; a model can be pruned later."
        )
    return policy


def _goes_back(policy: Any) -> bool:
    """Whether pruning needs the rows that a tree was grown on."""
    if isinstance(policy, ReducedError):
        return policy.share is not None
    if isinstance(policy, CostComplexity):
        return policy.alpha is None
    return isinstance(policy, Pessimistic) and policy.raising


class Parts:
    """Rows in parts: `bosco.estimators.ground.Ground` says what can be asked of them."""

    training = None

    def __init__(self, estimator: Any, engine: Engine):
        told = Told(engine)
        told.without_empty("weighty")
        class_weight = getattr(estimator, "class_weight", None)
        self._read(estimator, told, *tell_outcome(told, estimator._task, class_weight))

    def _read(self, estimator: Any, told: Told, classes: Any, factor: Any) -> None:
        """Find and tell all that follows from the outcome."""
        self.told, self.classes = told, classes
        all_ = together(told.ask("glance"), told.engine.names)
        self.schema = Schema.infer(all_, estimator.categorical_features, estimator.domains)
        self.policy = MISSING[setting(estimator.algorithm, "missing", estimator.missing)]
        copies = estimator.weights == "copies"
        self.recipe = recipe_of(
            told, self.classes, factor, fractional=self.policy.shared, copies=copies
        )
        told.tell("columns", self.schema, self.policy.refused, type(estimator).__name__)
        told.tell("target", self.recipe)
        said = told.ask("sums")
        self.samples = sum(part[0] for part in said)
        self.weight = sum(part[1] for part in said) / self.recipe.scaling.scale
        self.lacking: NDArray[np.bool_] = np.any([part[2] for part in said], axis=0)
        self.by_class: NDArray[np.int64] = np.sum([part[3] for part in said], axis=0)
        self.n_rows = told.n_kept
        self.weighted = self.recipe.scaling.weighted

    @property
    def missing(self) -> list[str]:
        """The columns in which a value is missing."""
        return [name for name, lacks in zip(self.schema.names, self.lacking, strict=True) if lacks]

    @cached_property
    def source(self) -> Source:
        """The tables of the rows, by codes that all parts share."""
        layout = tell_edges(self.told, self.schema)
        n_classes = 0 if self.classes is None else len(self.classes)
        return Source(self.told.engine, self.told.steps, layout, max(1, n_classes))

    def identifiers(self) -> list[str]:
        """Name the nominal columns in which (nearly) every row has a level of its own."""
        found = []
        for j, column in enumerate(self.schema.columns):
            if column.kind != "nominal" or len(column.levels or ()) < max(10, self.n_rows // 2):
                continue
            if identifies(sum(self.told.ask("levels", j))):
                found.append(column.name)
        return found

    def fingerprint(self) -> Fingerprint:
        """What a model remembers of the rows."""
        parts: list[Fingerprint] = self.told.ask("fingerprint")
        return reduce(Fingerprint.joined, parts)

    def grow(self, settings: dict[str, Any]) -> Any:
        """The native tree."""
        unit = 2**_core.share_bits if self.policy.shared and self.lacking.any() else 1
        self.source.tell("tree", unit)
        return Grower(self.source, self.recipe.like(), settings, unit).run()

    def census(self, tree: Tree, shared: bool) -> Census | None:
        """Rows of every node, where tallies do not say it."""
        if not self.weighted:
            return None
        said = self.source.ask("census", tree.native.state(), shared)
        return Counted.joined(said).census(tree, self.recipe.scaling, shared)
