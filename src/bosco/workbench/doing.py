"""An act that the page asks for, as a verb of the draft."""

from collections.abc import Callable, Mapping
from typing import Any

from bosco.drafts.change import Change
from bosco.drafts.draft import Draft
from bosco.drafts.saying import Said, is_known_or_missing, known_or_missing, read_test
from bosco.drafts.state import node_at
from bosco.errors import ParameterError, did_you_mean
from bosco.workbench.views import read_path

Body = Mapping[str, Any]

VERBS = (
    "split", "best", "grow", "prune", "regrow", "optimal", "merge", "move", "lock", "unlock",
    "note", "answer", "exclude", "undo", "redo", "goto",
)  # fmt: skip


def perform(draft: Draft, body: Body) -> Change:
    """Do what a body says; everything in it is checked by the verb that takes it."""
    verb = body.get("verb")
    if verb not in VERBS:
        words = f"There is no verb {verb!r:.40}."
        raise ParameterError(words + did_you_mean(str(verb)[:40], VERBS))
    reason = {"reason": text(body, "reason")}
    if verb in ("undo", "redo"):
        done: Change = getattr(draft, verb)(**reason)
        return done
    if verb == "goto":
        return draft.goto(whole(body, "entry"), **reason)
    node = node_of(draft, body)
    if verb == "split":
        return draft.split(node, **test_of(draft, body.get("test")), **reason)
    if verb == "grow":
        depth = None if body.get("depth") is None else whole(body, "depth")
        return draft.grow(node, depth, **reason)
    if verb == "optimal":
        return draft.optimal(node, whole(body, "depth"), **reason)
    if verb == "regrow":
        return draft.regrow(
            node,
            without=names(body, "without"),
            only=None if body.get("only") is None else names(body, "only"),
            settings=body.get("settings"),
            reason=text(body, "reason"),
        )
    if verb == "merge":
        return draft.merge(node, node_of(draft, body, "with"), **reason)
    if verb == "move":
        own = draft.state.tree.test(node)
        name = None if own is None else draft.ground.schema.names[own.column]
        cuts = listed(body, "cuts")
        cuts = cuts if name is None else [level_below(draft, name, cut) for cut in cuts]
        return draft.move(node, *cuts, **reason)
    if verb == "note":
        return draft.note(node, text(body, "text"), **reason)
    if verb == "answer":
        return draft.answer(node, body.get("answer"), **reason)
    if verb == "exclude":
        return draft.exclude(names(body, "columns"), node, **reason)
    alone: Callable[..., Change] = getattr(draft, verb)  # best, prune, lock, unlock
    return alone(node, **reason)


def test_of(draft: Draft, given: Any) -> dict[str, Any]:
    """A test as `split`, `weigh` and `consider` take it: a column with cuts or groups, or words."""
    said = said_by(draft, given)
    if is_known_or_missing(said):
        return {"test": f"{said['column']} is missing"}
    name = said["column"]
    if "groups" in said:
        return {"test": name, "groups": said["groups"]}
    return {"test": name, "cuts": [level_below(draft, name, cut) for cut in said["cuts"]]}


def said_by(draft: Draft, given: Any) -> Said:
    """The same in plain values."""
    if not isinstance(given, dict):
        raise ParameterError(f"A test is a column with its cuts or groups. Got {given!r:.60}.")
    if "text" in given:
        return read_test(draft.ground.schema, text(given, "text"))
    column = text(given, "column")
    cuts = listed(given, "cuts") if given.get("cuts") is not None else None
    groups = listed(given, "groups") if given.get("groups") is not None else None
    if groups is not None and not all(isinstance(group, list) for group in groups):
        raise ParameterError(f"Groups are lists of levels. Got {groups!r:.60}.")
    if given.get("known") is True:
        return known_or_missing(draft.ground.schema.columns[draft.column_place(column)])
    if cuts is not None:
        cuts = [level_below(draft, column, cut) for cut in cuts]
    return read_test(draft.ground.schema, column, cuts, groups)


def for_page(said: Said) -> dict[str, Any]:
    """A test as the page has it, which knows no infinity."""
    if is_known_or_missing(said):
        return {"column": said["column"], "known": True}
    return dict(said)


def level_below(draft: Draft, name: str, cut: Any) -> Any:
    """A cut as a test takes it: of ordered levels, which the page counts, the level below it."""
    levels = draft.ground.schema.columns[draft.column_place(name)].levels
    if levels is None or isinstance(cut, bool) or not isinstance(cut, int | float):
        return cut
    return levels[int(min(max(cut, 0), len(levels) - 1))]


def node_of(draft: Draft, body: Body, name: str = "path") -> int:
    """The node that a path leads to."""
    return node_at(draft.state.tree, read_path(text(body, name)))


def text(body: Body, name: str, most: int = 10_000) -> str:
    """A text of a body, none if it is not there."""
    given = body.get(name)
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > most:
        raise ParameterError(f"{name} must be a text of at most {most:,} characters.")
    return given


def whole(body: Body, name: str) -> int:
    """A whole number of a body."""
    given = body.get(name)
    if isinstance(given, bool) or not isinstance(given, int):
        raise ParameterError(f"{name} must be a whole number. Got {given!r:.60}.")
    return given


def listed(body: Body, name: str, most: int = 10_000) -> list[Any]:
    """A list of a body."""
    given = body.get(name)
    if not isinstance(given, list) or len(given) > most:
        raise ParameterError(f"{name} must be a list of at most {most:,}. Got {given!r:.60}.")
    return given


def names(body: Body, name: str) -> list[str]:
    """A list of names of a body, none if it is not there."""
    given = listed(body, name) if body.get(name) is not None else []
    if not all(isinstance(one, str) for one in given):
        raise ParameterError(f"{name} must be names of columns. Got {given!r:.60}.")
    return given
