"""A table and settings, ready to be learned from; classes or numbers, and what is neither."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.expressions.write import write_name
from bosco.data.parting import Parting, column_of
from bosco.errors import DataError, ParameterError
from bosco.lessons.literals import write_literal
from bosco.lessons.told import Parted, Task, Told, as_arguments, flags_of, items, listed
from bosco.settings.asking import write_groups, write_prices
from bosco.settings.settings import OPTIONS
from bosco.tree.costs import write_costs

if TYPE_CHECKING:
    from bosco.tables import Options, Reading
    from bosco.tables.survey import Survey

_LISTS = {
    "costs": write_costs,
    "ask_costs": write_prices,
    "ask_groups": write_groups,
    "ask_delayed": list,
}
"""Settings that are written as words of their own, one after the other."""
_OPTIONS = {"algorithm": "--algorithm"} | {name: flags_of(name)[0] for name in OPTIONS}
"""Parameters that have an option of their own; others go through --set."""

_COUNTABLE = 2.0**53  # beyond it floats skip whole numbers
_CLASSES = 10  # whole numbers with at most so many values are classes
_FEW = 20  # classes of any kind that need no two rows each
_IDENTIFIER_ROWS = 12  # fewer rows say nothing about identifiers
_GAPS = 4  # numbers given one after the other, of which some were lost
_IDENTIFIER_NAME = re.compile(r"(^|[\W_])(id|ids|uuid|key|nr|no|index|row)$|[a-z]I[dD]$", re.ASCII)


NOT_PARTED = Parted()
"""Rows that are parted by chance."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is to be learned, from which rows."""

    file: str  # where the rows are from, as the user wrote it
    reading: "Reading | Survey"  # the table as it was read
    given: Told  # what the user said about the table
    task: Task
    X: Any  # the rows, read once into the form that estimators work on
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    aside: Any = None  # a column that parts the rows, if it is not learned from
    parted: Parted = NOT_PARTED
    groups: Parting | None = None
    when: Parting | None = None

    @property
    def parting(self) -> dict[str, Any]:
        """What parts the rows, as judgements take it."""
        return {"groups": self.groups, "time": self.when}

    def words(self) -> list[str]:
        """The words of a command line that read the same rows without looking."""
        from bosco.tables.sources import shown

        read = as_arguments(self.reading.options, self.given.domains)
        read += ["--identifiers"] if self.given.identifiers else []
        return [shown(self.file), *read, "--task", self.task.value, *self.parted.words()]


def read_lesson(
    file: str,
    target: str,
    table: Told,
    task: Task | None,
    aside: str | None = None,
    parted: Parted = NOT_PARTED,
) -> Lesson:
    """Read a table to learn from; a column `aside` is kept even if it is not learned from."""
    if len(parted.names) > 1:
        raise ParameterError(
            "--group and --time are two ways to part the rows. Give one. Hint: --time where the "
            "model will meet rows that come later, --group where it will meet new groups."
        )
    from bosco.tables import read_file
    from bosco.tables.places import is_many
    from bosco.tables.survey import survey

    options = keeping(table.learning(target), aside)
    reading = (survey if is_many(file) else read_file)(file, options)
    return lesson_of(file, reading, table, task, aside, parted)


def keeping(options: "Options", aside: str | None) -> "Options":
    """Options that read a column although it is left out."""
    return replace(options, drop=tuple(name for name in options.drop if name != aside))


