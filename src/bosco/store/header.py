"""All of a model but the arrays of its trees, as plain values; and the fingerprint of the whole.

Over 400 lines, so that what files of every kind begin with stands in one place.
"""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bosco.base.visible import visible
from bosco.data.columns import Level
from bosco.data.fingerprint import Fingerprint
from bosco.data.outputs import Outputs
from bosco.data.schema import Schema
from bosco.errors import ModelError, ParameterError
from bosco.growth import FIELDS, Growth, refuse_combination
from bosco.pruning.log import PruningLog, Step
from bosco.settings.psi import OWN
from bosco.settings.settings import CRITERIA, WORDS, ClassForest, Task, declared
from bosco.store.arrays import Arrays
from bosco.store.asking import read_asking
from bosco.store.decisions import read_decision, write_decision
from bosco.store.edits import read_edits, write_edits
from bosco.store.labels import read_labels, write_labels
from bosco.store.outputs import read_outputs
from bosco.store.values import (
    BOUND,
    check_plain,
    choice,
    integer,
    integers,
    mapping,
    number_or_word,
    real,
    reals,
    refuse,
    refusing,
    require,
    sequence,
)
from bosco.tree.census import Census
from bosco.tree.certificate import check_certificate
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.edits import Edits
from bosco.tree.polished import check_polished
from bosco.tree.tree import Tree

FORMAT = "bosco model"
VERSION = 7
"""The newest; a file says the oldest that has all its keys."""

SCALES = ("weight_scale", "count_scale", "center", "scale")
_COMMON = ("format", "version", "kind", "hash", "provenance")
_MEANING = ("growth", "schema", "classes", "decision")
KEYS = {
    "tree": (*_COMMON, "pruning", "edits", *_MEANING, "scales"),
    "forest": (*_COMMON, *_MEANING, "scales", "vote"),
    "score_table": (*_COMMON, *_MEANING),
    "several": (*_COMMON, "growth", "schema", "outputs", "importances", "scales"),
}
"""The keys of a header by the kind of model, in the order in which they are written."""

MAY_LACK = ("edits", "decision")
"""Keys that are left out where there is nothing to say."""

_VOTES = declared(ClassForest)["vote"].words
_LATER: dict[str, Any] = {f.name: f.default for f in FIELDS if f.default is not dataclasses.MISSING}
"""Settings of version 2 that files may lack, and what they then are. Such a one is not written, so
that files of all ages keep their hash."""

_SEARCHED = {"search", "alpha", "lookahead", "polish"}
"""Of these, those of version 4."""


class Parts(NamedTuple):
    """What a tree's model is made of, in the order in which `Model` takes it."""

    tree: Tree
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: dict[str, Any]
    log: PruningLog = PruningLog()
    counted: Census | None = None
    edits: Edits = Edits()
    decision: Decision = HEAVIEST

    def digest(self) -> str:
        """SHA-256 of the arrays: of the tree, and of the rows of its nodes where they are kept."""
        digest = self.tree.digest()
        if self.counted is None:
            return digest
        sha = hashlib.sha256(digest.encode())
        sha.update(np.ascontiguousarray(self.counted.rows, np.int64).data)
        if self.counted.effective is not None:
            sha.update(np.ascontiguousarray(self.counted.effective).data)
        return sha.hexdigest()


