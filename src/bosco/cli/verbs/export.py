"""``bosco export``: the model as SQL, Python, C, JavaScript, ONNX, PMML or a drawing."""

import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.base.safe_files import whole_file
from bosco.base.visible import harmless
from bosco.cli.console import Format, emit
from bosco.cli.models import load_model, load_tree
from bosco.cli.options import Answer, ModelFile, OneTree, Out
from bosco.errors import ParameterError
from bosco.lessons.told import items

EXAMPLE = "bosco export loans.json --to sql --dialect postgres --table loans --kind view"


Language = StrEnum("Language", "sql python c js onnx pmml dot mermaid")
"""What a model can be written in."""

_SUFFIXES = {f".{language}": language for language in Language} | {
    ".py": Language.python,
    ".h": Language.c,
    ".mjs": Language.js,
    ".gv": Language.dot,
    ".mmd": Language.mermaid,
}


def run(
    model: ModelFile,
    to: Annotated[Language | None, Option(help="By default what the name of --out says.")] = None,
    out: Out = None,
    dialect: Annotated[
        str,
        Option(
            help="Of SQL: duckdb, postgres, sqlite, mysql (MariaDB), tsql (SQL Server), oracle, "
            "snowflake, bigquery or spark."
        ),
    ] = "duckdb",
    table: Annotated[str | None, Option(help="Of SQL: where the rows are; data.")] = None,
    kind: Annotated[str, Option(help="Of SQL: select, case or view.")] = "select",
    view: Annotated[str, Option(help="Of SQL: the view to create.")] = "predictions",
    keep: Annotated[
        list[str] | None,
        Option(
            "--keep", metavar="NAME,…", help="Of SQL: the table's columns that are given too; all."
        ),
    ] = None,
    prefix: Annotated[str, Option(help="Of SQL: what the added columns' names begin with.")] = "",
    name: Annotated[str | None, Option(help="Of C: how names begin; the model's name.")] = None,
    tree: OneTree = None,
    answer: Answer = Format.text,
) -> None:
    """Write a model in another language.

    It gives the same class and shares, to the last bit.
    """
    language = to or _SUFFIXES.get("" if out is None else out.suffix.lower())
    if language is None:
        known = ", ".join(Language)
        raise ParameterError(f"Which language? Hint: --to, one of {known}; or --out tree.sql.")
    of_one = language in (Language.pmml, Language.dot, Language.mermaid)
    what = f"{language} is written"
    loaded = load_tree(model, what, tree, one_of=True) if of_one else load_model(model, tree)
    begin = name or re.sub(r"\W+", "_", model.stem, flags=re.ASCII).lstrip("0123456789") or "model"
    given: dict[str, Any] = {"name": begin} if language is Language.c else {}
    if language is Language.sql:
        kept = None if keep is None else items(keep)
        given = {"dialect": dialect, "table": table, "kind": kind, "view": view}
        given |= {"keep": kept, "prefix": prefix}
    write = getattr(loaded, "to_javascript" if language is Language.js else f"to_{language}")
    written = write(**given)
    written = written.SerializeToString() if language is Language.onnx else written
    _hand_over(written, language, out, answer)


def _hand_over(written: str | bytes, language: Language, out: Path | None, answer: Format) -> None:
    """Into a file, or onto standard output."""
    if out is None and isinstance(written, bytes):
        raise ParameterError("ONNX is not text. Hint: --out tree.onnx.")
    data = {"language": language.value, "file": None if out is None else str(out)}
    if out is not None:
        with whole_file(out) as file:
            file.write(written if isinstance(written, bytes) else f"{written.rstrip()}\n".encode())
        emit(answer, tr("saved: {file}", file=out), data)
    elif answer is Format.json:
        emit(answer, "", data | {"text": written})
    else:  # source is handed on as it is, but a terminal would obey what is in a label
        sys.stdout.flush()
        assert isinstance(written, str)
        written = harmless(written) if sys.stdout.isatty() else written
        sys.stdout.buffer.write(f"{written.rstrip()}\n".encode())
