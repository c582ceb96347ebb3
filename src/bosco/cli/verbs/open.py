"""bosco open."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bosco.base.language import spoken, tr
from bosco.cli.console import Format, emit, note
from bosco.cli.groups import TableOptions
from bosco.cli.options import Answer, CostsOption
from bosco.errors import ParameterError
from bosco.lessons.told import Task, items

EXAMPLE = """\
bosco open loans.csv --target safe
bosco open loans.draft --data loans.csv
bosco open model.json --data loans.csv"""


def run(
    file: Annotated[
        str, Argument(metavar="FILE", help="A table; or a draft or a model, with --data.")
    ],
    data: Annotated[
        str | None, Option("--data", metavar="TABLE", help="The table of a draft or a model.")
    ] = None,
    target: Annotated[
        str | None,
        Option("--target", "-t", metavar="NAME", help="The column to learn; the page asks, too."),
    ] = None,
    task: Annotated[
        Task | None, Option(help="Learn classes or numbers; by default the target says.")
    ] = None,
    costs: CostsOption = None,
    who: Annotated[str | None, Option(metavar="NAME", help="Who you are, for the log.")] = None,
    log: Annotated[
        Path | None,
        Option(
            "--log",
            metavar="FILE",
            help="Where the draft is kept; by default the name of the table, with .draft, here.",
        ),
    ] = None,
    port: Annotated[int, Option(help="Where it is served; 0: any free port.", min=0)] = 0,
    host: Annotated[
        str, Option(help="Who can reach it: this machine alone, unless you say otherwise.")
    ] = "127.0.0.1",
    browser: Annotated[bool, Option(help="Open a browser.")] = True,
    *,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Make a tree in the browser, with the learner's advice: the workbench.

    A small server answers on this machine alone, at an address with a secret. Every act is saved
    before it is answered: end it whenever you want, start it again, and go on.
    """
    from bosco.workbench.serving import require_installed

    require_installed()
    from bosco.tree.costs import read_costs
    from bosco.workbench.beginning import begin
    from bosco.workbench.opening import Asked
    from bosco.workbench.serving import Served, exposed, is_home, show

    password = None
    if not is_home(host):
        note(exposed(host))
        password = ask_password()
    asked = Asked(
        target=target,
        task=None if task is None else str(task),
        costs=read_costs(items(costs), "--costs"),
        who=who,
    )
    desk = begin(file, data, log, table, asked)
    served = Served(desk, host=host, port=port, password=password, lang=spoken())

    def ready() -> None:
        where = tr("The workbench is at {address}", address=served.address)
        kept = tr("The draft is kept in {file}. Ctrl-C ends.", file=desk.keep)
        emit(answer, f"{where}\n{kept}", {"address": served.address, "draft": str(desk.keep)})
        sys.stdout.flush()  # whoever started it waits for the address
        if browser and not show(served.address):
            note(tr("No browser could be opened: open the address yourself."))

    served.run(ready)


def ask_password() -> str:
    """Ask for a password twice, at a terminal."""
    from getpass import getpass

    if not sys.stdin.isatty():
        raise ParameterError("A workbench for others needs a password, asked for at a terminal.")
    words = getpass(tr("A password for the workbench, 8 characters at least: "))
    if len(words) < 8:
        raise ParameterError("The password must have 8 characters at least.")
    if getpass(tr("Once more: ")) != words:
        raise ParameterError("The two passwords differ.")
    return words
