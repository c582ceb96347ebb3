"""Trees grown inside DuckDB and PostgreSQL: the file of the model that fetched rows give."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.errors import DataError, KindError, ParameterError
from bosco.scale.connection import DuckDB, connected
from bosco.scale.sql_part import SqlPart
from tests.contract.postgres import postgres
from tests.contract.runners import AbsentError
from tests.test_scale import file_of, fitted

duckdb = pytest.importorskip("duckdb", reason="needs bosco[tables]")
pytest.importorskip("sqlglot", reason="needs bosco[sql]")

N = 400
SCHEMA = f"bosco_test_{os.getpid()}"  # of PostgreSQL, where others may be testing too


class Base:
    """A database for the time of a test: where it is, and how it is written to."""

    def __init__(self, place: Any, run: Callable[[str], Any], name: str):
        self.place, self.run, self.name = place, run, name

    def fetch(self, query: str) -> pa.Table:
        """Rows, as anybody fetches them."""
        connection = connected(self.place)
        try:
            return connection.ask(query)
        finally:
            connection.close()


def server() -> str:
    """The address of a PostgreSQL server: the one that is named, or one of our own."""
    named = os.environ.get("BOSCO_POSTGRESQL")
    if named:
        return named
    pytest.importorskip("adbc_driver_postgresql", reason="needs bosco[tables]")
    try:
        own = postgres()
    except AbsentError as error:
        pytest.skip(f"BOSCO_POSTGRESQL is no address, and {error}")
    return f"postgresql:///postgres?host={own.folder}&user=bosco"


def run_there(address: str) -> Callable[[str], None]:
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi", reason="needs bosco[tables]")

    def run(script: str) -> None:
        with dbapi.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in filter(str.strip, script.split("\n;\n")):
                cursor.execute(statement)

    return run


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def base(request: pytest.FixtureRequest) -> Iterator[Base]:
    if request.param == "DuckDB":
        with duckdb.connect() as memory:
            yield Base(memory, memory.execute, "DuckDB")
    else:
        yield from elephant()


def elephant() -> Iterator[Base]:
    """A schema of our own on a server."""
    address = server()
    run = run_there(address)
    run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE\n;\nCREATE SCHEMA {SCHEMA}")
    yield Base(address, run, "PostgreSQL")
    run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


far = pytest.fixture(elephant)


def table_of(base: Base) -> str:
    return f"{SCHEMA}.trips" if base.name == "PostgreSQL" else "trips"


def filled(base: Base, seed: int = 0, n: int = N) -> pa.Table:
    """A table of many kinds of columns, and the same rows fetched."""
    rng = np.random.default_rng(seed)
    many, few = rng.normal(size=n), rng.integers(0, 10, n)
    text = rng.choice(["x", "y", "it's", 'a "b"', "é;--"], n)
    signal = many + few / 5 + (text == "x") * 2 + rng.normal(size=n)
    late = np.select([signal > 1.5, signal < 0], ["high", "low"], "middle")
    rows = []
    for i in range(n):
        said = {
            "many": "NULL" if rng.random() < 0.1 else _real(many[i]),
            "few": str(few[i]),
            "text": "NULL" if rng.random() < 0.05 else "'" + text[i].replace("'", "''") + "'",
            "tenths": f"{rng.normal():.1f}",
            "truth": "NULL" if rng.random() < 0.02 else str(bool(rng.random() > 0.5)),
            "late": f"'{late[i]}'",
            "minutes": _real(signal[i]),
            "copies": str(rng.integers(0, 3)),
            "heavy": _real(rng.random()),
        }
        rows.append("(" + ", ".join(said.values()) + ")")
    real = "DOUBLE PRECISION"
    base.run(
        f"CREATE TABLE {table_of(base)} (many {real}, few INTEGER, text VARCHAR, "
        f"tenths DECIMAL(8, 1), truth BOOLEAN, late VARCHAR, minutes {real}, copies INTEGER, "
        f"heavy {real})"
    )
    base.run(f"INSERT INTO {table_of(base)} VALUES {', '.join(rows)}")
    return base.fetch(f"SELECT * FROM {table_of(base)}")


def _real(x: float) -> str:
    return f"CAST('{float(x)!r}' AS DOUBLE PRECISION)"


X_COLUMNS = ["many", "few", "text", "tenths", "truth"]


def same(base: Base, rows: pa.Table, estimator: Any, y: str, weight: str | None, tmp: Path) -> Any:
    """Fit there and here; the files are the same."""
    own = None if weight is None else rows[weight].to_numpy()
    here = clone(estimator).set_params(fingerprint=False)
    fitted(here, rows.select(X_COLUMNS), rows[y], sample_weight=own)
    there = clone(estimator)
    fitted(there, bosco.in_database(base.place, table_of(base), columns=X_COLUMNS), y, weight)
    assert file_of(there.model_, tmp) == file_of(here.model_, tmp), (estimator, y, weight)
    return there


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
    rows = ["(" + ", ".join(map(_real, row)) + ")" for row in zip(*columns.values(), strict=True)]
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
    assert there.get_depth() > 61  # two stages below the first


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


# What is refused, and what goes wrong -------------------------------------------------------------


def test_a_file_and_hostile_names(tmp_path: Path) -> None:
    place, name = tmp_path / "a.duckdb", 'trips"; DROP TABLE x; --'
    with duckdb.connect(str(place)) as file:
        quoted = name.replace('"', '""')
        file.execute(
            f'CREATE TABLE "{quoted}" AS SELECT i AS "a""b", i > 5 AS "y;" FROM range(9) t(i)'
        )
    table = bosco.in_database(place, name)
    clf = DecisionTreeClassifier().fit(table, y="y;")
    assert clf.model_.schema.names == ('a"b',)
    assert clf.predict({'a"b': [8]}).tolist() == [True]
    assert repr(table) == f"Table {name!r} in {place}"
    for wrong, said in (
        ("trips", "Table with name trips does not exist"),
        ("x.y.z.w", "a.duckdb: .*"),
    ):
        with pytest.raises(DataError, match=said):
            DecisionTreeClassifier().fit(bosco.in_database(place, wrong), y="y;")
    with pytest.raises(ParameterError, match="There is no file"):
        DecisionTreeClassifier().fit(bosco.in_database("no.duckdb", "x"), y="y")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match=r"a file of csv, and trees grow inside"):
        DecisionTreeClassifier().fit(bosco.in_database(tmp_path / "a.csv", "x"), y="y")
    with pytest.raises(ParameterError, match=r"or an address such as .*Got int"):
        DecisionTreeClassifier().fit(bosco.in_database(3, "x"), y="y")
    with pytest.raises(ParameterError, match="table must be the name of a table"):
        bosco.in_database(place, None)  # type: ignore[arg-type]


def test_what_is_refused(base: Base) -> None:
    filled(base, n=30)
    name = table_of(base)
    table = bosco.in_database(base.place, name)
    tree, number = DecisionTreeClassifier(), DecisionTreeRegressor()
    for y, said in (
        ("lat", "y must name a column of .* Got 'lat'. Did you mean 'late'"),
        ([1], "list"),
    ):
        with pytest.raises(ParameterError, match=said):
            tree.fit(table, y)
    with pytest.raises(ParameterError, match="sample_weight must name a column"):
        tree.fit(table, "late", [1.0] * 30)
    with pytest.raises(ParameterError, match="columns must name a column"):
        tree.fit(bosco.in_database(base.place, name, columns=["fewer"]), "late")
    with pytest.raises(ParameterError, match="fingerprint=True keeps numbers made of the rows"):
        DecisionTreeClassifier(fingerprint=True).fit(table, "late")
    with pytest.raises(ParameterError, match="missing='fractional' sends rows"):
        DecisionTreeClassifier(missing="fractional").fit(table, "late")
    with pytest.raises(ParameterError, match="goes back to the rows"):
        DecisionTreeClassifier(algorithm="c45").fit(table, "late")
    with pytest.raises(ParameterError, match="its rows stay there"):
        bosco.RandomForestClassifier(n_estimators=2).fit(table, "late")
    with pytest.raises(DataError, match="Unknown label type: continuous"):
        tree.fit(table, "minutes")
    with pytest.raises(DataError, match="a text is no number to be learned"):
        number.fit(table, "late")
    with pytest.raises(DataError, match="column 'many' has missing values, and missing='error'"):
        DecisionTreeClassifier(missing="error").fit(table, "late")
    with pytest.raises(DataError, match="is not in its declared domain"):
        DecisionTreeClassifier(domains={"text": ["x"]}).fit(table, "late")
    with pytest.raises(DataError, match="column 'many': some numbers to learn are missing"):
        number.fit(table, "many")
    with pytest.raises(DataError, match="column 'text': some labels are missing"):
        fitted(tree, table, "text")
    base.run(f"UPDATE {name} SET heavy = -1 WHERE few < 5")
    with pytest.raises(DataError, match="sample_weight, column 'heavy', contains a negative value"):
        tree.fit(table, "late", "heavy")
    base.run(f"UPDATE {name} SET heavy = NULL")
    with pytest.raises(DataError, match="contains NaN"):
        tree.fit(table, "late", "heavy")
    base.run(f"UPDATE {name} SET copies = 0")
    with pytest.raises(DataError, match="no row with a weight"):
        tree.fit(table, "late", "copies")
    base.run(f"DELETE FROM {name}")
    with pytest.raises(DataError, match="no row with a weight"):
        tree.fit(table, "late")


def test_types_that_are_not_read(base: Base) -> None:
    odd = "INTERVAL '1 day'" if base.name == "DuckDB" else "CAST('{}' AS jsonb)"
    base.run(
        f"CREATE TABLE {table_of(base)} AS SELECT {odd} AS a, 1 AS b, 9007199254740993 AS c, 0 y "
        f"UNION ALL SELECT {odd}, 2, 5, 1"
    )
    with pytest.raises(
        KindError, match=r"column 'a': it is of type (INTERVAL|jsonb), and a tree in"
    ):
        DecisionTreeClassifier().fit(bosco.in_database(base.place, table_of(base)), "y")
    table = bosco.in_database(base.place, table_of(base), columns=["b", "c"])
    with pytest.raises(DataError, match=r"column 'c' holds whole numbers beyond 2\*\*53"):
        DecisionTreeClassifier().fit(table, "y")


def test_rows_that_change_meanwhile_change_nothing(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All queries see one snapshot."""
    rows = filled(base)
    asked = SqlPart.count
    done = []

    def count(part: SqlPart, *args: Any) -> Any:
        if not done:
            other = base.place.cursor().execute if base.name == "DuckDB" else base.run
            other(f"UPDATE {table_of(base)} SET late = 'never', few = 77")
            other(f"DELETE FROM {table_of(base)} WHERE many > 0")
        done.append(args)
        return asked(part, *args)

    monkeypatch.setattr(SqlPart, "count", count)
    same(base, rows, DecisionTreeClassifier(max_depth=3), "late", None, tmp_path)
    assert done
    assert base.fetch(f"SELECT DISTINCT late FROM {table_of(base)}")["late"].to_pylist() == [
        "never"
    ]


