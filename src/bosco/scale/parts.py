"""Rows that lie in parts, as a fit asks of them: the same answers that one table would give."""

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.deriving import derived
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import identifies
from bosco.data.recipe import LOSSES, Loss, recipe_of
from bosco.data.schema import Schema
from bosco.errors import ParameterError
from bosco.estimators.bagging import Plan
from bosco.estimators.pruned import policy_of
from bosco.growth import MISSING, setting
from bosco.pruning import CostComplexity, Pessimistic, ReducedError
from bosco.scale.asking import Told, sample_of, tell_edges, tell_outcome
from bosco.scale.border import together
from bosco.scale.edges import FEW, edges_of, may_be_few
from bosco.scale.finish import Kinds
from bosco.scale.forests import grow_forest
from bosco.scale.grower import Grower
from bosco.scale.levels import Tell
from bosco.scale.source import Engine, Source
from bosco.scale.stepping import grown
from bosco.tree.census import Census, Counted
from bosco.tree.tree import Tree


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
    outputs = None  # one, whatever y has elsewhere

    tell: Tell | None = None

    def __init__(self, estimator: Any, engine: Engine, spare: int = 0, tell: Tell | None = None):
        self.tell = tell
        told = Told(engine)
        kinds = (estimator.categorical_features, estimator.domains)
        told.introduce(estimator._task == "classification", kinds)
        class_weight = getattr(estimator, "class_weight", None)
        if isinstance(class_weight, str) and class_weight == "balanced_subsample":
            class_weight = None  # each sample is balanced by itself
        self._read(estimator, told, *tell_outcome(told, estimator._task, class_weight), spare)

    def _read(self, estimator: Any, told: Told, classes: Any, factor: Any, spare: int = 0) -> None:
        """Find and tell all that follows from the outcome."""
        self.told, self.classes = told, classes
        self._find_columns(estimator)
        copies = estimator.weights == "copies"
        loss: Loss = LOSSES.get(str(getattr(estimator, "criterion", None)), "squared")
        if loss == "absolute":
            raise ParameterError(
                f"criterion={estimator.criterion!r} makes leaves say medians, which parts of the "
                f"rows cannot add up. Hint: criterion='squared_error', or rows in memory."
            )
        self.recipe = recipe_of(
            told,
            self.classes,
            factor,
            fractional=self.policy.shared,
            spare=spare,
            copies=copies,
            loss=loss,
        )
        self._tell_columns(estimator)
        told.tell("target", self.recipe)
        (said,) = self._hear(("sums",))
        self.samples = sum(part[0] for part in said)
        self.weight = sum(part[1] for part in said) / self.recipe.scaling.scale
        self.lacking: NDArray[np.bool_] = np.any([part[2] for part in said], axis=0)
        self.by_class: NDArray[np.int64] = np.sum([part[3] for part in said], axis=0)
        self.n_rows = told.n_kept
        self.weighted = self.recipe.scaling.weighted

    def _find_columns(self, estimator: Any) -> None:
        """Find what the columns of all parts are."""
        kinds = (estimator.categorical_features, estimator.domains)
        all_ = together(self.told.before("glance", "glance", *kinds), self.told.engine.names)
        self.schema = derived(Schema.infer(all_, *kinds), estimator.derive)
        self.policy = MISSING[setting(estimator.algorithm, "missing", estimator.missing)]

    def _tell_columns(self, estimator: Any) -> None:
        """Tell what the columns are."""
        owner = type(estimator).__name__
        self.told.tell("columns", self.schema, self.policy.refused, owner)

    def _hear(self, *asked: tuple[Any, ...]) -> list[Sequence[Any]]:
        """Ask parts for something, and in the same round for what edges and warnings need."""
        sample = sample_of(self.told, self.schema)
        few, names = may_be_few(sample), self._like_names()
        levels = [("levels", j) for j in names]
        said = self.told.ask_all([*asked, ("distinct", few, FEW), *levels])
        distinct, in_levels = said[len(asked)], said[len(asked) + 1 :]
        self._edges = edges_of(sample, dict(zip(few, zip(*distinct, strict=True), strict=True)))
        self._levels = {j: sum(of) for j, of in zip(names, in_levels, strict=True)}
        return said[: len(asked)]

    def _like_names(self) -> list[int]:
        """Nominal columns of so many levels that these may name the rows."""
        many = max(10, self.told.n_kept // 2)
        return [
            j
            for j, column in enumerate(self.schema.columns)
            if column.kind == "nominal" and len(column.levels or ()) >= many
        ]

    @property
    def missing(self) -> list[str]:
        """The columns in which a value is missing."""
        return [name for name, lacks in zip(self.schema.names, self.lacking, strict=True) if lacks]

    @cached_property
    def source(self) -> Source:
        """The tables of the rows, by codes that all parts share."""
        layout = tell_edges(self.told, self.schema, self._edges)
        n_classes = 0 if self.classes is None else len(self.classes)
        return Source(self.told.engine, self.told.steps, layout, max(1, n_classes), self.tell)

    def identifiers(self) -> list[str]:
        """Name the nominal columns in which (nearly) every row has a level of its own."""
        return [self.schema.columns[j].name for j, n in self._levels.items() if identifies(n)]

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
