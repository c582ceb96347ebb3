"""A tree that answers several targets, by scikit-learn's names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.outputs import Outputs
from bosco.tree.tree import Tree


class SeveralTree(Tree):
    """The tree as arrays; what nodes say is padded to the most classes that an output has."""

    def __init__(self, native: Any, n_features: int, outputs: Outputs):
        super().__init__(native, n_features)
        self.outputs, self.n_outputs = outputs, len(outputs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (super().__reduce__()[1], self.outputs)

    @property
    def n_classes(self) -> NDArray[np.intp]:
        """Number of classes of each target; 1 for a real one, as scikit-learn has it."""
        return np.diff(self.outputs.begin).astype(np.intp)

    @property
    def max_n_classes(self) -> int:
        """The most classes that a target has."""
        return int(self.n_classes.max())

    @property
    def value(self) -> NDArray[np.float64]:
        """What every node says: shape (node_count, n_outputs, max_n_classes)."""
        said = self.native.value + self.outputs.centers
        padded = np.zeros((self.node_count, self.n_outputs, self.max_n_classes))
        for j, own in enumerate(self.outputs.parted(said)):
            padded[:, j, : own.shape[1]] = own
        return padded

    def predict(self, X: Any) -> NDArray[np.float64]:
        """What the leaf of every row says: shape (n_rows, n_outputs, max_n_classes)."""
        return self.value.take(self.apply(X), axis=0)


def _restore(tree: tuple[Any, ...], outputs: Outputs) -> SeveralTree:
    from bosco import _core

    state, n_features = tree
    return SeveralTree(_core.tree_from_state(state), n_features, outputs)