def lesson_of(
    file: str,
    reading: "Reading | Survey",
    given: Told,
    task: Task | None,
    aside: str | None = None,
    parted: Parted = NOT_PARTED,
) -> Lesson:
    """What is to be learned of a table that was read, with the column `aside`."""
    from bosco.data.readers import read_table

    target = reading.options.target
    assert target is not None
    groups = when = None
    if parted.group is not None:
        reading, groups = _parting(reading, parted.group, "group", parted.learn_parting)
        if not groups.groups("--group").any():
            raise DataError(
                f"--group {parted.group}: all rows have one value, so that none can be tested on "
                f"by a model that has not met it."
            )
    if parted.time is not None:
        reading, when = _parting(reading, parted.time, "time", parted.learn_parting)
        moments = when.moments("--time")
        if moments.min() == moments.max():
            raise DataError(
                f"--time {parted.time}: all rows are of one moment, {when.show(moments[0])}, so "
                f"that none follows another."
            )
    whole = reading
    reading = learned_from(reading, given, aside, parted.names)
    dropped = {one.name for one in reading.understanding.columns if one.role == "dropped"}
    where = f"{reading.understanding.source}, column {target!r}"
    if task is None:
        refuse_identifier(reading.y, target, where)
        task = task_of(reading.y)
    told = reading.understanding
    if not any(column.role == "input" for column in told.columns):
        raise DataError(f"{told.source} has no column to learn from beside {target!r}, the target.")
    y = target_values(reading.y, task, where, target)
    return Lesson(
        file=file,
        reading=reading,
        given=given,
        task=task,
        X=read_table(reading.X),
        y=y,
        weight=reading.sample_weight,
        aside=whole.column(aside) if aside in dropped else None,
        parted=parted,
        groups=groups,
        when=when,
    )


def _parting(reading: Any, name: str, role: str, learned: bool) -> tuple[Any, Parting]:
    """A column that parts the rows, and the reading without it, unless it is learned from."""
    told, options = reading.understanding, reading.options
    for taken, what in ((options.target, "learned"), (options.weight, "the weight")):
        if name == taken:
            raise ParameterError(f"--{role}: {name!r} is {what}, and cannot part the rows, too.")
    if name in options.drop:
        raise ParameterError(
            f"--{role}: {name!r} is dropped, too. Hint: it is not learned from anyway; leave it "
            f"out of --drop."
        )
    from bosco.tables.options import require_columns

    require_columns([name], [c.name for c in told.columns], told.source)
    parting = Parting(name, column_of(reading.X, name))
    if learned:
        return reading, parting
    inputs = [c.name for c in told.columns if c.role == "input"]
    if inputs == [name]:
        raise DataError(f"Without {name!r}, which parts the rows, there is nothing to learn from.")
    seen = (replace(c, role=role) if c.name == name else c for c in told.columns)
    return replace(
        reading.without([name]), understanding=replace(told, columns=tuple(seen))
    ), parting


def learned_from(reading: Any, given: Told, aside: str | None, kept: Collection[str] = ()) -> Any:
    """What is learned from: no identifiers, and nothing that the user left out."""
    if not given.identifiers:
        reading = without_identifiers(reading, kept)
    return _left_out(reading, [aside]) if aside in items(given.drop) else reading


def without_identifiers(reading: Any, kept: Collection[str] = ()) -> Any:
    """Leave out what looks like an identifier: it tells rows apart, and says nothing of new ones.

    Where there is nothing else to learn from, it is kept; and so is what the user names.
    """
    told = reading.understanding
    names = [
        c.name for c in told.columns if c.role == "input" and c.identifier and c.name not in kept
    ]
    inputs = {c.name for c in told.columns if c.role == "input"}
    return reading if inputs == set(names) else _left_out(reading, names)


def _left_out(reading: Any, names: list[Any]) -> Any:
    told, options = reading.understanding, reading.options
    names = [c.name for c in told.columns if c.role == "input" and c.name in names]
    if not names:
        return reading
    seen = (replace(c, role="dropped") if c.name in names else c for c in told.columns)
    types = {name: kind for name, kind in options.types.items() if name not in names}
    return replace(
        reading.without(names),
        understanding=replace(told, columns=tuple(seen)),
        options=replace(options, drop=(*options.drop, *names), types=types),
    )


def setting_words(settings: dict[str, Any]) -> list[str]:
    """Write settings as the words of a command line; the same settings are the same words."""
    words = []
    for name, option in _OPTIONS.items():
        if name == "derive":
            for column, text in (settings.get(name) or {}).items():
                words += [option, f"{write_name(column)} = {text}"]
        elif name in _LISTS:
            said = _LISTS[name](settings[name]) if settings.get(name) else []
            words += [word for one in said for word in (option, listed([one]))]
        elif settings.get(name) is True:  # a flag
            words.append(option)
        elif settings.get(name) is not None and settings[name] is not False:  # 0 is a value
            words += [option, write_literal(settings[name])]
    for name in sorted(settings.keys() - _OPTIONS.keys()):
        words += ["--set", f"{name}={write_literal(settings[name])}"]
    return words


