"""Trees grown inside DuckDB and PostgreSQL: the file of the model that fetched rows give."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from tests import databases
from tests.databases import SCHEMA, X_COLUMNS, Base, filled, real, same, table_of
from tests.test_scale import file_of, fitted

base = databases.base  # a fixture

CASES = [
    ("late", None, {}),
    ("late", None, {"class_weight": "balanced"}),
    ("late", "copies", {}),
    ("late", "copies", {"weights": "copies"}),
    ("late", "heavy", {"class_weight": {"high": 2.5, "low": 0.1}}),
    ("minutes", None, {}),
    ("minutes", "heavy", {}),
    ("minutes", "copies", {"weights": "copies"}),
]


ALGORITHMS = ["cart", "id3", "c45", "hunt", "best_first", "stump"]
POLICIES = ["learn", "surrogate", "branch", "majority"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_file_is_that_of_the_fetched_rows(base: Base, algorithm: str, tmp_path: Path) -> None:
    rows = filled(base)
    done = 0
    for k, missing in enumerate(POLICIES):
        for c in (0, 2, 5):  # by turns, so that every preset meets all of them
            y, weight, more = CASES[(c + k + ALGORITHMS.index(algorithm)) % len(CASES)]
            kind = DecisionTreeClassifier if y == "late" else DecisionTreeRegressor
            settings = {"algorithm": algorithm, "missing": missing, "pruning": "none"} | more
            estimator = kind(max_depth=3, **settings)
            try:
                fitted(clone(estimator), rows.select(X_COLUMNS), rows[y])
            except ValueError:
                continue  # these settings do not go together
            same(base, rows, estimator, y, weight, tmp_path)
            done += 1
    assert done >= 4


KINDS = {
    "DuckDB": {
        "a TINYINT": "CAST({i} % 7 - 3 AS TINYINT)",
        "b UBIGINT": "{i} * 3",
        "c HUGEINT": "CAST({i} % 11 AS HUGEINT)",
        "d DECIMAL(18, 4)": "CAST('{r:.4f}' AS DECIMAL(18, 4))",
        "e FLOAT": "CAST('{r:.3f}' AS FLOAT)",
        "f ENUM('z', 'y', 'x', 'unused')": "'{l}'",
        "g DATE": "DATE '2020-01-01' + {i} % 30",
        "h TIMESTAMP": "TIMESTAMP '2020-01-01 01:02:03.000004' + INTERVAL ({i} * 7) MINUTE",
        "j TIMESTAMPTZ": "TIMESTAMPTZ '2020-01-01 00:00:00+02' + INTERVAL ({i}) SECOND",
        "k TIME": "TIME '00:00:01' + INTERVAL ({i} % 50) MINUTE",
        "m UUID": "CAST('00000000-0000-0000-0000-00000000000' || ({i} % 3) AS UUID)",
        "n TIMESTAMP_S": "CAST(TIMESTAMP '1969-01-01' + INTERVAL ({i}) DAY AS TIMESTAMP_S)",
    },
    "PostgreSQL": {
        "a SMALLINT": "{i} % 7 - 3",
        "b BIGINT": "{i} * 3",
        "c NUMERIC": "CASE WHEN {i} % 9 = 0 THEN CAST('NaN' AS NUMERIC) ELSE {i} % 11 END",
        "d NUMERIC(18, 4)": "CAST('{r:.4f}' AS NUMERIC(18, 4))",
        "e REAL": "CAST('{r:.3f}' AS REAL)",
        "f CHAR(3)": "'{l}'",
        "g DATE": "DATE '2020-01-01' + {i} % 30",
        "h TIMESTAMP": "TIMESTAMP '2020-01-01 01:02:03.000004' + {i} * INTERVAL '7 minutes'",
        "j TIMESTAMPTZ": "TIMESTAMPTZ '2020-01-01 00:00:00+02' + {i} * INTERVAL '1 second'",
        "k TIME": "TIME '00:00:01' + {i} % 50 * INTERVAL '1 minute'",
        "m UUID": "CAST('00000000-0000-0000-0000-00000000000' || ({i} % 3) AS UUID)",
        f"n {SCHEMA}.mood": "CAST('{l}' AS " + SCHEMA + ".mood)",
        f"p {SCHEMA}.small": "{i} % 4",
    },
}
SHARED = {
    "q DOUBLE PRECISION": "CASE WHEN {i} % 7 = 0 THEN CAST('NaN' AS DOUBLE PRECISION) "
    "WHEN {i} % 11 = 0 THEN CAST('Infinity' AS DOUBLE PRECISION) "
    "WHEN {i} % 13 = 0 THEN CAST('-Infinity' AS DOUBLE PRECISION) "
    "WHEN {i} % 5 = 0 THEN CAST('-0.0' AS DOUBLE PRECISION) "
    "WHEN {i} % 3 = 0 THEN 0.0 ELSE CAST('{r!r}' AS DOUBLE PRECISION) END",
    "r INTEGER": "CASE WHEN {i} % 6 = 0 THEN NULL ELSE {i} % 5 END",
    "s VARCHAR": "NULL",
    "t DATE": "NULL",
    "u BOOLEAN": "{i} % 4 = 0",
    '"v""; DROP TABLE trips; --" VARCHAR': "'o''{l}; --'",
    "w DOUBLE PRECISION": "1e300 * {i}",
}
FETCHED = {"m": "CAST(m AS TEXT)", "n": "CAST(n AS TEXT)"}  # what the driver gives no text of


def kinds_filled(base: Base, n: int = 200) -> pa.Table:
    rng = np.random.default_rng(5)
    if base.name == "PostgreSQL":
        base.run(f"CREATE TYPE {SCHEMA}.mood AS ENUM ('x', 'y', 'z')")
        base.run(f"CREATE DOMAIN {SCHEMA}.small AS INT CHECK (VALUE < 9)")
    columns = KINDS[base.name] | SHARED | {"late BIGINT": "{y}", "heavy NUMERIC(6, 3)": "{h}"}
    rows = []
    for i in range(n):
        r, late = float(rng.normal() * 10), int(rng.integers(0, 2))
        more = {
            "i": i,
            "r": r,
            "l": "xyz"[int(r > 0) + late],
            "y": late + int(r > 5),
            "h": i % 3 + 0.125,
        }
        rows.append("(" + ", ".join(what.format(**more) for what in columns.values()) + ")")
    base.run(f"CREATE TABLE {table_of(base)} ({', '.join(columns)})")
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    names = [column.rpartition(" ")[0].partition(" ")[0] for column in columns]
    odd = FETCHED if base.name == "PostgreSQL" else {}
    said = ", ".join(f"{odd[n]} AS {n}" if n in odd else n for n in names if '"' not in n)
    hostile = '"v""; DROP TABLE trips; --"'
    return base.fetch(f"SELECT {said}, {hostile} FROM {table_of(base)}")


@pytest.mark.parametrize("settings", [{}, {"missing": "surrogate"}, {"threshold": "round"}])
def test_columns_of_all_kinds(base: Base, settings: dict[str, Any], tmp_path: Path) -> None:
    rows = kinds_filled(base)
    names = [name for name in rows.column_names if name not in ("late", "heavy")]
    table = bosco.in_database(base.place, table_of(base), columns=names)
    for kind in (DecisionTreeClassifier, DecisionTreeRegressor):
        for weight in (None, "heavy"):
            own = None if weight is None else rows[weight].to_numpy().astype(float)
            estimator = kind(max_depth=5, fingerprint=False, **settings)
            here = fitted(clone(estimator), rows.select(names), rows["late"], sample_weight=own)
            there = fitted(clone(estimator), table, "late", weight)
            assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path)
    assert len({column.unit for column in there.model_.schema.columns}) >= 6


def test_every_column_alone(base: Base, tmp_path: Path) -> None:
    """So that each of them is asked about, to the last of its values."""
    rows = kinds_filled(base)
    for name in rows.column_names:
        if name in ("late", "heavy"):
            continue
        table = bosco.in_database(base.place, table_of(base), columns=[name])
        estimator = DecisionTreeClassifier(fingerprint=False, criterion="entropy")
        here = fitted(clone(estimator), rows.select([name]), rows["late"])
        there = fitted(clone(estimator), table, "late")
        assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path), name


@pytest.mark.parametrize(
    "settings",
    [
        {"max_leaf_nodes": 6, "max_depth": None},
        {"algorithm": "best_first", "max_leaf_nodes": 7, "max_depth": None},
        {"max_features": 2, "random_state": 3},
        {"min_samples_leaf": 20, "min_impurity_decrease": 0.003},
        {"ccp_alpha": 0.004},
        {"monotonic_cst": {"many": 1}},
        {"record": True},
        {"record": False},
        {"criterion": "entropy", "score": "gain_ratio", "numeric_test": "intervals"},
        {"splitter": "random", "random_state": 1},
        {"categorical_features": ["few"]},
        {
            "categorical_features": [1, 2],
            "domains": {"text": ["x", "y", "it's", 'a "b"', "é;--", "z"]},
        },
    ],
)
def test_settings_hold_there(base: Base, settings: dict[str, Any], tmp_path: Path) -> None:
    rows = filled(base, 2)
    rows = rows.set_column(rows.column_names.index("late"), "late", _two(rows["late"]))
    base.run(f"UPDATE {table_of(base)} SET late = 'low' WHERE late = 'middle'")
    same(base, rows, DecisionTreeClassifier(**{"max_depth": 4} | settings), "late", None, tmp_path)


def _two(labels: Any) -> Any:
    return pa.array(["low" if label == "middle" else label for label in labels.to_pylist()])


def numbered(base: Base, columns: dict[str, Any]) -> pa.Table:
    """A table of float64s, and the same rows fetched."""
    names = [f'"{name}" DOUBLE PRECISION' for name in columns]
    base.run(f"CREATE TABLE {table_of(base)} ({', '.join(names)})")
    rows = ["(" + ", ".join(map(real, row)) + ")" for row in zip(*columns.values(), strict=True)]
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    return base.fetch(f"SELECT * FROM {table_of(base)}")


def test_a_tree_deeper_than_case_nests(base: Base, tmp_path: Path) -> None:
    """Every label differs from its neighbours', and the tree takes them one by one."""
    n = 70
    rows = numbered(base, {"x": np.arange(n) ** 3.0, "y": np.arange(n) % 2})
    estimator = DecisionTreeClassifier(fingerprint=False)
    there = fitted(clone(estimator), bosco.in_database(base.place, table_of(base)), "y")
    here = fitted(clone(estimator), rows.select(["x"]), rows["y"])
    assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path)
    assert there.get_depth() > 61  # walked in three stages


