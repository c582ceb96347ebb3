"""The rows of a table in a database, as queries: which, with which integers, at which node.

A query is made of three layers. `kept` has the rows with a weight and their values as bosco reads
them (x0, x1, …; y; w). `weighed` has their integers beside them. `located` adds the node of the
tree so far, as a CASE. On these, `grouped` counts the values of many columns in one pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from math import ldexp
from typing import Any

from sqlglot import exp

from bosco.data.columns import plain
from bosco.data.recipe import Recipe, Scaling
from bosco.data.schema import Schema
from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.program import Inner, Program, children
from bosco.export.sql_parts import DATA, cases, integer, table_name
from bosco.scale.sql_types import Cell
from bosco.scale.sql_words import all_rows, called, not_null, of, select, total, typed

__all__ = ["SqlRows"]

AT_ONCE = 24
"""Columns that are counted in one pass."""

_NEST = 30  # how deep CASE nests; deeper trees are walked in stages


@dataclass(slots=True)
class SqlRows:
    """The rows of a table, and what is known of them so far."""

    table: str
    speech: Dialect
    wide: str  # the type of whole numbers of 128 bits
    cells: Sequence[Cell]
    y: Cell
    weight: Cell | None
    classes: Sequence[Any] | None = None
    dropped: Sequence[int] = ()
    schema: Schema | None = None
    empty: frozenset[int] = frozenset()  # columns without any value
    recipe: Recipe | None = None
    nodes: list[Inner | None] = field(default_factory=lambda: [None])
    laid: exp.Select | None = None  # what `weighed` says, and codes, if it was laid out

    # Rows ----------------------------------------------------------------------------------------

    def source(self) -> Any:
        """The table itself."""
        return table_name(self.table).as_(DATA, quoted=True, table=True)

    def all(self, *said: exp.Expression) -> exp.Select:
        """Something of all rows, as they are."""
        return exp.Select(expressions=list(said)).from_(self.source(), copy=False)

    def keep(self) -> exp.Expression | None:
        """Which rows have a weight; None: all."""
        conditions: list[exp.Expression] = []
        if self.weight is not None:
            conditions.append(exp.GT(this=self.weight.number, expression=self.speech.double(0.0)))
        if self.dropped:
            dropped = [self.label(code) for code in self.dropped]
            conditions.append(exp.Not(this=exp.In(this=self.y_value(), expressions=dropped)))
        return (
            reduce(lambda a, b: exp.And(this=a, expression=b), conditions) if conditions else None
        )

    def y_value(self) -> exp.Expression:
        """The target as labels are told apart."""
        return self.y.value if self.y.levelled or self.y.whole is not None else self.y.number

    def label(self, code: int) -> exp.Expression:
        """A class as a literal."""
        assert self.classes is not None
        return self.speech.literal(plain(self.classes[code]))

    def kept(self) -> exp.Select:
        """The rows with a weight: x0, x1, …, as the schema reads them; y; w."""
        said = [called(self._x(j), f"x{j}") for j in range(len(self.cells) if self.schema else 0)]
        said.append(called(self._y(), "y"))
        if self.weight is not None:
            said.append(called(self.weight.number, "w"))
        query = self.all(*said)
        keep = self.keep()
        return self._fenced(query if keep is None else query.where(keep, copy=False))

    def _x(self, j: int) -> exp.Expression:
        assert self.schema is not None
        column, cell = self.schema.columns[j], self.cells[j]
        if j in self.empty:
            return cast(exp.Null())
        return cell.number if column.levels is None or not cell.levelled else cell.value

    def _y(self) -> exp.Expression:
        """The number to learn, or the place among the classes."""
        if self.classes is None:
            return self.y.number
        places = range(len(self.classes))
        return exp.Case(
            this=self.y_value(),
            ifs=[exp.If(this=self.label(code), true=integer(code)) for code in places],
        )

    def _fenced(self, query: exp.Select) -> exp.Select:
        """Compute expressions once: PostgreSQL would write them out wherever they are used."""
        return query.offset(0, copy=False) if self.speech.name == "postgres" else query

    # Integers ------------------------------------------------------------------------------------

    def whole(self, x: exp.Expression, exponent: int) -> exp.Expression:
        """A float64 times a power of two, rounded to a whole number, halves to the even one."""
        large: exp.Expression = x
        if exponent:
            large = exp.Mul(this=x, expression=self.speech.double(ldexp(1.0, exponent)))
        if exponent < 0:  # a product too small for a float64 is an error to PostgreSQL
            least = self.speech.double(ldexp(0.25, -exponent))
            small = exp.LT(this=exp.Abs(this=x.copy()), expression=least)
            zero = exp.If(this=small, true=self.speech.double(0.0))
            large = exp.Case(ifs=[zero], default=large)
        return typed(large, "bigint")

    def by_class(self, factor: Any) -> exp.Expression:
        """What the class of a row counts."""
        ifs = [
            exp.If(this=integer(code), true=self.speech.literal(plain(value)))
            for code, value in enumerate(factor)
        ]
        return exp.Case(this=of("y"), ifs=ifs)

    def own_weight(self) -> exp.Expression:
        """The weight of a row as it is given."""
        return self.speech.double(1.0) if self.weight is None else of("w")

    def weights(self, factor: Any) -> exp.Expression:
        """Weights as float64, times the factor of each row's class."""
        own = self.own_weight()
        return own if factor is None else exp.Mul(this=own, expression=self.by_class(factor))

    def at_least_one(self, x: exp.Expression) -> exp.Expression:
        """A whole number, 1 if it is 0."""
        return exp.Greatest(this=x, expressions=[integer(1)])

    def scaled_weight(self, scaling: Scaling) -> exp.Expression | None:
        """Weights as integers; None: all 1."""
        if scaling.exponent is None:
            return None
        factor = scaling.factor
        if factor is None:
            return self.at_least_one(self.whole(self.own_weight(), scaling.exponent))
        if factor.dtype.kind == "f":
            return self.at_least_one(self.whole(self.weights(factor), scaling.exponent))
        own = self.at_least_one(self.whole(self.own_weight(), scaling.exponent))
        return exp.Mul(this=own, expression=self.by_class(factor))

    def count(self, scaling: Scaling) -> exp.Expression | None:
        """Samples of a row; None: its weight."""
        if scaling.count == "weight":
            return None
        return self.whole(self.own_weight(), 0) if scaling.count == "whole" else integer(1)

    def offset(self, center: float) -> exp.Expression:
        """The number to learn around a center."""
        if not center:
            return of("y")
        return exp.Paren(this=exp.Sub(this=of("y"), expression=self.speech.double(center)))

    def weighed(self) -> exp.Select:
        """The rows and their integers: y or t (what is learned), w (weight), c (samples)."""
        if self.laid is not None:
            return self.laid.copy()
        recipe = self.recipe
        assert recipe is not None
        said: list[exp.Expression] = [of(f"x{j}") for j in range(len(self.cells))]
        if recipe.classes is None:
            said.append(called(self.whole(self.offset(recipe.center), recipe.exponent), "t"))
        else:
            said.append(of("y"))
        for name, what in (
            ("w", self.scaled_weight(recipe.scaling)),
            ("c", self.count(recipe.scaling)),
        ):
            if what is not None:
                said.append(called(what, name))
        return self._fenced(select(said, self.kept()))

    def coded(self, codes: Mapping[int, exp.Expression]) -> exp.Select:
        """All that, with the codes of columns as k0, k1, …, to be laid out."""
        rows = self.weighed()
        made = [called(typed(code.copy(), "smallint"), f"k{j}") for j, code in codes.items()]
        return select([*_names_of(rows), *made], rows)

    def lies_in(self, table: str, query: exp.Select) -> None:
        """What a query says lies in a table from here on."""
        self.laid = exp.Select(expressions=_names_of(query)).from_(
            exp.Table(this=identifier(table)), copy=False
        )

    # Nodes ---------------------------------------------------------------------------------------

    def located(
        self, wanted: Iterable[int], nodes: Sequence[Inner | None] | None = None
    ) -> exp.Select:
        """The rows of wanted nodes, with their node; `nodes` stand for those of the tree so far."""
        tree = list(self.nodes if nodes is None else nodes)
        goal = set(wanted)
        depth, leads = _ways(tree, goal)
        query = self.weighed()
        stages = range(0, max([1, *(depth[n] for n in goal)]), _NEST)
        for stage in stages:
            inside = [
                node if stage <= depth[n] < stage + _NEST and leads[n] and n not in goal else None
                for n, node in enumerate(tree)
            ]
            where = self._walk(inside, stage, depth, leads)
            others = [name for name in _names_of(query) if name.name != "node"]
            query = self._fenced(select([*others, called(where, "node")], query))
        return query

    def _walk(
        self, inside: Sequence[Inner | None], stage: int, depth: list[int], leads: list[bool]
    ) -> exp.Expression:
        """Down some levels of the tree: the node that a row comes to; NULL: none that is wanted."""
        assert self.schema is not None
        columns = tuple(
            replace(c, name=f"x{j}", unit="number") for j, c in enumerate(self.schema.columns)
        )
        program = Program(columns, None, tuple(inside), (), (), refuses_missing=False, headline="")

        def say(node: int) -> exp.Expression:
            return integer(node) if leads[node] else exp.Null()

        built = cases(program, replace(self.speech, nan="none"), say, of)
        if stage == 0:
            return built[0]
        roots = [n for n, node in enumerate(inside) if node is not None and depth[n] == stage]
        return exp.Case(
            this=of("node"),
            ifs=[exp.If(this=integer(n), true=built[n]) for n in roots],
            default=of("node"),
        )

    # Tables --------------------------------------------------------------------------------------

    def tallies(self, exact: bool = False) -> dict[str, exp.Expression]:
        """What is added up of rows: weight, sum, squares and samples, as far as there are such.

        Squares are float64s that serve as bounds, or `exact`, as digits.
        """
        recipe = self.recipe
        assert recipe is not None
        weighted = recipe.scaling.exponent is not None
        said = {"weight": total(of("w")) if weighted else all_rows()}
        if recipe.classes is None:
            sums = exp.Mul(this=of("w"), expression=of("t")) if weighted else of("t")
            said["sum"] = total(sums)
            said["squares"] = self._exact(sums, of("t")) if exact else self._rough(sums, weighted)
        if recipe.scaling.count != "weight":
            said["samples"] = total(of("c"))
        return said

    def times(self) -> exp.Expression:
        """How many rows there are, of which copies are several."""
        assert self.recipe is not None
        scaling = self.recipe.scaling
        if not scaling.copies or scaling.exponent is None:
            return all_rows()
        return total(of("w" if scaling.count == "weight" else "c"))

    def squared_weights(self) -> dict[str, exp.Expression]:
        """Weights, and their squares as digits."""
        return {"weight": total(of("w")), "squares": self._exact(of("w"), of("w"))}

    def _exact(self, a: exp.Expression, b: exp.Expression) -> exp.Expression:
        product = exp.Mul(this=typed(a.copy(), self.wide), expression=b)
        return typed(exp.Sum(this=product), "text")

    def _rough(self, sums: exp.Expression, weighted: bool) -> exp.Expression:
        square: exp.Expression = exp.Mul(this=cast(sums.copy()), expression=cast(sums.copy()))
        if weighted:
            square = exp.Div(this=square, expression=cast(of("w")), typed=True)
        return exp.Sum(this=square)

    def grouped(
        self,
        rows: exp.Select,
        beside: Sequence[str],
        keys: Mapping[int, exp.Expression],
        said: Mapping[str, exp.Expression],
        rare: bool = False,
    ) -> Iterable[tuple[list[int], exp.Select]]:
        """Add up rows by each key with what stands beside it: queries, and which keys each has.

        Where keys are `rare`, and of one type, rows that have none are not hashed.

        Their answers have the columns g0, g1, … (keys, by their number), `which` (of whose key a
        row is: the bits of all others are set), those beside, and what is said.
        """
        numbers = list(keys)
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            names = [f"g{j}" for j in some]
            inner = self._fenced(
                select(
                    [*_names_of(rows), *(called(keys[j].copy(), f"g{j}") for j in some)],
                    rows.copy(),
                )
            )
            query = select(
                [
                    *map(of, beside),
                    *map(of, names),
                    called(
                        exp.Anonymous(this="GROUPING", expressions=list(map(of, names))), "which"
                    ),
                    *(called(what.copy(), name) for name, what in said.items()),
                ],
                inner,
            )
            query = query.where(not_null(of("node")), copy=False)
            if rare and self.speech.name == "postgres":  # DuckDB would work all keys out twice
                first, *others = map(of, names)
                query = query.where(
                    not_null(exp.Coalesce(this=first, expressions=others)), copy=False
                )
            sets = [exp.Tuple(expressions=[*map(of, beside), of(name)]) for name in names]
            query.set("group", exp.Group(grouping_sets=[exp.GroupingSets(expressions=sets)]))
            yield some, query


def _names_of(query: exp.Select) -> list[exp.Column]:
    return [of(said.alias_or_name) for said in query.expressions]


def _ways(tree: Sequence[Inner | None], goal: set[int]) -> tuple[list[int], list[bool]]:
    """Of every node its depth, and whether it is wanted or leads to one that is."""
    depth, leads = [0] * len(tree), [n in goal for n in range(len(tree))]
    for n, node in enumerate(tree):
        for child in () if node is None else children(node):
            depth[child] = depth[n] + 1
    for n in range(len(tree) - 1, -1, -1):
        node = tree[n]
        if node is not None and not leads[n]:
            leads[n] = any(leads[child] for child in children(node))
    return depth, leads
