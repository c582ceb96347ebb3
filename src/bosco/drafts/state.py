"""The state of a draft: a tree, and what people put into it, node by node. An immutable value.

Nodes are known by their *path*, the branches that lead to them from the root: numbers change when
something grows elsewhere in the tree, paths do not.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bosco.errors import ModelError
from bosco.tree.edits import ByHand, Edits, Entry, Order
from bosco.tree.tree import Tree

Path = tuple[int, ...]
"""The branches that lead to a node, from the root."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A tree and its edits, by path.

    Attributes
    ----------
    tree : Tree
        The tree so far.
    chosen, orders, notes, locked
        As in `Edits`.
    excluded : mapping of Path to tuple of str
        Columns that take no part from a node on.
    """

    tree: Tree
    chosen: Mapping[Path, ByHand] = field(default_factory=dict)
    orders: Mapping[Path, Order] = field(default_factory=dict)
    notes: Mapping[Path, str] = field(default_factory=dict)
    locked: frozenset[Path] = frozenset()
    excluded: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)

    def edits(self, log: tuple[Entry, ...] = ()) -> Edits:
        """The same by number of the node, as a model has it."""
        chosen, orders, notes = (
            {node_at(self.tree, path): what for path, what in sorted(by_path.items())}
            for by_path in (self.chosen, self.orders, self.notes)
        )
        locked = frozenset(node_at(self.tree, path) for path in self.locked)
        return Edits(chosen, orders, notes, locked, log)  # type: ignore[arg-type]  # one loop

    def digest(self) -> str:
        """SHA-256 of all that it holds: equal for equal states, on any machine."""
        content = {
            "tree": self.tree.digest(),
            "chosen": _plain(self.chosen, lambda c: [c.instead, c.loss, c.reason]),
            "orders": _plain(self.orders, lambda o: [o.answer, o.reason]),
            "notes": _plain(self.notes, str),
            "locked": sorted(map(list, self.locked)),
            "excluded": _plain(self.excluded, list),
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def without(self, above: Path, *, itself: bool = False) -> "State":
        """The same where everything below a node is gone; `itself`: what was said of it, too.

        Notes, and columns that are excluded there, stay with the node.
        """

        def stays(path: Path) -> bool:
            return not is_below(path, above)

        def own(path: Path) -> bool:
            return stays(path) and not (itself and path == above)

        return replace(
            self,
            chosen={p: w for p, w in self.chosen.items() if own(p)},
            orders={p: w for p, w in self.orders.items() if own(p)},
            notes={p: w for p, w in self.notes.items() if stays(p)},
            locked=frozenset(p for p in self.locked if stays(p)),
            excluded={p: w for p, w in self.excluded.items() if stays(p)},
        )

    def moved(self, places: Mapping[Path, Path], parent: Path) -> "State":
        """The same where branches of a node have other places; a branch without one is gone."""

        def renamed(by_path: Mapping[Path, Any]) -> dict[Path, Any]:
            made = {_renamed(path, places, parent): what for path, what in by_path.items()}
            return {path: what for path, what in made.items() if path is not None}

        return replace(
            self,
            chosen=renamed(self.chosen),
            orders=renamed(self.orders),
            notes=renamed(self.notes),
            locked=frozenset(renamed(dict.fromkeys(self.locked))),
            excluded=renamed(self.excluded),
        )


def is_below(path: Path, above: Path) -> bool:
    """Whether a node lies below another, and is not it."""
    return len(path) > len(above) and path[: len(above)] == above


def node_at(tree: Tree, path: Path) -> int:
    """The number of the node that a path leads to."""
    node, native = 0, tree.native
    for branch in path:
        if not 0 <= branch < native.n_children[node]:
            raise ModelError(f"No node of the tree is reached by the branches {list(path)}.")
        node = int(native.first_child[node]) + branch
    return node


def path_of(tree: Tree, node: int) -> Path:
    """The branches that lead to a node."""
    native, path = tree.native, []
    while node > 0:
        above = int(native.parent[node])
        path.append(node - int(native.first_child[above]))
        node = above
    return tuple(reversed(path))


def _plain(by_path: Mapping[Path, Any], plain: Any) -> list[Any]:
    return [[list(path), plain(what)] for path, what in sorted(by_path.items())]


def _renamed(path: Path, places: Mapping[Path, Path], parent: Path) -> Path | None:
    if not is_below(path, parent):
        return path
    first = path[: len(parent) + 1]
    place = places.get(first)
    return None if place is None else place + path[len(first) :]
