"""``bosco at``: the bar between two classes, chosen on rows that the model was not grown on."""

from typing import Annotated, Any

from typer import Option

from bosco.base.language import tr
from bosco.cli.console import Format, emit
from bosco.cli.groups import Layout
from bosco.cli.models import load_model
from bosco.cli.options import Answer, KnownTarget, ModelFile, Out
from bosco.errors import ParameterError

EXAMPLE = "bosco at loans.json --table validation.csv --recall 0.9 --positive risky --out bar.json"


def run(
    model: ModelFile,
    rows: Annotated[
        str | None,
        Option("--table", metavar="FILE", help="Rows to choose the bar on, not those of fit."),
    ] = None,
    threshold: Annotated[
        float | None, Option(help="Answer the class where its share is at least this.")
    ] = None,
    recall: Annotated[
        float | None, Option(help="The highest bar that finds this share of the class.")
    ] = None,
    alarms: Annotated[
        float | None,
        Option(help="The lowest bar that answers the class so often at most; or a share of rows."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        Option(
            metavar="CLASS=COST,…",
            help="The bar of the least mean cost: what mistakes cost, CLASS=5 or CLASS:ANSWER=5.",
        ),
    ] = None,
    positive: Annotated[
        str | None, Option(metavar="CLASS", help="The class; by default the second.")
    ] = None,
    out: Out = None,
    target: KnownTarget = None,
    *,
    layout: Layout,
    answer: Answer = Format.text,
) -> None:
    """Set the bar between two classes, tell what it comes to, and save the model with it."""
    from bosco.cli.rows import labelled_rows
    from bosco.lessons.told import items
    from bosco.tree.costs import read_costs

    loaded = load_model(model)
    goals: dict[str, Any] = {"threshold": threshold, "recall": recall}
    goals["alarms"] = _number(alarms)
    goals["cost"] = read_costs(items(cost), "--cost") if cost else None
    given = [f"--{name}" for name, goal in goals.items() if goal is not None]
    if len(given) != 1:
        raise ParameterError(
            "One is wanted: --threshold, --recall, --alarms or --cost. "
            f"Got {' and '.join(given) or 'none'}."
        )
    if rows is None and threshold is None:
        raise ParameterError(f"{given[0]} is chosen on rows: give them with --table FILE.")
    chosen_on = (None, None) if rows is None else labelled_rows(rows, loaded, target, layout)[:2]
    moved = loaded.at(*chosen_on, **goals, positive=positive)
    if out is not None:
        moved.save(out)
    lines = list(moved.deciding)
    lines += [] if out is None else ["", tr("saved: {file}", file=out)]
    cut = moved.decision.cut
    data = {
        "class": str(moved.classes[cut.of]),
        "at": cut.at,
        "points": cut.points,
        "chosen": dict(cut.about),
        "model": None if out is None else str(out),
    }
    emit(answer, "\n".join(lines), data)


def _number(alarms: float | None) -> float | int | None:
    """A whole number of rows as such: 1.0 is one row, not all of them."""
    return int(alarms) if alarms is not None and alarms == int(alarms) else alarms
