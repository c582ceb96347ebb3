"""The rows of a fit, wherever they are: all that growing and keeping a tree asks of them."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.outputs import Outputs
from bosco.data.schema import Schema
from bosco.estimators.bagging import Plan
from bosco.pruning import Training
from bosco.tree.census import Census, take_census
from bosco.tree.tree import Tree


class Ground(Protocol):
    """Rows that a tree grows from: those that have a weight."""

    @property
    def schema(self) -> Schema:
        """What the columns are."""

    @property
    def classes(self) -> NDArray[Any] | None:
        """The classes of the target, sorted; None for numbers."""

    @property
    def outputs(self) -> Outputs | None:
        """The targets, if there are several."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def samples(self) -> int:
        """How many samples they are."""

    @property
    def weight(self) -> float:
        """What they weigh."""

    @property
    def weighted(self) -> bool:
        """Whether rows have weights that are no copies."""

    @property
    def missing(self) -> list[str]:
        """The columns in which a value is missing."""

    @property
    def by_class(self) -> NDArray[np.int64]:
        """Rows of each class; of a real target, all."""

    @property
    def training(self) -> Training | None:
        """The rows themselves, if they are here."""

    def identifiers(self) -> list[str]:
        """Name the nominal columns in which (nearly) every row has a level of its own."""

    def fingerprint(self) -> Fingerprint:
        """What a model remembers of the rows."""

    def grow(self, settings: dict[str, Any]) -> Any:
        """The native tree."""

    def grow_forest(
        self, plan: Plan, tell: Callable[[int], None] | None
    ) -> tuple[Any, dict[str, Any] | None]:
        """The native forest, and figures of what it says out of the bag; `tell` hears of trees."""

    def census(self, tree: Tree, shared: bool) -> Census | None:
        """Rows of every node, where tallies do not say it."""


class InMemory:
    """Rows in memory: a frame and a target."""

    def __init__(self, frame: Frame, target: Any, n_threads: int = 1):
        self.frame, self.target, self.n_threads = frame, target, n_threads
        self.schema = frame.schema
        self.classes: NDArray[Any] | None = target.classes
        self.outputs: Outputs | None = getattr(target, "outputs", None)
        self.n_rows = frame.n_rows
        self.samples: int = target.samples
        self.weight: float = target.weight
        self.weighted = not target.weights.plain

    @cached_property
    def by_class(self) -> NDArray[np.int64]:
        """Rows of each class; counted when asked for, as that takes memory."""
        counted: NDArray[np.int64] = self.target.by_class
        return counted

    @property
    def missing(self) -> list[str]:
        """The columns in which a value is missing."""
        return self.frame.missing_columns()

    @property
    def training(self) -> Training:
        """The rows themselves."""
        return Training(self.frame, self.target, self.n_threads)

    def identifiers(self) -> list[str]:
        """Name the nominal columns in which (nearly) every row has a level of its own."""
        return self.frame.identifier_columns()

    def fingerprint(self) -> Fingerprint:
        """What a model remembers of the rows."""
        target = self.target
        truth = target.codes if target.n_classes else target.numbers
        return Fingerprint.of(self.frame, truth, self.n_threads)

    def grow(self, settings: dict[str, Any]) -> Any:
        """The native tree; codes are made, and given up again."""
        native = self.frame.native
        native.encode(self.n_threads)
        return _core.grow(
            native, self.target.native, settings, self.n_threads, consume=True, pack=True
        )

    def grow_forest(
        self, plan: Plan, tell: Callable[[int], None] | None
    ) -> tuple[Any, dict[str, Any] | None]:
        """The native forest, and what it says out of the bag."""
        before, draws = plan.before, plan.draws
        done = 0 if before is None else before.n_trees
        self.frame.native.encode(self.n_threads)
        bagged: Any = plan.bag
        missing = plan.bagged and bagged is None
        if (
            missing and before is not None and draws.sample is not None
        ):  # grown without, and drawn again
            bagged = _core.bag_again(
                before.native,
                self.frame.native,
                self.target.native,
                draws.growth.for_core(),
                draws.sample,
                replace=draws.replace,
                order=draws.order,
                mode=plan.mode,
            )
        forest, bag = _core.grow_forest(
            self.frame.native,
            self.target.native,
            draws.growth.for_core(),
            plan.n_trees - done,
            first=done,
            sample=draws.sample,
            replace=draws.replace,
            order=draws.order,
            bag=plan.bagged,
            n_threads=self.n_threads,
            onto=None if before is None else before.native,
            grown=None if tell is None else lambda n: (tell(n), True)[1],
            balanced=plan.balanced,
            ccp_alpha=plan.ccp_alpha,
            mode=plan.mode,
            bagged=bagged,
            keep=plan.keep,
        )
        figures: Any = bag
        return forest, figures and figures | {"without": int((figures["trees"] == 0).sum())}

    def census(self, tree: Tree, shared: bool) -> Census | None:
        """Rows of every node, where tallies do not say it."""
        return take_census(tree, self.frame, self.target, shared=shared, n_threads=self.n_threads)
