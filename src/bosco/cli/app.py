"""All verbs under one command, which says what goes wrong in one line.

The exit code is 1 if data or model are at fault, 2 if the call is.

A new verb is a file in `bosco.cli.verbs` with a function ``run``, whose parameters are its options
or groups of them, a text ``EXAMPLE``, and its name in `VERBS`. Nothing heavy is imported before a
verb runs.
"""

import contextlib
import json
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from bosco.base.hints import at_command_line
from bosco.cli.console import note
from bosco.cli.groups import expanded
from bosco.errors import BoscoError, ParameterError

VERBS = (
    "fit", "show", "rules", "why", "trace", "explain", "predict", "monitor", "evaluate", "compare",
    "select", "check", "alternatives", "at", "prune", "draw", "report", "export", "diff",
    "stability", "draft", "replay", "open", "datasets",
)  # fmt: skip
"""In the order of the help."""

_INTERRUPTED = 130


class Verbs(TyperGroup):
    """The group of all verbs: it takes ``--debug`` anywhere and says errors in one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a verb and exit."""
        del prog_name, standalone_mode
        given = list(sys.argv[1:] if args is None else args)
        ours = given[: given.index("--")] if "--" in given else given
        debug = "--debug" in ours
        as_json = "--format=json" in ours or ("--format", "json") in pairwise(ours)
        given = [a for a in ours if a != "--debug"] + given[len(ours) :] or ["--help"]
        _clean_up_when_terminated()
        try:
            with at_command_line():
                code = super().main(
                    args=given,
                    prog_name="bosco",
                    complete_var=complete_var,
                    standalone_mode=False,
                    windows_expand_args=windows_expand_args,
                    **extra,
                )
        except (KeyboardInterrupt, typer.Abort):
            code = _INTERRUPTED
        except BrokenPipeError:
            sys.stderr.close()  # whoever reads has read enough; say nothing
            code = 0
        except Exception as error:
            if debug:
                traceback.print_exc()
            verb = next((word for word in given if not word.startswith("-")), "")
            said, code = _fault(error, verb)
            about = {"error": {"kind": type(error).__name__, "message": said}}
            note(json.dumps(about) if as_json else f"bosco: {said}")
        if code == _INTERRUPTED:  # typer may turn Ctrl-C into this code by itself
            note("bosco: interrupted; nothing half-written is left")
        sys.exit(code if isinstance(code, int) else 0)


def _fault(error: Exception, verb: str) -> tuple[str, int]:
    """What went wrong, in one line, and the exit code."""
    say = getattr(error, "format_message", None)
    if say is not None:  # a call that cannot be understood
        said = _line(say())
        end = "" if said.endswith((".", "?")) else "."
        return f"{said}{end} Hint: bosco --help, or --help after the verb.", 2
    if isinstance(error, ParameterError):
        return _line(error), 2
    if isinstance(error, BoscoError):
        return _line(error), 1
    if isinstance(error, ImportError) and "pip install" in str(error):
        return _line(error), 2  # what was asked for needs a library that is not there
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror or error}.", 1
    if isinstance(error, MemoryError):
        said = _line(error).rstrip(".").replace("std::bad_alloc", "")
        what = f"there is not enough memory to {verb} this" + (f": {said}." if said else ".")
        return f"{what} Hint: fewer rows, columns, trees or threads need less.", 1
    kind = type(error).__name__
    return f"a fault of bosco itself, {kind}: {_line(error)} Hint: --debug shows where.", 1


def _line(words: object) -> str:
    return " ".join(str(words).split())


def _clean_up_when_terminated() -> None:
    """Let SIGTERM end the program as Ctrl-C does, so that temporary files are removed."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with contextlib.suppress(ValueError):  # not in the main thread: who runs us has its own way
        signal.signal(signal.SIGTERM, stop)


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
