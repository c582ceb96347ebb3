"""Trees from Spark DataFrames: the same models, bit for bit, as from one table in memory.

Estimators and models of pyspark.ml, on plain columns. The model does not depend on the number of
partitions or executors, nor on which of them die. Rows go once to Spark's Python workers; from then
on tables of counts travel.
"""

from bosco.estimators import boost, forest, tree
from bosco.spark.estimators import ModelOnSpark, OnSpark

__all__ = [
    "AdaBoostClassificationModel",
    "AdaBoostClassifier",
    "DecisionTreeClassificationModel",
    "DecisionTreeClassifier",
    "DecisionTreeRegressionModel",
    "DecisionTreeRegressor",
    "ExtraTreesClassificationModel",
    "ExtraTreesClassifier",
    "ExtraTreesRegressionModel",
    "ExtraTreesRegressor",
    "RandomForestClassificationModel",
    "RandomForestClassifier",
    "RandomForestRegressionModel",
    "RandomForestRegressor",
]


class DecisionTreeClassificationModel(ModelOnSpark):
    """A tree that predicts classes; `model_` is a `bosco.Model`."""


class DecisionTreeRegressionModel(ModelOnSpark):
    """A tree that predicts numbers; `model_` is a `bosco.Model`."""


class RandomForestClassificationModel(ModelOnSpark):
    """Trees that vote for classes; `model_` is a `bosco.ForestModel`."""


class RandomForestRegressionModel(ModelOnSpark):
    """Trees whose mean is predicted; `model_` is a `bosco.ForestModel`."""


class ExtraTreesClassificationModel(ModelOnSpark):
    """Trees of random cuts that vote; `model_` is a `bosco.ForestModel`."""


class ExtraTreesRegressionModel(ModelOnSpark):
    """Trees of random cuts and their mean; `model_` is a `bosco.ForestModel`."""


class AdaBoostClassificationModel(ModelOnSpark):
    """Boosted trees; `model_` is what they are together, such as a `bosco.ScoreTable`."""


class DecisionTreeClassifier(
    OnSpark, of=tree.DecisionTreeClassifier, gives=DecisionTreeClassificationModel
):
    """`bosco.DecisionTreeClassifier` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class DecisionTreeRegressor(
    OnSpark, of=tree.DecisionTreeRegressor, gives=DecisionTreeRegressionModel
):
    """`bosco.DecisionTreeRegressor` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class RandomForestClassifier(
    OnSpark, of=forest.RandomForestClassifier, gives=RandomForestClassificationModel
):
    """`bosco.RandomForestClassifier` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class RandomForestRegressor(
    OnSpark, of=forest.RandomForestRegressor, gives=RandomForestRegressionModel
):
    """`bosco.RandomForestRegressor` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class ExtraTreesClassifier(
    OnSpark, of=forest.ExtraTreesClassifier, gives=ExtraTreesClassificationModel
):
    """`bosco.ExtraTreesClassifier` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class ExtraTreesRegressor(OnSpark, of=forest.ExtraTreesRegressor, gives=ExtraTreesRegressionModel):
    """`bosco.ExtraTreesRegressor` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """


class AdaBoostClassifier(OnSpark, of=boost.AdaBoostClassifier, gives=AdaBoostClassificationModel):
    """`bosco.AdaBoostClassifier` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them, and those that name
    columns; ``explainParams()`` tells what they mean.
    """
