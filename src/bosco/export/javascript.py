"""The model as a JavaScript module that imports nothing."""

import json
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
    wrapped,
)
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

INDENT = "  "
_CELLS_BY_ORDER = "cells, byOrder = false"

_TABLES = """
function sharesOf($cells) {
  const total = new Array(WIDTH).fill(0);
  const open = ROOTS.slice();
  while (open.length > 0) {
    const [node, share] = open.pop();
    if (LEAVES.has(node)) {
      $says.forEach((value, k) => { total[k] += share * value; });
      continue;
    }
    const [asks, missing, shares] = NODES.get(node);
    const to = answer(asks, cells) ?? missing;
    if (to !== null) {
      open.push([to, share]);
    } else {
      for (let i = shares.length - 1; i >= 0; i--) {
        open.push([shares[i][0], share * shares[i][1]]);
      }
    }
  }
  return total;
}

// The node that the first question with an answer leads to.
function answer(asks, cells) {
  for (const [column, cuts, to] of asks) {
    const x = cells[column];
    if (cuts === null) {
      const at = LEVELS.get(column).get(x);
      if (at !== undefined) return to[at];
    } else if (x === x) {
      let at = 0;
      while (at < cuts.length && cuts[at] < x) at++;
      return to[at];
    }
  }
  return undefined;
}
"""

_CELLS = """
// The columns in order: a missing number is NaN, a truth value among levels is 0 or 1.
${export}function cellsOf(row) {
  return ${open}COLUMNS.map((name, column) => {
    const x = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (LEVELS.has(column)) return typeof x === "boolean" ? Number(x) : x;
    if (x === null || x === undefined) return NaN;
    if (typeof x !== "number") throw new TypeError(`$${name} must be a number: $${x}`);
    return x;
  })$close;
}
"""

_STRICT = """
// The columns in order; none that is asked for may be missing. A truth value of a level is 0 or 1.
${export}function cellsOf(row) {
  const cells = ${open}COLUMNS.map((name, column) => {
    if (!$needed.includes(column)) return null;
    const x = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    return typeof x === "boolean" ? Number(x) : x;
  })$close;
  for (const column of $asked) {
    const x = cells[column];
    const known = LEVELS.has(column) ? LEVELS.get(column).has(x) : typeof x === "number";
    if (!known || x !== x) throw new RangeError(`$${$names[column]} is missing or unknown: $${x}`);
  }
  return cells;
}
"""

_CLASSES = """
// The $what of every class, in the order of CLASSES.
export function $function(row) {
  return sharesOf(cellsOf(row))$cut;
}

// $Chosen.
export function predict(row) {
  $declare $given = $decided;
$weighed  return CLASSES[$given.$find(Math.max(...$given))];
}
"""

_REAL = """
// The $mean.
export function predict(row) {
  return sharesOf(cellsOf(row))[0];
}
"""


def to_javascript(model: AnyModel) -> str:
    """A JavaScript module with `predict(row)` and `predictProba(row)`."""
    code = model.program()
    code.require_float_levels("JavaScript")
    parts = [
        _head(code),
        f"\nexport const COLUMNS = {_text([c.name for c in code.given])};\n",
    ]
    if code.derived and code.refuses_missing:
        parts.append(f"const NAMES = {_text([c.name for c in code.columns])};\n")
    if code.classes is not None:
        parts.append(f"export const CLASSES = {_text(code.classes)};\n")
    parts.append(_levels(code))
    parts.append(_ifs(code) if readable(code) else _tables(code))
    parts += [_derived(code), _cells(code)]
    if code.classes is None:
        return "".join([*parts, Template(_REAL).substitute(mean=said_of_mean(code))])
    words, tie = said_of_classes(code, "predictProba"), of_equals(len(code.classes))
    find = "lastIndexOf" if tie == "last" else "indexOf"
    decided = "sharesOf(cellsOf(row), true)" if code.apart else f"{words['function']}(row)"
    cut = ".map((share) => Math.min(share, 1))" if code.capped else ""
    chosen = code.said_of_choice(words["most"], tie)
    chosen = f"{chosen[0].upper()}{chosen[1:]}".replace("<", "\\u003c")
    told = {"Chosen": chosen, "decided": decided, "find": find, "cut": cut}
    given = words["given"]
    weighed = f"{INDENT}{given} = [{', '.join(sums_in(code, given))}];\n" if code.sums else ""
    told |= {"weighed": weighed, "declare": "let" if code.sums else "const"}
    parts.append(Template(_CLASSES).substitute(words, **told))
    return "".join(parts)


def _head(code: Program) -> str:
    headline = code.headline.replace("<", "\\u003c")  # a page may hold the module as its script
    lines = [f"// {headline}", "//", "// predict(row) takes an object with these properties:"]
    lines += [f"//   {one_line(_text(c.name))}: {one_line(domain(c, _text))}" for c in code.given]
    if code.refuses_missing:
        lines.append("// A missing value is refused.")
    else:
        lines.append("// null, undefined, NaN, and an unknown level are missing.")
    if code.derived:
        lines.append("// Derived from them; what has no finite value is missing:")
        lines += [f"//   {line}".replace("<", "\\u003c") for line in explained(code)]
    return "\n".join(lines) + "\n"