def test_rows_that_change_all_the_same_are_noticed(base: Base) -> None:
    """A view that gives other rows whenever it is asked."""
    filled(base)
    view = f"{SCHEMA}.volatile" if base.name == "PostgreSQL" else "volatile"
    base.run(f"CREATE VIEW {view} AS SELECT * FROM {table_of(base)} WHERE random() < 0.5")
    with pytest.raises(DataError, match="the rows changed while the tree grew"):
        fitted(DecisionTreeClassifier(), bosco.in_database(base.place, view), "late")


def test_a_lost_connection_is_one_sentence(far: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(far, n=50)
    address = far.place
    asked = SqlPart.count

    def count(part: SqlPart, *args: Any) -> Any:
        far.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND query LIKE '%bosco_data%' "
            f"AND query LIKE '%{SCHEMA}%'"
        )
        return asked(part, *args)

    monkeypatch.setattr(SqlPart, "count", count)
    secret = address + ("&" if "?" in address else "?") + "password=hush7"
    table = bosco.in_database(secret, table_of(far))
    assert "hush7" not in repr(table)
    with pytest.raises(DataError) as caught:
        DecisionTreeClassifier().fit(table, "late")
    said = str(caught.value)
    assert "terminating connection" in said or "closed the connection" in said, said
    assert not any(word in said for word in ("\n", "hush7", "SELECT"))
    assert len(said) < 400
    with pytest.raises(DataError) as caught:
        DecisionTreeClassifier().fit(
            bosco.in_database("postgresql://ada:hush7@127.0.0.1:1/x", "t"), "y"
        )
    assert not any(word in str(caught.value) for word in ("\n", "hush7"))


