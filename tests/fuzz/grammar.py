"""Sound but absurd models: files that keep every rule of docs/format.md and that no data ever gave.

What is drawn: columns of all kinds with names and levels of odd text, thresholds at the ends of
float64, trees that are a leaf, a chain, a star of a thousand branches or a bush, leaves without
rows, one class or hundreds, labels of every dtype, forests and score tables of such trees; and what
people may have done to a tree.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bosco.tree.edits import chained
from tests.fuzz.nodes import candidates, counted, leaves, parents

V1 = Path(__file__).parents[1] / "models" / "v1"
# fmt: off
TEXTS = [
    "a", "b", "é", "日本", "🌲", "x,y", "a b", " a", "a ", "A", "", " ", "0", "-1", "1e5", "NaN",
    "inf", "None", "missing", "true", "class", "if", "select", "data", "row", "label", "X",
    "a\nb", "a\r[0] b", "\x1b[2J\x1b]0;t\x07", "\x07", "\x00", "\x7f", "\x9b2J", "\u202eabc",
    "\u2028", "\u2066x\u2069", "'", '"', "`", "\\", "\\n", "'; DROP TABLE x; --", "*/ x /*",
    "--\nx", "#{}", "%s", "{0}", "$x$", "${x}", "</script>", "]]>", "<b>&amp;", "|", "a" * 300,
    "é" * 200, "\ufeff", "\t", "...", "→ x · 5 rows", "└─ [1] → b",
]
NUMBERS = [
    0.0, -0.0, 1.0, -1.0, 0.5, 1 / 3, 2.5, 77.5, 1e-5, 1e5, 123456789.125, 5e-324, 2.0**53, 2.0**63,
    -(2.0**63), 1e22, 1e300, -1e300, 1.7976931348623157e308, -1.7976931348623157e308,
]
DAYS = [0.0, -0.5, 18262.0, 18262.25, -719162.0, 2932896.0, 3e6, -1e8, 1e8]
TICKS = [0.0, 1.0, -1.0, 1.5e15, 1.5e15 + 0.5, -6.2e16, 2.5e17, 9e18, -9e18]
TIMES = [0.0, 1.0, 4.32e10, 8.6399e10]
MOMENTS = {"date": DAYS, "datetime": TICKS, "instant": TICKS, "duration": TICKS, "time": TIMES}
LABELS: dict[str, list[Any]] = {
    "str": TEXTS,
    "bool": [False, True],
    "int64": [0, 1, -1, 7, 2**53 + 1, 2**63 - 1, -(2**63), 100, 2**31],
    "uint8": [0, 1, 255],
    "float64": [0.0, 1.0, -1.5, 1e300, 0.1, 5e-324],
    "float16": [0.0, 0.5],
    "object": ["a", True, 2, 1.5, "1", -3],
    "datetime64[D]": ["2020-01-01", "1969-12-31", "0001-01-01", "12345-06-07"],
    "datetime64[ns]": ["2020-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000000"],
    "timedelta64[s]": [0, 1, -5],
}
# fmt: on
SHAPES = ("leaf", "chain", "star", "bush", "bush", "bush")
MISSING = ("learn", "learn", "learn", "branch", "majority", "error", "surrogate", "fractional")


@dataclass
class Question:
    """A test as the file says it, and how many branches it has."""

    said: dict[str, Any]
    branches: int


def absurd(draw: random.Random, size: int = 30) -> bytes:
    """A file of some kind; its hash is not the right one."""
    kind = draw.choice(("tree", "tree", "tree", "forest", "score_table"))
    file = base(kind)
    real = kind != "score_table" and draw.random() < 0.3
    file["classes"] = None if real else labels(draw)
    file["schema"] = {"named": True, "columns": columns(draw)}
    of_numbers = ("squared_error", "poisson")[len(file["schema"]["columns"]) % 2]
    choices = MISSING[:6] if kind != "tree" else MISSING
    file["growth"] |= {
        "missing": draw.choice(choices),
        "criterion": of_numbers if real else draw.choice(("gini", "entropy", "error")),
        "record": kind == "tree" and draw.random() < 0.5,
        "max_depth": -1,
    }
    if file["growth"]["missing"] == "surrogate":
        file["growth"]["nominal_test"] = "subset"
    says = real and kind == "forest" and len(file["schema"]["columns"]) == 3
    if says:
        file |= {"version": 7}
        file["growth"] |= {"criterion": "absolute_error", "nominal_test": "subset"}
    if kind == "tree":
        file["nodes"] = counted(tree(file, draw, size), file, draw)
        file["candidates"] = candidates(file) if file["growth"]["record"] else []
        # Drawn apart, so that models are those that the same keys gave before there were edits.
        if (apart := random.Random(len(file["nodes"]) * size)).random() < 0.5:
            file |= {"version": 3, "edits": edits(file, apart)}
    elif kind == "forest":
        n = draw.choice((1, 2, 5))
        grown = [leaves(tree(file, draw, size // 2), file, "tally", draw) for _ in range(n)]
        file["trees"] = [
            {"tree": t, "weight": 1 / n, "nodes": nodes} for t, nodes in enumerate(grown)
        ]
        file["vote"] = "mean" if real else draw.choice(("mean", "mode"))
        for tree_said in file["trees"] if says else ():
            tree_said |= medians(tree_said["nodes"])
    else:
        n = draw.choice((1, 2, 5))
        grown = [leaves(tree(file, draw, size // 4), file, "points", draw) for _ in range(n)]
        file["lines"] = [
            {"line": t, "rounds": draw.choice((1, 7)), "nodes": nodes}
            for t, nodes in enumerate(grown)
        ]
    return json.dumps(file).encode()


def medians(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """What nodes may say that no tally says, and what their tests may gain."""
    draw = random.Random(len(nodes))  # apart, so that other models are those that they were
    numbers = [x for x in NUMBERS if abs(x) <= 1e300]
    value: list[float] = []
    for node, up in zip(nodes, parents(nodes), strict=True):
        empty = not any(node.get("tally", [1]))  # it says what its parent says
        value.append(value[up] if empty else draw.choice(numbers))
    gains = [draw.choice([x for x in numbers if x >= 0]) for node in nodes if "test" in node]
    return {"value": value, "gain": gains}


def edits(file: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """What people may have done to the nodes of a file."""
    tested = [node["node"] for node in file["nodes"] if "test" in node]
    ends = [node["node"] for node in file["nodes"] if "test" not in node]
    real = file["classes"] is None

    def some(nodes: list[int]) -> list[int]:
        return sorted(draw.sample(nodes, draw.randint(0, min(len(nodes), 20))))

    def said() -> str:
        return draw.choice(TEXTS)

    def answer() -> int | float:
        return draw.choice(NUMBERS) if real else draw.randrange(len(file["classes"]["labels"]))

    log: list[Any] = []
    for _ in range(draw.choice((1, 1, 3))):
        log.append(chained(log, {"act": said(), "figures": [draw.choice(NUMBERS), None]}))
    losses = [x for x in NUMBERS if x >= 0]
    return {
        "chosen": [
            {"node": n, "instead": said(), "loss": draw.choice(losses), "reason": said()}
            for n in some(tested)
        ],
        "orders": [{"node": n, "answer": answer(), "reason": said()} for n in some(ends)],
        "notes": [{"node": n, "text": said()} for n in some([*tested, *ends])],
        "locked": some([*tested, *ends]),
        "log": log,
    }


def chain(n: int, columns: int = 1) -> bytes:
    """A real-valued tree of depth n that asks its columns in turn; the low side is a leaf."""
    file = base("tree") | {"classes": None, "candidates": []}
    names = [f"x{j}" for j in range(columns)]
    file["schema"] = {
        "named": True,
        "columns": [{"name": name, "kind": "numeric", "unit": "number"} for name in names],
    }
    file["growth"] |= {"criterion": "squared_error", "missing": "learn", "record": False}
    file["scales"] |= {"center": 0.0, "scale": 1.0}
    nodes: list[dict[str, Any]] = []
    for i in range(n):
        test = {"column": names[i % columns], "thresholds": [float(i // columns)], "missing": 1}
        below = {"node": 2 * i, "test": test, "first_child": 2 * i + 1, "gain": 0.0}
        nodes += [below, {"node": 2 * i + 1}]
    nodes.append({"node": 2 * n})
    total = [0, 0]
    for node in reversed(nodes):
        if "test" not in node:
            node["tally"] = [1 + node["node"] % 5, node["node"] % 7]
            total = [a + b for a, b in zip(total, node["tally"], strict=True)]
        else:
            node["tally"] = list(total)
        node |= {"value": node["tally"][1] / node["tally"][0], "impurity": 0.0}
    return json.dumps(file | {"nodes": nodes}).encode()


def base(kind: str) -> dict[str, Any]:
    """A sound file to begin with, for the settings in it."""
    name = {"tree": "cart", "forest": "forest", "score_table": "boosted"}[kind]
    file: dict[str, Any] = json.loads((V1 / f"{name}.json").read_bytes())
    return file


def labels(draw: random.Random) -> dict[str, Any]:
    """One class or more, of some dtype."""
    dtype = draw.choice((*["str"] * 6, *LABELS))
    if draw.random() < 0.05:
        return {"dtype": "str", "labels": [f"class {i}" for i in range(300)]}
    pool = LABELS[dtype]
    return {
        "dtype": dtype,
        "labels": draw.sample(pool, min(len(pool), draw.choice((1, 2, 2, 3, 8)))),
    }


def columns(draw: random.Random) -> list[dict[str, Any]]:
    """Columns of all kinds."""
    found = []
    for name in draw.sample(TEXTS, draw.choice((1, 2, 3, 5))):
        kind = draw.choice(("numeric", "numeric", "ordinal", "nominal", "nominal"))
        column = {"name": name, "kind": kind, "unit": "number"}
        if kind == "numeric":
            column["unit"] = draw.choice(("number", "number", *MOMENTS))
        else:
            column |= domain(draw)
        found.append(column)
    return found


def domain(draw: random.Random) -> dict[str, Any]:
    """The levels of a column, and what they are."""
    kind = draw.randrange(6)
    if kind == 0:
        return {"unit": "boolean", "levels": [False, True]}
    if kind == 1:
        pool = [
            *{x: x for x in NUMBERS},
            {"float": "inf"},
            {"float": "-inf"},
            2**31,
            -(2**40),
            2**60,
            3,
        ]
        levels = draw.sample(pool, draw.choice((1, 2, 5, len(pool))))
        return {"unit": "number", "levels": _distinct(levels)}
    if kind == 2:
        return {"unit": "text", "levels": [f"level {i}" for i in range(draw.choice((300, 1000)))]}
    if kind == 3:
        return {
            "unit": "text",
            "levels": _distinct(["a", True, 2.5, "1", 7][: draw.choice((2, 5))]),
        }
    return {"unit": "text", "levels": draw.sample(TEXTS, draw.choice((1, 2, 3, 9)))}


def _distinct(levels: list[Any]) -> list[Any]:
    found: dict[Any, Any] = {}
    for level in levels:
        key = float(level["float"]) if isinstance(level, dict) else level
        found.setdefault(key, level)
    return list(found.values())


# Trees ----------------------------------------------------------------------------------------


def tree(file: dict[str, Any], draw: random.Random, size: int) -> list[dict[str, Any]]:
    """Nodes with their tests and children, numbered; nothing is counted yet."""
    shape = draw.choice(SHAPES)
    if shape == "chain":
        size *= draw.choice((1, 10))
    nodes: list[dict[str, Any]] = [{"node": 0}]
    open_nodes = [0]
    while open_nodes and len(nodes) < size and shape != "leaf":
        at = open_nodes.pop(0 if shape != "chain" else -1)
        asked = question(file, draw, many=shape == "star" and at == 0)
        if asked is None:
            continue
        first = len(nodes)
        nodes[at] |= {"test": asked.said, "first_child": first}
        nodes += [{"node": first + b} for b in range(asked.branches)]
        children = list(range(first, first + asked.branches))
        open_nodes += [draw.choice(children)] if shape == "chain" else children
        if shape == "star":
            break
    return nodes


def question(file: dict[str, Any], draw: random.Random, *, many: bool) -> Question | None:
    """A test of some column that the settings allow."""
    missing = file["growth"]["missing"]
    column = draw.choice(file["schema"]["columns"])
    if column["kind"] == "nominal":
        return _map(column, missing, draw, many)
    if column["kind"] == "ordinal":
        top = len(column["levels"]) - 1
        cuts = draw.sample(
            range(top), min(top, 1 if missing == "surrogate" else draw.choice((1, 1, 3)))
        )
        cuts = [cut + draw.choice((0.0, 0.5)) for cut in sorted(cuts)]
    else:
        pool = MOMENTS.get(column["unit"], NUMBERS)
        k = 1 if missing == "surrogate" else draw.choice((1, 1, 1, 2, len(pool)))
        cuts = sorted({0.0 if x == 0 else x for x in draw.sample(pool, k)})
        if many and column["unit"] == "number" and missing != "surrogate":
            cuts = [float(i) for i in range(1000)]
    if not cuts:
        return None
    said: dict[str, Any] = {"column": column["name"], "thresholds": cuts}
    branches = len(cuts) + 1
    if missing == "learn" and draw.random() < 0.1:
        return Question(said | {"thresholds": ["inf"], "missing": 1}, 2)
    if missing == "fractional":
        return Question(said | {"missing": "share"}, branches)
    own = missing == "branch" and draw.random() < 0.5
    return Question(
        said | {"missing": branches if own else draw.randrange(branches)}, branches + own
    )


def _map(column: dict[str, Any], missing: str, draw: random.Random, many: bool) -> Question | None:
    levels = column["levels"]
    if len(levels) < 2:
        return None
    k = 2 if missing == "surrogate" else draw.choice((2, 2, 3, len(levels)))
    k = len(levels) if many and missing != "surrogate" else min(k, len(levels))
    shuffled = draw.sample(levels, len(levels))
    groups: list[list[Any]] = [[level] for level in shuffled[:k]]
    for level in shuffled[k:]:
        draw.choice(groups).append(level)
    said: dict[str, Any] = {"column": column["name"], "levels": groups}
    if missing == "fractional":
        return Question(said | {"missing": "share", "heaviest": draw.randrange(k)}, k)
    return Question(said | {"missing": draw.randrange(k)}, k)
