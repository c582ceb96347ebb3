"""Trees from Spark DataFrames: the same models, bit for bit, as from one table in memory.

Estimators and models of pyspark.ml, on plain columns. The model does not depend on the number of
partitions or executors, nor on which of them die. Rows go once to Spark's Python workers; from then
on tables of counts travel.
"""

from bosco.estimators import tree as local
from bosco.spark.estimators import ModelOnSpark, OnSpark

__all__ = [
    "DecisionTreeClassificationModel",
    "DecisionTreeClassifier",
    "DecisionTreeRegressionModel",
    "DecisionTreeRegressor",
]


class DecisionTreeClassificationModel(ModelOnSpark):
    """A tree that predicts classes; `model_` is a `bosco.Model`."""


class DecisionTreeRegressionModel(ModelOnSpark):
    """A tree that predicts numbers; `model_` is a `bosco.Model`."""


class DecisionTreeClassifier(
    OnSpark, of=local.DecisionTreeClassifier, gives=DecisionTreeClassificationModel
):
    """`bosco.DecisionTreeClassifier` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them (`maxDepth`,
    `minSamplesLeaf`, …), and `labelCol`, `featuresCols`, `featuresCol`, `weightCol`,
    `predictionCol`, `probabilityCol` and `predictBy`; ``explainParams()`` tells what they mean.
    """


class DecisionTreeRegressor(
    OnSpark, of=local.DecisionTreeRegressor, gives=DecisionTreeRegressionModel
):
    """`bosco.DecisionTreeRegressor` for Spark DataFrames, an Estimator of pyspark.ml.

    Its parameters are those of the local class, named as Spark names them (`maxDepth`,
    `minSamplesLeaf`, …), and `labelCol`, `featuresCols`, `featuresCol`, `weightCol`,
    `predictionCol` and `predictBy`; ``explainParams()`` tells what they mean.
    """
