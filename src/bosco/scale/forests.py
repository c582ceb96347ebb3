"""Many trees over rows that lie in parts: each part draws its own rows of every sample."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate
from math import ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.recipe import Recipe
from bosco.errors import ParameterError
from bosco.estimators.bagging import Plan
from bosco.scale.grower import Grower
from bosco.scale.growing import Draw
from bosco.scale.stepping import grown

__all__ = ["grow_forest", "refuse_rows_here"]


def refuse_rows_here(estimator: Any) -> None:
    """Refuse what a forest can only do with all rows in one place."""
    wants = {
        "leaf_rows": bool(estimator.leaf_rows),
        "warm_start": bool(estimator.warm_start),
        "oob_score": callable(estimator.oob_score),
    }
    why = {
        "leaf_rows": "keeps the training rows of the leaves",
        "warm_start": "adds trees to a forest of rows that are here",
        "oob_score": "is a function of what is said of each row",
    }
    for name, wanted in wants.items():
        if wanted:
            raise ParameterError(
                f"{name}={getattr(estimator, name)!r} {why[name]}, and these are elsewhere. Hint: "
                f"leave it out, or fit rows in memory."
            )


def grow_forest(
    rows: Any, plan: Plan, tell: Callable[[int], None] | None
) -> tuple[Any, dict[str, Any] | None]:
    """Grow the trees of a plan over parts.

    Parameters
    ----------
    rows : Parts
        The rows.
    plan : Plan
        Which trees.
    tell : callable or None
        Hears how many trees there are, whenever there is one more.

    Returns
    -------
    forest : native forest
    figures : dict or None
        What the trees say of rows that they have not seen, if the plan wants it.
    """
    rows.told.tell("places", _firsts(rows))
    settings = plan.draws.growth.for_core()
    forest = _core.Forest.like(rows.recipe.like(), settings, plan.balanced)
    try:
        for tree in grown(rows.source, _growers(rows, plan, settings)):
            forest.add(tree, plan.ccp_alpha)
            if tell is not None:
                tell(forest.n_trees)
    except KeyboardInterrupt:  # whole trees were handed over, in order: they may stay
        if not plan.keep or forest.n_trees == 0:
            raise
    return forest, _bag(rows, plan, forest) if plan.bagged else None


def _firsts(rows: Any) -> list[int]:
    """The number, among all rows, of the first row of each part."""
    return [0, *accumulate(rows.told.rows_of_parts[:-1])]


def _draw(plan: Plan, tree: int) -> Draw | None:
    """The sample of a tree; None: all rows."""
    draws = plan.draws
    if draws.sample is None:
        return None
    return Draw(draws.growth.seed, tree, draws.n_rows, draws.sample, draws.replace)


def _growers(rows: Any, plan: Plan, settings: dict[str, Any]) -> Iterator[Grower]:
    """The trees, one after the other."""
    recipe = _finer(rows.recipe) if plan.balanced else rows.recipe
    factors: list[NDArray[np.int64] | None] = [None] * plan.n_trees
    if plan.balanced:
        samples = [_draw(plan, tree) for tree in range(plan.n_trees)]
        weights = sum(rows.told.ask("drawn", samples))
        factors = [_core.balance_factors(of_tree) for of_tree in weights]
    for tree in range(plan.n_trees):
        sample = (_draw(plan, tree), factors[tree])
        own = settings | {"tree": tree}
        finish = recipe, rows.kinds
        yield Grower(rows.source, recipe.like(), own, 1, finish, tree, sample)


def _finer(recipe: Recipe) -> Recipe:
    """The recipe of a target whose classes weigh the same: in units that are finer."""
    scaling = recipe.scaling
    count = "one" if scaling.count == "weight" else scaling.count
    scale = ldexp(scaling.scale, _core.balance_bits)
    exponent = 0 if scaling.exponent is None else scaling.exponent
    return replace(recipe, scaling=replace(scaling, exponent=exponent, scale=scale, count=count))


def _bag(rows: Any, plan: Plan, forest: Any) -> dict[str, Any]:
    """What trees say of the rows that they have not seen: figures of parts, added up."""
    reach = 0 if rows.classes is not None else rows.recipe.reach(*rows.told.ends())
    said = rows.told.ask("bag", forest.state(), reach, _draw(plan, 0), plan.mode)
    finer = 0 if rows.classes is not None else 2 * _core.error_bits(reach)  # squares, than y is

    def means(which: int) -> NDArray[np.float64]:
        all_ = zip(*(part[which] for part in said), strict=True)
        pairs = [(sum(s for s, _ in one), sum(n for _, n in one)) for one in all_]
        each = [float(right) / n if n else 0.0 for right, n in pairs]
        return np.ldexp(np.array(each), -finer - 2 * rows.recipe.exponent)  # type: ignore[no-any-return]

    without, samples, total, squares = (sum(part[k] for part in said) for k in range(2, 6))
    figures = {"tree_score": means(0), "curve": means(1), "without": without, "score": np.nan}
    if samples and rows.classes is not None:
        figures["score"] = float(figures["curve"][-1])
    elif samples and (spread := samples * squares - total * total):
        errors = sum(part[1][-1][0] for part in said)
        figures["score"] = 1 - errors * samples / (spread << finer)
    return figures
