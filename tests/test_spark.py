"""Spark: real Python workers, and the file of the model that one table gives."""

import datetime
import decimal
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bosco
from bosco.errors import DataError, KindError, ModelError, ParameterError
from tests.test_scale import file_of, fitted

pytest.importorskip("pyspark", reason="needs bosco[spark]")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of py4j
]

N = 1500


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def table(seed: int = 0, missing: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N).round(1)})
    X["few"] = rng.integers(0, 10, N)
    X["text"] = rng.choice(["red", "green", "blue"], N)
    X["true"] = rng.random(N) > 0.5
    signal = X["a"] + X["b"] * (X["few"] - 5) / 3 + (X["text"] == "red") + rng.normal(size=N)
    if missing:
        X.loc[rng.random(N) < 0.1, "a"] = np.nan
        X.loc[rng.random(N) < 0.05, "text"] = None
    X["late"] = np.select([signal > 1, signal < -1], ["yes", "no"], "perhaps")
    X["minutes"] = signal
    X["copies"] = rng.integers(0, 3, N)
    X["share"] = rng.random(N)
    return X


ROLES = ["late", "minutes", "copies", "share"]
FEATURES = [name for name in table().columns if name not in ROLES]


def frame(spark: Any, data: pd.DataFrame, parts: int) -> Any:
    """Of seven partitions some are empty, others have one class."""
    made = spark.createDataFrame(pa.Table.from_pandas(data, preserve_index=False))
    return made.repartition(7, "late") if parts == 7 else made.repartition(parts)


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


