"""What every model is, whatever its kind: columns, classes, settings, and how rows are answered.

The kinds are `Model` (one tree), `ForestModel`, `ScoreTable` and `SeveralModel` (several
targets). Rooms that are given a model take
an `AnyModel` and ask it; what its kind cannot do, it refuses itself, with the reason.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.data.deriving import meanings
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import ModelKindError, ParameterError
from bosco.growth import Growth
from bosco.tree.decision import HEAVIEST, Decision

if TYPE_CHECKING:
    from bosco.export.program import Program

__all__ = ["AnyModel", "few_floats", "model_of", "rows_of", "threads"]

Kind = Literal["tree", "forest", "score_table", "several"]

CELLS_PER_THREAD = 100_000
"""Starting a thread costs more than it saves on fewer cells than this."""

FEW_ROWS = 32
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))

_ONLY_OF_ONE = {
    "the tests of a node are told": ["why", "trace"],
    "rules are written": ["rules"],
    "leaves are judged one by one": ["leaves", "recount"],
    "pruning is": ["prune", "collapse", "sweep", "pruning_log", "trace_pruning", "subject"],
    "pictures are drawn": ["svg", "plot", "to_dot", "to_mermaid"],
    "PMML is written": ["to_pmml"],
    "shares are calibrated": ["calibrated"],
}
_ONLY_OF_ONE_OUTPUT = {
    "rows are judged": ["judge", "seen", "at", "report"],
    "exports are": ["to_sql", "to_python", "to_c", "to_javascript", "to_onnx"],
    "a sketch of the rows is kept": ["sketched"],
}
NOT_OF_ALL = {
    "apply": "the leaf of a row is numbered in trees only",
    "votes": "trees vote in forests only",
    "contributions": "what columns add to a share is worked out of trees only",
    **{verb: f"{what} of one tree only" for what, verbs in _ONLY_OF_ONE.items() for verb in verbs},
    **{
        verb: f"{what} of models of one output only"
        for what, verbs in _ONLY_OF_ONE_OUTPUT.items()
        for verb in verbs
    },
}
"""The verbs that not every kind of model has, and what is said where one is asked for."""


class AnyModel(ABC):
    """What was learned: it reads rows, answers them, and tells of itself."""

    kind: ClassVar[Kind]
    """What it is, as the model file calls it."""

    instead: ClassVar[str] = ""
    """What to do where this kind has not the verb that was asked for."""

    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: Mapping[str, Any]
    decision: Decision = HEAVIEST

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Refuse a verb that this kind has not; `hasattr` and completion do not see it."""
            if name in NOT_OF_ALL:
                raise ModelKindError(f"{self!r}: {NOT_OF_ALL[name]}. Hint: {self.instead}")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __post_init__(self) -> None:
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))

    # What a kind says of itself --------------------------------------------------------------

    @property
    @abstractmethod
    def headline(self) -> str:
        """How large it is and what it was grown on, in a line."""

    @property
    @abstractmethod
    def n_leaves(self) -> int:
        """Number of leaves, of all trees."""

    @property
    @abstractmethod
    def worth(self) -> NDArray[np.float64]:
        """What each column matters: its share of the decrease of impurity, or its points."""

    @property
    def root_value(self) -> NDArray[np.float64] | None:
        """Shares of the classes, or the mean, of all training rows; None: they are not kept."""
        return None

    @abstractmethod
    def parts(self) -> Any:
        """What a file keeps."""

    @abstractmethod
    def program(self) -> "Program":
        """The model as plain nodes, for exports."""

    @abstractmethod
    def explain(self, row: Any) -> Any:
        """How one case comes to its prediction."""

    def text_within(self, **limits: Any) -> str:
        """Its text within the limits of `Model.to_text`, as far as they mean something to it."""
        del limits
        return str(self)

    @abstractmethod
    def _columns(self) -> Iterable[int]:
        """The columns that are asked for, in order."""

    @abstractmethod
    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Shares of the classes, or the mean, for rows that are read already."""

    def proba_frame(self, frame: Frame, n_jobs: int | None = None) -> Any:
        """What `predict_proba` gives, for rows that are read already."""
        return self.values_frame(frame, n_jobs)

    def ahead_frame(self, frame: Frame) -> NDArray[np.float64] | None:
        """By how many points the prediction is ahead of the next class; None: it has shares."""
        del frame
        return None

    # What is the same of all -----------------------------------------------------------------

    @property
    def n_outputs(self) -> int:
        """Number of targets."""
        return 1

    @property
    def task(self) -> str:
        """What it learned, in a word: of how many classes, or of numbers."""
        return "regression" if self.classes is None else f"{len(self.classes)}-class"

    @cached_property
    def never_missing(self) -> frozenset[int]:
        """The columns that had no missing value in training, as far as is known."""
        return self.schema.never_missing(self.provenance.get("missing"))

    @cached_property
    def columns_asked(self) -> tuple[str, ...]:
        """Names of the columns that are asked for, or derived from; rows need no others.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import play_tennis
        >>> DecisionTreeClassifier(max_depth=1).fit(*play_tennis()).model_.columns_asked
        ('outlook',)
        """
        return tuple(self.schema.names[j] for j in self.schema.behind(self._columns()))

    @cached_property
    def meanings(self) -> tuple[str, ...]:
        """What the derived columns mean that are asked for, a line each.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> tree = DecisionTreeClassifier(derive={"sum": "x0 + x1"})
        >>> tree.fit([[1, 2], [2, 1], [0, 9]], [0, 0, 1]).model_.meanings
        ()
        >>> tree.fit([[1, 2], [2, 4], [4, 1], [0, 6]], [0, 1, 0, 1]).model_.meanings
        ('sum = x0 + x1',)
        """
        return tuple(meanings(self.schema, self._columns()))

    @property
    def deciding(self) -> list[str]:
        r"""How its answers are decided, in sentences; none where the heaviest class is the answer.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import golf
        >>> costs = {"Don't Play": {"Play": 3}}
        >>> print(*DecisionTreeClassifier(costs=costs).fit(*golf()).model_.deciding, sep="\n")
        Costs: Don't Play taken for Play 3, every other mistake 1.
        The answer is the class of the least expected cost.
        """
        return [] if self.classes is None else self.decision.say(self.classes.tolist())

    def read(self, X: Any, owner: str = "this model", *, all_columns: bool = False) -> Frame:
        """Raw rows as the model sees them, checked against the columns it knows.

        Columns with names may lack what is not asked for, unless `all_columns` says otherwise.
        """
        names = self.schema.names
        asked = None if all_columns else lambda: [names[j] for j in self._columns()]
        return Frame.read(
            X, self.schema, refuse_missing=self.growth.on_missing.refused, owner=owner, asked=asked
        )

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
            Class labels or numbers. Of classes that come to the same the first is predicted, of two
            the second.
        """
        rows, single = rows_of(X)
        answers = self.predict_frame(self.read(rows), n_jobs)
        return answers.tolist()[0] if single else answers

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Share of every class for raw rows.

        Of a tree, the shares in the leaf that a row reaches; of a forest, the weighted votes; of a
        score table, what the points stand for, which tends to be too sure of itself.

        Parameters
        ----------
        X : table, or mapping of column name to one value
            Anything `fit` would take, or one case.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_classes,) for one case
            Shares in the order of `classes`. For a real target, the mean in one column. Of several
            outputs of classes, a list of such arrays.

        Examples
        --------
        >>> from bosco import AdaBoostClassifier
        >>> from bosco.datasets import loans
        >>> model = AdaBoostClassifier(n_estimators=2).fit(*loans()).model_
        >>> model.predict_proba({"income": "low", "reputation": "poor"}).round(3)
        array([0.945, 0.055])
        """
        rows, single = rows_of(X)
        said = self.proba_frame(self.read(rows), n_jobs)
        if not single:
            return said
        return [shares[0] for shares in said] if isinstance(said, list) else said[0]

    def predict_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict rows that are read already."""
        return self._answers(self.values_frame(frame, n_jobs))

    def _answers(self, values: NDArray[Any]) -> NDArray[Any]:
        """The number, or the label of the class that is decided for."""
        if self.classes is None:
            return values[:, 0]
        labels: NDArray[Any] = self.classes.take(self.decision.answers(values), axis=0)
        return labels


