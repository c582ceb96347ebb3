"""How the models of an estimator decide: by its costs, or for the heaviest class."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ParameterError
from bosco.tree.costs import costs_of
from bosco.tree.decision import HEAVIEST, Decision


def decision_of(estimator: Any, classes: NDArray[Any] | None) -> Decision:
    """The decision that an estimator's costs make for some classes."""
    costs = getattr(estimator, "costs", None)
    if costs is None or classes is None:
        return HEAVIEST
    if estimator.class_weight is not None:
        raise ParameterError(
            "costs and class_weight both say what a mistake on a class matters, and it would count "
            "twice. Hint: costs alone, which leave shares what they are."
        )
    return Decision(costs_of(costs, classes.tolist()))


def among(decision: Decision, classes: NDArray[Any], some: NDArray[Any]) -> Decision:
    """The same for a tree that knows only some of the classes."""
    if decision.costs is None or len(some) == len(classes):
        return decision
    place = {label: k for k, label in enumerate(classes.tolist())}
    at = [place[label] for label in some.tolist()]
    return Decision(costs_of(np.array(decision.costs)[np.ix_(at, at)].tolist(), some.tolist()))
