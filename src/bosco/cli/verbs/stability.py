"""``bosco stability``: how much of the tree would be there again with other rows."""

from typing import Annotated

from typer import Option

from bosco.cli.console import Format, emit, interrupted_at_last, warnings_as_notes
from bosco.cli.groups import Learner, TableOptions
from bosco.cli.options import Answer, File, Jobs, Target

EXAMPLE = "bosco stability loans.csv --target safe --max-depth 3 --repeats 200"


def run(
    file: File,
    target: Target,
    repeats: Annotated[int, Option(help="Bootstrap samples.", min=1)] = 100,
    seed: Annotated[int, Option(help="Seed of the samples.", min=0)] = 0,
    jobs: Jobs = -1,
    *,
    learner: Learner,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Tell which questions stay when the rows are drawn again."""
    import bosco
    from bosco.lessons.learners import learner as made
    from bosco.lessons.learners import refuse_many
    from bosco.lessons.lesson import read_lesson

    settings = learner.settings()
    refuse_many(settings, "stability")
    lesson = read_lesson(file, target, table, learner.task)
    with warnings_as_notes():
        found = bosco.stability(
            made(lesson.task, settings, seed),
            lesson.X,
            lesson.y,
            repeats=repeats,
            sample_weight=lesson.weight,
            n_jobs=jobs,
            random_state=seed,
        )
    data = {
        "estimator": found.name,
        "rows": found.n_rows,
        "repeats": found.repeats,
        "interrupted": found.interrupted,
        "nodes": found.to_dict(),
        "roots": found.roots,
        "leaves": found.leaves.tolist(),
        "agreement": found.agreement.tolist(),
        "text": found.model.to_text(max_nodes=None),
    }
    emit(answer, str(found), data)
    interrupted_at_last(found)
