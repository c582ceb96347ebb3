"""What the user says about a table, so that it need not be guessed."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bosco.data.columns import Level
from bosco.errors import ParameterError, did_you_mean

TYPES = ("number", "text", "boolean", "date", "datetime", "ordinal")
"""What a column can be asked to be; dates may say their order: date:dmy, date:mdy."""

_ORDERS = ("dmy", "mdy")


@dataclass(frozen=True, slots=True)
class Domain:
    """The levels a column may have, and whether their order means something.

    Examples
    --------
    >>> Domain(("low", "high"), ordered=True).levels
    ('low', 'high')
    """

    levels: tuple[Level, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How to read a table; every field may be left out.

    Parameters
    ----------
    types : mapping of column to type
        One of `TYPES`; ``date:dmy`` and ``date:mdy`` say which number of 01/02/2024 is the day.
    missing_values : sequence of text or None
        Spellings to read as missing, instead of the usual ones. An empty cell is always missing.
    drop : sequence of columns
        Columns to leave out.
    target, weight : str or None
        The column to learn, and the one that holds the weights of the rows.
    fold_case : bool, default=False
        Whether levels of text that differ in case only are one, spelled as is commonest.
    domains : mapping of column to Domain
        Levels of columns, in order; a value that is none of them is an error.
    delimiter, decimal, encoding : str or None
        Of text files; None looks at the file.
    header : bool or None
        Whether the first row holds the names; None looks at the file.
    query : str or None
        What to ask of a database.
    sheet : str or None
        Which sheet of a workbook; None is the first.

    Examples
    --------
    >>> Options(decimal=",").decimal
    ','
    """

    types: Mapping[str, str] = field(default_factory=dict)
    missing_values: tuple[str, ...] | None = None
    fold_case: bool = False
    drop: tuple[str, ...] = ()
    target: str | None = None
    weight: str | None = None
    domains: Mapping[str, Domain] = field(default_factory=dict)
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    query: str | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        for column, kind in self.types.items():
            check_type(column, kind)
        if self.decimal not in (None, ".", ","):
            raise ParameterError(f"decimal must be '.' or ','. Got {self.decimal!r}.")
        if self.delimiter is not None and len(self.delimiter.encode()) != 1:
            raise ParameterError(
                f"delimiter must be one plain character, such as ';'. Got {self.delimiter!r}."
            )
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise ParameterError(
                    f"encoding {self.encoding!r} is not known. Hint: utf-8, utf-16 or latin-1."
                ) from None


def check_type(column: str, kind: str) -> None:
    """Refuse a type that is none.

    Examples
    --------
    >>> check_type("age", "numbr")
    Traceback (most recent call last):
    bosco.errors.ParameterError: types: 'numbr' of column 'age' is not a type. ...
    """
    name, _, order = kind.partition(":")
    if name not in TYPES or (order and (order not in _ORDERS or not name.startswith("date"))):
        raise ParameterError(
            f"types: {kind!r} of column {column!r} is not a type. Allowed: {', '.join(TYPES)}, "
            f"date:dmy, date:mdy.{did_you_mean(kind, TYPES)}"
        )


def read_domains(path: str | Path) -> dict[str, Domain]:
    """Read the domains of columns from a JSON or TOML file.

    A column has a list of levels, or ``{"levels": […], "ordered": true}``.

    Examples
    --------
    >>> _ = Path("domains.json").write_text('{"size": {"levels": ["S", "M"], "ordered": true}}')
    >>> read_domains("domains.json")
    {'size': Domain(levels=('S', 'M'), ordered=True)}
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
        data = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise ParameterError(f"{path} is not a domains file: {error}.") from None
    if not isinstance(data, dict):
        raise ParameterError(f"{path} must map columns to lists of levels.")
    return {name: _domain(path, name, value) for name, value in data.items()}


def _domain(path: Path, column: str, value: Any) -> Domain:
    levels, ordered = value, False
    if isinstance(value, dict):
        levels, ordered = value.get("levels"), value.get("ordered", False)
    if not isinstance(levels, list) or not levels or not isinstance(ordered, bool):
        raise ParameterError(
            f"{path}: column {column!r} must have a list of levels, or "
            f'{{"levels": […], "ordered": true}}. Got {value!r:.60}.'
        )
    for level in levels:
        if not isinstance(level, str | bool | int | float):
            raise ParameterError(f"{path}: column {column!r} has the level {level!r:.60}.")
    if len(set(levels)) < len(levels):
        raise ParameterError(f"{path}: column {column!r} names a level twice.")
    return Domain(tuple(levels), ordered)


def require_columns(asked: Iterable[str], names: Iterable[str], where: str) -> None:
    """Refuse the name of a column that is not there.

    Examples
    --------
    >>> require_columns(["sfae"], ["age", "safe"], "loans.csv")
    Traceback (most recent call last):
    bosco.errors.ParameterError: no column 'sfae' in loans.csv. Did you mean 'safe'?
    """
    known = dict.fromkeys(names)
    for name in asked:
        if name not in known:
            hint = did_you_mean(name, known) or f" It has {_few(list(known))}."
            if len(known) == 1 and any(sign in next(iter(known)) for sign in ",;\t|"):
                hint += " Hint: that is one column; --delimiter names what parts cells."
            raise ParameterError(f"no column {name!r} in {where}.{hint}")


def _few(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:8]))
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
