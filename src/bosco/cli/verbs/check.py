"""``bosco check``: whether a model keeps to policies."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option

from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import Answer, ModelFile, Table
from bosco.errors import ParameterError

EXAMPLE = "bosco check loans.json policies.toml --table loans.csv"

BROKEN, UNDECIDED = 1, 3


def run(
    model: ModelFile,
    policies: Annotated[
        list[str], Argument(metavar="POLICY…", help="A TOML file of policies, or sentences.")
    ],
    rows: Table = None,
    work: Annotated[
        float | None,
        Option(help="Steps for each policy; then it is undecided.", metavar="STEPS", min=1),
    ] = None,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Prove that a model keeps to policies, or show a case that breaks one.

    The exit code is 1 if one is broken, 3 if none is and one is undecided, 0 if all are proved.
    With --table it is told for how many of its rows a policy is broken.
    """
    import bosco
    from bosco.cli.rows import rows_of

    loaded = load_model(model)
    said: Path | list[str] = policies
    if len(policies) == 1 and policies[0].endswith(".toml"):
        said = Path(policies[0])
        if not said.is_file():
            raise ParameterError(f"There is no file {said}.")
    X = None if rows is None else rows_of(rows, loaded, layout)
    found = bosco.check(loaded, said, X, work=work)
    emit(answer, str(found), found.to_dict())
    if not found:
        raise Exit(BROKEN if found.of("breach") else UNDECIDED)
