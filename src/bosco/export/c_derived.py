"""Derived columns in C: a function that fills the cells, and those that it calls."""

from collections.abc import Mapping

from bosco.export.arithmetic import COMPARED, Arithmetic, computed, helpers
from bosco.export.program import Program, one_line

_FUNCTIONS = {
    "NAME_finite": """
/* A number, NAN if it is not finite. It is stored before it is used, so that it is rounded. */
static inline double NAME_finite(volatile double x)
{
    const double y = x;
    return y >= -DBL_MAX && y <= DBL_MAX ? y : NAN;
}
""",
    "NAME_min": """
static inline double NAME_min(double a, double b)
{
    return a != a || a < b ? a : b;
}
""",
    "NAME_max": """
static inline double NAME_max(double a, double b)
{
    return a != a || a > b ? a : b;
}
""",
    **{
        f"NAME_{word}": f"""
static inline double NAME_{word}(double a, double b)
{{
    return a != a || b != b ? NAN : (double)(a {sign} b);
}}
"""
        for sign, word in COMPARED.items()
    },
    "NAME_among": """
/* Whether the level x, of n, is among some; NAN if it is not known. */
static inline double NAME_among(double x, int32_t n, int is_among)
{
    return x >= 1 && x <= n && x == (int32_t)x ? (double)is_among : NAN;
}
""",
}


def _arithmetic(code: Program, name: str, cells: Mapping[int, str]) -> Arithmetic:
    def among(j: int, positions: tuple[int, ...]) -> str:
        x, n = cells[j], len(code.columns[j].levels or ())
        either = " || ".join(f"{x} == {at + 1}" for at in positions) or "0"
        return f"{name}_among({x}, {n}, {either})"

    return Arithmetic(
        {
            "negated": "(-{0})",
            "abs": "fabs({0})",
            "floor": "floor({0})",
            "sqrt": f"{name}_finite(sqrt({{0}}))",
            "not": "(1.0 - {0})",
            **{sign: f"{name}_finite({{0}} {sign} {{1}})" for sign in "+-*/"},
            "min": f"{name}_min({{0}}, {{1}})",
            "max": f"{name}_max({{0}}, {{1}})",
            "and": "({0} * {1})",
            "or": f"{name}_max({{0}}, {{1}})",
            **{sign: f"{name}_{word}({{0}}, {{1}})" for sign, word in COMPARED.items()},
        },
        number=lambda j: f"{name}_finite({cells[j]})",
        among=among,
        assign="const double {0} = {1};",
    )


def derive_function(code: Program, name: str, fields: list[str], indent: str) -> str:
    """The function that computes derived columns, and those it needs."""
    if not code.derived:
        return ""
    n, all_columns = len(code.given), len(code.columns)
    cells = {j: f"cells[{j}]" for j in range(n, all_columns)}
    cells |= {j: f"row[{field}]" for j, field in enumerate(fields)}
    speech = _arithmetic(code, name, cells)
    lines = ["", "/* Fills the cells: the row, and the derived columns after it. */"]
    lines += [f"static inline void {name}_derive(const double *row, double *cells)", "{"]
    lines.append(f"{indent}for (int32_t j = 0; j < {n}; ++j) cells[j] = row[j];")
    lines.append(f"{indent}for (int32_t j = {n}; j < {all_columns}; ++j) cells[j] = NAN;")
    for j, formula in code.derived.items():
        before, value = computed(formula, speech, j)
        lines += [f"{indent}{line}" for line in before]
        is_level = code.columns[j].levels is not None  # whose numbers begin with 1
        shown = one_line(code.columns[j].name)
        lines.append(f"{indent}cells[{j}] = {value}{' + 1.0' * is_level}; /* {shown} */")
    text = "\n".join([*lines, "}", ""])
    functions = {k.replace("NAME", name): v.replace("NAME", name) for k, v in _FUNCTIONS.items()}
    return helpers(text, functions) + text
