"""An explanation of one case as text and as Markdown."""

from typing import TYPE_CHECKING, Any

from bosco.objects import is_missing
from bosco.render.card import Card, show_share, show_weight
from bosco.visible import visible

if TYPE_CHECKING:
    from bosco.explain import Explanation, Step


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
    lines = [f"**{markdown(_label(said.prediction))}**", ""]
    lines += [f"{i}. {markdown(say_step(step))}" for i, step in enumerate(said.steps, 1)]
    if said.steps:
        lines.append("")
    lines.append(markdown(_so(said)) + ".")
    if said.shares:
        lines += ["", "| class | share | 95 % interval |", "|---|---:|---:|"]
        for label, share in said.shares.items():
            interval = said.intervals.get(label)
            between = "" if interval is None else _between(interval)
            lines.append(f"| {markdown(_label(label))} | {show_share(share)} | {between} |")
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
    head = f"so {_label(said.prediction)}"
    if said.shared:
        shares = ", ".join(
            f"{_label(label)} {show_share(s)}" for label, s in said.shares.items() if s
        )
        return head + (f": {shares}" if shares else "")
    if not said.leaf.samples:
        return f"{head}: no training row came here, the parent decides"
    if said.leaf.share is None:
        return f"{head}: the mean of {_rows(said.leaf)}"
    return f"{head}: {show_share(said.leaf.share)} of {_rows(said.leaf)}"


def _rest(said: "Explanation", *, interval: bool = True) -> list[str]:
    """What is worth knowing beside the path."""
    lines = []
    here = said.intervals.get(said.prediction)
    if here is not None and interval:
        lines.append(f"95 % interval of that share: {_between(here)}")
    if said.rival is not None:
        label, share = said.rival
        lines.append(f"strongest rival: {_label(label)}, {show_share(share)}")
    if said.change is not None:
        moves = [
            f"{visible(name)} were {_value(value)} (it is {_value(said.case.get(name))})"
            for name, value in said.change.values.items()
        ]
        lines.append(f"it would be {_label(said.change.prediction)} if {' and '.join(moves)}")
    elif said.sought:
        lines.append("no change that is allowed would alter it")
    return lines


def _label(label: Any) -> str:
    return visible(str(label))


def _value(value: Any) -> str:
    return (
        "missing" if is_missing(value) else str(value) if hasattr(value, "dtype") else repr(value)
    )


def _between(interval: tuple[float, float]) -> str:
    return f"{show_share(interval[0])} to {show_share(interval[1])}"


def _rows(leaf: Card) -> str:
    samples = show_weight(leaf.samples)
    return "1 training row" if samples == "1" else f"{samples} training rows"


def markdown(text: Any) -> str:
    """Text in which Markdown finds nothing to interpret."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in str(text))
