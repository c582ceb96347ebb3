"""A part whose rows stay in a database: it answers by queries that count there.

It is told and asked what any part is (`bosco.scale.part`), and says the same, to the bit.
"""

from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from bosco import _core
from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.fixedpoint import Spread
from bosco.data.frame import conform
from bosco.data.readers import Table, from_series
from bosco.data.recipe import Recipe, Scaling
from bosco.data.schema import Schema
from bosco.data.target import class_codes, real_numbers
from bosco.errors import DataError, KindError, ParameterError
from bosco.export.dialects import cast
from bosco.export.program import Ask, Inner, node_of
from bosco.export.sql_parts import integer
from bosco.scale.asking import layout_of
from bosco.scale.border import Glance
from bosco.scale.connection import Connection
from bosco.scale.edges import Edges
from bosco.scale.part import Follower
from bosco.scale.sql_rows import SqlRows, binned, of, select, total, within
from bosco.scale.sql_types import is_null
from bosco.tree.census import Counted
from bosco.tree.tree import Tree

Floats = NDArray[np.float64]

_EXACT = 2**53
_SAMPLE = 200_000  # rows that quantiles are taken of
_MOST_DIGITS = 61  # binary ones after the point


class SqlPart(Follower):
    """All rows of a table in a database.

    Parameters
    ----------
    connection : Connection
        Which sees one snapshot.
    rows : SqlRows
        The table: its columns, the target, the weight.
    levelled : collection of str
        Columns of numbers whose values are levels, as the user says.
    """

    def __init__(self, connection: Connection, rows: SqlRows, levelled: Collection[str]):
        self.connection, self.rows, self.levelled = connection, rows, levelled
        self.name = f"{connection.name}, table {rows.table!r}"
        super().__init__()

    def _forget(self) -> None:
        super()._forget()
        rows = self.rows
        rows.classes = rows.schema = rows.recipe = None
        rows.dropped, rows.nodes = (), [None]
        self.n_kept = -1

    # Asking --------------------------------------------------------------------------------------

    def ask(self, query: exp.Expression) -> Any:
        """Give the answer to a query, as a table of pyarrow."""
        return self.connection.ask(query.sql(dialect=self.connection.dialect, copy=False))

    def one(self, below: exp.Select | None, **said: exp.Expression) -> dict[str, Any]:
        """Something about all rows with a weight, or of a query."""
        named = [exp.alias_(what, name, quoted=True, copy=False) for name, what in said.items()]
        (found,) = self.ask(select(named, self.rows.kept() if below is None else below)).to_pylist()
        return dict(found)

    def refuse(self, what: str) -> NoReturn:
        """The data cannot be learned from."""
        raise DataError(f"{self.name}: {what}")

    # Requests: before there is a tree --------------------------------------------------------------

    def weighty(self) -> int:
        """How many rows have a weight."""
        self._require_exact()
        if self.rows.weight is None:
            return int(self.one(self.rows.all(integer(1)), n=exp.Count(this=exp.Star()))["n"])
        w, speech = self.rows.weight.number, self.rows.speech
        zero = speech.double(0.0)
        below = self.rows.all(exp.alias_(w, "w", quoted=True))
        found = self.one(
            below,
            n=_count_if(exp.GT(this=of("w"), expression=zero)),
            missing=_count_if(is_null(of("w"))),
            low=exp.Min(this=of("w")),
            high=exp.Max(this=of("w")),
        )
        name = self.rows.weight.name
        for wrong, what in (
            (found["missing"], "contains NaN"),
            (found["high"] == np.inf, "contains infinity"),
            ((found["low"] or 0) < 0, "contains a negative value"),
        ):
            if wrong:
                self.refuse(f"sample_weight, column {name!r}, {what}, which has no meaning.")
        if 0 < (found["high"] or 0) < 1e-280:
            self.refuse("sample_weight is too small to be told from zero. Hint: scale it up.")
        return int(found["n"] or 0)

    def _require_exact(self) -> None:
        """Refuse whole numbers and moments that change when they become float64."""
        rows = self.rows
        cells = [cell for cell in (*rows.cells, rows.y) if cell.whole is not None]
        if not cells:
            return
        said: dict[str, exp.Expression] = {}
        below = rows.all(*(exp.alias_(c.whole, f"x{j}", quoted=True) for j, c in enumerate(cells)))
        for j in range(len(cells)):
            x = of(f"x{j}")
            size = exp.Abs(this=cast(x))
            back = exp.Cast(this=cast(x.copy()), to=exp.DataType.build("bigint"))
            wrong = [
                exp.GTE(this=size, expression=rows.speech.double(2.0**63)),  # has no way back
                exp.NEQ(this=back, expression=x.copy()),
            ]
            ifs = [exp.If(this=what, true=integer(1)) for what in wrong]
            said[f"wrong{j}"] = exp.Count(this=exp.Case(ifs=ifs))
            far = exp.GT(this=size.copy(), expression=rows.speech.double(float(_EXACT)))
            said[f"far{j}"] = _count_if(far)
            said[f"missing{j}"] = _count_if(is_null(x))
        found = self.one(below, **said)
        for j, cell in enumerate(cells):
            holes = cell.kind == "long" and found[f"far{j}"] and found[f"missing{j}"]
            if found[f"wrong{j}"] or holes:
                self.refuse(
                    f"column {cell.name!r} holds whole numbers beyond 2**53 (or moments) that a "
                    f"float64 cannot hold exactly. Hint: CAST it to text if it is a code, to "
                    f"DOUBLE PRECISION if a quantity."
                )

    def labels(self) -> NDArray[Any]:
        """The different labels of rows with a weight."""
        rows = self.rows
        y, keep = rows.y, rows.keep()
        if y.unit != "number":
            raise KindError(
                f"{self.name}, column {y.name!r}: a {y.kind} is no label. Hint: CAST it."
            )
        if y.kind in ("real", "decimal"):
            floor = exp.Floor(this=of("y"))
            odd = self.ask(
                select([of("y")], rows.kept())
                .where(exp.NEQ(this=of("y"), expression=floor), copy=False)
                .limit(1, copy=False)
            )
            class_codes(np.array([*odd.column(0).to_pylist(), 0.0]))  # which refuses it
        used: exp.Expression = exp.Count(this=exp.Star())
        if keep is not None:
            used = _count_if(keep)
        query = rows.all(
            exp.alias_(y.fetched, "y", quoted=True), exp.alias_(used, "n", quoted=True)
        ).group_by(integer(1), copy=False)
        found = self.ask(query)
        kept = np.asarray(found.column("n").fill_null(0).to_numpy()) > 0
        nothing = np.asarray(found.column("y").is_null().to_numpy())
        if (kept & nothing).any():
            self.refuse(f"column {y.name!r}: some labels are missing. Hint: leave such rows out.")
        return class_codes(found.column("y"), kept)[0]

    def _outcome(self, classes: NDArray[Any] | None, dropped: Sequence[int]) -> None:
        """What the classes are; rows without a weight are left out from here on."""
        rows = self.rows
        rows.classes = None if classes is None else classes.tolist()
        rows.dropped = tuple(dropped)
        if classes is None:
            self._require_numbers()
        known = exp.Count(this=exp.Star())
        plain = known.copy()
        if rows.weight is not None:
            plain = _count_if(exp.EQ(this=of("w"), expression=rows.speech.double(1.0)))
        rows.dropped = ()  # whether all weigh 1 is asked of all classes
        found = self.one(None, n=known, plain=plain)
        self.plain = found["n"] == found["plain"]
        rows.dropped = tuple(dropped)
        self.n_kept = self._n()

    def _require_numbers(self) -> None:
        """Refuse a target that is no finite number."""
        y, speech = self.rows.y, self.rows.speech
        if y.unit != "number" or (y.levelled and y.kind != "boolean"):
            raise KindError(
                f"{self.name}, column {y.name!r}: a {y.kind} is no number to be learned by "
                f"regression. Hint: a classifier learns labels."
            )
        found = self.one(
            None,
            missing=_count_if(is_null(of("y"))),
            low=exp.Min(this=of("y")),
            high=exp.Max(this=of("y")),
        )
        if found["missing"]:
            self.refuse(f"column {y.name!r}: some numbers to learn are missing.")
        real_numbers(np.array([found["low"], found["high"]]))  # which refuses infinities
        assert speech

    def _n(self) -> int:
        return int(self.one(None, n=exp.Count(this=exp.Star()))["n"])

    def glance(self) -> Glance:
        """What the columns of rows with a weight are."""
        rows = self.rows
        if rows.schema is None:
            said = {f"n{j}": exp.Count(this=cell.raw) for j, cell in enumerate(rows.cells)}
            (found,) = self.ask(
                rows.all(*(exp.alias_(w, n, quoted=True) for n, w in said.items()))
            ).to_pylist()
            rows.empty = frozenset(j for j in range(len(rows.cells)) if not found[f"n{j}"])
        columns = tuple(self._domain(j) for j in range(len(rows.cells)))
        names = tuple(cell.name for cell in rows.cells)
        return Glance(self.n_kept, Table(names, named=True, n_rows=0, columns=columns))

    def _domain(self, j: int) -> Cells:
        """A column without its rows, but with all its levels."""
        rows, cell = self.rows, self.rows.cells[j]
        if j in rows.empty:
            return Numbers(np.full(1, np.nan))
        if not cell.levelled and cell.name not in self.levelled:
            return Numbers(np.zeros(0), cell.unit)
        query = rows.all(exp.alias_(cell.fetched, "x", quoted=True))
        keep = rows.keep()
        query = (query if keep is None else query.where(keep, copy=False)).distinct(copy=False)
        found = self.ask(query).column(0)
        if found.null_count == len(found) and cell.kind in ("text", "padded"):
            return Coded(np.zeros(0, np.uint8), ())
        return from_series(nw.from_native(found, series_only=True), cell.name)

    def kept(self) -> tuple[int, bool]:
        """How many rows have a weight, and whether all of those weigh 1."""
        return self.n_kept, self.plain

    def spread(self, factor: Floats | None) -> Spread:
        """The spread of the weights, whose size is asked apart."""
        return self._spread(self.rows.weights(factor), None)

    def size(self, factor: Floats | None, exponent: int) -> int:
        """The size of the weights."""
        return self._size(self.rows.weights(factor), None, exponent)

    def _spread(self, x: exp.Expression, weight: exp.Expression | None) -> Spread:
        rows = self.rows
        said = [exp.alias_(x, "x", quoted=True)]
        said += [] if weight is None else [exp.alias_(weight, "w", quoted=True)]
        found = self.one(
            select(said, rows.kept()),
            n=exp.Count(this=exp.Star()),
            low=exp.Min(this=of("x")),
            high=exp.Max(this=of("x")),
            digits=exp.Max(this=self._digits(of("x"))),
            total=exp.Count(this=exp.Star()) if weight is None else total(of("w")),
        )
        digits = int(found["digits"])
        exact = None if digits > _MOST_DIGITS else digits
        return Spread(found["n"], found["low"], found["high"], exact, found["total"], int)

    def _digits(self, x: exp.Expression) -> exp.Expression:
        """How many binary digits a number has after the point; one more than are asked for."""
        speech = self.rows.speech
        large = exp.GTE(this=exp.Abs(this=x), expression=speech.double(float(_EXACT)))
        ifs = [exp.If(this=large, true=integer(0))]
        for digits in range(_MOST_DIGITS + 1):
            scaled = exp.Mul(this=x.copy(), expression=speech.double(2.0**digits))
            whole = exp.EQ(this=scaled, expression=exp.Floor(this=scaled.copy()))
            ifs.append(exp.If(this=whole, true=integer(digits)))
        return exp.Case(ifs=ifs, default=integer(_MOST_DIGITS + 1))

    def _size(self, x: exp.Expression, weight: exp.Expression | None, exponent: int) -> int:
        size: exp.Expression = exp.Abs(this=self.rows.whole(x, exponent))
        if weight is not None:
            wide = exp.Cast(this=size, to=exp.DataType.build(self.rows.wide))
            size = exp.Mul(this=wide, expression=weight)
        text = exp.Cast(this=exp.Sum(this=size), to=exp.DataType.build("text"))
        return int(self.one(None, size=text)["size"])

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        rows = self.rows
        one = rows.at_least_one(rows.whole(rows.own_weight(), exponent))
        query = select([of("y"), exp.alias_(total(one), "n", quoted=True)], rows.kept()).group_by(
            of("y"), copy=False
        )
        found = self.ask(query)
        totals = np.zeros(n_classes, np.int64)
        totals[found.column("y").to_numpy()] = found.column("n").to_numpy()
        return totals

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""
        found = self.one(None, low=exp.Min(this=of("y")), high=exp.Max(this=of("y")))
        return found["low"], found["high"]

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers to learn."""
        return self._spread(self.rows.offset(center), self.rows.scaled_weight(scaling))

    def offsets_size(self, center: float, scaling: Scaling, exponent: int) -> int:
        """The size of the numbers to learn."""
        return self._size(self.rows.offset(center), self.rows.scaled_weight(scaling), exponent)

    def _columns(self, schema: Schema, refuse_missing: bool, owner: str) -> None:
        """What the columns are."""
        self.rows.schema = schema
        names = [f"x{j}" for j in range(len(schema.columns))]
        found = self.one(None, **{name: _count_if(is_null(of(name))) for name in names})
        self.lacking = [bool(found[name]) for name in names]
        if refuse_missing and any(self.lacking):
            lost = schema.names[self.lacking.index(True)]
            self.refuse(
                f"Input X contains NaN: column {lost!r} has missing values, and missing='error' "
                f"allows none. Hint: another `missing`, such as 'learn', for {owner}."
            )

    def _target(self, recipe: Recipe) -> None:
        """How the target is encoded."""
        self.rows.recipe = recipe
        self.n_classes = 0 if recipe.classes is None else len(recipe.classes)

    def sums(self) -> tuple[int, int, list[bool], NDArray[np.int64]]:
        """Samples, weight in fixed point, which columns miss a value, and rows by class."""
        rows, scaling = self.rows, self.rows.recipe.scaling  # type: ignore[union-attr]
        said = self._times() | {
            name: what for name, what in rows.tallies().items() if name in ("weight", "samples")
        }
        found = self._by_class(rows.weighed(), said)
        weight = int(found["weight"].sum())
        samples = weight if scaling.count == "weight" else int(found["samples"].sum())
        return samples, weight, self.lacking, found["rows"]

    def _times(self) -> dict[str, exp.Expression]:
        """Rows, which copies are."""
        scaling = self.rows.recipe.scaling  # type: ignore[union-attr]
        if not scaling.copies or scaling.exponent is None:
            return {"rows": exp.Count(this=exp.Star())}
        return {"rows": total(of("w" if scaling.count == "weight" else "c"))}

    def _by_class(
        self, below: exp.Select, said: dict[str, exp.Expression]
    ) -> dict[str, NDArray[np.int64]]:
        """Sums of every class, or of all rows."""
        keys = [of("y")] if self.n_classes else []
        query = select([*keys, *_named(said)], below)
        found = self.ask(query.group_by(*keys, copy=False) if keys else query)
        at = found.column("y").to_numpy() if keys else np.zeros(1, np.int64)
        made = {name: np.zeros(max(1, self.n_classes), np.int64) for name in said}
        for name, sums in made.items():
            sums[at] = found.column(name).to_numpy()
        return made

    def sample(self, _: int) -> list[Floats]:
        """Quantiles of each column of numbers; none of others."""
        rows, schema = self.rows, self.rows.schema
        below = rows.kept()
        if self.n_kept > _SAMPLE:
            share = rows.speech.double(_SAMPLE / self.n_kept)
            below = select([exp.Star()], below).where(
                exp.LT(this=exp.Rand(), expression=share), copy=False
            )
        numeric = [j for j, c in enumerate(schema.columns) if c.levels is None]  # type: ignore[union-attr]
        made = [np.zeros(0)] * len(rows.cells)
        if numeric:
            found = self.one(below, **{f"q{j}": self._quantiles(of(f"x{j}")) for j in numeric})
            for j in numeric:
                made[j] = np.array(found[f"q{j}"] or [], np.float64) + 0.0
        return made

    def _quantiles(self, x: exp.Expression) -> exp.Expression:
        shares = exp.Array(expressions=[self.rows.speech.double(k / 255) for k in range(256)])
        if self.rows.speech.name == "duckdb":
            return exp.Anonymous(this="QUANTILE_DISC", expressions=[x, shares])
        order = exp.Order(expressions=[exp.Ordered(this=x)])
        return exp.WithinGroup(this=exp.PercentileDisc(this=shares), expression=order)

    def distinct(self, columns: Sequence[int], most: int) -> list[Floats | None]:
        """The different values of columns of numbers, None where there are more."""
        found: list[Floats | None] = []
        for j in columns:
            if self.rows.schema.columns[j].levels is not None:  # type: ignore[union-attr]
                found.append(np.zeros(0))
                continue
            x = of(f"x{j}")
            query = select([x], self.rows.kept()).where(exp.Not(this=is_null(x.copy())), copy=False)
            query = query.distinct(copy=False).limit(most + 1, copy=False)
            values = np.unique(self.ask(query).column(0).to_numpy() + 0.0)
            found.append(values if len(values) <= most else None)
        return found

    def levels(self, column: int) -> NDArray[np.int64]:
        """How many rows each level of a column has, from code 0 on."""
        x, count = of(f"x{column}"), exp.Count(this=exp.Star())
        query = select([x, *_named({"n": count})], self.rows.kept()).group_by(x.copy(), copy=False)
        found = self.ask(query)
        codes = self._codes(column, found.column(0))
        n = len(self.rows.schema.columns[column].levels)  # type: ignore[union-attr, arg-type]
        counts = np.zeros(n + 1, np.int64)
        np.add.at(counts, codes, found.column("n").to_numpy())
        return counts

    def _codes(self, j: int, values: Any) -> NDArray[Any]:
        """Codes of values of a column of levels."""
        column = self.rows.schema.columns[j]  # type: ignore[union-attr]
        cells = from_series(nw.from_native(values, series_only=True), column.name)
        table = Table((column.name,), named=True, n_rows=len(values), columns=(cells,))
        made: Any = conform(table, Schema((column,), True)).column(0)
        return np.asarray(made.codes)

    def fingerprint(self) -> None:
        """Nothing is remembered of rows that stay where they are."""

    # A tree ----------------------------------------------------------------------------------------

    def _edges(self, edges: Edges) -> None:
        """The values between which codes change."""
        schema = self.rows.schema
        assert schema is not None
        layout = layout_of(schema, edges)
        self.values = [values for values, _ in edges]
        self.coarse = [layout.is_coarse(j) for j in range(layout.n_columns)]
        self.n_codes = [layout.n_codes(j) for j in range(layout.n_columns)]
        self.begin = np.concatenate([[0], np.cumsum([n + 1 for n in self.n_codes])])
        self.keys: dict[int, exp.Expression] = {}
        for j, coarse in enumerate(self.coarse):
            self.keys[j] = of(f"x{j}")
            if coarse:  # written once: it is long
                made = binned(lambda j=j: of(f"x{j}"), self.values[j].tolist(), self.rows.speech)  # type: ignore[misc]
                self.keys[j] = exp.Var(this=made.sql(dialect=self.connection.dialect))

    def _tree(self, unit: int) -> None:
        """A tree begins: its root has all rows."""
        if unit != 1:
            raise ParameterError(
                "missing='fractional' sends rows with a missing value down all branches in shares, "
                "each row its own, which a database does not add up. Hint: missing='learn', "
                "'branch', 'majority' or 'surrogate'; or bosco.scan, which reads the rows."
            )
        self.rows.nodes = [None]

    def _split(self, splits: list[tuple[int, Any, list[Any], int, list[int]]]) -> None:
        """Nodes got tests: (node, test, surrogates, first branch, known weights of branches)."""
        nodes = self.rows.nodes
        for node, test, surrogates, first, _ in splits:
            nodes.extend([None] * (first + test.branches - len(nodes)))
            asks = tuple(self._asked(one, first) for one in (test, *surrogates))
            nodes[node] = Inner(asks, first + test.missing, ())

    def _asked(self, test: Any, first: int) -> Ask:
        """A native test as a question whose answers are nodes from `first` on."""
        levels = self.rows.schema.columns[test.column].levels  # type: ignore[union-attr]
        if len(test.jumps):
            return Ask(test.column, None, tuple(first + jump for jump in test.jumps[1:]))
        to = [first + branch for branch in range(len(test.thresholds) + 1)]
        if test.flip:
            to.reverse()
        if levels is None:
            return Ask(test.column, tuple(test.thresholds), tuple(to))
        places = np.searchsorted(test.thresholds, np.arange(len(levels)))
        return Ask(test.column, None, tuple(to[place] for place in places.tolist()))

    @property
    def slots(self) -> int:
        """Of a tally."""
        apart = self.rows.recipe.scaling.count != "weight"  # type: ignore[union-attr]
        return (self.n_classes or 2) + apart

    def count(
        self, nodes: list[int], held: list[int]
    ) -> tuple[NDArray[np.int64], Floats, list[tuple[NDArray[np.int64], int]]]:
        """The histograms of some nodes, and what others hold."""
        if self._n() != self.n_kept:
            self._changed()
        place = {node: k for k, node in enumerate(nodes)}
        size = int(self.begin[-1])
        cells = np.zeros((len(nodes) * size, self.slots), np.int64)
        squares = np.zeros(0 if self.n_classes else len(nodes) * size)
        if nodes:
            said = self.rows.tallies()
            for j, found in self._grouped(self.rows.located(nodes), self.keys, said):
                at = np.array([place[node] for node in found.column("node").to_pylist()], np.int64)
                at = at * size + int(self.begin[j]) + self._codes_of(j, found.column(f"g{j}"))
                self._add(cells, at, found)
                if not self.n_classes:
                    np.add.at(squares, at, found.column("squares").to_numpy())
        return cells, squares, self._held(held)

    def _changed(self) -> NoReturn:
        self.refuse(
            "the rows changed while the tree grew, though the database promised a snapshot. "
            "Hint: a view of a volatile function, or a foreign table? Copy it into a table first."
        )

    def _codes_of(self, j: int, keys: Any) -> NDArray[np.int64]:
        """Codes of the keys that a column was counted by."""
        if self.coarse[j]:
            return np.asarray(keys.to_numpy(), np.int64)
        if self.rows.schema.columns[j].levels is not None:  # type: ignore[union-attr]
            return self._codes(j, keys).astype(np.int64)
        x = np.asarray(keys.cast("float64").to_numpy(), np.float64)
        codes = np.searchsorted(self.values[j], x) + 1
        known = codes <= len(self.values[j])
        known[known] = self.values[j][codes[known] - 1] == x[known]
        if not (known | np.isnan(x)).all():
            self._changed()
        return np.where(np.isnan(x), 0, codes)

    def _add(self, cells: NDArray[np.int64], at: NDArray[np.int64], found: Any) -> None:
        """Add up what groups hold into cells."""
        weight = found.column("weight").to_numpy()
        if self.n_classes:
            np.add.at(cells, (at, found.column("y").to_numpy()), weight)
        else:
            np.add.at(cells[:, 0], at, weight)
            np.add.at(cells[:, 1], at, found.column("sum").to_numpy())
        if "samples" in found.column_names:
            np.add.at(cells[:, -1], at, found.column("samples").to_numpy())

    def _grouped(self, below: exp.Select, keys: dict[int, Any], said: dict[str, Any]) -> Any:
        """For every key its groups."""
        beside = ["node", "y"] if self.n_classes else ["node"]
        for some, query in self.rows.grouped(below, beside, keys, said):
            found = self.ask(query)
            which = found.column("which").to_numpy()
            for k, j in enumerate(some):
                own = (1 << len(some)) - 1 - (1 << (len(some) - 1 - k))
                yield j, found.filter(which == own)

    def _held(self, nodes: list[int]) -> list[tuple[NDArray[np.int64], int]]:
        if not nodes:
            return []
        said, keys = self.rows.tallies(exact=True), [of("node")]
        keys += [of("y")] if self.n_classes else []
        query = select([*keys, *_named(said)], self.rows.located(nodes))
        query = query.where(exp.Not(this=is_null(of("node"))), copy=False)
        found = self.ask(query.group_by(*(key.copy() for key in keys), copy=False))
        at = found.column("node").to_numpy()
        cells = np.zeros((len(nodes), self.slots), np.int64)
        place = {node: k for k, node in enumerate(nodes)}
        self._add(cells, np.array([place[node] for node in at.tolist()], np.int64), found)
        squares = [0] * len(nodes)
        if not self.n_classes:
            for node, digits in zip(at.tolist(), found.column("squares").to_pylist(), strict=True):
                squares[place[node]] = int(digits)
        return list(zip(cells, squares, strict=True))

    def look(
        self, fine: list[tuple[int, int, list[int]]], near: list[tuple[int, int, int, int]]
    ) -> tuple[list[Any], list[tuple[float, float]]]:
        """The values of marked bins with their tallies, and the values next to edges."""
        return self._fine(fine), self._near(near)

    def _bin(self, j: int, first: int, last: int) -> exp.Expression:
        """Whether a row's value has a code from `first` to `last`."""
        ends = [-np.inf, *self.values[j].tolist(), np.inf]
        return within(of(f"x{j}"), ends[first - 1], ends[last], self.rows.speech)

    def _fine(self, asked: list[tuple[int, int, list[int]]]) -> list[Any]:
        by_column: dict[int, dict[int, exp.Expression]] = {}
        for node, j, codes in asked:
            if not codes:
                continue
            runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
            ifs = [exp.If(this=self._bin(j, int(r[0]), int(r[-1])), true=of(f"x{j}")) for r in runs]
            by_column.setdefault(j, {})[node] = exp.Case(ifs=ifs)
        keys = {j: _by_node(by) for j, by in by_column.items()}
        none = (np.zeros(0), np.zeros(0, np.uint8), np.zeros((0, self.slots), np.int64))
        made: dict[tuple[int, int], Any] = {}
        if keys:
            below = self.rows.located({node for node, _, codes in asked if codes})
            for j, found in self._grouped(below, keys, self.rows.tallies()):
                found = found.filter(found.column(f"g{j}").is_valid())
                node = found.column("node").to_numpy()
                for own in by_column[j]:
                    made[own, j] = self._fine_table(found.filter(node == own), j)
        return [made.get((node, j), none) for node, j, _ in asked]

    def _fine_table(self, found: Any, j: int) -> tuple[Floats, NDArray[np.uint8], Any]:
        values, place = np.unique(found.column(f"g{j}").to_numpy() + 0.0, return_inverse=True)
        cells = np.zeros((len(values), self.slots), np.int64)
        self._add(cells, place, found)
        return values, (np.searchsorted(self.values[j], values) + 1).astype(np.uint8), cells

    def _near(self, asked: list[tuple[int, int, int, int]]) -> list[tuple[float, float]]:
        by_column: dict[int, dict[int, exp.Expression]] = {}
        for node, j, low, high in asked:
            sides = [
                exp.If(this=self._bin(j, code, code), true=integer(side))
                for side, code in enumerate((low, high))
            ]
            by_column.setdefault(j, {})[node] = exp.Case(ifs=sides)
        keys = {j: _by_node(by) for j, by in by_column.items()}
        ends: dict[tuple[int, int, int], float] = {}
        if asked:
            below = self.rows.located({node for node, *_ in asked})
            said = {f"max{j}": exp.Max(this=of(f"x{j}")) for j in keys}
            said |= {f"min{j}": exp.Min(this=of(f"x{j}")) for j in keys}
            for j, found in self._grouped(below, keys, said):
                for side, word in enumerate(("max", "min")):
                    best = max if side == 0 else min
                    own = found.filter(found.column(f"g{j}").is_valid()).to_pylist()
                    for one in own:
                        if one[f"g{j}"] == side:
                            at = (one["node"], j, side)
                            value = one[f"{word}{j}"] + 0.0
                            ends[at] = best(ends.get(at, value), value)
        none = (-np.inf, np.inf)
        return [
            (ends.get((node, j, 0), none[0]), ends.get((node, j, 1), none[1]))
            for node, j, _, _ in asked
        ]

    def branches_by(self, asked: list[tuple[int, Any]]) -> list[list[Any]]:
        """For tests of nodes, the tables of all other columns against their branches."""
        nodes: list[Inner | None] = list(self.rows.nodes)
        goal: dict[int, tuple[int, int]] = {}
        for k, (node, test) in enumerate(asked):
            first = len(nodes)  # the two branches, and whoever has no value
            nodes[node] = Inner((self._asked(test, first),), first + 2, ())
            goal |= {first: (k, 0), first + 1: (k, 1)}
            nodes.extend([None] * 3)
        found: list[list[Any]] = [[None] * len(self.keys) for _ in asked]
        below = self.rows.located(goal, nodes)
        keys = {j: of(f"x{j}") for j in self.keys}
        weight = {"weight": self.rows.tallies()["weight"]}
        for j, table in self._grouped(below, keys, weight):
            table = table.filter(table.column(f"g{j}").is_valid())
            branch = np.array([goal[n] for n in table.column("node").to_pylist()], np.int64)
            branch = branch.reshape(-1, 2)
            levels = self.rows.schema.columns[j].levels  # type: ignore[union-attr]
            values: NDArray[Any]
            if levels is None:
                values = table.column(f"g{j}").to_numpy() + 0.0
            else:
                values = self._codes(j, table.column(f"g{j}"))
            for k, (_, test) in enumerate(asked):
                if j != test.column:
                    own = branch[:, 0] == k
                    found[k][j] = self._against(
                        values[own], branch[own, 1], table.column("weight").to_numpy()[own], levels
                    )
        return found

    def _against(self, values: Any, branch: Any, weight: Any, levels: Any) -> tuple[Any, ...]:
        different, place = np.unique(values, return_inverse=True)
        cells = np.zeros((len(different), 2), np.int64)
        np.add.at(cells, (place, branch), weight)
        if levels is None:
            return np.zeros(len(different), np.uint32), cells, different, 0
        known = different > 0
        codes = different[known].astype(np.uint32)
        return codes, cells[known], codes.astype(np.float64) - 1, len(levels)

    def census(self, state: dict[str, Any], shared: bool) -> Counted:
        """The rows of every node of a tree."""
        schema, scaling = self.rows.schema, self.rows.recipe.scaling  # type: ignore[union-attr]
        assert schema is not None
        tree = Tree(_core.tree_from_state(state), len(schema.columns))
        nodes = [node_of(tree, schema, number) for number in range(tree.node_count)]
        leaves = [number for number, node in enumerate(nodes) if node is None]
        said = self._times()
        if scaling.own:
            squares = self.rows._exact(of("w"))
            squares.find(exp.Mul).set("expression", of("w"))  # type: ignore[union-attr]
            said |= {"weight": total(of("w")), "squares": squares}
        keys = [of("node"), *([of("y")] if self.n_classes else [])]
        query = select([*keys, *_named(said)], self.rows.located(leaves, nodes))
        found = self.ask(query.group_by(*(key.copy() for key in keys), copy=False)).to_pylist()
        rows = np.zeros((tree.node_count, max(1, self.n_classes)), np.int64)
        weight = np.zeros(tree.node_count, np.int64)
        wide = [0] * tree.node_count
        parent = tree.native.parent.tolist()
        for one in found:
            node = one["node"]
            while node >= 0:
                rows[node, one.get("y", 0)] += one["rows"]
                if scaling.own:
                    weight[node] += one["weight"]
                    wide[node] += int(one["squares"])
                node = parent[node]
        halves = np.array([[s & (2**64 - 1), s >> 64] for s in wide], np.uint64)
        return Counted(rows, weight, halves if scaling.own else halves[:0])


def _named(said: dict[str, exp.Expression]) -> list[exp.Expression]:
    return [exp.alias_(what, name, quoted=True) for name, what in said.items()]


def _count_if(condition: exp.Expression) -> exp.Expression:
    return exp.Count(this=exp.Case(ifs=[exp.If(this=condition, true=integer(1))]))


def _by_node(said: dict[int, exp.Expression]) -> exp.Expression:
    ifs = [exp.If(this=integer(node), true=what) for node, what in said.items()]
    return exp.Case(this=of("node"), ifs=ifs)
