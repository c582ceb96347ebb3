"""Before a draft: what was read of a table, to be corrected; how rows are parted; who learns.

What a person said is plain values, kept in the file of the draft until there is one, so that a
server that starts again asks nothing twice.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from bosco.base.language import phrase, tr, trn
from bosco.base.safe_files import whole_file
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.data.target import class_codes
from bosco.drafts.draft import Draft
from bosco.errors import BoscoError, ModelError, ParameterError
from bosco.lessons.drafting import opened
from bosco.lessons.learners import learner
from bosco.lessons.lesson import Lesson, keeping, learned_from, lesson_of
from bosco.lessons.told import Task, Told, listed
from bosco.settings.settings import CRITERIA, OPTIONS, WORDS
from bosco.tables.options import TYPES
from bosco.tree.costs import cost_table, costs_of, say_costs

FORMAT = 1
_BEGINS = b'{"bosco opening"'

DATES = ("date", "datetime", "instant", "time")

ABOUT: dict[str, Callable[..., str]] = {
    "cart": phrase("two branches, Gini's impurity; the usual tree"),
    "c45": phrase("gain ratio, a branch per level, pruned pessimistically"),
    "id3": phrase("information gain, a branch per level, no column twice on a way"),
    "hunt": phrase("the fewest errors, one level against the rest; stops where nothing is gained"),
    "best_first": phrase("as cart, the most gainful node first"),
    "stump": phrase("one question"),
    "recursive_stump": phrase("the fewest errors, question by question"),
}
"""The algorithms that grow node by node, as a draft does, in a few words."""

SETTINGS: dict[str, Callable[..., str]] = {
    "criterion": phrase("what makes rows pure"),
    "max_depth": phrase("questions one after the other, at most"),
    "max_leaf_nodes": phrase("leaves, at most"),
    "min_samples_leaf": phrase("rows in a leaf, at least"),
    "min_samples_split": phrase("rows of a node that is split, at least"),
    "numeric_test": phrase("how numbers are asked for"),
    "nominal_test": phrase("how levels are asked for"),
    "threshold": phrase("where a cut lies between two values"),
    "missing": phrase("what is done where a value is missing"),
    "pruning": phrase("how the automatic tree is pruned"),
}
"""The settings that the page offers, in words; others are for the command line."""

MOST_COSTS = 8
"""Classes whose mistakes have prices on the page; with more, on the command line."""

_PARTS = {"how": "random", "column": None, "validation": 0.2, "test": 0.2, "seed": 0}


@dataclass(frozen=True)
class Asked:
    """What a person asked for, in plain values."""

    types: Mapping[str, str] = field(default_factory=dict)
    drop: list[str] | None = None  # exactly these; None: what looks like an identifier
    missing_values: list[str] | None = None
    target: str | None = None
    weight: str | None = None
    task: str | None = None
    algorithm: str = "cart"
    settings: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Any] = field(default_factory=dict)  # by the true class, in texts
    parts: Mapping[str, Any] = field(default_factory=lambda: dict(_PARTS))
    who: str | None = None
    reasons: bool = True

    def changed(self, body: Mapping[str, Any]) -> "Asked":
        """The same with what a request says; what is no part of it is left alone."""
        made = {name: body[name] for name in asdict(self) if name in body}
        for name, value in made.items():
            _require(name, value)
        if "parts" in made:
            known = {name: made["parts"][name] for name in _PARTS if name in made["parts"]}
            made["parts"] = {**self.parts, **known}
        if "settings" in made:
            made["settings"] = {n: v for n, v in made["settings"].items() if v is not None}
        return replace(self, **made)


class Opening:
    """A table on its way to a draft.

    Parameters
    ----------
    file : str
        The table, as the user wrote it.
    told : Told
        What the command line said about it.
    asked : Asked
        What the page, or the command line, asked for.
    """

    def __init__(self, file: str, told: Told, asked: Asked) -> None:
        self.file, self._base, self.asked = file, told, asked
        self._read: tuple[Any, Any] | None = None  # what it was asked for, and the reading
        self.seen: Any = None  # what was understood of the last one

    # Reading --------------------------------------------------------------------------------------

    def told(self) -> Told:
        """What is said about the table, in the words of the command line."""
        asked, base = self.asked, self._base
        types = [listed([f"{name}={kind}"]) for name, kind in asked.types.items()]
        spelled = asked.missing_values
        return replace(
            base,
            types=[*(base.types or ()), *types] or None,
            drop=base.drop if asked.drop is None else [listed([name]) for name in asked.drop],
            identifiers=base.identifiers or asked.drop is not None,
            missing_values=base.missing_values
            if spelled is None
            else [listed([word]) for word in spelled],
            weight=asked.weight or base.weight,
        )

    def reading(self) -> Any:
        """The table as it is read now; read again only if that was changed.

        One at a time is kept: the next is read when the last is gone.
        """
        from bosco.tables import read_file
        from bosco.tables.places import is_many

        if is_many(self.file):
            raise ParameterError("The workbench opens one file. Hint: bosco draft takes many.")
        asked, told = self.asked, self.told()
        aside = self._aside()
        options = keeping(told.learning(asked.target), aside)
        if self._read is None or self._read[0] != options:
            self._read = None
            reading = read_file(self.file, options, spare=True)
            self._read = options, reading
        reading = self._read[1]
        self.seen = learned_from(reading, told, aside).understanding
        return reading

    def _aside(self) -> str | None:
        """The column that parts the rows, which need not be one to learn from."""
        parts = self.asked.parts
        return parts["column"] if parts["how"] in ("group", "date") else None

    def lesson(self) -> Lesson:
        """What is to be learned."""
        if self.asked.target is None:
            raise ParameterError("Choose what is to be predicted.")
        task = None if self.asked.task is None else Task(self.asked.task)
        return lesson_of(self.file, self.reading(), self.told(), task, self._aside())

    def settings(self) -> dict[str, Any]:
        """The settings of the learner, as the command line has them."""
        usual = {name: s.option.default for name, s in OPTIONS.items() if s.option is not None}
        given = {name: value for name, value in usual.items() if value is not None}
        costs = {"costs": self.asked.costs} if self.asked.costs else {}
        return {**given, "algorithm": self.asked.algorithm, **self.asked.settings, **costs}

    # The draft ------------------------------------------------------------------------------------

    def draft(self) -> Draft:
        """Open the draft."""
        asked = self.asked
        parts, seed = asked.parts, asked.parts["seed"]
        how = {
            **{name: parts[name] for name in ("validation", "test")},
            "seed": seed,
            "groups": parts["column"] if parts["how"] == "group" else None,
            "date": parts["column"] if parts["how"] == "date" else None,
            "who": asked.who or None,
            "reasons": asked.reasons,
        }
        return opened(self.lesson(), self.settings(), how)

    # Keeping --------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write what was asked for, whole or not at all."""
        told = {n: str(v) if isinstance(v, Path) else v for n, v in asdict(self._base).items()}
        content = {"bosco opening": FORMAT, "told": told, "asked": asdict(self.asked)}
        with whole_file(path) as file:
            file.write(f"{json.dumps(content, ensure_ascii=False)}\n".encode())


