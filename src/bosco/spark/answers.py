"""What a model says of the rows of a DataFrame, as columns beside their own."""

import uuid
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.ml.functions import array_to_vector
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.types import from_arrow_type

from bosco.errors import ParameterError
from bosco.spark.columns import column, matrix, require_column, vector_column


def by_arrow(
    model: Any, frame: DataFrame, vector: str | None, prediction: str, probability: str | None
) -> DataFrame:
    """Ask the model batch by batch, at the workers."""
    asked = list(model.columns_asked)
    if vector is None:
        for name in asked:
            require_column(frame, name, "the model's column ")
        given = [column(name) for name in asked] or [F.lit(0)]  # a leaf alone asks nothing
    else:
        require_column(frame, vector, "featuresCol")
        given = [vector_column(vector)]
    labels = _labels(model)
    shares = probability is not None and model.classes is not None
    inside = model.schema.without_derived().names

    def ask(*columns: pa.Array) -> pa.Array:
        if vector is not None:
            rows: Any = matrix(columns[0], vector, inside)
        else:
            rows = pa.table(list(columns), names=asked or ["nothing"])
        return _said(model, rows, labels, shares)

    kinds = [("prediction", labels)] + [("probability", pa.list_(pa.float64()))] * shares
    told = F.arrow_udf(ask, from_arrow_type(pa.struct(kinds)))(*given)
    name = f"bosco_{uuid.uuid4().hex}"
    made = frame.withColumn(name, told)
    made = made.withColumn(prediction, made[name]["prediction"])
    if shares:
        made = made.withColumn(probability, array_to_vector(made[name]["probability"]))
    return made.drop(name)


def by_sql(
    model: Any, frame: DataFrame, vector: str | None, prediction: str, probability: str | None
) -> DataFrame:
    """Ask by a query, which needs no Python at the workers."""
    if vector is not None:
        raise ParameterError(
            "predictBy='sql' reads plain columns, not vectors. Hint: predictBy='arrow'."
        )
    for name in model.columns_asked:
        require_column(frame, name, "the model's column ")
    view = f"bosco_{uuid.uuid4().hex}"
    own = [name for name in frame.columns if name not in (prediction, probability)]
    frame.createOrReplaceTempView(view)
    try:
        text = model.to_sql("spark", table=view, keep=own, prefix="bosco_")
        made = frame.sparkSession.sql(text.strip().rstrip(";"))
    finally:
        frame.sparkSession.catalog.dropTempView(view)
    added = made.columns[: len(made.columns) - len(own)]
    n_shares = 0 if model.classes is None else len(model.classes)
    answer, *shares = (column(name) for name in added[len(added) - n_shares - 1 :])
    if _labels(model) == pa.float64():
        answer = answer.cast("double")
    named = [answer.alias(prediction)]
    if probability is not None and shares:
        named.append(array_to_vector(F.array(*shares)).alias(probability))
    return made.select(*map(column, own), *named)


def _labels(model: Any) -> pa.DataType:
    """Of what type predictions are: numbers are doubles, as the evaluators of Spark expect."""
    if model.classes is None or model.classes.dtype.kind in "iuf":
        return pa.float64()
    return pa.array(model.classes.tolist()).type


def _said(model: Any, rows: Any, labels: pa.DataType, shares: bool) -> pa.Array:
    frame = model.read(rows)
    said = pa.array(model.predict_frame(frame).tolist()).cast(labels)
    if not shares:
        return pa.StructArray.from_arrays([said], ["prediction"])
    values = model.values_frame(frame)
    ends = np.arange(0, values.size + 1, values.shape[1], dtype=np.int32)
    lists = pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()))
    return pa.StructArray.from_arrays([said, lists], ["prediction", "probability"])
