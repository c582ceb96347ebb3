"""What is asked of all parts, and told to them, before they are boosted: who learns, who judges."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError
from bosco.estimators.jury import hold_back
from bosco.scale.asking import Told, tell_outcome
from bosco.scale.border import together


def begin(estimator: Any, learner: Any, told: Told) -> tuple[NDArray[Any], "Watch"]:
    """Find the classes and the rows to watch; hold back some rows, if they are to judge."""
    watch = Watch(estimator.watch, told, (learner.categorical_features, learner.domains))
    classes, _ = tell_outcome(told, "classification", None)
    if not estimator.early_stopping:
        return classes, watch
    all_ = together(told.ask("glance", None, None), told.engine.names)
    said = told.ask("contents", all_, told.plain)
    keys, codes = (np.concatenate(some) for some in zip(*said, strict=True))
    order = np.argsort(keys, kind="stable")
    _, judge = hold_back(order, codes, estimator.validation_fraction, estimator.random_state)
    marks = np.zeros(len(keys), bool)
    marks[judge] = True
    ends = np.cumsum([len(part) for part, _ in said])[:-1]
    told.tell("hold_back", [np.packbits(part) for part in np.split(marks, ends)])
    told.introduce_again()
    return classes, watch


class Watch:
    """Rows whose weights are noted, numbered from part to part in their order.

    Parts do not know which they are: each is asked for all of the numbers, and one is listened to.
    """

    def __init__(self, watch: Any, told: Told, kinds: tuple[Any, Any]):
        wanted = np.asarray([] if watch is None else watch, np.int64)
        n_given = told.ask("n_given") if len(wanted) else []
        asked = told.introduce(True, kinds)
        ends = np.cumsum(n_given)
        if wanted.ndim != 1 or (len(wanted) and not 0 <= wanted.min() <= wanted.max() < ends[-1]):
            raise DataError(f"watch must hold numbers of rows from 0 to {ends[-1] - 1}.")
        part = np.searchsorted(ends, wanted, side="right")
        own = wanted - (ends - n_given)[part] if len(wanted) else wanted
        self.rows, self._place = np.unique(own, return_inverse=True)
        self._part = [asked.index(k) if k in asked else None for k in part.tolist()]

    def weights(self, ask: Callable[..., list[Any]]) -> NDArray[np.float64]:
        """Their weights, of all parts, which are asked."""
        said = ask("weights_of_rows", self.rows) if self._part else []
        found = zip(self._part, self._place.tolist(), strict=True)
        return np.array([np.nan if part is None else said[part][at] for part, at in found])

    @staticmethod
    def check(weights: NDArray[np.float64], early_stopping: bool) -> None:
        """Refuse rows that are not learned from."""
        if np.isnan(weights).any():
            held = ", or one that early_stopping holds back" if early_stopping else ""
            raise DataError(f"watch names a row of weight 0, which takes no part{held}.")
