"""Rows that lie in parts, as a fit asks of them: the same answers that one table would give."""

from collections.abc import Callable
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
from bosco.estimators.bagging import Plan
from bosco.estimators.ensemble import ForestEstimator
from bosco.estimators.parameters import check_parameters
from bosco.estimators.pruned import policy_of
from bosco.growth import MISSING, setting
from bosco.pruning import CostComplexity, Pessimistic, ReducedError
from bosco.scale.asking import Told, tell_edges, tell_outcome
from bosco.scale.border import together
from bosco.scale.finish import Kinds
from bosco.scale.forests import grow_forest, refuse_rows_here
from bosco.scale.grower import Grower
from bosco.scale.levels import Tell, levels
from bosco.scale.source import Engine, Source
from bosco.scale.stepping import grown
from bosco.tree.census import Census, Counted
from bosco.tree.tree import Tree


def fit_parts(estimator: Any, engine: Engine) -> Any:
    """Fit an estimator of one tree or of many to the rows of an engine's parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier, RandomForestClassifier, ...
        Unfitted, or to be fitted again.
    engine : Engine
        Whose parts have rows.

    Returns
    -------
    estimator
        The same, fitted.
    """
    given = check_parameters(estimator)
    if isinstance(estimator, ForestEstimator):
        refuse_rows_here(estimator)
        rows = Parts(estimator, engine, estimator._spare())
        return estimator._learn_from(rows, estimator._growth(given, rows))
    policy = policy_over_parts(estimator)
    with levels(getattr(estimator, "verbose", 0)) as tell:
        rows = Parts(estimator, engine, tell=tell)
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

    tell: Tell | None = None

    def __init__(self, estimator: Any, engine: Engine, spare: int = 0, tell: Tell | None = None):
        self.tell = tell
        told = Told(engine)
        told.without_empty("weighty")
        class_weight = getattr(estimator, "class_weight", None)
        if isinstance(class_weight, str) and class_weight == "balanced_subsample":
            class_weight = None  # each sample is balanced by itself
        self._read(estimator, told, *tell_outcome(told, estimator._task, class_weight), spare)

    def _read(self, estimator: Any, told: Told, classes: Any, factor: Any, spare: int = 0) -> None:
        """Find and tell all that follows from the outcome."""
        self.told, self.classes = told, classes
        kinds = (estimator.categorical_features, estimator.domains)
        all_ = together(told.ask("glance", *kinds), told.engine.names)
        self.schema = Schema.infer(all_, *kinds)
        self.policy = MISSING[setting(estimator.algorithm, "missing", estimator.missing)]
        copies = estimator.weights == "copies"
        self.recipe = recipe_of(
            told,
            self.classes,
            factor,
            fractional=self.policy.shared,
            spare=spare,
            copies=copies,
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
        return Source(self.told.engine, self.told.steps, layout, max(1, n_classes), self.tell)

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
        finish = self.recipe, self.kinds
        grower = Grower(self.source, self.recipe.like(), settings, unit, finish)
        (tree,) = grown(self.source, [grower])
        return tree

    @property
    def kinds(self) -> Kinds:
        """Of every column: None for numbers, else its levels, and whether they are ordered."""
        return [
            None if column.levels is None else (len(column.levels), column.kind == "ordinal")
            for column in self.schema.columns
        ]

    def grow_forest(
        self, plan: Plan, tell: Callable[[int], None] | None
    ) -> tuple[Any, dict[str, Any] | None]:
        """The native forest, and figures of what it says out of the bag."""
        return grow_forest(self, plan, tell)

    def census(self, tree: Tree, shared: bool) -> Census | None:
        """Rows of every node, where tallies do not say it."""
        if not self.weighted:
            return None
        said = self.told.ask("census", tree.native.state(), shared)
        return Counted.joined(said).census(tree, self.recipe.scaling, shared)
