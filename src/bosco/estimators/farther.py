"""Trees that look further than one node: ahead while they grow, as a whole when they are grown."""

from typing import Any

from bosco import _core
from bosco.errors import ParameterError
from bosco.estimators.ground import Ground
from bosco.growth import Growth
from bosco.tree.certificate import kept_costs
from bosco.tree.costs import Costs
from bosco.tree.decision import Decision
from bosco.tree.missed import Missed
from bosco.tree.units import units_of

MOST_BELOW = 4  # leaves of two levels of tests


def grow_farther(
    rows: Ground, growth: Growth, settings: dict[str, Any], costs: Costs | None
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
    units = units_of(training.target.weights, 0.0, costs, MOST_BELOW)
    counted: dict[str, Any] = {
        "costs": list(units.costs),
        "shift": units.shift,
        "n_threads": training.n_threads,
    }
    tree: Any
    if growth.lookahead == 1:
        tree = _core.grow(frame, target, settings, n_threads=training.n_threads)
    else:
        tree = _core.grow_ahead(frame, target, settings, **counted)
    if not growth.polish:
        return tree, {}
    better, figures = _core.polish(frame, target, settings, tree, **counted)
    decision = Decision(costs)
    before, after = (Missed.of(one, decision).counts for one in (tree, better))
    if after >= before:
        better, after, figures["rounds"] = tree, before, 0
    wrong = {"before": before, "after": after}
    return better, {"polished": {**wrong, "rounds": figures["rounds"], **kept_costs(costs)}}
