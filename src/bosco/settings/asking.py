"""What answers cost: as users say it, and as growing, models and files have it.

A column asks for *items*, each paid once on the way of a case: its own price, and that of the group
it is in. A derived column asks for all that it is computed from. docs/costs.md has the rules.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import expm1, isfinite, log
from numbers import Real
from typing import Any

from bosco.base.numerals import show_number
from bosco.errors import ParameterError, did_you_mean

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Item:
    """What is paid once: a name, a price, and the numbers of the columns that need it."""

    name: str
    price: float
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """What the answers of some columns cost.

    Attributes
    ----------
    items : tuple of Item
        What is paid, each once on a path.
    delayed : tuple of int
        Numbers of the columns whose answers come later.
    rule : {"eg2", "idx", "cs_id3"}
        How growing weighs gain against price.
    weight : float
        How much a price weighs there; 0: not at all.
    """

    items: tuple[Item, ...]
    delayed: tuple[int, ...] = ()
    rule: str = "eg2"
    weight: float = 0.5

    @property
    def weighs(self) -> bool:
        """Whether prices decide which column is asked."""
        return self.weight > 0 and any(item.price > 0 for item in self.items)

    @property
    def unit(self) -> float:
        """What prices are measured in while growing: the least above 0."""
        return min((item.price for item in self.items if item.price > 0), default=1.0)

    def needed(self, columns: Iterable[int]) -> set[int]:
        """The places of the items that some columns ask for."""
        asked = set(columns)
        return {i for i, item in enumerate(self.items) if not asked.isdisjoint(item.columns)}

    def price(self, items: Iterable[int]) -> float:
        """What some items cost, added up in their order."""
        return float(sum(self.items[i].price for i in sorted(items)))

    def price_at(
        self, column: int, asked: Sequence[tuple[int, float]], weight: float = 1.0
    ) -> float:
        """What a column costs at a node, as growing counts it.

        `asked` are the columns on the way, each with the weight of the node that asked it; `weight`
        is the node's own.
        """
        paid = self.needed(j for j, _ in asked)
        price = self.price(self.needed([column]) - paid)
        ordered = next((by for j, by in asked if j in self.delayed), None)
        return price if ordered is None else price * (ordered / weight)

    def worth(self, gain: float, price: float) -> float:
        """What a gain is worth at a price, by the rule."""
        if not (self.weighs and gain > 0):
            return gain
        gained = {"eg2": expm1(gain * log(2)), "idx": gain, "cs_id3": gain * gain}[self.rule]
        return float(gained * (price / self.unit + 1) ** -self.weight)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        items = [asdict(item) | {"columns": list(item.columns)} for item in self.items]
        return {
            "rule": self.rule,
            "weight": self.weight,
            "items": items,
            "delayed": list(self.delayed),
        }


def asking_of(
    costs: Any,
    groups: Any,
    delayed: Any,
    rule: str,
    weight: float,
    names: Sequence[str],
    given: Sequence[Sequence[int]],
) -> Asking | None:
    """What answers cost as users say it, checked; None where nothing is said.

    Parameters
    ----------
    costs : mapping or None
        The price of columns and groups, by name.
    groups : mapping or None
        The columns of each group, whose price is paid once.
    delayed : sequence of str or None
        Columns and groups whose answers come later.
    rule, weight : str, float
        As the settings.
    names : sequence of str
        The columns.
    given : sequence of sequence of int
        Of every column, those that it is computed from; itself, if it is computed from none.

    Examples
    --------
    >>> columns, own = ["age", "hdl", "ldl"], [[0], [1], [2]]
    >>> found = asking_of({"blood": 30}, {"blood": ["hdl", "ldl"]}, None, "eg2", 1.0, columns, own)
    >>> found.items
    (Item(name='blood', price=30.0, columns=(1, 2)),)
    """
    if costs is None:
        for name, said in (("ask_groups", groups), ("ask_delayed", delayed)):
            if said:
                raise ParameterError(
                    f"{name} says how answers are paid, and nothing has a price. "
                    f"Hint: ask_costs={{name: price}}."
                )
        return None
    members = _groups(groups or {}, names)
    known = [*names, *members]
    items = []
    for name, price in costs.items():
        _refuse_stranger("ask_costs", name, known)
        number = type(price) is not bool and isinstance(price, Real) and isfinite(price)
        if not number or float(price) < 0:
            raise ParameterError(
                f"ask_costs: asking {name!r} must cost a number, 0 or more, and finite. "
                f"Got {price!r}."
            )
        asked = members.get(name, [name])
        items.append(Item(str(name), float(price), _needing(asked, names, given)))
    for name in members:
        if name not in costs:
            raise ParameterError(
                f"ask_groups: the group {name!r} has no price. "
                f"Hint: ask_costs={{{name!r}: price}}, 0 if it is free."
            )
    later: list[str] = []
    for name in _names(delayed or (), "ask_delayed"):
        _refuse_stranger("ask_delayed", name, known)
        later += members.get(name, [name])
    return Asking(tuple(items), _needing(later, names, given), rule, float(weight))


def _groups(groups: Mapping[Any, Any], names: Sequence[str]) -> dict[Any, list[str]]:
    """The columns of every group, checked."""
    found: dict[Any, list[str]] = {}
    for name, columns in groups.items():
        if name in names:
            raise ParameterError(
                f"ask_groups: {name!r} is the name of a column, too. Hint: another name for the "
                f"group."
            )
        found[name] = _names(columns, f"ask_groups[{name!r}]")
        if not found[name]:
            raise ParameterError(f"ask_groups: the group {name!r} has no column.")
        for column in found[name]:
            _refuse_stranger(f"ask_groups[{name!r}]", column, names)
            other = next((g for g in found if g != name and column in found[g]), None)
            if other is not None:
                raise ParameterError(
                    f"ask_groups: {column!r} is in {other!r} and in {name!r}. A column is in one "
                    f"group at most."
                )
    return found


def _needing(
    asked: Sequence[str], names: Sequence[str], given: Sequence[Sequence[int]]
) -> tuple[int, ...]:
    """The columns that cannot be known without some: these, and what is derived from them."""
    own = {names.index(name) for name in asked}
    return tuple(j for j in range(len(names)) if j in own or not own.isdisjoint(given[j]))


def _names(said: Any, where: str) -> list[str]:
    if isinstance(said, str):
        said = [said]
    try:
        return list(said)
    except TypeError:
        raise ParameterError(f"{where} must name columns, in a list. Got {said!r:.100}.") from None


def _refuse_stranger(where: str, name: Any, known: Sequence[Any]) -> None:
    if name not in known:
        shown = ", ".join(map(repr, known[:_SHOWN])) + (", …" if len(known) > _SHOWN else "")
        raise ParameterError(
            f"{where} names {name!r}, which is not a column, nor a group: there are {shown}."
            + did_you_mean(name, known)
        )


def read_prices(items: Iterable[str], where: str) -> dict[str, float]:
    """Prices as words: NAME=PRICE.

    Examples
    --------
    >>> read_prices(["mri=400", "blood test=30"], "--ask-cost")
    {'mri': 400.0, 'blood test': 30.0}
    """
    found: dict[str, float] = {}
    for item in items:
        name, equals, text = item.rpartition("=")
        try:
            price = float(text)
        except ValueError:
            equals = ""
        if not equals or not name.strip() or not isfinite(price):
            raise ParameterError(
                f"{where} takes NAME=PRICE, the price being a number, 0 or more. Got {item!r}."
            )
        if name.strip() in found:
            raise ParameterError(f"{where} gives the price of {name.strip()!r} twice.")
        found[name.strip()] = price
    return found


def read_groups(items: Iterable[str], where: str) -> dict[str, list[str]]:
    """Groups as words: NAME=COLUMN:COLUMN.

    Examples
    --------
    >>> read_groups(["blood test=hdl:ldl"], "--ask-group")
    {'blood test': ['hdl', 'ldl']}
    """
    found: dict[str, list[str]] = {}
    for item in items:
        name, equals, text = item.partition("=")
        columns = [column.strip() for column in text.split(":")]
        if not equals or not name.strip() or not all(columns):
            raise ParameterError(f"{where} takes NAME=COLUMN:COLUMN:…. Got {item!r}.")
        found.setdefault(name.strip(), []).extend(columns)
    return found


def write_prices(costs: Mapping[Any, Any]) -> list[str]:
    """Prices as words that `read_prices` reads back.

    Examples
    --------
    >>> write_prices({"mri": 400.0})
    ['mri=400']
    """
    return [f"{name}={show_number(price)}" for name, price in costs.items()]


def write_groups(groups: Mapping[Any, Any]) -> list[str]:
    """Groups as words that `read_groups` reads back.

    Examples
    --------
    >>> write_groups({"blood test": ["hdl", "ldl"]})
    ['blood test=hdl:ldl']
    """
    return [f"{name}={':'.join(columns)}" for name, columns in groups.items()]
