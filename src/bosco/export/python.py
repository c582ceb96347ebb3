"""The model as a Python file that imports nothing."""

from collections.abc import Mapping
from string import Template

from bosco.data.columns import Level
from bosco.export.arithmetic import COMPARED, Arithmetic, computed, helpers
from bosco.export.program import Program, one_line
from bosco.export.source import (
    Language,
    cell_names,
    domain,
    explained,
    ifs,
    readable,
    said_of_classes,
    said_of_mean,
    sums_in,
)
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

INDENT = "    "
_CELLS_BY_ORDER = "cells, by_order=False"

_TABLES = '''

def _shares($cells):
    total = [0.0] * WIDTH
    open_nodes = list(ROOTS)
    while open_nodes:
        node, share = open_nodes.pop()
        if node in LEAVES:
            for k, value in enumerate($says):
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
    cells = [row.get(name) for name in COLUMNS]$derived
    for column in $asked:
        x = cells[column]
        known = x in LEVELS[column] if column in LEVELS else x is not None and x == x
        if not known:
            raise ValueError(f"{$names[column]!r} is missing or unknown: {x!r}")
    return cells
'''

_CLASSES = '''

def $function(row):
    """Give the $what of every class, in the order of CLASSES."""
    return $summed


def predict(row):
    """Give $chosen."""
    $given = $decided
$weighed    return CLASSES[max($order, key=lambda k: $given[k])]
'''

_REAL = '''

def predict(row):
    """Give the $mean."""
    return _shares(_cells(row))[0]
'''


def to_python(model: AnyModel) -> str:
    """A Python file that imports nothing, with `predict(row)` and `predict_proba(row)`."""
    code = model.program()
    parts = [_head(code), f"\nCOLUMNS = {tuple(column.name for column in code.given)}\n"]
    if code.derived and code.refuses_missing:
        parts.append(f"NAMES = {tuple(column.name for column in code.columns)}\n")
    if code.classes is not None:
        classes = ", ".join(map(_literal, code.classes))
        parts.append(f"CLASSES = ({classes}{',' * (len(code.classes) == 1)})\n")
    parts += [_levels(code), 'NAN = float("nan")\n']
    parts.append(_ifs(code) if readable(code) else _tables(code))
    parts += [_derived(code), _cells(code)]
    if code.classes is None:
        return "".join([*parts, Template(_REAL).substitute(mean=said_of_mean(code))])
    words, tie = said_of_classes(code, "predict_proba"), of_equals(len(code.classes))
    decided = "_shares(_cells(row), True)" if code.apart else f"{words['function']}(row)"
    summed = "_shares(_cells(row))"
    if code.adds == "shares":
        cut = f"[min(share, 1.0) for share in {summed}]"
        summed = cut if code.capped else f"list({summed})"
    order = "range(len(CLASSES))"  # the first of the largest is taken
    order = f"reversed({order})" if tie == "last" else order
    told = {"chosen": code.said_of_choice(words["most"], tie), "summed": summed, "order": order}
    told |= {"decided": decided, "weighed": _weighed(code, words["given"])}
    parts.append(Template(_CLASSES).substitute(words, **told))
    return "".join(parts)


def _weighed(code: Program, given: str) -> str:
    """The line that makes of shares what is compared; none where they are compared themselves."""
    if not code.sums:
        return ""
    return f"{INDENT}{given} = [{', '.join(sums_in(code, given))}]\n"


def _head(code: Program) -> str:
    lines = [f"# {code.headline}", "#", "# predict(row) takes a mapping of these columns:"]
    lines += [f"#   {column.name!r}: {domain(column, repr)}" for column in code.given]
    if code.refuses_missing:
        lines.append("# A missing value is refused.")
    else:
        lines.append("# None, NaN, a column that is not there, and an unknown level are missing.")
    if code.derived:
        lines.append("# Derived from them; what has no finite value is missing:")
        lines += [f"#   {line}" for line in explained(code)]
    return "\n".join(lines) + "\n"


