"""What can be asked of all trees up to a size: the best, the best with a question first, how many.

`errors + alpha * leaves` is what a tree costs; the core counts it in whole numbers, and here it is
in rows, or in their weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.frame import Frame
from bosco.growth import Growth
from bosco.settings.settings import UNLIMITED

FINEST = 1_000_000
"""A price of a leaf is a fraction with this denominator at most."""

End = Literal["proved", "work_limit", "time_limit", "interrupted"]


@dataclass(frozen=True, slots=True)
class Found:
    """The best tree that a search found, and what is known of all.

    `tree` is native; None where no tree was found. `wrong`, `objective` and `bound` are in rows, or
    in their weight; of no tree, `objective` is infinite, and `bound` too if there is none at all.
    """

    tree: Any
    wrong: float
    leaves: int
    objective: float
    bound: float
    end: End
    work: int

    def to_certificate(self) -> dict[str, Any]:
        """What a model's provenance keeps of it, but for the limits."""
        names = ("wrong", "objective", "bound", "leaves", "end", "work")
        return {name: getattr(self, name) for name in names}


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
    """

    def __init__(
        self,
        frame: Frame,
        target: Any,
        growth: Growth,
        n_threads: int = 1,
        among: NDArray[np.uint32] | None = None,
    ):
        self.among = among
        self.frame, self.target, self.growth, self.n_threads = frame, target, growth, n_threads
        self.scale = target.weights.scale
        # Prices such as 0.1 are exact: the search counts in parts of a unit.
        price = Fraction(repr(growth.alpha)) * Fraction(self.scale)
        self._price = price.limit_denominator(FINEST)
        self.parts = self.scale * self._price.denominator
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
            alpha=self._alpha,
            work_limit=None if work_limit is None else int(work_limit),
            time_limit=None if time_limit is None else float(time_limit),
            n_threads=self.n_threads,
            root=root,
            without=list(without),
            rows=rows,
            among=self.among,
        )
        none = tree is None
        bound = said["bound"] / self.parts
        return Found(
            tree=tree,
            wrong=said["wrong"] / self.scale,
            leaves=said["leaves"],
            objective=float("inf") if none else said["objective"] / self.parts,
            bound=float("inf") if none and end == "proved" else bound,
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
        trees, exact, _, interrupted = _core.count_trees(
            self.frame.native,
            self.target.native,
            self.growth.to_dict(),
            most=floor(most * Fraction(self.parts)),
            alpha=self._alpha,
            work_limit=None if work_limit is None else int(work_limit),
            n_threads=self.n_threads,
            root=root,
            without=list(without),
            among=self.among,
        )
        return Counted(trees, exact, interrupted)

    @property
    def _alpha(self) -> tuple[int, int]:
        return self._price.numerator, self._price.denominator


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
