"""A draft at the command line: opened on a table, or done again from its log and gone on with."""

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bosco.errors import ModelError, ParameterError
from bosco.lessons.told import Task, Told

if TYPE_CHECKING:
    from bosco.drafts.draft import Draft
    from bosco.drafts.log import Log
    from bosco.drafts.replay import Replayed
    from bosco.lessons.lesson import Lesson


def opened(lesson: "Lesson", settings: dict[str, Any], how: dict[str, Any]) -> "Draft":
    """Open a draft on a table; `how` are shares, seed, groups, date, who and reasons."""
    from bosco.drafts.draft import Draft
    from bosco.drafts.ground import Ground, require_tree
    from bosco.lessons.learners import learner, refuse_many

    refuse_many(settings, "A draft")
    estimator = require_tree(learner(lesson.task, settings, how["seed"]))
    parts = {name: how.pop(name) for name in ("validation", "test", "seed", "groups", "date")}
    source = _source(lesson)
    if lesson.aside is not None:
        name = "date" if parts["groups"] is None else "groups"
        source["aside"], parts[name] = parts[name], lesson.aside
    ground = Ground(estimator, lesson.X, lesson.y, lesson.weight, **parts)
    return Draft(ground, **how, source=source)


def _source(lesson: "Lesson") -> dict[str, Any]:
    """How the table was read, so that it is read so again; where it lies is not kept."""
    given = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in asdict(lesson.given).items()
        if value not in (None, False)
    }
    return {"target": lesson.reading.options.target, "options": given}


def replayed(log: "Log", file: str, target: str | None, table: Told) -> "Replayed":
    """Do a log again on a table, which is read as it was when the draft was opened."""
    from bosco.drafts.replay import replay
    from bosco.lessons.lesson import read_lesson

    opening = log[0]
    source, aside = opening.get("source"), None
    if isinstance(source, dict):
        target, table = target or source.get("target"), read_so(source, table)
        aside = source.get("aside")
    if not target:
        raise ParameterError("The log does not say which column was learned: give --target NAME.")
    regression = opening["estimator"].get("name") == "DecisionTreeRegressor"
    task = Task.regression if regression else Task.classification
    lesson = read_lesson(file, target, table, task, aside)
    of_its_own = {
        name: lesson.aside
        for name in ("groups", "date")
        if aside is not None and opening["parts"].get(name, aside) is None
    }
    return replay(log, lesson.X, lesson.y, lesson.weight, **of_its_own)


def read_so(source: dict[str, Any], given: Told) -> Told:
    """Options for reading: those of the log, and over them those that are given now."""
    known = {field.name for field in fields(Told)}
    kept = source.get("options")
    if not isinstance(kept, dict) or not kept.keys() <= known:
        raise ModelError("The log does not say how its table was read.")
    said = {name: Path(value) if name == "domains" else value for name, value in kept.items()}
    now = {name: value for name, value in asdict(given).items() if value not in (None, False)}
    return replace(Told(), **said | now)
