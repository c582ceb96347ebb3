"""The model as SQL: a CASE expression, a SELECT, or a view.

A tree of a size to be read is one nested CASE that gives the number of a leaf, joined with a table
of what leaves say. A larger one, and one whose rows go down several branches, is walked by joins
(`sql_walk`). Both are built as a syntax tree, and sqlglot writes it for each database.
"""

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.export.program import Guard, Inner, Program, guards, program
from bosco.export.source import unique

if TYPE_CHECKING:
    from sqlglot import exp

    from bosco.export.dialects import Dialect
    from bosco.model import Model

KINDS = ("select", "case", "view")
MAX_LEAVES = 2000
"""More leaves are walked to by joins: databases plan very long expressions slowly."""


def to_sql(
    model: "Model",
    dialect: str,
    *,
    table: str = "data",
    kind: str = "select",
    view: str = "predictions",
) -> str:
    """Write a model as SQL; see `Model.to_sql`."""
    try:
        from bosco.export import dialects
    except ImportError as error:  # sqlglot is not there
        raise ImportError(
            "to_sql needs sqlglot. Hint: pip install 'bosco[sql]', or pip install sqlglot."
        ) from error
    speech = dialects.dialect_of(dialect)
    if kind not in KINDS:
        raise ParameterError(
            f"kind must be one of {list(KINDS)}. Got {kind!r}.{did_you_mean(kind, KINDS)}"
        )
    code = program(model)
    code.require_unicode("SQL")
    code.require_no_nul("SQL")
    _require_one_type(code, speech)
    statement = _statement(code, speech, table, kind, view)
    text: str = statement.sql(
        dialect=speech.name, pretty=True, copy=False, unsupported_level=_ignore(), comments=True
    )
    return text if kind == "case" else f"-- {code.headline}\n{text};\n"


def _ignore() -> Any:
    """Let sqlglot not warn of names that SQLite takes elsewhere."""
    from sqlglot import ErrorLevel

    return ErrorLevel.IGNORE


def _statement(
    code: Program, speech: "Dialect", table: str, kind: str, view: str
) -> "exp.Expression":
    from sqlglot import exp

    from bosco.export.sql_walk import walk

    fits = not code.mixes and height(code) <= speech.max_height and len(code.leaves) <= MAX_LEAVES
    if kind == "case":
        if not fits:
            raise ModelError(_why_no_case(code, speech))
        return case(code, speech, lambda leaf: prediction(code, speech, leaf))
    query = joined(code, speech, table) if fits else walk(code, speech, table)
    if kind == "select":
        return query
    name = reduce(_dotted, view.split("."), None)
    return exp.Create(this=name, kind="VIEW", expression=query)


def table_name(table: str) -> "exp.Table":
    """A table, by schema and name if there is a dot."""
    found = reduce(_dotted, table.split("."), None)
    assert found is not None
    return found


def _dotted(found: "exp.Table | None", part: str) -> "exp.Table":
    from sqlglot import exp

    from bosco.export.dialects import identifier

    if found is None:
        return exp.Table(this=identifier(part))
    return exp.Table(this=identifier(part), db=found.this, catalog=found.args.get("db"))


def _why_no_case(code: Program, speech: "Dialect") -> str:
    if code.mixes:
        why = "its missing values go down several branches, in shares"
    else:
        why = (
            f"it has {len(code.leaves)} leaves at depths up to {code.heights[0]}, and "
            f"{speech.name} is given at most {MAX_LEAVES} at {speech.max_height}"
        )
    return f"This tree is not one CASE expression: {why}. Hint: kind='select' takes any tree."


def height(code: Program) -> int:
    """How deep CASE nests; a node with stand-ins is two deep."""
    double = any(len(node.asks) > 1 for node in code.nodes if node is not None)
    return code.heights[0] * (2 if double else 1)


# The parts ------------------------------------------------------------------------------------


def joined(code: Program, speech: "Dialect", table: str) -> "exp.Expression":
    """All rows with the number of their leaf, joined with what the leaves say."""
    from sqlglot import exp

    from bosco.export.dialects import identifier

    leaf = exp.alias_(case(code, speech, _number), "bosco_leaf", quoted=True)
    numbered = exp.Select(expressions=[exp.Star(), leaf]).from_(table_name(table), copy=False)
    routed = exp.Subquery(this=numbered, alias=exp.TableAlias(this=identifier("d")))
    names = output_names(code)
    said = [exp.Column(this=identifier(name), table=identifier("l")) for name in names]
    rows = exp.Column(this=exp.Star(), table=identifier("d"))
    query = exp.Select(expressions=[rows, *said]).from_(routed, copy=False)
    at, of = (exp.Column(this=identifier(n), table=identifier(t)) for n, t in _LEAF)
    leaves = exp.alias_(exp.Table(this=identifier("leaves")), "l", quoted=True, table=True)
    # Where missing values are refused, a row that has one has no leaf and no prediction.
    side = {"side": "LEFT"} if code.refuses_missing else {}
    query.append("joins", exp.Join(this=leaves, on=exp.EQ(this=at, expression=of), **side))
    query.set("with_", exp.With(expressions=leaf_tables(code, speech)))
    return query


_LEAF = (("bosco_leaf", "d"), ("leaf", "l"))


