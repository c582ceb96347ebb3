"""``bosco alternatives``: the other trees that are as good as a saved one."""

from typing import Annotated

from typer import Option

from bosco.cli.console import Format, emit, interrupted_at_last
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import Answer, File, Jobs, KnownTarget, ModelFile, Table

EXAMPLE = "bosco alternatives loans.json loans.csv --target safe --within 0.02"


def run(
    model: ModelFile,
    file: File,
    target: KnownTarget = None,
    within: Annotated[
        float,
        Option(help="As good: costs at most this share of the rows more than the best.", min=0),
    ] = 0.01,
    elsewhere: Table = None,
    weight: Annotated[
        str | None, Option(metavar="NAME", help="The column that holds the weight of each row.")
    ] = None,
    max_depth: Annotated[
        int | None, Option(metavar="N", help="Another depth than the tree's own.", min=1, max=20)
    ] = None,
    work: Annotated[
        int | None,
        Option(metavar="STEPS", help="Entries of columns that each search looks at.", min=1),
    ] = None,
    jobs: Jobs = 1,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Tell which other trees are as good: with each column at the root, and how many in all.

    FILE has the rows that the model was grown on; --table others, on which the good trees are
    judged as well.
    """
    import bosco
    from bosco.cli.rows import labelled_rows
    from bosco.reasons.rooted import WORK

    loaded = load_model(model)
    X, y, weights = labelled_rows(file, loaded, target, layout, weight)
    others = None
    if elsewhere is not None:
        others = labelled_rows(elsewhere, loaded, target, layout)[:2]
    found = bosco.alternatives(
        loaded,
        X,
        y,
        within=within,
        elsewhere=others,
        sample_weight=weights,
        max_depth=max_depth,
        work_limit=WORK if work is None else work,
        n_jobs=jobs,
    )
    emit(answer, str(found), found.to_dict())
    interrupted_at_last(found)
