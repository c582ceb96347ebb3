"""Options that several verbs have, each written once, and lists as people write them."""

import csv
import io
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from typer import Argument, Option

from bosco.base.language import LANGUAGES
from bosco.cli.console import Format
from bosco.errors import ParameterError
from bosco.settings.settings import OPTIONS

if TYPE_CHECKING:
    from bosco.tables import Options

Class = TypeVar("Class")


Task = StrEnum("Task", "classification regression")
"""What is learned: classes or numbers."""

Language = StrEnum("Language", list(LANGUAGES))  # type: ignore[misc]  # written once, there
"""What can be spoken."""


def flags_of(name: str) -> tuple[str, ...]:
    """What a setting is called at the command line."""
    said = OPTIONS[name].option
    return (said and said.flags) or (f"--{name.replace('_', '-')}",)


def option_of(name: str) -> Any:
    """The option of a setting, as typer reads it."""
    said: Any = OPTIONS[name].option
    shown = said.default is not None
    return Option(*flags_of(name), help=said.help, metavar=said.metavar, show_default=shown)


_TYPES = {"int": int, "float": float, "dict": list[str]}


def with_settings(group: type[Class]) -> type[Class]:
    """Give a group of options one for each setting that has one, before its last."""
    *first, last = group.__annotations__.items()
    found: dict[str, Any] = {}
    for name, setting in OPTIONS.items():
        default = getattr(setting.option, "default", None)
        kind: Any = str if setting.words else _TYPES[setting.kinds[0].type]
        found[name] = Annotated[kind | None if default is None else kind, option_of(name)]
        setattr(group, name, default)
    group.__annotations__ = {**dict(first), **found, last[0]: last[1]}
    return group


File = Annotated[
    str,
    Argument(
        metavar="FILE",
        help="The table: CSV, TSV, Parquet, Arrow, JSON lines, Excel, ARFF, SQLite, DuckDB, "
        "postgresql://…, or - for standard input; also a folder of files, or a pattern such as "
        "'trips/*.parquet'.",
    ),
]
ModelFile = Annotated[Path, Argument(metavar="MODEL", help="A model saved by fit.")]
OneTree = Annotated[int | None, Option(metavar="K", help="Of a forest: this tree, from 0.", min=0)]
Answer = Annotated[Format, Option("--format", help="How to answer.")]
Target = Annotated[str, Option("--target", "-t", metavar="NAME", help="The column to learn.")]
KnownTarget = Annotated[
    str | None,
    Option(
        "--target",
        "-t",
        metavar="NAME",
        help="The column that holds what is true, if not the one that fit learned.",
    ),
]
Table = Annotated[str | None, Option("--table", metavar="FILE", help="Rows to look at.")]


def out_to(says: str = "Where to write.", metavar: str = "FILE") -> Any:
    """The option that says where to write."""
    return Option("--out", "-o", metavar=metavar, help=says)


Out = Annotated[Path | None, out_to()]
Case = Annotated[
    list[str] | None,
    Argument(metavar="[NAME=VALUE]...", help="The case; a column that is not given is missing."),
]
PolicyOption = Annotated[str | None, option_of("pruning")]
Lang = Annotated[
    Language,
    Option("--lang", envvar="BOSCO_LANG", help="The language of what people read."),
]
Jobs = Annotated[int, Option(help="Trees grown at the same time; -1: all cores.")]


def items(given: Iterable[str] | None) -> tuple[str, ...]:
    """Take lists apart at their commas; a quoted part may hold one.

    Examples
    --------
    >>> items(["a,b", '"c,d"'])
    ('a', 'b', 'c,d')
    """
    return tuple(item for text in given or () for row in csv.reader([text]) for item in row)


def pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Take NAME=VALUE lists apart.

    Examples
    --------
    >>> pairs(["age=number,zip=text"], "--types")
    {'age': 'number', 'zip': 'text'}
    """
    found = {}
    for item in items(given):
        name, equals, value = item.rpartition("=")
        if not equals:
            raise ParameterError(f"{option} takes NAME=VALUE. Got {item!r}.")
        found[name.strip()] = value.strip()
    return found


def as_arguments(options: "Options", domains: Path | None) -> list[str]:
    """Write options as the words of a command line."""
    words: list[str] = []
    for name in ("target", "weight", "encoding", "delimiter", "decimal", "query", "sheet"):
        value = getattr(options, name)
        if value is not None:
            words += [f"--{name}", value]
    if options.header is not None:
        words.append("--header" if options.header else "--no-header")
    words += ["--fold-case"] if options.fold_case else []
    for name, values in (
        ("types", [f"{column}={kind}" for column, kind in options.types.items()]),
        ("missing-values", list(options.missing_values or ())),
        ("drop", list(options.drop)),
    ):
        if values:
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(values)
            words += [f"--{name}", line.getvalue()]
    return words if domains is None else [*words, "--domains", str(domains)]


def reading_options(
    *,
    types: Sequence[str] | None = None,
    missing_values: Sequence[str] | None = None,
    drop: Sequence[str] | None = None,
    domains: Path | None = None,
    delimiter: str | None = None,
    **rest: str | bool | None,
) -> "Options":
    """Gather what the command line says about a table."""
    from bosco.tables import Options, read_domains

    settings = {name: value for name, value in rest.items() if value is not None}
    return Options(
        types=pairs(types, "--types"),
        missing_values=None if missing_values is None else items(missing_values),
        drop=items(drop),
        domains={} if domains is None else read_domains(domains),
        delimiter={"\\t": "\t", "tab": "\t"}.get(delimiter or "", delimiter),
        **settings,  # type: ignore[arg-type]
    )
