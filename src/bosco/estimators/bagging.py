"""Which rows each tree of a forest was grown on, and what that tells of the others.

A draw chooses places. The rows stand in the order of their keys (their numbers, unless `fit` is
given others), so rows that move together with their keys are drawn just the same.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state

from bosco import _core
from bosco.data.frame import Frame
from bosco.errors import DataError, ParameterError
from bosco.growth import Growth
from bosco.models.forest import ForestModel
from bosco.tree.ties import heaviest

BOOTSTRAP_BITS = 6
"""Room in the sums for rows that are drawn several times: no row is drawn 64 times by chance."""
MOST_TIMES = 64
"""A sample has at most so many times the rows; more than once them needs as much room again."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The samples of all trees: rules, not rows; any tree's sample can be drawn again."""

    growth: Growth
    n_rows: int
    sample: int | None  # rows a tree; None: each row once, nothing is drawn
    replace: bool
    order: NDArray[np.uint32] | None  # the rows by key; None: by number

    def times(self, tree: int) -> NDArray[np.int64]:
        """How often a tree's sample has each row."""
        if self.sample is None:
            return np.ones(self.n_rows, np.int64)
        n, seed = self.n_rows, self.growth.seed
        places = _core.sample_times(seed, tree, n, self.sample, self.replace, 0, n)
        times = places.astype(np.int64)
        if self.order is not None:
            times[self.order] = places
        return times


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Trees that are to be grown: from which samples, and what is done with each."""

    draws: Draws
    n_trees: int  # all together
    balanced: bool  # in every sample the classes weigh the same
    ccp_alpha: float  # each is pruned by cost and complexity
    mode: bool  # out of the bag, the heaviest class of a leaf has its vote
    bagged: bool  # rows out of the bag are judged
    keep: bool  # what is grown stays, if interrupted
    before: ForestModel | None = None  # trees there are, and what was said out of their bags
    bag: dict[str, Any] | None = None


def sample_size(max_samples: Any, bootstrap: Any, n_rows: int) -> int | None:
    """Rows that each tree draws, by scikit-learn's rules; None: it takes all, nothing is drawn."""
    once = bootstrap == "once"
    if max_samples is None:
        return n_rows if bootstrap and not once else None
    if not bootstrap:
        raise ParameterError(
            "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or "
            "set `max_sample=None`. Hint: bootstrap='once' draws max_samples rows, none twice."
        )
    size = max(1, round(max_samples * n_rows)) if isinstance(max_samples, float) else max_samples
    if size > n_rows and once:
        raise ParameterError(
            f"`max_samples` must be <= n_samples={n_rows} where no row is drawn twice "
            f"(bootstrap='once') but got value {max_samples}."
        )
    if size > MOST_TIMES * n_rows:
        raise ParameterError(
            f"`max_samples` must be <= {MOST_TIMES} * n_samples={MOST_TIMES * n_rows} but got "
            f"value {max_samples}."
        )
    return int(size)


def order_of(
    row_keys: Any, n_rows: int, keep: NDArray[np.bool_] | None
) -> NDArray[np.uint32] | None:
    """The rows that have a weight in the order of their keys; None: as they stand.

    Examples
    --------
    >>> order_of(["c", "a", "b"], 3, None)
    array([1, 2, 0], dtype=uint32)
    """
    if row_keys is None:
        return None
    keys = np.asarray(row_keys)
    if keys.shape != (n_rows,):
        raise DataError(f"row_keys must hold one key for each of the {n_rows} rows.")
    keys = keys if keep is None else keys[keep]
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    if again.size:
        raise DataError(
            f"row_keys must differ from row to row, so that the draws do not depend on the order "
            f"of the rows, but {keys[order[again[0]]]!r} is there twice."
        )
    return order.astype(np.uint32)


def warn_of_few(stacklevel: int) -> None:
    """Warn that some rows were in the sample of every tree."""
    warnings.warn(
        "Some inputs do not have OOB scores. This probably means too few trees were used "
        "to compute any reliable OOB estimates.",
        UserWarning,
        stacklevel=stacklevel,
    )


def permutation_drops(
    model: ForestModel,
    draws: Draws,
    frame: Frame,
    truth: NDArray[Any],
    n_repeats: int,
    random_state: Any,
) -> NDArray[np.float64]:
    """By how much shuffling each column lowers the out-of-bag score: (n_columns, n_repeats).

    The score is the accuracy, or R², of what the trees that have not seen a row say of it.
    """
    n_columns = len(frame.schema.columns)
    random = check_random_state(random_state)
    drops = np.empty((n_columns, n_repeats))
    for repeat in range(n_repeats):
        frames = [_shuffled(frame, j, draws.order, random) for j in range(n_columns)]
        scores = _scores(model, draws, [frame, *frames], truth)
        drops[:, repeat] = scores[0] - scores[1:]
    return drops


def _shuffled(frame: Frame, column: int, order: NDArray[np.uint32] | None, random: Any) -> Frame:
    """A frame with the values of one column dealt out anew."""
    dealt = random.permutation(frame.n_rows)
    if order is not None:  # shuffle by key, so that the order of the rows does not matter
        by_key = np.empty(frame.n_rows, np.int64)
        by_key[order] = order[dealt]
        dealt = by_key
    return frame.dealt(column, dealt)


def _scores(
    model: ForestModel, draws: Draws, frames: list[Frame], truth: NDArray[Any]
) -> NDArray[np.float64]:
    """Out-of-bag score of the forest on each of several frames of the same rows."""
    width = 1 if model.classes is None else len(model.classes)
    sums = np.zeros((len(frames), draws.n_rows, width))
    weight = np.zeros(draws.n_rows)
    for t in range(model.n_trees):
        native = model.native.tree(t)
        values, asked = native.value, set(native.tests.column.tolist())
        if model.vote == "mode":
            values = np.eye(values.shape[1])[heaviest(values)]
        unseen = np.flatnonzero(draws.times(t) == 0)
        weight[unseen] += model.tree_weights[t]
        usual = _core.route(native, frames[0].native)
        for f, frame in enumerate(frames):
            leaf = _core.route(native, frame.native) if f - 1 in asked else usual
            sums[f, unseen] += model.tree_weights[t] * values[leaf[unseen]]
    rows = weight > 0
    if not rows.any():
        raise DataError("Every tree has seen every row: there is nothing out of the bag.")
    if model.classes is not None:
        return np.array([np.mean(heaviest(s[rows]) == truth[rows]) for s in sums])
    means = sums[:, rows, 0] / weight[rows]
    return np.array([r2_score(truth[rows], mean) for mean in means])