def task_of(y: Any) -> Task:
    """Numbers are learned as numbers, unless they are few whole ones, however they are written."""
    import pyarrow as pa

    from bosco.tables.distinct import n_distinct

    if not (pa.types.is_floating(y.type) or pa.types.is_integer(y.type)):
        return Task.classification
    few = n_distinct(y) <= _CLASSES and _whole(y)
    return Task.classification if few else Task.regression


def _whole(y: Any) -> bool:
    """Whether numbers are whole, and each is itself as a float."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(y.type):
        return True
    countable = pc.less_equal(pc.abs(y), _COUNTABLE)
    return bool(pc.all(pc.and_(countable, pc.equal(y, pc.round(y)))).as_py())


def refuse_identifier(y: Any, name: str, where: str) -> None:
    """Refuse numbers that tell rows apart, unless the user says that they are a quantity."""
    import pyarrow as pa

    from bosco.tables.distinct import n_distinct

    if not pa.types.is_integer(y.type) or len(y) < _IDENTIFIER_ROWS:
        return
    if n_distinct(y) < len(y):
        return
    numbers = y.to_numpy()
    n, width = len(numbers), int(np.ptp(numbers))
    counted = width == n - 1 or (width < _GAPS * n and bool((np.diff(numbers) > 0).all()))
    if counted or _IDENTIFIER_NAME.search(name):
        raise DataError(
            f"{where} looks like an identifier: every row has a number of its own, which says "
            "nothing of new rows. Hint: another --target, or --task regression if it is a quantity."
        )


def target_values(y: Any, task: Task, where: str, name: str) -> NDArray[Any]:
    """The target as an array; text in an array of text, which is quick to compare."""
    import pyarrow as pa

    if isinstance(y.type, pa.DictionaryType):
        y = y.cast(y.type.value_type)
    if task is Task.regression:
        return _numbers(y, where, name)
    if pa.types.is_floating(y.type) and _whole(y):
        y = y.cast(pa.int64())  # one missing value is enough for some programs to write 1 as 1.0
    text = pa.types.is_string(y.type) or pa.types.is_large_string(y.type)
    values = _texts(y) if text else np.asarray(y.to_numpy())
    classes = len(np.unique(values))
    if classes < 2:
        raise DataError(
            f"{where}: every row has {values.tolist()[0]!r}, so that there is nothing to tell "
            "apart."
        )
    if classes > max(_FEW, len(values) // 2):
        if pa.types.is_temporal(y.type):
            raise _no_date(f"{where} holds {classes:,} different dates, too many to be classes")
        own = ": it looks like an identifier" if classes == len(values) else ""
        raise DataError(
            f"{where}: {classes:,} different values in {len(values):,} rows are no classes{own}. "
            "Hint: another --target" + ("." if text else ", or --task regression.")
        )
    return values


def _texts(y: Any) -> NDArray[np.str_]:
    """A column of text as an array of text; no list of all rows is made."""
    import pyarrow as pa

    coded = (y.combine_chunks() if isinstance(y, pa.ChunkedArray) else y).dictionary_encode()
    found: NDArray[np.str_] = np.asarray(coded.dictionary.to_pylist(), str)[
        coded.indices.to_numpy()
    ]
    return found


def _numbers(y: Any, where: str, name: str) -> NDArray[np.float64]:
    import pyarrow as pa

    if pa.types.is_temporal(y.type):
        raise _no_date(f"{where} holds dates, which are not learned as numbers")
    if not (pa.types.is_floating(y.type) or pa.types.is_integer(y.type)):
        raise DataError(
            f"{where}: regression learns numbers, and these are {y.type}. "
            f"Hint: --task classification, or --types '{name}=number'."
        )
    return np.asarray(y.to_numpy(), np.float64)


def _no_date(why: str) -> DataError:
    return DataError(
        f"{why}. Hint: add a column with what you want to know of them, such as the days since "
        "another date, the year or the month, and make that the --target."
    )
