"""The files that a path, a pattern or a folder stands for."""

from glob import glob, has_magic
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from bosco.errors import ParameterError, did_you_mean
from bosco.tables.sources import is_address

_SUFFIXES = frozenset({".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv", ".tsv"})
_PACKED = frozenset({".gz", ".zst", ".bz2", ".lz4"})
_NONE = "__HIVE_DEFAULT_PARTITION__"  # what other programs call a folder of missing values

Keys = dict[str, Any]
"""The columns that the names of folders are, such as year=2025."""


def is_many(place: str) -> bool:
    """Whether a place is a folder or a pattern of names.

    Examples
    --------
    >>> is_many("trips/*.parquet"), is_many("trips.csv"), is_many(".")
    (True, False, True)
    """
    if place == "-" or is_address(place):
        return False
    return Path(place).is_dir() or (has_magic(place) and not Path(place).exists())


def files_of(place: str) -> list[tuple[str, Keys]]:
    """The files of a place in the order of their names, and the columns that folders name."""
    if is_address(place):
        return [(place, {})]
    path = Path(place)
    if has_magic(place) and not path.exists():
        found = sorted(glob(place, recursive=True))  # noqa: PTH207  a path may be absolute
        if not found:
            raise ParameterError(f"No file is called {place}.")
        return [file for one in found for file in files_of(one)]
    if not path.exists():
        near = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise ParameterError(f"There is no file {path}.{did_you_mean(path.name, near)}")
    if not path.is_dir():
        return [(str(path), {})]
    inside = sorted(p for p in path.rglob("*") if _counts(p.relative_to(path)) and p.is_file())
    if not inside:
        raise ParameterError(
            f"The folder {path} has no file of Parquet, Arrow, CSV or TSV by its name."
        )
    return [(str(p), _keys(p.relative_to(path))) for p in inside]


def settle_keys(files: list[tuple[str, Keys]]) -> list[tuple[str, Keys]]:
    """Values of folders as numbers, where all of one name are whole numbers."""
    said: dict[str, set[str]] = {}
    for _, keys in files:
        for name, value in keys.items():
            said.setdefault(name, set()).add(value)
    whole = {
        name
        for name, values in said.items()
        if all(value.lstrip("-").isdigit() for value in values - {_NONE}) and values != {_NONE}
    }

    def settled(name: str, value: str) -> Any:
        if value == _NONE:
            return None
        return int(value) if name in whole else value

    return [
        (place, {name: settled(name, value) for name, value in keys.items()})
        for place, keys in files
    ]


def _counts(path: Path) -> bool:
    """Whether a file of a folder is one of its tables; programs hide theirs by . and _."""
    if any(part.startswith((".", "_")) and "=" not in part for part in path.parts):
        return False
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in _SUFFIXES


def _keys(path: Path) -> Keys:
    found = [part.split("=", 1) for part in path.parts[:-1] if "=" in part]
    return {unquote(name): unquote(value) for name, value in found}
