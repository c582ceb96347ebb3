"""``bosco report``: a model as a page that a person can mail."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import (
    By,
    Case,
    CostsOption,
    CutsOption,
    KnownTarget,
    ModelFile,
    Positive,
    Table,
    out_to,
)
from bosco.errors import ParameterError

Written = StrEnum("Written", "text json docx")
"""How the verb answers: a document of Word is a file."""

EXAMPLE = "bosco report loans.json --table new_loans.csv --out loans.html"


def run(
    model: ModelFile,
    values: Case = None,
    rows: Table = None,
    target: KnownTarget = None,
    out: Annotated[
        Path | None,
        out_to("The page, or of .docx a document; by default the model's name and .html."),
    ] = None,
    title: Annotated[str | None, Option(metavar="TEXT", help="Of the page.")] = None,
    by: By = None,
    cuts: CutsOption = None,
    positive: Positive = None,
    costs: CostsOption = None,
    *,
    layout: Layout,
    answer: Annotated[
        Written, Option("--format", help="How to answer; docx is a document of Word.")
    ] = Written.text,
) -> None:
    """Write a model as one HTML page for people, or as a document of Word.

    Rows of --table, which the model should not have seen, say how wrong it is. A case is told item
    by item in the report of many trees.
    """
    import bosco
    from bosco.cli.rows import case_given, costs_said, labelled_rows, segments_named

    loaded = load_model(model)
    if values and loaded.kind == "tree":
        raise ParameterError(
            "A case is for the report of many trees; of one tree, cases are typed into the page. "
            "Hint: bosco draw shows the way of a case."
        )
    parts: dict[str, Any] = {"command": loaded.provenance.get("command"), "title": title}
    if values:
        parts["case"] = case_given(values, loaded)
    named, where = segments_named(by, cuts)
    asked = {"by": named or None, "positive": positive, "costs": costs_said(costs)}
    if rows is None and any(value is not None for value in asked.values()):
        raise ParameterError("--by, --positive and --costs are about rows. Hint: --table FILE.")
    if rows is not None:
        parts |= {**asked, "cuts": where}
        parts["X"], parts["y"], _ = labelled_rows(rows, loaded, target, layout, segments=named)
    page = bosco.report(loaded, **parts)
    out = out or model.with_suffix(".docx" if answer is Written.docx else ".html")
    page.save(out)
    form = Format.json if answer is Written.json else Format.text
    emit(form, tr("saved: {file}", file=out), {"file": str(out)})
