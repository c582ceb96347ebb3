"""Rows of files that are brought together while a tree grows: the model is that of memory."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import _core
from bosco.estimators import ground
from tests.test_scale import file_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N = 150_000  # three blocks of rows that are read together


def table() -> Any:
    """Numbers of several widths, some missing, and levels."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, N))
    x[3][rng.random(N) < 0.1] = np.nan
    told = x[0] * x[1] + x[2] + rng.normal(size=N)
    return pa.table(
        {
            "double": x[0],
            "single": x[1].astype(np.float32),
            "whole": (x[2] * 5000).astype(np.int32),
            "gaps": x[3],
            "few": rng.integers(0, 9, N),
            "level": pa.array(rng.choice(["a", "b", "c"], N)),
            "late": np.where(told > 0, "yes", "no"),
            "minutes": told,
            "heavy": rng.integers(1, 5, N),
        }
    )


@pytest.mark.parametrize(
    ("estimator", "y", "weight"),
    [
        (bosco.DecisionTreeClassifier(min_samples_leaf=5), "late", None),
        (bosco.DecisionTreeClassifier(max_depth=7, missing="majority"), "late", "heavy"),
        (bosco.DecisionTreeRegressor(min_samples_leaf=20), "minutes", None),
        (bosco.DecisionTreeRegressor(max_depth=6), "minutes", "heavy"),
    ],
)
@pytest.mark.parametrize("together", [1, 2_000_000])
def test_moved_rows_give_the_model_of_memory(
    estimator: Any,
    y: str,
    weight: str | None,
    together: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = table()
    others = [name for name in ("late", "minutes", "heavy") if name not in (y, weight)]
    pq.write_table(whole.drop_columns(others), tmp_path / "a.parquet")
    X = whole.drop_columns(["late", "minutes", "heavy"])
    given = None if weight is None else whole[weight].to_numpy()
    estimator.set_params(n_jobs=2, fingerprint=False)
    want = file_of(estimator.fit(X, whole[y], sample_weight=given).model_, tmp_path)
    asked = []

    def grow(frame: Any, target: Any, settings: dict[str, Any], *args: Any, **more: Any) -> Any:
        asked.append(settings)
        tuned = {**settings, "together_bytes": together, "small_rows": 500}
        return _core.grow(frame, target, tuned, *args, **more)

    monkeypatch.setattr(ground, "_core", SimpleNamespace(grow=grow))
    made = estimator.fit(
        bosco.scan(tmp_path / "a.parquet", scratch=tmp_path), y=y, sample_weight=weight
    )
    assert asked
    assert file_of(made.model_, tmp_path) == want
