"""The training rows of every node, counted as rows, apart from the weight that the learner counted.

Weights make a learner look more at some rows than at others; they do not make more rows. What is
said of rows (how many, of which class, how sure one can be) comes from here; what is said of their
weight, from the tallies of the tree.
"""

from functools import cached_property
from math import ldexp
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.frame import Frame
from bosco.tree import Tree

if TYPE_CHECKING:
    from bosco.model import Model

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

_SUM_BITS = 62


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
        self._rows = rows
        self._effective = effective
        self.scale = scale
        self.noun = noun

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of every node by class, in units of 1 / `scale`."""
        return self._rows

    @property
    def effective(self) -> NDArray[np.float64] | None:
        """The effective number of rows of every node; None where that is the number of rows."""
        return self._effective

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
    if census is None:
        return Evidence(native.value, model.tree.node_weight, "weight")
    if census.effective is not None:
        return Evidence(native.value, census.effective, "effective")
    if model.counted is None or model.classes is None:
        return Evidence(native.value, census.total, "rows")
    shares = np.full(census.rows.shape, np.nan)
    total = census.total[:, None]
    np.divide(census.by_class, total, out=shares, where=total > 0)
    return Evidence(shares, census.total, "rows")


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


def take_census(
    tree: Tree, frame: Frame, target: Any, *, shared: bool, n_threads: int = 1
) -> Census | None:
    """Count rows at every node of a tree; None where weights are rows, and tallies say it all.

    Parameters
    ----------
    tree : Tree
        The tree.
    frame : Frame
        The rows.
    target : Labels or Values
        What is to be learned from them, and their weights.
    shared : bool
        Whether rows with a missing value go down several branches in shares.
    n_threads : int
        For sending the rows down the tree.
    """
    weights = target.weights
    if weights.plain:
        return None
    moments = _Moments.of(weights.weight) if weights.own else None
    codes, times = target.codes, weights.times
    if shared:
        return _by_share(tree, frame, codes, times, moments)
    return _by_leaf(tree, frame, codes, target.n_classes, times, moments, n_threads)


def boosted_census(
    tree: Tree, frame: Frame, codes: NDArray[np.uint32], n_classes: int, n_threads: int
) -> Census:
    """The rows of a tree that was grown on weights of another making."""
    return _by_leaf(tree, frame, codes, n_classes, None, None, n_threads)


def _by_leaf(
    tree: Tree,
    frame: Frame,
    codes: NDArray[np.uint32],
    n_classes: int,
    times: NDArray[np.int64] | None,
    moments: "_Moments | None",
    n_threads: int,
) -> Census:
    """Rows that each end in one leaf."""
    leaves = tree.leaves_of(frame.native, n_threads)
    rows = np.zeros((tree.node_count, max(1, n_classes)), np.int64)
    np.add.at(rows, (leaves, codes), 1 if times is None else times)
    return _LeafCensus(tree, rows, None if moments is None else moments.at_leaves(tree, leaves))


class _Moments(NamedTuple):
    """Weights and their squares in fixed point, so that sums of them have no order.

    `sums` has a column for each, in units of 1 / `scale`.
    """

    sums: NDArray[np.int64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, weight: NDArray[np.int64]) -> "_Moments":
        bits = _SUM_BITS - _core.share_bits - len(weight).bit_length()
        most = float(weight.max())
        share = weight / most
        squares = np.rint(share * share * ldexp(1.0, bits)).astype(np.int64)
        return cls(np.column_stack((weight, squares)), np.array([most, ldexp(1.0, bits)]))

    def at_leaves(self, tree: Tree, leaves: NDArray[np.int32]) -> "_Moments":
        """The sums over the rows of every leaf."""
        sums = np.zeros((tree.node_count, 2), np.int64)
        np.add.at(sums, leaves, self.sums)
        return _Moments(sums, self.scale)

    def effective(self) -> NDArray[np.float64]:
        """(Σw)² / Σw² of every node; 0 without rows."""
        weight, squares = (self.sums / self.scale).T
        numbers = np.zeros(len(weight))
        np.divide(weight * weight, squares, out=numbers, where=squares > 0)
        return numbers


class _LeafCensus(Census):
    """Rows counted at the leaves, and summed up the tree when somebody asks for inner nodes.

    A large tree is packed, and stays so while nobody does.
    """

    def __init__(self, tree: Tree, rows: NDArray[np.int64], moments: _Moments | None) -> None:
        super().__init__(rows)
        self._tree, self._moments = tree, moments

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of every node by class."""
        return self._summed[0]

    @property
    def effective(self) -> NDArray[np.float64] | None:
        """The effective number of rows of every node."""
        return self._summed[1]

    @cached_property
    def _summed(self) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
        rows, moments = self._tree.summed_up(self._rows), self._moments
        if moments is None:
            return rows, None
        return rows, moments._replace(sums=self._tree.summed_up(moments.sums)).effective()


def _by_share(
    tree: Tree,
    frame: Frame,
    codes: NDArray[np.uint32],
    times: NDArray[np.int64] | None,
    moments: _Moments | None,
) -> Census:
    """Rows that go down several branches in shares."""
    native = tree.native
    scale = float(native.count_scale)

    def counted(weight: NDArray[np.int64] | None) -> NDArray[np.int64]:
        if native.n_classes:
            target = _core.Target.classes(codes, native.n_classes, weight, None)
        else:
            target = _core.Target.real(np.zeros(len(codes), np.int64), weight, None)
        tally: NDArray[np.int64] = _core.recount(native, frame.native, target)[0]
        return tally if native.n_classes else np.ascontiguousarray(tally[:, :1])

    if moments is None:
        return Census(counted(times), None, scale)
    parts = [counted(np.maximum(part, 1)).sum(axis=1) for part in moments.sums.T]
    sums = _Moments(np.column_stack(parts), moments.scale * scale)
    return Census(counted(times), sums.effective(), scale)