_FUNCTIONS = {
    "_finite": '''

def _finite(x):
    """Give a float, NaN if it is not finite."""
    x = NAN if x is None else float(x)
    return x if x - x == 0.0 else NAN
''',
    "_over": """

def _over(a, b):
    return _finite(a / b) if b else NAN
""",
    "_min": """

def _min(a, b):
    return a if a != a or a < b else b
""",
    "_max": """

def _max(a, b):
    return a if a != a or a > b else b
""",
    **{
        f"_{word}": f"""

def _{word}(a, b):
    return NAN if a != a or b != b else float(a {sign} b)
"""
        for sign, word in COMPARED.items()
    },
    "_among": '''

def _among(x, column, positions):
    """Tell whether a level is at one of the positions."""
    at = LEVELS[column].get(x)
    return NAN if at is None else float(at in positions)
''',
    "_root": """

def _root(x):
    from math import sqrt

    return NAN if x != x or x < 0.0 else sqrt(x)
""",
}

_ARITHMETIC = Arithmetic(
    {
        "negated": "(-{0})",
        "abs": "abs({0})",
        "floor": "({0} // 1.0)",
        "sqrt": "_root({0})",
        "not": "(1.0 - {0})",
        **{sign: f"_finite({{0}} {sign} {{1}})" for sign in "+-*"},
        "/": "_over({0}, {1})",
        "min": "_min({0}, {1})",
        "max": "_max({0}, {1})",
        "and": "({0} * {1})",
        "or": "_max({0}, {1})",
        **{sign: f"_{word}({{0}}, {{1}})" for sign, word in COMPARED.items()},
    },
    number=lambda j: f"_finite(cells[{j}])",
    among=lambda j, positions: f"_among(cells[{j}], {j}, {positions})",
    assign="{0} = {1}",
)


def _derived(code: Program) -> str:
    """The function that computes derived columns, and those it needs."""
    if not code.derived:
        return ""
    lines = ["", "", "def _derived(cells):", f'{INDENT}"""Add the derived columns."""']
    lines.append(f"{INDENT}cells = cells + [NAN] * {len(code.columns) - len(code.given)}")
    for j, formula in code.derived.items():
        before, value = computed(formula, _ARITHMETIC, j)
        said = one_line(code.columns[j].name)
        lines += [f"{INDENT}{line}" for line in before]
        lines.append(f"{INDENT}cells[{j}] = {value}  # {said}")
    text = "\n".join([*lines, f"{INDENT}return cells", ""])
    return helpers(text, _FUNCTIONS) + text


def _cells(code: Program) -> str:
    if not code.refuses_missing:
        return _CELLS.replace("return cells", "return _derived(cells)") if code.derived else _CELLS
    added = f"\n{INDENT}cells = _derived(cells)" if code.derived else ""
    names = "NAMES" if code.derived else "COLUMNS"
    return Template(_STRICT).substitute(derived=added, asked=code.used, names=names)


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
    lines = [f"\n\ndef _shares({_CELLS_BY_ORDER if code.apart else 'cells'}):"]
    lines += [f"{INDENT}{name} = cells[{j}]" for j, name in names.items()]
    speech = Language(INDENT, False, " or ", "!=", _literal, _among)
    lines += ifs(
        code, speech, names, lambda leaf: f"return {_says(code, leaf)}  # {code.mark(leaf)}"
    )
    return "\n".join(lines) + "\n"


def _says(code: Program, leaf: int) -> str:
    """What a leaf says; of one that answers by order, what it gives to a decision too."""
    if leaf not in code.orders or not code.apart:
        return f"{code.values[leaf]}"
    return f"{code.votes(leaf)} if by_order else {code.values[leaf]}"


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
            "}\n",
            *_orders(code),
            f"WIDTH = {len(code.values[0])}\n",
            "# The trees from the last to the first, and what each one's word weighs.\n",
            f"ROOTS = {code.roots[::-1]}\n",
            Template(_TABLES).substitute(
                cells=_CELLS_BY_ORDER if code.apart else "cells",
                says="(ORDERS if by_order and node in ORDERS else LEAVES)[node]"
                if code.apart
                else "LEAVES[node]",
            ),
        ]
    )


def _orders(code: Program) -> list[str]:
    """What leaves that answer by order give to a decision."""
    if not code.apart:
        return []
    said = (f"{INDENT}{leaf}: {code.votes(leaf)},\n" for leaf in sorted(code.orders))
    return ["# What leaves give to a decision that answer by order.\nORDERS = {\n", *said, "}\n"]


def _literal(value: object) -> str:
    """A level or numbers as Python source; infinity, which has no literal, as one too large."""
    return repr(value) if isinstance(value, str) else repr(value).replace("inf", "1e999")
