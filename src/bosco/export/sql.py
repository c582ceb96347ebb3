"""The model as SQL: a CASE expression, a SELECT, or a view.

A tree of a size to be read is one nested CASE (`sql_case`). A larger one, and one whose rows go
down several branches, is walked by joins (`sql_walk`). Both are built as a syntax tree; sqlglot,
which is loaded only here, writes it for each database.
"""

from typing import TYPE_CHECKING, Any

from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.export.program import Program, program

if TYPE_CHECKING:
    from bosco.export.dialects import Dialect

KINDS = ("select", "case", "view")
MAX_LEAVES = 2000
"""More leaves are walked to by joins: databases plan very long expressions slowly."""

MAX_LEAVES_OF_MANY = 20_000
"""Every row walks down every tree, join by join, and then adds up what they say."""


def to_sql(
    model: Any,
    dialect: str,
    *,
    table: str = "data",
    kind: str = "select",
    view: str = "predictions",
) -> str:
    """Write a model as SQL; see `Model.to_sql`."""
    try:
        from sqlglot import ErrorLevel, exp
    except ImportError as error:
        raise ImportError(
            "to_sql needs sqlglot. Hint: pip install 'bosco[sql]', or pip install sqlglot."
        ) from error
    from bosco.export.dialects import dialect_of
    from bosco.export.sql_case import case, height, joined
    from bosco.export.sql_parts import prediction, table_name
    from bosco.export.sql_walk import walk

    speech = dialect_of(dialect)
    if kind not in KINDS:
        raise ParameterError(
            f"kind must be one of {list(KINDS)}. Got {kind!r}.{did_you_mean(kind, KINDS)}"
        )
    code = program(model)
    code.require_unicode("SQL")
    code.require_no_nul("SQL")
    if speech.name != "sqlite":  # which has no types to keep apart
        code.require_one_type(speech.name)
    if len(code.leaves) > MAX_LEAVES_OF_MANY and code.many:
        raise ModelError(
            f"These trees have {len(code.leaves):,} leaves in all, and SQL is given at most "
            f"{MAX_LEAVES_OF_MANY:,}: a database would walk too long. Hint: fewer or smaller "
            f"trees, such as n_estimators=20 and max_leaf_nodes=200, or another language."
        )
    fits = (
        not code.many
        and not code.mixes
        and height(code) <= speech.max_height
        and len(code.leaves) <= MAX_LEAVES
    )
    statement: exp.Expression
    if kind != "case":
        statement = joined(code, speech, table) if fits else walk(code, speech, table)
    elif fits:
        statement = case(code, speech, lambda leaf: prediction(code, speech, leaf))
    else:
        raise ModelError(_why_no_case(code, speech))
    if kind == "view":
        statement = exp.Create(this=table_name(view), kind="VIEW", expression=statement)
    # sqlglot need not warn of names that SQLite takes elsewhere.
    text: str = statement.sql(
        dialect=speech.name, pretty=True, copy=False, unsupported_level=ErrorLevel.IGNORE
    )
    return text if kind == "case" else f"-- {code.headline}\n{text};\n"


def _why_no_case(code: Program, speech: "Dialect") -> str:
    if code.many:
        why = "it adds up what many trees say"
    elif code.mixes:
        why = "its missing values go down several branches, in shares"
    else:
        why = (
            f"it has {len(code.leaves)} leaves at depths up to {code.heights[0]}, and "
            f"{speech.name} is given at most {MAX_LEAVES} at {speech.max_height}"
        )
    return f"This model is not one CASE expression: {why}. Hint: kind='select' takes any."
