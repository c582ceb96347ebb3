"""Dask: real worker processes, and the file of the model that one table gives.

Over 400 lines, so that one cluster serves all tests.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco.errors import ClusterError, DataError, ParameterError
from tests.test_scale import file_of, fitted

dask = pytest.importorskip("dask", reason="needs bosco[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs bosco[dask]")
distributed = pytest.importorskip("distributed", reason="needs bosco[dask]")

import bosco.dask  # noqa: E402
from bosco.dask import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: E402
from bosco.scale import dask_engine  # noqa: E402
from bosco.scale.patience import Patience  # noqa: E402

N = 3000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


def count_rounds(monkeypatch: pytest.MonkeyPatch, at_round: Callable[[int], None]) -> list[int]:
    """Call something while the cluster works on each round; the rounds so far."""
    rounds: list[int] = []

    def gather(self: Any, futures: Any) -> Any:
        rounds.append(len(rounds))
        at_round(rounds[-1])
        return plain(self, futures)

    plain = _gather
    monkeypatch.setattr(Patience, "gather", gather)
    return rounds


_gather = Patience.gather


def kill_one(client: Any) -> int:
    """Kill a worker, which the cluster will replace, if another one goes on."""
    while True:
        pids = list(client.run(os.getpid, on_error="ignore").values())
        if len(pids) > 1:
            os.kill(pids[0], signal.SIGKILL)
            return int(pids[0])
        time.sleep(0.05)


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(400):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come true in 20 seconds")


def table(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N, 5)), columns=list("abcde"))
    X["text"] = rng.choice(["red", "green", "blue"], N)
    signal = X["a"] + X["b"] * X["c"] + (X["text"] == "red") + rng.normal(size=N)
    X["late"] = np.where(signal > 0, "yes", "no")
    X["minutes"] = signal
    X["weight"] = rng.integers(0, 3, N)
    X.loc[rng.random(N) < 0.1, "a"] = np.nan
    return X


def local(data: pd.DataFrame, folder: Path, weight: bool = False, **settings: Any) -> bytes:
    X = data.drop(columns=["late", "minutes", "weight"])
    given = data["weight"] if weight else None
    clf = bosco.DecisionTreeClassifier(**settings)
    return file_of(fitted(clf, X, data["late"], sample_weight=given).model_, folder)


def test_any_partitions_give_the_file_of_one_table(client: Any, tmp_path: Path) -> None:
    data = table()
    want = local(data, tmp_path, max_depth=5)
    for parts in (1, 3, 7):
        ddf = dd.from_pandas(data.drop(columns=["minutes", "weight"]), npartitions=parts)
        clf = DecisionTreeClassifier(max_depth=5, client=client).fit(ddf, y="late")
        assert file_of(clf.model_, tmp_path) == want
    assert clf.classes_.tolist() == ["no", "yes"]
    X = ddf.drop(columns="late")
    said = clf.predict(X)
    assert not isinstance(said, np.ndarray)  # not yet
    here = data.drop(columns=["late", "minutes", "weight"])
    own = clf.to_local()
    assert type(own) is bosco.DecisionTreeClassifier
    assert (said.compute() == own.predict(here)).all()
    assert (clf.predict_proba(X).compute() == own.predict_proba(here)).all()
    assert clf.score(here, data["late"]) == own.score(here, data["late"])


@pytest.mark.usefixtures("client")  # the current one, which estimators find by themselves
def test_collections_whose_divisions_do_not_agree(tmp_path: Path) -> None:
    data = table(1)
    X = data.drop(columns=["late", "minutes", "weight"])
    ddf = dd.from_pandas(X, npartitions=4)
    y = dd.from_pandas(data["late"], npartitions=3)
    weight = dd.from_pandas(data["weight"].astype(float), npartitions=5)
    clf = DecisionTreeClassifier(max_depth=4, weights="copies").fit(ddf, y, sample_weight=weight)
    want = local(data, tmp_path, weight=True, max_depth=4, weights="copies")
    assert file_of(clf.model_, tmp_path) == want
    numbers = X.drop(columns="text").to_numpy()
    import dask.array as da

    reg = DecisionTreeRegressor(max_depth=4).fit(
        da.from_array(numbers, chunks=(700, 2)), da.from_array(data["minutes"].to_numpy(), 1100)
    )
    whole = bosco.DecisionTreeRegressor(max_depth=4).fit(numbers, data["minutes"].to_numpy())
    assert file_of(reg.model_, tmp_path) == file_of(whole.model_, tmp_path)


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("RandomForestClassifier", {"class_weight": "balanced_subsample", "oob_score": True}),
        ("ExtraTreesClassifier", {"max_features": None}),
        ("RandomForestRegressor", {"max_samples": 0.5, "oob_score": True}),
        ("ExtraTreesRegressor", {"bootstrap": True}),
    ],
)
def test_forests_are_those_of_one_table(name: str, settings: Any, tmp_path: Path) -> None:
    import bosco.dask

    data = table(4)
    goal = "late" if name.endswith("Classifier") else "minutes"
    X = data.drop(columns=["late", "minutes", "weight"])
    settings = settings | {"n_estimators": 5, "max_depth": 4, "random_state": 2}
    whole = fitted(getattr(bosco, name)(**settings), X, data[goal])
    ddf = dd.from_pandas(X.assign(goal=data[goal]), npartitions=5)
    made = fitted(getattr(bosco.dask, name)(**settings), ddf, y="goal")
    assert file_of(made.model_, tmp_path) == file_of(whole.model_, tmp_path)
    own = made.to_local()
    assert type(own) is getattr(bosco, name)
    assert (made.predict(ddf.drop(columns="goal")).compute() == whole.predict(X)).all()
    assert np.array_equal(own.predict(X), whole.predict(X))
    assert len(own.estimators_) == 5
    assert own.estimators_samples_[4].tolist() == whole.estimators_samples_[4].tolist()
    if "oob_score" in settings:
        assert np.isclose(own.oob_score_, whole.oob_score_)
        assert np.allclose(own.oob_curve_, whole.oob_curve_)


def test_trees_in_step_outlive_their_workers(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker draws the same rows, and follows the steps of all trees at hand."""
    from bosco.dask import RandomForestClassifier

    data = table(6).drop(columns=["minutes", "weight"])
    settings = {"n_estimators": 6, "max_depth": 4, "random_state": 2}
    X = data.drop(columns="late")
    whole = bosco.RandomForestClassifier(**settings).fit(X, data["late"])
    monkeypatch.setattr(dask_engine.DaskEngine, "small", 0)  # level by level
    killed: list[int] = []

    def at_round(k: int) -> None:
        if k in (4, 8):
            killed.append(kill_one(client))

    count_rounds(monkeypatch, at_round)
    ddf = dd.from_pandas(data, npartitions=4)
    made = RandomForestClassifier(client=client, **settings).fit(ddf, y="late")
    assert file_of(made.model_, tmp_path) == file_of(whole.model_, tmp_path)
    assert len(killed) == 2


