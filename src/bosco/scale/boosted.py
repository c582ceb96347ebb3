"""What a part does while trees are boosted over it: its rows have weights that rounds change.

The part is told the tree of every round and what all rows weigh that it has right and wrong; the
weights of its own rows follow, by the core's arithmetic. What it says is added up.
"""

import pickle
import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.readers import Table
from bosco.data.recipe import Outcome, Recipe
from bosco.data.target import Labels
from bosco.data.weights import Weights
from bosco.estimators.contents import content_keys
from bosco.estimators.jury import Jury
from bosco.estimators.start import Beginning
from bosco.scale.border import among
from bosco.tree.ties import heaviest

__all__ = ["Boosted", "add_marks", "bare", "packed"]


class Boosted:
    """The steps and requests of boosting; a part has them besides its own."""

    number: int  # of the part, among those that are asked
    given: Any
    outcome: Any
    frame: Any
    target: Any
    weighing: Any
    held: Outcome | None  # rows held back
    jury: Jury | None
    held_frame: Any

    def _forget_boosting(self) -> None:
        self.weighing = self.held = self.jury = self.held_frame = None
        self._last: Any = None  # the tree of the last round
        self._samples: Any = None  # of its nodes
        self._right = Fraction(0)  # of the rows held back, what all trees so far have right

    # Steps -------------------------------------------------------------------------------------

    def _hold_back(self, marks: Sequence[NDArray[np.uint8]]) -> None:
        """Some rows are there to judge by: for every part a bit for each row with a weight."""
        rows = self.outcome
        judge = np.unpackbits(marks[self.number], count=rows.n_kept).astype(bool)
        self.outcome, self.held = rows.where(~judge), rows.where(judge)

    def _weigh(self, beginning: Beginning, recipe: Recipe, refuse_missing: bool) -> None:
        """How weights begin; the target has the whole numbers of the round that is next."""
        rows, start = self.outcome, beginning.start(self.outcome)
        self.weighing = _core.Weighing(start.share, start.times)
        count, fixed = None, self.weighing.fixed
        if recipe.scaling.count != "weight":
            count = np.ones(rows.n_kept, np.int64) if start.times is None else start.times
        native = recipe.native(rows.numbers, rows.codes, fixed, count)
        weights = Weights(fixed, count, recipe.scaling.scale, rows.n_kept)
        classes: Any = recipe.classes
        self.target = Labels(native, rows.keep, rows.n_rows, weights, classes, rows.codes)
        if self.held is not None:
            table = self.given.table.take(self.held.keep)
            self.held_frame = Frame.read(table, self.frame.schema, refuse_missing=refuse_missing)
            self.jury = Jury(self.held.codes, self.held.sample, len(classes))

    def _boosted(
        self, tree: bytes, right: int, wrong: int, times_wrong: float, log_odds: float
    ) -> None:
        """A round is over: its tree, and by what the weights change."""
        self._last = _core.tree_from_state(pickle.loads(zlib.decompress(tree)))
        self._samples = self.weighing.mark(self._last, self.frame.native, self.outcome.codes)
        self.weighing.multiply(right, wrong, times_wrong)
        if self.jury is not None:
            leaf = _core.route(self._last, self.held_frame.native)
            self._right = self.jury.hear(heaviest(self._last.value)[leaf], log_odds)

    # Requests ----------------------------------------------------------------------------------

    def n_given(self) -> int:
        """How many rows there are, with and without a weight."""
        return 0 if self.given.table is None else int(self.given.table.n_rows)

    def contents(self, all_: Table, plain: bool) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Rows with a weight by what they hold, and their classes; `plain`: all weigh 1."""
        rows, table = self.outcome, self.given.table
        kept = among(table if rows.keep is None else table.take(rows.keep), all_)
        return content_keys(kept, rows.codes, None if plain else rows.weights(None)), rows.codes

    def jury_weight(self) -> Fraction:
        """What the rows weigh that are held back."""
        assert self.jury is not None
        return self.jury.weight

    def classes_of_all(self, n_classes: int) -> NDArray[np.int64]:
        """Rows of each class, those held back among them."""
        rest = np.zeros(0, np.uint32) if self.held is None else self.held.codes
        return np.bincount(np.concatenate([self.outcome.codes, rest]), minlength=n_classes)

    def fingerprint_of_all(self) -> Fingerprint:
        """What is remembered of the rows, of those held back too."""
        own = Fingerprint.of(self.frame, self.outcome.codes)
        if self.held is None:
            return own
        return own.joined(Fingerprint.of(self.held_frame, self.held.codes))

    def weights_of_rows(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weights of rows, numbered as they are given; NaN where none is learned from."""
        n, keep = self.n_given(), self._learning().keep
        place = np.arange(n) if keep is None else np.where(keep, np.cumsum(keep) - 1, -1)
        at = np.full(len(rows), -1)
        at[rows < n] = place[rows[rows < n]]
        found = np.full(len(rows), np.nan)
        found[at >= 0] = self._weights_at(at[at >= 0].astype(np.uint32))
        return found

    def _learning(self) -> Outcome:
        return self.outcome  # type: ignore[no-any-return]

    def _weights_at(self, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        return self.weighing.weights(rows)  # type: ignore[no-any-return]

    def marked(self, by_class: bool) -> tuple[NDArray[np.int64], NDArray[np.int64], Fraction]:
        """Of the last tree the samples of every node, and its rows; and what the jury says."""
        rows = np.zeros((0, 0), np.int64)
        if by_class:
            codes, n_classes = self.outcome.codes, self.target.n_classes
            rows = _core.census(self._last, self.frame.native, codes, n_classes, None, None, False)[
                0
            ]
        return self._samples, rows, self._right


def add_marks(answers: list[Any]) -> Any:
    """What parts say of the last tree, together."""
    samples, rows, right = zip(*answers, strict=True)
    return np.sum(samples, axis=0), np.sum(rows, axis=0), sum(right, Fraction(0))


def packed(tree: _core.Tree) -> bytes:
    """A tree on its way to the parts: small, and without what was compared at its nodes."""
    return zlib.compress(pickle.dumps(bare(tree)))


def bare(tree: _core.Tree) -> dict[str, Any]:
    """The state of a tree without what was compared at its nodes."""
    state: dict[str, Any] = dict(tree.state())
    pool = {k: v[:1] if k.endswith("_begin") else v[:0] for k, v in state["candidates"].items()}
    begin = np.zeros_like(state["candidate_begin"])
    gains = ("candidate_gain", "candidate_split_info", "candidate_penalty")
    state |= {"candidates": pool, "candidate_begin": begin} | {k: state[k][:0] for k in gains}
    return state