def test_more_columns_than_are_counted_at_once(base: Base, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=60).round(j % 3) for j in range(53)}
    columns["y"] = (columns["c50"] + columns["c3"] > 0) * 1.0
    rows = numbered(base, columns)
    for missing in ("learn", "surrogate"):
        estimator = DecisionTreeClassifier(fingerprint=False, missing=missing, max_depth=3)
        there = fitted(clone(estimator), bosco.in_database(base.place, table_of(base)), "y")
        here = fitted(clone(estimator), rows.drop_columns("y"), rows["y"])
        assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path)


def test_numbers_of_any_size(base: Base, tmp_path: Path) -> None:
    """Weights and targets whose scale is found by sums: huge, tiny, far from 0, of many digits."""
    rng = np.random.default_rng(1)
    n = 60
    columns = {"x": rng.normal(size=n), "z": np.exp(rng.normal(size=n) * 100)}
    columns |= {
        "huge": rng.normal(size=n) * 1e300 * (rng.random(n) > 0.3) + rng.normal(size=n) * 1e-300,
        "tiny": rng.normal(size=n) * 1e-300,
        "far": 1e9 + rng.normal(size=n),
        "eighths": rng.integers(-99, 99, n) / 8,
        "one": np.full(n, 0.1),
        "light": np.exp(rng.normal(size=n) * 20),
        "whole": rng.integers(1, 2**40, n) * 1.0,
    }
    rows = numbered(base, columns)
    table = bosco.in_database(base.place, table_of(base), columns=["x", "z"])
    estimator = DecisionTreeRegressor(fingerprint=False, max_depth=3)
    for y in ("huge", "tiny", "far", "eighths", "one"):
        for weight in (None, "light", "whole"):
            own = None if weight is None else rows[weight].to_numpy()
            there = fitted(clone(estimator), table, y, weight)
            here = fitted(clone(estimator), rows.select(["x", "z"]), rows[y], sample_weight=own)
            assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path), (y, weight)
