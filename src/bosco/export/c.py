"""The model as one C99 header: no allocation, no recursion, no library but the standard headers."""

from collections.abc import Iterable, Mapping, Sized
from itertools import accumulate

from bosco.data.columns import Level
from bosco.data.schema import Column
from bosco.export.c_derived import derive_function
from bosco.export.program import Program, children, one_line
from bosco.export.source import (
    UNITS,
    Language,
    explained,
    ifs,
    number,
    readable,
    require_name,
    said_of_mean,
    unique,
    wrapped,
)
from bosco.tree.family import AnyModel
from bosco.tree.ties import of_equals

INDENT = "    "

_TAKEN = ("COLUMNS", "CLASSES", "H")
_TABLES = """
/* The node that the first question with an answer leads to; -1 if there is none. */
static inline int32_t NAME_answer(int32_t node, const double *row)
{
    for (int32_t a = NAME_ask_begin[node]; a < NAME_ask_begin[node + 1]; ++a) {
        const double x = row[NAME_ask_column[a]];
        const int32_t *to = NAME_to + NAME_to_begin[a];
        const int32_t n = NAME_to_begin[a + 1] - NAME_to_begin[a];
        if (NAME_is_level[NAME_ask_column[a]]) {
            if (x >= 1 && x <= n && x == (int32_t)x) return to[(int32_t)x - 1];
        } else if (x == x) {
            const double *cuts = NAME_cuts + NAME_cut_begin[a];
            int32_t i = 0;
            while (i < n - 1 && cuts[i] < x) ++i;
            return to[i];
        }
    }
    return -1;
}

/* Fills WHAT. */
static inline void HEAD
{
    int32_t open_node[STACK];
    double open_share[STACK];
    int32_t n_open = 0, next_tree = 0;
    for (int32_t k = 0; k < WIDTH; ++k) shares[k] = 0.0;
    while (n_open > 0 || next_tree < TREES) {
        int32_t node, to;
        double share;
        if (n_open == 0) { /* the next tree, and what its word weighs */
            open_node[n_open] = NAME_root[next_tree];
            open_share[n_open++] = NAME_weight[next_tree++];
        }
        node = open_node[--n_open];
        share = open_share[n_open];
        if (NAME_leaf[node] >= 0) {
            for (int32_t k = 0; k < WIDTH; ++k) {
                /* rounded before it is added, whatever the compiler would like to fuse */
                const volatile double part = share * SAYS[k];
                shares[k] += part;
            }
            continue;
        }
        to = NAME_answer(node, row);
        if (to < 0) to = NAME_missing[node];
        if (to >= 0) {
            open_node[n_open] = to;
            open_share[n_open++] = share;
            continue;
        }
        for (int32_t s = NAME_share_begin[node + 1]; s-- > NAME_share_begin[node];) {
            open_node[n_open] = NAME_share_node[s];
            open_share[n_open++] = share * NAME_share[s];
        }
    }
CAP}
"""

_CAP = """    for (int32_t k = 0; k < WIDTH; ++k)
        if (shares[k] > 1.0) shares[k] = 1.0;
"""


def to_c(model: AnyModel, name: str = "model") -> str:
    """A C99 header that allocates nothing; its functions begin with `name`."""
    code = model.program()
    require_name(name, "name")
    code.require_unicode("C")
    code.require_no_nul("C")
    code.require_one_type("C")
    code.require_float_levels("C")
    upper = name.upper()
    # The names of the header's own constants are taken.
    safe = unique([*_TAKEN, *(column.name for column in code.given)])[len(_TAKEN) :]
    fields = [f"{upper}_{field}" for field in safe]
    parts = [_head(code, name, fields), _classes(code, name)]
    parts += [
        _level_function(column, f"{name}_level_{field.removeprefix(f'{upper}_')}")
        for column, field in zip(code.given, fields, strict=True)
        if column.levels is not None
    ]
    parts.append(derive_function(code, name, fields, INDENT))
    parts.append(_ifs(code, name, fields) if readable(code) else _tables(code, name))
    if code.derived:
        parts.append(_with_derived(code, name))
    parts += [_shares_alone(code, name), _predict(code, name), f"\n#endif /* {upper}_H */\n"]
    return "".join(parts)


