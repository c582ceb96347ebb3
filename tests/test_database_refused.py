"""Trees in databases: what is refused, what goes wrong, what travels."""

from pathlib import Path
from typing import Any

import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.errors import DataError, KindError, ParameterError
from bosco.scale.connection import DuckDB
from bosco.scale.sql_part import SqlPart
from tests import databases
from tests.databases import SCHEMA, X_COLUMNS, Base, duckdb, filled, same, table_of
from tests.test_scale import file_of, fitted

base, far = databases.base, databases.far  # fixtures


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
    laid_out = SqlPart._lay_out

    def lay_out(part: SqlPart, codes: Any) -> bool:
        far.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND query LIKE '%bosco_data%' "
            f"AND query LIKE '%{SCHEMA}%'"
        )
        return laid_out(part, codes)

    monkeypatch.setattr(SqlPart, "_lay_out", lay_out)
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
