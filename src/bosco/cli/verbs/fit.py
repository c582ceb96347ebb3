"""``bosco fit``: a table in, a tree out, and every choice said.

The steps are functions in the order in which they happen: read, learn, keep, tell.
"""

import re
import shlex
from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from bosco.base.language import ENGLISH, spoken, tr
from bosco.base.visible import can_draw
from bosco.cli.console import Format, emit, warnings_as_notes
from bosco.cli.groups import Learner, Parts, TableOptions, Together
from bosco.cli.models import model_text
from bosco.cli.options import Answer, File, Target, out_to
from bosco.errors import ParameterError

if TYPE_CHECKING:
    from bosco.cli.fitting import Learned
    from bosco.lessons.lesson import Lesson
    from bosco.rules.written import Written

EXAMPLE = "bosco fit loans.csv --target safe"

_PACKED = (".gz", ".zst", ".bz2", ".lz4")
_MODELS = (".json", ".bosco")
_NODES = 60  # of the tree, printed
_RULES = 20  # printed
_COUNTED = 2_000_000_000  # rows looked at, over all conditions of all rules


def run(
    file: File,
    target: Target,
    out: Annotated[
        Path | None,
        out_to(
            "A folder, or the model's name, .json or .bosco; by default beside the table.", "PATH"
        ),
    ] = None,
    choose: Annotated[
        bool,
        Option(
            help="Choose depth and pruning, or what decides the size of many trees, as far as "
            "they are not given."
        ),
    ] = True,
    all_rows: Annotated[
        bool,
        Option("--all-rows", help="Grow on all rows; the error is told by cross-validation."),
    ] = False,
    report: Annotated[bool, Option(help="Write the report, too.")] = True,
    fingerprint: Annotated[
        bool,
        Option(
            help="Keep a fingerprint of the training rows in the model, so that judging it by them "
            "is noticed; nothing can be read out of it."
        ),
    ] = True,
    sketch: Annotated[
        bool,
        Option(
            help="Keep counts of the training rows in a few bins of every column in the model, so "
            "that rows that come later can be compared with them."
        ),
    ] = True,
    *,
    learner: Learner,
    parts: Parts,
    together: Together,
    table: TableOptions,
    answer: Answer = Format.text,
) -> None:
    """Learn a tree, or many, from a table, test it, show it and save it.

    60 % of the rows are learned from, 20 % choose the settings left open, the model is grown again
    on both, and the last 20 % are looked at once, to say how wrong it is. Rows are parted by
    chance, class by class; with --group whole groups are, and with --time by what came first.
    """
    from bosco.cli.choosing import shares_of
    from bosco.cli.fitting import learn
    from bosco.lessons.lesson import read_lesson

    path = place_of(file, target, out)
    settings = learner.settings()
    shares_of(parts)  # what is wrong with the call is said before anything is read
    lesson = read_lesson(file, target, table, learner.task, parted=together)
    if answer is Format.text:
        emit(answer, f"{lesson.reading.understanding}\n", None)
    with warnings_as_notes():
        learned = learn(lesson, settings, parts, choose, all_rows)
    again = repeat(lesson, learned, parts, out, report)
    again += "" if fingerprint else " --no-fingerprint"
    again += "" if sketch else " --no-sketch"
    learned = replace(learned, model=remembering(learned, fingerprint, sketch))
    rules = keep(lesson, learned, path, report, again)
    tell(lesson, learned, rules, path, report, again, answer)


def repeat(
    lesson: "Lesson", learned: "Learned", parts: Parts, out: Path | None, report: bool
) -> str:
    """Write the command that makes the same model without choosing."""
    from bosco.lessons.lesson import setting_words

    words = ["bosco", "fit", *lesson.words(), *setting_words(learned.settings), "--no-choose"]
    if learned.all_rows:
        words.append("--all-rows")
    else:
        words += ["--split", parts.split]
    words += ["--seed", str(parts.seed)]
    words += [] if out is None else ["--out", str(out)]
    words += [] if spoken() == ENGLISH else ["--lang", spoken()]
    return shlex.join(words if report else [*words, "--no-report"])


def remembering(learned: "Learned", fingerprint: bool, sketch: bool) -> Any:
    """The model with, or without, the fingerprint and the sketch of its training rows."""
    from bosco.data.fingerprint import Fingerprint
    from bosco.figures.figure import truth_of

    model, about = learned.model, dict(learned.model.provenance)
    X, y, weight = learned.grown_on
    if weight is not None and not (weight > 0).all():
        X, y = X.take(weight > 0), y[weight > 0]
    if not fingerprint:
        about.pop("fingerprint", None)
    elif "fingerprint" not in about:  # the estimator leaves it out where the table is large
        frame = model.read(X)
        about["fingerprint"] = Fingerprint.of(frame, truth_of(model, frame, y)).to_plain()
    model = replace(model, provenance=about)
    return model.sketched(X) if sketch else model


def keep(
    lesson: "Lesson", learned: "Learned", path: Path, report: bool, again: str
) -> "Written | None":
    """Write the model and the report, each whole or not at all; give the rules of one tree."""
    import bosco
    from bosco.cli.fitting import out_of_bag
    from bosco.figures.figure import Judged
    from bosco.rules.written import written

    source, target = lesson.reading.understanding.source, lesson.reading.options.target
    provenance = {**learned.model.provenance, "target": target, "source": source, "command": again}
    model = replace(learned.model, provenance=provenance)
    # The model first: whatever becomes of the rest, it is there.
    path.parent.mkdir(parents=True, exist_ok=True)
    model.save(path)
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
            alternatives=_as_good(model, learned),
            understanding=lesson.reading.understanding,
            command=again,
            title=tr("{target}, from {source}", target=target, source=source),
        ).save(path.with_suffix(".html"))
    return None if rules is None else _counted(rules, *learned.grown_on[:2])