def test_a_reader_who_may_write_nothing(far: Base, tmp_path: Path) -> None:
    rows, address = filled(far), far.place
    far.run(f"CREATE VIEW {SCHEMA}.seen AS SELECT * FROM {table_of(far)}")
    more = "&options=-c%20default_transaction_read_only%3Don"
    reader = address + (more if "?" in address else "?" + more[1:])
    there = fitted(
        DecisionTreeRegressor(max_depth=4),
        bosco.in_database(reader, f"{SCHEMA}.seen", columns=X_COLUMNS),
        "minutes",
    )
    here = fitted(
        DecisionTreeRegressor(max_depth=4, fingerprint=False),
        rows.select(X_COLUMNS),
        rows["minutes"],
    )
    assert file_of(there.model_, tmp_path) == file_of(here.model_, tmp_path)


def test_what_travels_is_counted() -> None:
    """Two rounds a level, as from any part; and no query gives whole rows."""
    with duckdb.connect() as memory:
        base = Base(memory, memory.execute, "DuckDB")
        filled(base)
        queries: list[str] = []
        asked = DuckDB._run

        def run(connection: DuckDB, text: str) -> Any:
            queries.append(text)
            return asked(connection, text)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(DuckDB, "_run", run)
            table = bosco.in_database(memory, "trips", columns=X_COLUMNS)
            DecisionTreeClassifier(max_depth=4, record=False).fit(table, "late")
    assert len(queries) < 50
    counted = (
        "COUNT(",
        "SUM(",
        "MAX(",
        "DISTINCT",
        "GROUPING SETS",
        "DESCRIBE",
        "BEGIN",
        "QUANTILE",
    )
    for query in queries:
        assert any(word in query for word in counted), query
