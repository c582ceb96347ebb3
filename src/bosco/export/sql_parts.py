"""What every query of a tree is made of: names, the table of leaves, predictions as literals."""

from functools import reduce
from typing import Any

from sqlglot import exp

from bosco.export.dialects import Dialect, cast, identifier
from bosco.export.program import Program
from bosco.export.source import unique


def table_name(table: str) -> exp.Table:
    """A table, by schema and name if there is a dot."""
    found = reduce(_dotted, table.split("."), None)
    assert found is not None
    return found


def _dotted(found: exp.Table | None, part: str) -> exp.Table:
    if found is None:
        return exp.Table(this=identifier(part))
    return exp.Table(this=identifier(part), db=found.this, catalog=found.args.get("db"))


def leaf_tables(code: Program, speech: Dialect) -> list[exp.CTE]:
    """What every leaf says, as literals and, with the right types, as `bosco_leaves`."""
    names = output_names(code)
    if code.many and code.classes is not None:  # one leaf of many predicts nothing
        names = names[1:]
    rows = []
    for place, leaf in enumerate(code.leaves):
        values = [speech.double(value, bare=True) for value in code.values[leaf]]
        alone = code.classes is not None and not code.many
        said = [prediction(code, speech, leaf), *values] if alone else values
        rows.append([integer(leaf), integer(place), *said])
    raw = speech.rows("bosco_leaf_values", ["leaf", "place", *names], rows)
    first = 0 if code.classes is None or code.many else 1  # the class is a literal of its own type
    columns: list[Any] = [exp.Column(this=identifier(n)) for n in ("leaf", "place", *names[:first])]
    for name in names[first:]:
        number = cast(exp.Column(this=identifier(name)))
        columns.append(exp.alias_(number, name, quoted=True))
    query = exp.Select(expressions=columns).from_(exp.Table(this=identifier("bosco_leaf_values")))
    return [raw, exp.CTE(this=query, alias=exp.TableAlias(this=identifier("bosco_leaves")))]


def output_names(code: Program) -> list[str]:
    """The columns that are added: the prediction, and a share per class."""
    word = "points" if code.adds == "points" else "p"
    labels = [] if code.classes is None else [f"{word}_{label}" for label in code.classes]
    taken = [column.name for column in code.columns]
    return unique([*taken, "prediction", *labels])[len(taken) :]


def prediction(code: Program, speech: Dialect, leaf: int) -> exp.Expression:
    """What a leaf predicts, as a literal."""
    if code.classes is None:
        return speech.double(code.values[leaf][0])
    return speech.literal(code.classes[code.answers[leaf]])


def integer(n: int) -> exp.Expression:
    """A whole number as a literal."""
    return exp.Literal.number(str(n))
