"""``bosco replay``: do the log of a draft again, and say whether the same comes of it."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit

from bosco.cli.console import Format, emit
from bosco.cli.groups import TableOptions
from bosco.cli.options import Answer, File, KnownTarget, Out

EXAMPLE = "bosco replay loans.draft loans.csv"


def run(
    log: Annotated[
        Path, Argument(metavar="LOG", help="The log of a draft, or a model that was drafted.")
    ],
    file: File,
    target: KnownTarget = None,
    out: Out = None,
    *,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Rebuild a drafted model from its log and its table: the same bits, or where they differ.

    The exit code is 1 where they differ.
    """
    from bosco.drafts.log import load_log
    from bosco.lessons.drafting import replayed

    done = replayed(load_log(log), file, target, table)
    if out is not None and done.same:
        done.draft.model.save(out)
    data = {
        "same": done.same,
        "entries": done.entries,
        "differs": done.differs,
        "where": done.where,
        "state": done.draft.state.digest(),
    }
    emit(answer, str(done), data)
    if not done.same:
        raise Exit(1)
