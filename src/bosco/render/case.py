"""An explanation of one case as text and as Markdown."""

from typing import TYPE_CHECKING, Any

from bosco.base.numerals import show_figure
from bosco.base.visible import visible
from bosco.data.objects import is_missing
from bosco.data.schema import show_label
from bosco.render.card import show_amount, show_share, show_weight
from bosco.tree.ties import of_equals

if TYPE_CHECKING:
    from bosco.reasons.explain import Explanation, Step


def case_text(said: "Explanation") -> str:
    """An explanation as lines of text."""
    lines = [say_step(step) for step in said.steps]
    if said.shared:
        lines.append("(missing values: the heaviest branches are shown, all are counted)")
    elif len(said.ranges) < len(said.steps):
        lines.append(f"in short: {' and '.join(said.ranges)}")
    lines.append(_so(said))
    lines += _rest(said)
    return "\n".join(lines)


def case_markdown(said: "Explanation") -> str:
    """An explanation as Markdown: the path as a list, the shares as a table."""
    lines = [f"**{markdown(_answer(said, said.prediction))}**", ""]
    lines += [f"{i}. {markdown(say_step(step))}" for i, step in enumerate(said.steps, 1)]
    if said.steps:
        lines.append("")
    lines.append(markdown(_so(said)) + ".")
    if said.shares:
        apart = said.leaf.weighted and said.basis == "rows"  # the interval is of another share
        heads = ["class", "share", *["share of rows"] * apart, "95 % interval"]
        lines += ["", f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
        for label, share in said.shares.items():
            cells = [markdown(show_label(label)), show_share(share)]
            cells += [show_share(said.seen[label]) if said.seen else ""] * apart
            interval = said.intervals.get(label)
            cells.append("" if interval is None else _between(interval))
            lines.append(f"| {' | '.join(cells)} |")
    rest = _rest(said, interval=False)
    return "\n".join(lines + [""] * bool(rest) + [f"* {markdown(line)}" for line in rest])


def say_step(step: "Step") -> str:
    """One test on the way, in words."""
    column = visible(step.column) or "''"
    if step.known:
        return f"{column} is {step.value!r}: {step.condition} [{step.child}]"
    what = "missing" if is_missing(step.value) else f"{step.value!r}, which the model does not know"
    if step.condition == f"{column} is {what}":  # a branch of its own
        return f"{step.condition} [{step.child}]"
    decides = f", but {step.stand_in}" if step.stand_in else ""
    return f"{column} is {what}{decides}: as {step.condition} [{step.child}]"


def _so(said: "Explanation") -> str:
    head = f"so {_answer(said, said.prediction)}"
    if said.shared:
        shares = ", ".join(
            f"{show_label(label)} {show_share(s)}" for label, s in said.shares.items() if s
        )
        return head + (f": {shares}" if shares else "")
    leaf = said.leaf
    if not leaf.weight:
        return f"{head}: no training row came here, the parent decides"
    rows = show_amount(leaf.rows, leaf.weight, leaf.noun.replace("row", "training row"))
    if leaf.share is None:
        return f"{head}: the {'weighted ' * leaf.weighted}mean of {rows}"
    if leaf.row_share is None or not leaf.weighted or leaf.row_share == leaf.share:
        return f"{head}: {show_share(leaf.share)} of {rows}"
    by_rows = f"{show_weight(leaf.row_share * (leaf.rows or 0.0))} of {rows}"
    return f"{head}: {by_rows} ({show_share(leaf.row_share)}), by weight {show_share(leaf.share)}"


def _rest(said: "Explanation", *, interval: bool = True) -> list[str]:
    """What is worth knowing beside the path."""
    lines = []
    here = said.intervals.get(said.prediction)
    if here is not None and interval:
        which = "that share"
        if said.leaf.weighted:
            which = "the share of rows" if said.basis == "rows" else "the share by weight"
        effective = f", counting {show_figure(said.number)} effective rows"
        counting = {"effective": effective, "weight": ", counting weight as if it were rows"}
        end = counting.get(said.basis, "")  # what the interval counts, where it is not rows
        lines.append(f"95 % interval of {which}: {_between(here)}{end}")
    if said.rival is not None:
        label, share = said.rival
        by_weight = " by weight" if said.leaf.weighted else ""
        tie = ""
        if share == said.shares[said.prediction]:
            tie = f": a tie, of equals the {of_equals(len(said.shares))}"
        lines.append(f"strongest rival: {show_label(label)}, {show_share(share)}{by_weight}{tie}")
    if said.change is not None:
        moves = [
            f"{visible(name)} were {_value(value)} (it is {_value(said.case.get(name))})"
            for name, value in said.change.values.items()
        ]
        other = _answer(said, said.change.prediction)
        lines.append(f"it would be {other} if {' and '.join(moves)}")
    elif said.sought:
        lines.append("no change that is allowed would alter it")
    return lines


def _answer(said: "Explanation", prediction: Any) -> str:
    """A class, or a number to be read."""
    return show_label(prediction) if said.leaf.mean is None else show_figure(prediction)


def _value(value: Any) -> str:
    shown = str(value) if hasattr(value, "dtype") else repr(value)
    return "missing" if is_missing(value) else shown


def _between(interval: tuple[float, float]) -> str:
    return f"{show_share(interval[0])} to {show_share(interval[1])}"


def markdown(text: Any) -> str:
    """Text in which Markdown finds nothing to interpret."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in str(text))