class Header(NamedTuple):
    """What a header says; some of it only of some kinds."""

    kind: str
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: dict[str, Any]
    hash: str
    log: PruningLog
    scales: dict[str, float]
    vote: str
    edits: Edits = Edits()
    decision: Decision = HEAVIEST
    outputs: Outputs | None = None
    importances: NDArray[np.float64] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for a real target."""
        return 0 if self.classes is None else len(self.classes)


class Kind(NamedTuple):
    """One kind of model that a file can hold: how it is checked, written and read."""

    name: str
    parts: type
    keys: tuple[str, ...]  # of the readable form, after the header
    check: Callable[[Any], None]
    header: Callable[[Any], dict[str, Any]]
    lines: Callable[[Any], Iterator[str]]
    read: Callable[[dict[str, Any], Header], Arrays]  # those that `keep` would give
    keep: Callable[[Any], Arrays]
    take: Callable[[Arrays, Header], Any]


def write_header(parts: Parts) -> dict[str, Any]:
    """Give the header of a tree's model, its fingerprint included."""
    native = parts.tree.native
    own: dict[str, Any] = {
        "pruning": write_log(parts.log),
        "scales": {name: float(getattr(native, name)) for name in SCALES},
    }
    version = 1 if parts.counted is None else 2
    if parts.edits:
        own["edits"] = write_edits(parts.edits, classes=parts.classes is not None)
        version = 3  # who does not know of edits would show an order as what the rows say
    return sealed("tree", parts, own, parts.digest(), version)


def sealed(
    kind: str, parts: Any, own: dict[str, Any], digest: str, version: int = 1
) -> dict[str, Any]:
    """Give a header with what is its kind's own, and its fingerprint with that of the arrays."""
    said = parts.schema.to_dict()
    for column_said, column in zip(said["columns"], parts.schema.columns, strict=True):
        if column.levels is None:
            del column_said["levels"]
    settings = {
        name: value for name, value in parts.growth.to_dict().items() if value != _LATER.get(name)
    }
    compared = any("compared" in step for step in own.get("pruning", ()))
    needs = 1 + (compared or not _LATER.keys().isdisjoint(settings))
    if parts.schema.derived or any(c.bounds is not None for c in parts.schema.columns):
        needs = 3
    if not _SEARCHED.isdisjoint(settings):
        needs = 4
    if parts.decision:
        needs = 5  # who does not know of it would answer otherwise
    needs = 6 if "asking" in settings else needs
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": max(version, needs),
        "kind": kind,
        "provenance": parts.provenance,
        "growth": settings,
        "schema": said,
        "classes": None if parts.classes is None else write_labels(parts.classes),
        **own,
    }
    if parts.decision:
        header["decision"] = write_decision(parts.decision)
    check_plain(header["provenance"], "provenance")
    sha = hashlib.sha256(canonical(header))
    sha.update(digest.encode())
    header["hash"] = f"sha256:{sha.hexdigest()}"
    return {key: header[key] for key in KEYS[kind] if key in header}


def refuse_hash(found: str, said: str) -> None:
    """Refuse a content that does not have the fingerprint that its file says."""
    if found != said:
        raise ModelError(
            f"The model's content does not have the hash that the file says: it has {found}, the "
            f"file says {said!r:.100}. The file was changed or damaged after it was written."
        )


def canonical(value: Any) -> bytes:
    """Write plain values as JSON in the one way that fingerprints are taken of."""
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        refuse(
            "text", f"{text[error.start - 20 : error.end + 20]!r} is not Unicode: {error.reason}"
        )


def keys_of(kind: str) -> tuple[list[str], list[str]]:
    """The keys that a header must have, and those that it may have."""
    needed = [key for key in KEYS[kind] if key not in MAY_LACK]
    return needed, [key for key in KEYS[kind] if key in MAY_LACK]


def kind_said(said: Any) -> str:
    """The kind that a file says to be; "tree" if that is none."""
    kind = said.get("kind") if isinstance(said, dict) else None
    return kind if isinstance(kind, str) and kind in KEYS else "tree"


