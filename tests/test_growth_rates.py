"""Opening a model and reading a table cost in proportion to what is in the file."""

import io
import json
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import bosco
from bosco.data.readers import read_table
from bosco.data.schema import Column, Schema
from bosco.errors import BoscoError
from bosco.export.dialects import DIALECTS
from bosco.export.program import Ask, Inner, Program
from bosco.export.sql import _require_apart
from bosco.tables import read_file
from bosco.tables.chunks import _places
from tests.fuzz.grammar import chain
from tests.fuzz.use import any_hash
from tests.growth import grows_no_faster

V1 = Path(__file__).parent / "models" / "v1"


def said(name: str) -> dict[str, Any]:
    """A sound file as plain values."""
    found: dict[str, Any] = json.loads((V1 / f"{name}.json").read_bytes())
    return found


def bytes_of(value: Any) -> bytes:
    return json.dumps(value).encode()


def twice(n: int) -> bytes:
    """Many keys, and the last of them a second time."""
    keys = ", ".join(f'"k{i}": {i}' for i in range(n))
    return f'{{{keys}, "k{n - 1}": 0}}'.encode()


def columns(n: int) -> bytes:
    file = said("cart")
    file["schema"]["columns"] += [
        {"name": f"more {i}", "kind": "numeric", "unit": "number"} for i in range(n)
    ]
    return bytes_of(file)


def twin_columns(n: int) -> bytes:
    file = json.loads(columns(n))
    file["schema"]["columns"].append(dict(file["schema"]["columns"][-1]))
    return bytes_of(file)


def levels(n: int) -> bytes:
    """A nominal column that nothing asks for."""
    file = said("cart")
    file["schema"]["columns"].append(
        {"name": "more", "kind": "nominal", "unit": "text", "levels": [f"l{i}" for i in range(n)]}
    )
    return bytes_of(file)


def near_levels(n: int) -> bytes:
    """Long names that look alike."""
    file = json.loads(levels(n))
    file["schema"]["columns"][-1]["levels"] = ["a" * 40 + str(i) for i in range(n)]
    return bytes_of(file)


def provenance(n: int) -> bytes:
    return bytes_of(said("cart") | {"provenance": {f"k{i}": [i, "x", None] for i in range(n)}})


def long_text(n: int) -> bytes:
    return bytes_of(said("cart") | {"provenance": {"said": "\\" * n}})


def classes(n: int) -> bytes:
    """A leaf of many classes."""
    file = said("leaf") | {"classes": {"dtype": "str", "labels": [f"c{i}" for i in range(n)]}}
    file["growth"]["criterion"] = "gini"
    node = {"node": 0, "tally": [1] * n, "impurity": 0.0}
    return bytes_of(file | {"nodes": [node], "candidates": []})


def star(n: int) -> bytes:
    """A node with a branch for each of many levels."""
    file = json.loads(chain(1))
    levels = [f"l{i}" for i in range(n)]
    column = {"name": "x0", "kind": "nominal", "unit": "text", "levels": levels}
    file["schema"]["columns"] = [column]
    test = {"column": "x0", "levels": [[level] for level in levels], "missing": 0}
    root = {"node": 0, "test": test, "first_child": 1, "gain": 0.0, "tally": [n, 0], "value": 0.0}
    leaves = [{"node": i + 1, "tally": [1, 0], "value": 0.0, "impurity": 0.0} for i in range(n)]
    return bytes_of(file | {"nodes": [root | {"impurity": 0.0}, *leaves]})


def in_many_trees(n: int) -> bytes:
    file = said("forest")
    trees = [file["trees"][0] | {"tree": t, "weight": 1 / n} for t in range(n)]
    return bytes_of(file | {"trees": trees})


def in_many_lines(n: int) -> bytes:
    file = said("boosted")
    return bytes_of(file | {"lines": [file["lines"][0] | {"line": t} for t in range(n)]})


def numbers(n: int) -> bytes:
    return b"[" + b"1.5," * n + b"1]"


def nested(n: int) -> bytes:
    return b'{"a":' * n + b"1" + b"}" * n


MODELS: list[tuple[Callable[[int], bytes], int]] = [
    (twice, 4_000), (columns, 1_000), (twin_columns, 1_000), (levels, 4_000), (near_levels, 4_000),
    (provenance, 4_000), (long_text, 200_000), (classes, 4_000), (chain, 1_000), (star, 1_000),
    (in_many_trees, 50), (in_many_lines, 200), (numbers, 50_000), (nested, 1_000),
]  # fmt: skip


