"""Parts at the Python workers of Spark.

Spark gives a task to any Python worker that is free, and keeps workers between jobs. So a request
is a job of one task for each slot: a task sees in which process it runs, and answers for the parts
that are at home there, added up. A part whose process did not answer (it died, or was not met) is
asked by another job, whose tasks bring the rows along; where that runs is its home from then on.

Rows come to Python as batches of Arrow, and are kept there. Where the plan of the rows shuffles,
Spark may cut it into other partitions when it plans again; then they go through Python to a plan
that is made once, and from there to other workers: twice the way.

Tasks are pure: they carry all that they need but the rows. Spark may run them anywhere, twice, or
again, and have more or fewer executors at any time. There is no barrier, and no socket of our own.
"""

# Over 400 lines: what the driver sends and what a worker does with it stand side by side.
import gc
import os
import pickle
import re
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bosco.data.columns import Coded
from bosco.errors import BoscoError, ClusterError, DataError
from bosco.scale.adding import merged, ordered
from bosco.scale.part import Rows
from bosco.scale.source import Engine, Step
from bosco.scale.workers import answer, forget, holds
from bosco.version import __version__

PATIENCE = 60.0
"""Seconds without an executor, after which a fit gives up."""

_VISITS = 3  # jobs that look for the homes of parts, before rows are brought along again
_ATTEMPTS = 10  # of a job whose workers die
_LOOK_AGAIN = 2.0  # seconds between looks at the executors
_PIECE = 16 << 20  # bytes of rows in one piece, about
_LOST = "unexpectedly|crashed|ExecutorLost|Lost executor|EOFException|Connection|Broken pipe|Fetch"

_SAID = "said binary"  # the schema of answers

_PROCESS = uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class Order:
    """What a task is to do."""

    job: str  # of which fit
    places: dict[int, int]  # of partitions, among those that are asked
    homes: dict[str, list[int]]  # the partitions that each process is to answer for
    steps: Sequence[Step]
    request: str
    args: Sequence[Any]
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Said:
    """What a process says of parts: answers, or what went wrong; `marks` are of rows brought."""

    home: str
    numbers: list[int]
    answers: list[Any]
    wrong: tuple[type[BoscoError], str] | None = None
    marks: tuple[int, ...] = ()


