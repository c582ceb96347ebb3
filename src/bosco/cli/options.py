"""Options that several verbs have, each written once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

from typer import Argument, Option

from bosco.base.language import LANGUAGES
from bosco.cli.console import Format
from bosco.lessons.told import flags_of
from bosco.settings.settings import OPTIONS

Class = TypeVar("Class")


Language = StrEnum("Language", list(LANGUAGES))  # type: ignore[misc]  # written once, there
"""What can be spoken."""


def option_of(name: str) -> Any:
    """The option of a setting, as typer reads it."""
    said: Any = OPTIONS[name].option
    shown = said.default is not None
    return Option(*flags_of(name), help=said.help, metavar=said.metavar, show_default=shown)


_TYPES = {"int": int, "float": float, "dict": list[str], "array-like": list[str], "bool": bool}


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
LearnParting = Annotated[
    bool,
    Option("--learn-parting", help="Learn from the column of --group or --time, too."),
]
Jobs = Annotated[int, Option(help="Trees grown at the same time; -1: all cores.")]
By = Annotated[
    list[str] | None,
    Option(
        metavar="NAME,…",
        help="With rows: figures by segment, the values of these columns, also ones that the model "
        "does not use.",
    ),
]
CutsOption = Annotated[
    list[str] | None,
    Option(
        "--cuts",
        metavar="NAME=NUMBER:…,…",
        help="With --by: where numbers are cut, such as age=25:60; else at their quartiles.",
    ),
]
Positive = Annotated[
    str | None,
    Option(metavar="CLASS", help="The class that is looked for; of two, by default the second."),
]
CostsOption = Annotated[list[str] | None, option_of("costs")]