def model_of(given: Any, refusal: str) -> Any:
    """A model of any kind, or that of a fitted estimator; anything else is refused.

    `refusal` says what is wanted; what was got is added.
    """
    model = getattr(given, "model_", given)
    if not isinstance(model, AnyModel):
        raise ParameterError(f"{refusal} Got {type(given).__name__}. Hint: fit it first.")
    return model


def few_floats(X: Any, columns: int) -> bool:
    """Whether X is a matrix of a few rows of floats, with so many columns."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and 0 < X.shape[0] <= FEW_ROWS
        and X.shape[1] == columns
        and X.dtype in _FLOATS
    )


def threads(n_jobs: int | None, frame: Frame, passes: int = 1) -> int:
    """How many threads are worth starting to go over a table, so many times."""
    cells = frame.n_rows * len(frame.schema.columns)
    worth = cells * passes // CELLS_PER_THREAD
    if worth <= 1 or n_jobs == 1:
        return 1
    from joblib import effective_n_jobs  # slow to import, and small models never ask

    return min(int(effective_n_jobs(n_jobs)), worth)


def rows_of(X: Any) -> tuple[Any, bool]:
    """A table, and whether it was one case: a mapping of names to single values."""
    if isinstance(X, Mapping) and not any(_is_column(value) for value in X.values()):
        return [X], True
    return X, False


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)