@pytest.mark.parametrize(("make", "n"), MODELS, ids=lambda x: getattr(x, "__name__", ""))
def test_opening_a_model_takes_as_long_as_the_file_is(make: Any, n: int) -> None:
    refused = make in (twice, twin_columns, numbers, nested, provenance)

    def load(data: bytes) -> None:
        with suppress(bosco.ModelError) if refused else nullcontext(), any_hash(True):
            bosco.load(io.BytesIO(data))

    grows_no_faster(make, load, n)


def wide(n: int) -> dict[str, bytes]:
    return {"a.csv": ",".join(f"c{i}" for i in range(n)).encode() + b"\n" + b"1," * (n - 1) + b"1"}


def namesakes(n: int) -> dict[str, bytes]:
    return {"a.csv": b"x," * (n - 1) + b"x\n" + b"1," * (n - 1) + b"1"}


def nameless(n: int) -> dict[str, bytes]:
    return {"a.csv": b"," * (n - 1) + b"x\n" + b"1," * (n - 1) + b"1"}


def blank_ends(n: int) -> dict[str, bytes]:
    return {"a.csv": b"x" + b"," * n + b"\n1" + b"," * n}


def long_file(n: int) -> dict[str, bytes]:
    return {"a.csv": b"x,y\n" + b"1,a\n" * n}


def levels_of_text(n: int) -> dict[str, bytes]:
    return {"a.csv": b"x,y\n" + "".join(f"t{i},a\n" for i in range(n)).encode()}


def arff_levels(n: int) -> dict[str, bytes]:
    names = [f"l{i}" for i in range(n)]
    head = f"@relation r\n@attribute a {{{','.join(names)}}}\n@data\n"
    return {"a.arff": (head + "\n".join(names) + "\n").encode()}


def lines_of_json(n: int) -> dict[str, bytes]:
    return {"a.jsonl": b'{"a": 1, "b": "x"}\n' * n}


def quotes(n: int) -> dict[str, bytes]:
    return {"a.csv": b"x,y\n" + b'"a""b","c\nd"\n' * n}


TABLES: list[tuple[Callable[[int], dict[str, bytes]], int]] = [
    (wide, 250), (namesakes, 500), (nameless, 500), (blank_ends, 2_000), (long_file, 50_000),
    (levels_of_text, 5_000), (arff_levels, 1_500), (lines_of_json, 3_000), (quotes, 5_000),
]  # fmt: skip


@pytest.mark.parametrize(("make", "n"), TABLES, ids=lambda x: getattr(x, "__name__", ""))
def test_reading_a_table_takes_as_long_as_the_file_is(make: Any, n: int, tmp_path: Path) -> None:
    def written(n: int) -> Path:
        ((name, data),) = make(n).items()
        (tmp_path / f"{n}").mkdir(exist_ok=True)
        path: Path = tmp_path / f"{n}" / name
        path.write_bytes(data)
        return path

    def read(path: Path) -> None:
        with suppress(BoscoError):
            read_file(path)

    grows_no_faster(written, read, n)


def test_names_that_come_twice_are_found_in_one_pass() -> None:
    def frame(n: int) -> pd.DataFrame:
        names = [f"x{i}" for i in range(n)]
        return pd.DataFrame([range(n + 1)], columns=[*names, names[-1]])

    def read(X: pd.DataFrame) -> None:
        with suppress(bosco.DataError):
            read_table(X)

    grows_no_faster(frame, read, 2_000)


def test_columns_are_found_in_one_pass() -> None:
    """Those of a file that a schema names; those of a model that a database takes for one."""

    def parts(n: int) -> Any:
        names = [f"x{i}" for i in range(n)]
        schema = Schema.infer(pd.DataFrame([range(n)], columns=names, dtype=float))
        return names, schema

    def find(given: Any) -> None:
        names, schema = given
        _places(names, schema, names, names, "a.csv")

    grows_no_faster(parts, find, 2_000)

    def code(n: int) -> Any:
        asks = tuple(Ask(j, (0.5,), (1, 2)) for j in range(n))
        nodes = (Inner(asks, 1, ()), None, None)
        columns = tuple(Column(f"x{j}") for j in range(n))
        leaves = ((0.0,), (0.0,), (1.0,))
        return Program(columns, None, nodes, leaves, (0, 0, 0), False, "")

    grows_no_faster(code, lambda given: _require_apart(given, DIALECTS["duckdb"], ()), 500)


def test_a_square_is_caught() -> None:
    """The harness itself: what looks through a list for each of its members grows too fast."""

    def count(names: list[str]) -> list[int]:
        return [names.count(name) for name in names]

    with pytest.raises(AssertionError, match="four times as much"):
        grows_no_faster(lambda n: [f"{i}" for i in range(n)], count, 3_000)
