"""What a model remembers of its training rows: enough to know one again, nothing to read out.

Every row becomes a number of 40 bits, made of its values as the model's schema reads them and of
its target (`core/data/fingerprint`). The smallest 20,000 different ones are kept, which are all
of them where there are not more; else they are a sample by content, of which given rows can be
told too. Which rows those are depends neither on their order nor on how often a row is there, and
of two fingerprints of one schema the joint one can be made.

A number does not give back its row. Who has a row can ask whether it was there.
"""

import base64
import binascii
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.base.language import tr
from bosco.errors import ModelError

if TYPE_CHECKING:
    from bosco.data.frame import Frame
    from bosco.data.schema import Schema
    from bosco.tree.family import AnyModel

MOST = 20_000
"""Rows that are remembered at most, in 5 bytes each."""

State = Literal["unknown", "fresh", "mixed", "learned"]

_TARGET = np.uint64(_core.truth_bits)  # bits of a key that are the target's, after the columns'
_ALL = 2**_core.column_bits
_OCTETS = (_core.column_bits + _core.truth_bits) // 8  # of a key


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """The training rows of a model, as numbers."""

    keys: NDArray[np.uint64]  # of the rows remembered, 40 bits each, ascending, none twice
    below: int  # rows whose first 32 bits are below it are remembered; 2**32: all are

    @classmethod
    def of(cls, frame: "Frame", truth: NDArray[Any], n_threads: int = 1) -> "Fingerprint":
        """Take the fingerprint of rows and of their target: codes of classes, or numbers."""
        keys, below = _core.fingerprint(
            frame.native, _seed(frame.schema), **_truth(truth), most=MOST, n_threads=n_threads
        )
        return cls(keys, below)

    def joined(self, other: "Fingerprint") -> "Fingerprint":
        """The fingerprint of the rows of both, which are read by the same schema."""
        below = min(self.below, other.below)
        keys = np.union1d(self.keys, other.keys)
        keys = keys[: _place(keys, below)]
        if len(keys) > MOST:
            below = int(keys[MOST] >> _TARGET)
        return Fingerprint(keys[: _place(keys, below)], below)

    def seen(self, frame: "Frame", truth: NDArray[Any] | None = None, n_threads: int = 1) -> "Seen":
        """Tell which rows equal training rows: in every column and, if given, in the target."""
        keys = _core.row_keys(
            frame.native, _seed(frame.schema), **_truth(truth), n_threads=n_threads
        )
        looked = keys < np.uint64(self.below << _core.truth_bits)
        asked, known = keys[looked], self.keys
        if truth is None:
            asked, known = asked >> _TARGET, known >> _TARGET
        equal = np.zeros(len(keys), bool)
        if len(known):
            place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
            equal[looked] = known[place] == asked
        unknown = frame.unknown_rows()  # their levels have the code of missing values
        return Seen(len(keys), looked | unknown, equal & ~unknown, truth is not None)

    def to_plain(self) -> dict[str, Any]:
        """Give plain values that a model's provenance can hold."""
        octets = self.keys.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :_OCTETS]
        return {"below": self.below, "keys": base64.b64encode(octets.tobytes()).decode()}

    @classmethod
    def read(cls, said: Any) -> "Fingerprint":
        """Read what `to_plain` gave, trusting nothing in it."""
        try:
            below, octets = said["below"], base64.b64decode(said["keys"], validate=True)
        except (TypeError, KeyError, ValueError, binascii.Error):
            raise _unsound("its numbers cannot be read") from None
        if type(below) is not int or not 0 <= below <= _ALL or len(octets) % _OCTETS:
            raise _unsound("its parts do not fit each other")
        wide = np.zeros((len(octets) // _OCTETS, 8), np.uint8)
        wide[:, :_OCTETS] = np.frombuffer(octets, np.uint8).reshape(-1, _OCTETS)
        keys = wide.reshape(-1).view("<u8").astype(np.uint64)
        if len(keys) > MOST or (keys[1:] <= keys[:-1]).any() or _place(keys, below) < len(keys):
            raise _unsound("its numbers are not those of a fingerprint")
        return cls(keys, below)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Which of some rows equal training rows of a model; ``print`` it for a sentence.

    An equal row need not be the same one: where columns are few, rows that were never seen are
    equal to some that were.
    """

    rows: int  # how many were asked about
    # Of which it can be told: all, unless the model remembers a sample of its training rows only;
    # None where it remembers none.
    looked: NDArray[np.bool_] | None
    equal: NDArray[np.bool_] | None  # which of those equal a training row
    target: bool = True  # in the target too, not only in every column
    complete: bool = True  # the rows have every column of the training rows; else nothing is told

    @property
    def state(self) -> State:
        """What the rows that can be told of are: all "learned" from, all "fresh", "mixed".

        "unknown": of no row it can be told. Where `sampled`, the state is not that of all rows.
        """
        if self.looked is None or (self.rows and not self.n_looked):
            return "unknown"
        if not self.n_equal:
            return "fresh"
        return "learned" if self.n_equal == self.n_looked else "mixed"

    @property
    def known(self) -> bool:
        """Whether anything can be told."""
        return self.state != "unknown"

    @property
    def sampled(self) -> bool:
        """Whether it can be told of some rows only."""
        return self.known and self.n_looked < self.rows

    @property
    def whose(self) -> str:
        """The rows in words, by what they are to the model."""
        n = self.rows
        if self.state == "unknown":
            return tr("the {n:,} rows given", n=n)
        many = {"learned": tr("all", "rows"), "fresh": tr("none", "rows")}.get(self.state)
        many = many or f"{self.n_equal:,}"
        if self.sampled:
            return tr(
                "the {n:,} rows given (of the {known:,} that can be told of, {many} equal training "
                "rows)",
                n=n,
                known=self.n_looked,
                many=many,
            )
        if self.state == "mixed":
            return tr("the {n:,} rows given, of which {many} equal training rows", n=n, many=many)
        if self.n_equal:
            return tr("{n:,} rows that equal training rows", n=n)
        return tr("{n:,} rows that equal no training row", n=n)

    @property
    def n_looked(self) -> int:
        """Of how many rows it can be told."""
        return 0 if self.looked is None else int(np.count_nonzero(self.looked))

    @property
    def n_equal(self) -> int:
        """How many of those equal a training row."""
        return 0 if self.equal is None else int(np.count_nonzero(self.equal))

    @property
    def mixed(self) -> bool:
        """Whether some rows equal training rows, and others do not."""
        return self.state == "mixed"

    def parts(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Give the rows that equal training rows, and those that do not, by number."""
        if self.looked is None or self.equal is None:
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        return np.flatnonzero(self.equal), np.flatnonzero(self.looked & ~self.equal)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values: null where nothing can be told."""
        told = self.known
        return {
            "rows": self.rows,
            "looked_at": self.n_looked if told else None,
            "equal_training_rows": self.n_equal if told else None,
        }

    def __str__(self) -> str:
        if not self.complete:
            return tr(
                "Whether any of the rows equals a training row cannot be told: they lack columns "
                "that the training rows had."
            )
        if self.looked is None:
            return tr("This model does not remember its training rows.")
        if not self.known:
            return tr(
                "Whether any of the {n:,} rows equals a training row cannot be told: the "
                "model remembers a sample of its training rows, and none of these would be in it.",
                n=self.rows,
            )
        n, equal = self.n_looked, self.n_equal
        how = tr("in every column and the target") if self.target else tr("in every column")
        if equal == 0:
            said = tr("None of {n:,} rows equals a training row {how}.", n=n, how=how)
        elif equal == n > 1:
            said = tr("All {n:,} rows equal training rows {how}.", n=n, how=how)
        elif n == 1:
            said = tr("{equal:,} of {n:,} rows equals a training row {how}.", equal=1, n=n, how=how)
        else:
            said = tr(
                "{equal:,} of {n:,} rows equal training rows {how}.", equal=equal, n=n, how=how
            )
        if self.sampled:
            said += " " + tr(
                "They are those of the {n:,} rows that can be told of: the model "
                "remembers a sample of its training rows.",
                n=self.rows,
            )
        return said


def seen_rows(model: "AnyModel", frame: "Frame", truth: NDArray[Any] | None = None) -> Seen:
    """Tell which rows, read by a model, equal rows that it was grown on.

    `truth` is their target: places among the model's classes, or numbers.
    """
    said = model.provenance.get("fingerprint")
    if said is None or not frame.complete:
        complete = said is None or frame.complete
        return Seen(frame.n_rows, None, None, truth is not None, complete)
    return Fingerprint.read(said).seen(frame, truth)


def _seed(schema: "Schema") -> int:
    """The same values in other columns have other keys."""
    names = "\0".join(schema.names).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(names, digest_size=8, person=b"bosco rows").digest(), "little")


def _truth(truth: NDArray[Any] | None) -> dict[str, Any]:
    """A target as the core takes it."""
    if truth is None:
        return {"classes": None, "numbers": None}
    if truth.dtype.kind == "f":
        return {"classes": None, "numbers": np.ascontiguousarray(truth, np.float64)}
    return {"classes": np.ascontiguousarray(truth, np.uint32), "numbers": None}


def _place(keys: NDArray[np.uint64], below: int) -> int:
    """How many of ascending keys have first bits below."""
    return int(np.searchsorted(keys, np.uint64(below << _core.truth_bits)))


def _unsound(what: str) -> ModelError:
    return ModelError(f"This is not a sound model: provenance.fingerprint: {what}.")
