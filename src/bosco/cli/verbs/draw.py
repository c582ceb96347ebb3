"""``bosco draw``: the tree as a picture."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_tree
from bosco.cli.options import Answer, Case, KnownTarget, ModelFile, OneTree, Table, out_to
from bosco.errors import ParameterError

EXAMPLE = "bosco draw loans.json reputation=poor term=3 --out loans.svg"

_PAINTED = (".png", ".pdf", ".jpg", ".jpeg")


def run(
    model: ModelFile,
    values: Case = None,
    out: Annotated[
        Path | None,
        out_to("A .svg, or by matplotlib a .png or .pdf; by default the model's name and .svg."),
    ] = None,
    rows: Table = None,
    row: Annotated[
        int | None, Option(help="The case is this row of --table, from 1.", min=1)
    ] = None,
    target: KnownTarget = None,
    max_depth: Annotated[int | None, Option(help="Fold what lies deeper.", min=0)] = None,
    max_nodes: Annotated[int, Option(help="Fold larger trees to so many.", min=1)] = 100,
    width: Annotated[float | None, Option(help="Fold until it is no wider, in pixels.")] = None,
    orientation: Annotated[str, Option(help="auto, vertical or horizontal.")] = "auto",
    theme: Annotated[
        str, Option(help="light, dark, or for .svg as the reader's system has it: auto.")
    ] = "auto",
    dpi: Annotated[int, Option(help="Of a .png.", min=10, max=2400)] = 192,
    tree: OneTree = None,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Draw the tree, with the path of a case if one is given.

    Rows of --table give each question a histogram of its column, with the cut in it.
    """
    if row is not None and (rows is None or values):
        raise ParameterError(
            "--row counts rows of --table FILE, and leaves no room for NAME=VALUE."
        )
    out = out or model.with_suffix(".svg")
    if out.suffix.lower() not in (".svg", *_PAINTED):
        raise ParameterError(f"--out: a picture is .svg, .png or .pdf. Got {out}.")
    from bosco.cli.rows import case_asked, labelled_rows

    loaded = load_tree(model, "pictures are drawn", tree, one_of=True)
    options: dict[str, Any] = {
        "row": case_asked(loaded, values, rows, row),
        "max_depth": max_depth,
        "max_nodes": max_nodes,
        "orientation": orientation,
        "width": width,
    }
    if rows is not None:
        options["X"], options["y"], _ = labelled_rows(rows, loaded, target, layout)
    if out.suffix.lower() == ".svg":
        loaded.svg(theme=theme, **options).save(out)
    else:
        _paint(loaded, out, "light" if theme == "auto" else theme, dpi, options)
    emit(answer, tr("saved: {file}", file=out), {"file": str(out), "leaves": loaded.n_leaves})


def _paint(model: Any, out: Path, theme: str, dpi: int, options: dict[str, Any]) -> None:
    """Draw with matplotlib, which needs no screen for it."""
    from bosco.base.safe_files import whole_file
    from bosco.render.mpl import need_matplotlib

    need_matplotlib()
    import matplotlib

    matplotlib.use("agg")
    figure = model.plot(theme=theme, **options).figure
    with whole_file(out) as file:
        figure.savefig(file, format=out.suffix[1:].lower(), dpi=dpi)
