"""Spark: real Python workers, and the file of the model that one table gives."""

import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import bosco
from bosco.errors import DataError, KindError, ModelError, ParameterError
from tests.on_spark import FEATURES, MARKS, N, frame, table
from tests.test_scale import file_of, fitted

pytestmark = MARKS

CLASSES, NUMBERS = ("DecisionTreeClassifier", "late"), ("DecisionTreeRegressor", "minutes")


@pytest.mark.parametrize(
    ("kind", "algorithm", "missing", "weight", "parts"),
    [
        (CLASSES, "cart", "learn", None, 1),
        (CLASSES, "cart", "learn", None, 3),
        (CLASSES, "cart", "learn", None, 7),
        (CLASSES, "cart", "surrogate", "share", 3),
        (CLASSES, "id3", "learn", "copies", 7),
        (CLASSES, "c45", "fractional", None, 3),
        (CLASSES, "c45", "fractional", "copies", 7),
        (CLASSES, "hunt", "majority", None, 7),
        (CLASSES, "best_first", "learn", "share", 7),
        (CLASSES, "stump", "learn", "copies", 3),
        (CLASSES, "cart", "error", None, 3),
        (NUMBERS, "cart", "learn", None, 7),
        (NUMBERS, "cart", "fractional", "share", 3),
        (NUMBERS, "best_first", "majority", "copies", 7),
    ],
)
def test_the_file_is_that_of_one_table(
    spark: Any,
    tmp_path: Path,
    kind: tuple[str, str],
    algorithm: str,
    missing: str,
    weight: str | None,
    parts: int,
) -> None:
    import bosco.spark

    (name, label), data = kind, table(missing=missing != "error")
    local = getattr(bosco, name)(
        algorithm=algorithm, missing=missing, max_depth=3, pruning="none", weights="copies"
    )
    own = None if weight is None else data[weight]
    if weight == "share":
        local.set_params(weights="importance")
    want = fitted(local, data[FEATURES], data[label], sample_weight=own).model_
    here = getattr(bosco.spark, name)(
        algorithm=algorithm,
        missing=missing,
        maxDepth=3,
        pruning="none",
        weights=local.weights,
        labelCol=label,
        featuresCols=FEATURES,
    )
    if weight is not None:
        here.setWeightCol(weight)
    df = frame(spark, data, parts)
    if parts == 7:
        sizes = df.rdd.mapPartitions(lambda rows: [len({r["late"] for r in rows})]).collect()
        assert 0 in sizes
        assert 1 in sizes
    assert file_of(here.fit(df).model_, tmp_path) == file_of(want, tmp_path)


def test_columns_of_any_plain_type(spark: Any, tmp_path: Path) -> None:
    from bosco.spark import DecisionTreeClassifier

    rng = np.random.default_rng(3)
    n = 400
    day = [datetime.date(2025, 1, 1) + datetime.timedelta(int(d)) for d in rng.integers(0, 90, n)]
    time = [
        datetime.datetime.combine(d, datetime.time(int(h)))
        for d, h in zip(day, rng.integers(0, 24, n), strict=True)
    ]
    holes = rng.random(n) < 0.1
    columns = {
        "day": pa.array(day, pa.date32()),
        "time": pa.array(time, pa.timestamp("us")),
        "instant": pa.array(time, pa.timestamp("us", "UTC")),
        "price": pa.array(
            [decimal.Decimal(int(p)) / 100 for p in rng.integers(0, 999, n)], pa.decimal128(10, 2)
        ),
        "small": pa.array(rng.integers(0, 9, n), pa.int8(), mask=holes),
        "true": pa.array(rng.random(n) > 0.5, mask=holes),
        "text": pa.array(rng.choice(["x", "y", "z"], n), mask=holes),
        "float": pa.array(rng.normal(size=n).astype(np.float32), mask=holes),
        "nothing": pa.nulls(n, pa.float64()),
    }
    score = np.array([d.toordinal() for d in day]) % 31 + np.array([t.hour for t in time])
    given = pa.table(columns | {"late": pa.array(score > 27)})
    df = spark.createDataFrame(given).repartition(3)
    model = DecisionTreeClassifier(labelCol="late", maxDepth=4).fit(df).model_
    there = df.toArrow()
    want = fitted(
        bosco.DecisionTreeClassifier(max_depth=4), there.drop_columns(["late"]), there["late"]
    )
    assert file_of(model, tmp_path) == file_of(want.model_, tmp_path)


