"""A saved model, by its path."""

from pathlib import Path
from typing import Any

from bosco.errors import ParameterError, did_you_mean

__all__ = ["load_model"]


def load_model(path: Path) -> Any:
    """Load a model, or say which file may have been meant."""
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*")] if path.parent.is_dir() else []
        raise ParameterError(f"There is no model {path}.{did_you_mean(path.name, near)}")
    import bosco

    return bosco.load(path)
