"""Which settings are tried, and how the rows are parted for it.

Depth and pruning decide how large a tree is, or how many leaves it has that is polished; for many
trees, which are not pruned, it is how many columns a node looks at and how small leaves may be, or
how many rounds there are and what a vote counts; of the best small tree, its depth and the price of
a leaf. The rest is taste, and taken as given. What the user gives is not chosen. A leaf of one tree
has at least five rows: fewer are no rule for anybody.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isclose, isqrt
from typing import Any

import numpy as np

from bosco.base.language import tr, trn
from bosco.cli.groups import Parts
from bosco.errors import ParameterError
from bosco.growth import resolve
from bosco.lessons.learners import BOOSTED, MANY, learner, one_level_deeper
from bosco.lessons.lesson import Lesson
from bosco.lessons.literals import literal
from bosco.lessons.told import Task, listed
from bosco.settings.settings import GROWTH, RECORD_CELLS
from bosco.tree.costs import write_costs

DEPTHS = (2, 3, 4, 6, 8, None)
ALPHAS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01)
"""Prices of a leaf, as shares of the impurity of all rows."""
COLUMNS: tuple[Any, ...] = ("sqrt", 0.5, 1.0)
LEAVES = (1, 3, 10)
"""Of forests: columns that a node looks at, and the fewest rows of a leaf."""
ROUNDS = (10, 25, 50, 100, 200)
RATES = (1.0, 0.3)
"""Of boosting: rounds, the fewest first, because of equals the first is taken."""
BY_RATIO = {"criterion": "entropy", "score": "gain_ratio"}
"""How tests are compared, too, where mistakes have costs (docs/benchmarks.md has the figures)."""
POLISHED = (4, 8, 16)
"""Leaves of trees that are polished, and not pruned: they are tried beside the others."""
LEAST = 5
"""Rows of a leaf of one tree, at least; tables with fewer than five times as many are let off."""
SMALL_DEPTHS, MANY_CELLS = (2, 3, 4), 2_000
PRICES = (0.0, 0.002, 0.005, 0.01, 0.02)
"""Of the best small tree: depths, the last only of tables with fewer cells than that; and prices of
a leaf, as shares of all rows; of numbers, as shares of all squares."""
WORK = 2_000_000_000
"""Entries that each search for the best tree looks at, at most: some seconds."""
_COMPARED = {"algorithm", "criterion", "score"}
_SIZES = {"max_depth", "max_leaf_nodes", "min_samples_leaf", "min_samples_split"}
_FOLDS = 5
_FEW = 100  # validation rows that are too few to choose on
_TOO_FEW = 5  # rows of a part that say nothing
_GROUPS = 5  # of which each part has one, or several
_MOMENTS = 10  # that windows can be made of, after the last ones are taken for the test


def grid_of(lesson: Lesson, settings: dict[str, Any]) -> list[dict[str, list[Any]]]:
    """Every combination of what decides the size, as far as the user has left it open."""
    algorithm = settings.get("algorithm")
    if algorithm in MANY:
        return _grid_of_many(lesson, settings)
    if algorithm == "optimal":
        return _grid_of_best(lesson, settings)
    grid: dict[str, list[Any]] = {}
    if not _SIZES & settings.keys() and algorithm != "stump":
        grid["max_depth"] = list(DEPTHS)
    if not {"pruning", "ccp_alpha"} & settings.keys() and algorithm != "stump":
        grid["pruning"] = _policies(lesson, settings)
    grids = [grid]
    if len(grid) == 2 and _can_polish(lesson, settings):
        grids.append({"max_leaf_nodes": list(POLISHED), "polish": [True]})
    if (
        settings.get("costs")
        and lesson.task is not Task.regression
        and not _COMPARED & settings.keys()
    ):
        grids.append(grid | {name: [word] for name, word in BY_RATIO.items()})
        if "pruning" in grid:
            grids[-1]["pruning"] = _policies(lesson, settings | BY_RATIO)
    return grids


def _can_polish(lesson: Lesson, settings: dict[str, Any]) -> bool:
    """Whether trees by these settings can be polished, and nothing was said of it."""
    if lesson.task is Task.regression or {"polish", "monotonic_cst"} & settings.keys():
        return False
    if len(lesson.y) * len(lesson.X.names) > RECORD_CELLS:  # it takes all of them at once
        return False
    given = {name: value for name, value in settings.items() if name in GROWTH}
    if not all(GROWTH[name].holds(value) for name, value in given.items()):
        return False  # which the learner will say
    sizes: dict[str, Any] = {
        "samples": len(lesson.y),
        "columns": len(lesson.X.names),
        "weight": 1.0,
    }
    try:
        resolve(settings.get("algorithm", "cart"), "classification", **sizes, **given, polish=True)
    except ParameterError:
        return False
    return True


def with_limits(lesson: Lesson, settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of one tree whose leaves have a few rows and whose search ends, unless given."""
    if (
        settings.get("algorithm") == "optimal"
        and not {"work_limit", "time_limit"} & settings.keys()
    ):
        settings = settings | {"work_limit": WORK}
    alone = settings.get("algorithm") in (*MANY, "stump")
    if alone or "min_samples_leaf" in settings or len(lesson.y) < 5 * LEAST:
        return settings
    return settings | {"min_samples_leaf": LEAST}


