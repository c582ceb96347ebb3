"""What can be taken out: the model, the draft, the report, programs, and how to do it again."""

import json
import re
import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bosco.base.language import ENGLISH, phrase, speaking, tr
from bosco.drafts.draft import Draft
from bosco.drafts.log import say_entry, settings_from, write_log
from bosco.errors import ParameterError
from bosco.lessons.drafting import read_so
from bosco.lessons.lesson import setting_words
from bosco.lessons.told import Told, as_arguments
from bosco.models.model import Model
from bosco.render.acted import say_plain_test
from bosco.reporting.report import Report, report
from bosco.rules.excel import said_of
from bosco.rules.written import written
from bosco.tree.edits import Entry

MOST_HISTOGRAM = 200_000
"""Training rows of a report's histograms; with more there are none."""

DATABASES = {
    "duckdb": "DuckDB", "postgres": "PostgreSQL", "sqlite": "SQLite", "mysql": "MySQL, MariaDB",
    "tsql": "SQL Server", "oracle": "Oracle", "bigquery": "BigQuery", "snowflake": "Snowflake",
    "spark": "Spark",
}  # fmt: skip
"""The databases that SQL can be had for, by the words of `to_sql`."""

EXTRAS = {
    "word": ("docx", "matplotlib"),
    "excel": ("openpyxl",),
    "sql": ("sqlglot",),
    "onnx": ("onnx",),
}
"""What kinds need that not everybody has, by the extra of the package."""


@dataclass(frozen=True)
class Kind:
    """Something that can be taken out."""

    words: Callable[..., str]
    ending: str
    media: str
    made: "Callable[[Taken], str | bytes]"
    extra: str | None = None

    @property
    def needs(self) -> str | None:
        """What must be installed first, in a sentence."""
        if self.extra is None or all(map(find_spec, EXTRAS[self.extra])):
            return None
        command = f"pip install 'bosco[{self.extra}]'"
        return tr("This needs the extra “{extra}”: {command}", extra=self.extra, command=command)


@dataclass(frozen=True)
class Taken:
    """What is taken out of which draft."""

    draft: Draft
    name: str  # of the table, without its ending
    table: str  # as the user wrote it
    dialect: str = "duckdb"

    @property
    def model(self) -> Model:
        """The model, with what it was learned from, and how to make it again."""
        model = self.draft.model
        source = self.draft.log[0].get("source") or {}
        about = {"source": Path(self.table).name, "command": self.command}
        if source.get("target"):
            about["target"] = source["target"]
        return replace(model, provenance={**model.provenance, **about})

    @property
    def command(self) -> str:
        """The command that makes the model again from the file of the draft."""
        words = ["bosco", "replay", f"{self.name}.draft", self.table, "--out", f"{self.name}.json"]
        return shlex.join(words)


def offered(name: str) -> list[dict[str, Any]]:
    """What can be had, in words; of SQL, for which databases."""
    choices = {"sql": [{"key": key, "words": words} for key, words in DATABASES.items()]}
    return [
        {
            "kind": kind,
            "words": one.words(),
            "name": f"{name}{one.ending}",
            "needs": one.needs,
            "dialects": choices.get(kind),
        }
        for kind, one in KINDS.items()
    ]


def taken(kind: str, what: Taken) -> tuple[bytes, str, str]:
    """What is taken out: its bytes, its media type, and the name of its file."""
    if kind not in KINDS:
        raise ParameterError(f"There is no {kind!r:.40} to be taken out.")
    if what.dialect not in DATABASES:
        raise ParameterError(f"The dialect must be one of {', '.join(DATABASES)}.")
    one = KINDS[kind]
    if one.needs:
        raise ParameterError(one.needs)
    made = one.made(what)
    body = made.encode() if isinstance(made, str) else made
    return body, one.media, f"{what.name}{one.ending}"


def file_stem(title: str) -> str:
    r"""A title as the name of a file that no system takes amiss.

    Examples
    --------
    >>> file_stem("loans.csv"), file_stem("../a b\u202e<c>.csv"), file_stem("")
    ('loans', 'a_b_c', 'table')
    """
    stem = re.sub(r"\.\w{1,8}$", "", title)
    return re.sub(r"[^\w-]+", "_", stem, flags=re.ASCII).strip("._")[:80] or "table"


