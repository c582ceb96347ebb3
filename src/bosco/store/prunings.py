"""The log of prunings as plain values, and back."""

from typing import Any

import numpy as np

from bosco.pruning.log import PruningLog, Step
from bosco.store.values import integer, integers, mapping, number_or_word, reals, require, sequence

_WHOLE = ("node", "now", "raised", "leaves_before", "leaves_after")
_REAL = ("weight", "kept", "pruned")
_KEYS = ("policy", "measure", "leaves", *_WHOLE, *_REAL)
_LATER = ("compared", "changed")  # older logs list the changed nodes only


def write_log(log: PruningLog) -> list[dict[str, Any]]:
    """Give the prunings of a log, each as columns."""
    return [
        {"policy": step.policy, "measure": step.measure, "leaves": list(step.leaves)}
        | ({} if step.compared is None else {"compared": step.compared})
        | {name: getattr(step, name).tolist() for name in _WHOLE}
        | ({} if step.compared is None else {"changed": step.changed.tolist()})
        | {name: [number_or_word(x) for x in getattr(step, name).tolist()] for name in _REAL}
        for step in log.steps
    ]


def read_log(said: Any) -> PruningLog:
    """Read what `write_log` gave, trusting nothing in it."""
    return PruningLog(
        tuple(_step(value, f"pruning[{i}]") for i, value in enumerate(sequence(said, "pruning")))
    )


def _step(said: Any, where: str) -> Step:
    said = mapping(said, where, _KEYS, _LATER)
    full = "compared" in said
    require(full == ("changed" in said), where, "'compared' goes with 'changed'")
    for name in ("policy", "measure"):
        require(isinstance(said[name], str), f"{where}.{name}", "a text is wanted")
    leaves = sequence(said["leaves"], f"{where}.leaves")
    require(len(leaves) == 2, f"{where}.leaves", "two numbers are wanted")
    before, after = (integer(n, f"{where}.leaves", 1) for n in leaves)
    columns: dict[str, Any] = {}
    for names, read in ((_WHOLE, integers), (_REAL, reals)):
        for name in names:
            place = f"{where}.{name}"
            columns[name] = read(sequence(said[name], place), place + "[{}]")
            same = len(columns[name]) == len(said["node"])
            require(same, place, "another length than that of node")
    n = len(columns["node"])
    changed, compared = [True] * n, None
    if full:
        changed = sequence(said["changed"], f"{where}.changed")
        fits = len(changed) == n and all(isinstance(value, bool) for value in changed)
        require(fits, f"{where}.changed", "one true or false per node is wanted")
        compared = integer(said["compared"], f"{where}.compared", n)
    for name in _WHOLE:
        least = -1 if name == "raised" or (name == "now" and full) else 0
        sound = not columns[name].size or np.min(columns[name]) >= least
        require(sound, f"{where}.{name}", f"a number is below {least}")
    columns |= {"changed": np.array(changed, bool), "compared": compared}
    return Step(said["policy"], said["measure"], (before, after), **columns)
