"""How wrong a model is, on rows or by folds, and what it finds of each class.

Where classes are uneven, an error alone hides that.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.schema import show_label
from bosco.figures.figure import Figure
from bosco.render.card import show_share, show_weight

_UNEVEN = 1.5  # times as many rows of one class as of another
_SHOWN = 8  # classes


def by_folds(evaluation: Any, model: Any) -> Figure:
    """The error of an evaluation by accuracy, or by the negative mean absolute error."""
    top = 0.0 if model.classes is None else 1.0
    low, high = (max(top - end, 0.0) for end in reversed(evaluation.interval))
    first = evaluation.summaries[0]
    return Figure(
        metric="mean absolute error" if model.classes is None else "error",
        value=top - first.mean,
        low=low,
        high=high if model.classes is None else min(high, 1.0),
        rows=evaluation.n_rows,
        baseline=top - first.constant,
        says=evaluation.constant,
        gain=first.mean - first.constant,
        gain_low=first.gain[0],
        gain_high=first.gain[1],
        weighted=evaluation.weighted,
        how=f", by {evaluation.plan}",
    )


@dataclass(frozen=True, slots=True)
class Recall:
    """Of each class, the share of its rows that were told as such, whatever they weigh.

    Examples
    --------
    >>> print(Recall(("good", "bad"), (0.95, 0.35), (140, 60)))
    found of each class (recall): good 95.0 % of 140 rows, bad 35.0 % of 60
    >>> Recall(("a", "b"), (0.9, 0.8), (50, 50)).uneven
    False
    """

    classes: tuple[Any, ...]
    shares: tuple[float, ...]
    rows: tuple[float, ...]

    @property
    def uneven(self) -> bool:
        """Whether some class has many more rows than another."""
        return max(self.rows) >= _UNEVEN * min(self.rows)

    def __str__(self) -> str:
        every = list(zip(self.classes, self.shares, self.rows, strict=True))
        there = [(label, share, n) for label, share, n in every if n]
        worst = sorted(there, key=lambda one: one[1])[:_SHOWN]
        shown = [one for one in there if one in worst]
        told = [
            f"{show_label(label)} {show_share(share)} of {show_weight(n)}"
            for label, share, n in shown
        ]
        told[0] += " rows"
        more = len(there) - len(shown)
        rest = f", and {more} more, of which more were found" if more else ""
        return f"found of each class (recall): {', '.join(told)}{rest}"

    def to_dict(self) -> dict[str, float]:
        """The share of each class."""
        return {str(label): share for label, share in zip(self.classes, self.shares, strict=True)}


def recall_on(model: Any, X: Any, y: NDArray[Any]) -> Recall | None:
    """What a model finds on some rows; None if it predicts numbers."""
    if model.classes is None:
        return None
    from sklearn.metrics import recall_score

    said = model.predict(X)
    shares = recall_score(y, said, labels=model.classes, average=None, zero_division=np.nan)
    rows = [int(np.count_nonzero(y == label)) for label in model.classes]
    return Recall(tuple(model.classes.tolist()), tuple(shares.tolist()), tuple(rows))


def recall_by_folds(evaluation: Any) -> Recall | None:
    """What models grown on parts of the rows find on the others; None if they predict numbers."""
    if evaluation.classes is None:
        return None
    found = evaluation.per_class()
    return Recall(evaluation.classes, tuple(found["recall"]), tuple(found["rows"]))