def _grid_of_best(lesson: Lesson, settings: dict[str, Any]) -> list[dict[str, list[Any]]]:
    grid: dict[str, list[Any]] = {}
    n = len(lesson.y)
    whole = float(n)
    depths = SMALL_DEPTHS if n * len(lesson.X.names) < MANY_CELLS else SMALL_DEPTHS[:-1]
    if lesson.task is Task.regression:
        depths = (1, 2)
        whole *= float(np.var(np.asarray(lesson.y, np.float64)))  # squares that a leaf may explain
    if not {"max_depth", "max_leaf_nodes"} & settings.keys():
        grid["max_depth"] = list(depths)
    if "alpha" not in settings:
        prices = [float(f"{price * whole:.2g}") for price in PRICES]  # two digits can be read
        grid["alpha"] = [price for price in prices if np.isfinite(price)]
    return [grid]


def _grid_of_many(lesson: Lesson, settings: dict[str, Any]) -> list[dict[str, list[Any]]]:
    if settings["algorithm"] in BOOSTED:
        rates = {} if "learning_rate" in settings else {"learning_rate": list(RATES)}
        if "n_estimators" in settings:
            return [rates]
        return [{"n_estimators": [n], **rates} for n in ROUNDS]
    grid: dict[str, list[Any]] = {}
    if "max_features" not in settings:  # as far as they differ
        d = len(lesson.X.names)
        columns = {max(1, isqrt(d) if s == "sqrt" else int(s * d)): s for s in reversed(COLUMNS)}
        grid["max_features"] = list(columns.values())[::-1]
    if not _SIZES & settings.keys():
        grid["min_samples_leaf"] = list(LEAVES)
    return [grid]


def _policies(lesson: Lesson, settings: dict[str, Any]) -> list[Any]:
    from bosco.pruning import CostComplexity, CriticalValue, MinimumDescriptionLength, Pessimistic

    # Prices are shares of the impurity of all rows, in the unit of the criterion. Squares of large
    # numbers pass what a float64 holds: no price can be said in shares of them.
    kept = {name: v for name, v in settings.items() if name in ("algorithm", "criterion")}
    leaf = learner(lesson.task, kept).fit(np.zeros((len(lesson.y), 1)), lesson.y)
    whole = float(leaf.tree_.impurity[0])
    prices = [float(f"{a * whole:.2g}") for a in ALPHAS]  # two digits can be read
    priced = [CostComplexity(alpha=price) for price in prices if np.isfinite(price)]
    if lesson.task is Task.regression:
        return ["none", CriticalValue(0.001), *priced]
    if settings.get("costs"):  # a leaf costs what its answers do, as shares of the rows
        priced += [CostComplexity(alpha=price, risk="error") for price in ALPHAS]
    return ["none", Pessimistic(), MinimumDescriptionLength(), *priced]


def shares_of(parts: Parts) -> tuple[float, ...]:
    """Read the three shares."""
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
        return trn("{n} row, too few for three parts", "{n} rows, too few for three parts", n)
    groups = lesson.groups and len(np.unique(lesson.groups.groups("--group")))
    if groups and groups < _GROUPS:
        return tr("{n} groups, too few for three parts", n=groups)
    moments = lesson.when and len(np.unique(lesson.when.moments("--time")))
    if moments and moments < len(shares):
        return tr("{n} moments, too few for three parts", n=moments)
    if lesson.task is Task.regression:
        return ""
    classes, counts = np.unique(lesson.y, return_counts=True)
    rare = int(np.argmin(counts))
    if counts[rare] * least >= 1:
        return ""
    return trn(
        "{label} has {n} row, too few for three parts",
        "{label} has {n} rows, too few for three parts",
        int(counts[rare]),
        label=repr(classes.tolist()[rare]),
    )


def metric_of(lesson: Lesson, settings: dict[str, Any], parts: Parts) -> str:
    """What settings are compared by: classes that are weighted are to be found, every one."""
    if parts.metric is not None:
        return parts.metric
    if lesson.task is Task.regression:
        return "rmse"
    if settings.get("costs"):
        return f"cost:{listed(write_costs(settings['costs']))}"
    return "accuracy" if settings.get("class_weight") is None else "balanced_accuracy"


def inner_of(lesson: Lesson, parts: Parts, shares: Sequence[float]) -> str:
    """How settings are compared, once it is settled."""
    if parts.inner != "auto":
        return parts.inner
    few = len(lesson.y) * shares[1] < _FEW
    if lesson.when is not None:
        few = few and len(np.unique(lesson.when.moments("--time"))) > _MOMENTS
        return "rolling" if few else "validation"
    return "k_fold" if few else "validation"


def select(
    lesson: Lesson, settings: dict[str, Any], grid: Any, parts: Parts, *, n_jobs: int = -1
) -> Any:
    """Choose from a grid, and report on rows looked at once; Ctrl-C ends it without a choice."""
    import bosco

    shares = shares_of(parts)
    inner = inner_of(lesson, parts, shares)
    names = list(dict.fromkeys(name for one in grid for name in one))
    meant = one_level_deeper(settings, names)
    chosen = bosco.select(
        learner(lesson.task, settings, parts.seed),
        [{meant[name]: values for name, values in one.items()} for one in grid],
        lesson.X,
        lesson.y,
        split=shares,
        inner=inner,
        folds=_FOLDS if inner == "k_fold" and lesson.groups is None else None,
        metrics=metric_of(lesson, settings, parts),
        prefer=parts.prefer.value,
        **lesson.parting,
        sample_weight=lesson.weight,
        n_jobs=n_jobs,
        random_state=parts.seed,
    )
    if chosen.interrupted:
        raise KeyboardInterrupt
    said = {long: name for name, long in meant.items()}
    candidates = [
        replace(c, parameters={said[name]: value for name, value in c.parameters.items()})
        for c in chosen.candidates
    ]
    return replace(chosen, candidates=tuple(candidates))
