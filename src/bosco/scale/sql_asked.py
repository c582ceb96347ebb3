"""What rows in a database say before there is a tree: columns, classes, scales, edges."""

import uuid
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.fixedpoint import Spread
from bosco.data.frame import conform
from bosco.data.readers import Table, from_series
from bosco.data.recipe import Recipe, Scaling
from bosco.data.schema import Column, Schema
from bosco.data.target import class_codes, real_numbers
from bosco.errors import DataError, KindError
from bosco.export.dialects import cast
from bosco.export.sql_parts import integer
from bosco.scale.connection import Connection
from bosco.scale.edges import SAMPLE
from bosco.scale.introduction import Introduction
from bosco.scale.part import Follower
from bosco.scale.sql_rows import SqlRows
from bosco.scale.sql_words import (
    EXACT,
    MOST_DIGITS,
    all_rows,
    called,
    count_if,
    digits,
    is_null,
    named,
    not_null,
    of,
    quantiles,
    select,
    total,
    typed,
)

Floats = NDArray[np.float64]


class SqlAsked(Follower):
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
        rows.classes = rows.schema = rows.recipe = rows.laid = None
        rows.dropped, rows.nodes = (), [None]

    # Asking --------------------------------------------------------------------------------------

    def ask(self, query: exp.Select) -> Any:
        """Give the answer to a query, as a table of pyarrow."""
        return self.connection.ask(query.sql(dialect=self.connection.dialect, copy=False))

    def one(self, below: exp.Select | None = None, **said: exp.Expression) -> dict[str, Any]:
        """Something about all rows with a weight, or about those of a query."""
        below = self.rows.kept() if below is None else below
        (found,) = self.ask(select(named(said), below)).to_pylist()
        return dict(found)

    def refuse(self, what: str) -> NoReturn:
        """The data cannot be learned from."""
        raise DataError(f"{self.name}: {what}")

    def column(self, j: int) -> Column:
        """What a column is."""
        assert self.rows.schema is not None
        return self.rows.schema.columns[j]

    @property
    def scaling(self) -> Scaling:
        """How weights become integers."""
        assert self.rows.recipe is not None
        return self.rows.recipe.scaling

    # Steps ---------------------------------------------------------------------------------------

    def _outcome(self, classes: NDArray[Any] | None, dropped: Sequence[int]) -> None:
        """What the classes are; rows without a weight are left out from here on."""
        rows = self.rows
        rows.classes = None if classes is None else classes.tolist()
        rows.dropped = ()
        if classes is None:
            self._require_numbers()
        one = all_rows()
        if rows.weight is not None:
            one = count_if(exp.EQ(this=of("w"), expression=rows.speech.double(1.0)))
        found = self.one(n=all_rows(), one=one)
        self.n_kept, self._plain = found["n"], found["n"] == found["one"]
        if dropped:
            rows.dropped = tuple(dropped)
            self.n_kept = self.n_now()

    def n_now(self) -> int:
        """Rows with a weight, counted again."""
        rows = self.rows.kept() if self.rows.laid is None else self.rows.weighed()
        return int(self.one(rows, n=all_rows())["n"])

    def _require_numbers(self) -> None:
        """Refuse a target that is no finite number."""
        y = self.rows.y
        if y.unit != "number" or (y.levelled and y.kind != "boolean"):
            raise KindError(
                f"{self.name}, column {y.name!r}: a {y.kind} is no number to be learned by "
                f"regression. Hint: a classifier learns labels."
            )
        if self.one(n=count_if(is_null(of("y"))))["n"]:
            self.refuse(f"column {y.name!r}: some numbers to learn are missing.")
        real_numbers(np.array(self.ends()))  # which refuses infinities

    def _columns(self, schema: Schema, refuse_missing: bool, owner: str) -> None:
        """What the columns are."""
        self.rows.schema = schema
        names = [f"x{j}" for j in range(len(schema.columns))]
        found = self.one(None, **{name: count_if(is_null(of(name))) for name in names})
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

    def _lay_out(self, codes: dict[int, exp.Expression]) -> bool:
        """Let the database work out values, integers and codes once, if it may."""
        query, name = self.rows.coded(codes), f"bosco_{uuid.uuid4().hex}"
        if not self.connection.lay_out(name, query.sql(dialect=self.connection.dialect)):
            return False
        self.rows.lies_in(name, query)
        return True

    # Requests: rows, labels, columns -------------------------------------------------------------

    def introduction(self, classes: bool, *_: Any) -> Introduction:
        """Say what comes first; the rest is asked for when it is needed, by a query each."""
        if self.rows.classes is not None:
            return Introduction(self.n_kept)
        rows = self._weighty()
        return Introduction(rows, self.labels() if classes and rows else None)

    def _weighty(self) -> int:
        """How many rows have a weight."""
        self._require_exact()
        weight = self.rows.weight
        if weight is None:
            return int(self.one(self.rows.all(integer(1)), n=all_rows())["n"])
        found = self.one(
            self.rows.all(called(weight.number, "w")),
            n=count_if(exp.GT(this=of("w"), expression=self.rows.speech.double(0.0))),
            missing=count_if(is_null(of("w"))),
            low=exp.Min(this=of("w")),
            high=exp.Max(this=of("w")),
        )
        low, high = found["low"] or 0.0, found["high"] or 0.0
        for wrong, what in (
            (found["missing"], "contains NaN"),
            (high == np.inf, "contains infinity"),
            (low < 0, "contains a negative value"),
        ):
            if wrong:
                self.refuse(f"sample_weight, column {weight.name!r}, {what}, which has no meaning.")
        if 0 < high < 1e-280:
            self.refuse("sample_weight is too small to be told from zero. Hint: scale it up.")
        return int(found["n"])

    def _require_exact(self) -> None:
        """Refuse whole numbers and moments that change when they become float64."""
        rows, said = self.rows, {}
        wholes = [(cell, cell.whole) for cell in (*rows.cells, rows.y)]
        cells = [(cell, whole) for cell, whole in wholes if whole is not None]
        if not cells:
            return
        for j in range(len(cells)):
            x, double = of(f"x{j}"), rows.speech.double
            size = exp.Abs(this=cast(x))
            back = typed(cast(x.copy()), "bigint")
            far = exp.GTE(this=size, expression=double(2.0**63))  # which has no way back
            said[f"wrong{j}"] = count_if(far, exp.NEQ(this=back, expression=x.copy()))
            said[f"far{j}"] = count_if(exp.GT(this=size.copy(), expression=double(EXACT)))
            said[f"missing{j}"] = count_if(is_null(x.copy()))
        below = rows.all(*(called(whole, f"x{j}") for j, (_, whole) in enumerate(cells)))
        found = self.one(below, **said)
        for j, (cell, _) in enumerate(cells):
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
            raise KindError(f"{self.name}, column {y.name!r}: a {y.kind} is no label.")
        if y.kind in ("real", "decimal"):
            odd = exp.NEQ(this=of("y"), expression=exp.Floor(this=of("y")))
            query = select([of("y")], rows.kept()).where(odd, copy=False).limit(1, copy=False)
            class_codes(np.array([*self.ask(query).column(0).to_pylist(), 0.0]))  # refuses it
        used = all_rows() if keep is None else count_if(keep)
        query = rows.all(called(y.fetched, "y"), called(used, "n"))
        found = self.ask(query.group_by(integer(1), copy=False))
        kept = np.asarray(found.column("n").to_numpy()) > 0
        if (kept & np.asarray(found.column("y").is_null().to_numpy())).any():
            self.refuse(f"column {y.name!r}: some labels are missing. Hint: leave such rows out.")
        return class_codes(found.column("y"), kept)[0]

    def glance(self, categorical: Any, domains: Any) -> Table:  # noqa: ARG002  see `levelled`
        """What the columns of rows with a weight are."""
        cells = self.rows.cells
        counts = {f"n{j}": exp.Count(this=cell.raw) for j, cell in enumerate(cells)}
        (found,) = self.ask(self.rows.all(*named(counts))).to_pylist()
        self.rows.empty = frozenset(j for j in range(len(cells)) if not found[f"n{j}"])
        columns = tuple(self._domain(j) for j in range(len(cells)))
        names = tuple(cell.name for cell in cells)
        return Table(names, named=True, n_rows=0, columns=columns)

    def _domain(self, j: int) -> Cells:
        """A column without its rows, but with all its levels."""
        rows, cell = self.rows, self.rows.cells[j]
        if j in rows.empty:
            return Numbers(np.full(1, np.nan))
        if not cell.levelled and cell.name not in self.levelled:
            return Numbers(np.zeros(0), cell.unit)
        query, keep = rows.all(called(cell.fetched, "x")), rows.keep()
        query = query if keep is None else query.where(keep, copy=False)
        found = self.ask(query.distinct(copy=False)).column(0)
        if found.null_count == len(found) and cell.kind in ("text", "padded"):
            return Coded(np.zeros(0, np.uint8), ())
        return from_series(nw.from_native(found, series_only=True), cell.name)

    def plain(self) -> bool:
        """Whether all rows with a weight weigh 1."""
        return bool(self._plain)

    # Requests: scales ----------------------------------------------------------------------------

    def spread(self, factor: Floats | None) -> Spread:
        """The spread of the weights, whose size is asked apart."""
        return self._spread(self.rows.weights(factor), None)

    def size(self, factor: Floats | None, exponent: int) -> int:
        """The size of the weights."""
        return self._size(self.rows.weights(factor), None, exponent)

    def offsets(self, center: float, scaling: Scaling) -> Spread:
        """The spread of the numbers to learn."""
        return self._spread(self.rows.offset(center), self.rows.scaled_weight(scaling))

    def offsets_size(self, center: float, scaling: Scaling, exponent: int) -> int:
        """The size of the numbers to learn."""
        return self._size(self.rows.offset(center), self.rows.scaled_weight(scaling), exponent)

    def _spread(self, x: exp.Expression, weight: exp.Expression | None) -> Spread:
        said = [called(x, "x"), *([] if weight is None else [called(weight, "w")])]
        found = self.one(
            select(said, self.rows.kept()),
            n=all_rows(),
            low=exp.Min(this=of("x")),
            high=exp.Max(this=of("x")),
            digits=exp.Max(this=digits(of("x"), self.rows.speech)),
            total=all_rows() if weight is None else total(of("w")),
        )
        exact = found["digits"] if found["digits"] <= MOST_DIGITS else None
        return Spread(found["n"], found["low"], found["high"], exact, found["total"], int)

    def _size(self, x: exp.Expression, weight: exp.Expression | None, exponent: int) -> int:
        size: exp.Expression = exp.Abs(this=self.rows.whole(x, exponent))
        if weight is not None:
            size = exp.Mul(this=typed(size, self.rows.wide), expression=weight)
        return int(self.one(size=typed(exp.Sum(this=size), "text"))["size"])

    def totals(self, exponent: int, n_classes: int) -> NDArray[np.int64]:
        """The weights of the classes, in fixed point."""
        rows = self.rows
        one = rows.at_least_one(rows.whole(rows.own_weight(), exponent))
        query = select([of("y"), called(total(one), "n")], rows.kept())
        found = self.ask(query.group_by(of("y"), copy=False))
        totals = np.zeros(n_classes, np.int64)
        totals[found.column("y").to_numpy()] = found.column("n").to_numpy()
        return totals

    def ends(self) -> tuple[float, float]:
        """The least and the largest number to learn."""
        found = self.one(low=exp.Min(this=of("y")), high=exp.Max(this=of("y")))
        return found["low"], found["high"]

    def sums(self) -> tuple[int, int, list[bool], NDArray[np.int64]]:
        """Samples, weight in fixed point, which columns miss a value, and rows by class."""
        tallies = self.rows.tallies()
        said = {"rows": self.rows.times(), "weight": tallies["weight"]}
        said["samples"] = tallies.get("samples", tallies["weight"]).copy()
        keys = [of("y")] if self.n_classes else []
        query = select([*keys, *named(said)], self.rows.weighed())
        found = self.ask(query.group_by(*keys, copy=False) if keys else query)
        rows = np.zeros(max(1, self.n_classes), np.int64)
        rows[found.column("y").to_numpy() if keys else slice(None)] = found.column(
            "rows"
        ).to_numpy()
        weight, samples = (sum(found.column(name).to_pylist()) for name in ("weight", "samples"))
        return samples, weight, self.lacking, rows

    # Requests: values ----------------------------------------------------------------------------

    def sample(self, _: int) -> dict[str, Floats]:
        """Quantiles of each column of numbers, by its name."""
        rows, below = self.rows, self.rows.kept()
        if self.n_kept > SAMPLE:
            share = rows.speech.double(SAMPLE / self.n_kept)
            drawn = exp.LT(this=exp.Rand(), expression=share)
            below = select([exp.Star()], below).where(drawn, copy=False)
        numeric = [j for j in range(len(rows.cells)) if self.column(j).levels is None]
        if not numeric:
            return {}
        found = self.one(below, **{f"q{j}": quantiles(of(f"x{j}"), rows.speech) for j in numeric})
        return {
            self.column(j).name: np.array(found[f"q{j}"] or [], np.float64) + 0.0 for j in numeric
        }

    def distinct(self, columns: Sequence[int], most: int) -> list[Floats | None]:
        """The different values of columns of numbers, None where there are more."""
        found: list[Floats | None] = []
        for j in columns:
            values = np.zeros(0)
            if self.column(j).levels is None:
                x = of(f"x{j}")
                query = select([x], self.rows.kept()).where(not_null(x.copy()), copy=False)
                query = query.distinct(copy=False).limit(most + 1, copy=False)
                values = np.unique(self.ask(query).column(0).to_numpy() + 0.0)
            found.append(values if len(values) <= most else None)
        return found

    def levels(self, column: int) -> NDArray[np.int64]:
        """How many rows each level of a column has, from code 0 on."""
        x = of(f"x{column}")
        query = select([x, called(all_rows(), "n")], self.rows.kept())
        found = self.ask(query.group_by(x.copy(), copy=False))
        counts = np.zeros(len(self.column(column).levels or ()) + 1, np.int64)
        np.add.at(counts, self.codes(column, found.column(0)), found.column("n").to_numpy())
        return counts

    def codes(self, j: int, values: Any) -> NDArray[np.int64]:
        """Codes of values of a column of levels."""
        column = self.column(j)
        cells = from_series(nw.from_native(values, series_only=True), column.name)
        table = Table((column.name,), named=True, n_rows=len(values), columns=(cells,))
        made: Any = conform(table, Schema((column,), True)).column(0)
        return np.asarray(made.codes, np.int64)

    def fingerprint(self) -> None:
        """Nothing is remembered of rows that stay where they are."""
