"""Rows of a node, a page at a time, and how one of them, or one that is typed, is answered."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.dates import MOMENTS, show_moment
from bosco.base.numerals import show_number
from bosco.data.columns import Coded
from bosco.data.schema import show_label, show_level
from bosco.drafts.draft import Draft
from bosco.drafts.figures import answers_on
from bosco.drafts.holding import rows_at
from bosco.drafts.state import Path, node_at
from bosco.errors import ParameterError
from bosco.rules.align import raw_value
from bosco.tables.case import read_case
from bosco.tree.tree import Tree
from bosco.workbench.doing import Body
from bosco.workbench.nodes import Sight
from bosco.workbench.views import written

PAGE = 50
"""Rows of a page."""

PARTS = ("training", "validation")
"""Parts whose rows may be looked at; those of the test are locked."""


def rows(
    sight: Sight, path: Path, part: str, page: int, sort: str | None, down: bool
) -> dict[str, Any]:
    """A page of the rows of a node, the columns on its path first."""
    if part not in PARTS:
        raise ParameterError(f"part must be one of {', '.join(PARTS)}. Got {part!r:.40}.")
    draft, tree = sight.draft, sight.state.tree
    ground, node = draft.ground, node_at(tree, path)
    found = rows_at(ground, tree, node, part)
    order = _columns(tree, node, len(ground.schema.names))
    names = [ground.schema.names[j] for j in order]
    if sort is not None:
        found = found[_order(draft, found, draft.column_place(sort), down)]
    pages = max(1, -(-len(found) // PAGE))
    page = min(max(page, 0), pages - 1)
    shown = np.ascontiguousarray(found[page * PAGE : (page + 1) * PAGE])
    said = _said(sight, shown)
    truth, answers, right = _truth(draft, shown), _answers(draft, said), _right(draft, shown, said)
    cells = [[_cell(draft, j, int(row)) for j in order] for row in shown]
    return {
        "columns": names,
        "rows": [
            {"row": int(row), "cells": c, "truth": t, "answer": a, "right": bool(r)}
            for row, c, t, a, r in zip(shown, cells, truth, answers, right, strict=True)
        ],
        "part": part,
        "page": page,
        "pages": pages,
        "rows_in_all": len(found),
        "shared": ground.unit > 1,
    }


def _columns(tree: Tree, node: int, n: int) -> list[int]:
    """Columns, those that the way to a node asks for first, and its own."""
    tests = (tree.test(above) for above in tree.path(node))
    first = list(dict.fromkeys(test.column for test in tests if test is not None))
    return [*first, *(j for j in range(n) if j not in first)]


def _order(draft: Draft, found: NDArray[np.uint32], j: int, down: bool) -> NDArray[np.intp]:
    """Places of rows by a column, ascending or descending; missing values last."""
    cells = draft.ground.frame.table.column(j)
    if isinstance(cells, Coded):
        rank = np.zeros(len(cells.levels) + 1)
        text = [show_level(level) for level in cells.levels]
        by_text = cells.unit == "text" and not cells.ordered
        order = sorted(range(len(text)), key=text.__getitem__) if by_text else range(len(text))
        rank[[k + 1 for k in order]] = np.arange(len(text))
        rank[0] = np.nan
        keys = rank[cells.codes[found]]
    else:
        keys = np.asarray(cells.values[found], np.float64)
    return np.argsort(-keys if down else keys, kind="stable")


def _cell(draft: Draft, j: int, row: int) -> str:
    """A cell as text; an empty one is missing."""
    cells, column = draft.ground.frame.table.column(j), draft.ground.schema.columns[j]
    if isinstance(cells, Coded):
        code = int(cells.codes[row])
        return show_level(cells.levels[code - 1]) if code else ""
    x = float(cells.values[row])
    if np.isnan(x):
        return ""
    return show_moment(column.unit, x) if column.unit in MOMENTS else show_number(x)


def _truth(draft: Draft, found: NDArray[np.uint32]) -> list[str | None]:
    classes, truth = draft.ground.classes, draft.ground.truth[found].tolist()
    if classes is None:
        return [show_number(x) for x in truth]
    return [None if k < 0 else show_label(classes[k]) for k in truth]


def _said(sight: Sight, found: NDArray[np.uint32]) -> NDArray[Any]:
    """What the tree says of rows in any order: places of classes, or numbers."""
    order = np.argsort(found, kind="stable")
    said: NDArray[Any] = answers_on(
        sight.draft.ground, sight.model, np.ascontiguousarray(found[order])
    )
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return said[back]


def _answers(draft: Draft, said: NDArray[Any]) -> list[str]:
    classes = draft.ground.classes
    if classes is None:
        return [show_number(x) for x in said.tolist()]
    return [show_label(classes[k]) for k in said.tolist()]


def _right(draft: Draft, found: NDArray[np.uint32], said: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the answer is the class of the row; of numbers none is wrong."""
    if draft.ground.classes is None:
        return np.ones(len(found), bool)
    return np.asarray(said == draft.ground.truth[found], bool)


# One case -----------------------------------------------------------------------------------------


def case_of_row(sight: Sight, row: int) -> dict[str, Any]:
    """How a row of the table is answered; those of the test part are locked."""
    draft = sight.draft
    ground = draft.ground
    if not 0 <= row < ground.table.n_rows:
        raise ParameterError(f"The table has rows 0 to {ground.table.n_rows - 1:,}. Got {row}.")
    if row in ground.parts.test:
        raise ParameterError(f"Row {row} is of the test part, which is locked.")
    values = {}
    for j, column in enumerate(ground.schema.given):
        cells = ground.frame.table.column(j)
        if isinstance(cells, Coded):
            code = int(cells.codes[row])
            values[column.name] = cells.levels[code - 1] if code else None
        else:
            x = float(cells.values[row])
            values[column.name] = None if np.isnan(x) else raw_value(column, x)
    told = _told(sight, values)
    one = np.array([row], np.uint32)
    return {**told, "row": row, "truth": _truth(draft, one)[0], "cells": _cells(draft, row)}


def _cells(draft: Draft, row: int) -> list[dict[str, str]]:
    given = draft.ground.schema.given
    return [{"column": c.name, "value": _cell(draft, j, row)} for j, c in enumerate(given)]


def case_typed(sight: Sight, body: Body) -> dict[str, Any]:
    """How a case that somebody typed is answered; an empty cell is missing."""
    cells = body.get("cells")
    if not isinstance(cells, dict) or not all(isinstance(x, str) for x in cells.values()):
        raise ParameterError("A case has texts by the names of columns.")
    known = {column.name for column in sight.draft.ground.schema.given}
    given = {name: text for name, text in cells.items() if name in known}
    told = _told(sight, read_case(given, sight.draft.ground.schema))
    shown = [{"column": name, "value": text} for name, text in given.items()]
    return {**told, "truth": None, "cells": shown}


def _told(sight: Sight, values: dict[str, Any]) -> dict[str, Any]:
    model = sight.model
    told = model.explain(values)
    nodes = [0, *(step.child for step in told.steps)]
    places = []
    place: Path = ()
    for above, below in pairwise(nodes):
        places.append(written(place))
        place = (*place, below - model.tree.children(above).start)
    answer = told.prediction
    shown = show_number(answer) if model.classes is None else show_label(answer)
    return {
        "words": str(told).splitlines(),
        "path": [*places, written(place)],
        "answer": shown,
    }
