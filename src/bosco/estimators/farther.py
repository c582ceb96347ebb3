"""Trees that look further than one node: ahead while they grow, as a whole when they are grown."""

from typing import Any

from bosco import _core
from bosco.errors import ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth


def grow_farther(
    rows: Ground, growth: Growth, settings: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The native tree, and for its provenance what polishing brought (`bosco.tree.polished`)."""
    training = rows.training
    if training is None:
        said = "polish=True" if growth.polish else f"lookahead={growth.lookahead}"
        raise ParameterError(
            f"{said} looks at the rows of every node again and again: they must be in memory. "
            f"Leave it out, or take a sample of the rows."
        )
    frame, target = training.frame.native, training.target.native
    frame.encode(training.n_threads)
    grow = _core.grow if growth.lookahead == 1 else _core.grow_ahead
    tree: Any = grow(frame, target, settings, n_threads=training.n_threads)
    if not growth.polish:
        return tree, {}
    tree, figures = _core.polish(frame, target, settings, tree, n_threads=training.n_threads)
    scale = training.target.weights.scale
    wrong = {"before": figures["before"] / scale, "after": figures["after"] / scale}
    return tree, {"polished": wrong | {"rounds": figures["rounds"]}}