def _as_good(model: Any, learned: "Learned") -> Any:
    """The trees as good as one that was searched for, by the rows that it was grown on."""
    if model.kind != "tree" or model.certificate is None or model.tree.n_leaves < 2:
        return None
    import bosco

    X, y, weight = learned.grown_on
    return bosco.alternatives(model, X, y, sample_weight=weight, n_jobs=-1)


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


def tell(
    lesson: "Lesson",
    learned: "Learned",
    rules: "Written | None",
    path: Path,
    report: bool,
    again: str,
    answer: Format,
) -> None:
    """Print the choices, the tree, the rules, the error, the files, and how to get it again."""
    from bosco.lessons.literals import told

    model, chosen = learned.model, learned.selection
    files = [str(path), *([str(path.with_suffix(".html"))] if report else [])]
    lines = [
        *learned.said,
        "",
        model_text(model, path, max_nodes=_NODES),
        "",
        *([] if rules is None else [*_rule_lines(rules, path), ""]),
        *([] if learned.figure is None else [str(learned.figure)]),
        *learned.beside,
        f"{tr('saved')}: {', '.join(files)}",
        f"{tr('again')}: {again}",
    ]
    if answer is Format.text:
        emit(answer, "\n".join(lines), None)
        return
    rule_data = {"rules": None}
    if rules is not None and rules.after is not None:
        rule_data = rules.after.to_dict()
    data = {
        "understanding": lesson.reading.understanding.to_dict(),
        "task": lesson.task.value,
        "settings": told(learned.settings),
        "choices": list(learned.said),
        "candidates": None if chosen is None else told(chosen.to_dict()),
        "standard_error": None if chosen is None else chosen.standard_error,
        "error": None if learned.figure is None else learned.figure.to_dict(),
        "recall": None if learned.recall is None else learned.recall.to_dict(),
        "scores": None if chosen is None else chosen.test_scores,
        "leaves": model.n_leaves,
        "depth": model.depth if model.kind == "tree" else None,
        "price": model.mean_price if model.kind == "tree" else None,
        "text": model_text(model, path, max_nodes=None),
        "rules": None if rules is None else rule_data | {"note": rules.note},
        "model": files[0],
        "report": files[1] if report else None,
        "command": again,
    }
    emit(answer, "", data)


def _rule_lines(written: "Written", path: Path) -> list[str]:
    note, rules = written.note, written.after
    notes = [note] if note else []
    if rules is None or rules.report is None:
        return notes
    before, after = rules.report.terms
    head = tr(
        "rules: {n} (the tree has {before}), proved to decide the same", n=after, before=before
    )
    if rules.report.hurried:
        head += f"; {rules.report.unfinished}"
    heaviest = sorted(rules.rules, key=lambda rule: -(rule.support or 0.0))[:_RULES]
    shown = rules if after <= _RULES else replace(rules, rules=tuple(heaviest), complete=False)
    lines = [head, *notes, *shown.to_text(ascii=not can_draw()).splitlines()]
    if after > _RULES:
        more = f"bosco rules {shlex.quote(str(path))}"
        more += "" if rules.missing or not note else " --no-missing"
        lines.append(tr("… and {n} more: {command}", n=after - _RULES, command=more))
    return lines


def place_of(file: str, target: str, out: Path | None) -> Path:
    """Decide where a model goes, with its report beside it; never over what is not ours."""
    data = None if file == "-" or "://" in file else _folder_of(Path(file))
    if out is not None and out.suffix in _MODELS:
        return out
    if out is not None and (out.suffix or out.exists()) and not out.is_dir():
        raise ParameterError(
            f"--out is the name of a model, .json or .bosco, or of a folder. Got {out}."
        )
    folder = out if out is not None else (Path() if data is None else data.parent)
    name = _name(data, target)
    model = folder / f"{name}.json"
    if data is not None and model.resolve() == data.resolve():
        model = folder / f"{name}.model.json"
    for path in (model, model.with_suffix(".html")):
        _refuse_strangers(path)
    return model


def _folder_of(path: Path) -> Path:
    """The folder of a pattern of names, such as trips/*.parquet; anything else as it is."""
    while has_magic(str(path)) and not path.exists():
        path = path.parent
    return path


def _name(data: Path | None, target: str) -> str:
    """The name of the data without what says how it is written, or that of the target."""
    if data is None:
        return re.sub(r"[^\w.-]+", "_", target).strip("._") or "tree"
    if data.is_dir():
        return data.resolve().name or "tree"
    packed = data.suffix.lower() in _PACKED
    return (data.with_suffix("") if packed else data).stem or "tree"


def _refuse_strangers(path: Path) -> None:
    """Refuse to write over a file that bosco has not written, unless it is named."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        ours = b"bosco" in file.read(1 << 16)
    if not ours:
        raise ParameterError(
            f"{path} is there, and bosco has not written it. "
            f"Hint: say with --out where the model goes, such as --out tree.json."
        )
