"""What estimators and models of pyspark.ml share, whatever they learn."""

from typing import Any, ClassVar, Self

from pyspark.ml import Estimator, Model
from pyspark.ml.param import TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasWeightCol,
)
from pyspark.ml.util import MLReadable, MLWritable
from pyspark.sql import DataFrame

from bosco.errors import ParameterError
from bosco.scale.fitting import fit_parts
from bosco.scale.spark_engine import SparkEngine
from bosco.settings.allowed import Setting, words
from bosco.spark.answers import by_arrow, by_sql
from bosco.spark.columns import roles_of
from bosco.spark.kept import Reader, Writer
from bosco.spark.params import camel, defaults_of, give_param, give_params, require_known

_ANSWERS = {"arrow": by_arrow, "sql": by_sql}


class Columns(
    HasFeaturesCol,
    HasLabelCol,
    HasWeightCol,
    HasPredictionCol,
    HasProbabilityCol,
    MLReadable[Any],
    MLWritable,
):
    """Which columns are read and added, and how what has them is kept."""

    def write(self) -> Writer:
        """What writes it into a folder."""
        return Writer(self)

    @classmethod
    def read(cls) -> Reader:
        """What reads it from a folder."""
        return Reader(cls)

    def _set_columns(self) -> None:
        self._setDefault(predictBy="arrow")
        for name in ("featuresCol", "probabilityCol"):  # only those that are asked for
            self.clear(self.getParam(name))
            self._defaultParamMap.pop(self.getParam(name), None)

    def _named(self, param: str) -> Any:
        return self.getOrDefault(param) if self.isDefined(param) else None


_OF_COLUMNS: Any = {
    "labelCol": ("The column to learn.", TypeConverters.toString),
    "weightCol": ("The column with the weights of rows; without it all count 1.", str),
    "featuresCols": (
        "The columns to learn from, of any plain type; by default all that have no other role.",
        TypeConverters.toListString,
    ),
    "featuresCol": ("A column of vectors to learn from, instead.", TypeConverters.toString),
    "predictionCol": ("The column of predictions that is added.", TypeConverters.toString),
    "probabilityCol": (
        "The column of class shares, a vector in the order of `model_.classes`, that is added; "
        "none by default.",
        TypeConverters.toString,
    ),
}
for _name, (_says, _check) in _OF_COLUMNS.items():
    give_param(Columns, _name, _says, _check)
give_params(
    Columns,
    {
        "predict_by": Setting(
            words(*_ANSWERS),
            default="arrow",
            says="""How rows are predicted: "arrow", batches of them at Python workers, or "sql",
            a query, which needs no Python there.""",
        )
    },
)


class OnSpark(Columns, Estimator[Any]):
    """An estimator for DataFrames, with the settings of a local one."""

    _local: ClassVar[Any]
    _gives: ClassVar[Any]

    def __init_subclass__(cls, of: Any = None, gives: Any = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if of is not None:
            cls._local, cls._gives = of, gives
            give_params(cls, of._settings)

    def __init__(self, **given: Any) -> None:
        super().__init__()
        self._set_columns()
        self._setDefault(**defaults_of(self._local))
        self.setParams(**given)

    def setParams(self, **given: Any) -> Self:  # noqa: N802
        """Set parameters by name."""
        require_known(type(self), given)
        self._set(**given)
        return self

    def _fit(self, dataset: DataFrame) -> Any:
        roles = roles_of(
            dataset,
            self.getLabelCol(),
            self._named("weightCol"),
            self._named("featuresCols"),
            self._named("featuresCol"),
        )
        settings = {name: self.getOrDefault(camel(name)) for name in self._local._settings}
        local = self._local(**settings)
        engine = SparkEngine(roles.selected(dataset), roles.rows)
        try:
            fit_parts(local, engine)
        finally:
            engine.close()
        made = self._gives()
        made.model_ = local.model_
        return self._copyValues(made)


class ModelOnSpark(Columns, Model):
    """A model that predicts the rows of DataFrames; `model_` is what was learned."""

    model_: Any = None

    def __init__(self) -> None:
        super().__init__()
        self._set_columns()

    def _transform(self, dataset: DataFrame) -> DataFrame:
        if self.model_ is None:
            raise ParameterError(f"{type(self).__name__} is made by fit, or by load.")
        return _ANSWERS[self.getPredictBy()](
            self.model_,
            dataset,
            self._named("featuresCol"),
            self.getPredictionCol(),
            self._named("probabilityCol"),
        )