class SparkEngine(Engine):
    """Carries requests to the partitions of a Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With the columns that `rows_of` takes, and no others.
    rows_of : callable
        Makes `Rows` of a table of Arrow; found by name on the workers.
    patience : float
        Seconds without an executor, after which a fit gives up.
    """

    names: Sequence[str] = ()

    def __init__(self, frame: Any, rows_of: Callable[[Any], Rows], patience: float = PATIENCE):
        self.session, self.frame = frame.sparkSession, frame
        self.context = self.session.sparkContext
        self.rows_of, self.patience = rows_of, patience
        self.planned_once = _shuffles(frame)
        if self.planned_once:
            self.packed = frame.mapInArrow(_pack, "rows binary").rdd
        self.kept_before = frame.is_cached
        parts = self.packed if self.planned_once else frame.rdd
        self.n_parts = parts.getNumPartitions()
        self.numbers = list(range(self.n_parts))
        self.names = [f"partition {number}" for number in self.numbers]
        self.slots: Any = None
        self.homes: dict[int, str] = {}
        self.marks: dict[int, int] = {}  # of the rows of each part, the first time
        self.job = uuid.uuid4().hex
        self.kept = False  # whether rows are, by us
        self.gave_up = ""
        self.closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def ask(self, steps: Sequence[Step], request: str, *args: Any) -> list[Any]:
        """Give the answers of all parts, in their order; those that add up may come as fewer."""
        places = {number: place for place, number in enumerate(self.numbers)}
        order = Order(self.job, places, {}, list(steps), request, args)
        waiting = set(self.numbers)
        said: list[Said] = []
        for _ in range(_VISITS):
            homes: dict[str, list[int]] = {}
            for number in sorted(waiting & self.homes.keys()):
                homes.setdefault(self.homes[number], []).append(number)
            if not homes:
                break
            for one in self._run(request, self._visiting(replace(order, homes=homes))):
                if one.numbers and waiting.issuperset(one.numbers):  # a process may be met twice
                    said.append(one)
                    waiting -= set(one.numbers)
        if waiting:
            brought = self._run(request, self._bringing(order, sorted(waiting)))
            self._note(brought)
            said += brought
        return ordered((one.numbers, one.answers) for one in said)

    def only(self, numbers: Sequence[int]) -> None:
        """Ask no others from here on."""
        self.numbers = [self.numbers[k] for k in numbers]
        self.names = [self.names[k] for k in numbers]

    def close(self) -> None:
        """Let the parts go."""
        self.closed.set()
        with suppress(Exception):  # a cluster that is gone has forgotten already
            self._everywhere(partial(_forget, self.job))
        if self.kept:
            (self.packed if self.planned_once else self.frame).unpersist()

    # Jobs --------------------------------------------------------------------------------------

    def _everywhere(self, task: Callable[[], Said]) -> list[Said]:
        """Run a task in each slot, and so in every Python worker, if nobody else has jobs.

        Spark has other workers for batches of Arrow than for objects: those are met that have rows.
        """
        n = max(1, self.context.defaultParallelism)
        if not self.planned_once:
            slots = self.session.range(0, n, 1, n)
            return _heard(slots.mapInArrow(partial(_batch_of, task), _SAID).collect())
        if self.slots is None or self.slots.getNumPartitions() != n:
            self.slots = self.context.parallelize(range(n), n)
        said: list[Said] = self.slots.mapPartitions(partial(_object_of, task)).collect()
        return said

    def _visiting(self, order: Order) -> Callable[[], list[Said]]:
        """A job that asks all workers for the parts that are at home there."""
        return lambda: self._everywhere(partial(_visit, order))

    def _bringing(self, order: Order, numbers: list[int]) -> Callable[[], list[Said]]:
        """A job that brings rows along, and asks for their parts."""
        if self.marks and not self.kept and not self.kept_before:  # it may happen again
            from pyspark import StorageLevel

            (self.packed if self.planned_once else self.frame).persist(StorageLevel.MEMORY_AND_DISK)
            self.kept = True
        if self.planned_once:
            objects = self.packed.mapPartitionsWithIndex(partial(_bring, order, self.rows_of))
            return lambda: self.context.runJob(objects, iter, numbers)
        made = self.frame.mapInArrow(partial(_bring_batches, order, self.rows_of), _SAID)
        if len(numbers) == self.n_parts:
            return lambda: _heard(made.collect())
        return lambda: _heard(self.context.runJob(made.rdd, iter, numbers))

    def _note(self, brought: list[Said]) -> None:
        """Where parts are at home now; their rows must be those of the first time."""
        for one in brought:
            for number, mark in zip(one.numbers, one.marks, strict=True):
                self.homes[number] = one.home
                if self.marks.setdefault(number, mark) != mark:
                    raise DataError(
                        f"partition {number} was made again and has other rows than before: the "
                        f"DataFrame gives other rows each time. Hint: write it to a file first, or "
                        f"DataFrame.checkpoint()."
                    )

    def _run(self, request: str, job: Callable[[], list[Said]]) -> list[Said]:
        """Run a job, again if its workers died; what went wrong is said in one sentence."""
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        self.context.addJobTag(self._tag)
        before = self.context.getLocalProperty("spark.job.description")
        self.context.setJobDescription(f"bosco: {request}")
        try:
            for _ in range(_ATTEMPTS):
                try:
                    said = job()
                    break
                except (Py4JJavaError, PySparkException) as error:
                    if self.gave_up:
                        raise ClusterError(self.gave_up) from None
                    why = _in_a_sentence(error)
                    if not re.search(_LOST, why):
                        raise DataError(f"Spark cannot give the rows: {why}") from None
            else:
                raise ClusterError(
                    f"The workers died {_ATTEMPTS} times while they were asked for one thing: "
                    f"{why} Hint: they may lack memory; more partitions are smaller ones."
                )
        finally:
            self.context.setLocalProperty("spark.job.description", before)
            self.context.removeJobTag(self._tag)
        for one in said:
            if one.wrong is not None:
                kind, words = one.wrong
                raise kind(words)
        return said

    @property
    def _tag(self) -> str:
        return f"bosco-{self.job}"

    def _watch(self) -> None:
        """Give up when there has been no executor for long; Spark would wait for ever."""
        java, alone = self.context._jsc.sc(), 0.0
        if java.isLocal():
            return
        while not self.closed.wait(_LOOK_AGAIN):
            with suppress(Exception):
                n = java.getExecutorMemoryStatus().size() - 1  # the driver is one of them
                alone = 0.0 if n > 0 else alone + _LOOK_AGAIN
                if alone > self.patience:
                    self.gave_up = f"Spark has had no executor for {self.patience:g} seconds."
                    self.context.cancelJobsWithTag(self._tag)
                    return


def _shuffles(frame: Any) -> bool:
    """Whether rows are sent around before they are here: Spark then plans while it runs."""
    return "Adaptive" in frame._jdf.queryExecution().executedPlan().getClass().getSimpleName()


def _in_a_sentence(error: Any) -> str:
    """What went wrong in Spark, without where in it: what it is called, and its first cause."""
    cause, texts = getattr(error, "java_exception", None), []
    while cause is not None:
        texts.append(str(cause.getMessage() or cause.toString()).strip())
        cause = cause.getCause()
    *outer, first = texts or [str(error).strip()]
    lines = first.splitlines() or [type(error).__name__]
    raised = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Interrupt)\b", line)]
    said = raised[-1] if "Traceback" in first and raised else lines[0]
    called = [text.splitlines()[0] for text in outer if re.match(r"\[[A-Z_.]+\]", text)]
    return f"{called[0]} {said}" if called else said


