"""A tree of any size or depth as SQL: its branches are a table, and rows walk it by joins.

Every column becomes a number (a level its position, a moment its place among the cuts), every
branch an interval of such numbers. A row whose value is missing takes the branches that have a
share. Where rows reach several leaves, what these say is added up leaf by leaf, from left to right,
because a sum of floats depends on its order and a database's SUM promises none.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlglot import exp, parse_one

from bosco.errors import ModelError
from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.program import Ask, Program
from bosco.export.sql_parts import leaf_tables, output_names, table_name
from bosco.majority import of_equals

Edge = tuple[int, int, float | None, float | None, int, float]
"""Node, column, above low, up to high, the next node, the share of a row without a value."""

_EDGES = ("node", "col", "low", "high", "child", "share")
_MAX_ARGUMENTS = 50

# The steps. {x} is the value that a branch asks for, {parts} are the columns of leaves.
_TYPED_EDGES = """
SELECT e.node, e.col, CAST(e.low AS DOUBLE) AS low, CAST(e.high AS DOUBLE) AS high, e.child,
    CAST(e.share AS DOUBLE) AS share
FROM bosco_edge_values AS e
"""
_ROOTS = "SELECT r.node, CAST(r.share AS DOUBLE) AS share FROM bosco_root_values AS r"
_WALK = """
SELECT c.bosco_row, {root}{start}
UNION ALL
SELECT w.bosco_row, e.child, w.share * CASE WHEN {x} IS NULL THEN e.share ELSE 1 END AS share{cells}
FROM bosco_walk AS w JOIN bosco_edges AS e ON e.node = w.node
WHERE ({x} IS NULL AND e.share > 0) OR (
    NOT {x} IS NULL AND (e.low IS NULL OR {x} > e.low) AND (e.high IS NULL OR {x} <= e.high)
)
"""
_REACHED = """
SELECT w.bosco_row, l.leaf AS bosco_leaf, {parts}
FROM bosco_walk AS w JOIN bosco_leaves AS l ON l.leaf = w.node
"""
_PARTS = """
SELECT w.bosco_row, ROW_NUMBER() OVER (PARTITION BY w.bosco_row ORDER BY l.place) AS nth,
    COUNT(*) OVER (PARTITION BY w.bosco_row) AS n, {parts}
