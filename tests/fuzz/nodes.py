"""What is in the nodes of absurd models: tallies that add up, values, candidates."""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def counted(
    nodes: list[dict[str, Any]], file: dict[str, Any], draw: random.Random
) -> list[dict[str, Any]]:
    """Nodes of one tree with tallies that add up, values and impurities."""
    real = file["classes"] is None
    width = 2 if real else len(file["classes"]["labels"])
    tally = np.zeros((len(nodes), width), np.int64)
    large = draw.random() < 0.1
    for node in nodes:
        if "test" not in node:
            tally[node["node"]] = _tally(width, real, draw, large)
    _fill_empty(nodes, tally)
    center = draw.choice((0.0, -7.5, 1e6)) if real else 0.0
    scale = draw.choice((1.0, 2.0**10, 2.0**-900)) if real else 1.0
    file["scales"] |= {"center": center, "scale": scale}
    for i, node in reversed(list(enumerate(nodes))):
        if "test" in node:
            last = node["first_child"] + _branches(node["test"])
            tally[i] = tally[node["first_child"] : last].sum(axis=0)
    values = np.zeros(len(nodes))
    up = parents(nodes)
    for i, node in enumerate(nodes):
        node["tally"] = tally[i].tolist()
        node["impurity"] = (
            draw.choice((0.0, 0.5, 1e-300)) if not real else draw.choice((0.0, 1e300, "inf"))
        )
        if "test" in node:
            node["gain"] = draw.choice((0.0, 0.1, 1e-17))
        if real:
            weight = tally[i, :1]
            with np.errstate(all="ignore"):
                mean = center + tally[i, 1:] / weight / scale
            values[i] = mean[0] if weight[0] else values[up[i]]
            node["value"] = float(values[i])
    return nodes


def _tally(width: int, real: bool, draw: random.Random, large: bool) -> list[int]:
    if draw.random() < 0.3:
        return [0] * width  # a leaf without rows
    most = 10**15 if large else draw.choice((1, 5, 100))
    if real:
        return [draw.randint(1, most), draw.randint(-most, most)]
    return [draw.choice((0, draw.randint(0, most))) for _ in range(width)]


def _fill_empty(nodes: list[dict[str, Any]], tally: Any) -> None:
    """Every inner node has a row: its first leaf is given one if it has none."""
    for node in reversed(nodes):
        i = node["node"]
        if "test" not in node:
            continue
        at = i
        children = range(node["first_child"], node["first_child"] + _branches(node["test"]))
        if not any(_has_rows(nodes, tally, child) for child in children):
            while "test" in nodes[at]:
                at = nodes[at]["first_child"]
            tally[at, 0] = 1
    if "test" not in nodes[0] and not tally[0].any():
        tally[0, 0] = 1


def _has_rows(nodes: list[dict[str, Any]], tally: Any, at: int) -> bool:
    return "test" in nodes[at] or bool(tally[at].any())  # inner ones were filled before


def _branches(test: dict[str, Any]) -> int:
    if "levels" in test:
        return len(test["levels"])
    n = len(test["thresholds"]) + 1
    return n + (test["missing"] == n)


def parents(nodes: list[dict[str, Any]]) -> list[int]:
    """The parent of every node; the root is its own."""
    up = [0] * len(nodes)
    for node in nodes:
        if "test" in node:
            for child in range(_branches(node["test"])):
                up[node["first_child"] + child] = node["node"]
    return up


def candidates(file: dict[str, Any]) -> list[dict[str, Any]]:
    """What was compared: the winner alone."""
    numbers = {"split_info": 0.5, "penalty": 0.0}
    return [
        {"node": node["node"], **node["test"], "gain": node["gain"], **numbers}
        for node in file["nodes"]
        if "test" in node
    ]


def leaves(
    nodes: list[dict[str, Any]], file: dict[str, Any], what: str, draw: random.Random
) -> list[dict[str, Any]]:
    """Nodes of one of many trees: only leaves say something."""
    real = file["classes"] is None
    width = 2 if real else len(file["classes"]["labels"])
    for node in nodes:
        if "test" in node:
            continue
        if what == "points":
            most = draw.choice((1, 10**6, 2**40, 2**45))
            node[what] = [draw.choice((0, draw.randint(0, most))) for _ in range(width)]
        else:
            node[what] = _tally(width, real, draw, large=False)
    last = nodes[-1]
    if what == "tally" and not any(any(node[what]) for node in nodes if what in node):
        last[what] = [1, *[0] * (width - 1)]
    return nodes
