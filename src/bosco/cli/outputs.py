"""Where files go: beside the data, or where --out says; and never over what is not ours."""

import re
from dataclasses import dataclass
from pathlib import Path

from bosco.errors import ParameterError

_PACKED = (".gz", ".zst", ".bz2", ".lz4")
_MODELS = (".json", ".bosco")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the model and its report go."""

    model: Path
    report: Path


def places(file: str, target: str, out: Path | None) -> Places:
    """Decide where the model and the report of a fit go.

    Examples
    --------
    >>> places("data/loans.csv.gz", "safe", None).model.as_posix()
    'data/loans.json'
    >>> places("-", "safe", Path("models/first.bosco")).report.as_posix()
    'models/first.html'
    """
    data = None if file == "-" or "://" in file else Path(file)
    if out is not None and out.suffix in _MODELS:
        return Places(out, out.with_suffix(".html"))
    if out is not None and (out.suffix or out.exists()) and not out.is_dir():
        raise ParameterError(
            f"--out is the name of a model, .json or .bosco, or of a folder. Got {out}."
        )
    folder = out if out is not None else (Path() if data is None else data.parent)
    name = _name(data, target)
    model = folder / f"{name}.json"
    if data is not None and model.resolve() == data.resolve():
        model = folder / f"{name}.model.json"
    found = Places(model, model.with_suffix(".html"))
    for path in (found.model, found.report):
        _refuse_strangers(path)
    return found


def _name(data: Path | None, target: str) -> str:
    """The name of the data without what says how it is written, or that of the target."""
    if data is None:
        return re.sub(r"[^\w.-]+", "_", target).strip("._") or "tree"
    packed = data.suffix.lower() in _PACKED
    return (data.with_suffix("") if packed else data).stem or "tree"


def _refuse_strangers(path: Path) -> None:
    """Refuse to write over a file that bosco has not written, unless it is named."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        ours = b"bosco" in file.read(1 << 16)
    if not ours:
        raise ParameterError(
            f"{path} is there, and bosco has not written it. "
            f"Hint: say with --out where the model goes, such as --out tree.json."
        )
