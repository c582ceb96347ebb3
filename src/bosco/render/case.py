"""An explanation of one case as text and as Markdown."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr
from bosco.base.numerals import show_figure, show_number
from bosco.base.visible import visible
from bosco.data.objects import is_missing
from bosco.data.schema import show_label
from bosco.render.card import BY_HAND, say_own, show_amount, show_share, show_weight
from bosco.render.edited import say_reason
from bosco.tree.ties import winner

if TYPE_CHECKING:
    from bosco.reasons.asking import Ask, Question
    from bosco.reasons.explain import Explanation, Step

_OTHERS = 2  # questions told beside the best


def case_text(said: "Explanation") -> str:
    """An explanation as lines of text."""
    lines = [say_step(step) for step in said.steps]
    if said.shared:
        lines.append(tr("(missing values: the heaviest branches are shown, all are counted)"))
    elif len(said.ranges) < len(said.steps) and said.ask is None:
        lines.append(tr("in short: {ranges}", ranges=tr(" and ").join(said.ranges)))
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
        # The interval may be of another share than that which is predicted.
        apart = said.calibrated or (said.leaf.weighted and said.basis == "rows")
        first = tr("calibrated share") if said.calibrated else tr("share")
        own = tr("share of rows") if said.basis == "rows" else tr("share by weight")
        heads = [tr("class"), first, *[own] * apart, tr("95 % interval")]
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
        is_ = tr("{column} is {value}", column=column, value=_value(step.value))
        mark = f" ({BY_HAND()})" if step.by_hand else ""
        return f"{is_}: {step.condition} [{step.child}]{mark}"
    if step.later:
        what = tr("{column} is not known yet", column=column)
    elif is_missing(step.value):
        what = tr("{column} is missing", column=column)
    else:
        what = tr(
            "{column} is {value}, which the model does not know",
            column=column,
            value=_value(step.value),
        )
    if step.condition == what:  # a branch of its own
        return f"{step.condition} [{step.child}]"
    decides = tr(", but {test}", test=step.stand_in) if step.stand_in else ""
    return f"{what}{decides}: {tr('as')} {step.condition} [{step.child}]"


def _so(said: "Explanation") -> str:
    answer = _answer(said, said.prediction)
    open_ = said.ask is not None and not said.ask.settled
    head = tr("for now {answer}", answer=answer) if open_ else tr("so {answer}", answer=answer)
    if said.leaf.order is not None and not said.shared:
        own = _own(said) + say_reason(said.leaf.order.reason)
        return f"{head}, {said.leaf.by}; {own}"
    if said.leaf.turned and not said.shared:
        return f"{head}, {said.leaf.by}; {_own(said)}"
    if said.shared:
        shares = _shares(said)
        return head + (f": {shares}" if shares else "")
    leaf = said.leaf
    if not leaf.weight:
        return f"{head}: {tr('no training row came here, the parent decides')}"
    rows = show_amount(leaf.rows, leaf.weight, leaf.noun.replace("row", "training row"))
    if leaf.share is None:
        if leaf.medians:
            return f"{head}: {tr('the {statistic} of {rows}', statistic=leaf.statistic, rows=rows)}"
        if leaf.weighted:
            return f"{head}: {tr('the weighted mean of {rows}', rows=rows)}"
        return f"{head}: {tr('the mean of {rows}', rows=rows)}"
    if leaf.row_share is None or not leaf.weighted or leaf.row_share == leaf.share:
        return f"{head}: {tr('{part} of {rows}', part=show_share(leaf.share), rows=rows)}"
    part = show_weight(leaf.row_share * (leaf.rows or 0.0))
    by_rows = f"{tr('{part} of {rows}', part=part, rows=rows)} ({show_share(leaf.row_share)})"
    return f"{head}: {by_rows}, {tr('by weight')} {show_share(leaf.share)}"


def _shares(said: "Explanation") -> str:
    """The shares that are predicted, but those of 0."""
    return ", ".join(
        f"{show_label(label)} {show_share(s)}" for label, s in said.shares.items() if s
    )


def _own(said: "Explanation") -> str:
    """What the rows of a leaf say that answers by order."""
    leaf = said.leaf
    if leaf.mean is None or not leaf.weight:
        return say_own(leaf)
    rows = show_amount(leaf.rows, leaf.weight, leaf.noun.replace("row", "training row"))
    mean = show_figure(leaf.mean)
    if leaf.medians:
        about = {"statistic": leaf.statistic, "rows": rows, "mean": mean}
        return tr("the {statistic} of its {rows} is {mean}", **about)
    return tr("the mean of its {rows} is {mean}", rows=rows, mean=mean)


def _rest(said: "Explanation", *, interval: bool = True) -> list[str]:
    """What is worth knowing beside the path."""
    lines = []
    # Of a leaf that answers otherwise, the share is what its rows say: that of the rival.
    ordered = bool(said.leaf.by) and not said.shared
    of_rows = max(said.shares, key=said.shares.__getitem__) if said.shares else None
    here = said.intervals.get(of_rows if ordered else said.prediction)
    if here is not None and interval:
        which = tr("95 % interval of that share")
        if said.leaf.weighted and said.basis == "rows":
            which = tr("95 % interval of the share of rows")
        elif said.leaf.weighted:
            which = tr("95 % interval of the share by weight")
        effective = tr(", counting {n} effective rows", n=show_figure(said.number))
        counting = {"effective": effective, "weight": tr(", counting weight as if it were rows")}
        end = counting.get(said.basis, "")  # what the interval counts, where it is not rows
        lines.append(f"{which}: {_between(here)}{end}")
    if said.calibrated and not said.shared:
        lines.append(tr("predicted, as calibrated: {shares}", shares=_shares(said)))
    elif said.rival is not None and not ordered:
        label, share = said.rival
        by_weight = f" {tr('by weight')}" if said.leaf.weighted else ""
        tie = ""
        if share == said.shares[said.prediction] and not said.decided:
            tie = tr(": a tie, of equals the {which}", which=winner(len(said.shares)))
        rival = f"{show_label(label)}, {show_share(share)}{by_weight}{tie}"
        lines.append(tr("strongest rival: {rival}", rival=rival))
    if said.change is not None:
        moves = [
            tr(
                "{column} were {value} (it is {now})",
                column=visible(name),
                value=_value(value),
                now=_value(said.case.get(name)),
            )
            for name, value in said.change.values.items()
        ]
        other = _answer(said, said.change.prediction)
        both = tr(" and ").join(moves)
        lines.append(tr("it would be {other} if {changes}", other=other, changes=both))
    elif said.sought:
        lines.append(tr("no change that is allowed would alter it"))
    if said.held and said.sought:
        names = ", ".join(visible(name) for name in said.held)
        lines.append(tr("(not changed, as they hang together: {names})", names=names))
    lines += [tr("where {meaning}", meaning=line) for line in said.meanings]
    lines += said.decided
    if said.paid is not None:
        lines.append(tr("asking cost {price}", price=show_number(said.paid)))
    if said.ask is not None:
        lines += say_ask(said.ask, lambda answer: _answer(said, answer))
    return lines


def say_ask(ask: "Ask", shown: Callable[[Any], str]) -> list[str]:
    """What to ask next, or that nothing need be asked."""
    columns = ", ".join(map(visible, ask.unknown))
    if ask.settled:
        return [
            tr(
                "not known yet: {columns}; whatever is answered, the decision stays {answer}",
                columns=columns,
                answer=shown(ask.answers[0]),
            )
        ]
    lines = [tr("not known yet: {columns}", columns=columns)]
    if ask.questions:
        first, *rest = ask.questions
        lines.append(tr("ask next: {question}", question=_question(first)))
        lines += [tr("or {question}", question=_question(other)) for other in rest[:_OTHERS]]
    return lines


def _question(question: "Question") -> str:
    """A column that may be asked, its price, and how much it decides."""
    parts = tr("decides {share} of what is open", share=show_share(question.parts))
    if question.price is None:
        return f"{visible(question.column)} ({parts})"
    price = tr("price {price}", price=show_number(question.price))
    return f"{visible(question.column)} ({price}, {parts})"


def _answer(said: "Explanation", prediction: Any) -> str:
    """A class, or a number to be read."""
    return show_label(prediction) if said.leaf.mean is None else show_figure(prediction)


def _value(value: Any) -> str:
    """A value of a case: text in quotes, numbers and moments as they are written."""
    if is_missing(value):
        return tr("missing")
    return repr(str(value)) if isinstance(value, str) else visible(str(value))


def _between(interval: tuple[float, float]) -> str:
    return tr("{low} to {high}", low=show_share(interval[0]), high=show_share(interval[1]))


def markdown(text: Any) -> str:
    """Text in which Markdown finds nothing to interpret."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in str(text))
