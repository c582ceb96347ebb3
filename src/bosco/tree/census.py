"""The training rows of every node, counted as rows, apart from the weight that the learner counted.

Weights make a learner look more at some rows than at others; they do not make more rows. What is
said of rows (how many, of which class, how sure one can be) comes from here; what is said of their
weight, from the tallies of the tree.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.frame import Frame
from bosco.tree.tree import Tree

if TYPE_CHECKING:
    from bosco.models.model import Model

__all__ = [
    "Census",
    "Evidence",
    "boosted_census",
    "census_of",
    "known_census",
    "take_census",
    "tiny",
    "training_evidence",
]


class Census:
    """How many rows each node has, of which class, and how unequal their weights are.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_nodes, classes or 1)
        Rows of every node by class, in units of 1 / `scale`.
    effective : ndarray of float64 or None
        For every node the number of equally weighted rows that would say as much,
        (Σw)² / Σw²; None where rows have no weights of their own (or classes have weights too).
    scale : float
        1, or more where rows went down several branches in shares.
    noun : str
        What is counted: "row", or "drawn row" where a tree drew its rows.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> clf = DecisionTreeClassifier(class_weight={"a": 3, "b": 1})
    >>> census = clf.fit([[1.0], [1.0], [2.0]], ["a", "b", "b"]).model_.census
    >>> census.by_class[0].tolist(), float(census.total[0])
    ([1.0, 2.0], 3.0)
    """

    def __init__(
        self,
        rows: NDArray[np.int64],
        effective: NDArray[np.float64] | None = None,
        scale: float = 1.0,
        noun: str = "row",
    ) -> None:
        self.rows = rows
        self.effective = effective
        self.scale = scale
        self.noun = noun

    @cached_property
    def by_class(self) -> NDArray[np.float64]:
        """Rows of every node by class; of a real target all in one column."""
        return np.asarray(self.rows / self.scale, np.float64)

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """Rows of every node."""
        return np.asarray(self.rows.sum(axis=1) / self.scale, np.float64)


def census_of(census: Census, nodes: NDArray[Any]) -> Census:
    """The rows of some of the nodes, numbered anew."""
    effective = None if census.effective is None else census.effective[nodes]
    return Census(census.rows[nodes], effective, census.scale, census.noun)


class Evidence(NamedTuple):
    """What rows say of every node, and how many they are when it comes to how sure that is.

    Attributes
    ----------
    values : ndarray of float64, shape (n_nodes, classes or 1)
        Shares of the classes, or the mean.
    numbers : ndarray of float64
        How many rows an interval of such a value counts.
    basis : {"rows", "effective", "weight"}
        What those are: rows, and shares of rows; the effective number of rows with weights of their
        own, and shares or means by weight; or the weight, where nothing else is known.
    """

    values: NDArray[np.float64]
    numbers: NDArray[np.float64]
    basis: Literal["rows", "effective", "weight"]


def training_evidence(model: "Model") -> Evidence:
    """What the training rows of a model say of its nodes."""
    native, census = model.tree.native, model.census
    values = _means(model.tree) if model.growth.medians else native.value
    if census is None:
        return Evidence(values, model.tree.node_weight, "weight")
    if census.effective is not None:
        return Evidence(values, census.effective, "effective")
    if model.counted is None or model.classes is None:
        return Evidence(values, census.total, "rows")
    shares = np.full(census.rows.shape, np.nan)
    total = census.total[:, None]
    np.divide(census.by_class, total, out=shares, where=total > 0)
    return Evidence(shares, census.total, "rows")


def _means(tree: Tree) -> NDArray[np.float64]:
    """The mean of every node of numbers, whatever it says; of no rows NaN."""
    native = tree.native
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(native.center + native.tally[:, 1:] / native.tally[:, :1] / native.scale)


def tiny(tree: Tree) -> bool:
    """Whether a real target is so small that squares of its values may be 0 to the computer.

    Then an impurity of 0 does not say that all values are the same.
    """
    native = tree.native
    return not native.n_classes and 1.0 / native.scale < 1e-145


def known_census(tree: Tree, n_rows: Any, noun: str = "row") -> Census | None:
    """The rows of a tree of which only the tallies are known; None if those are of other weights.

    Whole weights are at least 1, so that they add up to the number of rows only if all are 1.
    """
    native = tree.native
    weight = native.tally.sum(axis=1) if native.n_classes else native.tally[:, 0]
    alike = native.weight_scale == native.count_scale and np.array_equal(weight, native.count)
    if not alike or (isinstance(n_rows, int) and weight[0] != n_rows * native.weight_scale):
        return None
    rows = native.tally if native.n_classes else native.tally[:, :1]
    return Census(rows, None, native.weight_scale, noun)


class Counted(NamedTuple):
    """The rows of every node, by class, and the sums of their weights and of their squares.

    Those of parts of the rows add up; `squares` are in two halves, none without weights.
    """

    rows: NDArray[np.int64]
    weight: NDArray[np.int64]
    squares: NDArray[np.uint64]

    @classmethod
    def joined(cls, parts: "list[Counted]") -> "Counted":
        """What parts of the rows have together."""
        rows = np.sum([part.rows for part in parts], axis=0)
        weighed = [part for part in parts if len(part.weight)] or parts[:1]  # the others lack rows
        weight = np.sum([part.weight for part in weighed], axis=0)
        whole = sum(
            part.squares[:, 0] + (part.squares[:, 1].astype(object) << 64) for part in weighed
        )
        halves = [whole & (2**64 - 1), whole >> 64]
        return cls(rows, weight, np.ascontiguousarray(np.stack(halves, axis=1), np.uint64))

    def census(self, tree: Tree, weights: Any, shared: bool) -> Census:
        """What is shown of them."""
        scale = float(tree.native.count_scale) if shared else 1.0
        effective = None
        if weights.own:
            effective = _core.effective_rows(self.weight, self.squares, int(scale))
        return Census(self.rows, effective, scale)


def count_rows(
    tree: Tree, frame: Frame, target: Any, *, shared: bool, n_threads: int = 1
) -> Counted:
    """Count rows at every node of a tree.

    With `shared`, rows with a missing value go down several branches in shares.
    """
    weights = target.weights
    weight = weights.weight if weights.own else None
    n_classes = max(1, target.n_classes)
    return Counted(
        *_core.census(
            tree.held,
            frame.native,
            target.codes,
            n_classes,
            weights.times,
            weight,
            shared,
            n_threads,
        )
    )


def take_census(
    tree: Tree, frame: Frame, target: Any, *, shared: bool, n_threads: int = 1
) -> Census | None:
    """Count rows at every node; None where weights are rows, and tallies say it all."""
    if target.weights.plain:
        return None
    counted = count_rows(tree, frame, target, shared=shared, n_threads=n_threads)
    return counted.census(tree, target.weights, shared)


def boosted_census(
    tree: Tree, frame: Frame, codes: NDArray[np.uint32], n_classes: int, n_threads: int
) -> Census:
    """The rows of a tree that was grown on weights of another making."""
    rows = _core.census(tree.held, frame.native, codes, n_classes, None, None, False, n_threads)[0]
    return Census(rows)
