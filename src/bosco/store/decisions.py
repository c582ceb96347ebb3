"""How answers are decided, as plain values; and whether that fits the classes it is said of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ParameterError
from bosco.store.values import (
    check_plain,
    integer,
    mapping,
    real,
    refuse,
    refusing,
    require,
    sequence,
)
from bosco.tree.calibration import Calibration
from bosco.tree.chosen import Chosen
from bosco.tree.costs import costs_of
from bosco.tree.decision import HEAVIEST, Cut, Decision

_CUT = ("at", "of", "points", "about")


def write_decision(decision: Decision) -> dict[str, Any]:
    """Give a decision as values that JSON can hold: its costs, its cut-off, or both."""
    said: dict[str, Any] = {}
    if decision.costs is not None:
        said["costs"] = [list(row) for row in decision.costs]
    if decision.cut is not None:
        cut = decision.cut
        said["cut"] = {"at": cut.at, "of": cut.of, "points": cut.points, "about": dict(cut.about)}
    if decision.calibration is not None:
        said["calibration"] = decision.calibration.to_plain()
    return said


def read_decision(said: Any, n_classes: int) -> Decision:
    """Read what `write_decision` gave, trusting nothing in it."""
    said = mapping(said, "decision", (), ("costs", "cut", "calibration"))
    require(said, "decision", "there is none: leave it out")
    require(n_classes > 0, "decision", "only answers that are classes are decided")
    costs = _costs(said["costs"], n_classes) if "costs" in said else None
    cut = _cut(said["cut"], n_classes) if "cut" in said else None
    return Decision(costs, cut, _calibration(said, n_classes))


def check_decision(
    decision: Decision, classes: NDArray[Any] | None, *, points: bool = False, one: bool = False
) -> None:
    """Refuse a decision that is not of these classes, or not of this kind of model."""
    if decision is HEAVIEST:
        return
    require(classes is not None, "decision", "only answers that are classes are decided")
    require(one or decision.calibration is None, "decision.calibration", "it is of one tree")
    if decision.cut is not None:
        require(decision.cut.points == points, "decision.cut.points", "not of this kind of model")
    elif points and decision.costs is not None:
        refuse("decision.costs", "points are decided by a cut-off")


def _calibration(said: dict[str, Any], n_classes: int) -> Calibration | None:
    if "calibration" not in said:
        return None
    where = "decision.calibration"
    require(isinstance(said["calibration"], dict), where, "a mapping is wanted")
    check_plain(said["calibration"], where)
    found = Calibration.read(said["calibration"], n_classes)
    require(found is not None, where, "it does not say how shares are made")
    return found


def _costs(said: Any, n: int) -> Any:
    rows = sequence(said, "decision.costs")
    for t, row in enumerate(rows):
        for k, cost in enumerate(sequence(row, f"decision.costs[{t}]")):
            real(cost, f"decision.costs[{t}][{k}]")
    with refusing("decision.costs", ParameterError):
        found = costs_of(rows, list(range(n)))
    require(found is not None, "decision.costs", "all are equal: leave them out")
    return found


def _cut(said: Any, n: int) -> Cut:
    where = "decision.cut"
    said = mapping(said, where, _CUT)
    require(n == 2, where, f"two classes have one, and there are {n}")
    of = integer(said["of"], f"{where}.of", 0, 1)
    require(isinstance(said["points"], bool), f"{where}.points", "true or false is wanted")
    at, points = real(said["at"], f"{where}.at"), said["points"]
    if points:
        whole = abs(at) < 2.0**12 * 2.0**10 and float(np.ldexp(at, 40)).is_integer()
        require(whole, f"{where}.at", "a whole number of points over 2**40 is wanted")
    else:
        require(0 < at <= 1, f"{where}.at", "a share above 0 is wanted, 1 at most")
    require(isinstance(said["about"], dict), f"{where}.about", "a mapping is wanted")
    check_plain(said["about"], f"{where}.about")
    known = Chosen.read(said["about"]) is not None
    require(known, f"{where}.about", "it does not say how the cut-off was chosen")
    return Cut(at, of, points, said["about"])
