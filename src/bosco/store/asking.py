"""What answers cost, read from a file, trusting nothing in it."""

from typing import Any

from bosco.settings.asking import Asking, Item
from bosco.settings.settings import WORDS
from bosco.store.values import choice, integer, mapping, real, require, sequence

_MOST = 10.0  # as the setting `ask_weight`


def read_asking(said: Any, n_columns: int) -> Asking | None:
    """Read what `Asking.to_dict` gave; None: nothing has a price."""
    if said is None:
        return None
    where = "growth.asking"
    said = mapping(said, where, ("rule", "weight", "items", "delayed"))
    weight = real(said["weight"], f"{where}.weight")
    require(0 <= weight <= _MOST, f"{where}.weight", f"0 to {_MOST:g} is wanted")
    items = [
        _item(one, f"{where}.items[{i}]", n_columns)
        for i, one in enumerate(sequence(said["items"], f"{where}.items"))
    ]
    delayed = _columns(said["delayed"], f"{where}.delayed", n_columns)
    rule = choice(said["rule"], f"{where}.rule", WORDS["ask_rule"])
    return Asking(tuple(items), delayed, rule, weight)


def _item(said: Any, where: str, n_columns: int) -> Item:
    said = mapping(said, where, ("name", "price", "columns"))
    require(isinstance(said["name"], str), f"{where}.name", "a text is wanted")
    price = real(said["price"], f"{where}.price")
    require(price >= 0, f"{where}.price", "0 or more is wanted")
    return Item(said["name"], price, _columns(said["columns"], f"{where}.columns", n_columns))


def _columns(said: Any, where: str, n_columns: int) -> tuple[int, ...]:
    found = [
        integer(j, f"{where}[{i}]", 0, n_columns - 1) for i, j in enumerate(sequence(said, where))
    ]
    require(found == sorted(set(found)), where, "numbers of columns must ascend")
    return tuple(found)