def read_header(said: dict[str, Any]) -> Header:
    """Read what `sealed` gave, trusting nothing in it."""
    require(said["format"] == FORMAT, "format", f"{FORMAT!r} is wanted, got {said['format']!r:.60}")
    version = integer(said["version"], "version", 1)
    if version > VERSION:
        raise ModelError(
            f"The model was written in version {version} of the format, and this bosco reads up to "
            f"version {VERSION}. Hint: update bosco."
        )
    kind = choice(said["kind"], "kind", tuple(KEYS))
    require(isinstance(said["hash"], str), "hash", "a text is wanted")
    schema = _file_schema(said["schema"])
    classes = None if said.get("classes") is None else read_labels(said["classes"])
    outputs = read_outputs(said["outputs"]) if kind == "several" else None
    of_classes = 0 if classes is None else len(classes)
    if outputs is not None and outputs.of_classes:
        of_classes = 2  # or more: their settings are those of classes
    growth = read_growth(said["growth"], len(schema.columns), of_classes)
    require(isinstance(said["provenance"], dict), "provenance", "a mapping is wanted")
    check_plain(said["provenance"], "provenance")
    if "fingerprint" in said["provenance"]:
        Fingerprint.read(said["provenance"]["fingerprint"])
    if "certificate" in said["provenance"]:
        check_certificate(said["provenance"]["certificate"])
    if "polished" in said["provenance"]:
        check_polished(said["provenance"]["polished"])
    scales: dict[str, float] = {}
    if kind != "score_table":
        lacks = {"forest": "count_scale", "several": "center"}.get(kind)
        names = [name for name in SCALES if name != lacks]
        found = mapping(said["scales"], "scales", names)
        scales = {name: real(found[name], f"scales.{name}") for name in names}
    return Header(
        kind=kind,
        schema=schema,
        classes=classes,
        growth=growth,
        provenance=said["provenance"],
        hash=said["hash"],
        log=read_log(said["pruning"]) if kind == "tree" else PruningLog(),
        scales=scales,
        vote=choice(said["vote"], "vote", _VOTES) if kind == "forest" else "mean",
        edits=read_edits(said["edits"], classes=classes is not None)
        if "edits" in said
        else Edits(),
        decision=read_decision(said["decision"], 0 if classes is None else len(classes))
        if "decision" in said
        else HEAVIEST,
        outputs=outputs,
        importances=None
        if outputs is None
        else reals(sequence(said["importances"], "importances"), "importances {}"),
    )


def _file_schema(said: Any) -> Schema:
    said = mapping(said, "schema", ("named", "columns"))
    for j, column in enumerate(sequence(said["columns"], "schema.columns")):
        where = f"schema.columns[{j}]"
        mapping(column, where, ("name", "kind", "unit"), ("levels", "expression", "bounds"))
        for i, level in enumerate(sequence(column.get("levels", []), f"{where}.levels")):
            if type(level) is int:
                integer(level, f"{where}.levels[{i}]", -BOUND, BOUND)
    return read_schema(said)


def read_schema(said: Any) -> Schema:
    """Read what `Schema.to_dict` gave, trusting nothing in it."""
    with refusing("schema", ModelError, TypeError):
        schema = Schema.from_dict(said)
    for j, column in enumerate(schema.columns):
        moment = column.unit not in ("number", "boolean", "text")
        fits = column.unit == "number" or moment if column.levels is None else not moment
        unit = f"a {column.kind} column has no unit {column.unit!r}"
        require(fits, f"schema.columns[{j}].unit", unit)
    return schema


def read_level(said: Any, codes: dict[Level, int], where: str) -> int:
    """Give the code of a level as the file writes it."""
    level = said
    if type(said) is dict and len(said) == 1 and said.get("float") in ("inf", "-inf"):
        level = float(said["float"])
    if type(level) not in (str, bool, int, float) or level not in codes:
        refuse(where, f"{said!r:.60} is not a level of the column")
    return codes[level]


def read_meaning(schema: Any, classes: Any, growth: Any) -> tuple[Schema, Any, Growth]:
    """Read what a pickle says of columns, classes (of any array) and settings."""
    columns, n_classes = read_schema(schema), 0 if classes is None else len(classes)
    return columns, classes, read_growth(growth, len(columns.columns), n_classes)


