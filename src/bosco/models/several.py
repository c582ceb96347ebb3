"""What was learned of several targets at once: one tree, or many, that answer them all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from bosco.base.visible import can_draw
from bosco.data.frame import Frame
from bosco.data.outputs import Outputs
from bosco.data.schema import Schema
from bosco.errors import ModelKindError
from bosco.growth import Growth
from bosco.render import several as text
from bosco.render.worth import show_importances
from bosco.store.files import Form, save_parts
from bosco.store.several import SeveralParts, restored_several
from bosco.tree.census import Census, known_census
from bosco.tree.edits import Edits
from bosco.tree.family import AnyModel, Kind, threads
from bosco.tree.ties import heaviest
from bosco.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class SeveralModel(AnyModel):
    """One tree that answers several targets at once, or many whose answers are averaged.

    Estimators hold one as ``model_`` where y has several columns: all of classes, or all of
    numbers. It is immutable. It can be printed, asked, saved and loaded; verbs that speak of one
    target (rules, reasons, exports, judging) refuse.

    Parameters
    ----------
    trees : tuple of Tree
        The trees as arrays. What a node holds are its rows, their weight, and a sum for each number
        and each class.
    schema : Schema
        Names, kinds and levels of the columns.
    outputs : Outputs
        The targets: their names and classes.
    growth : Growth
        The settings that grew the trees.
    importances : ndarray
        Each column's share of the decrease of impurity, the mean over the trees.
    provenance : mapping
        Where it comes from: algorithm, version, size of the training data.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> X, y = [[1], [2], [3]], [["a", "no"], ["a", "yes"], ["b", "yes"]]
    >>> model = DecisionTreeClassifier().fit(X, y).model_
    >>> print(model)
    cart (gini) · 3 rows, 1 column, 2 outputs · 3 leaves, depth 2
    <BLANKLINE>
    [0] · 3 rows
    ├─ [1] x0 ≤ 1.5 → y0 = a, y1 = no · 1 row
    └─ [2] x0 > 1.5 * · 2 rows
       ├─ [3] x0 ≤ 2.5 * → y0 = a, y1 = yes · 1 row
       └─ [4] x0 > 2.5 → y0 = b, y1 = yes · 1 row
    <BLANKLINE>
    * A missing value would go here; training had none in x0.
    >>> model.predict([[1.2], [9]]).tolist()
    [['a', 'no'], ['b', 'yes']]
    """

    trees: tuple[Tree, ...]
    schema: Schema
    outputs: Outputs
    growth: Growth
    importances: NDArray[np.float64]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    classes: None = field(default=None, init=False)  # those of each output are in `outputs`

    kind: ClassVar[Kind] = "several"
    instead: ClassVar[str] = "fit one model for each output where this is wanted."
    edits: ClassVar[Edits] = Edits()
    counted: ClassVar[None] = None

    to_text = text.to_text

    def __reduce__(self) -> tuple[Any, ...]:
        meaning = (self.schema.to_dict(), self.outputs, self.growth.to_dict())
        return _restore, (self.trees, *meaning, self.importances, dict(self.provenance))

    def __str__(self) -> str:
        if len(self.trees) == 1:
            return self.to_text(ascii=not can_draw())
        lines = show_importances(self.schema, self.importances)
        return "\n".join([self.headline, "", *lines, *self.meanings])

    def __repr__(self) -> str:
        size = f"{self.n_trees} trees, " * (self.n_trees > 1)
        return f"<SeveralModel: {len(self.outputs)} outputs, {size}{self.n_leaves} leaves>"

    @property
    def headline(self) -> str:
        """How it was grown, on what, and how large it is, in a line."""
        return text.headline(self)

    @property
    def task(self) -> str:
        """What it learned, in a word."""
        return "classification" if self.outputs.of_classes else "regression"

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return len(self.outputs)

    @property
    def tree(self) -> Tree:
        """The first tree."""
        return self.trees[0]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.trees)

    @property
    def tree_weights(self) -> NDArray[np.float64]:
        """What each tree counts: the same."""
        return np.full(self.n_trees, 1 / self.n_trees)

    @property
    def begin(self) -> NDArray[np.int64]:
        """Where the nodes of each tree begin, and where those of the last one end."""
        return np.cumsum([0, *(tree.node_count for tree in self.trees)])

    def alone(self, index: int) -> "SeveralModel":
        """One tree as a model of its own."""
        at = range(self.n_trees)[index]
        own = self.trees[at].compute_feature_importances()
        about = dict(self.provenance) | {"algorithm": f"tree {at} of {self.n_trees}"}
        return replace(self, trees=(self.trees[at],), importances=own, provenance=about)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, of all trees."""
        return sum(tree.n_leaves for tree in self.trees)

    @property
    def worth(self) -> NDArray[np.float64]:
        """Each column's share of the decrease of impurity."""
        return self.importances

    def parts(self) -> SeveralParts:
        """What a file keeps."""
        about = (self.schema, self.outputs, self.growth, self.importances, dict(self.provenance))
        return SeveralParts(self.trees, *about)

    def save(self, path: Any, *, form: Form | None = None) -> None:
        """Write the model to a file that `bosco.load` reads: whole, or not at all.

        Parameters
        ----------
        path : str, path, or binary file object
            The suffix ``.json`` gives the form that people can read, ``.bosco`` the compact one.
        form : {"json", "binary"}, optional
            The form, whatever the suffix says.
        """
        save_parts(self.parts(), path, form)

    def program(self) -> NoReturn:
        """Refuse: exports answer one target."""
        self._refuse("exports are of models of one output")

    def explain(self, row: Any) -> NoReturn:
        """Refuse: a case is explained for one target."""
        del row
        self._refuse("a case is explained of models of one output")

    def _refuse(self, why: str) -> NoReturn:
        raise ModelKindError(f"{self!r}: {why}. Hint: {self.instead}")

    # Applying ---------------------------------------------------------------------------------

    def proba_frame(self, frame: Frame, n_jobs: int | None = None) -> Any:
        """Shares, an array for each output; of numbers, the means in one."""
        values = self.values_frame(frame, n_jobs)
        return self.outputs.parted(values) if self.outputs.of_classes else values

    def predict_few(self, X: Any) -> None:
        """Give None: few rows go the way of many."""
        del X

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """What the trees say, in the mean: shares and means side by side, as `outputs` has them."""
        total = np.zeros((frame.n_rows, self.outputs.n_sums))
        n_threads = threads(n_jobs, frame, self.n_trees)
        for tree in self.trees:
            total += tree.leaf_value.take(tree.leaves_of(frame.native, n_threads), axis=0)
        total /= self.n_trees
        return total + self.outputs.centers

    def apply_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Leaves of rows that are read already: of one tree, or a column for each of many."""
        n_threads = threads(n_jobs, frame, self.n_trees)
        leaves = [tree.leaves_of(frame.native, n_threads) for tree in self.trees]
        return leaves[0] if self.n_trees == 1 else np.column_stack(leaves)

    def _answers(self, values: NDArray[Any]) -> NDArray[Any]:
        return answers(self.outputs, values)

    def _columns(self) -> Iterable[int]:
        return sorted({j for tree in self.trees for j in tree.columns_asked.tolist()})

    @cached_property
    def census(self) -> Census | None:
        """The training rows of every node of the first tree; None where only weights are known."""
        return known_census(self.tree, self.provenance.get("rows"))

    @cached_property
    def node_value(self) -> NDArray[np.float64]:
        """What each node of the first tree says of all outputs."""
        return self.tree.leaf_value + self.outputs.centers


def answers(outputs: Outputs, values: NDArray[Any]) -> NDArray[Any]:
    """The class of most weight of each output, or its number: a row for each row of means."""
    if not outputs.of_classes:
        return values
    found = [
        labels.take(heaviest(shares), axis=0)
        for labels, shares in zip(outputs.classes, outputs.parted(values), strict=True)
    ]
    kinds = {labels.dtype.kind for labels in found}
    alike = len(kinds) == 1 or kinds <= set("iuf")
    table = np.empty((len(values), len(outputs)), np.result_type(*found) if alike else object)
    for j, labels in enumerate(found):
        table[:, j] = labels
    return table


def _restore(*content: Any) -> SeveralModel:
    """A model from a pickle, checked as one from a file."""
    return SeveralModel(*restored_several(*content))
