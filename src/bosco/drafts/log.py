"""The log of a draft: who did what when, and why; in a file that shows every change.

An entry is plain values; each has the hash of the one before (`bosco.tree.edits`). The first says
what the draft was opened with, so that others can open it again on the same table.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from bosco import pruning
from bosco.base.language import tr
from bosco.base.safe_files import whole_file
from bosco.base.visible import visible
from bosco.drafts.ground import Ground
from bosco.errors import ModelError, ParameterError
from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.models.loading import load
from bosco.models.model import Model
from bosco.tree.edits import Entry, require_chain

Log = tuple[Entry, ...]

FORMAT = 1
_BEGINS = b'{"bosco draft"'
_ESTIMATORS = {e.__name__: e for e in (DecisionTreeClassifier, DecisionTreeRegressor)}


def say_entry(entry: Entry) -> str:
    """An entry in a line, for people."""
    act = {name: x for name, x in entry.get("act", {}).items() if name not in ("verb", "path")}
    given = ", ".join(f"{name} {_say(x)}" for name, x in act.items() if x not in (None, [], {}, ""))
    node = f" {tr('node {node}', node=entry['node'])}" if "node" in entry else ""
    reason = visible(str(entry.get("reason") or ""))
    why = f" {tr('because {reason}', reason=reason)}" if reason else ""
    who = visible(entry["who"]) if entry["who"] else tr("no name given")
    said = f"{entry['number']:>3}  {entry['when']}  {who}: {entry['verb']}{node}"
    return f"{said}{f' ({given})' if given else ''}{why}  [{entry['hash'][:12]}]"


def _say(value: Any) -> str:
    """What an act was given: a test by its cuts or groups, several things one after the other."""
    if isinstance(value, Mapping) and "column" in value:
        parts = value.get("cuts") or [_say(group) for group in value.get("groups", ())]
        return f"{visible(value['column'])}: {' | '.join(map(_say, parts))}"
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(name)} {_say(x)}" for name, x in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_say, value))
    return visible(str(value))


# The table --------------------------------------------------------------------------------------


def about_table(ground: Ground) -> dict[str, Any]:
    """What tells a table from another: its columns, and a hash of its rows in their order."""
    return {
        "rows": ground.table.n_rows,
        "schema": ground.schema.to_dict(),
        "hash": ground.digest,
        "parts": ground.parts.digest(),
    }


def require_table(ground: Ground, entry: Entry) -> None:
    """Refuse a table that is not the one a log speaks of."""
    here, there = about_table(ground), entry["table"]
    if here["rows"] != there["rows"]:
        raise ModelError(
            f"The log is of another table: that had {there['rows']:,} rows, this has "
            f"{here['rows']:,}."
        )
    own, others = ({c["name"]: c for c in t["schema"]["columns"]} for t in (here, there))
    for name in (*others, *own):
        if own.get(name) != others.get(name):
            what = "is not in" if name not in own else "was not in"
            if name in own and name in others:
                raise ModelError(
                    f"The log is of another table: column {name!r} is {_kind(own[name])} here and "
                    f"was {_kind(others[name])}."
                )
            which = "this one" if name not in own else "that one"
            raise ModelError(f"The log is of another table: column {name!r} {what} {which}.")
    if here["hash"] != there["hash"]:
        raise ModelError(
            "The log is of another table: columns and rows are as many, but what they hold, or "
            "their order, is not the same."
        )
    if here["parts"] != there["parts"]:
        raise ModelError("The rows are not parted as they were: give the same groups or dates.")


def _kind(column: Mapping[str, Any]) -> str:
    levels = column["levels"]
    return f"{column['kind']}{f' with {len(levels)} levels' if levels is not None else ''}"


# The estimator ----------------------------------------------------------------------------------


def plain_estimator(estimator: Any) -> dict[str, Any]:
    """A learner as plain values: its name, and the settings that are not the defaults."""
    name = type(estimator).__name__
    if _ESTIMATORS.get(name) is not type(estimator):
        raise ParameterError(f"A log knows {' and '.join(_ESTIMATORS)}. Got {name}.")
    usual = type(estimator)().get_params()
    given = {
        key: _plain(value, key)
        for key, value in sorted(estimator.get_params().items())
        if key != "n_jobs" and not _equal(value, usual[key])
    }
    return {"name": name, "settings": given}


def estimator_from(plain: Mapping[str, Any]) -> Any:
    """The learner that plain values speak of."""
    name = plain.get("name")
    if name not in _ESTIMATORS:
        raise ModelError(f"The log speaks of an unknown learner, {name!r:.60}.")
    try:
        return _ESTIMATORS[name](**settings_from(plain))
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelError(f"The settings in the log cannot be read: {error}") from None


def settings_from(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a learner that are not the defaults."""
    return {key: _read(value) for key, value in plain["settings"].items()}


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(np.all(a == b))


