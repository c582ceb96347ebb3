"""Ray: real actors in processes of their own, and the file of the model that one table gives."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.errors import DataError, ParameterError
from tests.test_dask import table
from tests.test_scale import file_of, fitted

ray = pytest.importorskip("ray", reason="needs bosco[ray]: make test-ray")
pytest.importorskip("ray.data", reason="needs bosco[ray]: make test-ray")

import bosco.ray  # noqa: E402
from bosco.scale import ray_engine  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def dataset(data: Any, parts: int) -> Any:
    return ray.data.from_pandas(
        [data.iloc[some] for some in np.array_split(np.arange(len(data)), parts)]
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("DecisionTreeClassifier", {"max_depth": 5}),
        ("DecisionTreeClassifier", {}),  # whose small nodes are finished at the actors
        ("DecisionTreeRegressor", {"max_depth": 4}),
        ("RandomForestClassifier", {"n_estimators": 4, "max_depth": 4, "random_state": 2}),
        ("ExtraTreesRegressor", {"n_estimators": 3, "max_depth": 4, "random_state": 2}),
        ("AdaBoostClassifier", {"n_estimators": 4}),
    ],
)
def test_any_blocks_give_the_file_of_one_table(name: str, settings: Any, tmp_path: Path) -> None:
    data = table()
    X, goal = data.drop(columns=["late", "minutes", "weight"]), "late"
    if name.endswith("Regressor"):
        goal = "minutes"
    whole = fitted(getattr(bosco, name)(**settings), X, data[goal])
    for parts in (1, 3, 7):
        made = fitted(
            getattr(bosco.ray, name)(**settings), dataset(X.assign(goal=data[goal]), parts), "goal"
        )
        assert file_of(made.model_, tmp_path) == file_of(whole.model_, tmp_path)
    own = made.to_local()
    assert type(own) is getattr(bosco, name)
    said = made.predict(dataset(X, 2)).to_pandas()["prediction"].to_numpy()
    assert (said == whole.predict(X)).all()
    if name == "DecisionTreeClassifier":
        shares = made.predict_proba(dataset(X, 2)).to_pandas()
        assert shares.columns.tolist() == ["no", "yes"]
        assert (shares.to_numpy() == whole.predict_proba(X)).all()


def test_weights_and_actors_that_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed while they are asked, at every third round; Ray begins them anew."""
    data = table(2)
    X = data.drop(columns=["late", "minutes", "weight"])
    whole = bosco.DecisionTreeClassifier(max_depth=5)
    fitted(whole, X, data["late"], sample_weight=data["weight"])
    monkeypatch.setattr(ray_engine.RayEngine, "small", 0)  # level by level
    plain, killed = ray_engine.RayEngine._gathered, []

    def gathered(self: Any, said: list[Any]) -> list[Any]:
        rounds.append(len(said))
        if len(rounds) % 3 == 1:
            pid = ray.get(self.actors[0].__ray_call__.remote(lambda _: os.getpid()))
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        return plain(self, said)

    rounds: list[int] = []
    monkeypatch.setattr(ray_engine.RayEngine, "_gathered", gathered)
    clf = bosco.ray.DecisionTreeClassifier(max_depth=5, actors=2)
    clf.fit(dataset(data.drop(columns="minutes"), 4), "late", sample_weight="weight")
    assert file_of(clf.model_, tmp_path) == file_of(whole.model_, tmp_path)
    assert len(set(killed)) >= 4


def test_what_is_refused() -> None:
    data = table().drop(columns=["minutes", "weight"])
    clf = bosco.ray.DecisionTreeClassifier()
    with pytest.raises(ParameterError, match=r"'lat' is no column of X\. Did you mean 'late'"):
        clf.fit(dataset(data, 2), "lat")
    with pytest.raises(ParameterError, match=r"must be a dataset of Ray\. Got DataFrame"):
        clf.fit(data, "late")
    broken = data.assign(late=[*data["late"][:-1], None])
    with pytest.raises(DataError, match=r"block 1: Input y contains NaN"):
        clf.fit(dataset(broken, 2), "late")