def _head(code: Program, name: str, fields: list[str]) -> str:
    upper = name.upper()
    lines = [f"/* {code.headline}", " *"]
    lines += [" * A row is an array of doubles, one per column, NAN where a value is missing:"]
    for column, field in zip(code.given, fields, strict=True):
        domain = f"what {name}_level_{field.removeprefix(f'{upper}_')}() gives"
        domain = UNITS[column.unit] if column.levels is None else domain
        lines.append(f" *   row[{field}]: {one_line(column.name)!r}, {domain}")
    if code.derived:
        lines.append(
            " * Derived from them, each operation rounded by itself, never fused; what has"
        )
        lines.append(" * no finite value is NAN:")
        lines += [f" *   {line}" for line in explained(code)]
    lines += [" */", f"#ifndef {upper}_H", f"#define {upper}_H", ""]
    lines += ["#include <float.h>", "#include <math.h>", "#include <stdint.h>"]
    lines += ["#include <string.h>", "", "enum {"]
    lines += [f"{INDENT}{field} = {j}," for j, field in enumerate(fields)]
    lines += [f"{INDENT}{upper}_COLUMNS = {len(fields)}", "};", ""]
    # Anything but plain float64 arithmetic could answer otherwise than the model.
    lines += [
        "#if FLT_EVAL_METHOD != 0 || defined(__FAST_MATH__)",
        '#error "double arithmetic must be plain IEEE 754"',
    ]
    return "\n".join([*lines, "#endif", ""])


def _classes(code: Program, name: str) -> str:
    if code.classes is None:
        return ""
    labels = [_string(label if isinstance(label, str) else str(label)) for label in code.classes]
    return (
        f"\nenum {{ {name.upper()}_CLASSES = {len(labels)} }};\n"
        f"\n/* The classes in order. */\n"
        f"static inline const char *{name}_class_name(int at)\n{{\n"
        f"{INDENT}static const char *const names[] = {{\n{wrapped(labels, INDENT * 2)}\n"
        f"{INDENT}}};\n{INDENT}return at >= 0 && at < {len(labels)} ? names[at] : 0;\n}}\n"
    )


def _level_function(column: Column, function: str) -> str:
    """From a level to its number in a row, by a search among sorted levels."""
    assert column.levels is not None
    levels = column.levels
    if isinstance(levels[0], str):
        order = sorted(range(len(levels)), key=lambda i: str(levels[i]).encode())
        shown = [_string(str(levels[i])) for i in order]
        declared, kind, compare = "const char *const", "const char *", "strcmp(level, levels[mid])"
        guard = "!level"
    else:
        order = sorted(range(len(levels)), key=lambda i: float(levels[i]))
        shown = [_real(float(levels[i])) for i in order]
        declared, kind, guard = "const double", "double ", "level != level"
        compare = "(level > levels[mid]) - (level < levels[mid])"
    return (
        f"\n/* The number of a level of {one_line(column.name)!r}; NAN if it is not known. */\n"
        f"static inline double {function}({kind}level)\n{{\n"
        f"{INDENT}static {declared} levels[] = {{\n{wrapped(shown, INDENT * 2)}\n{INDENT}}};\n"
        f"{INDENT}static const int32_t numbers[] = {{\n"
        f"{wrapped([str(i + 1) for i in order], INDENT * 2)}\n{INDENT}}};\n"
        f"{INDENT}int32_t low = 0, high = {len(order)};\n"
        f"{INDENT}if ({guard}) return NAN;\n"
        f"{INDENT}while (low < high) {{\n"
        f"{INDENT * 2}const int32_t mid = low + (high - low) / 2;\n"
        f"{INDENT * 2}const int order = {compare};\n"
        f"{INDENT * 2}if (order == 0) return numbers[mid];\n"
        f"{INDENT * 2}if (order > 0) low = mid + 1;\n"
        f"{INDENT * 2}else high = mid;\n"
        f"{INDENT}}}\n{INDENT}return NAN;\n}}\n"
    )


def _predict(code: Program, name: str) -> str:
    width = len(code.values[0])
    fill = f"{name}_decided(row, shares, 1)" if code.apart else f"{name}_shares(row, shares)"
    most = "largest share, or the one ordered" if code.apart else "largest share"
    refuse = f"{INDENT}if (!{name}_known(row)) return {{0}};\n" if code.refuses_missing else ""
    known = _known(code, name) if code.refuses_missing else ""
    if code.classes is None:
        return (
            f"{known}\n/* The {said_of_mean(code)}"
            f"{', NAN if a value is missing' if known else ''}. */\n"
            f"static inline double {name}_predict(const double *row)\n{{\n"
            f"{INDENT}double mean[1];\n{refuse.format('NAN')}"
            f"{INDENT}{name}_shares(row, mean);\n{INDENT}return mean[0];\n}}\n"
        )
    tie = of_equals(len(code.classes))
    leads = ">=" if tie == "last" else ">"
    chosen, given = code.said_of_choice(most, tie), "given" if code.sums else "shares"
    weighed = f"{INDENT}double given[{width}];\n" if code.sums else ""
    return (
        f"{known}\n/* {chosen[0].upper()}{chosen[1:]}"
        f"{'; -1 if a value is missing' if known else ''}. */\n"
        f"static inline int {name}_predict(const double *row)\n{{\n"
        f"{INDENT}double shares[{width}];\n{weighed}{INDENT}int best = 0;\n"
        f"{refuse.format('-1')}{INDENT}{fill};\n{_weighed(code)}"
        f"{INDENT}for (int k = 1; k < {width}; ++k)\n"
        f"{INDENT * 2}if ({given}[k] {leads} {given}[best]) best = k;\n{INDENT}return best;\n}}\n"
    )


