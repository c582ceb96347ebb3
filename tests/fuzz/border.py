"""Odd tables: what `fit` and `predict` are given is read, or refused by an error of bosco."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import io
import random
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import BoscoError
from tests.fuzz.files import attack_file

CELLS: list[Any] = [
    None, True, False, 0, 1, -1, 2**53 + 1, 2**63, 10**400, 0.5, -0.0, 1e308, float("inf"),
    float("nan"), "", "a", "b", " a", "NaN", "é\u0000", "\ud800", "1", "a" * 300, b"a", 1j,
    Decimal("1.5"), Decimal("NaN"), Fraction(1, 3), dt.date(2020, 2, 29), dt.date.max,
    dt.datetime(2020, 1, 1, 12), dt.datetime.min, dt.timedelta(days=-1, microseconds=1),
    dt.time(12, 30), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), np.float32(1.5), np.int8(-3),
    np.datetime64("NaT"), np.datetime64("2020-01-01"), np.timedelta64(3, "h"), np.bool_(True),
    pd.NA, pd.NaT, pd.Timestamp("2020-01-01"), pd.Interval(0, 1), [1], {}, (1, 2), {1}, object(),
]  # fmt: skip
DTYPES = [*"?bBhHiIqQefdgFO", "S3", "U2", "M8[D]", "M8[ns]", "m8[s]", "M8[Y]", "m8", ">f8", "V4"]
ALIKE: list[list[Any]] = [
    [None, 0.5, 1, float("nan"), 2],
    ["a", "b", None, "c"],
    [True, False, None],
    [dt.date(2020, 1, 1), dt.date(1, 1, 1), None],
    [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 3, 4, 5, 6), None],
    [dt.timedelta(1), dt.timedelta(0, 1, 1), None],
    [1, 2, 3, 2**40],
]


def attack_border(draw: random.Random) -> bool:
    """Read one odd table, then another as its schema says; tell whether the first was read.

    One attack in 64 is on a file of rows: that takes longer.
    """
    if draw.random() < 1 / 64:
        return attack_file(draw)
    table = odd_table(draw)
    kinds = draw.choice([*["from_dtype"] * 6, None, [0], ["a"], [True, False], "x", 3])
    domains = draw.choice([None, None, None, {"a": ["a", "b"]}, {0: [1, 2.0]}, {"a": CELLS[:4]}])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            schema = Schema.infer(table, kinds, domains)
            assert Schema.from_dict(schema.to_dict()) == schema
            frame = Frame.read(table, schema)
            frame.native.encode(1)
            frame.missing_columns()
        except BoscoError:
            return False
        with contextlib.suppress(BoscoError):
            Frame.read(odd_table(draw), schema, refuse_missing=draw.choice([False, True]))
    return True


def odd_table(draw: random.Random) -> Any:
    """A table of some library, with cells that should not be in one."""
    n, names = draw.choice([0, 1, 2, 3, 7]), ["a", "b", "c", "", "é", " a", "a"]
    columns = {draw.choice(names): _cells(n, draw) for _ in range(draw.choice([0, 1, 2, 3]))}
    shape = draw.choice((0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10))  # pandas is slow
    if shape == 0:
        return columns
    if shape == 1:
        return [
            dict(zip(columns, row, strict=False)) for row in zip(*columns.values(), strict=False)
        ]
    if shape == 2:
        return [list(row) for row in zip(*columns.values(), strict=False)]
    if shape == 3:
        return _array(draw, n)
    if shape == 4:
        return _csv(draw)
    if shape == 5:
        return draw.choice(CELLS)
    if shape == 6:
        return {name: _categories(cells, draw) for name, cells in columns.items()}
    if shape == 9:
        return pa.table({name: _dictionary(n, draw) for name in columns})
    if shape == 10:
        return pl.DataFrame([pl.Series(name, *_typed(n, draw)) for name in columns])
    try:
        frame = pd.DataFrame(columns)
    except (ValueError, TypeError, OverflowError):
        return columns
    if shape == 7 and len(frame.columns):
        frame.columns = pd.Index(
            [draw.choice([1, "a", None, ("a", 1), 2.5]) for _ in frame.columns]
        )
    return frame


def _cells(n: int, draw: random.Random) -> list[Any]:
    pool = draw.choice([CELLS, *ALIKE, *ALIKE])
    return [draw.choice(pool) for _ in range(n + (draw.random() < 0.05))]


def _array(draw: random.Random, n: int) -> Any:
    shape = draw.choice([(n,), (n, 2), (n, 0), (n, 1, 1), ()])
    size = int(np.prod(shape))
    dtype = np.dtype(draw.choice(DTYPES))
    array = np.frombuffer(draw.randbytes(size * 16), np.uint8)[: size * dtype.itemsize]
    if dtype.kind == "O":
        return np.array([draw.choice(CELLS) for _ in range(size)] + [None], object)[:-1].reshape(
            shape
        )
    if dtype.kind in "USb":  # a byte that is neither true nor false is not numpy's either
        return np.zeros(shape, dtype)
    if not size:
        return np.zeros(shape, dtype)
    made = np.frombuffer(array.tobytes().ljust(size * dtype.itemsize, b"\0"), dtype).reshape(shape)
    if draw.random() < 0.1:
        with np.errstate(invalid="ignore"):
            return np.ma.masked_array(made, made == made)
    return made


def _csv(draw: random.Random) -> Any:
    rows = [
        ",".join(draw.choice(["1", "2.5", "", "NA", "x", '"', "2020-01-01", "true", "1e999", "\0"])
                 for _ in range(draw.choice([2, 2, 2, 3])))
        for _ in range(draw.randrange(5))
    ]  # fmt: skip
    text = "\n".join(["a,b", *rows])
    try:
        if draw.random() < 0.5:
            return pd.read_csv(io.StringIO(text))
        return list(csv.DictReader(io.StringIO(text)))
    except (ValueError, csv.Error):  # not a table yet
        return text


def _dictionary(n: int, draw: random.Random) -> Any:
    """An Arrow dictionary, whose entries may be missing or come twice."""
    entries = pa.array(draw.choices(draw.choice(ALIKE), k=3))
    codes = pa.array([draw.choice([0, 1, 2, None]) for _ in range(n)], pa.int8())
    made = pa.DictionaryArray.from_arrays(codes, entries, ordered=draw.random() < 0.3)
    return made if draw.random() < 0.5 else pa.chunked_array([made, made.slice(0, 0)])


def _typed(n: int, draw: random.Random) -> tuple[list[Any], Any]:
    """Values and the type of a polars series."""
    value, dtype = draw.choice(
        [
            ([1, 2], pl.Array(pl.Int8, 2)), ([1], pl.List(pl.Int8)), ({"q": 1}, pl.Struct),
            (2**100, pl.Int128), (3, pl.Int128), (3, pl.UInt128), (b"x", pl.Binary),
            (None, pl.Null),
            (Decimal("1.5"), pl.Decimal(10, 2)), (dt.time(12), pl.Time), ("a", pl.Categorical),
            (dt.timedelta(1), pl.Duration), ("a", pl.Enum(["b", "a"])), (object(), pl.Object),
        ]
    )  # fmt: skip
    some = [None if draw.random() < 0.2 and dtype is not pl.Object else value for _ in range(n)]
    return some, dtype


def _categories(cells: list[Any], draw: random.Random) -> Any:
    try:
        made = pd.Categorical(cells, ordered=draw.random() < 0.5)
        return draw.choice([made, pd.Series(made), pd.CategoricalIndex(made)])
    except (TypeError, ValueError, NotImplementedError, OverflowError):  # pandas itself
        return cells
