"""Dask: real worker processes, and the file of the model that one table gives."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco.errors import ClusterError, DataError, ParameterError
from tests.test_scale import file_of, fitted

dd = pytest.importorskip("dask.dataframe", reason="needs bosco[dask]")
distributed = pytest.importorskip("distributed", reason="needs bosco[dask]")

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
    from bosco.dask import DecisionTreeClassifier

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
    from bosco.dask import DecisionTreeClassifier, DecisionTreeRegressor

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


def test_workers_that_die_change_nothing(client: Any, tmp_path: Path) -> None:
    from bosco.dask import DecisionTreeClassifier

    data = table(2).drop(columns=["minutes", "weight"])
    want = local(table(2), tmp_path, max_depth=6)
    ddf = dd.from_pandas(data, npartitions=4)
    done, killed = threading.Event(), []

    def kill() -> None:
        while not done.wait(1.5) and len(killed) < 3:
            pids = list(client.run(os.getpid, on_error="ignore").values())
            if len(pids) == 2:  # the other goes on
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        files = set()
        while len(killed) < 2:
            clf = DecisionTreeClassifier(max_depth=6, client=client).fit(ddf, y="late")
            files.add(file_of(clf.model_, tmp_path))
    finally:
        done.set()
        killer.join()
    assert files == {want}


def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import bosco.dask
    from bosco.dask import DecisionTreeClassifier

    monkeypatch.setattr(bosco.dask, "PATIENCE", 1.0)
    data = table().drop(columns=["minutes", "weight"])
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        distributed.Client(empty) as client,
    ):
        ddf = dd.from_pandas(data, npartitions=2)
        with pytest.raises(ClusterError, match="no worker for 1 seconds"):
            DecisionTreeClassifier(client=client).fit(ddf, y="late")


def test_what_is_refused(client: Any) -> None:
    from bosco.dask import DecisionTreeClassifier

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
