"""``bosco predict``: score a table of any size."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr, trn
from bosco.base.progress import progress
from bosco.cli.console import Format, emit, note
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import Answer, File, ModelFile, out_to
from bosco.errors import ParameterError
from bosco.lessons.told import items

EXAMPLE = "bosco predict loans.json new.csv --out scored.csv --keep id --proba"


def run(
    model: ModelFile,
    file: File,
    out: Annotated[str, out_to("Where to write: .csv, .csv.gz or .parquet; - is here.")] = "-",
    keep: Annotated[
        list[str] | None, Option(metavar="NAME,…", help="Columns to copy into the output.")
    ] = None,
    proba: Annotated[bool, Option("--proba", help="Add the share of every class.")] = False,
    rows: Annotated[int, Option(help="Rows in memory at once.", min=1)] = 200_000,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Predict every row of a table, whatever its size.

    It is read chunk by chunk; the output appears whole or not at all.
    """
    if answer is Format.json and out == "-":
        raise ParameterError("--format json tells about the run: say with --out where rows go.")
    from bosco.cli.rows import asked_of
    from bosco.tables import estimate_rows, read_chunks, write_chunks
    from bosco.tables.writing import Typing

    loaded = load_model(model)
    watch = None
    if "sketch" in loaded.provenance:
        from bosco.drift.watching import Watch, sketch_of

        watch = Watch(loaded, sketch_of(loaded))
    began, unknown = time.perf_counter(), Counter[str]()
    seen = Counter[str]()
    to_see = sys.stderr.isatty()
    with progress(estimate_rows(file), f"predicting {file}", to_see, stays=False) as done:
        chunks = read_chunks(
            file,
            asked_of(loaded),
            rows=rows,
            needed=loaded.columns_asked,
            keep=items(keep),
            options=layout.options(),
        )
        # A CSV file gets what the table has, to the letter; a Parquet file has types.
        as_text = not out.lower().endswith((".parquet", ".pq"))
        typing = (
            None if as_text else Typing(loaded.schema.without_derived(), layout.options().types)
        )
        count = write_chunks(
            out, _scored(loaded, chunks, typing, items(keep), proba, unknown, seen, done, watch)
        )
    seconds = time.perf_counter() - began
    for column, times in unknown.items():
        note(
            tr(
                "{column}: {n:,} values are levels the model does not know; read as missing",
                column=column,
                n=times,
            )
        )
    if seen["equal"]:
        note(
            tr(
                "{n:,} of {all:,} rows equal rows that the model was grown on, in every column: "
                "its answers there say nothing of how good it is",
                n=seen["equal"],
                all=seen["looked"],
            )
        )
    drift = None
    if watch is not None and watch.n_rows:
        from bosco.drift.drifting import compared

        drift = compared(watch)
        note(drift.line)
        for look in drift.found:
            note(f"  {look.said}")
    if out == "-":
        return
    emit(
        answer,
        trn(
            "{file}: {n} row in {seconds:.1f} s",
            "{file}: {n} rows in {seconds:.1f} s",
            f"{count:,}",
            file=out,
            seconds=seconds,
        ),
        {
            "file": out,
            "rows": count,
            "seconds": seconds,
            "unknown_levels": dict(unknown),
            "equal_training_rows": seen["equal"] if seen["looked"] else None,
            "looked_at": seen["looked"] or None,
            "drift": None if drift is None else drift.to_dict(),
        },
    )
    sys.stdout.flush()


def _scored(
    model: Any,
    chunks: Iterator[Any],
    typing: Callable[[Any], Any] | None,
    keep: Iterable[str],
    proba: bool,
    unknown: Counter[str],
    seen: Counter[str],
    done: Callable[[int], None] | None,
    watch: Any,
) -> Iterator[Any]:
    """Predictions, with the columns kept and the shares asked for, one table per chunk."""
    import pyarrow as pa

    from bosco.data.fingerprint import seen_rows

    some = False
    for chunk in chunks:
        some = True
        frame = model.read(chunk.X)
        known = seen_rows(model, frame)
        seen.update(looked=known.n_looked, equal=known.n_equal)
        if watch is not None:
            watch.add(frame)
        kept = chunk.kept if typing is None else typing(chunk.kept)
        columns = dict(zip(kept.column_names, kept.columns, strict=True))
        _add(columns, "prediction", pa.array(model.predict_frame(frame, -1)))
        if proba and model.classes is not None:
            shares = model.values_frame(frame, -1)
            for k, label in enumerate(model.classes.tolist()):
                _add(columns, f"p_{label}", pa.array(shares[:, k]))
        unknown.update({n: k for n, k in chunk.unknown.items() if n in model.columns_asked})
        if done is not None:
            done(chunk.start + chunk.X.num_rows)
        yield pa.table(columns)
    if not some:  # a header, as of any table without rows
        yield _of_no_rows(model, keep, proba)


def _of_no_rows(model: Any, keep: Iterable[str], proba: bool) -> Any:
    """The columns that a table without a row would get."""
    import pyarrow as pa

    columns = {name: pa.array([], pa.string()) for name in keep}
    of_classes = model.classes is not None
    said = pa.array(model.classes[:0]) if of_classes else pa.array([], pa.float64())
    _add(columns, "prediction", said)
    for label in model.classes.tolist() if proba and of_classes else ():
        _add(columns, f"p_{label}", pa.array([], pa.float64()))
    return pa.table(columns)


def _add(columns: dict[str, Any], name: str, values: Any) -> None:
    if name in columns:
        raise ParameterError(f"--keep: the output has a column {name!r} of its own.")
    columns[name] = values
