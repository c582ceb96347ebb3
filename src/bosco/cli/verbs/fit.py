"""``bosco fit``: a table in, a tree out, and every choice said.

The steps are functions in the order in which they happen: read, learn, keep, tell.
"""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bosco.base.visible import can_draw
from bosco.cli.console import Format, emit, warnings_as_notes
from bosco.cli.groups import Learner, Parts, TableOptions
from bosco.cli.models import model_text
from bosco.cli.options import Answer, File, Target

if TYPE_CHECKING:
    from bosco.cli.fitting import Learned
    from bosco.cli.learning import Lesson
    from bosco.cli.outputs import Places
    from bosco.rules.written import Written

EXAMPLE = "bosco fit loans.csv --target safe"

_NODES = 60  # of the tree, printed
_RULES = 20  # printed
_COUNTED = 2_000_000_000  # rows looked at, over all conditions of all rules


def run(
    file: File,
    target: Target,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="PATH",
            help="A folder, or the model's name, .json or .bosco; by default beside the table.",
        ),
    ] = None,
    choose: Annotated[
        bool,
        typer.Option(
            help="Choose depth and pruning, or what decides the size of many trees, as far as "
            "they are not given."
        ),
    ] = True,
    all_rows: Annotated[
        bool,
        typer.Option("--all-rows", help="Grow on all rows; the error is told by cross-validation."),
    ] = False,
    report: Annotated[bool, typer.Option(help="Write the report, too.")] = True,
    fingerprint: Annotated[
        bool,
        typer.Option(
            help="Keep a fingerprint of the training rows in the model, so that judging it by them "
            "is noticed; nothing can be read out of it."
        ),
    ] = True,
    *,
    learner: Learner,
    parts: Parts,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Learn a tree, or many, from a table, test it, show it and save it.

    60 % of the rows are learned from, 20 % choose the settings left open, the model is grown again
    on both, and the last 20 % are looked at once, to say how wrong it is.
    """
    from bosco.cli.choosing import shares_of
    from bosco.cli.fitting import learn
    from bosco.cli.learning import read_lesson
    from bosco.cli.outputs import places

    where = places(file, target, out)
    settings = learner.settings()
    shares_of(parts)  # what is wrong with the call is said before anything is read
    lesson = read_lesson(file, target, table, learner.task)
    if answer is Format.text:
        emit(answer, f"{lesson.reading.understanding}\n", None)
    with warnings_as_notes():
        learned = learn(lesson, settings, parts, choose, all_rows)
    again = repeat(lesson, learned, parts, out, report)
    again += "" if fingerprint else " --no-fingerprint"
    learned = replace(learned, model=remembering(learned, fingerprint))
    kept = keep(lesson, learned, where, report, again)
    tell(lesson, learned, kept, again, answer)


def repeat(
    lesson: "Lesson", learned: "Learned", parts: Parts, out: Path | None, report: bool
) -> str:
    """Write the command that makes the same model without choosing."""
    from bosco.cli.learning import setting_words

    words = ["bosco", "fit", *lesson.words(), *setting_words(learned.settings), "--no-choose"]
    if learned.all_rows:
        words.append("--all-rows")
    else:
        words += ["--split", parts.split]
    words += ["--seed", str(parts.seed)]
    words += [] if out is None else ["--out", str(out)]
    return shlex.join(words if report else [*words, "--no-report"])


def remembering(learned: "Learned", fingerprint: bool) -> Any:
    """The model with, or without, the fingerprint of its training rows."""
    from bosco.data.fingerprint import Fingerprint
    from bosco.figures.figure import truth_of

    model, about = learned.model, dict(learned.model.provenance)
    if not fingerprint:
        about.pop("fingerprint", None)
    elif "fingerprint" not in about:  # the estimator leaves it out where the table is large
        X, y, weight = learned.grown_on
        if weight is not None:
            X, y = X.take(weight > 0), y[weight > 0]
        frame = model.read(X)
        about["fingerprint"] = Fingerprint.of(frame, truth_of(model, frame, y)).to_plain()
    return replace(model, provenance=about)


def keep(lesson: "Lesson", learned: "Learned", where: "Places", report: bool, again: str) -> "Kept":
    """Write the model and the report, each whole or not at all."""
    import bosco
    from bosco.cli.fitting import out_of_bag
    from bosco.figures.figure import Judged
    from bosco.rules.written import written

    source, target = lesson.reading.understanding.source, lesson.reading.options.target
    provenance = {**learned.model.provenance, "target": target, "source": source, "command": again}
    model = replace(learned.model, provenance=provenance)
    # The model first: whatever becomes of the rest, it is there.
    where.model.parent.mkdir(parents=True, exist_ok=True)
    model.save(where.model)
    one_tree = model.kind == "tree"
    rules = written(model) if one_tree else None
    if report:
        X, y = learned.held_out
        bosco.report(
            model,
            X=X,
            y=y,
            judged=learned.figure if isinstance(learned.figure, Judged) else None,
            grown_on=learned.grown_on[:2] if one_tree else None,
            rules=rules,
            importances=out_of_bag(learned),
            evaluation=learned.evaluation,
            selection=learned.selection,
            understanding=lesson.reading.understanding,
            command=again,
            title=f"{target}, from {source}",
        ).save(where.report)
    counted = None if rules is None else _counted(rules, *learned.grown_on[:2])
    return Kept(model, counted, where.model, where.report if report else None)


@dataclass(frozen=True, eq=False)
class Kept:
    """What was written, and the rules."""

    model: Any
    rules: "Written | None"
    path: Path
    report: Path | None


def _counted(rules: "Written", X: Any, y: Any) -> "Written":
    """The rules with the rows that the model was grown on counted in each, where that is not long.

    After simplification one rule may stand for parts of several leaves, whose rows the model does
    not know apart.
    """
    if rules.after is None or len(y) * (1 + rules.after.n_conditions) > _COUNTED:
        return rules
    if rules.note and not rules.after.missing:  # rows with a missing value have no rule here
        return rules
    return replace(rules, after=rules.after.measured(X, y))


def tell(lesson: "Lesson", learned: "Learned", kept: Kept, again: str, answer: Format) -> None:
    """Print the choices, the tree, the rules, the error, the files, and how to get it again."""
    model = learned.model
    files = [str(path) for path in (kept.path, kept.report) if path is not None]
    lines = [
        *learned.said,
        "",
        model_text(model, kept.path, max_nodes=_NODES),
        "",
        *([] if kept.rules is None else [*_rule_lines(kept.rules, kept.path), ""]),
        *([] if learned.figure is None else [str(learned.figure)]),
        *learned.beside,
        f"saved: {', '.join(files)}",
        f"again: {again}",
    ]
    if answer is Format.text:
        emit(answer, "\n".join(lines), None)
        return
    data = {
        "understanding": lesson.reading.understanding.to_dict(),
        "task": lesson.task.value,
        "settings": {name: _plain(value) for name, value in learned.settings.items()},
        "choices": list(learned.said),
        "candidates": None if learned.selection is None else _candidates(learned.selection),
        "standard_error": None if learned.selection is None else learned.selection.standard_error,
        "error": None if learned.figure is None else learned.figure.to_dict(),
        "recall": None if learned.recall is None else learned.recall.to_dict(),
        "scores": None if learned.selection is None else learned.selection.test_scores,
        "leaves": model.n_leaves,
        "depth": model.depth if model.kind == "tree" else None,
        "text": model_text(model, kept.path, max_nodes=None),
        "rules": None if kept.rules is None else _rule_data(kept.rules),
        "model": str(kept.path),
        "report": None if kept.report is None else str(kept.report),
        "command": again,
    }
    emit(answer, "", data)


def _rule_lines(written: "Written", path: Path) -> list[str]:
    note, rules = written.note, written.after
    notes = [note] if note else []
    if rules is None or rules.report is None:
        return notes
    before, after = rules.report.terms
    head = f"rules: {after} (the tree has {before}), proved to decide the same"
    if rules.report.hurried:
        head += f"; {rules.report.unfinished}"
    heaviest = sorted(rules.rules, key=lambda rule: -(rule.support or 0.0))[:_RULES]
    shown = rules if after <= _RULES else replace(rules, rules=tuple(heaviest), complete=False)
    lines = [head, *notes, *shown.to_text(ascii=not can_draw()).splitlines()]
    if after > _RULES:
        more = f"and {after - _RULES} more: bosco rules {shlex.quote(str(path))}"
        lines.append(f"… {more}{'' if rules.missing or not note else ' --no-missing'}")
    return lines


def _rule_data(rules: "Written") -> dict[str, Any] | None:
    if rules.after is None:
        return {"rules": None, "note": rules.note}
    return rules.after.to_dict() | {"note": rules.note}


def _candidates(selection: Any) -> dict[str, list[Any]]:
    return {name: [_plain(v) for v in values] for name, values in selection.to_dict().items()}


def _plain(value: Any) -> Any:
    from bosco.cli.literals import write_policy
    from bosco.pruning import Policy

    return write_policy(value) if isinstance(value, Policy) else value