def _weighed(code: Program) -> str:
    """The lines that make of shares what is compared; none where they are compared themselves."""
    lines = []
    for k, (constant, terms) in enumerate(code.sums):
        lines += [] if terms else [f"{INDENT}given[{k}] = {number(constant)};"]
        for nth, (place, factor) in enumerate(terms):
            product = f"shares[{place}] * {number(factor)}"
            if nth == 0:
                lines.append(f"{INDENT}given[{k}] = {product};")
            else:  # rounded before it is added, whatever the compiler would like to fuse
                part = f"const volatile double part = {product}"
                lines.append(f"{INDENT}{{ {part}; given[{k}] += part; }}")
    return "".join(f"{line}\n" for line in lines)


def _known(code: Program, name: str) -> str:
    asked = wrapped([str(j) for j in code.used or (-1,)], INDENT * 2)
    row, derive = "row", ""
    if code.derived:
        row, cells = "cells", f"{INDENT}double cells[{len(code.columns)}];\n"
        derive = f"{cells}{INDENT}{name}_derive(row, cells);\n"
    return (
        f"\n/* Whether no value that is asked for is missing. */\n"
        f"static inline int {name}_known(const double *row)\n{{\n"
        f"{INDENT}static const int32_t asked[] = {{\n{asked}\n{INDENT}}};\n{derive}"
        f"{INDENT}for (int32_t k = 0; k < {len(code.used)}; ++k)\n"
        f"{INDENT * 2}if ({row}[asked[k]] != {row}[asked[k]]) return 0;\n{INDENT}return 1;\n}}\n"
    )


def _ifs(code: Program, name: str, fields: list[str]) -> str:
    def leaf(node: int) -> str:
        said = f"{_set(code.values[node])} /* {code.mark(node)} */"
        if node not in code.orders or not code.apart:
            return said
        return f"if (by_order) {{ {_set(code.votes(node))} }} else {{ {said} }}"

    lines = [f"\n/* Fills {_filled(code)}. */"]
    lines += [f"static inline void {_head_of_shares(code, name)}", "{"]
    if code.nodes[0] is None:
        lines.append(f"{INDENT}(void)row;")
    cells = {j: f"row[{j} /* {one_line(c.name)} */]" for j, c in enumerate(code.columns)}
    cells |= {j: f"row[{field}]" for j, field in enumerate(fields)}
    lines += ifs(code, _C, cells, leaf)
    return "\n".join([*lines, "}\n"])


def _set(values: Iterable[float]) -> str:
    return " ".join(f"shares[{k}] = {number(value)};" for k, value in enumerate(values))


def _decided(code: Program, name: str) -> str:
    """What the function is called that finds what leaves say, and is asked by others."""
    return f"{name}_decided" if code.apart else f"{name}_shares"


def _head_of_shares(code: Program, name: str) -> str:
    """The function that walks down; where leaves answer by order, it is told what is asked for.

    Where columns are derived, it takes the row with them.
    """
    called = _decided(code, name) + ("_derived" if code.derived else "")
    return f"{called}(const double *row, double *shares{', int by_order' if code.apart else ''})"


def _with_derived(code: Program, name: str) -> str:
    """The same function of the row as it is given."""
    order = ("", "") if not code.apart else (", int by_order", ", by_order")
    called = _decided(code, name)
    return (
        f"\n/* Fills {_filled(code)}. */\n"
        f"static inline void {called}(const double *row, double *shares{order[0]})\n{{\n"
        f"{INDENT}double cells[{len(code.columns)}];\n{INDENT}{name}_derive(row, cells);\n"
        f"{INDENT}{called}_derived(cells, shares{order[1]});\n}}\n"
    )


