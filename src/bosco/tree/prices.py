"""What cases pay for answers on their way down a tree (docs/costs.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_figure, show_number
from bosco.base.visible import visible
from bosco.data.frame import Frame
from bosco.errors import ModelError
from bosco.settings.asking import Asking, Item
from bosco.tree.family import rows_of
from bosco.tree.tree import Tree

if TYPE_CHECKING:
    from bosco.models.model import Model

_SHOWN = 12


def asked_above(tree: Tree, node: int) -> list[tuple[int, float]]:
    """The columns asked on the way to a node, each with the weight of the node that asked."""
    column, test = tree.native.tests.column, tree.native.test
    return [(int(column[test[i]]), float(tree.node_weight[i])) for i in tree.path(node)[:-1]]


@dataclass(frozen=True, eq=False)
class Prices:
    """What a case pays that ends at a node of a tree.

    From the first test on its way whose answer comes later, it pays for all that is asked below
    that test, too; else for what it was asked.
    """

    tree: Tree
    asking: Asking

    @cached_property
    def _above(self) -> list[tuple[frozenset[int], int]]:
        """Of every node the items that were paid on the way, and the first delayed test, or -1."""
        native, asking = self.tree.native, self.asking
        found: list[tuple[frozenset[int], int]] = [(frozenset(), -1)]
        for node in range(1, native.n_nodes):
            up = int(native.parent[node])
            column = int(native.tests.column[native.test[up]])
            paid, ordered = found[up]
            if ordered < 0 and column in asking.delayed:
                ordered = up
            found.append((paid | asking.needed([column]), ordered))
        return found

    @cached_property
    def _below(self) -> list[set[int]]:
        """Of every node the items that are asked for in its subtree."""
        native = self.tree.native
        found: list[set[int]] = [set() for _ in range(native.n_nodes)]
        for node in range(native.n_nodes - 1, -1, -1):
            if native.test[node] >= 0:
                found[node] |= self.asking.needed([int(native.tests.column[native.test[node]])])
            if node:
                found[native.parent[node]] |= found[node]
        return found

    def items(self, node: int) -> set[int]:
        """The items that a case has paid, or ordered, that comes to a node."""
        paid, ordered = self._above[node]
        return set(paid) if ordered < 0 else self._below[ordered] | paid

    @cached_property
    def of_nodes(self) -> NDArray[np.float64]:
        """What a case has paid that comes to each node."""
        each = [self.asking.price(self.items(node)) for node in range(self.tree.node_count)]
        made = np.array(each, np.float64)
        made.flags.writeable = False
        return made

    @cached_property
    def waiting(self) -> NDArray[np.bool_]:
        """Whether a case that comes to each node waits for an answer on its way."""
        return np.array([ordered >= 0 for _, ordered in self._above])

    def mean(self, amounts: NDArray[np.float64]) -> float:
        """The mean price of a case, given how many cases every node has."""
        return float(np.average(self.of_nodes, weights=self._ends(amounts)))

    def wait(self, amounts: NDArray[np.float64]) -> float:
        """The share of the cases that wait for an answer."""
        return float(np.average(self.waiting, weights=self._ends(amounts)))

    def _ends(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(self.tree.native.test < 0, amounts, 0.0)


def price(model: "Model", X: Any, *, n_jobs: int | None = None) -> Any:
    """What each raw row pays for answers on its way to its leaf; one row: a number.

    Where a missing value sends a row down several branches, it pays of each its share.
    """
    rows, single = rows_of(X)
    paid = price_frame(model, model.read(rows), n_jobs)
    return float(paid[0]) if single else paid


def price_frame(model: "Model", frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
    """What rows pay that are read already."""
    if model.prices is None:
        raise ModelError(
            "Nothing has a price in this model. Hint: ask_costs={name: price} when it is "
            "fitted; ask_weight=0 only tells prices."
        )
    each = model.prices.of_nodes
    if not model.growth.on_missing.shared:
        return each.take(model.apply_frame(frame, n_jobs))
    return model._by_share(frame, np.ascontiguousarray(each[:, None]), n_jobs)[:, 0]


def say_prices(model: "Model") -> list[str]:
    """What a case pays on average, and for what, in sentences; none where nothing has a price."""
    asking, prices = model.growth.asking, model.prices
    if asking is None or prices is None:
        return []
    amounts = model.amounts.sum(axis=1)
    mean = show_figure(prices.mean(amounts))
    rows = show_number(amounts[0])
    said = [
        tr("Asking costs {price} a case, the mean of its {n} training rows.", price=mean, n=rows)
        if model.census is not None
        else tr("Asking costs {price} a case, the mean of the training rows by weight.", price=mean)
    ]
    asked = set(model.tree.columns_asked.tolist())
    names = model.schema.names
    met = [item for item in asking.items if not asked.isdisjoint(item.columns)]
    if met:
        listed = ", ".join(say_item(item, names) for item in met[:_SHOWN])
        more = tr(", and {n} more", n=len(met) - _SHOWN) if len(met) > _SHOWN else ""
        said.append(tr("Paid once on a path: {items}.", items=listed + more))
    later = [visible(names[j]) for j in asking.delayed if j in asked]
    if later:
        said.append(
            tr(
                "The answer comes later: {columns}. What is asked below is ordered with it, and "
                "paid whatever it says; {share} of the rows wait.",
                columns=", ".join(later),
                share=f"{100 * prices.wait(amounts):.3g} %",
            )
        )
    return said


def say_item(item: Item, names: Sequence[Any]) -> str:
    """A price, with the columns that it is of where that is not their name."""
    columns = [names[j] for j in item.columns]
    name = f"{visible(item.name)} {show_number(item.price)}"
    own = columns == [item.name]
    return name if own else f"{name} ({', '.join(map(visible, columns))})"