FROM bosco_walk AS w JOIN bosco_leaves AS l ON l.leaf = w.node
"""
_MIXED = """
SELECT p.bosco_row, p.nth, p.n, {parts} FROM bosco_reached AS p WHERE p.nth = 1
UNION ALL
SELECT p.bosco_row, p.nth, p.n, {sums} FROM bosco_mixed AS m
JOIN bosco_reached AS p ON p.bosco_row = m.bosco_row AND p.nth = m.nth + 1
"""
_ONE = "SELECT r.* FROM bosco_rows AS r JOIN bosco_reached AS m ON r.bosco_row = m.bosco_row"
_ALL = """
SELECT r.* FROM bosco_rows AS r JOIN bosco_mixed AS m ON r.bosco_row = m.bosco_row AND m.nth = m.n
"""


def walk(code: Program, speech: Dialect, table: str) -> exp.Expression:
    """All rows with what the leaves they reach say."""
    names = output_names(code)
    shares = names if code.classes is None else names[1:]
    ctes = [_rows(speech, table), _cells(code, speech), *_edges(code, speech)]
    ctes += _roots(code, speech) if code.many else []
    ctes += [*leaf_tables(code, speech), _walk(code)]
    if _sums(code):
        parts = ", ".join(f'w.share * l."{name}" AS "{name}"' for name in shares)
        ctes.append(_cte("bosco_reached", _PARTS.format(parts=parts)))
        parts = ", ".join(f'p."{name}"' for name in shares)
        sums = ", ".join(f'm."{name}" + p."{name}" AS "{name}"' for name in shares)
        mixed = _MIXED.format(parts=parts, sums=sums)
        ctes.append(_cte("bosco_mixed", mixed, ["bosco_row", "nth", "n", *shares]))
    else:
        parts = ", ".join(f'l."{name}"' for name in names)
        ctes.append(_cte("bosco_reached", _REACHED.format(parts=parts)))
    for cte in ctes:
        if speech.materialized and not isinstance(cte.this, exp.Union):
            cte.set("materialized", True)  # read again in every step
    query: exp.Select = _parsed(_ALL if _sums(code) else _ONE)
    query.args["expressions"] += _answers(code, speech)
    if code.refuses_missing:
        query.args["joins"][0].set("side", "LEFT")
    query.set("with_", exp.With(expressions=ctes, recursive=True))
    return query


def _answers(code: Program, speech: Dialect) -> list[Any]:
    names = output_names(code)
    columns: list[Any] = [_col("m", name) for name in names]
    if not _sums(code):
        return [_col("m", "bosco_leaf"), *columns]
    if code.classes is None:
        return columns
    shares = names[1:]
    columns[1:] = [
        exp.alias_(_said(code, name), name, quoted=True) if code.capped else _col("m", name)
        for name in shares
    ]
    best = _greatest([_said(code, name) for name in shares], speech)
    # Classes are tried in the order in which they win a tie.
    order = -1 if of_equals(len(code.classes)) == "last" else 1
    *tried, rest = zip(shares[::order], code.classes[::order], strict=True)
    ifs = [exp.If(this=_said(code, name), true=speech.literal(label)) for name, label in tried]
    label = speech.literal(rest[1])
    chosen = exp.Case(this=best, ifs=ifs, default=label) if ifs else label
    columns[0] = exp.alias_(chosen, names[0], quoted=True)
    return columns


def _sums(code: Program) -> bool:
    """Whether a row reaches several leaves, of one tree or of many."""
    return code.mixes or code.many


def _said(code: Program, name: str) -> exp.Expression:
    """A share; the sum of many may pass 1 in the last digit, and is cut there."""
    share = _col("m", name)
    if not code.capped:
        return share
    one = exp.Literal.number("1.0")
    above = exp.If(this=exp.GT(this=share, expression=one), true=cast(one.copy()))
    return exp.Case(ifs=[above], default=share.copy())


def _roots(code: Program, speech: Dialect) -> list[exp.CTE]:
    """The first node of every tree, and what its word weighs."""
    rows = [[speech.literal(root), speech.double(weight, bare=True)] for root, weight in code.roots]
    values = speech.rows("bosco_root_values", ["node", "share"], rows)
    return [values, _cte("bosco_roots", _ROOTS)]


def _rows(speech: Dialect, table: str) -> exp.CTE:
    """The rows, numbered."""
    number = exp.Window(this=exp.RowNumber())
    if speech.name == "spark":  # which must be told an order, and may take any
        number.set("order", exp.Order(expressions=[exp.Literal.number("1")]))
    columns: list[Any] = [exp.Column(this=exp.Star(), table=identifier("d"))]
    columns.append(exp.alias_(number, "bosco_row", quoted=True))
    source = exp.alias_(table_name(table), "d", quoted=True, table=True)
    return _cte("bosco_rows", exp.Select(expressions=columns).from_(source, copy=False))


def _cells(code: Program, speech: Dialect) -> exp.CTE:
    """The columns as numbers."""
    columns: list[Any] = [_col("r", "bosco_row")]
    columns += [
        exp.alias_(_place(code, speech, j), f"bosco_x{j}", quoted=True) for j in _columns(code)
    ]
    rows = exp.alias_(exp.Table(this=identifier("bosco_rows")), "r", quoted=True, table=True)
    return _cte("bosco_cells", exp.Select(expressions=columns).from_(rows, copy=False))


def _columns(code: Program) -> Sequence[int]:
    return range(len(code.columns)) if code.refuses_missing else code.used


def _place(code: Program, speech: Dialect, j: int) -> exp.Expression:
    """A column as a number, NULL where it is missing."""
    column = code.columns[j]
    x = _col("r", column.name)
    if column.levels is not None:
        ifs = [
            exp.If(this=speech.literal(level), true=speech.double(float(at)))
            for at, level in enumerate(column.levels)
        ]
        return exp.Case(this=x, ifs=ifs)
    if column.unit == "number" or speech.moments[column.unit] == "number":
        return speech.plain_number(column, x)
    cuts = _cuts(code, j)
    ifs = [exp.If(this=speech.is_missing(column, x), true=exp.Null())]
    ifs += [
        exp.If(
            this=exp.LTE(this=x.copy(), expression=speech.cut(column, cut)),
            true=speech.double(float(at)),
        )
        for at, cut in enumerate(cuts)
    ]
    return exp.Case(ifs=ifs, default=speech.double(float(len(cuts))))


def _cuts(code: Program, j: int) -> list[float]:
    return sorted({cut for ask in code.asks() if ask.column == j for cut in ask.cuts or ()})


def _edges(code: Program, speech: Dialect) -> list[exp.CTE]:
    # A tree of one leaf has no branch, but a table has a row: one that no row meets.
    found: list[Edge] = list(_branches(code, speech)) or [(-1, 0, 0.0, 0.0, -1, 0.0)]
    rows = []
    for node, column, low, high, child, share in found:
        bounds = [exp.Null() if b is None else speech.double(b, bare=True) for b in (low, high)]
        start = [speech.literal(node), speech.literal(column)]
        rows.append([*start, *bounds, speech.literal(child), speech.double(share, bare=True)])
    return [speech.rows("bosco_edge_values", _EDGES, rows), _cte("bosco_edges", _TYPED_EDGES)]


def _branches(code: Program, speech: Dialect) -> Iterator[Edge]:
    """Every branch as intervals; a question that stands in is a node of its own."""
    extra = len(code.nodes)
    places = {
        j: {cut: float(at) for at, cut in enumerate(_cuts(code, j))}
        for j in code.used
        if code.columns[j].levels is None
        and code.columns[j].unit != "number"
        and speech.moments[code.columns[j].unit] != "number"
    }
    for number, node in enumerate(code.nodes):
        if node is None:
            continue
        if node.missing is None and len(node.asks) > 1:
            raise ModelError(f"Node {number} has stand-ins and shares, which SQL is not told yet.")
        at = number
        for ask in node.asks:
            last = ask is node.asks[-1]
            lost = node.missing if last else extra
            shares = dict(node.shares) if lost is None else {lost: 1.0}
            if code.refuses_missing:
                shares = {}
            yield from _intervals(at, ask, shares, places.get(ask.column))
            if not last:
                at, extra = extra, extra + 1


def _intervals(
    node: int, ask: Ask, shares: dict[int, float], places: dict[float, float] | None
) -> Iterator[Edge]:
    waiting = dict(shares)  # each is given away once
    bounds: Iterable[tuple[float | None, float | None, int]]
    if ask.cuts is not None:
        cuts = ask.cuts if places is None else tuple(places[cut] for cut in ask.cuts)
        bounds = zip((None, *cuts), (*cuts, None), ask.to, strict=True)
    else:
        bounds = _runs(ask.to)
    for low, high, child in bounds:
        yield node, ask.column, low, high, child, waiting.pop(child, 0.0)
    for child, share in waiting.items():  # no known value goes there: an interval without one
        yield node, ask.column, 0.0, 0.0, child, share


def _runs(to: tuple[int, ...]) -> Iterator[tuple[float | None, float | None, int]]:
    """Neighbouring positions that lead to one node, as intervals."""
    start = 0
    for end in range(1, len(to) + 1):
        if end == len(to) or to[end] != to[start]:
            yield start - 0.5, end - 0.5, to[start]
            start = end


def _walk(code: Program) -> exp.CTE:
    """From node to node, with the share of the row that goes there, and its cells."""
    cells = [f"bosco_x{j}" for j in _columns(code)]
    whens = " ".join(f"WHEN {j} THEN w.bosco_x{j}" for j in _columns(code))
    known = " AND ".join(f"NOT c.{cell} IS NULL" for cell in cells)
    start = "".join(f", c.{cell}" for cell in cells) + " FROM bosco_cells AS c"
    start += " CROSS JOIN bosco_roots AS r" if code.many else ""
    text = _WALK.format(
        x=f"CASE e.col {whens} END" if whens else "NULL",
        cells="".join(f", w.{cell}" for cell in cells),
        root="r.node, r.share" if code.many else "0 AS node, CAST(1 AS DOUBLE) AS share",
        start=f"{start} WHERE {known}" if code.refuses_missing else start,
    )
    return _cte("bosco_walk", text, ["bosco_row", "node", "share", *cells])


def _greatest(columns: list[exp.Expression], speech: Dialect) -> exp.Expression:
    """The largest of some columns, a few at a time."""
    while len(columns) > 1:
        groups = [columns[i : i + _MAX_ARGUMENTS] for i in range(0, len(columns), _MAX_ARGUMENTS)]
        function = "MAX" if speech.name == "sqlite" else "GREATEST"
        columns = [
            exp.Anonymous(this=function, expressions=group) if len(group) > 1 else group[0]
            for group in groups
        ]
    return columns[0]


def _parsed(text: str) -> Any:
    """A step as a syntax tree, its names quoted."""
    query = parse_one(text, read="duckdb")
    for name in query.find_all(exp.Identifier):
        name.set("quoted", True)
    return query


def _col(table: str, name: str) -> exp.Column:
    return exp.Column(this=identifier(name), table=identifier(table))


def _cte(name: str, query: exp.Expression | str, columns: Sequence[str] = ()) -> exp.CTE:
    alias = exp.TableAlias(this=identifier(name), columns=[identifier(c) for c in columns])
    return exp.CTE(this=_parsed(query) if isinstance(query, str) else query, alias=alias)
