"""A grown tree: an immutable value of parallel arrays.

Children of a node are contiguous and numbered after it, so a sum up or down the tree is a loop over
numbers, never a recursion. The arrays live in native memory and are handed out read-only.
"""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.errors import ModelError
from bosco.tree.conditions import Test, read_test


class Tree:
    """A decision tree as arrays, in its own names and in scikit-learn's.

    Parameters
    ----------
    native : bosco._core.Tree or bosco._core.PackedTree
        The arrays, or a large tree in few bytes, which unfolds into arrays when they are asked for.
    n_features : int
        Number of columns the tree was grown on.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).tree_
    >>> tree.node_count, tree.n_leaves, tree.max_depth
    (3, 2, 1)
    >>> tree.threshold.tolist()
    [1.5, -2.0, -2.0]
    """

    def __init__(self, native: _core.Tree | _core.PackedTree, n_features: int) -> None:
        packed = isinstance(native, _core.PackedTree)
        self._packed: Any = native if packed else None
        self._arrays: Any = None if packed else native
        self._n_features = n_features

    @property
    def native(self) -> _core.Tree:
        """The native tree, with its arrays by their own names. A packed one unfolds when asked."""
        packed = self._packed
        if packed is not None:
            self._arrays = packed.unfold()
            self._packed = None
        arrays: _core.Tree = self._arrays
        return arrays

    @property
    def held(self) -> _core.Tree | _core.PackedTree:
        """The native tree as it is held, so that a packed one stays so."""
        held: _core.Tree | _core.PackedTree = self._packed or self._arrays
        return held

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.native.state(), self._n_features)

    def __repr__(self) -> str:
        return f"<Tree of {self.node_count} nodes, {self.n_leaves} leaves, depth {self.max_depth}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())

    def digest(self) -> str:
        """SHA-256 of everything the tree holds: equal for equal trees, on any machine."""
        sha = hashlib.sha256(f"bosco tree, {self._n_features} columns".encode())
        for path, value in _items(self.native.state()):
            if isinstance(value, np.ndarray):
                if value.dtype.kind == "f" and np.isnan(value).any():
                    value = np.where(np.isnan(value), np.nan, value)  # one NaN on all machines
                sha.update(f"{path}{value.dtype.str}{value.shape}".encode())
                sha.update(np.ascontiguousarray(value).data)
            else:
                sha.update(f"{path}{value!r}".encode())
        return sha.hexdigest()

    # What a node holds ------------------------------------------------------------------------

    def test(self, node: int) -> Test | None:
        """The test of a node, None for a leaf."""
        at = int(self.native.test[node])
        return None if at < 0 else read_test(self.native.tests, at)

    def surrogates(self, node: int) -> list[Test]:
        """The tests that stand in where the value of the node's own is missing, best first."""
        begin, end = self.native.surrogate_begin[node : node + 2].tolist()
        return [read_test(self.native.surrogates, i) for i in range(begin, end)]

    def children(self, node: int) -> range:
        """The children of a node, in branch order."""
        first = int(self.native.first_child[node])
        return range(first, first + int(self.native.n_children[node]))

    def shares(self, node: int) -> list[tuple[int, float]]:
        """The children that get a share of a missing value, where all do, and their shares."""
        below = self.children(node)
        known = self.native.known[below.start : below.stop].tolist()
        total = float(sum(known))
        return [(child, w / total) for child, w in zip(below, known, strict=True) if w > 0]

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        nodes = [node]
        while nodes[-1] != 0:
            nodes.append(int(self.native.parent[nodes[-1]]))
        return nodes[::-1]

    @cached_property
    def node_weight(self) -> NDArray[np.float64]:
        """Weight of the training rows of every node."""
        tally = self.native.tally
        whole = tally.sum(axis=1) if self.native.n_classes else tally[:, 0]
        return _frozen(whole / self.native.weight_scale)

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Depth of every node; the root's is 0."""
        depth = np.zeros(self.node_count, dtype=np.int32)
        below = levels(np.zeros(1, np.int64), self.native.first_child, self.native.n_children)
        for level, nodes in enumerate(below):
            depth[nodes] = level
        return _frozen(depth)

    @cached_property
    def leaves_below(self) -> NDArray[np.int64]:
        """Number of leaves of the subtree of every node; a leaf's is 1."""
        first, parent = self.native.first_child, self.native.parent
        leaves = (first < 0).astype(np.int64)
        below = levels(np.zeros(1, np.int64), first, self.native.n_children)
        for nodes in reversed(list(below)[1:]):
            np.add.at(leaves, parent[nodes], leaves[nodes])
        return _frozen(leaves)

    # Rows and leaves --------------------------------------------------------------------------

    @cached_property
    def is_plain(self) -> bool:
        """Whether all tests are binary cuts."""
        if self._packed:
            return True
        pool = self._arrays.tests
        return not len(pool.jumps) and len(pool.thresholds) == len(pool)

    def leaves_of(self, frame: Any, n_threads: int) -> NDArray[np.int32]:
        """The leaf of every row of a native frame."""
        packed = self._packed
        leaves: NDArray[np.int32] = (
            packed.route(frame, n_threads) if packed else _core.route(self.native, frame, n_threads)
        )
        return leaves

    def leaves_of_few(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """The leaves of a few rows of floats, where the tests are binary cuts."""
        packed = self._packed
        leaves: NDArray[np.int32] = (
            packed.route_few(X) if packed else _core.route_few(self._arrays, X)
        )
        return leaves

    @cached_property
    def leaf_value(self) -> NDArray[np.float64]:
        """Class shares, or the mean, of every leaf: shape (node_count, classes or 1)."""
        packed = self._packed
        value: NDArray[np.float64] = packed.leaf_value() if packed else self._arrays.value
        return value

    # scikit-learn's names ---------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return int(self.held.n_nodes)

    capacity = node_count
    n_outputs: int = 1  # targets

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        packed = self._packed
        return int(packed.n_leaves if packed else np.count_nonzero(self._arrays.first_child < 0))

    @property
    def max_depth(self) -> int:
        """Length of the longest path from the root."""
        packed = self._packed
        return int(packed.depth if packed else self.depth.max())

    @property
    def n_features(self) -> int:
        """Number of columns the tree was grown on."""
        return self._n_features

    @property
    def n_classes(self) -> NDArray[np.intp]:
        """Number of classes of each target; 1 for a real one, as scikit-learn has it."""
        return np.array([max(1, self.native.n_classes)], dtype=np.intp)

    @property
    def children_left(self) -> NDArray[np.int32]:
        """First child of every node, -1 for a leaf. Binary trees only."""
        self._refuse_unless_binary("children_left")
        return _frozen(self.native.first_child.copy())

    @property
    def children_right(self) -> NDArray[np.int32]:
        """Second child of every node, -1 for a leaf. Binary trees only."""
        self._refuse_unless_binary("children_right")
        first = self.native.first_child
        return _frozen(np.where(first < 0, first, first + 1))

    @property
    def feature(self) -> NDArray[np.int64]:
        """Column tested at every node, -2 for a leaf."""
        test = self.native.test
        return _frozen(np.where(test < 0, -2, _take(self.native.tests.column, test)))

    @property
    def columns_asked(self) -> NDArray[np.int64]:
        """Columns that some test, or a stand-in for one, asks for."""
        tested = self.feature
        stand_ins = self.native.surrogates.column
        return np.unique(np.concatenate((tested[tested >= 0], stand_ins)).astype(np.int64))

    @property
    def threshold(self) -> NDArray[np.float64]:
        """Threshold of every node, -2 for a leaf, NaN where the test is not one threshold."""
        test, pool = self.native.test, self.native.tests
        begin = pool.threshold_begin
        single = np.diff(begin) == 1
        cut = np.full(len(single), np.nan)
        cut[single] = pool.thresholds[begin[:-1][single]]
        return _frozen(np.where(test < 0, -2.0, _take(cut, test)))

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether missing values take the first branch; 0 for a leaf."""
        test = self.native.test
        left = (test >= 0) & (_take(self.native.tests.missing, test) == 0)
        return _frozen(left.astype(np.uint8))

    @property
    def value(self) -> NDArray[np.float64]:
        """Class shares, or the mean, of every node: shape (node_count, 1, classes or 1)."""
        value: NDArray[np.float64] = self.native.value[:, None, :]
        return value

    @property
    def impurity(self) -> NDArray[np.float64]:
        """Impurity of every node by the criterion that grew the tree."""
        impurity: NDArray[np.float64] = self.native.impurity
        return impurity

    @property
    def n_node_samples(self) -> NDArray[Any]:
        """Number of training samples of every node; in shares where missing values were shared."""
        scale = self.native.count_scale
        return _frozen(self.native.count.copy() if scale == 1 else self.native.count / scale)

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Weight of the training rows of every node."""
        return self.node_weight

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of every row of a matrix of numbers, the columns in the order of `fit`.

        Trees that ask for more than one number at a time, or for levels, are asked through the
        estimator or ``model_``, which know what the columns mean.
        """
        if not self.is_plain:
            raise ModelError(
                "This tree has tests that a bare matrix of numbers cannot answer. Hint: ask the "
                "estimator, or model_: apply(X)."
            )
        if hasattr(X, "toarray"):
            X = X.toarray()
        X = np.asarray(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        if X.ndim != 2 or X.shape[1] != self._n_features:
            raise ModelError(
                f"The tree takes a matrix of {self._n_features} columns. Got the shape {X.shape}."
            )
        return self.leaves_of_few(X).astype(np.int64)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What the leaf of every row says: its shares of classes, or its mean."""
        return self.leaf_value.take(self.apply(X), axis=0)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row of a matrix of numbers passes, as `paths_to` has them."""
        return self.paths_to(self.apply(X))

    def paths_to(self, leaves: NDArray[Any]) -> Any:
        """The nodes on the way to some leaves: a sparse matrix, a row each, 1 where one is."""
        from scipy.sparse import csr_matrix

        parent = self.native.parent
        ends = np.cumsum(self.depth[leaves] + 1, dtype=np.int64)
        indices = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
        nodes, places = leaves, ends - 1
        while nodes.size:  # one step up per turn, all rows together
            indices[places] = nodes
            climbing = parent[nodes] >= 0
            nodes, places = parent[nodes[climbing]], places[climbing] - 1
        pointers = np.concatenate(([0], ends))
        shape = (len(leaves), self.node_count)
        return csr_matrix((np.ones(len(indices), dtype=np.intp), indices, pointers), shape=shape)

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Total decrease of impurity that each column brought, by default as shares of 1."""
        inner = self.native.test >= 0
        gain = self.native.gain[inner]
        _, power = np.frexp(gain.max(initial=0.0))  # set aside: nothing overflows on the way
        decrease = np.ldexp(gain, -power) * self.node_weight[inner] / self.node_weight[0]
        columns = _take(self.native.tests.column, self.native.test[inner])
        total: NDArray[np.float64] = np.bincount(
            columns, weights=decrease, minlength=self._n_features
        ).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # gains may be infinite
            whole: NDArray[np.float64] = (
                total / total.sum() if normalize and total.sum() > 0 else np.ldexp(total, power)
            )
        return whole

    def _refuse_unless_binary(self, name: str) -> None:
        n_children = self.native.n_children
        wide = np.flatnonzero(n_children > 2)
        if wide.size:
            raise ModelError(
                f"{name} describes binary trees, and node {wide[0]} has {n_children[wide[0]]} "
                f"children. Use tree_.children(node)."
            )


def spread(first: NDArray[Any], count: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each first on, so many of each."""
    count = count.astype(np.int64)
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    found: NDArray[np.int64] = np.repeat(first, count) + within
    return found


def levels(
    nodes: NDArray[np.int64], first: NDArray[Any], count: NDArray[Any]
) -> Iterator[NDArray[np.int64]]:
    """Roots, their children, and so on: the nodes of each depth."""
    while nodes.size:
        yield nodes
        inner = nodes[count[nodes] > 0]
        nodes = spread(first[inner], count[inner])


def _restore(state: dict[str, Any], n_features: int) -> Tree:
    return Tree(_core.tree_from_state(state), n_features)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def node_of(tree: Tree, number: Any) -> int:
    """The number of a node that is asked for, if there is such a node."""
    try:
        node = index(number)
    except TypeError:
        message = f"A node is asked for by its number, as the text shows it. Got {number!r}."
        raise ModelError(message) from None
    if not 0 <= node < tree.node_count:
        last = tree.node_count - 1
        raise ModelError(f"There is no node {node}: the tree has nodes 0 to {last}.")
    return node


def _take(values: NDArray[Any], index: NDArray[Any]) -> NDArray[Any]:
    """`values[index]` where index may be -1 and values empty (a tree of one leaf)."""
    return values[index] if len(values) else np.zeros(len(index), dtype=values.dtype)


def _items(state: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key in sorted(state):
        if isinstance(state[key], dict):
            yield from _items(state[key], f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", state[key]
