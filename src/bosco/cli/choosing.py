"""Which settings are tried, and how the rows are parted for it.

Depth and pruning decide how large a tree is; the rest is taste, and taken as given. What the user
gives is not chosen.
"""

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np

from bosco.cli.groups import Parts, Task
from bosco.cli.learners import MANY, learner
from bosco.cli.learning import Lesson
from bosco.cli.literals import literal
from bosco.errors import ParameterError

__all__ = ["can_part", "grid_of", "inner_of", "select", "shares_of"]

DEPTHS = (2, 3, 4, 6, 8, None)
ALPHAS = (0.0005, 0.002, 0.01)
"""Prices of a leaf, as shares of the impurity of all rows."""
_FOLDS = 5
_FEW = 100  # validation rows that are too few to choose on
_TOO_FEW = 5  # rows of a part that say nothing


def grid_of(lesson: Lesson, settings: dict[str, Any]) -> list[dict[str, list[Any]]]:
    """Every combination of depth and pruning that the user has left open."""
    if settings.get("algorithm") in ("stump", *MANY):  # many trees need no pruning
        return [{}]
    sized = {"max_depth", "max_leaf_nodes", "min_samples_leaf", "min_samples_split"}
    pruned = {"pruning", "ccp_alpha"}
    grid: dict[str, list[Any]] = {}
    if not sized & settings.keys():
        grid["max_depth"] = list(DEPTHS)
    if not pruned & settings.keys():
        grid["pruning"] = _policies(lesson, settings)
    return [grid]


def _policies(lesson: Lesson, settings: dict[str, Any]) -> list[Any]:
    from bosco.pruning import CostComplexity, CriticalValue, MinimumDescriptionLength, Pessimistic

    priced = [CostComplexity(alpha=_round(a * _impurity(lesson, settings))) for a in ALPHAS]
    if lesson.task is Task.regression:
        return ["none", CriticalValue(0.001), *priced]
    return ["none", Pessimistic(), MinimumDescriptionLength(), *priced]


def _impurity(lesson: Lesson, settings: dict[str, Any]) -> float:
    """The impurity of all rows, in the unit of the criterion: prices are shares of it."""
    kept: dict[str, Any] = {
        name: settings[name] for name in ("algorithm", "criterion") if name in settings
    }
    leaf = learner(lesson.task, kept).fit(np.zeros((len(lesson.y), 1)), lesson.y)
    return float(leaf.tree_.impurity[0])


def _round(x: float) -> float:
    """Two digits are enough, and can be read."""
    return float(f"{x:.2g}")


def shares_of(parts: Parts) -> tuple[float, ...]:
    """Read the three shares.

    Examples
    --------
    >>> shares_of(Parts(split="0.5,0.25,0.25"))
    (0.5, 0.25, 0.25)
    """
    shares = tuple(literal(text.strip()) for text in parts.split.split(","))
    fine = len(shares) == 3 and all(isinstance(s, float) and 0 < s < 1 for s in shares)
    if not fine or not isclose(sum(shares), 1):
        raise ParameterError(
            "--split takes three shares, to learn from, to choose on and to test on, together 1, "
            f"such as 0.6,0.2,0.2. Got {parts.split}."
        )
    return shares


def can_part(lesson: Lesson, shares: Sequence[float]) -> str:
    """Say why the rows cannot be parted in three; an empty text if they can."""
    least, n = min(shares), len(lesson.y)
    if n * least < _TOO_FEW:
        return f"{n} row{'s' * (n != 1)}, too few for three parts"
    if lesson.task is Task.regression:
        return ""
    classes, counts = np.unique(lesson.y, return_counts=True)
    rare = int(np.argmin(counts))
    if counts[rare] * least >= 1:
        return ""
    plural = "s" * bool(counts[rare] != 1)
    return f"{classes.tolist()[rare]!r} has {counts[rare]} row{plural}, too few for three parts"


def inner_of(lesson: Lesson, parts: Parts, shares: Sequence[float]) -> str:
    """How settings are compared, once it is settled."""
    if parts.inner != "auto":
        return parts.inner
    return "k_fold" if len(lesson.y) * shares[1] < _FEW else "validation"


def select(
    lesson: Lesson, settings: dict[str, Any], grid: Any, parts: Parts, *, n_jobs: int = -1
) -> Any:
    """Choose from a grid, and report on rows looked at once; Ctrl-C ends it without a choice."""
    import bosco

    shares = shares_of(parts)
    inner = inner_of(lesson, parts, shares)
    metrics = {Task.classification: "accuracy", Task.regression: "neg_root_mean_squared_error"}
    chosen = bosco.select(
        learner(lesson.task, settings, parts.seed),
        grid,
        lesson.X,
        lesson.y,
        split=shares,
        inner=inner,
        folds=_FOLDS if inner == "k_fold" else None,
        metrics=metrics[lesson.task],
        sample_weight=lesson.weight,
        n_jobs=n_jobs,
        random_state=parts.seed,
    )
    if chosen.interrupted:
        raise KeyboardInterrupt
    return chosen