def is_opening(path: Path) -> bool:
    """Whether a file begins as that of an opening does."""
    with path.open("rb") as file:
        return file.read(64).startswith(_BEGINS)


def load_opening(path: Path, file: str) -> Opening:
    """An opening as it was left."""
    try:
        content = json.loads(path.read_bytes())
        told, asked = content["told"], content["asked"]
        told["domains"] = None if told["domains"] is None else Path(told["domains"])
        return Opening(file, Told(**told), Asked().changed(asked))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path} is no opening that can be gone on with: {error}") from None


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, str) for x in value)


def _text_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= 10_000)


def _texts_or_none(value: Any) -> bool:
    return value is None or _texts(value)


_MAY_BE: dict[str, Callable[[Any], bool]] = {
    "types": lambda value: isinstance(value, dict) and _texts(list(value.values())),
    "drop": _texts_or_none,
    "missing_values": _texts_or_none,
    "target": _text_or_none,
    "weight": _text_or_none,
    "task": lambda value: value is None or value in list(Task),
    "algorithm": lambda value: value in ABOUT,
    "settings": lambda value: isinstance(value, dict) and value.keys() <= SETTINGS.keys(),
    "costs": lambda value: isinstance(value, dict) and all(map(_is_cost, value.values())),
    "parts": lambda value: isinstance(value, dict) and _is_parts(value),
    "who": lambda value: _text_or_none(value) and len(value or "") <= 200,
    "reasons": lambda value: isinstance(value, bool),
}


def _require(name: str, value: Any) -> None:
    """Refuse what no page would send."""
    if not _MAY_BE[name](value):
        raise ParameterError(f"{name} cannot be {value!r:.60}.")


def _is_cost(value: Any) -> bool:
    """Whether it is what mistakes on a class cost, together or answer by answer."""
    costs = value.values() if isinstance(value, dict) else [value]
    return all(isinstance(x, int | float) and not isinstance(x, bool) for x in costs)


def _is_parts(value: dict[str, Any]) -> bool:
    column = value.get("column")
    whole = value.get("seed", 0)
    shares = (value.get("validation", 0.2), value.get("test", 0.2))
    return (
        value.get("how", "random") in ("random", "group", "date")
        and (column is None or isinstance(column, str))
        and isinstance(whole, int)
        and all(isinstance(x, int | float) for x in shares)
    )


