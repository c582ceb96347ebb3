"""What was learned: a tree, what its columns mean, and how it came about."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from bosco import _core
from bosco.explain import Explanation, explain
from bosco.frame import Frame
from bosco.growth import Growth
from bosco.render.text import MAX_NODES, to_text
from bosco.schema import Schema
from bosco.tree import Tree
from bosco.why import Why, why

CELLS_PER_THREAD = 100_000
"""Starting a thread costs more than it saves on fewer cells than this."""


@dataclass(frozen=True, eq=False)
class Model:
    """A tree that can be read, asked and applied to raw rows.

    Fitted estimators hold one as ``model_``. It is immutable.

    Parameters
    ----------
    tree : Tree
        The tree as arrays.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray or None
        The class labels in order; None for a real target.
    growth : Growth
        The settings that grew the tree.
    provenance : mapping
        Where it comes from: algorithm, version, size of the training data.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> print(model)
    id3 (entropy) · 14 rows, 4 columns, 2 classes · 5 leaves, depth 2
    <BLANKLINE>
    [0] · 14 rows: Yes 9, No 5
    ├─ [1] Outlook = Overcast → Yes · 4 rows
    ├─ [2] Outlook = Rain or missing · 5 rows: Yes 3, No 2
    │  ├─ [4] Wind = Strong → No · 2 rows
    │  └─ [5] Wind = Weak or missing → Yes · 3 rows
    └─ [3] Outlook = Sunny · 5 rows: No 3, Yes 2
       ├─ [6] Humidity = High or missing → No · 3 rows
       └─ [7] Humidity = Normal → Yes · 2 rows
    <BLANKLINE>
    A level the tree does not know is read as missing.
    >>> day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    >>> model.predict(day)
    'Yes'
    """

    tree: Tree
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.tree, self.schema, self.classes, self.growth, dict(self.provenance))
        return Model, parts

    def __str__(self) -> str:
        return self.to_text(ascii=not _can_draw(sys.stdout))

    def __repr__(self) -> str:
        kind = "regression" if self.classes is None else f"{len(self.classes)}-class"
        return f"<Model: {kind} tree, {self.n_leaves} leaves, depth {self.depth}>"

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Length of the longest path from the root."""
        return self.tree.max_depth

    @cached_property
    def node_class(self) -> NDArray[np.intp]:
        """Index of the class that each node predicts: the heaviest, of equals the last."""
        shares = self.tree.native.value
        last: NDArray[np.intp] = shares.shape[1] - 1 - np.argmax(shares[:, ::-1], axis=1)
        return last

    @cached_property
    def _answer(self) -> NDArray[Any]:
        """What each node predicts, ready to be looked up by leaf."""
        if self.classes is None:
            return np.ascontiguousarray(self.tree.native.value[:, 0])
        return self.classes[self.node_class]

    # Reading ----------------------------------------------------------------------------------

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = MAX_NODES,
        max_levels: int | None = 8,
        ascii: bool = False,  # noqa: A002
    ) -> str:
        """The tree as text; ``print(model)`` is this with its defaults.

        Parameters
        ----------
        max_depth : int or None, default=None
            Fold what lies deeper.
        max_nodes : int or None, default=200
            Fold larger trees to about so many nodes, the heaviest kept; None shows all.
        max_levels : int or None, default=8
            Spell out so many levels of a set; None spells out all.
        ascii : bool, default=False
            Draw with ASCII characters only.

        Returns
        -------
        str
            One node a line: its number, the condition that leads to it, its training rows.

        Examples
        --------
        >>> from bosco import DecisionTreeRegressor
        >>> model = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [2]], [1.0, 1.0, 4.0]).model_
        >>> print(model.to_text(ascii=True))
        cart (squared_error); 3 rows, 1 column, a real target; 2 leaves, depth 1
        <BLANKLINE>
        [0]; 3 rows, mean 2
        |- [1] x0 <= 1.5 or missing -> 1; 2 rows
        `- [2] x0 > 1.5 -> 4; 1 row
        """
        return to_text(
            self, max_depth=max_depth, max_nodes=max_nodes, max_levels=max_levels, ascii=ascii
        )

    def why(self, node: int = 0) -> Why:
        """The best test of every column at a node, with gain, ratio and margin to the winner.

        Parameters
        ----------
        node : int, default=0
            Number of an inner node, as the text shows it.

        Returns
        -------
        Why
            One row per column; ``print`` it, iterate, or make a dataframe of ``to_dict()``.
        """
        return why(self, node)

    def explain(self, row: Any) -> Explanation:
        """How one case comes to its prediction, step by step.

        Parameters
        ----------
        row : mapping or sequence
            The case: values by column name, or in the order of the columns.

        Returns
        -------
        Explanation
            The steps and what the leaf says; ``print`` it.
        """
        return explain(self, row)

    # Applying ---------------------------------------------------------------------------------

    def predict(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Predict from raw rows.

        Parameters
        ----------
        X : table, or mapping of column name to one value
            Anything `fit` would take, or one case.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        ndarray of shape (n_rows,), or one value for one case
            Class labels or numbers.
        """
        rows, single = rows_of(X)
        answers = self.predict_frame(self.read(rows), n_jobs)
        return answers.tolist()[0] if single else answers

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Share of every class in the leaf that each raw row reaches.

        Parameters
        ----------
        X : table, or mapping of column name to one value
            Anything `fit` would take, or one case.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_classes,) for one case
            Shares in the order of `classes`. For a real target, the mean in one column.
        """
        rows, single = rows_of(X)
        values = self.values_frame(self.read(rows), n_jobs)
        return values[0] if single else values

    def apply(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Number of the leaf that each raw row reaches.

        Where missing values go down all branches, the leaf at the end of the heaviest ones.
        """
        rows, single = rows_of(X)
        leaves = self.apply_frame(self.read(rows), n_jobs)
        return int(leaves[0]) if single else leaves

    def read(self, X: Any, owner: str = "this model") -> Frame:
        """Raw rows as the tree sees them, checked against the columns it knows."""
        return Frame.read(X, self.schema, missing=self.growth.missing, owner=owner)

    def predict_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict rows that are read already."""
        if self.growth.missing != "fractional":
            return self._answer.take(self.apply_frame(frame, n_jobs), axis=0)
        values = self.values_frame(frame, n_jobs)
        if self.classes is None:
            return values[:, 0]
        last = values.shape[1] - 1 - np.argmax(values[:, ::-1], axis=1)
        labels: NDArray[Any] = self.classes.take(last, axis=0)
        return labels

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Class shares, or the mean, of rows that are read already."""
        native = self.tree.native
        mixed: NDArray[np.float64] = _core.mix(
            native, frame.native, native.value, threads(n_jobs, frame)
        )
        return mixed

    def apply_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Leaves of rows that are read already."""
        leaves: NDArray[np.int32] = _core.route(
            self.tree.native, frame.native, threads(n_jobs, frame)
        )
        return leaves


def threads(n_jobs: int | None, frame: Frame, passes: int = 1) -> int:
    """How many threads are worth starting to go over a table, so many times."""
    cells = frame.n_rows * len(frame.schema.columns)
    worth = cells * passes // CELLS_PER_THREAD
    if worth <= 1 or n_jobs == 1:
        return 1
    return min(int(effective_n_jobs(n_jobs)), worth)


def rows_of(X: Any) -> tuple[Any, bool]:
    """A table, and whether it was one case: a mapping of names to single values."""
    if isinstance(X, Mapping) and not any(_is_column(value) for value in X.values()):
        return [X], True
    return X, False


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _can_draw(stream: Any) -> bool:
    """Whether the terminal's encoding has the characters that the tree is drawn with."""
    try:
        "├└│≤≠→·…".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
