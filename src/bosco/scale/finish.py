"""Small nodes, finished elsewhere: their rows go to one place, which grows all that is below them.

Level by level a node costs the tables of all its columns, however few its rows are. Where the rows
of a node are fewer bytes than the tables of what may come below it, it is not opened: its rows go
as bundles of the parts to whoever has time, who grows from there by the native verb. So a tree of
any depth takes few rounds.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.recipe import Recipe

__all__ = ["Aside", "Bundle", "Plan", "Seed", "batches", "bundled", "finished"]

Kinds = list[tuple[int, bool] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """Whole rows on their way: columns, the target, integer weights, shares of 2^-24 (or None)."""

    columns: list[NDArray[Any]]
    target: NDArray[Any]
    weight: NDArray[np.int64] | None
    count: NDArray[np.int64] | None
    share: NDArray[np.uint32] | None

    @property
    def nbytes(self) -> int:
        """What it carries."""
        others = (self.target, self.weight, self.count, self.share)
        return sum(a.nbytes for a in (*self.columns, *others) if a is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Seed:
    """A node from which a tree is to be grown to its end: how many rows, and where it stands."""

    node: int
    rows: int
    path: list[int]
    bounds: tuple[float, float]
    banned: NDArray[np.bool_]
    asked: list[tuple[int, int]]  # columns on the way there, and the weights that asked


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What all seeds of a tree share.

    Attributes
    ----------
    recipe : Recipe
        Of the target.
    kinds : list
        Of every column: None for numbers, else how many levels it has and whether they are ordered.
    settings : dict
        As the core takes them.
    unit, weight : int
        Fixed-point units of a sample, and the weight of all rows of the tree.
    tree : int
        Its number, among those that grow.
    """

    recipe: Recipe
    kinds: Kinds
    settings: dict[str, Any]
    unit: int
    weight: int
    tree: int = 0


def bundled(bundles: Sequence[Bundle]) -> Bundle:
    """The rows of bundles as one."""
    if len(bundles) == 1:
        return bundles[0]

    def joined(of: Any) -> Any:
        some = [of(bundle) for bundle in bundles]
        return None if some[0] is None else np.concatenate(some)

    columns = [joined(lambda b, j=j: b.columns[j]) for j in range(len(bundles[0].columns))]
    names = ("target", "weight", "count", "share")
    return Bundle(columns, *(joined(lambda b, name=name: getattr(b, name)) for name in names))


def finished(plan: Plan, seed: Seed, bundles: Sequence[Bundle]) -> tuple[dict[str, Any], int]:
    """Grow all that is below a node: the state of the tree, and the bytes that its rows had."""
    rows = bundled(bundles)
    n = len(rows.target)
    frame = _core.Frame(n)
    for values, kind in zip(rows.columns, plan.kinds, strict=True):
        if kind is None:
            frame.add_numeric(values)
        else:
            frame.add_coded(np.ascontiguousarray(values), *kind)
    frame.encode(1)
    target = plan.recipe.native(rows.target, rows.target, rows.weight, rows.count)
    tree = _core.grow(
        frame,
        target,
        plan.settings,
        rows=None if rows.share is None else np.arange(n, dtype=np.uint32),
        share=rows.share,
        path=seed.path,
        weight=plan.weight,
        bounds=seed.bounds,
        banned=seed.banned,
        unit=plan.unit,
        asked=seed.asked,
    )
    return tree.state(), rows.nbytes  # type: ignore[union-attr]


def batches(seeds: Sequence[Seed], rows: int) -> Iterator[list[Seed]]:
    """Seeds together that have so many rows at most, or one that has more; the largest first."""
    some: list[Seed] = []
    for seed in sorted(seeds, key=lambda seed: -seed.rows):
        if some and sum(one.rows for one in some) + seed.rows > rows:
            yield some
            some = []
        some.append(seed)
    if some:
        yield some


class Aside:
    """The nodes of a tree that are set aside while it grows, and grafted in the end."""

    def __init__(self, source: Any, plan: Plan):
        self.source, self.plan = source, plan
        self.seeds: list[Seed] = []
        slots = source.n_weights if plan.recipe.classes is not None else 2
        self._table = int(source.begin[-1]) * slots * 4  # bytes
        self._row = 4 + sum(4 if kind is None else 1 for kind in plan.kinds)

    def takes(self, sketch: Any, node: int) -> bool:
        """Set a node aside, if its rows are few, and less to carry than tables of what is below."""
        rows = -(-sketch.samples(node) // self.plan.unit)
        path, most = sketch.path(node), self.plan.settings["max_depth"]
        levels = most - len(path) if most >= 0 else 64
        below = min(2**levels - 1, rows)  # nodes that may have a test
        if rows > self.source.engine.small or rows * self._row > below * self._table:
            return False
        banned = sketch.banned(node, self.source.n_columns) != 0
        where = (path, sketch.bounds(node), banned, sketch.asked(node))
        self.seeds.append(Seed(node, rows, *where))
        return True

    def grafted(self, tree: Any) -> Generator[tuple[str, tuple[Any, ...]], Any, Any]:
        """The tree with all that is below the nodes set aside, which it asks for."""
        if not self.seeds:
            return tree
        made = yield "finish", (self.plan, self.seeds)
        self.source.done(len(made))
        nodes = [_node_at(tree, seed.path) for seed in self.seeds]
        below = [_core.tree_from_state(state) for state in made]
        return _core.graft(tree, nodes, below, self.plan.settings)


def _node_at(tree: Any, path: Sequence[int]) -> int:
    node = 0
    for branch in path:
        node = int(tree.first_child[node]) + branch
    return node
