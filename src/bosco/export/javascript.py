"""The model as a JavaScript module that imports nothing."""

import json
from collections.abc import Mapping
from string import Template

from bosco.data.columns import Level
from bosco.export.program import Program, one_line
from bosco.export.source import (
    Language,
    cell_names,
    domain,
    ifs,
    readable,
    said_of_classes,
    wrapped,
)
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

INDENT = "  "

_TABLES = """
function sharesOf(cells) {
  const total = new Array(WIDTH).fill(0);
  const open = ROOTS.slice();
  while (open.length > 0) {
    const [node, share] = open.pop();
    if (LEAVES.has(node)) {
      LEAVES.get(node).forEach((value, k) => { total[k] += share * value; });
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
function cellsOf(row) {
  return COLUMNS.map((name, column) => {
    const x = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (LEVELS.has(column)) return typeof x === "boolean" ? Number(x) : x;
    if (x === null || x === undefined) return NaN;
    if (typeof x !== "number") throw new TypeError(`${name} must be a number: ${x}`);
    return x;
  });
}
"""

_STRICT = """
// The columns in order; none that is asked for may be missing. A truth value of a level is 0 or 1.
function cellsOf(row) {
  return COLUMNS.map((name, column) => {
    if (!ASKED.includes(column)) return null;
    const x = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    const cell = typeof x === "boolean" ? Number(x) : x;
    const known = LEVELS.has(column) ? LEVELS.get(column).has(cell) : typeof cell === "number";
    if (!known || cell !== cell) throw new RangeError(`${name} is missing or unknown: ${x}`);
    return cell;
  });
}
"""

_CLASSES = """
// The $what of every class, in the order of CLASSES.
export function $function(row) {
  return sharesOf(cellsOf(row))$cut;
}

// The class with the $most, of equals the $tie.
export function predict(row) {
  const $given = $function(row);
  return CLASSES[$given.$find(Math.max(...$given))];
}
"""

_REAL = """
// The mean of the training rows of the leaf.
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
        f"\nexport const COLUMNS = {_text([c.name for c in code.columns])};\n",
    ]
    if code.classes is not None:
        parts.append(f"export const CLASSES = {_text(code.classes)};\n")
    parts.append(_levels(code))
    parts.append(_ifs(code) if readable(code) else _tables(code))
    strict = _STRICT.replace("ASKED", _text(code.used))
    parts.append(strict if code.refuses_missing else _CELLS)
    if code.classes is None:
        return "".join([*parts, _REAL])
    words, tie = said_of_classes(code, "predictProba"), of_equals(len(code.classes))
    find = "lastIndexOf" if tie == "last" else "indexOf"
    cut = ".map((share) => Math.min(share, 1))" if code.capped else ""
    parts.append(Template(_CLASSES).substitute(words, tie=tie, find=find, cut=cut))
    return "".join(parts)


def _head(code: Program) -> str:
    headline = code.headline.replace("<", "\\u003c")  # a page may hold the module as its script
    lines = [f"// {headline}", "//", "// predict(row) takes an object with these properties:"]
    lines += [f"//   {one_line(_text(c.name))}: {one_line(domain(c, _text))}" for c in code.columns]
    if code.refuses_missing:
        lines.append("// A missing value is refused.")
    else:
        lines.append("// null, undefined, NaN, and an unknown level are missing.")
    return "\n".join(lines) + "\n"


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
    lines = ["\nfunction sharesOf(cells) {"]
    lines += [f"{INDENT}const {name} = cells[{j}];" for j, name in names.items()]
    speech = Language(INDENT, True, " || ", "!==", _cell, _among)
    values = code.values
    lines += ifs(code, speech, names, lambda leaf: f"return {_text(values[leaf])}; // leaf {leaf}")
    return "\n".join([*lines, "}\n"])


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
            f"]);\nconst WIDTH = {len(code.values[0])};\n",
            "// The trees from the last to the first, and what each one's word weighs.\n",
            f"const ROOTS = {_text(code.roots[::-1])};\n{_TABLES}",
        ]
    )


def _text(value: object) -> str:
    """A value, or a list of some, as JavaScript, safe inside a page's <script> too."""
    return json.dumps(value).replace("</", "<\\/").replace("<!--", "<\\!--")


def _cell(value: object) -> str:
    """A level or number as `cellsOf` gives it."""
    return _text(int(value)) if isinstance(value, bool) else _text(value)
