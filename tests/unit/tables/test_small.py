"""The small parts of reading: kinds, masks, codes, limits."""

import io
from pathlib import Path

import numpy as np
import pyarrow as pa

from bosco.tables.delimited import line_of
from bosco.tables.dialects import Dialect, rows_of
from bosco.tables.distinct import Distinct, as_mask
from bosco.tables.oddities import codes_of, floats_of
from bosco.tables.reading import kind_of
from bosco.tables.sizes import unpacked_limit
from bosco.tables.sources import is_address, open_source
from bosco.tables.spellings import is_blank


def test_an_address_is_told_from_a_file() -> None:
    assert is_address("postgresql://host/db")
    assert not is_address("a.csv")


def test_a_source_knows_its_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,safe")
    with open_source(tmp_path / "a.csv") as source:
        assert (source.format, source.head) == ("csv", b"age,safe")


def test_texts_are_trimmed_and_counted() -> None:
    distinct = Distinct.of(pa.array(["a ", "b", "a "]), None)
    assert (distinct.texts.to_pylist(), distinct.counts.tolist()) == (["a", "b"], [2, 1])
    assert (distinct.rows.tolist(), distinct.padded) == ([0, 1, 0], 2)


def test_rows_know_their_lines() -> None:
    rows = rows_of(io.StringIO('a,b\n"x\ny",1\n'), ",")
    assert list(rows) == [(1, ["a", "b"]), (3, ["x\ny", "1"])]
    assert line_of(io.BytesIO(b"a\nx\n\ny\n"), Dialect(",", "utf-8", 1, ("a",)), 1) == 4


def test_arrow_becomes_numpy() -> None:
    assert as_mask(pa.array([True, None])).tolist() == [True, False]
    codes, levels = codes_of(pa.array(["b", None, "b"]))
    assert (codes.tolist(), levels) == ([0, -1, 0], 1)
    assert np.array_equal(floats_of(pa.array([3, None])), [3.0, np.nan], equal_nan=True)


def test_kinds_of_arrow() -> None:
    assert [kind_of(t) for t in (pa.int8(), pa.string(), pa.list_(pa.int8()))] == [
        "number",
        "text",
        None,
    ]


def test_limits_and_blanks() -> None:
    assert (unpacked_limit(1000), unpacked_limit(10**9)) == (2**28, 10**11)
    assert is_blank(" ? ")
    assert not is_blank("none")
