"""A tree of any size or depth as SQL: its branches are a table, and cases walk it by joins.

Every column becomes a number (a level its position, a moment its place among the cuts), every
branch an interval of such numbers. Rows with the same numbers are one case, which walks once and is
joined to them in the end by these numbers: rows need no number of their own, which would be one
column more beside the table's. A case whose value is missing takes the branches that have a share.
Where cases reach several leaves, what these say is added up leaf by leaf, from left to right,
because a sum of floats depends on its order and a database's SUM promises none.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

from sqlglot import exp, parse_one

from bosco.errors import ModelError
from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.program import Ask, Program
from bosco.export.sql_derived import finite, with_derived
from bosco.export.sql_parts import (
    DATA,
    Rows,
    answer_names,
    beside,
    col,
    integer,
    leaf_tables,
    outputs,
    reached,
    said,
    share_names,
    table_name,
    vote_names,
)
from bosco.tree.ties import of_equals

Edge = tuple[int, int, float | None, float | None, int, float]
"""Node, column, above low, up to high, the next node, the share of a row without a value."""

_EDGES = ("node", "col", "low", "high", "child", "share")
_MAX_ARGUMENTS = 50
_ABSENT = -1
"""The key of a missing value; places are counted from 0."""

# The steps. {x} is the value that a branch asks for, {cells} are the columns as numbers, {parts}
# what leaves say. A step has the columns that it lists, never the table's own.
_TYPED_EDGES = """
SELECT e.node, e.col, CAST(e.low AS DOUBLE) AS low, CAST(e.high AS DOUBLE) AS high, e.child,
    CAST(e.share AS DOUBLE) AS share
FROM bosco_edge_values AS e
"""
_ROOTS = "SELECT r.node, CAST(r.share AS DOUBLE) AS share FROM bosco_root_values AS r"
_NUMBERED = """
SELECT ROW_NUMBER() OVER (ORDER BY {cells}) AS nr, {cells} FROM bosco_cells AS c
"""
_WALK = """
SELECT c.nr, {root}{start}
UNION ALL
SELECT w.nr, e.child, w.share * CASE WHEN {x} IS NULL THEN e.share ELSE 1 END AS share{cells}
FROM bosco_walk AS w JOIN bosco_edges AS e ON e.node = w.node
WHERE ({x} IS NULL AND e.share > 0) OR (
    NOT {x} IS NULL AND (e.low IS NULL OR {x} > e.low) AND (e.high IS NULL OR {x} <= e.high)
)
"""
_REACHED = """
SELECT w.nr, {parts} FROM bosco_walk AS w JOIN bosco_leaves AS l ON l.leaf = w.node
"""
_PARTS = """
SELECT w.nr, ROW_NUMBER() OVER (PARTITION BY w.nr ORDER BY l.place) AS nth,
    COUNT(*) OVER (PARTITION BY w.nr) AS n, {parts}
