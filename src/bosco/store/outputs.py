"""Several targets as plain values: their names, and their classes or centers."""

from typing import Any

from bosco.data.outputs import Output, Outputs
from bosco.store.labels import read_labels, write_labels
from bosco.store.values import mapping, real, require, sequence


def write_outputs(outputs: Outputs) -> list[dict[str, Any]]:
    """Give the targets as plain values."""
    return [
        {"name": one.name, "center": one.center}
        if one.classes is None
        else {"name": one.name, "classes": write_labels(one.classes)}
        for one in outputs.each
    ]


def read_outputs(said: Any) -> Outputs:
    """Read what `write_outputs` gave, trusting nothing in it."""
    found = []
    for j, one in enumerate(sequence(said, "outputs")):
        at = f"outputs[{j}]"
        mapping(one, at, ("name",), ("center", "classes"))
        require(isinstance(one["name"], str), f"{at}.name", "a text is wanted")
        require(("center" in one) != ("classes" in one), at, "it has a center, or classes")
        labels = read_labels(one["classes"]) if "classes" in one else None
        center = real(one["center"], f"{at}.center") if "center" in one else 0.0
        found.append(Output(one["name"], labels, center))
    require(len(found) >= 2, "outputs", "there must be several")
    require(len({one.classes is None for one in found}) == 1, "outputs", "they are of one kind")
    return Outputs(tuple(found))