def _plain(value: Any, name: str) -> Any:
    """A setting in values that JSON holds; mappings as pairs, whose keys may be anything."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item, name) for item in value]
    if isinstance(value, Mapping):
        return {"pairs": [[_plain(k, name), _plain(v, name)] for k, v in value.items()]}
    if isinstance(value, pruning.Policy):
        own = fields(value)  # type: ignore[arg-type]  # policies are dataclasses
        settings = {f.name: _plain(getattr(value, f.name), name) for f in own}
        return {"policy": type(value).__name__, "settings": settings}
    raise ParameterError(f"{name}={value!r:.80} cannot be kept in a log: it must be plain values.")


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "pairs" in value:
        return {_read(k): _read(v) for k, v in value["pairs"]}
    made = getattr(pruning, value["policy"])
    if not (isinstance(made, type) and issubclass(made, pruning.Policy)):
        raise ModelError(f"The log speaks of an unknown policy, {value['policy']!r:.60}.")
    return made(**{k: _read(v) for k, v in value["settings"].items()})


# The file ---------------------------------------------------------------------------------------


def write_log(log: Sequence[Entry]) -> str:
    """A log as text, an entry a line; one text only is that of a log."""
    head = json.dumps({"bosco draft": FORMAT, "entries": len(log), "last": log[-1]["hash"]})
    lines = ",\n".join(
        json.dumps(entry, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        for entry in log
    )
    return f'{head[:-1]}, "log": [\n{lines}\n]}}\n'


def read_log(data: bytes | str) -> Log:
    """The log that a text is, if not a byte of it was changed."""
    try:
        text = data.decode() if isinstance(data, bytes) else data
        content = json.loads(text)
        log = tuple(content["log"])
        version = content["bosco draft"]
    except (UnicodeDecodeError, ValueError, TypeError, KeyError, RecursionError):
        raise ModelError("This is not the log of a draft.") from None
    if version != FORMAT:
        raise ModelError(f"The log is of version {version!r:.20}; this bosco reads {FORMAT}.")
    if not log or not all(isinstance(entry, dict) for entry in log):
        raise ModelError("This is not the log of a draft: it has no entries.")
    require_chain(log)
    if write_log(log) != text:
        raise ModelError("The log was changed: its text is not what was written.")
    return require_opening(log)


def require_opening(log: Log) -> Log:
    """Refuse a log that does not say what the draft was opened with."""
    needed = {"estimator": dict, "table": dict, "parts": dict, "reasons": bool, "state": str}
    first = log[0] if log else {}
    if first.get("verb") != "open" or not all(
        isinstance(first.get(key), kind) for key, kind in needed.items()
    ):
        raise ModelError("The log does not begin with what the draft was opened with.")
    return log


def save_log(log: Log, path: str | os.PathLike[str]) -> None:
    """Write a log, whole or not at all."""
    with whole_file(path) as file:
        file.write(write_log(log).encode())


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as the log of a draft does."""
    with Path(path).open("rb") as file:
        return file.read(64).lstrip().startswith(_BEGINS)


def load_log(path: str | os.PathLike[str]) -> Log:
    """The log in a file: that of a draft, or of a model that was drafted."""
    data = Path(path).read_bytes()
    if data.lstrip().startswith(_BEGINS):
        return read_log(data)
    model = load(path)
    log: Log = model.edits.log if isinstance(model, Model) else ()
    if not log:
        raise ModelError(f"{os.fspath(path)!s} is neither the log of a draft nor a drafted model.")
    require_chain(log)
    return require_opening(log)
