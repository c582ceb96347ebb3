"""What answers cost, and what gains are worth at a price (§4, docs/costs.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Asked = Sequence[tuple[int, int]]
"""The columns asked on the way to a node, each with the weight of the node that asked."""


def weighs(asking: Any) -> bool:
    """Whether prices decide."""
    return bool(
        asking and asking["weight"] > 0 and any(item["price"] > 0 for item in asking["items"])
    )


def price(asking: Any, column: int, asked: Asked, weight: int) -> float:
    """What a case pays for a column: what is not paid yet, for all that passed a delayed test."""
    paid = {j for j, _ in asked}
    due = [
        item["price"]
        for item in asking["items"]
        if column in item["columns"] and not paid & set(item["columns"])
    ]
    ordered = [by for j, by in asked if j in asking["delayed"]]
    return math.fsum(due) * (ordered[0] / weight if ordered else 1.0)


def worth(asking: Any, gain: float, price: float) -> float:
    """A gain at its price; the unit of prices is the least above 0."""
    if gain <= 0:
        return gain
    unit = min(item["price"] for item in asking["items"] if item["price"] > 0)
    gained = {"eg2": math.expm1(gain * math.log(2)), "idx": gain, "cs_id3": gain**2}
    return gained[asking["rule"]] / (price / unit + 1) ** asking["weight"]
