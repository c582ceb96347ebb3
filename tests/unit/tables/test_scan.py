"""Files as one table that need not fit into memory: the model is that of the table in memory."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bosco
from bosco.errors import DataError, ParameterError
from tests.test_scale import file_of

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

N = 2000


def table(seed: int = 0) -> Any:
    """Numbers with and without gaps, whole numbers, text, truth values, dates, categories."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N)
    late = x + rng.normal(size=N) > 0
    gaps = rng.random(N) < 0.1
    gaps[: N // 2] = False  # the first files have none
    return pa.table(
        {
            "x": pa.array(x),
            "single": pa.array(rng.normal(size=N).astype(np.float32), mask=gaps),
            "whole": pa.array(rng.integers(0, 1000, N), mask=gaps),
            "text": pa.array(rng.choice(["red", "green", "blue"], N), mask=gaps),
            "flag": pa.array(rng.random(N) > 0.5),
            "day": pa.array(rng.integers(0, 20000, N).astype("datetime64[D]")),
            "kind": pa.array(rng.choice(["b", "a"], N)).dictionary_encode(),
            "late": pa.array(np.where(late, "yes", "no")),
            "minutes": pa.array(10 * x + rng.normal(size=N)),
            "weight": pa.array(rng.integers(0, 3, N)),
        }
    )


def in_files(whole: Any, folder: Path, n: int) -> None:
    """The rows in files of several row groups, some of them of Arrow."""
    for k in range(n):
        part = whole.slice(N * k // n, N * (k + 1) // n - N * k // n)
        if k % 3 == 2:
            feather.write_feather(part, folder / f"part{k}.arrow")
        else:
            pq.write_table(part, folder / f"part{k}.parquet", row_group_size=300)


ROLES = ["late", "minutes", "weight"]


@pytest.mark.parametrize(
    ("estimator", "y", "weight"),
    [
        (bosco.DecisionTreeClassifier(max_depth=6), "late", None),
        (bosco.DecisionTreeClassifier(algorithm="c45"), "late", "weight"),
        (bosco.DecisionTreeRegressor(max_depth=6), "minutes", None),
        (bosco.RandomForestClassifier(5, random_state=0), "late", None),
        (bosco.AdaBoostClassifier(n_estimators=5), "late", "weight"),
    ],
)
def test_files_give_the_model_of_memory(
    estimator: Any, y: str, weight: str | None, tmp_path: Path
) -> None:
    whole = table()
    others = [name for name in ROLES if name not in (y, weight)]
    files = tmp_path / "files"
    files.mkdir()
    in_files(whole.drop_columns(others), files, 5)
    X = whole.drop_columns(ROLES)
    given = None if weight is None else whole[weight].to_numpy()
    want = file_of(estimator.fit(X, whole[y], sample_weight=given).model_, tmp_path)
    scanned = bosco.scan(files)
    made = estimator.fit(scanned, y=y, sample_weight=weight)
    assert file_of(made.model_, tmp_path) == want
    assert (made.predict(bosco.scan(f"{files}/*")) == made.predict(X)).all()


def test_columns_are_mapped_and_leave_nothing(tmp_path: Path) -> None:
    files, scratch = tmp_path / "files", tmp_path / "scratch"
    files.mkdir(), scratch.mkdir()
    in_files(table(), files, 2)
    made = bosco.scan(files, scratch=scratch).as_table()
    assert isinstance(made.column(0).values, np.memmap)  # type: ignore[union-attr]
    assert isinstance(made.column(3).codes, np.memmap)  # type: ignore[union-attr]
    assert not list(scratch.iterdir())  # files without a name, though they are in use


def test_nothing_is_left_by_a_process_that_is_killed(tmp_path: Path) -> None:
    files, scratch = tmp_path / "files", tmp_path / "scratch"
    files.mkdir(), scratch.mkdir()
    in_files(table(), files, 2)
    told = (
        "import bosco, os, signal, sys\n"
        f"table = bosco.scan({str(files)!r}, scratch={str(scratch)!r}).as_table()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", told], check=False)
    assert done.returncode == -9
    assert not list(scratch.iterdir())


def test_folders_name_columns(tmp_path: Path) -> None:
    whole = table().select(["x", "late"])
    for year in (2024, 2025):
        folder = tmp_path / f"year={year}" / "city=Rome"
        folder.mkdir(parents=True)
        pq.write_table(whole, folder / "trips.parquet")
    scanned = bosco.scan(tmp_path)
    assert scanned.names == ("x", "late", "year", "city")
    made = scanned.as_table()
    assert sorted(set(made.column(2).values.tolist())) == [2024, 2025]  # type: ignore[union-attr]
    assert made.column(3).levels == ("Rome",)  # type: ignore[union-attr]


def test_kinds_merge(tmp_path: Path) -> None:
    """A file without values is of any kind; order of columns does not matter."""
    parts = [
        {"a": pa.nulls(2), "b": pa.array([1, 2])},
        {"b": pa.array([0.5, None]), "a": pa.array(["y", "x"])},
        {"a": pa.nulls(1, pa.float64()), "b": pa.nulls(1)},
    ]
    for k, columns in enumerate(parts):
        pq.write_table(pa.table(columns), tmp_path / f"{k}.parquet")
    made = bosco.scan(tmp_path).as_table()
    assert made.column(0).levels == ("x", "y")  # type: ignore[union-attr]
    assert made.column(0).codes.tolist() == [0, 0, 2, 1, 0]  # type: ignore[union-attr]
    b = made.column(1).values.tolist()  # type: ignore[union-attr]
    assert b[:3] == [1, 2, 0.5]
    assert np.isnan(b[3:]).all()


def test_many_levels_get_wider_codes(tmp_path: Path) -> None:
    names = [f"level {k:05}" for k in range(400)]
    for k in range(4):
        part = pa.table({"a": names[100 * (3 - k) : 100 * (4 - k)][::-1]})  # the last ones first
        pq.write_table(part, tmp_path / f"{k}.parquet")
    column = bosco.scan(tmp_path).as_table().column(0)
    assert column.levels == tuple(names)  # type: ignore[union-attr]
    assert column.codes.dtype == np.uint16  # type: ignore[union-attr]
    assert column.codes[:2].tolist() == [400, 399]  # type: ignore[union-attr]


def test_what_is_refused(tmp_path: Path) -> None:
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"a": [1, 2], "late": ["no", "yes"]}), good)
    with pytest.raises(ParameterError, match=r"There is no file .*god\.parquet.*good"):
        bosco.scan(tmp_path / "god.parquet")
    with pytest.raises(ParameterError, match="No file is called"):
        bosco.scan(f"{tmp_path}/*.pq")
    with pytest.raises(
        ParameterError, match=r"'lat' is no column of the files\. Did you mean 'late'"
    ):
        bosco.DecisionTreeClassifier().fit(bosco.scan(good), y="lat")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "readme.txt").write_text("a\n1\n")
    with pytest.raises(ParameterError, match="has no file of Parquet"):
        bosco.scan(tmp_path / "empty")
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"b": [1]}), other)
    with pytest.raises(DataError, match=r"other\.parquet has other columns than .*good\.parquet"):
        bosco.scan([good, other]).as_table()
    text = tmp_path / "text.parquet"
    pq.write_table(pa.table({"a": ["x"], "late": ["no"]}), text)
    with pytest.raises(
        DataError, match=r"text\.parquet: column 'a': it holds text, and before that"
    ):
        bosco.scan([good, text]).as_table()
    good.write_bytes(good.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"good\.parquet cannot be read"):
        bosco.scan(good)