# Kinds --------------------------------------------------------------------------------------------


def _saved(save: Callable[[Path], None], name: str) -> bytes:
    """The bytes of what knows only how to write a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        save(path)
        return path.read_bytes()


def _report(what: Taken) -> Report:
    draft, model = what.draft, what.model
    ground = draft.ground
    rows: dict[str, Any] = {}
    if len(ground.parts.validation):
        rows = dict(zip(("X", "y"), _rows(draft, ground.parts.validation), strict=True))
    if len(ground.parts.training) <= MOST_HISTOGRAM:
        rows["grown_on"] = _rows(draft, ground.parts.training)
    return report(model, **rows, command=what.command, title=what.name)


def _rows(draft: Draft, rows: Any) -> tuple[Any, Any]:
    """Some rows, with their targets; those of a class that training had not are left out."""
    ground = draft.ground
    if ground.classes is not None:
        rows = rows[ground.truth[rows] >= 0]
    truth = ground.truth[rows]
    y = truth if ground.classes is None else ground.classes[truth]
    return ground.table.take(rows), y


def _workbook(what: Taken) -> bytes:
    made = written(what.model)
    rules = made.after or made.before
    if rules is None:
        raise ParameterError(made.note)
    about = said_of(what.model)
    return _saved(lambda path: rules.to_excel(path, about=about), "rules.xlsx")


def _rules(what: Taken) -> str:
    made = written(what.model)
    rules = made.after or made.before
    text = made.note if rules is None else f"{rules.to_text()}\n\n{made.note}".rstrip()
    return f"{text}\n"


def _onnx(what: Taken) -> bytes:
    made: bytes = what.model.to_onnx().SerializeToString()
    return made


def _log(what: Taken) -> str:
    return "".join(f"{say_entry(entry)}\n" for entry in what.draft.log)


def _command(what: Taken) -> str:
    """The command, and below it the same act by act."""
    with speaking(ENGLISH):
        lines = [what.command, "", *_act_by_act(what)]
    return "\n".join(lines) + "\n"


def _act_by_act(what: Taken) -> Iterator[str]:
    log = what.draft.log
    source = log[0].get("source")
    begin = ["bosco", "draft", what.table, "--log", "again.draft"]
    if not isinstance(source, dict):
        return  # of rows that Python gave
    if any(entry["verb"] == "plant" for entry in log):
        yield "# It begins with the tests of another tree, which no command of its own puts in."
        return
    yield "# The same act by act, into another file:"
    yield shlex.join([*begin, *_opened_with(log[0], source)])
    for at, entry in enumerate(log[1:], 1):
        words = _words(what.draft, at, entry)
        who = ["--who", entry["who"]] if entry["who"] else []
        reason = ["--reason", entry["reason"]] if entry.get("reason") else []
        yield shlex.join([*begin, *words, *reason, *who])


def _opened_with(entry: Entry, source: Any) -> list[str]:
    """The words that open the draft in the same way."""
    told = read_so(source, Told())
    words = as_arguments(told.learning(source["target"]), told.domains)
    words += ["--identifiers"] * told.identifiers
    regression = entry["estimator"]["name"] == "DecisionTreeRegressor"
    words += ["--task", "regression" if regression else "classification"]
    settings = settings_from(entry["estimator"])
    words += setting_words({name: x for name, x in settings.items() if name != "random_state"})
    parts = entry["parts"]
    for name in ("validation", "test", "seed", "groups", "date"):
        words += [f"--{name}", str(parts[name])] if parts.get(name) is not None else []
    named = any(parts.get(name) is not None for name in ("groups", "date"))
    if named and "left_out" not in parts:
        words.append("--learn-parting")
    words += [] if entry["reasons"] else ["--no-reasons"]
    return words + (["--who", entry["who"]] if entry["who"] else [])


def _words(draft: Draft, at: int, entry: Entry) -> list[str]:
    """The words of a verb, as ``bosco draft`` takes them."""
    act, verb, node = entry["act"], str(entry["verb"]), str(entry.get("node", 0))
    schema = draft.ground.schema
    if verb in ("split", "consider"):
        test = act["test"]
        return [verb, node, *([say_plain_test(test, schema)] if test is not None else [])]
    if verb == "move":
        return [verb, node, *map(str, act["cuts"])]
    if verb == "merge":
        tree = draft.before_entry(at).tree
        first = int(tree.native.first_child[int(node)])
        return [verb, *(str(first + branch) for branch in act["branches"])]
    if verb == "answer":
        return [verb, node, "none" if act["answer"] is None else str(act["answer"])]
    if verb == "note":
        return [verb, node, act["text"] or ""]
    if verb == "exclude":
        return [verb, ",".join(act["columns"]), node]
    if verb == "goto":
        return [verb, str(act["entry"])]
    if verb == "compare":
        return [verb, *([] if act["to"] is None else [str(act["to"])])]
    if verb in ("undo", "redo", "automatic", "curves", "final"):
        return [verb]
    words = [verb, node]
    if act.get("depth") is not None:
        words += ["--depth", str(act["depth"])]
    for name in ("without", "only"):
        words += [f"--{name}", ",".join(act[name])] if act.get(name) else []
    for name, value in (act.get("settings") or {}).items():
        words += ["--set", f"{name}={json.dumps(value)}"]
    return words


_OFFICE = "application/vnd.openxmlformats-officedocument"

KINDS: dict[str, Kind] = {
    "model": Kind(
        phrase("the model, for bosco"),
        ".json",
        "application/json",
        lambda what: _saved(what.model.save, "model.json"),
    ),
    "draft": Kind(
        phrase("the draft, to go on with"),
        ".draft",
        "application/json",
        lambda what: write_log(what.draft.log),
    ),
    "report": Kind(
        phrase("a report, on one page"), ".html", "text/html", lambda what: str(_report(what))
    ),
    "word": Kind(
        phrase("a report, as a document of Word"),
        ".docx",
        f"{_OFFICE}.wordprocessingml.document",
        lambda what: _report(what).to_docx(),
        "word",
    ),
    "command": Kind(
        phrase("the commands that do this again"), ".sh", "text/plain; charset=utf-8", _command
    ),
    "rules": Kind(phrase("the rules, in sentences"), ".rules.txt", "text/plain", _rules),
    "excel": Kind(
        phrase("the rules, as a workbook"),
        ".xlsx",
        f"{_OFFICE}.spreadsheetml.sheet",
        _workbook,
        "excel",
    ),
    "text": Kind(
        phrase("the tree as text"),
        ".txt",
        "text/plain",
        lambda what: what.model.to_text(max_nodes=None),
    ),
    "log": Kind(phrase("the log, a line per act"), ".log.txt", "text/plain", _log),
    "sql": Kind(
        phrase("SQL, to predict in a database"),
        ".sql",
        "text/plain",
        lambda what: what.model.to_sql(what.dialect),
        "sql",
    ),
    "python": Kind(
        phrase("a Python function"), ".py", "text/plain", lambda what: what.model.to_python()
    ),
    "c": Kind(phrase("a function in C"), ".h", "text/plain", lambda what: what.model.to_c()),
    "javascript": Kind(
        phrase("a JavaScript module"), ".mjs", "text/plain", lambda what: what.model.to_javascript()
    ),
    "onnx": Kind(phrase("ONNX"), ".onnx", "application/octet-stream", _onnx, "onnx"),
    "pmml": Kind(phrase("PMML"), ".pmml", "application/xml", lambda what: what.model.to_pmml()),
    "svg": Kind(
        phrase("the picture, as SVG"),
        ".svg",
        "image/svg+xml",
        lambda what: str(what.model.svg()),
    ),
    "dot": Kind(phrase("Graphviz"), ".dot", "text/plain", lambda what: what.model.to_dot()),
    "mermaid": Kind(phrase("Mermaid"), ".mmd", "text/plain", lambda what: what.model.to_mermaid()),
}
"""All that can be taken out, by the word of its address."""