# What the page shows ------------------------------------------------------------------------------


def told_of(opening: Opening) -> dict[str, Any]:
    """What was read and asked for; where that cannot be opened, why."""
    asked, problem, costs = opening.asked, None, None
    try:
        opening.reading()
    except BoscoError as error:
        problem = str(error)
    task, tasks = asked.task, [str(one) for one in Task]
    if asked.target is not None and problem is None:
        try:
            lesson = opening.lesson()
            task = str(lesson.task)
            if lesson.task is Task.classification:
                classes = class_codes(lesson.y)[0].tolist()
                costs = _costs(classes, asked)
                cost_table(asked.costs, classes)  # which refuses classes that there are not
            elif asked.costs:
                raise ParameterError(
                    tr(
                        "What mistakes cost is said of classes, and numbers are predicted here: "
                        "take the costs back, or predict classes."
                    )
                )
            learner(lesson.task, opening.settings()).get_params()
        except BoscoError as error:
            problem = str(error)
    seen = opening.seen
    return {
        "file": visible(Path(opening.file).name),
        "summary": "" if seen is None else _summary(seen),
        "notes": [] if seen is None else list(seen.notes),
        "columns": [] if seen is None else [_column(one, asked) for one in seen.columns],
        "missing_values": asked.missing_values,
        "target": asked.target,
        "task": task,
        "tasks": tasks,
        "learner": {
            "algorithm": asked.algorithm,
            "algorithms": [{"name": name, "words": ABOUT[name]()} for name in ABOUT],
            "settings": [_setting(name, asked, task) for name in SETTINGS],
        },
        "costs": costs,
        "costed": bool(asked.costs),
        "parts": {**asked.parts, "columns": _part_columns(seen)},
        "who": asked.who,
        "reasons": asked.reasons,
        "problem": problem,
    }


def _summary(seen: Any) -> str:
    rows = trn("{n} row", "{n} rows", f"{seen.rows:,}")
    return f"{seen.format} · {rows}, {trn('{n} column', '{n} columns', len(seen.columns))}"


def _column(one: Any, asked: Asked) -> dict[str, Any]:
    kind = asked.types.get(one.name, one.kind)
    kinds = [k for k in TYPES if k != "ordinal"]
    return {
        "name": one.name,
        "kind": kind,
        "kinds": kinds if kind in kinds else [kind, *kinds],
        "values": one.values,
        "missing": one.missing,
        "spelled": list(one.spellings),
        "role": one.role,
        "identifier": one.identifier,
        "notes": list(one.odd),
    }


def _setting(name: str, asked: Asked, task: str | None) -> dict[str, Any]:
    choices: tuple[str, ...] | None = WORDS.get(name)
    if name == "numeric_test":
        choices = ("threshold", "intervals")  # pairs derive columns, and a draft has those it has
    elif name == "criterion":
        choices = CRITERIA["regression" if task == "regression" else "classification"]
    elif name == "pruning":
        choices = ("none", "cost_complexity", "pessimistic", "reduced_error")
    kind = "number" if choices is None else "choice"
    return {
        "name": name,
        "words": SETTINGS[name](),
        "value": asked.settings.get(name),
        "kind": kind,
        "choices": None if choices is None else [None, *choices],
    }


def _costs(classes: list[Any], asked: Asked) -> dict[str, Any]:
    """What mistakes cost by class, where there is room; refused costs are not shown."""
    if len(classes) > MOST_COSTS:
        most = tr("{n:,} classes are too many for a table here.", n=len(classes))
        hint = tr(
            "What mistakes cost is said when it is started: {command}.",
            command="bosco open … --costs CLASS=5",
        )
        return {"classes": [], "table": [], "says": f"{most} {hint}"}
    try:
        table = cost_table(asked.costs, classes)
    except ParameterError:
        table = cost_table({}, classes)
    words = list(map(show_label, classes))
    says = tr("All mistakes cost the same: the answer is the class of the most rows.")
    if costs_of(table, classes) is not None:
        says = tr("The answer is the class of the least expected cost.")
        says = f"{tr('Costs: {costs}.', costs=say_costs(table, words))} {says}"
    names = zip(classes, words, strict=True)
    return {
        "classes": [{"key": str(one), "words": word} for one, word in names],
        "table": table,
        "says": says,
    }


def _part_columns(seen: Any) -> dict[str, list[str]]:
    """The columns that may part the rows: also such as are not learned from."""
    every = [] if seen is None else seen.columns
    some = [c for role in ("input", "dropped") for c in every if c.role == role]
    return {
        "group": [one.name for one in some],
        "date": [one.name for one in some if one.kind in DATES],
    }
