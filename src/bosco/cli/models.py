"""A saved model, by its path, and as a verb prints it."""

import shlex
from pathlib import Path
from typing import Any

from bosco.base.language import tr
from bosco.base.visible import can_draw
from bosco.errors import ParameterError, did_you_mean


def load_model(path: Path, tree: int | None = None) -> Any:
    """Load a model, or one tree of a forest; or say which file may have been meant."""
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        raise ParameterError(f"There is no model {path}.{did_you_mean(path.name, near)}")
    import bosco

    loaded: Any = bosco.load(path)
    if tree is None:
        return loaded
    if loaded.kind != "forest":
        what = "is one tree" if loaded.kind == "tree" else "is a table of points: bosco show has it"
        raise ParameterError(f"--tree takes a tree out of a forest, and {path} {what}.")
    if tree >= loaded.n_trees:
        raise ParameterError(f"--tree: {path} has trees 0 to {loaded.n_trees - 1}. Got {tree}.")
    return loaded.tree(tree)


def load_tree(path: Path, what: str, tree: int | None = None, *, one_of: bool = False) -> Any:
    """Load a model of one tree; what is wanted of it is not to be had of many.

    `one_of` says that the verb takes --tree.
    """
    loaded = load_model(path, tree)
    if loaded.kind != "tree":
        hint = "bosco show, predict, evaluate, explain, report and export take many."
        if one_of and loaded.kind == "forest":
            hint = "--tree 0 takes the first."
        raise ParameterError(
            f"{path} holds many trees ({loaded!r:.80}), and {what} of one tree only. Hint: {hint}"
        )
    return loaded


def model_text(model: Any, path: Path, one_of: int | None = None, **limits: Any) -> str:
    """A tree in lines, or a summary of many; where it is folded, the command that shows all."""
    text: str = model.text_within(ascii=not can_draw(), **limits)
    *lines, last = text.splitlines()
    if model.kind != "tree" or "to_text(" not in last:
        return text
    which = shlex.quote(str(path)) + ("" if one_of is None else f" --tree {one_of}")
    return "\n".join(
        [*lines, tr("… is folded: bosco show {which} --all shows everything.", which=which)]
    )
