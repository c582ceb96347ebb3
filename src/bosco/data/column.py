"""One column of a schema: its name, what its values are, and how it is derived, if it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, Literal, get_args

from bosco.base.dates import Unit
from bosco.base.visible import visible
from bosco.data.columns import Level
from bosco.data.expressions.formula import Formula
from bosco.data.expressions.meaning import formula_of
from bosco.data.expressions.parse import parse
from bosco.errors import ModelError, ParameterError

Kind = Literal["numeric", "ordinal", "nominal"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its kind, the levels of its domain, and what its values stand for.

    `formula` says how it is computed from the columns before it; None: it is given. `bounds` are
    the least and the largest number that were declared; None: any.
    """

    name: str
    kind: Kind = "numeric"
    levels: tuple[Level, ...] | None = None
    unit: Unit = "number"
    formula: Formula | None = None
    bounds: tuple[float, float] | None = None

    @property
    def shown(self) -> str:
        """The name as text for people."""
        return visible(self.name) or "''"

    @classmethod
    def derived(cls, name: str, text: str, columns: Sequence["Column"]) -> "Column":
        """A column that an expression over columns before it gives."""
        formula = formula_of(parse(text), columns)
        if formula.unit == "boolean":
            return cls(name, "nominal", (False, True), "boolean", formula)
        return cls(name, "numeric", None, formula.unit, formula)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        levels = None if self.levels is None else [_to_json(level) for level in self.levels]
        said: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "unit": self.unit,
            "levels": levels,
        }
        said |= {} if self.formula is None else {"expression": self.formula.text}
        return said | ({} if self.bounds is None else {"bounds": list(self.bounds)})

    @classmethod
    def from_dict(cls, data: Any, before: Sequence["Column"]) -> "Column":
        """Read what `to_dict` gave, trusting nothing in it; `before` are the columns before it."""
        return _read(data, before)


def _to_json(level: Level) -> Any:
    infinite = isinstance(level, float) and not isfinite(level)
    return {"float": str(level)} if infinite else level  # JSON has no infinity


def _from_json(level: Any) -> Level:
    if isinstance(level, dict):
        require(level in ({"float": "inf"}, {"float": "-inf"}), f"{level!r:.60} is not a level")
        return float(level["float"])
    plain_level = isinstance(level, str | bool | int | float) and level == level
    require(plain_level, f"{level!r:.60} is not a level")
    return level  # type: ignore[no-any-return]


def _read(data: Any, before: Sequence[Column]) -> Column:
    column = _described(data)
    if "expression" not in data:
        return column
    where = f"column {column.name!r:.60}"
    try:
        made = Column.derived(column.name, data["expression"], before)
    except ParameterError as error:
        raise ModelError(f"This is not a schema: {where}: {error}") from None
    same = made == replace(column, formula=made.formula)
    require(same, f"{where} is not of the kind of its expression")
    return made


def _described(data: Any) -> Column:
    require(isinstance(data, dict), "a column is not a mapping")
    name, kind, unit, levels = (data.get(key) for key in ("name", "kind", "unit", "levels"))
    require(isinstance(name, str), "the name of a column is not a text")
    require(kind in get_args(Kind), f"column {name!r:.60} is of the unknown kind {kind!r:.60}")
    require(unit in get_args(Unit), f"column {name!r:.60} has the unknown unit {unit!r:.60}")
    if kind == "numeric":
        require(levels is None, f"the numeric column {name!r:.60} has levels")
        return Column(name, kind, None, unit, bounds=_bounds_from(data, name))
    require("bounds" not in data, f"column {name!r:.60} has levels, and so no bounds")
    require(isinstance(levels, list) and levels, f"column {name!r:.60} has no list of levels")
    known = tuple(map(_from_json, levels))
    require(len(set(known)) == len(known), f"column {name!r:.60} has a level twice")
    return Column(name, kind, known, unit)


def _bounds_from(data: dict[str, Any], name: str) -> tuple[float, float] | None:
    if "bounds" not in data:
        return None
    said = data["bounds"]
    numbers = isinstance(said, list) and all(type(x) in (int, float) for x in said)
    sound = numbers and len(said) == 2 and -inf < said[0] < said[1] < inf
    sound = sound and data.get("unit") == "number" and "expression" not in data
    require(sound, f"the bounds of column {name!r:.60} are not two numbers, the lesser first")
    return float(said[0]), float(said[1])


def require(truth: Any, what: str) -> None:
    """Refuse what is no schema."""
    if not truth:
        raise ModelError(f"This is not a schema: {what}.")
