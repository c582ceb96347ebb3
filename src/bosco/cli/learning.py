"""A table and settings, ready to be learned from."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.cli.groups import TableOptions
from bosco.cli.literals import write_literal
from bosco.cli.options import Task, as_arguments, flags_of
from bosco.cli.targets import refuse_identifier, target_values, task_of
from bosco.settings.settings import OPTIONS

if TYPE_CHECKING:
    from bosco.tables import Reading

_OPTIONS = {"algorithm": "--algorithm"} | {name: flags_of(name)[0] for name in OPTIONS}
"""Parameters that have an option of their own; others go through --set."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is to be learned, from which rows."""

    file: str  # where the rows are from, as the user wrote it
    reading: "Reading"  # the table as it was read
    given: TableOptions  # what the user said about the table
    task: Task
    X: Any  # the rows, read once into the form that estimators work on
    y: NDArray[Any]
    weight: NDArray[np.float64] | None

    def words(self) -> list[str]:
        """The words of a command line that read the same rows without looking."""
        from bosco.tables.addresses import shown

        read = as_arguments(self.reading.options, self.given.domains)
        read += ["--identifiers"] if self.given.identifiers else []
        return [shown(self.file), *read, "--task", self.task.value]


def read_lesson(file: str, target: str, table: TableOptions, task: Task | None) -> Lesson:
    """Read a table to learn from."""
    from bosco.data.readers import read_table
    from bosco.tables import read_file

    reading = read_file(file, table.learning(target))
    if not table.identifiers:
        reading = without_identifiers(reading)
    where = f"{reading.understanding.source}, column {target!r}"
    if task is None:
        refuse_identifier(reading.y, target, where)
        task = task_of(reading.y)
    y = target_values(reading.y, task, where, target)
    return Lesson(
        file=file,
        reading=reading,
        given=table,
        task=task,
        X=read_table(reading.X),
        y=y,
        weight=reading.sample_weight,
    )


def without_identifiers(reading: "Reading") -> "Reading":
    """Leave out what looks like an identifier: it tells rows apart, and says nothing of new ones.

    Where there is nothing else to learn from, it is kept.
    """
    told, options = reading.understanding, reading.options
    names = [c.name for c in told.columns if c.role == "input" and c.identifier]
    if not names or not set(reading.X.column_names) - set(names):
        return reading
    seen = (replace(c, role="dropped") if c.name in names else c for c in told.columns)
    types = {name: kind for name, kind in options.types.items() if name not in names}
    return replace(
        reading,
        table=reading.table.drop_columns(names),
        understanding=replace(told, columns=tuple(seen)),
        options=replace(options, drop=(*options.drop, *names), types=types),
    )


def setting_words(settings: dict[str, Any]) -> list[str]:
    """Write settings as the words of a command line; the same settings are the same words.

    Examples
    --------
    >>> setting_words({"max_depth": 3, "missing": "learn", "algorithm": "c45"})
    ['--algorithm', 'c45', '--max-depth', '3', '--set', 'missing=learn']
    """
    words = []
    for name, option in _OPTIONS.items():
        if settings.get(name) is not None:
            words += [option, write_literal(settings[name])]
    for name in sorted(settings.keys() - _OPTIONS.keys()):
        words += ["--set", f"{name}={write_literal(settings[name])}"]
    return words
