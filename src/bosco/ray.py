"""Trees from datasets of Ray: the same models, bit for bit, as from one table in memory.

The model does not depend on the number of actors or of blocks, nor on which of them die. Rows stay
in Ray's store: tables of counts travel.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import ray
import ray.data

from bosco.data.readers import read_table
from bosco.errors import ParameterError, did_you_mean
from bosco.estimators import boost, forest, tree
from bosco.estimators.parameters import beside, check_parameters
from bosco.scale.elsewhere import Elsewhere
from bosco.scale.fitting import fit_parts
from bosco.scale.part import Rows
from bosco.scale.ray_engine import RayEngine
from bosco.settings.settings import Actors, Patient, Told

__all__ = [
    "AdaBoostClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
]


class OnRay(Elsewhere):
    """What estimators on Ray share; the rest is that of the local class of the same name."""

    actors: int | None
    patience: float

    if TYPE_CHECKING:  # `beside` writes it for each class

        def __init__(self, *first: Any, actors: int | None = None, **given: Any):
            """Take the settings of the local class, and these."""

    def fit(self, X: Any, y: str, sample_weight: str | None = None) -> Self:
        """Learn from a dataset of Ray.

        Parameters
        ----------
        X : ray.data.Dataset
            The rows, in any blocks.
        y : str
            The name of the column to learn.
        sample_weight : str or None, default=None
            The name of a column of weights.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_parameters(self)
        if not isinstance(X, ray.data.Dataset):
            raise ParameterError(
                f"X must be a dataset of Ray. Got {type(X).__name__}. Hint: the class of the same "
                f"name in bosco itself takes tables in memory."
            )
        there = X.columns() or []
        roles = {"y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
        for role, name in roles.items():
            if name not in there:
                hint = did_you_mean(name, there)
                raise ParameterError(f"{role}={name!r} is no column of X.{hint}")
        made = X.materialize()
        blocks = [ray.put((block, y, sample_weight)) for block in made.to_arrow_refs()]
        actors = self.actors or int(ray.cluster_resources().get("CPU", 1))
        engine = RayEngine(blocks, rows_of, actors, self.patience)
        try:
            return fit_parts(self, engine)  # type: ignore[no-any-return]
        finally:
            engine.close()

    def predict(self, X: Any) -> Any:
        """Predict rows: a dataset of Ray lazily, as a dataset with the column ``prediction``."""
        return _mapped(self.to_local(), "predict", X)


class ClassesOnRay(OnRay):
    """What those of them share that predict classes."""

    def predict_proba(self, X: Any) -> Any:
        """Predict the shares of classes: of a dataset lazily, a column for each class."""
        return _mapped(self.to_local(), "predict_proba", X)


@beside(tree.DecisionTreeClassifier, actors=Actors, patience=Patient, verbose=Told)
class DecisionTreeClassifier(ClassesOnRay, tree.DecisionTreeClassifier):
    """`bosco.DecisionTreeClassifier` for datasets of Ray.

    @parameters

    Attributes
    ----------
    @attributes
    """


@beside(tree.DecisionTreeRegressor, actors=Actors, patience=Patient, verbose=Told)
class DecisionTreeRegressor(OnRay, tree.DecisionTreeRegressor):
    """`bosco.DecisionTreeRegressor` for datasets of Ray.

    @parameters

    Attributes
    ----------
    @attributes
    """


@beside(forest.RandomForestClassifier, actors=Actors, patience=Patient)
class RandomForestClassifier(ClassesOnRay, forest.RandomForestClassifier):  # type: ignore[misc]  # no row_keys
    """`bosco.RandomForestClassifier` for datasets of Ray.

    @parameters

    @forest_of_classes
    """


@beside(forest.RandomForestRegressor, actors=Actors, patience=Patient)
class RandomForestRegressor(OnRay, forest.RandomForestRegressor):  # type: ignore[misc]  # no row_keys
    """`bosco.RandomForestRegressor` for datasets of Ray.

    @parameters

    @forest_of_numbers
    """


@beside(forest.ExtraTreesClassifier, actors=Actors, patience=Patient)
class ExtraTreesClassifier(ClassesOnRay, forest.ExtraTreesClassifier):  # type: ignore[misc]  # no row_keys
    """`bosco.ExtraTreesClassifier` for datasets of Ray.

    @parameters

    @forest_of_classes
    """


@beside(forest.ExtraTreesRegressor, actors=Actors, patience=Patient)
class ExtraTreesRegressor(OnRay, forest.ExtraTreesRegressor):  # type: ignore[misc]  # no row_keys
    """`bosco.ExtraTreesRegressor` for datasets of Ray.

    @parameters

    @forest_of_numbers
    """


@beside(boost.AdaBoostClassifier, actors=Actors, patience=Patient)
class AdaBoostClassifier(ClassesOnRay, boost.AdaBoostClassifier):
    """`bosco.AdaBoostClassifier` for datasets of Ray, over trees of bosco.

    @parameters

    Attributes
    ----------
    classes_, estimators_, estimator_weights_, estimator_errors_, history_, model_
        As those of `bosco.AdaBoostClassifier`. Rows to `watch` are numbered from block to block.
    """


def rows_of(held: tuple[Any, str, str | None]) -> Rows:
    """A block as rows: a table of Arrow, and the names of the target and of the weights."""
    block, y, weight = held
    table = ray.get(block)
    if not table.num_rows:
        return Rows(None, None)
    names = [name for name in (y, weight) if name is not None]
    given = None if weight is None else table.column(weight).to_numpy()
    return Rows(read_table(table.drop_columns(names)), table.column(y), given)


def _mapped(model: Any, method: str, X: Any) -> Any:
    """What a fitted estimator says of every batch, when it is asked for."""
    ask = getattr(model, method)
    if not isinstance(X, ray.data.Dataset):
        return ask(X)

    def said(batch: pa.Table) -> pa.Table:
        answers = np.asarray(ask(batch))
        if method == "predict":
            return pa.table({"prediction": answers})
        return pa.table({str(c): answers[:, k] for k, c in enumerate(model.classes_)})

    return X.map_batches(said, batch_format="pyarrow")
