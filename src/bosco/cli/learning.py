"""A table and settings, ready to be learned from."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.cli.groups import TableOptions, Task
from bosco.cli.literals import write_literal
from bosco.cli.options import as_arguments
from bosco.errors import DataError

if TYPE_CHECKING:
    from bosco.tables import Reading

__all__ = ["Lesson", "read_lesson", "setting_words"]

_CLASSES = 10  # whole numbers with at most so many values are classes
_NAMES = (
    "algorithm", "criterion", "threshold", "max_depth", "max_leaf_nodes", "min_samples_leaf",
    "max_features", "learning_rate", "pruning",
)  # fmt: skip
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _NAMES} | {"n_estimators": "--trees"}
"""Parameters that have an option of their own; others go through --set."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is to be learned, from which rows.

    Attributes
    ----------
    file : str
        Where the rows are from, as the user wrote it.
    reading : Reading
        The table as it was read.
    given : TableOptions
        What the user said about the table.
    task : Task
        Classes or numbers.
    X, y, weight
        The rows, read once into the form that estimators work on; weight may be None.
    """

    file: str
    reading: "Reading"
    given: TableOptions
    task: Task
    X: Any
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
    from bosco.readers import read_table
    from bosco.tables import read_file

    reading = read_file(file, table.learning(target))
    if not table.identifiers:
        reading = without_identifiers(reading)
    task = task or _task_of(reading.y)
    y = _array(reading.y, task, reading.understanding.source, target)
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


def _task_of(y: Any) -> Task:
    """Numbers are learned as numbers, unless they are few whole ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(y.type):
        return Task.regression
    many = pa.types.is_integer(y.type) and pc.count_distinct(y).as_py() > _CLASSES
    return Task.regression if many else Task.classification


def _array(y: Any, task: Task, source: str, target: str) -> NDArray[Any]:
    """The target as an array; text in an array of text, which is quick to compare."""
    import pyarrow as pa

    if isinstance(y.type, pa.DictionaryType):
        y = y.cast(y.type.value_type)
    if task is Task.regression:
        if not (pa.types.is_floating(y.type) or pa.types.is_integer(y.type)):
            raise DataError(
                f"{source}, column {target!r}: regression learns numbers, and these are "
                f"{y.type}. Hint: --task classification, or --types '{target}=number'."
            )
        return np.asarray(y.to_numpy(), np.float64)
    text = pa.types.is_string(y.type) or pa.types.is_large_string(y.type)
    values = np.asarray(y.to_pylist(), str) if text else np.asarray(y.to_numpy())
    classes = len(np.unique(values))
    if classes < 2:
        raise DataError(
            f"{source}, column {target!r}: every row has {values.tolist()[0]!r}, so that there is "
            f"nothing to tell apart."
        )
    if classes > max(20, len(values) // 2):
        raise DataError(
            f"{source}, column {target!r}: {classes:,} different values in {len(values):,} rows "
            f"are no classes. Hint: another --target" + ("." if text else ", or --task regression.")
        )
    return values
