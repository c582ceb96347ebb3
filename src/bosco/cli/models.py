"""A saved model, by its path, and its tree as a verb prints it."""

import shlex
from pathlib import Path
from typing import Any

from bosco.cli.console import can_draw
from bosco.errors import ParameterError, did_you_mean

__all__ = ["load_model", "tree_text"]


def load_model(path: Path) -> Any:
    """Load a model, or say which file may have been meant."""
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        raise ParameterError(f"There is no model {path}.{did_you_mean(path.name, near)}")
    import bosco

    return bosco.load(path)


def tree_text(model: Any, path: Path, **limits: Any) -> str:
    """The tree in lines; where it is folded, the command that shows all of it."""
    text: str = model.to_text(ascii=not can_draw(), **limits)
    *lines, last = text.splitlines()
    if "to_text(" in last:  # it speaks to users of Python
        last = f"… is folded: bosco show {shlex.quote(str(path))} --all shows everything."
    return "\n".join([*lines, last])
