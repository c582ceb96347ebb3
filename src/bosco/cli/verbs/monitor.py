"""``bosco monitor``: whether rows look like those that a model learned from."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import Answer, File, ModelFile
from bosco.errors import DataError, ParameterError

EXAMPLE = "bosco monitor loans.json new.csv --truth safe --date day --page drift.html"


def run(
    model: ModelFile,
    file: File,
    truth: Annotated[
        str | None, Option(metavar="NAME", help="The column that holds what turned out to be true.")
    ] = None,
    date: Annotated[
        str | None, Option(metavar="NAME", help="With --truth: a column of dates; error by month.")
    ] = None,
    page: Annotated[Path | None, Option(metavar="FILE", help="Write a page, too.")] = None,
    title: Annotated[str | None, Option(metavar="TEXT", help="Of the page.")] = None,
    rows: Annotated[int, Option(help="Rows in memory at once.", min=1)] = 200_000,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Tell whether rows look like those that a model learned from.

    One line if they do. With --truth also how wrong the model was, by month with --date.
    """
    from bosco.drift.drifting import compared
    from bosco.drift.monitoring import drift_page
    from bosco.drift.watching import Watch, sketch_of

    if date is not None and truth is None:
        raise ParameterError("--date is for the error by month. Hint: --truth NAME.")
    loaded = load_model(model)
    watch = Watch(loaded, sketch_of(loaded))
    for chunk in _chunks(loaded, file, truth, date, rows, layout):
        watch.add(*chunk)
    if not watch.n_rows:
        raise DataError(f"{file} has no rows.")
    found = compared(watch)
    said = str(found)
    if page is not None:
        drift_page(loaded, found, title).save(page)
        said += "\n" + tr("saved: {file}", file=page)
    emit(answer, said, found.to_dict() | {"page": None if page is None else str(page)})


def _chunks(
    model: Any, file: str, truth: str | None, date: str | None, rows: int, layout: Layout
) -> Iterator[tuple[Any, Any, Any]]:
    """Rows as the model reads them, what is true of them, and their months."""
    from bosco.data.schema import Column
    from bosco.tables import read_chunks

    schema = model.schema.without_derived()
    needed = list(model.columns_asked)
    if truth is not None:
        if truth in schema.names:
            raise ParameterError(f"{truth!r} is a column that the model learns from.")
        classes = None if model.classes is None else tuple(model.classes.tolist())
        true = Column(truth) if classes is None else Column(truth, "nominal", classes, "text")
        schema = replace(schema, columns=(*schema.columns, true))
        needed.append(truth)
    kept = [name for name in (truth, date) if name is not None]
    for chunk in read_chunks(
        file, schema, rows=rows, needed=needed, keep=kept, options=layout.options()
    ):
        X, y, months = chunk.X, None, None
        if truth is not None:
            y = _truth(model, X.column(truth))
            X = X.drop_columns([truth])
        if date is not None:
            months = _months(chunk.kept.column(date), date)
        yield model.read(X), y, months


def _truth(model: Any, column: Any) -> Any:
    """Numbers, or places of classes; NaN or -1 where there is none."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if model.classes is None:
        return np.asarray(column.to_numpy(), np.float64)
    labels = column.combine_chunks().dictionary_decode()
    place = pc.index_in(labels, pa.array(model.classes.tolist()))
    return pc.fill_null(place, -1).to_numpy(zero_copy_only=False)


def _months(column: Any, name: str) -> Any:
    """The month of each row, as `months_of` has it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from bosco.drift.watching import UNDATED

    text = pc.fill_null(column.cast(pa.string()), "")
    months = pc.utf8_slice_codeunits(text, 0, 7)
    good = pc.or_(pc.equal(text, ""), pc.match_substring_regex(months, r"^\d{4}-\d\d$"))
    if not pc.all(good).as_py():
        odd = text.filter(pc.invert(good))[0].as_py()
        raise DataError(
            f"--date: column {name!r} has {odd!r}, which is no date such as 2024-03-31."
        )
    months = pc.if_else(pc.equal(months, ""), UNDATED, months)
    return months.to_numpy(zero_copy_only=False).astype(str)
