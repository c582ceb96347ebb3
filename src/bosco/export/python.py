"""The model as a Python file that imports nothing."""

from collections.abc import Mapping
from string import Template

from bosco.data.columns import Level
from bosco.export.program import Program
from bosco.export.source import Language, cell_names, domain, ifs, readable, said_of_classes
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

INDENT = "    "

_TABLES = '''

def _shares(cells):
    total = [0.0] * WIDTH
    open_nodes = list(ROOTS)
    while open_nodes:
        node, share = open_nodes.pop()
        if node in LEAVES:
            for k, value in enumerate(LEAVES[node]):
                total[k] += share * value
            continue
        asks, missing, shares = NODES[node]
        to = _answer(asks, cells)
        if to is None:
            to = missing
        if to is None:
            open_nodes += [(child, share * factor) for child, factor in reversed(shares)]
        else:
            open_nodes.append((to, share))
    return total


def _answer(asks, cells):
    """Give the node that the first question with an answer leads to."""
    for column, cuts, to in asks:
        x = cells[column]
        if cuts is None:
            at = LEVELS[column].get(x)
            if at is not None:
                return to[at]
        elif x == x:
            return to[sum(cut < x for cut in cuts)]
    return None
'''

_CELLS = '''

def _cells(row):
    """Read the columns; a missing number is NaN."""
    cells = [row.get(name) for name in COLUMNS]
    for column, x in enumerate(cells):
        if x is None and column not in LEVELS:
            cells[column] = NAN
    return cells
'''

_STRICT = '''

def _cells(row):
    """Read the columns; none that is asked for may be missing."""
    cells = [row.get(name) for name in COLUMNS]
    for column in ASKED:
        x = cells[column]
        known = x in LEVELS[column] if column in LEVELS else x is not None and x == x
        if not known:
            raise ValueError(f"{COLUMNS[column]!r} is missing or unknown: {x!r}")
    return cells
'''

_CLASSES = '''

def $function(row):
    """Give the $what of every class, in the order of CLASSES."""
    return $summed


def predict(row):
    """Give the class with the $most, of equals the $tie."""
    $given = $function(row)
    return CLASSES[max($order, key=lambda k: $given[k])]
'''

_REAL = '''

def predict(row):
    """Give the mean of the training rows of the leaf."""
    return _shares(_cells(row))[0]
'''


def to_python(model: AnyModel) -> str:
    """A Python file that imports nothing, with `predict(row)` and `predict_proba(row)`."""
    code = model.program()
    parts = [_head(code), f"\nCOLUMNS = {tuple(column.name for column in code.columns)}\n"]
    if code.classes is not None:
        classes = ", ".join(map(_literal, code.classes))
        parts.append(f"CLASSES = ({classes}{',' * (len(code.classes) == 1)})\n")
    parts += [_levels(code), 'NAN = float("nan")\n']
    parts.append(_ifs(code) if readable(code) else _tables(code))
    strict = _STRICT.replace("ASKED", str(code.used))
    parts.append(strict if code.refuses_missing else _CELLS)
    if code.classes is None:
        return "".join([*parts, _REAL])
    words, tie = said_of_classes(code, "predict_proba"), of_equals(len(code.classes))
    summed = "_shares(_cells(row))"
    if code.adds == "shares":
        cut = f"[min(share, 1.0) for share in {summed}]"
        summed = cut if code.capped else f"list({summed})"
    order = "range(len(CLASSES))"  # the first of the largest is taken
    order = f"reversed({order})" if tie == "last" else order
    parts.append(Template(_CLASSES).substitute(words, summed=summed, tie=tie, order=order))
    return "".join(parts)


def _head(code: Program) -> str:
    lines = [f"# {code.headline}", "#", "# predict(row) takes a mapping of these columns:"]
    lines += [f"#   {column.name!r}: {domain(column, repr)}" for column in code.columns]
    if code.refuses_missing:
        lines.append("# A missing value is refused.")
    else:
        lines.append("# None, NaN, a column that is not there, and an unknown level are missing.")
    return "\n".join(lines) + "\n"


def _levels(code: Program) -> str:
    """The positions of levels, by column."""
    lines = ["LEVELS = {\n"]
    for j, column in enumerate(code.columns):
        if column.levels is not None:
            places = (f"{_literal(level)}: {at}" for at, level in enumerate(column.levels))
            lines.append(f"{INDENT}{j}: {{{', '.join(places)}}},\n")
    return "".join([*lines, "}\n"]) if len(lines) > 1 else "LEVELS = {}\n"


def _ifs(code: Program) -> str:
    names = cell_names(code)
    lines = ["\n\ndef _shares(cells):"]
    lines += [f"{INDENT}{name} = cells[{j}]" for j, name in names.items()]
    speech = Language(INDENT, False, " or ", "!=", _literal, _among)
    lines += ifs(code, speech, names, lambda leaf: f"return {code.values[leaf]}  # leaf {leaf}")
    return "\n".join(lines) + "\n"


def _among(x: str, levels: Mapping[int, Level]) -> str:
    chosen = [*map(_literal, levels.values())]
    return f"{x} == {chosen[0]}" if len(chosen) == 1 else f"{x} in {{{', '.join(chosen)}}}"


def _tables(code: Program) -> str:
    return "".join(
        [
            "\n# node: questions (column, cuts or None for levels, to), missing to, or in shares\n",
            "NODES = {\n",
            *(f"{INDENT}{at}: {_literal(node)},\n" for at, node in code.inner()),
            "}\nLEAVES = {\n",
            *(f"{INDENT}{leaf}: {code.values[leaf]},\n" for leaf in code.leaves),
            f"}}\nWIDTH = {len(code.values[0])}\n",
            "# The trees from the last to the first, and what each one's word weighs.\n",
            f"ROOTS = {code.roots[::-1]}\n{_TABLES}",
        ]
    )


def _literal(value: object) -> str:
    """A level or numbers as Python source; infinity, which has no literal, as one too large."""
    return repr(value) if isinstance(value, str) else repr(value).replace("inf", "1e999")
