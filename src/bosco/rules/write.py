"""Rules as text, formulas, Markdown, LaTeX and plain data: made last, and never read back."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr
from bosco.data.schema import Schema, show_label
from bosco.errors import ParameterError
from bosco.render.card import (
    BY_ORDER,
    HOLDS_TOO,
    NO_LIMIT,
    count,
    quote,
    say,
    say_unseen,
    show_share,
    show_weight,
)
from bosco.rules.rule import Rule
from bosco.tree.conditions import Condition, Interval, Members

if TYPE_CHECKING:
    from bosco.rules.ruleset import RuleSet

_ASCII = str.maketrans({"≤": "<=", "≠": "!=", "→": "->", "…": "...", "⊤": "true", "⊥": "false"})


def to_text(rules: "RuleSet", *, ascii: bool = False, missing: bool = True) -> str:  # noqa: A002
    """One line a rule: ``if … and … then …``, with support and confidence.

    Parameters
    ----------
    ascii : bool, default=False
        Use ASCII characters only.
    missing : bool, default=True
        Say where missing values go. If not, the text is about rows without any.
    """
    lines: list[str] = []
    for rule in shown(rules, missing):
        said = [bracketed(rules.schema, c, rules.unseen_columns) for c in rule.conditions]
        lead = tr("else if") if rules.ordered and lines else tr("if")
        head = f"{lead} {tr(' and ').join(said)} {tr('then')}" if said else tr("always")
        stands = " · ".join(part for part in (_stands(rules, rule), say_by(rules, rule)) if part)
        lines.append(f"{head} {show_label(rule.answer)}" + (f" · {stands}" if stands else ""))
    if rules.default is not None:
        rest = tr("else") if rules.ordered else tr("otherwise")
        lines.append(f"{rest} {show_label(rules.default)}")
    if missing and (note := unseen_note(rules)):
        lines += ["", note]
    if means := [*rules.meanings, *rules.deciding]:
        lines += ["", *means]
    text = "\n".join(lines)
    return _to_ascii(text.replace(" · ", "; ")) if ascii else text


def to_dnf(
    rules: "RuleSet",
    answer: Any = None,
    *,
    ascii: bool = False,  # noqa: A002
    missing: bool = True,
) -> str:
    """The formula of a class: conjunctions joined by ∨. Without a class, a line for each.

    Parameters
    ----------
    answer : object, optional
        The class.
    ascii : bool, default=False
        Write ``and`` and ``or`` for ∧ and ∨, and use ASCII characters only.
    missing : bool, default=True
        Say where missing values go. If not, the formula is about rows without any.
    """
    both, either = (" and ", " or ") if ascii else (" ∧ ", " ∨ ")

    def term(rule: Rule) -> str:
        said = [bracketed(rules.schema, condition) for condition in rule.conditions]
        if len(said) == 1 and rule.conditions[0].missing:
            return said[0] if said[0].startswith("(") else f"({said[0]})"
        return f"({both.join(said)})" if said else "⊤"

    formulas = _formulas(rules, answer, missing, term, either, "⊥")
    lines = [f if answer is not None else f"{show_label(a)}: {f}" for a, f in formulas]
    return _to_ascii("\n".join(lines)) if ascii else "\n".join(lines)


def to_latex(rules: "RuleSet", answer: Any = None, *, missing: bool = True) -> str:
    """The formula of a class, or an aligned one for each class, as LaTeX mathematics."""

    def term(rule: Rule) -> str:
        said = [_latex(rules.schema, condition) for condition in rule.conditions]
        return "(" + r" \land ".join(said) + ")" if said else r"\top"

    formulas = _formulas(rules, answer, missing, term, r" \lor ", r"\bot")
    if answer is not None:
        return formulas[0][1]
    lines = [rf"{_latex_text(show_label(a))} &\colon {formula}" for a, formula in formulas]
    body = " \\\\\n".join(lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def to_markdown(rules: "RuleSet", *, missing: bool = True) -> str:
    """A Markdown table, one row a rule."""
    lines = [f"| {' | '.join(heads())} |", "|---|---|---:|---:|"]
    for row in cells(rules, missing=missing):
        safe = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(safe)} |".replace("\n", " "))
    if missing and (note := unseen_note(rules)):
        lines += ["", f"\\{note}"]  # a list begins with the plain mark
    lines += [line for means in rules.meanings for line in ("", f"`{means}`")]
    return "\n".join(lines)


def heads() -> list[str]:
    """What the columns of `cells` are called."""
    return [tr("if"), tr("then"), tr("support"), tr("confidence")]


def cells(rules: "RuleSet", *, missing: bool = True) -> list[list[str]]:
    """A row per rule: if, then, support, confidence; and one for the default."""
    rows = []
    for rule in shown(rules, missing):
        said = [bracketed(rules.schema, c, rules.unseen_columns) for c in rule.conditions]
        support = "" if rule.support is None else show_weight(rule.support)
        confidence = "" if rule.confidence is None else show_share(rule.confidence)
        order = f" ({said_by})" if (said_by := say_by(rules, rule)) else ""
        answer = f"{show_label(rule.answer)}{order}"
        rows.append([tr(" and ").join(said) or tr("always"), answer, support, confidence])
    if rules.default is not None:
        rows.append([tr("otherwise"), show_label(rules.default), "", ""])
    return rows


def to_dict(rules: "RuleSet") -> dict[str, Any]:
    """Plain values that JSON can hold."""
    return {
        "classes": None if rules.classes is None else rules.classes.tolist(),
        "ordered": rules.ordered,
        "default": rules.default,
        "missing": rules.missing,
        "unseen": list(rules.unseen),
        "rules": [
            {
                "answer": rule.answer,
                "conditions": [condition_dict(rules.schema, c) for c in rule.conditions],
                "leaves": list(rule.leaves),
                "support": rule.support,
                "confidence": rule.confidence,
                "by_order": list(rule.by_order),
                **({"turned": list(rule.turned)} if rules.decision else {}),
            }
            for rule in rules
        ],
    }


def condition_dict(schema: Schema, condition: Condition) -> dict[str, Any]:
    """A condition as plain values: bounds as numbers, levels as they are."""
    column = schema.columns[condition.column]
    found: dict[str, Any] = {"column": column.name, "missing": condition.missing}
    if isinstance(condition, Members):
        levels = column.levels or ()
        return found | {"levels": [levels[code - 1] for code in condition.codes]}
    low, high = condition.low, condition.high
    if column.levels is not None:  # bounds between levels, as the levels they stand beside
        above, upto = (None if x is None else column.levels[math.floor(x)] for x in (low, high))
        return found | {"above": above, "upto": upto}
    return found | {"above": low, "upto": high}


def shown(rules: "RuleSet", missing: bool) -> list[Rule]:
    """The rules as they are, or as they are read for rows without a missing value."""
    if missing:
        return list(rules)
    found = []
    for rule in rules:
        known = [replace(c, missing=False) for c in rule.conditions]
        if any(isinstance(c, Members) and not c.codes for c in known):
            continue  # holds for missing values only
        asked = tuple(c for c in known if not _always(rules.schema, c))
        found.append(replace(rule, conditions=asked))
    return found


def _always(schema: Schema, condition: Condition) -> bool:
    """Whether every known value meets a condition."""
    if isinstance(condition, Interval):
        return condition.low is None and condition.high is None
    return len(condition.codes) == len(schema.columns[condition.column].levels or ())


def _formulas(
    rules: "RuleSet",
    answer: Any,
    missing: bool,
    term: Callable[[Rule], str],
    either: str,
    never: str,
) -> list[tuple[Any, str]]:
    """Each answer asked for with its formula."""
    if answer is not None:
        rules.of_answer(answer)  # refuses one that there is not
    if rules.ordered:
        raise ParameterError(
            "A decision list is not a formula for each class: its rules hold in their order. "
            "Hint: simplify() without decision_list, or to_text()."
        )
    kept = shown(rules, missing)
    wanted = rules.answers() if answer is None else [answer]
    return [
        (a, either.join(term(rule) for rule in kept if rule.answer == a) or never) for a in wanted
    ]


def bracketed(schema: Schema, condition: Condition, unseen: Collection[int] = ()) -> str:
    """A condition in words that can stand beside others: what has an "or" in it in brackets.

    Of columns that had no missing value in training (`unseen`) a mark stands for the "or"; a
    formula has no room for a note on it, so it has no marks.
    """
    words = say(schema, condition, NO_LIMIT, unseen=unseen)
    plain = _alone(condition) or not condition.missing or condition.column in unseen
    return words if plain else f"({words})"


def unseen_note(rules: "RuleSet") -> str:
    """What the marks of conditions mean; empty if there are none."""
    found = {c.column for rule in rules for c in rule.conditions if c.missing and not _alone(c)}
    marked = found & rules.unseen_columns
    return say_unseen(rules.schema, marked, HOLDS_TOO) if marked else ""


def _alone(condition: Condition) -> bool:
    """Whether a condition holds for missing values only."""
    return isinstance(condition, Members) and not condition.codes


def say_by(rules: "RuleSet", rule: Rule) -> str:
    """Which of its leaves answer by order, by cost or by a cut-off, if any do."""
    said = []
    if rule.by_order:
        leaves = ", ".join(f"[{n}]" for n in rule.by_order)
        some = len(rule.by_order) < len(rule.leaves)
        said.append(tr("by order in {leaves}", leaves=leaves) if some else BY_ORDER())
    if rule.turned:
        leaves = ", ".join(f"[{n}]" for n in rule.turned)
        some = len(rule.turned) < len(rule.leaves)
        how = rules.decision.word
        said.append(tr("{how} in {leaves}", how=how, leaves=leaves) if some else how)
    return ", ".join(said)


def _stands(rules: "RuleSet", rule: Rule) -> str:
    """What stands behind a rule, in words."""
    if rule.support is None:
        return ""
    rows = show_weight(rule.support)
    said = count(rows, "row")
    sure = "" if rule.confidence in (None, 1.0) else f", {show_share(rule.confidence or 0.0)}"
    shares = rule.value if rule.confidence is not None and rule.value is not None else (1.0,)
    tie = shares.count(max(shares)) > 1 and not (rule.by_order or rules.decision)
    return said + sure + (tr(", a tie") if tie else "")


def _to_ascii(text: str) -> str:
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()


# LaTeX -------------------------------------------------------------------------------------------

_ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}  # fmt: skip


def _latex_text(text: str) -> str:
    return r"\text{" + "".join(_ESCAPES.get(sign, sign) for sign in text) + "}"


def _latex(schema: Schema, condition: Condition) -> str:
    column = schema.columns[condition.column]
    name, missing = _latex_text(column.shown), _latex_text("missing")
    if isinstance(condition, Members):
        levels = column.levels or ()
        if not condition.codes:
            return f"{name} = {missing}"
        if len(condition.codes) == len(levels):
            return rf"{name} \neq {missing}"
        members = [_latex_text(quote(levels[code - 1])) for code in condition.codes]
        members += [missing] * condition.missing
        if len(members) == 1:
            return f"{name} = {members[0]}"
        return rf"{name} \in \{{{', '.join(members)}\}}"
    if condition.low is None and condition.high is None:
        return rf"{name} \neq {missing}"
    ends = (condition.low, condition.high)
    low, high = ("" if x is None else _latex_edge(schema, condition.column, x) for x in ends)
    said = f"{low} < {name}" if low else name
    said = rf"{said} \leq {high}" if high else f"{name} > {low}"
    return rf"({said} \lor {name} = {missing})" if condition.missing else said


def _latex_edge(schema: Schema, j: int, bound: float) -> str:
    text = schema.show_value(j, bound)
    plain = schema.columns[j].levels is None and schema.columns[j].unit == "number"
    if not plain:
        return _latex_text(text)
    digits, e, power = text.partition("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}" if e else digits