def python_workers(above: int | None = None) -> list[int]:
    """The processes of Spark's Python workers: forks of a daemon, found as ps shows them."""
    lines = subprocess.run(
        ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    family: dict[int, tuple[int, str]] = {}
    for line in lines:
        pid, parent, args = line.split(None, 2)
        family[int(pid)] = (int(parent), args)

    def ours(pid: int) -> bool:
        while pid in family:
            if pid == (above or os.getpid()):
                return True
            pid = family[pid][0]
        return False

    daemons = {p for p, (_, args) in family.items() if "pyspark.daemon" in args}
    return [
        p for p, (parent, _) in family.items() if parent in daemons and p in daemons and ours(p)
    ]


def test_workers_that_die_change_nothing(spark: Any, tmp_path: Path) -> None:
    from bosco.spark import DecisionTreeClassifier

    data = table(8)
    df = frame(spark, data, 3)
    tree = DecisionTreeClassifier(labelCol="late", featuresCols=FEATURES, maxDepth=4)
    local = bosco.DecisionTreeClassifier(max_depth=4)
    want = file_of(fitted(local, data[FEATURES], data["late"]).model_, tmp_path)
    assert file_of(tree.fit(df).model_, tmp_path) == want  # and there are workers
    done, killed = threading.Event(), []

    def kill() -> None:
        while not done.wait(0.4) and len(killed) < 6:
            for pid in python_workers()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        files = set()
        while len(killed) < 3:
            files.add(file_of(tree.fit(df).model_, tmp_path))
    finally:
        done.set()
        killer.join()
    assert files == {want}
    assert not spark.sparkContext._jsc.getPersistentRDDs()  # what was kept was let go


def test_each_part_is_brought_once(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests after the first one carry no rows, and one answer of each process."""
    from bosco.scale.spark_engine import SparkEngine
    from bosco.spark import DecisionTreeClassifier

    df = frame(spark, table(9), 7)
    jobs: list[tuple[str, list[Any]]] = []
    run = SparkEngine._run

    def noted(self: Any, request: str, job: Any) -> Any:
        said = run(self, request, job)
        jobs.append((request, said))
        return said

    monkeypatch.setattr(SparkEngine, "_run", noted)
    DecisionTreeClassifier(labelCol="late", featuresCols=FEATURES, maxDepth=2).fit(df)
    assert [request for request, said in jobs if any(one.marks for one in said)] == ["weighty"]
    counts = [said for request, said in jobs if request == "count"]
    assert len(counts) == 3
    assert all(len(said) <= 2 and len(one.answers) <= 1 for said in counts for one in said)


def test_rows_that_change_are_noticed(spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from bosco.scale.spark_engine import SparkEngine
    from bosco.spark.columns import Roles

    chance = F.udf(lambda: float(np.random.default_rng().random()), "double").asNondeterministic()
    df = spark.range(30, numPartitions=2).withColumn("late", chance())
    engine = SparkEngine(df, Roles("late", None, ("id",)).rows)
    other = SparkEngine(df.select("late", "id"), Roles("id", None, ("late",)).rows)
    try:
        assert engine.ask([], "weighty") == [15, 15]
        engine.homes.clear()  # as if all workers were gone
        assert engine.ask([], "weighty") == [15, 15]  # targets are not compared, columns are
        other.ask([], "weighty")
        other.homes.clear()
        with pytest.raises(DataError, match=r"partition 0 was made again and has other rows"):
            other.ask([], "weighty")
    finally:
        engine.close()
        other.close()


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


def test_without_executors_a_fit_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark would wait for ever; here it is asked by an engine that sees the driver alone."""
    from types import SimpleNamespace

    from bosco.scale import spark_engine

    monkeypatch.setattr(spark_engine, "_LOOK_AGAIN", 0.01)
    cancelled: list[str] = []
    alone = SimpleNamespace(size=lambda: 1)
    java = SimpleNamespace(isLocal=lambda: False, getExecutorMemoryStatus=lambda: alone)
    engine = object.__new__(spark_engine.SparkEngine)
    engine.context = SimpleNamespace(
        _jsc=SimpleNamespace(sc=lambda: java), cancelJobsWithTag=cancelled.append
    )
    engine.patience, engine.job, engine.closed = 0.03, "job", threading.Event()
    watch = threading.Thread(target=engine._watch)
    watch.start()
    watch.join(timeout=60)
    assert not watch.is_alive()
    assert engine.gave_up == "Spark has had no executor for 0.03 seconds."
    assert cancelled == ["bosco-job"]


def test_executors_that_die_change_nothing(tmp_path: Path) -> None:
    """Two executors in processes of their own, of which one is killed while a tree grows."""
    data = table(11)
    data.to_parquet(tmp_path / "data.parquet", row_group_size=100)
    local = bosco.DecisionTreeClassifier(max_depth=5)
    want = file_of(fitted(local, data[FEATURES], data["late"]).model_, tmp_path)
    code = f"""
        import os, signal, subprocess, sys, threading
        os.environ |= {{"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}}
        from pyspark.sql import SparkSession
        from bosco.spark import DecisionTreeClassifier

        spark = (
            SparkSession.builder.master("local-cluster[2,1,512]")
            .config("spark.ui.enabled", "false").config("spark.driver.memory", "512m")
            .config("spark.executor.memory", "512m").config("spark.speculation", "true")
            .config("spark.sql.files.maxPartitionBytes", "20000").getOrCreate()
        )
        spark.sparkContext.setLogLevel("OFF")
        df = spark.read.parquet({str(tmp_path / "data.parquet")!r})
        tree = DecisionTreeClassifier(labelCol="late", featuresCols={FEATURES!r}, maxDepth=5)
        done, killed = threading.Event(), []

        def kill():
            while not done.wait(0.5) and not killed:
                lines = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True)
                pids = [int(line.split()[0]) for line in lines.stdout.splitlines()
                        if "CoarseGrainedExecutorBackend" in line
                        and spark.sparkContext.applicationId in line]
                if len(pids) == 2:
                    os.kill(pids[0], signal.SIGKILL)
                    killed.append(pids[0])

        killer = threading.Thread(target=kill)
        tree.fit(df)
        killer.start()
        files = set()
        while not killed:
            tree.fit(df).model_.save({str(tmp_path / "made.json")!r})
            files.add(open({str(tmp_path / "made.json")!r}, "rb").read())
        done.set()
        killer.join()
        print(len(files), df.rdd.getNumPartitions())
        spark.stop()
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,  # of a machine that does much else
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[0] == "1"
    assert (tmp_path / "made.json").read_bytes() == want
