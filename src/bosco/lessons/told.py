"""What users say about a table and a learner: plain values, and lists as people write them."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from bosco.errors import ParameterError
from bosco.settings.settings import OPTIONS

if TYPE_CHECKING:
    from bosco.tables import Options

Task = StrEnum("Task", "classification regression")
"""What is learned: classes or numbers."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What is said about a table to learn from, in the words of the command line.

    A log keeps it so: where the rows were read from says nothing of how.
    """

    types: list[str] | None = None
    fold_case: bool = False
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    query: str | None = None
    sheet: str | None = None
    missing_values: list[str] | None = None
    drop: list[str] | None = None
    weight: str | None = None
    domains: Path | None = None
    identifiers: bool = False

    def learning(self, target: str | None) -> "Options":
        """What the reader of tables is told, the target included."""
        said = {name: value for name, value in asdict(self).items() if name != "identifiers"}
        return reading_options(**said, target=target)


def flags_of(name: str) -> tuple[str, ...]:
    """What a setting is called at the command line."""
    said = OPTIONS[name].option
    return (said and said.flags) or (f"--{name.replace('_', '-')}",)


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


def listed(values: Iterable[str]) -> str:
    """Write a list so that `items` reads it back.

    Examples
    --------
    >>> listed(["a", "c,d"])
    'a,"c,d"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


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
            words += [f"--{name}", listed(values)]
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
