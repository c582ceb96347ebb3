"""``bosco evaluate``: how wrong settings, or a saved model, are on rows they have not seen."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit, interrupted_at_last, warnings_as_notes
from bosco.cli.groups import Learner, Splits, TableOptions, Together
from bosco.cli.models import load_model
from bosco.cli.options import Answer, File, KnownTarget
from bosco.errors import ParameterError

EXAMPLE = "bosco evaluate loans.csv --target safe --method k_fold --max-depth 3"


def run(
    file: File,
    target: KnownTarget = None,
    model: Annotated[
        Path | None,
        Option(
            metavar="MODEL",
            help="Judge this saved model by the rows; those it was grown on are told apart.",
        ),
    ] = None,
    *,
    splits: Splits,
    together: Together,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Tell how wrong settings, or a model, are on rows not seen."""
    if model is not None:
        if together.names:
            raise ParameterError(
                "--group and --time part rows to learn from some of them; a saved model is judged "
                "by all rows given. Hint: leave them out, or leave out --model."
            )
        _saved(load_model(model), file, target, table, answer)
        return
    if target is None:
        raise ParameterError(
            "Which column is to be learned? Hint: --target NAME, or --model MODEL."
        )
    import bosco
    from bosco.lessons.learners import learner as made
    from bosco.lessons.lesson import read_lesson

    settings = learner.settings()
    lesson = read_lesson(file, target, table, learner.task, parted=together)
    with warnings_as_notes():
        found = bosco.evaluate(
            made(lesson.task, settings, splits.seed),
            lesson.X,
            lesson.y,
            **splits.how(lesson),
        )
    data = {
        "estimator": found.name,
        "plan": found.plan,
        "parted": found.parted,
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
    emit(answer, str(found), data)
    interrupted_at_last(found)


def _saved(model: Any, file: str, target: str | None, table: TableOptions, answer: Format) -> None:
    """Judge a saved model by the rows of a table."""
    from bosco.cli.rows import labelled_rows
    from bosco.data.weights import read_weights

    X, y, weight = labelled_rows(file, model, target, table, table.weight)
    weight, keep = read_weights(weight, len(y))
    if keep is not None:  # a row of weight 0 is absent
        X, y = X.filter(keep), y[keep]
    figure = model.judge(X, y, weight)
    leaves = model.recount(X, y, weight) if model.kind == "tree" else None
    lines = [str(figure)]
    data: dict[str, Any] = {"error": figure.to_dict(), "classes": None, "confusion": None}
    if model.classes is not None:
        labels, said = model.classes.tolist(), model.predict(X)
        found = _confusions(labels, y, said, figure.seen)
        data |= {"classes": labels, **{name: m for name, (_, m) in found.items()}}
        shown = list(found.values())
        lines += ["", tr("rows, whatever they weigh:")] if figure.whole.weighted else []
        for words, matrix in shown[1:] if len(shown) > 1 else shown:
            lines += ["", *([words] if words else []), *_table(matrix, labels)]
    data["leaves"] = None if leaves is None else leaves.to_dict()
    if leaves is not None:
        lines += ["", str(leaves).removeprefix(f"{figure.seen}\n\n")]
    emit(answer, "\n".join(lines), data)


def _confusions(labels: list[Any], y: Any, said: Any, seen: Any) -> dict[str, tuple[str, Any]]:
    """True by predicted on all rows; apart, where some were seen in training and some were not."""
    from sklearn.metrics import confusion_matrix

    def matrix(rows: Any) -> Any:
        return confusion_matrix(y[rows], said[rows], labels=labels).tolist()

    found = {"confusion": ("", matrix(slice(None)))}
    if seen.mixed:
        known, fresh = seen.parts()
        others = f"{tr('on the {n:,} others', n=len(fresh))}:"
        found["confusion_unseen"] = (others, matrix(fresh))
        words = tr("on the {n:,} rows that equal training rows:", n=len(known))
        found["confusion_seen"] = (words, matrix(known))
    return found


def _table(matrix: list[list[int]], labels: list[Any]) -> list[str]:
    from bosco.base.numerals import lay_out
    from bosco.data.schema import show_label

    names = [show_label(label) for label in labels]
    rows = [[name, *map(str, row)] for name, row in zip(names, matrix, strict=True)]
    return lay_out([[tr("true \\ predicted"), *names], *rows])