def test_workers_that_die_change_nothing(
    client: Any, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while they are asked, at several rounds of one fit; others come and go meanwhile."""
    data = table(2).drop(columns=["minutes", "weight"])
    want = local(table(2), tmp_path, max_depth=6)
    ddf = dd.from_pandas(data, npartitions=4)
    killed: list[int] = []
    monkeypatch.setattr(dask_engine.DaskEngine, "small", 0)

    def at_round(k: int) -> None:
        if k in (0, 4, 11):
            killed.append(kill_one(client))
        if k == 7:
            cluster.scale(3)
        if k == 13:
            cluster.scale(2)

    rounds = count_rounds(monkeypatch, at_round)
    clf = DecisionTreeClassifier(max_depth=6, client=client).fit(ddf, y="late")
    assert file_of(clf.model_, tmp_path) == want
    assert len(killed) == 3
    assert len(rounds) > 13


def test_small_nodes_are_finished_at_the_workers(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full tree takes few rounds, and a worker that dies there changes nothing either."""
    data = table(3).drop(columns=["minutes", "weight"])
    want = local(table(3), tmp_path)
    ddf = dd.from_pandas(data, npartitions=3)
    last = []

    def at_round(k: int) -> None:
        if last and k == last[0]:
            kill_one(client)

    for _ in range(2):
        rounds = count_rounds(monkeypatch, at_round)
        clf = DecisionTreeClassifier(client=client).fit(ddf, y="late")
        assert file_of(clf.model_, tmp_path) == want
        assert clf.get_depth() > 12
        assert len(rounds) < 20
        last.append(len(rounds) - 1)  # the finishing is the last thing that is asked


GIVEN_UP = "(had no worker|not answered) for 3 seconds"  # a busy machine's scheduler may be late


def test_who_cannot_answer_any_longer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster without any worker, or whose scheduler is gone: one sentence, and soon."""
    data = table().drop(columns=["minutes", "weight"])
    ddf = dd.from_pandas(data, npartitions=2)
    address = tmp_path / "scheduler.json"
    run = [sys.executable, "-m", "distributed.cli"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    file = ["--scheduler-file", str(address)]
    scheduler = subprocess.Popen(
        [*run[:2], "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", *file],
        **quiet,
    )
    worker = [*run[:2], "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *file]
    workers = [subprocess.Popen([*worker, "--no-dashboard"], **quiet)]
    try:
        with distributed.Client(scheduler_file=str(address), timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            clf = DecisionTreeClassifier(client=client, patience=3.0, max_depth=3)
            count_rounds(monkeypatch, lambda k: workers[0].kill() if k == 5 else None)
            with pytest.raises(ClusterError, match=GIVEN_UP):
                clf.fit(ddf, y="late")
            with pytest.raises(ClusterError, match=GIVEN_UP):
                clf.fit(ddf, y="late")  # nor while partitions are made
            workers.append(subprocess.Popen([*worker, "--no-dashboard"], **quiet))
            client.wait_for_workers(1, timeout=60)
            count_rounds(monkeypatch, lambda k: scheduler.kill() if k == 3 else None)
            with pytest.raises(ClusterError, match=r"scheduler"):
                clf.fit(ddf, y="late")
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def broken(frame: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
    if partition_info and partition_info["number"] == 1:
        raise OSError("the file is cut off")
    return frame


def missing_target(frame: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
    if partition_info and partition_info["number"] == 1:
        return frame.assign(late=[None, *frame["late"][1:]])
    return frame


def test_a_partition_that_fails_is_named(client: Any) -> None:
    data = table().drop(columns=["minutes", "weight"])
    ddf = dd.from_pandas(data, npartitions=3)
    clf = DecisionTreeClassifier(client=client)
    for wrong, said in (
        (broken, "partition 1 cannot be made: OSError: the file is cut off"),
        (missing_target, "partition 1: Input y contains NaN: the target of row 0 is missing"),
    ):
        with pytest.raises(DataError, match=said):
            clf.fit(ddf.map_partitions(wrong, meta=ddf), y="late")
    folder = Path(client.scheduler_info()["id"])  # any name that is no file
    with pytest.raises(DataError, match=r"partition 0 cannot be made: FileNotFoundError"):
        clf.fit(dd.from_map(pd.read_parquet, [str(folder)], meta=ddf), y="late")


def test_versions_that_differ_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ddf = dd.from_pandas(table().drop(columns=["minutes", "weight"]), npartitions=2)
    monkeypatch.setattr(dask_engine, "__version__", "9.9")
    clf = DecisionTreeClassifier(client=client)
    rounds = count_rounds(monkeypatch, lambda _: None)
    with pytest.raises(ClusterError, match=r"worker tcp\S+ has bosco \S+, but here is 9\.9"):
        clf.fit(ddf, y="late")
    assert not rounds
    monkeypatch.setattr(bosco.dask, "require_versions", lambda _: None)  # one comes later
    with pytest.raises(ClusterError, match=r"has bosco \S+, but the client 9\.9"):
        clf.fit(ddf, y="late")


def hungry(frame: pd.DataFrame) -> pd.DataFrame:
    held = [np.ones(2**22) for _ in range(40)]  # which never fit
    time.sleep(5 * len(held) / 40)
    return frame


def test_workers_without_memory_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    ddf = dd.from_pandas(table().drop(columns=["minutes", "weight"]), npartitions=1)
    monkeypatch.setattr(dask_engine, "_ATTEMPTS", 1)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit="500MB"
        ) as small,
        distributed.Client(small) as client,
        pytest.raises(ClusterError, match=r"died again and again .* more partitions are smaller"),
    ):
        DecisionTreeClassifier(client=client).fit(ddf.map_partitions(hungry, meta=ddf), y="late")


def slow(frame: pd.DataFrame) -> pd.DataFrame:
    time.sleep(3)
    return frame


def test_an_interrupted_fit_leaves_the_cluster_usable(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ddf = dd.from_pandas(table().drop(columns=["minutes", "weight"]), npartitions=4)
    clf = DecisionTreeClassifier(client=client, max_depth=3)

    def press(_: int) -> None:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()

    count_rounds(monkeypatch, press)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(ddf.map_partitions(slow, meta=ddf), y="late")
    monkeypatch.undo()
    wait_until(lambda: not any(client.processing().values()))
    want = local(table(), tmp_path, max_depth=3)
    assert file_of(clf.fit(ddf, y="late").model_, tmp_path) == want


def test_what_is_refused(client: Any) -> None:
    data = table()
    ddf = dd.from_pandas(data.drop(columns=["minutes", "weight"]), npartitions=2)
    clf = DecisionTreeClassifier(client=client)
    with pytest.raises(ParameterError, match=r"'lat' is no column of X\. Did you mean 'late'"):
        clf.fit(ddf, y="lat")
    with pytest.raises(ParameterError, match=r"must be a Dask collection\. Got DataFrame"):
        clf.fit(data, y="late")
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        clf.fit(ddf, dd.from_pandas(data["late"][:10], npartitions=1))
    with pytest.raises(ParameterError, match="client"):
        DecisionTreeClassifier(client=3).fit(ddf, y="late")


def test_boosting_gives_what_one_table_gives(client: Any, tmp_path: Path) -> None:
    from bosco.dask import AdaBoostClassifier

    data = table(3).drop(columns="minutes")
    X = data.drop(columns=["late", "weight"])
    for settings, weighted in (
        ({"estimator": bosco.DecisionTreeClassifier(max_depth=2), "n_estimators": 4}, False),
        (
            {
                "estimator": bosco.DecisionTreeClassifier(class_weight="balanced", max_depth=2),
                "n_estimators": 3,
                "random_state": 0,
                "early_stopping": True,
            },
            False,
        ),
        ({"n_estimators": 12, "early_stopping": True, "random_state": 0, "watch": [7]}, True),
    ):
        whole = bosco.AdaBoostClassifier(**settings)
        weight = data["weight"].replace(0, 1) if weighted else None
        fitted(whole, X, data["late"], sample_weight=weight)
        ddf = dd.from_pandas(data.assign(weight=data["weight"].replace(0, 1)), npartitions=5)
        given = ddf if weighted else ddf.drop(columns="weight")
        more = {"sample_weight": "weight"} if weighted else {}
        made = AdaBoostClassifier(**settings, client=client).fit(given, y="late", **more)
        for one, other in zip(made.estimators_, whole.estimators_, strict=True):
            assert file_of(one.model_, tmp_path) == file_of(other.model_, tmp_path)
        for name, want in whole.history_.items():
            assert np.array_equal(made.history_[name], want)
    assert file_of(made.model_, tmp_path) == file_of(whole.model_, tmp_path)
    own = made.to_local()
    assert type(own) is bosco.AdaBoostClassifier
    rows = ddf.drop(columns=["late", "weight"])
    assert (made.predict(rows).compute() == whole.predict(X)).all()
    assert (made.predict_proba(rows).compute() == own.predict_proba(X)).all()
    assert [*made.staged_score(X, data["late"])] == [*whole.staged_score(X, data["late"])]


def test_boosting_outlives_its_workers(client: Any, tmp_path: Path) -> None:
    from bosco.dask import AdaBoostClassifier

    data = table(5).drop(columns=["minutes", "weight"])
    whole = fitted(
        bosco.AdaBoostClassifier(n_estimators=15), data.drop(columns="late"), data["late"]
    )
    killed: list[int] = []

    def kill_one() -> None:
        pids = list(client.run(os.getpid, on_error="ignore").values())
        os.kill(pids[0], signal.SIGKILL)
        killed.append(pids[0])

    killer = threading.Timer(1.0, kill_one)
    killer.start()
    files = set()
    ddf = dd.from_pandas(data, npartitions=4)
    while not killed or not files:
        made = AdaBoostClassifier(n_estimators=15, client=client).fit(ddf, y="late")
        files.add(file_of(made.model_, tmp_path))
    killer.join()
    assert files == {file_of(whole.model_, tmp_path)}


def test_boosting_of_other_learners_is_refused(client: Any) -> None:
    from sklearn.linear_model import LogisticRegression

    from bosco.dask import AdaBoostClassifier

    ddf = dd.from_pandas(table().drop(columns=["minutes", "weight"]), npartitions=2)
    with pytest.raises(ParameterError, match=r"must be a bosco\.DecisionTreeClassifier\. Got sk"):
        AdaBoostClassifier(LogisticRegression(), client=client).fit(ddf, y="late")