# At a worker -----------------------------------------------------------------------------------


def _home() -> str:
    """Name the process; a fork has another number."""
    return f"{_PROCESS}-{os.getpid()}"


def _pack(batches: Iterable[Any]) -> Iterator[Any]:
    """Rows in pieces that Spark can keep."""
    import pyarrow as pa

    held: list[Any] = []

    def piece() -> Any:
        table = pa.Table.from_batches(held).combine_chunks()
        held.clear()
        with pa.BufferOutputStream() as out:
            with pa.ipc.new_stream(out, table.schema) as stream:
                stream.write_table(table)
            return pa.RecordBatch.from_arrays([pa.array([out.getvalue().to_pybytes()])], ["rows"])

    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            if sum(b.nbytes for b in held) > _PIECE:
                yield piece()
    if held:
        yield piece()


def _unpacked(pieces: Iterable[Any]) -> Any:
    """A table of Arrow; None if there is no row."""
    import pyarrow as pa

    tables = [pa.ipc.open_stream(pa.py_buffer(row[0])).read_all() for row in pieces]
    return pa.concat_tables(tables) if tables else None


def _visit(order: Order) -> Said:
    """Answer for the parts that are at home here."""
    numbers = [n for n in order.homes.get(_home(), ()) if holds(order.job, n)]
    return _said(order, numbers, _gone)


def _object_of(task: Callable[[], Said], _: Iterable[Any]) -> Iterator[Said]:
    yield task()


def _batch_of(task: Callable[[], Said], batches: Iterable[Any]) -> Iterator[Any]:
    for _ in batches:  # Spark wants to be listened to
        pass
    yield _batch(task())


def _batch(said: Said) -> Any:
    """What is said as a batch of Arrow."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(said)], pa.binary())], ["said"])


def _heard(rows: Iterable[Any]) -> list[Said]:
    return [pickle.loads(row[0]) for row in rows]


def _bring(
    order: Order, rows_of: Callable[[Any], Rows], number: int, pieces: Iterable[Any]
) -> Iterator[Said]:
    """Answer for a part whose rows are here now, in pieces."""
    yield _brought(order, rows_of, number, lambda: _unpacked(pieces))


def _bring_batches(
    order: Order, rows_of: Callable[[Any], Rows], batches: Iterable[Any]
) -> Iterator[Any]:
    """Answer for a part whose rows are here now, in batches."""
    import pyarrow as pa
    from pyspark import TaskContext

    def table() -> Any:
        held = [batch for batch in batches if batch.num_rows]
        return pa.Table.from_batches(held) if held else None

    number = TaskContext.get().partitionId()
    yield _batch(_brought(order, rows_of, number, table))


def _brought(
    order: Order, rows_of: Callable[[Any], Rows], number: int, table: Callable[[], Any]
) -> Said:
    given = table()  # what goes wrong with that is Spark's to say
    try:
        rows = rows_of(given)
    except Exception as error:
        return Said(_home(), [number], [], _told(number, error))
    said = replace(_said(order, [number], lambda: rows), marks=(_mark(rows),))
    gc.collect()
    gc.freeze()  # Spark collects garbage after every task, which looks at all that is imported
    return said


def _said(order: Order, numbers: list[int], read: Callable[[], Rows]) -> Said:
    if order.version != __version__:
        told = f"A worker has bosco {__version__}, the driver {order.version}. Both must be one."
        return Said(_home(), numbers, [], (ClusterError, told))
    answers: list[Any] = []
    for number in numbers:
        try:
            part = [(number, f"partition {number}", read)]
            asked = (order.steps, order.request, order.args, order.places)
            answers += answer(order.job, part, *asked)
        except Exception as error:
            return Said(_home(), numbers, [], _told(number, error))
    return Said(_home(), numbers, merged(order.request, answers))


def _told(number: int, error: Exception) -> tuple[type[BoscoError], str]:
    """What went wrong with a part."""
    if isinstance(error, BoscoError):
        told = str(error)
        part = f"partition {number}: "
        return type(error), told if told.startswith(part) else part + told
    return ClusterError, f"partition {number}: {type(error).__name__}: {error}"


def _gone() -> Rows:
    raise AssertionError("a part that is at home has its rows")


def _forget(job: str) -> Said:
    forget(job)
    return Said(_home(), [], [])


def _mark(rows: Rows) -> int:
    """A number by which the rows of a part are known again, in any order."""
    if rows.table is None:
        return 0
    mark = rows.table.n_rows
    for j in range(len(rows.table.names)):
        cells = rows.table.column(j)
        if isinstance(cells, Coded):
            some = np.bincount(cells.codes).astype(np.uint64)
            some *= np.arange(1, len(some) + 1, dtype=np.uint64)
        else:
            some = np.ascontiguousarray(cells.values, np.float64).view(np.uint64)
        mark = (mark * 31 + int(some.sum(dtype=np.uint64))) % 2**64
    return mark
