"""What the learner sees (§1): columns of codes, a target, and tables of exact integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Growth = dict[str, Any]
Rows = list[tuple[int, int]]
"""The rows of a node, each with its share (1, or up to 2**24 where shares are fractional)."""


@dataclass(frozen=True)
class RefColumn:
    """One column: code 0 is missing, 1.. are its values in order or its declared levels."""

    kind: str  # "numeric", "ordinal" or "nominal"
    codes: Sequence[int]
    values: Sequence[float]  # the value of code i is values[i - 1]; empty for nominal columns
    n_codes: int

    @property
    def nominal(self) -> bool:
        return self.kind == "nominal"

    def plain(self) -> RefColumn:
        """The same column in Python's own numbers, which do not overflow."""
        codes, values = [int(c) for c in self.codes], [float(v) for v in self.values]
        return RefColumn(self.kind, codes, values, int(self.n_codes))


@dataclass(frozen=True)
class RefTarget:
    """The target: ``classes`` with ``n_classes``, or fixed-point ``y``; integer weights.

    Of several outputs ``numbers`` has a row of numbers for each row, of so many ``outputs``.

    A real weight is ``weight / weight_scale``, a real target ``center + y / scale``. Without
    ``count`` a row counts as many samples as its weight says.
    """

    weight: Sequence[int]
    classes: Sequence[int] | None = None
    n_classes: int = 0
    y: Sequence[int] | None = None
    count: Sequence[int] | None = None
    center: float = 0.0
    scale: float = 1.0
    weight_scale: float = 1.0
    numbers: Sequence[Sequence[int]] | None = None
    outputs: int = 1

    @property
    def sums(self) -> int:
        """Numbers of a row, of a real target."""
        return 1 if self.numbers is None else len(self.numbers[0])

    @property
    def slots(self) -> int:
        return self.n_classes or 1 + self.sums

    def learned(self, row: int) -> tuple[int, ...]:
        """The numbers of a row."""
        if self.numbers is not None:
            return tuple(int(y) for y in self.numbers[row])
        assert self.y is not None
        return (int(self.y[row]),)

    def cell(self, row: int, share: int) -> Cell:
        """What one row adds to a table."""
        weight = int(self.weight[row]) * share
        count = weight if self.count is None else int(self.count[row]) * share
        if self.classes is None:
            rows = () if self.y is None else ((int(self.y[row]), weight),)
            return Cell((weight, *(weight * y for y in self.learned(row))), weight, count, rows)
        tally = [0] * self.n_classes
        tally[int(self.classes[row])] = weight
        return Cell(tuple(tally), weight, count)


@dataclass(frozen=True, slots=True)
class Cell:
    """A tally (weight per class, or weight and weighted sum), its weight and its samples."""

    tally: tuple[int, ...]
    weight: int
    count: int
    rows: tuple[tuple[int, int], ...] = ()  # of a real target: y and weight, which medians need

    def __add__(self, other: Cell) -> Cell:
        tally = tuple(a + b for a, b in zip(self.tally, other.tally, strict=True))
        rows = self.rows + other.rows
        return Cell(tally, self.weight + other.weight, self.count + other.count, rows)

    def __sub__(self, other: Cell) -> Cell:
        tally = tuple(a - b for a, b in zip(self.tally, other.tally, strict=True))
        rows = tuple((Counter(self.rows) - Counter(other.rows)).elements())
        return Cell(tally, self.weight - other.weight, self.count - other.count, rows)

    @property
    def position(self) -> float:
        """The share of the second class, or the mean: what monotone constraints order."""
        return self.tally[1] / self.weight


def total(cells: Iterable[Cell], slots: int) -> Cell:
    tally, weight, count = [0] * slots, 0, 0
    rows: list[tuple[int, int]] = []
    for cell in cells:
        rows += cell.rows
        for i, x in enumerate(cell.tally):
            tally[i] += x
        weight += cell.weight
        count += cell.count
    return Cell(tuple(tally), weight, count, tuple(rows))


def heaviest(cells: Sequence[Cell]) -> int:
    """The branch with the most weight, of equals the lowest."""
    return max(range(len(cells)), key=lambda v: (cells[v].weight, -v))


@dataclass(frozen=True)
class Bounds:
    """What monotone constraints ask of a test on one column at one node (§8)."""

    sign: int = 0
    low: float = float("-inf")
    high: float = float("inf")

    def allow(self, left: Cell, right: Cell) -> bool:
        a, b = left.position, right.position
        if self.sign * a > self.sign * b:
            return False
        return self.low <= min(a, b) and max(a, b) <= self.high


UNBOUNDED = Bounds()


@dataclass(frozen=True)
class Table:
    """One column at one node: the cells of the codes present, by code; the missing apart."""

    index: int
    column: RefColumn
    codes: list[int]
    cells: list[Cell]
    missing: Cell
    known: Cell
    bounds: Bounds

    @property
    def whole(self) -> Cell:
        return self.known + self.missing

    def parts(self, branch_of: Mapping[int, int], n_branches: int) -> list[Cell]:
        """The known cells of each branch."""
        cells: list[list[Cell]] = [[] for _ in range(n_branches)]
        for code, cell in zip(self.codes, self.cells, strict=True):
            cells[branch_of[code]].append(cell)
        return [total(part, len(self.missing.tally)) for part in cells]

    def value(self, i: int) -> float:
        """The value of the i-th code present."""
        return self.column.values[self.codes[i] - 1]


def tabulate(
    index: int, column: RefColumn, target: RefTarget, rows: Rows, bounds: Bounds = UNBOUNDED
) -> Table:
    by_code: dict[int, list[Cell]] = {}
    for row, share in rows:
        by_code.setdefault(column.codes[row], []).append(target.cell(row, share))
    missing = total(by_code.pop(0, []), target.slots)
    codes = sorted(by_code)
    cells = [total(by_code[code], target.slots) for code in codes]
    return Table(index, column, codes, cells, missing, total(cells, target.slots), bounds)
