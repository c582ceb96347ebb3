"""What is done with every file that loads, and what may happen to one that does not."""

from __future__ import annotations

import contextlib
import io
import pickle
import random
import re
import warnings
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

import bosco
from bosco.data.frame import Frame
from bosco.data.schema import Column, Schema
from bosco.errors import BoscoError, ModelError
from bosco.store import files
from bosco.store.header import refuse_hash

ODD_NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan, 2.0**53]
HASHES = re.compile(r"it has (sha256:\w+), the file says '([^']+)'")
REFUSED, ASKED, USED = range(3)


def attack(data: bytes, every: int = 1) -> int:
    """Load bytes and, if they are a model, use it; tell what was done.

    A wrong hash protects nothing: it is let pass, or put right in the file, by turns. One model of
    `every`, chosen by its bytes, is used in full; the others are asked about odd rows.
    """
    turn = zlib.crc32(data)
    try:
        with any_hash(turn // every % 16 > 0):
            model = bosco.load(io.BytesIO(data))
    except ModelError as error:
        found = HASHES.search(str(error))
        if not found or found[2].encode() not in data:
            return REFUSED
        try:
            mended = data.replace(found[2].encode(), found[1].encode())
            model = bosco.load(io.BytesIO(mended))
        except ModelError:
            return REFUSED
    if turn % every:
        ask(model)
        return ASKED
    use(model)
    return USED


@contextlib.contextmanager
def any_hash(truth: bool) -> Iterator[None]:
    """Let any hash pass; it is computed all the same."""
    files.refuse_hash = _let_pass if truth else refuse_hash  # type: ignore[attr-defined]
    try:
        yield
    finally:
        files.refuse_hash = refuse_hash  # type: ignore[attr-defined]


def _let_pass(found: str, said: str) -> None:
    """Do nothing."""


def ask(model: Any) -> None:
    """Send odd rows down the trees."""
    frame = odd_frame(model.schema)
    table = isinstance(model, bosco.ScoreTable)
    said = model.points_frame(frame) if table else model.values_frame(frame)
    assert len(said) == frame.n_rows


@lru_cache(1024)  # most changes of a file leave its columns as they are
def odd_frame(schema: Schema) -> Frame:
    """Odd rows, read already."""
    return Frame.read(odd_rows(schema.given, None), schema)


def use(model: Any) -> None:
    """Do with a model all that people do; nothing may fail."""
    str(model)
    if isinstance(model, bosco.SeveralModel):
        use_several(model)
        return
    if not isinstance(model, bosco.Model):
        use_many(model)
        return
    model.to_text(max_nodes=None, max_levels=None, ascii=True)
    native = model.tree.native
    asked = native.candidate_begin[1:] > native.candidate_begin[:-1]
    for node in np.flatnonzero(asked & model.growth.record)[:5].tolist():
        str(model.why(node))
    rows = odd_rows(model.schema.given, native.tests)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            predicted = model.predict(rows)
        except BoscoError:
            assert model.growth.missing == "error", "rows that the schema describes are refused"
        else:
            leaves = model.apply(rows)
            assert len(predicted) == len(model.predict_proba(rows)) == len(leaves)
            assert (native.first_child[leaves] < 0).all()
            for row in rows[::10]:
                str(model.explain(row))
    model.tree.compute_feature_importances()
    str(model.pruning_log())
    str(model.leaves())
    model.svg()
    model.to_python()
    with contextlib.suppress(ModelError):  # trees with too many boxes are refused
        str(model.rules())
    if int(model.tree.digest(), 16) % 8 == 0:  # a part of them: it takes most of the time
        keep(model)


def use_several(model: Any) -> None:
    """The same of several outputs."""
    model.to_text(max_nodes=None, max_levels=None, ascii=True)
    rows = odd_rows(model.schema.given, model.tree.native.tests)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            predicted = model.predict(rows)
        except BoscoError:
            assert model.growth.missing == "error", "rows that the schema describes are refused"
        else:
            assert predicted.shape == (len(rows), len(model.outputs))
            for said in model.predict_proba(rows):
                assert np.isfinite(said).all()
    if zlib.crc32(str(model).encode()) % 8 == 0:
        keep(model)


def use_many(model: Any) -> None:
    """The same of many trees."""
    forest = isinstance(model, bosco.ForestModel)
    trees = list(model.trees()) if forest else [line.tree for line in model.lines]
    rows = odd_rows(model.schema.given, trees[0].native.tests)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            predicted = model.predict(rows)
        except BoscoError:
            assert model.growth.missing == "error", "rows that the schema describes are refused"
        else:
            said = model.predict_proba(rows) if forest else model.points(rows)
            assert len(predicted) == len(said)
            assert np.isfinite(said).all()
            for row in rows[::10]:
                str(model.explain(row))
    with contextlib.suppress(ModelError):  # points that a float64 does not add exactly
        model.to_python()
    if forest:
        assert np.isfinite(model.feature_importances).all() or model.classes is None
        str(model.tree(0))
    if zlib.crc32(str(model).encode()) % 8 == 0:
        keep(model)


def keep(model: Any) -> None:
    """Save a model in both forms, load it, save it again; the same by pickle."""
    for form in ("json", "binary"):
        written = _written(model, form)
        again = bosco.load(io.BytesIO(written))
        assert _written(again, form) == written, "load and save changed the file"
        assert _written(pickle.loads(pickle.dumps(model)), form) == written


def _written(model: Any, form: Any) -> bytes:
    file = io.BytesIO()
    model.save(file, form=form)
    return file.getvalue()


def odd_rows(columns: Any, tests: Any, n: int = 20) -> list[dict[str, Any]]:
    """Rows with values near a tree's thresholds, levels known and unknown, missing values."""
    draw = random.Random(0)
    near: dict[int, list[float]] = {}
    with np.errstate(over="ignore"):  # beyond the largest number
        for test in np.flatnonzero(tests.kind == 1)[:50].tolist() if tests else ():
            cut = float(tests.thresholds[tests.threshold_begin[test]])
            sides = (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf))
            near.setdefault(int(tests.column[test]), []).extend(map(float, sides))
    choices = [_values(column, near.get(j, [])) for j, column in enumerate(columns)]
    named = zip(columns, choices, strict=True)
    drawn = {column.name: draw.choices(values, k=n) for column, values in named}
    return [{name: values[i] for name, values in drawn.items()} for i in range(n)]


def _values(column: Column, near: list[float]) -> list[Any]:
    if column.levels is not None:
        # A column of rows is of one kind, whatever its levels are.
        texts = [level for level in column.levels[:20] if isinstance(level, str)]
        truths = [level for level in column.levels[:20] if isinstance(level, bool)]
        numbers = [v for v in column.levels[:20] if not isinstance(v, str | bool)]
        return [*texts, "nobody's", None] if texts else [*(truths or [*numbers, 12345.5]), None]
    if column.unit == "number":
        return [*ODD_NUMBERS, *near, None]
    return [None]  # dates and times have types of their own
