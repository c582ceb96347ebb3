"""Spark: workers and executors that die, rows that change, and what is carried."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.errors import DataError
from tests.on_spark import FEATURES, MARKS, frame, table
from tests.test_scale import file_of, fitted

pytestmark = MARKS


def python_workers(above: int | None = None) -> list[int]:
    """The processes of Spark's Python workers: forks of a daemon, found as ps shows them."""
    lines = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
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
    assert [request for request, said in jobs if any(one.marks for one in said)] == ["introduction"]
    counts = [said for request, said in jobs if request == "each"]
    assert len(counts) >= 3
    assert all(len(said) <= 2 and len(one.answers) <= 1 for said in counts for one in said)


def test_rows_that_change_are_noticed(spark: Any) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    from bosco.scale.spark_engine import SparkEngine
    from bosco.spark.columns import Roles

    chance = F.udf(lambda: float(np.random.default_rng().random()), "double").asNondeterministic()
    df = spark.range(30, numPartitions=2).withColumn("late", chance())
    engine = SparkEngine(df, Roles("late", None, ("id",)).rows)
    try:
        assert engine.ask([], "n_given") == [15, 15]
        engine.homes.clear()  # as if all workers were gone
        assert engine.ask([], "n_given") == [15, 15]  # targets are not compared, columns are
    finally:
        engine.close()  # and what it keeps: while that is kept, others would see the same rows
    other = SparkEngine(df.select("late", "id"), Roles("id", None, ("late",)).rows)
    try:
        other.ask([], "n_given")
        other.homes.clear()
        with pytest.raises(DataError, match=r"partition 0 was made again and has other rows"):
            other.ask([], "n_given")
    finally:
        other.close()


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
                shown = subprocess.check_output(["ps", "-ww", "-eo", "pid,args"], text=True)
                pids = [int(line.split()[0]) for line in shown.splitlines()
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
