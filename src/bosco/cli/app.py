"""All verbs under one command.

A new verb is a file in `bosco.cli.verbs` with a function ``run``, whose parameters are its options
or groups of them, a text ``EXAMPLE``, and its name in `VERBS`. Nothing heavy is imported before a
verb runs.
"""

from importlib import import_module
from typing import Annotated

import typer

from bosco.cli.faults import Verbs
from bosco.cli.groups import expanded

VERBS = (
    "fit", "show", "rules", "why", "explain", "predict", "evaluate", "select", "prune", "draw",
    "report", "export", "diff", "stability", "datasets",
)  # fmt: skip
"""In the order of the help."""


def _version(asked: bool) -> None:
    if asked:
        from bosco.version import __version__

        typer.echo(f"bosco {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error arose.")
    ] = False,
) -> None:
    """Decision trees that people can read, question, correct and trust."""
    del version, debug  # --debug may stand anywhere and is taken by `Verbs`


def _build() -> typer.Typer:
    built = typer.Typer(
        cls=Verbs,
        rich_markup_mode=None,  # plain help: quick, and the same on every terminal
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="\b\nExample:\n  bosco fit loans.csv --target safe",
    )
    built.callback()(_top)
    for name in VERBS:
        verb = import_module(f"bosco.cli.verbs.{name}")
        built.command(name, epilog=f"\b\nExample:\n  {verb.EXAMPLE}")(expanded(verb.run))
    return built


app = _build()