def read_growth(said: Any, n_columns: int, n_classes: int) -> Growth:
    """Read the settings, trusting nothing in them."""
    where = "growth"
    needed = [field.name for field in FIELDS if field.name not in _LATER]
    said = _LATER | mapping(said, where, needed, tuple(_LATER))
    plain = (f for f in FIELDS if f.name != "asking")
    values = {f.name: _read_setting(said[f.name], f.type, f.name) for f in plain}
    values["asking"] = read_asking(said["asking"], n_columns)
    signs = values["monotonic"]
    require(len(signs) in (0, n_columns), f"{where}.monotonic", "one number per column is wanted")
    task: Task = "classification" if n_classes else "regression"
    own = task == "classification" and values["criterion"].startswith(OWN)
    if not own:
        choice(values["criterion"], f"{where}.criterion", CRITERIA[task])
    with refusing(where, ParameterError):
        refuse_combination(values, signs, n_classes)
    return Growth(**values)


def _read_setting(said: Any, kind: Any, name: str) -> Any:
    """Read one setting as the field of `Growth` says it is."""
    where = f"growth.{name}"
    if name == "criterion" and isinstance(said, str) and said.startswith(OWN):
        known = len(said) <= len(OWN) + 100 and visible(said) == said
        require(known, where, f"{said!r:.60} is not the name of a function")
        return said
    if kind is str:
        return choice(said, where, WORDS[name])
    if kind is float:
        return real(said, where)
    if kind is bool:
        require(isinstance(said, bool), where, "true or false is wanted")
        return said
    if hasattr(kind, "__metadata__"):
        return integer(said, where, *kind.__metadata__)
    return tuple(integer(x, f"{where}[{i}]", -1, 1) for i, x in enumerate(sequence(said, where)))


# The log of prunings ----------------------------------------------------------------------------

_WHOLE = ("node", "now", "raised", "leaves_before", "leaves_after")
_REAL = ("weight", "kept", "pruned")
_STEP = ("policy", "measure", "leaves", *_WHOLE, *_REAL)


def write_log(log: PruningLog) -> list[dict[str, Any]]:
    """Give the prunings of a log, each as columns."""
    return [
        {"policy": step.policy, "measure": step.measure, "leaves": list(step.leaves)}
        | ({} if step.compared is None else {"compared": step.compared})
        | {name: getattr(step, name).tolist() for name in _WHOLE}
        | ({} if step.compared is None else {"changed": step.changed.tolist()})
        | {name: [number_or_word(x) for x in getattr(step, name).tolist()] for name in _REAL}
        for step in log.steps
    ]


def read_log(said: Any) -> PruningLog:
    """Read what `write_log` gave, trusting nothing in it."""
    return PruningLog(
        tuple(_step(value, f"pruning[{i}]") for i, value in enumerate(sequence(said, "pruning")))
    )


def _step(said: Any, where: str) -> Step:
    said = mapping(said, where, _STEP, ("compared", "changed"))  # older logs lack these
    full = "compared" in said
    require(full == ("changed" in said), where, "'compared' goes with 'changed'")
    for name in ("policy", "measure"):
        require(isinstance(said[name], str), f"{where}.{name}", "a text is wanted")
    leaves = sequence(said["leaves"], f"{where}.leaves")
    require(len(leaves) == 2, f"{where}.leaves", "two numbers are wanted")
    before, after = (integer(n, f"{where}.leaves", 1) for n in leaves)
    columns: dict[str, Any] = {}
    for names, read in ((_WHOLE, integers), (_REAL, reals)):
        for name in names:
            place = f"{where}.{name}"
            columns[name] = read(sequence(said[name], place), place + "[{}]")
            same = len(columns[name]) == len(said["node"])
            require(same, place, "another length than that of node")
    n = len(columns["node"])
    changed, compared = [True] * n, None
    if full:
        changed = sequence(said["changed"], f"{where}.changed")
        fits = len(changed) == n and all(isinstance(value, bool) for value in changed)
        require(fits, f"{where}.changed", "one true or false per node is wanted")
        compared = integer(said["compared"], f"{where}.compared", n)
    for name in _WHOLE:
        least = -1 if name == "raised" or (name == "now" and full) else 0
        sound = not columns[name].size or np.min(columns[name]) >= least
        require(sound, f"{where}.{name}", f"a number is below {least}")
    columns |= {"changed": np.array(changed, bool), "compared": compared}
    return Step(said["policy"], said["measure"], (before, after), **columns)