FROM bosco_walk AS w JOIN bosco_leaves AS l ON l.leaf = w.node
"""
_MIXED = """
SELECT p.nr, p.nth, p.n, {parts} FROM bosco_reached AS p WHERE p.nth = 1
UNION ALL
SELECT p.nr, p.nth, p.n, {sums} FROM bosco_mixed AS m
JOIN bosco_reached AS p ON p.nr = m.nr AND p.nth = m.nth + 1
"""
_TOLD = "SELECT {parts}{keys} FROM bosco_cases AS c JOIN bosco_reached AS m ON m.nr = c.nr"
_TOLD_SUMS = """
SELECT {parts}{keys} FROM bosco_cases AS c JOIN bosco_mixed AS m ON m.nr = c.nr AND m.nth = m.n
"""


def walk(code: Program, speech: Dialect, rows: Rows) -> exp.Expression:
    """All rows with what the leaves they reach say."""
    shares = [*share_names(code), *vote_names(code)]
    ctes = [*_cases(code, speech, rows), *_edges(code, speech)]
    if code.many:  # the first node of every tree, and what its word weighs
        first = [[speech.literal(root), speech.double(w, bare=True)] for root, w in code.roots]
        ctes.append(speech.rows("bosco_root_values", ["node", "share"], first))
        ctes.append(_cte("bosco_roots", _ROOTS))
    ctes += [*leaf_tables(code, speech), _walk(code)]
    if _sums(code):
        answers = shares
        parts = ", ".join(f"w.share * l.{share} AS {share}" for share in shares)
        ctes.append(_cte("bosco_reached", _PARTS.format(parts=parts)))
        parts = ", ".join(f"p.{share}" for share in shares)
        sums = ", ".join(f"m.{share} + p.{share} AS {share}" for share in shares)
        mixed = _MIXED.format(parts=parts, sums=sums)
        ctes.append(_cte("bosco_mixed", mixed, ["nr", "nth", "n", *shares]))
    else:
        answers = ["leaf", *answer_names(code)]
        parts = ", ".join(f"l.{name}" for name in answers)
        ctes.append(_cte("bosco_reached", _REACHED.format(parts=parts)))
    told = _TOLD_SUMS if _sums(code) else _TOLD
    parts = ", ".join(f"m.{name}" for name in answers)
    ctes.append(_cte("bosco_told", told.format(parts=parts, keys=_keys(code, speech))))
    for cte in ctes:
        if speech.materialized and not isinstance(cte.this, exp.Union):
            cte.set("materialized", True)  # read again in every step
    query = beside(rows, _answers(code, speech, rows), "bosco_told", _meets(code, speech))
    query.set("with_", exp.With(expressions=ctes, recursive=True))
    return query


def _answers(code: Program, speech: Dialect, rows: Rows) -> list[Any]:
    """The columns that are added."""
    names, shares = outputs(code, rows), share_names(code)
    if not _sums(code):
        return reached("bosco_told", code, names)
    _, prediction, *called = names
    if code.classes is None:
        return [said("bosco_told", shares[0], prediction)]
    # Classes are tried in the order in which they win a tie. What is told nothing predicts nothing.
    order = -1 if of_equals(len(code.classes)) == "last" else 1
    votes = _compared(code, speech)
    tried = zip(votes[::order], code.classes[::order], strict=True)
    ifs = [exp.If(this=vote.copy(), true=speech.literal(label)) for vote, label in tried]
    chosen = exp.Case(this=_greatest(votes, speech), ifs=ifs)
    added = [exp.alias_(chosen, prediction, quoted=True)]
    pairs = zip(shares, called, strict=True)
    return added + [exp.alias_(_share(code, name), alias, quoted=True) for name, alias in pairs]


def _compared(code: Program, speech: Dialect) -> list[exp.Expression]:
    """What is compared to decide, by class."""
    said = [_share(code, name) for name in vote_names(code) or share_names(code)]
    found: list[Any] = []
    for constant, terms in code.sums:
        parts: list[Any] = [
            exp.Mul(this=said[place].copy(), expression=speech.double(factor))
            for place, factor in terms
        ]
        if not parts:  # what is told nothing is compared with nothing
            bar = speech.double(constant)
            known = exp.Not(this=exp.Is(this=said[0].copy(), expression=exp.Null()))
            parts = [exp.Case(ifs=[exp.If(this=known, true=bar)])]
        found.append(reduce(lambda a, b: exp.Add(this=a, expression=b), parts))
    return found or said


def _sums(code: Program) -> bool:
    """Whether a row reaches several leaves, of one tree or of many."""
    return code.mixes or code.many


def _share(code: Program, name: str) -> exp.Expression:
    """A share; the sum of many may pass 1 in the last digit, and is cut there."""
    share = col("bosco_told", name)
    if not code.capped:
        return share
    one = exp.Literal.number("1.0")
    above = exp.If(this=exp.GT(this=share, expression=one), true=cast(one.copy()))
    return exp.Case(ifs=[above], default=share.copy())


def _cases(code: Program, speech: Dialect, rows: Rows) -> list[exp.CTE]:
    """The rows as numbers, each case once, and numbered.

    The order makes the number the same however often a database counts.
    """
    if not code.used:
        return [_cte("bosco_cases", "SELECT 1 AS nr")]
    cells = [exp.alias_(_place(code, speech, j), f"x{j}", quoted=True) for j in code.used]
    source = exp.alias_(table_name(rows.table), DATA, quoted=True, table=True)
    query = exp.Select(expressions=cells).distinct(copy=False).from_(source, copy=False)
    listed = ", ".join(f"c.x{j}" for j in code.used)
    numbered = _cte("bosco_cases", _NUMBERED.format(cells=listed))
    return [_cte("bosco_cells", query), numbered]


def _keys(code: Program, speech: Dialect) -> str:
    """The cells of a case as values that can be compared: never NULL."""
    found = []
    for j in code.used:
        found.append(f", COALESCE(c.x{j}, {_ABSENT}) AS k{j}")
        if _is_number(code, speech, j):  # any number may be a value: whether there is one
            found.append(f", CASE WHEN c.x{j} IS NULL THEN 1 ELSE 0 END AS gone{j}")
    return "".join(found)


def _meets(code: Program, speech: Dialect) -> list[exp.Expression]:
    """When a row of the table is the case that was told something."""
    found: list[exp.Expression] = []
    for j in code.used:
        place = _place(code, speech, j)
        key = exp.Coalesce(this=place, expressions=[speech.double(float(_ABSENT))])
        found.append(exp.EQ(this=col("bosco_told", f"k{j}"), expression=key))
        if _is_number(code, speech, j):
            column = code.columns[j]
            missing = speech.is_missing(column, _read(code, speech, j))
            gone = exp.Case(ifs=[exp.If(this=missing, true=integer(1))], default=integer(0))
            found.append(exp.EQ(this=col("bosco_told", f"gone{j}"), expression=gone))
    return found


def _is_number(code: Program, speech: Dialect, j: int) -> bool:
    """Whether a column is itself a number, rather than placed among levels or cuts."""
    column = code.columns[j]
    if column.levels is not None:
        return False
    return column.unit == "number" or speech.moment(column) == "number"


def _read(code: Program, speech: Dialect, j: int) -> exp.Expression:
    """A column of the table, or what is derived from others, NULL if it has no value."""
    column = code.columns[j]
    x = with_derived(code, speech, lambda name: col(DATA, name))(column.name)
    return finite(x, speech) if column.formula is not None and column.levels is None else x


def _place(code: Program, speech: Dialect, j: int) -> exp.Expression:
    """A column as a number, NULL where it is missing."""
    column = code.columns[j]
    x = _read(code, speech, j)
    if column.levels is not None:
        ifs = [
            exp.If(this=speech.level(level), true=speech.double(float(at)))
            for at, level in enumerate(column.levels)
        ]
        return exp.Case(this=speech.same(column, x), ifs=ifs)
    if _is_number(code, speech, j):
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
        if code.columns[j].levels is None and not _is_number(code, speech, j)
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
    """From node to node, with the share of the case that goes there, and its cells."""
    cells = [f"x{j}" for j in code.used]
    whens = " ".join(f"WHEN {j} THEN w.x{j}" for j in code.used)
    known = " AND ".join(f"NOT c.{cell} IS NULL" for cell in cells)
    start = "".join(f", c.{cell}" for cell in cells) + " FROM bosco_cases AS c"
    start += " CROSS JOIN bosco_roots AS r" if code.many else ""
    text = _WALK.format(
        x=f"CASE e.col {whens} END" if whens else "NULL",
        cells="".join(f", w.{cell}" for cell in cells),
        root="r.node, r.share" if code.many else "0 AS node, CAST(1 AS DOUBLE) AS share",
        start=f"{start} WHERE {known}" if code.refuses_missing and known else start,
    )
    return _cte("bosco_walk", text, ["nr", "node", "share", *cells])


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


def _cte(name: str, query: exp.Expression | str, columns: Sequence[str] = ()) -> exp.CTE:
    """A step; one that is given as text has its names quoted."""
    step: Any = query
    if isinstance(query, str):
        step = parse_one(query, read="duckdb")
        for found in step.find_all(exp.Identifier):
            found.set("quoted", True)
    alias = exp.TableAlias(this=identifier(name), columns=[identifier(c) for c in columns])
    return exp.CTE(this=step, alias=alias)
