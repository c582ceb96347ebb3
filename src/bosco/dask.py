"""Trees from Dask collections: the same models, bit for bit, as from one table in memory.

The model does not depend on the number of workers or of partitions, nor on their order, nor on
which workers die. Rows stay where they are: tables of counts travel.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

import dask
import numpy as np
from numpy.typing import NDArray

from bosco.data.readers import read_table
from bosco.errors import ClusterError, DataError, ParameterError, did_you_mean
from bosco.estimators import boost, forest, tree
from bosco.estimators.parameters import beside, check_parameters
from bosco.scale.dask_engine import DaskEngine, require_versions
from bosco.scale.elsewhere import Elsewhere
from bosco.scale.fitting import fit_parts
from bosco.scale.part import Rows
from bosco.scale.patience import Patience
from bosco.settings.settings import Cluster, Patient, Told

__all__ = [
    "AdaBoostClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]


class OnDask(Elsewhere):
    """What estimators on Dask share; the rest is that of the local class of the same name."""

    client: Any
    patience: float

    if TYPE_CHECKING:  # `beside` writes it for each class

        def __init__(self, *first: Any, client: Any = None, patience: float = 60.0, **given: Any):
            """Take the settings of the local class, and these."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a Dask collection.

        Parameters
        ----------
        X : dask DataFrame or Array
            The rows, in any partitions.
        y : str, or dask Series or Array
            The name of the column to learn, or the values to learn; partitions need not agree.
        sample_weight : str, dask Series or Array, or None, default=None
            The name of a column of weights, or weights.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_parameters(self)
        with _client(self.client) as client:
            patience = Patience(client, self.patience)
            require_versions(patience)
            held = _held(X, y, sample_weight, patience)
            names = [f"partition {k}" for k in range(len(held))]
            engine = DaskEngine(patience, held, rows_of, names)
            try:
                return fit_parts(self, engine)  # type: ignore[no-any-return]
            finally:
                engine.close()

    def predict(self, X: Any) -> Any:
        """Predict rows: lazily where X is a Dask collection."""
        return _mapped(self.to_local(), "predict", X)


class ClassesOnDask(OnDask):
    """What those of them share that predict classes."""

    def predict_proba(self, X: Any) -> Any:
        """Predict the shares of classes: lazily where X is a Dask collection."""
        return _mapped(self.to_local(), "predict_proba", X)


@beside(tree.DecisionTreeClassifier, client=Cluster, patience=Patient, verbose=Told)
class DecisionTreeClassifier(ClassesOnDask, tree.DecisionTreeClassifier):
    """`bosco.DecisionTreeClassifier` for Dask collections.

    @parameters

    Attributes
    ----------
    @attributes
    """


@beside(tree.DecisionTreeRegressor, client=Cluster, patience=Patient, verbose=Told)
class DecisionTreeRegressor(OnDask, tree.DecisionTreeRegressor):
    """`bosco.DecisionTreeRegressor` for Dask collections.

    @parameters

    Attributes
    ----------
    @attributes
    """


@beside(forest.RandomForestClassifier, client=Cluster, patience=Patient)
class RandomForestClassifier(ClassesOnDask, forest.RandomForestClassifier):  # type: ignore[misc]  # no row_keys
    """`bosco.RandomForestClassifier` for Dask collections.

    @parameters

    @forest_of_classes
    """


@beside(forest.RandomForestRegressor, client=Cluster, patience=Patient)
class RandomForestRegressor(OnDask, forest.RandomForestRegressor):  # type: ignore[misc]  # no row_keys
    """`bosco.RandomForestRegressor` for Dask collections.

    @parameters

    @forest_of_numbers
    """


@beside(forest.ExtraTreesClassifier, client=Cluster, patience=Patient)
class ExtraTreesClassifier(ClassesOnDask, forest.ExtraTreesClassifier):  # type: ignore[misc]  # no row_keys
    """`bosco.ExtraTreesClassifier` for Dask collections.

    @parameters

    @forest_of_classes
    """


@beside(forest.ExtraTreesRegressor, client=Cluster, patience=Patient)
class ExtraTreesRegressor(OnDask, forest.ExtraTreesRegressor):  # type: ignore[misc]  # no row_keys
    """`bosco.ExtraTreesRegressor` for Dask collections.

    @parameters

    @forest_of_numbers
    """


@beside(boost.AdaBoostClassifier, client=Cluster, patience=Patient)
class AdaBoostClassifier(ClassesOnDask, boost.AdaBoostClassifier):
    """`bosco.AdaBoostClassifier` for Dask collections, over trees of bosco.

    @parameters

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, estimator_errors_, history_, model_
        As those of `bosco.AdaBoostClassifier`. Rows to `watch` are numbered from partition to
        partition.
    """