def leaf_tables(code: Program, speech: "Dialect") -> "list[exp.CTE]":
    """What every leaf says, as literals and, with the right types, as `leaves`."""
    from sqlglot import exp

    from bosco.export.dialects import cast, identifier

    names = output_names(code)
    rows = []
    for place, leaf in enumerate(code.leaves):
        values = [speech.double(value, bare=True) for value in code.values[leaf]]
        said = values if code.classes is None else [prediction(code, speech, leaf), *values]
        rows.append([_number(leaf), _number(place), *said])
    raw = speech.rows("leaf_values", ["leaf", "place", *names], rows)
    first = 0 if code.classes is None else 1  # the class is a literal of its own type
    columns: list[Any] = [exp.Column(this=identifier(n)) for n in ("leaf", "place", *names[:first])]
    for name in names[first:]:
        number = cast(exp.Column(this=identifier(name)))
        columns.append(exp.alias_(number, name, quoted=True))
    query = exp.Select(expressions=columns).from_(exp.Table(this=identifier("leaf_values")))
    return [raw, exp.CTE(this=query, alias=exp.TableAlias(this=identifier("leaves")))]


def output_names(code: Program) -> list[str]:
    """The columns that are added: the prediction, and a share per class."""
    labels = [] if code.classes is None else [f"p_{label}" for label in code.classes]
    taken = [column.name for column in code.columns]
    return unique([*taken, "prediction", *labels])[len(taken) :]


def prediction(code: Program, speech: "Dialect", leaf: int) -> "exp.Expression":
    """What a leaf predicts, as a literal."""
    if code.classes is None:
        return speech.double(code.values[leaf][0])
    return speech.literal(code.classes[code.answers[leaf]])


def case(
    code: Program, speech: "Dialect", say_leaf: "Callable[[int], exp.Expression]"
) -> "exp.Expression":
    """The tree as nested CASE, built from the leaves up."""
    from sqlglot import exp

    built: dict[int, exp.Expression] = {}
    for number in range(len(code.nodes) - 1, -1, -1):
        node = code.nodes[number]
        if node is None:
            built[number] = say_leaf(number)
        elif len(node.asks) == 1:
            built[number] = _chain(code, speech, guards(node.asks[0], node.missing), built)
        else:
            built[number] = _by_stand_ins(code, speech, node, built)
    tree = built[0]
    if not code.refuses_missing:
        return tree
    known = [_condition(code, speech, _any_value(code, j)) for j in range(len(code.columns))]
    every = reduce(lambda a, b: exp.And(this=a, expression=b), known)
    return exp.Case(ifs=[exp.If(this=every, true=tree)])


def _any_value(code: Program, column: int) -> Guard:
    levels = code.columns[column].levels
    if levels is None:
        return Guard(column, known=True)
    return Guard(column, levels=tuple(range(len(levels))))


def _chain(
    code: Program,
    speech: "Dialect",
    ways: list[tuple[Guard | None, int]],
    built: "dict[int, exp.Expression]",
) -> "exp.Expression":
    from sqlglot import exp

    *conditions, (_, last) = ways
    ifs = [
        exp.If(this=_condition(code, speech, guard), true=built.pop(child))
        for guard, child in conditions
        if guard is not None
    ]
    return exp.Case(ifs=ifs, default=built.pop(last)) if ifs else built.pop(last)


def _by_stand_ins(
    code: Program, speech: "Dialect", node: Inner, built: "dict[int, exp.Expression]"
) -> "exp.Expression":
    """First which child, by the first question with an answer; then what that child says."""
    from sqlglot import exp

    assert node.missing is not None
    ways = [way for ask in node.asks for way in guards(ask, None)]
    ifs = [
        exp.If(this=_condition(code, speech, guard), true=_number(child))
        for guard, child in ways
        if guard is not None
    ]
    child = exp.Case(ifs=ifs, default=_number(node.missing))
    *others, last = sorted({child for _, child in ways} | {node.missing})
    ifs = [exp.If(this=_number(other), true=built.pop(other)) for other in others]
    return exp.Case(this=child, ifs=ifs, default=built.pop(last))


def _condition(code: Program, speech: "Dialect", guard: Guard) -> "exp.Expression":
    from sqlglot import exp

    from bosco.export.dialects import identifier

    column = code.columns[guard.column]
    x = exp.Column(this=identifier(column.name))
    if guard.levels is not None:
        levels = [speech.literal((column.levels or ())[at]) for at in guard.levels]
        if len(levels) == 1:
            return exp.EQ(this=x, expression=levels[0])
        return exp.In(this=x, expressions=levels)
    if guard.known:
        return speech.is_known(column, x)
    if guard.cut is None:
        return speech.is_missing(column, x)
    below = exp.LTE(this=x, expression=speech.cut(column, guard.cut))
    if not guard.missing:
        return below
    return exp.Or(this=below, expression=speech.is_missing(column, x.copy()))


def _number(n: int) -> "exp.Expression":
    from sqlglot import exp

    return exp.Literal.number(str(n))


def _require_one_type(code: Program, speech: "Dialect") -> None:
    for column in code.columns:
        kinds = {isinstance(level, str) for level in column.levels or ()}
        if len(kinds) > 1 and speech.name != "sqlite":
            raise ModelError(
                f"Column {column.name!r} has both text and numbers among its levels, which no "
                f"column of {speech.name} can hold. Hint: make all levels text, and fit again."
            )
