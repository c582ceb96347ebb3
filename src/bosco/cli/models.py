"""A saved model, by its path, and as a verb prints it."""

import shlex
from pathlib import Path
from typing import Any

from bosco.cli.console import can_draw
from bosco.errors import ParameterError, did_you_mean

__all__ = ["is_tree", "load_model", "load_tree", "model_text"]


def load_model(path: Path) -> Any:
    """Load a model, or say which file may have been meant."""
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        raise ParameterError(f"There is no model {path}.{did_you_mean(path.name, near)}")
    import bosco

    return bosco.load(path)


def load_tree(path: Path, what: str) -> Any:
    """Load a model of one tree; what is wanted of it is not to be had of many."""
    loaded = load_model(path)
    if not is_tree(loaded):
        raise ParameterError(
            f"{path} holds many trees ({loaded!r:.80}), and {what} of one tree only. "
            f"Hint: bosco show, predict, evaluate, explain and export take many."
        )
    return loaded


def is_tree(model: Any) -> bool:
    """Whether a model is one tree."""
    return hasattr(model, "tree") and hasattr(model, "rules")


def model_text(model: Any, path: Path, **limits: Any) -> str:
    """A tree in lines, or a summary of many; where it is folded, the command that shows all."""
    if not is_tree(model):
        return _many_text(model, **limits)
    text: str = model.to_text(ascii=not can_draw(), **limits)
    *lines, last = text.splitlines()
    if "to_text(" in last:  # it speaks to users of Python
        last = f"… is folded: bosco show {shlex.quote(str(path))} --all shows everything."
    return "\n".join([*lines, last])


def _many_text(model: Any, **limits: Any) -> str:
    if not hasattr(model, "to_text"):  # a forest says how large it is, and what it asks
        return str(model)
    most = {"max_lines": limits["max_nodes"]} if "max_nodes" in limits else {}
    levels = {"max_levels": limits["max_levels"]} if "max_levels" in limits else {}
    text: str = model.to_text(**most, **levels)
    return text