def rows_of(held: tuple[Any, Any, Any]) -> Rows:
    """A partition as rows: a frame, the target and the weights, each given or a column's name."""
    frame, y, weight = held
    if not len(frame):
        return Rows(None, None)
    names = [name for name in (y, weight) if isinstance(name, str)]
    y = frame[y] if isinstance(y, str) else y
    weight = frame[weight] if isinstance(weight, str) else weight
    return Rows(read_table(frame.drop(columns=names) if names else frame), y, weight)


@contextmanager
def _client(given: Any) -> Iterator[Any]:
    """The client to use; what is made for this fit ends with it."""
    from distributed import Client, LocalCluster, get_client

    if given is not None and not isinstance(given, str):
        yield given
        return
    if given is None:
        with suppress(ValueError):  # there is none
            given = get_client()
        if given is not None:
            yield given
            return
    with ExitStack() as made:
        try:
            where = given or made.enter_context(LocalCluster(dashboard_address=":0"))
            client = made.enter_context(Client(where))
        except OSError as error:
            raise ClusterError(f"There is no cluster at {given!r}: {error}") from error
        yield client


def _held(X: Any, y: Any, weight: Any, patience: Patience) -> list[Any]:
    """For every partition of X a task that gives it with its target and weights."""
    parts = _delayed(X, "X")
    beside = []
    for other, what in ((y, "y"), (weight, "sample_weight")):
        if other is None or isinstance(other, str):
            if isinstance(other, str):
                _require_column(X, other, what)
            beside.append([other] * len(parts))
        else:
            beside.append(_cut_alike(_delayed(other, what), parts, what, patience))
    return [dask.delayed(tuple)(three) for three in zip(parts, *beside, strict=True)]


def _require_column(X: Any, name: str, what: str) -> None:
    columns = getattr(X, "columns", None)
    if columns is None:
        raise ParameterError(f"{what}={name!r} names a column, but X is an array without names.")
    if name not in columns:
        there = list(map(str, columns))
        raise ParameterError(f"{what}={name!r} is no column of X.{did_you_mean(name, there)}")


def _delayed(collection: Any, what: str) -> list[Any]:
    """The partitions of a collection, each of whole rows."""
    if not dask.is_dask_collection(collection):
        raise ParameterError(
            f"{what} must be a Dask collection. Got {type(collection).__name__}. Hint: the class "
            f"of the same name in bosco itself takes tables in memory."
        )
    if hasattr(collection, "rechunk"):
        whole = collection if collection.ndim == 1 else collection.rechunk({1: -1})
        return list(whole.to_delayed().ravel())
    return list(collection.to_delayed())


def _cut_alike(parts: list[Any], like: list[Any], what: str, patience: Patience) -> list[Any]:
    """The rows of a collection, cut where those of another are."""
    count = dask.delayed(len)
    lengths = patience.gather(patience.client.compute([count(p) for p in (*like, *parts)]))
    wanted, own = lengths[: len(like)], lengths[len(like) :]
    if sum(own) != sum(wanted):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{sum(wanted)}, "
            f"{sum(own)}]. X and {what} must have as many rows as each other."
        )
    if own == wanted:
        return parts
    starts, made, at = np.cumsum([0, *own]), [], 0
    for n in wanted:
        pieces = [
            dask.delayed(_slice)(part, max(0, at - start), at + n - start)
            for part, start, end in zip(parts, starts[:-1], starts[1:], strict=True)
            if start < at + n and end > at
        ]
        made.append(dask.delayed(_joined)(pieces))
        at += n
    return made


def _slice(part: Any, begin: int, end: int) -> NDArray[Any]:
    return np.asarray(part)[begin:end]


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(pieces) if pieces else np.zeros(0)


def _mapped(model: Any, method: str, X: Any) -> Any:
    """What a fitted estimator says of every partition, when it is asked for."""
    if not dask.is_dask_collection(X):
        return getattr(model, method)(X)
    ask = dask.delayed(getattr(model, method), pure=True)
    made = [ask(part) for part in _delayed(X, "X")]
    import dask.array as da

    like = (
        np.asarray(model.classes_) if method == "predict" and hasattr(model, "classes_") else None
    )
    dtype = np.dtype(float) if like is None else like.dtype
    wide = (len(model.classes_),) if method == "predict_proba" else ()
    blocks = [da.from_delayed(part, (np.nan, *wide), dtype) for part in made]
    return da.concatenate(blocks, axis=0)
