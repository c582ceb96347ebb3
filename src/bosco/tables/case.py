"""One case, given as text by column.

Levels, plain numbers and truth values are read here; anything else, such as a date, as a file of
one row would be. That needs pyarrow, which takes longer to load than a tree to explain a case.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bosco.data.schema import Column, Schema
from bosco.tables.options import Options, require_columns
from bosco.tables.spellings import FALSE, TRUE, is_blank, places_of

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def read_case(values: Mapping[str, str], like: Schema) -> dict[str, Any]:
    """Read one case given as text by column; a column that is not given is missing.

    A level that the schema does not know stays as it was written, so that an explanation can name
    it.

    Examples
    --------
    >>> schema = Schema.infer({"sex": ["f", "m"], "age": [20, 30], "smoker": [True, False]})
    >>> read_case({"age": "31", "smoker": "yes"}, schema)
    {'sex': None, 'age': 31.0, 'smoker': True}
    """
    require_columns(values, like.names, "the model")
    case = dict.fromkeys(like.names)
    odd = []
    for column in like.columns:
        text = values.get(column.name, "")
        if not text:
            continue
        try:
            case[column.name] = _plain(text, column)
        except ValueError:
            odd.append(column)
    if odd:
        case |= _as_a_file(values, replace(like, columns=tuple(odd)))
    return case


def _plain(text: str, column: Column) -> Any:
    """Read a value as most are written; a ValueError if it is written otherwise."""
    if column.levels is not None and column.unit != "boolean":
        place = places_of([text], column.levels)[0]
        unknown = None if is_blank(text) else text
        return column.levels[place] if place >= 0 else unknown
    if column.unit == "boolean" and text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    if column.unit == "number" and _NUMBER.fullmatch(text):
        return float(text)
    raise ValueError


def _as_a_file(values: Mapping[str, str], like: Schema) -> dict[str, Any]:
    import pyarrow as pa

    from bosco.tables.chunks import typed

    cells = {name: pa.array([values[name]]) for name in like.names}
    case = typed(
        pa.table(cells), like, (), 0, ".", Options(), lambda _: "as given", "the case", like.names
    )
    row: dict[str, Any] = case.X.to_pylist()[0]
    return row
