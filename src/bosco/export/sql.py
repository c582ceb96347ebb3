"""The model as SQL: a CASE expression, a SELECT, or a view.

A tree of a size to be read is one nested CASE (`sql_parts`). A larger one, and one whose rows go
down several branches, is walked by joins (`sql_walk`). Both are built as a syntax tree; sqlglot,
which is loaded only here, writes it for each database.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from bosco.errors import ModelError, ParameterError, require_one_of
from bosco.export.program import Program
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.export.dialects import Dialect

KINDS = ("select", "case", "view")
MAX_LEAVES = 2000
"""More leaves are walked to by joins: databases plan very long expressions slowly."""

MAX_LEAVES_OF_MANY = 20_000
"""Every row walks down every tree, join by join, and then adds up what they say."""


MAX_WRITTEN_OUT = 5000
"""Operations of derived columns in all questions together; more are computed once, for joins."""


def to_sql(
    model: AnyModel,
    dialect: str,
    *,
    table: str | None = None,
    kind: str = "select",
    view: str = "predictions",
    keep: Sequence[str] | None = None,
    prefix: str = "",
) -> str:
    """SQL that predicts inside a database; NULL (and NaN) is missing. Needs sqlglot.

    Parameters
    ----------
    dialect : {"duckdb", "postgres", "sqlite", "mysql", "tsql", "oracle", "snowflake", …}
        The database: also "bigquery" and "spark". "mysql" is for MariaDB, too, "tsql" is SQL
        Server's; "mariadb", "sqlserver" and "postgresql" mean the same.
    table : str, optional
        Where the rows are, "data" if nothing is said; "schema.table" names a table of a schema.
        In a CASE expression, the table whose columns are meant.
    kind : {"select", "case", "view"}, default="select"
        A query for all rows with the prediction and a share per class; one CASE expression that
        gives the prediction; or a statement that creates the view `view` of the query.
    keep : list of str, optional
        The columns of the table that the query gives beside what it adds. All of them if
        nothing is said; a list makes sure that no name stands there twice, whatever else the
        table has.
    prefix : str, default=""
        What the names of the added columns begin with, at most 16 letters.

    Notes
    -----
    Of many trees, every row walks down every one, so that it is for thousands of rows rather
    than millions; more than 20,000 leaves in all are refused.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"]).model_
    >>> print(model.to_sql("duckdb", kind="case"))
    CASE WHEN "x" <= 1.5e0 OR "x" IS NULL OR "x" = CAST('NaN' AS DOUBLE) THEN 'a' ELSE 'b' END
    """
    try:
        from sqlglot import exp
    except ImportError as error:
        raise ImportError(
            "to_sql needs sqlglot. Hint: pip install 'bosco[sql]', or pip install sqlglot."
        ) from error
    from bosco.export.dialects import DIALECTS, OTHER_NAMES
    from bosco.export.sql_derived import as_numbers, sizes, with_derived
    from bosco.export.sql_parts import (
        Rows,
        case,
        height,
        joined,
        prediction,
        qualified,
        table_name,
    )
    from bosco.export.sql_walk import walk

    dialect = OTHER_NAMES.get(dialect, dialect)
    require_one_of(DIALECTS, "dialect", dialect)
    speech = DIALECTS[dialect]
    require_one_of(KINDS, "kind", kind)
    if isinstance(keep, str):
        raise ParameterError(f"keep must be a list of names. Got {keep!r}. Hint: keep=[{keep!r}].")
    code = as_numbers(model.program())
    code.require_unicode("SQL")
    code.require_no_nul("SQL")
    if speech.name != "sqlite":  # which has no types to keep apart
        code.require_one_type(speech.name)
    _require_apart(code, speech, keep or ())
    if len(code.leaves) > MAX_LEAVES_OF_MANY and code.many:
        raise ModelError(
            f"These trees have {len(code.leaves):,} leaves in all, and SQL is given at most "
            f"{MAX_LEAVES_OF_MANY:,}: a database would walk too long. Hint: fewer or smaller "
            f"trees, such as n_estimators=20 and max_leaf_nodes=200, or another language."
        )
    size = sizes(code)
    written_out = sum(size.get(ask.column, 0) for ask in code.asks())
    fits = (
        not code.many
        and not code.mixes
        and height(code) <= speech.max_height
        and len(code.leaves) <= MAX_LEAVES
        and written_out <= MAX_WRITTEN_OUT
    )
    statement: exp.Expression
    if kind != "case":
        rows = Rows("data" if table is None else table, keep, prefix)
        statement = joined(code, speech, rows) if fits else walk(code, speech, rows)
        _require_free(rows.table, {cte.alias for cte in statement.find_all(exp.CTE)}, speech)
    elif fits:
        read = with_derived(code, speech, partial(qualified, table))
        statement = case(code, speech, lambda leaf: prediction(code, speech, leaf), read)
    else:
        raise ModelError(_why_no_case(code, speech, written_out))
    if kind == "view":
        _require_free(view, {"data" if table is None else table}, speech)
        statement = exp.Create(this=table_name(view), kind="VIEW", expression=statement)
    for name in {one.this for one in statement.find_all(exp.Identifier)}:
        speech.require_name(name)
    text = speech.write(statement)
    if kind == "case":
        return text
    if not fits:
        text += _steps(code, speech, kind)
    return f"-- {code.headline}\n{text};\n"


def _steps(code: Program, speech: "Dialect", kind: str) -> str:
    """What lets a walk make all its steps, where a database counts them; or refuse it."""
    asks = max((len(node.asks) for node in code.nodes if node is not None), default=1)
    down = max(code.heights, default=0) * asks
    along = len(code.leaves) if code.mixes else len(code.roots)
    steps = max(down, along) + 1
    if speech.max_steps is None or steps <= speech.max_steps:
        return ""
    if speech.name == "tsql" and kind == "select":
        return "\nOPTION (MAXRECURSION 0)"
    raise ModelError(
        f"This model takes up to {steps:,} steps that follow one another, and {speech.name} makes "
        f"{speech.max_steps:,} at most{' in a view' if speech.name == 'tsql' else ''}. "
        f"Hint: a smaller tree or fewer trees."
    )


def _require_apart(code: Program, speech: "Dialect", keep: Sequence[str]) -> None:
    """Refuse a column that the database takes for another."""
    asked = [code.columns[j].name for j in code.needed]
    alike: dict[bytes, set[str]] = {}
    for name in (*(column.name for column in code.given), *keep):
        alike.setdefault(speech.named(name), set()).add(name)
    if len({*keep}) < len(keep):
        raise ParameterError(f"keep must name a column once. Got {list(keep)}.")
    for name in (*asked, *keep):
        twins = alike[speech.named(name)]
        if len(twins) > 1:
            one, other = sorted((name, min(twins - {name})))
            raise ModelError(
                f"Columns {one!r} and {other!r} are one name to {speech.name}, which "
                f"{speech.why_alike()}: it could read the wrong one. "
                f"Hint: rename one of them and fit again."
            )


def _require_free(name: str, taken: set[str], speech: "Dialect") -> None:
    """Refuse a table or view that has the name of another thing the statement is about."""
    for other in taken:
        if speech.named(name) == speech.named(other):
            raise ParameterError(
                f"{name!r} has two meanings in this statement: the table or view of that name, and "
                f"what the statement itself reads from. Hint: another name, or one with its schema."
            )


def _why_no_case(code: Program, speech: "Dialect", written_out: int) -> str:
    if written_out > MAX_WRITTEN_OUT:
        why = "what its derived columns mean would be written out at every question, too long"
    elif code.many:
        why = "it adds up what many trees say"
    elif code.mixes:
        why = "its missing values go down several branches, in shares"
    else:
        why = (
            f"it has {len(code.leaves)} leaves at depths up to {code.heights[0]}, and "
            f"{speech.name} is given at most {MAX_LEAVES} at {speech.max_height}"
        )
    return f"This model is not one CASE expression: {why}. Hint: kind='select' takes any."
