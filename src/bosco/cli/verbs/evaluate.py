"""``bosco evaluate``: how wrong settings, or a saved model, are on rows they have not seen."""

from pathlib import Path
from typing import Annotated, Any

import typer

from bosco.cli.console import Format, emit, interrupted_at_last, warnings_as_notes
from bosco.cli.groups import Learner, TableOptions
from bosco.cli.models import is_tree, load_model
from bosco.cli.options import Answer, File, Jobs, KnownTarget, items
from bosco.errors import ParameterError
from bosco.visible import visible

__all__ = ["EXAMPLE", "run"]

EXAMPLE = "bosco evaluate loans.csv --target safe --method k_fold --max-depth 3"


def run(
    file: File,
    target: KnownTarget = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            help="Judge this saved model by the rows, which it should not have seen.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(help="k_fold, monte_carlo, holdout or bootstrap_632.")
    ] = "k_fold",
    repeats: Annotated[
        int | None, typer.Option(help="Splits, or cross-validations.", show_default=False, min=1)
    ] = None,
    folds: Annotated[
        int | None, typer.Option(help="Of k_fold; 10 if not said.", show_default=False, min=2)
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(help="Share to test on; 0.3 if not said.", show_default=False),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            metavar="NAME,…",
            help="Scores by scikit-learn's names.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the splits.", min=0)] = 0,
    jobs: Jobs = -1,
    *,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Tell how wrong settings, or a model, are on rows not seen."""
    if model is not None:
        _saved(load_model(model), file, target, table, answer)
        return
    if target is None:
        raise ParameterError(
            "Which column is to be learned? Hint: --target NAME, or --model MODEL."
        )
    import bosco
    from bosco.cli.learners import learner as made
    from bosco.cli.learning import read_lesson

    settings = learner.settings()
    lesson = read_lesson(file, target, table, learner.task)
    with warnings_as_notes():
        found = bosco.evaluate(
            made(lesson.task, settings, seed),
            lesson.X,
            lesson.y,
            method=method,
            repeats=repeats,
            folds=folds,
            test_size=test_size,
            metrics=items(metrics) or None,
            sample_weight=lesson.weight,
            n_jobs=jobs,
            random_state=seed,
        )
    emit(answer, str(found), evaluation_data(found))
    interrupted_at_last(found)


def evaluation_data(found: Any) -> dict[str, Any]:
    """An evaluation as plain values."""
    return {
        "estimator": found.name,
        "plan": found.plan,
        "rows": found.n_rows,
        "interrupted": found.interrupted,
        "summary": found.summary(),
        "says": found.says,
        "classes": None if found.classes is None else list(found.classes),
        "confusion": None if found.confusion is None else found.confusion.tolist(),
        "per_class": None if found.classes is None else found.per_class(),
        "calibration": found.calibration(),
        "splits": found.to_dict(),
    }


def _saved(model: Any, file: str, target: str | None, table: TableOptions, answer: Format) -> None:
    """Judge a saved model by the rows of a table."""
    from sklearn.metrics import confusion_matrix

    from bosco.cli.figures import judged
    from bosco.cli.rows import labelled_rows
    from bosco.judge.report import lay_out

    X, y = labelled_rows(file, model, target, table)
    figure = judged(model, X, y)
    leaves = model.recount(X, y) if is_tree(model) else None
    lines, confusion = [str(figure)], None
    if model.classes is not None:
        confusion = confusion_matrix(y, model.predict(X), labels=model.classes).tolist()
        names = [visible(str(label)) for label in model.classes.tolist()]
        head = ["true \\ predicted", *names]
        rows = [[name, *map(str, row)] for name, row in zip(names, confusion, strict=True)]
        lines += ["", *lay_out([head, *rows])]
    data = {
        "error": figure.to_dict(),
        "classes": None if model.classes is None else model.classes.tolist(),
        "confusion": confusion,
        "leaves": None if leaves is None else leaves.to_dict(),
    }
    emit(answer, "\n".join(lines if leaves is None else [*lines, "", str(leaves)]), data)
