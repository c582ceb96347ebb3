"""Rows of a table as a saved model sees them, and what is true of them."""

import contextlib
import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.cli.console import note
from bosco.cli.groups import Layout
from bosco.errors import DataError, ParameterError


def asked_of(model: Any) -> Any:
    """The schema of the columns that a model asks for.

    All of them if it asks nothing, or remembers its training rows: what it has seen, and whether
    rows are like those, is told by all.
    """
    if not model.provenance.keys().isdisjoint(("fingerprint", "sketch")):
        return model.schema.without_derived()
    given = model.schema.given
    columns = tuple(column for column in given if column.name in model.columns_asked)
    return replace(model.schema, columns=columns or given)


def rows_of(
    place: str,
    model: Any,
    layout: Layout,
    needed: Collection[str] | None = None,
    target: tuple[str, ...] = (),
    foreign: tuple[str, ...] = (),
) -> Any:
    """The columns of a table that a model has, typed as it says; what it asks for must be there.

    Behind them come those that are `foreign` to it, as numbers where all are.
    """
    import pyarrow as pa

    from bosco.tables import read_chunks

    needed = model.columns_asked if needed is None else needed
    options = layout.options()
    schema = model.schema.without_derived()
    keep = (*target, *foreign)
    read = list(read_chunks(place, schema, needed=needed, keep=keep, options=options))
    chunks = [chunk.X for chunk in read]
    if not chunks:
        raise DataError(f"{place} has no rows.")
    everywhere = [n for n in schema.names if all(n in c.column_names for c in chunks)]
    table = pa.concat_tables([chunk.select(everywhere) for chunk in chunks])
    for name in foreign:
        column = pa.chunked_array([c for chunk in read for c in chunk.kept.column(name).chunks])
        table = table.append_column(name, _typed(column))
    return table.unify_dictionaries().combine_chunks()


def _typed(column: Any) -> Any:
    """A column that no schema knows: numbers or moments if all its texts are, blanks missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from bosco.tables.spellings import is_blank

    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    texts = column.dictionary_encode().combine_chunks()
    levels = texts.dictionary.to_pylist()
    known = pa.array([None if is_blank(level) else level for level in levels], pa.string())
    plain = pc.take(known, texts.indices)
    for kind in (pa.float64(), pa.date32(), pa.timestamp("us")):
        with contextlib.suppress(pa.ArrowInvalid):
            return pc.cast(plain, kind)
    return plain


def labelled_rows(
    place: str,
    model: Any,
    target: str | None,
    layout: Layout,
    weight: str | None = None,
    segments: Collection[str] = (),
) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
    """Rows, what is true of them, and what they weigh by a column of the table.

    Rows whose target is missing or no class are left out. Columns of `segments` come, too, also
    if the model has them not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from bosco.data.schema import Column

    name = target or model.provenance.get("target")
    if name is None:
        raise ParameterError("The model does not say what it predicts. Hint: --target NAME.")
    if name in model.schema.names:
        raise ParameterError(f"{name!r} is a column that the model learns from, not its target.")
    known = None if model.classes is None else tuple(model.classes.tolist())
    truth = Column(name) if known is None else Column(name, "nominal", known, "text")
    more = [truth]
    if weight is not None and weight not in model.schema.names:
        more.append(Column(weight))
    names = [column.name for column in more]
    wider = replace(model, schema=replace(model.schema, columns=(*model.schema.given, *more)))
    of_segments = [column for column in segments if column not in model.schema.names]
    if name in of_segments:
        raise ParameterError(f"--by {name}: that is the target.")
    own = [column for column in segments if column in model.schema.names]
    needed = [*model.columns_asked, *names, *own, *([] if weight is None else [weight])]
    table = rows_of(place, wider, layout, needed, tuple(names), tuple(of_segments))
    y = table.column(name)
    if known is not None:
        y = y.combine_chunks().dictionary_decode()
    there = y.is_valid() if known is None else pc.is_in(y, pa.array(known))
    there = there.to_numpy(zero_copy_only=False)
    left_out = int(np.count_nonzero(~there))
    if left_out:
        left = {"column": name, "n": left_out}
        note(
            tr("{column}: {n:,} rows left out, whose target is missing or no number", **left)
            if known is None
            else tr(
                "{column}: {n:,} rows left out, whose target is missing or none of the model's "
                "classes",
                **left,
            )
        )
    if left_out == table.num_rows:
        raise DataError(f"{place}, column {name!r}: no row has a target that the model knows.")
    table, y = table.filter(there), y.filter(there)
    X = table.drop_columns(names)
    w = None if weight is None else np.asarray(table.column(weight).to_numpy(), np.float64)
    if known is None:
        return X, np.asarray(y.to_numpy(), np.float64), w
    return X, np.asarray(y.to_pylist(), model.classes.dtype), w


def case_asked(
    model: Any, values: list[str] | None, place: str | None, row: int | None
) -> dict[str, Any] | None:
    """One case, given as NAME=VALUE words, or as a row of a table, counted from 1; or none."""
    if values:
        return case_given(values, model)
    if place is None or row is None:
        return None
    from bosco.tables import read_chunks

    schema = model.schema.without_derived()
    for chunk in read_chunks(place, schema, needed=model.columns_asked):
        if row - 1 < chunk.start + chunk.X.num_rows:
            found: dict[str, Any] = chunk.X.slice(row - 1 - chunk.start, 1).to_pylist()[0]
            return dict.fromkeys(schema.names) | found
    raise ParameterError(f"{place} has no row {row}.")


def case_given(values: list[str], model: Any) -> dict[str, Any]:
    """One case, given as NAME=VALUE words."""
    from bosco.lessons.told import pairs
    from bosco.tables import read_case

    # A value may hold a comma: each argument is one pair.
    quoted = ['"' + value.replace('"', '""') + '"' for value in values]
    return read_case(pairs(quoted, "a case"), model.schema.without_derived())


def segments_named(by: list[str] | None, cuts: list[str] | None) -> tuple[list[str], Any]:
    """The columns that make segments, and where numbers are cut."""
    from bosco.lessons.told import items, pairs

    named = list(dict.fromkeys(items(by) or []))
    if cuts and not named:
        raise ParameterError("--cuts is for segments. Hint: --by NAME.")
    found = {}
    for name, said in pairs(cuts or [], "--cuts").items():
        parts = said.split(":")
        if not all(_NUMBER_OR_DATE.fullmatch(part.strip()) for part in parts):
            raise ParameterError(
                f"--cuts {name}={said}: numbers or dates are wanted, with : between, such as "
                "age=25:60 or day=2024-03-31."
            )
        found[name] = parts
    return named, found or None


_NUMBER_OR_DATE = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|\d{4}-\d\d-\d\d", re.IGNORECASE)


def costs_said(said: list[str] | None) -> Any:
    """What wrong answers cost, or None."""
    from bosco.lessons.told import items
    from bosco.tree.costs import read_costs

    return read_costs(items(said), "--costs", free=True) if said else None
