"""What people did to a tree, act by act, in sentences of the language that is spoken."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bosco.base.language import phrase, retold, tr
from bosco.base.visible import visible
from bosco.data.schema import Schema
from bosco.render.card import MAX_LEVELS, NO_LIMIT, say_test
from bosco.tree.conditions import BY_SHARE, CUT, MAP, test_from
from bosco.tree.edits import Entry

_WHAT: dict[str, Callable[..., str]] = {
    "open": phrase("the draft was opened"),
    "best": phrase("node {node}: the learner's own test"),
    "split": phrase("node {node}: split by hand, {test}"),
    "move": phrase("node {node}: cut elsewhere, {cuts}"),
    "prune": phrase("node {node}: made a leaf"),
    "grow": phrase("node {node}: grown below{how}"),
    "regrow": phrase("node {node}: grown anew{how}"),
    "merge": phrase("node {node}: two branches made one"),
    "answer": phrase("node {node}: answers {answer} by order"),
    "unanswer": phrase("node {node}: answers by its rows again"),
    "lock": phrase("node {node}: locked"),
    "unlock": phrase("node {node}: unlocked"),
    "note": phrase("node {node}: a note, “{text}”"),
    "unnote": phrase("node {node}: the note was taken away"),
    "exclude": phrase("node {node}: {columns} excluded from here on"),
    "optimal": phrase("node {node}: the best subtree put here{how}"),
    "plant": phrase("node {node}: tests of another tree put here"),
    "undo": phrase("undone"),
    "redo": phrase("redone"),
    "goto": phrase("back to the state after entry {entry}"),
    "automatic": phrase("the automatic tree was looked at"),
    "compare": phrase("compared with another tree"),
    "curves": phrase("the curves were looked at"),
    "consider": phrase("node {node}: {test} was considered"),
    "final": phrase("the test part was looked at"),
}


def say_act(entry: Entry, schema: Schema) -> str:
    """What an entry of a log did, in a sentence."""
    verb, act = str(entry.get("verb", "")), entry.get("act")
    act = act if isinstance(act, Mapping) else {}  # a log may say anything
    if (verb == "answer" and act.get("answer") is None) or (verb == "note" and not act.get("text")):
        verb = f"un{verb}"
    said = {
        "node": entry.get("node", 0),
        "test": _test(act.get("test"), schema),
        "cuts": _several(act.get("cuts") or ()),
        "answer": visible(str(act.get("answer"))),
        "text": visible(str(act.get("text") or "")),
        "columns": _several(act.get("columns") or ()),
        "entry": act.get("entry", 0),
        "how": _how(act),
    }
    words = _WHAT.get(verb)
    return visible(verb) if words is None else words(**said)


def say_plain_test(said: Any, schema: Schema, max_levels: int = NO_LIMIT) -> str:
    """A test in plain values, a column with its cuts or groups, in words."""
    column = schema.names.index(said["column"])
    if said.get("cuts") == [math.inf] or len(said.get("groups", (0, 0))) == 1:
        return tr("{column} is missing", column=schema.columns[column].shown)
    if "cuts" in said:
        cuts = [float(cut) for cut in said["cuts"]]
        parts: tuple[Any, ...] = (CUT, column, len(cuts) + 1, BY_SHARE, False, cuts, [])
    else:
        branch = {level: b for b, group in enumerate(said["groups"]) for level in group}
        jumps = [0, *(branch[level] for level in schema.columns[column].levels or ())]
        parts = (MAP, column, len(said["groups"]), BY_SHARE, False, [], jumps)
    return say_test(schema, test_from(*parts), max_levels)


def _test(said: Any, schema: Schema) -> str:
    if not isinstance(said, dict):
        return tr("the learner's own")
    try:
        return say_plain_test(said, schema, MAX_LEVELS)
    except (KeyError, TypeError, ValueError, LookupError):  # a log may say anything
        return retold(visible(str(said)))


def _several(values: Iterable[Any]) -> str:
    return ", ".join(visible(str(value)) for value in values)


def _how(act: Any) -> str:
    """With what a learner grew."""
    parts = []
    if act.get("depth") is not None:
        parts.append(tr("{n} levels deep", n=act["depth"]))
    if act.get("without"):
        parts.append(tr("without {columns}", columns=_several(act["without"])))
    if act.get("only") is not None:
        parts.append(tr("with {columns} only", columns=_several(act["only"])))
    given = act.get("settings") or {}
    parts += [f"{visible(name)} = {visible(str(value))}" for name, value in given.items()]
    return f", {', '.join(parts)}" if parts else ""