def _shares_alone(code: Program, name: str) -> str:
    """The shares of rows, where a decision goes by other numbers."""
    if not code.apart:
        return ""
    return (
        f"\n/* Fills the share of every class: of rows, whatever was ordered. */\n"
        f"static inline void {name}_shares(const double *row, double *shares)\n{{\n"
        f"{INDENT}{name}_decided(row, shares, 0);\n}}\n"
    )


def _filled(code: Program) -> str:
    if code.classes is None:
        return f"the {code.statistic}"
    if code.apart:
        return "the share of every class; by order, all of the one ordered"
    return "the points of every class" if code.adds == "points" else "the share of every class"


def _tables(code: Program, name: str) -> str:
    asks = [node.asks if node else () for node in code.nodes]
    flat = [ask for some in asks for ask in some]
    shares = [node.shares if node else () for node in code.nodes]
    gaps = [node.missing if node else None for node in code.nodes]
    leaf_at = {leaf: at for at, leaf in enumerate(code.leaves)}
    width = len(code.values[0])
    rows = [f"{{{', '.join(map(number, code.values[leaf]))}}}" for leaf in code.leaves]
    integers = {
        "ask_begin": _offsets(asks),
        "ask_column": [ask.column for ask in flat],
        "to_begin": _offsets([ask.to for ask in flat]),
        "to": [child for ask in flat for child in ask.to],
        "cut_begin": _offsets([ask.cuts or () for ask in flat]),
        "missing": [-1 if to is None else to for to in gaps],
        "share_begin": _offsets(shares),
        "share_node": [child for some in shares for child, _ in some],
        "leaf": [leaf_at.get(at, -1) for at in range(len(code.nodes))],
        "root": [root for root, _ in code.roots],
        "is_level": [int(column.levels is not None) for column in code.columns],
    }
    reals = {
        "cuts": [cut for ask in flat for cut in ask.cuts or ()],
        "weight": [weight for _, weight in code.roots],
        "share": [factor for some in shares for _, factor in some],
    }
    parts = ["\n"]
    for key, values in integers.items():
        parts.append(_array(f"static const int32_t {name}_{key}[]", map(str, values)))
    for key, numbers in reals.items():
        parts.append(_array(f"static const double {name}_{key}[]", map(_real, numbers)))
    parts.append(_array(f"static const double {name}_values[][{width}]", rows))
    says = f"{name}_values[{name}_leaf[node]]"
    if code.apart:
        votes = [f"{{{', '.join(map(number, code.votes(leaf)))}}}" for leaf in code.leaves]
        parts.append(_array(f"static const double {name}_votes[][{width}]", votes))
        says = f"(by_order ? {name}_votes : {name}_values)[{name}_leaf[node]]"
    text = _TABLES.replace("CAP", _CAP if code.capped else "").replace("NAME", name)
    text = text.replace("HEAD", _head_of_shares(code, name)).replace("SAYS", says)
    text = text.replace("STACK", str(_stack(code))).replace("TREES", str(len(code.roots)))
    parts.append(text.replace("WIDTH", str(width)).replace("WHAT", _filled(code)))
    return "".join(parts)


def _array(head: str, items: Iterable[str]) -> str:
    return f"{head} = {{\n{wrapped(list(items) or ['0'], INDENT)}\n}};\n"


def _offsets(parts: Iterable[Sized]) -> list[int]:
    return list(accumulate(map(len, parts), initial=0))


def _stack(code: Program) -> int:
    """How many nodes wait at most: those after a child, and what waits below it."""
    need = [1] * len(code.nodes)
    for at in range(len(code.nodes) - 1, -1, -1):
        node = code.nodes[at]
        if node is not None:
            waiting = [child for child, _ in node.shares][::-1]
            need[at] = max(need[child] for child in children(node))
            if waiting:
                need[at] = max(
                    need[at], *(after + need[child] for after, child in enumerate(waiting))
                )
    return max(need[root] for root, _ in code.roots)


def _real(x: float) -> str:
    if x in (float("inf"), float("-inf")):
        return "INFINITY" if x > 0 else "-INFINITY"
    return number(x)


def _string(text: str) -> str:
    """A C string of the text's UTF-8 bytes, whatever the character set of the source."""
    plain = set(range(32, 127)) - set(b'"\\?')
    body = "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode())
    return f'"{body}"'


def _among(x: str, levels: Mapping[int, Level]) -> str:
    said = (f"{x} == {at + 1} /* {one_line(repr(level))} */" for at, level in levels.items())
    return " || ".join(said)


_C = Language(INDENT, True, " || ", "!=", _real, _among)
