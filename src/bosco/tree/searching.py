"""What can be asked of all trees up to a size: the best, the best with a question first, how many.

`errors + alpha * leaves` is what a tree costs; the core counts it in whole numbers, and here it is
in rows, or in their weight. Where mistakes have costs, they stand in the place of errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, inf
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.frame import Frame
from bosco.errors import ParameterError
from bosco.growth import Growth
from bosco.settings.settings import UNLIMITED
from bosco.tree.costs import Costs
from bosco.tree.decision import Decision
from bosco.tree.missed import Missed
from bosco.tree.units import units_of

PASSES = 1000
"""How often a search goes over a table, about: what decides how many threads are worth starting."""

DEEPEST = 20
"""Levels of tests that are searched at most."""

End = Literal["proved", "work_limit", "time_limit", "interrupted"]


@dataclass(frozen=True, slots=True)
class Found:
    """The best tree that a search found, and what is known of all.

    `tree` is native; None where no tree was found. `wrong` is in rows, or in their weight; so are
    `objective` and `bound`, unless mistakes have costs, in which they are then, as `cost` is. These
    two are exact; of no tree, `objective` is infinite, and `bound` too if there is none at all.
    """

    tree: Any
    wrong: float
    cost: float | None
    leaves: int
    objective: Fraction | float
    bound: Fraction | float
    end: End
    work: int

    def to_certificate(self) -> dict[str, Any]:
        """What a model's provenance keeps of it, but for the limits."""
        said = {name: getattr(self, name) for name in ("wrong", "leaves", "end", "work")}
        said |= {"objective": float(self.objective), "bound": float(self.bound)}
        return said if self.cost is None else said | {"cost": self.cost}


@dataclass(frozen=True, slots=True)
class Counted:
    """How many trees there are; at least so many, where the count is not exact."""

    trees: int
    exact: bool
    interrupted: bool = False


class Search:
    """Rows and a family of trees, to be searched in more ways than one.

    Parameters
    ----------
    frame, target
        The rows, and their classes as the core takes them.
    growth : Growth
        The family: depth, leaves, tests, the price of a leaf.
    n_threads : int
        Threads; what is found does not depend on them.
    among : ndarray or None
        Which rows of the frame are meant, ascending; None: all.
    costs : tuple of tuple of float, or None
        What mistakes cost, by the true class and the answer.
    """

    def __init__(
        self,
        frame: Frame,
        target: Any,
        growth: Growth,
        n_threads: int = 1,
        among: NDArray[np.uint32] | None = None,
        costs: Costs | None = None,
    ):
        self.among = among
        self.frame, self.target, self.growth, self.n_threads = frame, target, growth, n_threads
        self.decision = Decision(costs)
        leaves = _most_leaves(growth, frame)
        depth = leaves - 1 if growth.max_depth < 0 else min(growth.max_depth, leaves - 1)
        if depth > DEEPEST:
            raise ParameterError(
                f"A search goes at most {DEEPEST} levels deep, and here trees of {depth} are "
                f"allowed. Hint: max_depth={DEEPEST}, or fewer leaves."
            )
        self.units = units_of(target.weights, growth.alpha, costs, 2 * leaves)  # as counts need
        frame.native.encode(n_threads)

    def best(
        self,
        root: int | None = None,
        without: Sequence[int] = (),
        rows: NDArray[np.uint32] | None = None,
        work_limit: int | None = None,
        time_limit: float | None = None,
    ) -> Found:
        """The best tree: of all, of those that ask a column first, of those that never ask some."""
        tree, said, end = _core.search(
            self.frame.native,
            self.target.native,
            self.growth.to_dict(),
            **self.units.core,
            work_limit=None if work_limit is None else int(work_limit),
            time_limit=None if time_limit is None else float(time_limit),
            n_threads=self.n_threads,
            root=root,
            without=list(without),
            rows=rows,
            among=self.among,
        )
        missed = Missed(0.0) if tree is None else Missed.of(tree, self.decision)
        parts = self.units.parts
        objective: Fraction | float = inf
        if tree is not None:
            objective = said["objective"] / parts + self.units.beyond * said["leaves"]
            if self.units.shift:  # weights were rounded
                objective = Fraction(missed.counts) + self._alpha * said["leaves"]
        return Found(
            tree=tree,
            wrong=missed.wrong,
            cost=missed.cost,
            leaves=said["leaves"],
            objective=objective,
            bound=objective if end == "proved" else min(said["bound"] / parts, objective),
            end=cast(End, end),
            work=said["work"],
        )

    def count(
        self,
        most: Fraction,
        root: int | None = None,
        without: Sequence[int] = (),
        work_limit: int | None = None,
    ) -> Counted:
        """How many trees cost at most `most`."""
        if self.units.beyond:  # a leaf is too dear for trees of two to be near the best
            return Counted(int(root is None and self.leaf() <= most), True)
        trees, exact, _, interrupted = _core.count_trees(
            self.frame.native,
            self.target.native,
            self.growth.to_dict(),
            most=floor((most + self._slack) * self.units.parts),
            **self.units.core,
            work_limit=None if work_limit is None else int(work_limit),
            n_threads=self.n_threads,
            root=root,
            without=list(without),
            among=self.among,
        )
        return Counted(trees, exact, interrupted)

    def leaf(self) -> Fraction:
        """What a single leaf costs that has all rows of the target."""
        target, units = self.target, self.units
        by_class = np.zeros(target.n_classes, np.int64)
        weight = target.weights.weight
        np.add.at(by_class, target.codes, 1 if weight is None else weight)
        n = target.n_classes
        prices = units.costs or [int(t != k) for t in range(n) for k in range(n)]
        least: int = min(
            sum(int(by_class[t]) * prices[t * n + k] for t in range(n)) for k in range(n)
        )
        return least / (units.each * (1 << units.shift)) + self._alpha

    @property
    def _alpha(self) -> Fraction:
        return Fraction(repr(float(self.growth.alpha)))

    @property
    def _slack(self) -> Fraction:
        """What rounding of weights may add to a cost."""
        units = self.units
        rounded = self.frame.n_rows * max(units.costs, default=1) if units.shift else 0
        return Fraction(rounded) / units.each


def _most_leaves(growth: Growth, frame: Frame) -> int:
    """How many leaves a tree of these settings has at most."""
    most = frame.n_rows
    if growth.max_depth >= 0:
        most = min(most, 1 << min(growth.max_depth, 40))
    if growth.max_leaf_nodes >= 0:
        most = min(most, growth.max_leaf_nodes)
    return max(most, 1)


def family(growth: Growth, depth: int, leaves: int) -> Growth:
    """The settings of the trees that a tree can be compared with: those of its own search, if any.

    Of a tree that was grown node by node: all with tests of two branches up to its depth and
    leaves.
    """
    if growth.search == "optimal":
        return growth
    return replace(
        growth,
        criterion="error",
        score="gain",
        numeric_test="threshold",
        nominal_test="one_vs_rest" if growth.nominal_test == "one_vs_rest" else "subset",
        missing="learn",
        order="best",
        splitter="best",
        max_branches=2,
        max_depth=depth,
        max_leaf_nodes=leaves,
        min_samples_leaf=max(1, growth.min_samples_leaf),
        min_samples_split=2,
        min_weight_leaf=0.0,
        min_impurity_decrease=0.0,
        min_gain=0.0,
        zero_gain=True,
        reuse=True,
        penalty=False,
        subset_penalty=False,
        max_features=UNLIMITED,
        monotonic=(),
        record=False,
        record_leaves=False,
        search="optimal",
        alpha=0.0,
        psi=None,
    )