_COMPARED = {sign: f"is{word.title().replace('_', '')}" for sign, word in COMPARED.items()}
_SIGNS = {"==": "===", "!=": "!=="}
_FUNCTIONS = {
    "finite": """
// A number, NaN if it is not finite.
function finite(x) {
  return Number.isFinite(x) ? x : NaN;
}
""",
    **{
        name: f"""
function {name}(a, b) {{
  return a !== a || b !== b ? NaN : Number(a {_SIGNS.get(sign, sign)} b);
}}
"""
        for sign, name in _COMPARED.items()
    },
    "isAmong": """
// Whether a level is at one of the positions: 1 or 0, NaN if it is not known.
function isAmong(x, column, positions) {
  const at = LEVELS.get(column).get(x);
  return at === undefined ? NaN : Number(positions.includes(at));
}
""",
}

_ARITHMETIC = Arithmetic(
    {
        "negated": "(-{0})",
        "abs": "Math.abs({0})",
        "floor": "Math.floor({0})",
        "sqrt": "Math.sqrt({0})",
        "not": "(1 - {0})",
        **{sign: f"finite({{0}} {sign} {{1}})" for sign in "+-*/"},
        "min": "Math.min({0}, {1})",
        "max": "Math.max({0}, {1})",
        "and": "({0} * {1})",
        "or": "Math.max({0}, {1})",
        **{sign: f"{name}({{0}}, {{1}})" for sign, name in _COMPARED.items()},
    },
    number=lambda j: f"finite(cells[{j}])",
    among=lambda j, positions: f"isAmong(cells[{j}], {j}, {_text(positions)})",
    assign="const {0} = {1};",
)


def _derived(code: Program) -> str:
    """The function that computes derived columns, and those it needs."""
    if not code.derived:
        return ""
    lines = ["", "// The cells, and the derived columns after them.", "function derived(cells) {"]
    for j in range(len(code.given), len(code.columns)):
        if j not in code.derived:
            lines.append(f"{INDENT}cells.push(NaN); // not asked for")
            continue
        before, value = computed(code.derived[j], _ARITHMETIC, j)
        lines += [f"{INDENT}{line}" for line in before]
        lines.append(f"{INDENT}cells.push({value}); // {one_line(_text(code.columns[j].name))}")
    text = "\n".join([*lines, f"{INDENT}return cells;", "}", ""])
    return helpers(text, _FUNCTIONS) + text


def _cells(code: Program) -> str:
    return Template(_STRICT if code.refuses_missing else _CELLS).substitute(
        export="export " if code.derived else "",
        open="derived(" if code.derived else "",
        close=")" if code.derived else "",
        needed=_text(code.needed),
        asked=_text(code.used),
        names="NAMES" if code.derived else "COLUMNS",
    )


def _levels(code: Program) -> str:
    """The positions of levels, by column."""
    found = []
    for j, column in enumerate(code.columns):
        if column.levels is not None:
            places = [f"[{_cell(level)}, {at}]" for at, level in enumerate(column.levels)]
            found.append(f"{INDENT}[{j}, new Map([\n{wrapped(places, INDENT * 2)}\n{INDENT}])],\n")
    inside = f"[\n{''.join(found)}]" if found else ""
    return f"const LEVELS = new Map({inside});\n"


def _ifs(code: Program) -> str:
    names = cell_names(code)
    lines = [f"\nfunction sharesOf({_CELLS_BY_ORDER if code.apart else 'cells'}) {{"]
    lines += [f"{INDENT}const {name} = cells[{j}];" for j, name in names.items()]
    speech = Language(INDENT, True, " || ", "!==", _cell, _among)
    lines += ifs(
        code, speech, names, lambda leaf: f"return {_says(code, leaf)}; // {code.mark(leaf)}"
    )
    return "\n".join([*lines, "}\n"])


def _says(code: Program, leaf: int) -> str:
    """What a leaf says; of one that answers by order, what it gives to a decision too."""
    if leaf not in code.orders or not code.apart:
        return _text(code.values[leaf])
    return f"byOrder ? {_text(code.votes(leaf))} : {_text(code.values[leaf])}"


def _among(x: str, levels: Mapping[int, Level]) -> str:
    chosen = [*map(_cell, levels.values())]
    one = f"{x} === {chosen[0]}"
    return one if len(chosen) == 1 else f"[{', '.join(chosen)}].includes({x})"


def _tables(code: Program) -> str:
    return "".join(
        [
            "\n// node, [questions [column, cuts or null for levels, to], missing to, or shares]\n",
            "const NODES = new Map([\n",
            *(f"{INDENT}{_text(pair)},\n" for pair in code.inner()),
            "]);\nconst LEAVES = new Map([\n",
            *(f"{INDENT}{_text((leaf, code.values[leaf]))},\n" for leaf in code.leaves),
            "]);\n",
            *_orders(code),
            f"const WIDTH = {len(code.values[0])};\n",
            "// The trees from the last to the first, and what each one's word weighs.\n",
            f"const ROOTS = {_text(code.roots[::-1])};\n",
            Template(_TABLES).safe_substitute(
                cells=_CELLS_BY_ORDER if code.apart else "cells",
                says="(byOrder && ORDERS.has(node) ? ORDERS : LEAVES).get(node)"
                if code.apart
                else "LEAVES.get(node)",
            ),
        ]
    )


def _orders(code: Program) -> list[str]:
    """What leaves that answer by order give to a decision."""
    if not code.apart:
        return []
    said = (f"{INDENT}{_text((leaf, code.votes(leaf)))},\n" for leaf in sorted(code.orders))
    head = "// What leaves give to a decision that answer by order.\nconst ORDERS = new Map([\n"
    return [head, *said, "]);\n"]


def _text(value: object) -> str:
    """A value, or a list of some, as JavaScript, safe inside a page's <script> too."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")


def _cell(value: object) -> str:
    """A level or number as `cellsOf` gives it."""
    return _text(int(value)) if isinstance(value, bool) else _text(value)