def test_predictions_stand_beside_all_columns(spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from bosco.spark import DecisionTreeClassifier, DecisionTreeRegressor

    data = table(5)
    df = frame(spark, data, 3).withColumn("list", F.array(F.col("a"), F.col("b")))
    tree = DecisionTreeClassifier(
        labelCol="late", featuresCols=FEATURES, maxDepth=4, probabilityCol="shares"
    )
    model = tree.fit(df)
    for way in ("arrow", "sql"):
        out = model.setPredictBy(way).transform(df)
        assert out.columns == [*df.columns, "prediction", "shares"]
        rows = out.toArrow()
        X = rows.select(FEATURES)
        assert rows["prediction"].to_pylist() == model.model_.predict(X).tolist(), way
        shares = np.array([row["shares"].toArray() for row in out.select("shares").collect()])
        assert len(shares) == N
        assert (np.sort(shares.ravel()) == np.sort(model.model_.predict_proba(X).ravel())).all()
    numbers = DecisionTreeRegressor(labelCol="minutes", featuresCols=["few"], maxDepth=2).fit(df)
    said = numbers.setPredictionCol("expected").transform(df).toArrow()
    assert (said["expected"].to_numpy() == numbers.model_.predict(said.select(["few"]))).all()
    leaf = DecisionTreeRegressor(labelCol="minutes", featuresCols=["few"], minSamplesLeaf=N).fit(df)
    assert leaf.model_.columns_asked == ()
    assert leaf.transform(df).select("prediction").distinct().count() == 1
    with pytest.raises(ParameterError, match="'few' is no column of the DataFrame"):
        numbers.transform(df.drop("few"))


def test_pipelines_folds_and_files(spark: Any, tmp_path: Path) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator
    from pyspark.ml.feature import StringIndexer
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    from bosco.spark import DecisionTreeClassificationModel, DecisionTreeClassifier

    df = frame(spark, table(6), 3)
    weights = {0.0: 1, 1.0: 2.5}  # JSON would make text of its keys
    tree = DecisionTreeClassifier(labelCol="code", featuresCols=FEATURES, classWeight=weights)
    index = StringIndexer(inputCol="late", outputCol="code")
    pipeline = Pipeline(stages=[index, tree])
    grid = ParamGridBuilder().addGrid(tree.maxDepth, [1, 3]).build()
    judge = MulticlassClassificationEvaluator(labelCol="code", metricName="accuracy")
    folds = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, evaluator=judge, numFolds=2, parallelism=2
    ).fit(df)
    best = folds.bestModel.stages[-1]
    assert folds.avgMetrics[1] > folds.avgMetrics[0]
    assert best.model_.depth == 3
    assert tree.getMaxDepth() is None  # copies were fitted
    folds.bestModel.write().save(str(tmp_path / "pipeline"))
    again = PipelineModel.load(str(tmp_path / "pipeline"))
    assert file_of(again.stages[-1].model_, tmp_path) == file_of(best.model_, tmp_path)
    assert again.transform(df).toArrow() == folds.bestModel.transform(df).toArrow()
    (inside,) = (tmp_path / "pipeline" / "stages").glob("1_*/model/part*")
    assert bosco.load(inside).depth == 3  # a model's file like any other

    tree.write().save(str(tmp_path / "tree"))
    same = DecisionTreeClassifier.load(str(tmp_path / "tree"))
    assert same.getClassWeight() == weights
    assert same.getFeaturesCols() == FEATURES
    assert same.uid == tree.uid
    with pytest.raises(ModelError, match=r"DecisionTreeClassifier, which is no .*Model"):
        DecisionTreeClassificationModel.load(str(tmp_path / "tree"))
    with pytest.raises(ParameterError, match=r"pruning=CostComplexity.* cannot be written"):
        tree.setPruning(bosco.pruning.CostComplexity(alpha=0.1)).save(str(tmp_path / "policy"))


def test_vectors_are_taken_too(spark: Any, tmp_path: Path) -> None:
    from pyspark.ml.feature import VectorAssembler

    from bosco.spark import DecisionTreeClassifier

    data = table(7, missing=False)
    names = ["a", "b", "few"]
    df = VectorAssembler(inputCols=names, outputCol="features").transform(frame(spark, data, 3))
    tree = DecisionTreeClassifier(labelCol="late", featuresCol="features", maxDepth=3)
    model = tree.fit(df)
    X = data[names].astype(float)
    want = fitted(bosco.DecisionTreeClassifier(max_depth=3), X, data["late"]).model_
    assert file_of(model.model_, tmp_path) == file_of(want, tmp_path)
    out = model.transform(df).drop("features").toArrow()
    assert out["prediction"].to_pylist() == want.predict(out.select(names)).tolist()
    with pytest.raises(KindError, match="'features' holds values of type vector"):
        DecisionTreeClassifier(labelCol="late").fit(df)
    with pytest.raises(ParameterError, match=r"predictBy='sql' reads plain columns"):
        model.setPredictBy("sql").transform(df)


def test_what_is_refused_is_said_in_a_sentence(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from bosco.spark import DecisionTreeClassificationModel, DecisionTreeClassifier

    data = table(10)
    df = frame(spark, data, 3)
    with pytest.raises(TypeError, match=r"no parameter 'max_depht'\. Did you mean 'maxDepth'"):
        DecisionTreeClassifier(max_depht=3)
    with pytest.raises(ParameterError, match=r"maxDepth must be an int .* Got 'deep'\."):
        DecisionTreeClassifier(maxDepth="deep")
    tree = DecisionTreeClassifier(labelCol="late", maxDepth=2)
    with pytest.raises(ParameterError, match=r"labelCol='lat' is no column .* mean 'late'"):
        tree.copy({tree.labelCol: "lat"}).fit(df)
    with pytest.raises(KindError, match="Column 'list' holds values of type array<double>"):
        tree.fit(df.withColumn("list", F.array("a")))
    with pytest.raises(ParameterError, match="made by fit"):
        DecisionTreeClassificationModel().transform(df)
    holes = df.withColumn("late", F.when(F.col("minutes") < 100, F.col("late")))
    with pytest.raises(
        DataError, match=r"^partition \d: Input y contains NaN: .* row \d+"
    ) as error:
        tree.fit(holes.withColumn("late", F.when(F.rand(1) < 0.9, F.col("late"))))
    assert "\n" not in str(error.value)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 is no file PAR1")
    schema = "a double, late string"
    with pytest.raises(DataError, match=r"Spark cannot give the rows: .*broken\.parquet") as error:
        tree.fit(spark.read.schema(schema).parquet(str(tmp_path / "broken.parquet")))
    assert len(str(error.value)) < 400
