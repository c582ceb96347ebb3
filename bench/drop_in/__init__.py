"""scikit-learn's own tests of trees, forests and AdaBoost, run on our classes in place of theirs.

``python -m bench.drop_in`` says how many pass of each file, and why the others do not.
"""

import ast
import importlib.util
from pathlib import Path
from typing import Any

__all__ = ["FILES", "run_on_ours"]

FILES = {
    "test_tree": "sklearn.tree.tests.test_tree",
    "test_forest": "sklearn.ensemble.tests.test_forest",
    "test_weight_boosting": "sklearn.ensemble.tests.test_weight_boosting",
}
_OURS = "from bench.drop_in.ours import *  # noqa: F403\n"


def run_on_ours(name: str, into: dict[str, Any]) -> None:
    """Put the tests of a file of scikit-learn into a namespace, our classes instead of theirs."""
    spec = importlib.util.find_spec(FILES[name])
    assert spec is not None, f"scikit-learn has no {FILES[name]}"
    assert spec.origin is not None
    lines = Path(spec.origin).read_text("utf-8").splitlines(keepends=True)
    tops = ast.parse("".join(lines)).body
    imports = [line for line in tops if isinstance(line, ast.Import | ast.ImportFrom)]
    end = imports[-1].end_lineno
    assert end is not None
    source = "".join([*lines[:end], _OURS, *lines[end:]])
    exec(compile(source, spec.origin, "exec"), into)
