"""Whole fits on generated tables: every learner and setting, many classes, forests, pruning.

Meant for a core built with sanitizers, which end the process at a wrong access or operation. Looked
at besides is only that nothing but a refusal is raised, and that answers make sense.
"""

from __future__ import annotations

import contextlib
import random
import warnings
from typing import Any

import numpy as np

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bosco.errors import BoscoError

ROWS = (1, 2, 9, 60, 300, 300, 1000, 1000, 5000)
CLASSES = (0, 0, 2, 2, 2, 3, 5, 40, 70, 300, 3000)
POLICIES = (
    "pessimistic", "cost_complexity", "reduced_error", "generalization_error",
    "minimum_description_length", "critical_value", "same_answer",
)  # fmt: skip


def attack_fit(draw: random.Random) -> bool:
    """Fit one learner to one table and ask it; tell whether it was fitted."""
    n, n_classes = draw.choice(ROWS), draw.choice(CLASSES)
    rng = np.random.default_rng(draw.getrandbits(64))
    few_levels = n * n_classes > 20_000  # subsets of many levels by many classes take minutes
    X = {f"c{j}": column(draw, rng, n, few_levels) for j in range(draw.choice([1, 2, 4, 12]))}
    first = next(iter(X.values()))
    sense = first if first.dtype.kind == "f" else rng.normal(size=n)
    y: Any = np.nan_to_num(sense, posinf=9, neginf=-9) + rng.normal(size=n) * draw.choice(
        [0, 0.1, 3]
    )
    if n_classes:
        ranks = np.argsort(np.argsort(y)) * n_classes // max(n, 1)
        y = np.where(rng.random(n) < draw.choice([0, 0.3, 1]), rng.integers(0, n_classes, n), ranks)
    weights = [None, rng.integers(0, 4, n), rng.integers(1, 9, n) / 4, rng.random(n) * 1e9]
    weight = draw.choice([None, *weights])
    learner = a_learner(draw, n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            learner.fit(X, y, sample_weight=weight)
            few = {name: values[:200] for name, values in X.items()}
            said = learner.predict(few)  # refused where a row of weight 0 has a level of its own
        except BoscoError:
            return False
        assert len(said) == min(n, 200)
        if n_classes:
            shares = learner.predict_proba(few)
            assert np.isfinite(shares).all()
            assert np.allclose(shares.sum(axis=1), 1)
        else:
            assert np.isfinite(said).all()
        model = learner.model_
        if hasattr(model, "prune") and draw.random() < 0.5:
            with contextlib.suppress(BoscoError):
                model.prune(draw.choice(POLICIES), X, y, sample_weight=weight).predict(few)
    return True


def column(draw: random.Random, rng: Any, n: int, few_levels: bool) -> Any:
    """Numbers with many values or few, odd numbers, or levels; with holes or without."""
    kind = draw.choice(["many", "many", "few", "odd", "levels", "identifiers", "single"])
    holes = rng.random(n) < draw.choice([0, 0, 0.1, 0.9])
    if kind in ("levels", "identifiers"):
        some = draw.choice([2, 5, 12, 300]) if kind == "levels" else max(n, 1)
        some = min(some, 12) if few_levels else some
        levels: Any = np.array([f"v{i}" for i in range(some)], object)[rng.integers(0, some, n)]
        levels[holes] = None
        return levels
    odd = np.array([-np.inf, -1e308, -0.0, 0.0, 5e-324, 1.0, 1e308, np.inf])
    x = {
        "many": lambda: rng.normal(size=n),
        "few": lambda: rng.integers(0, 7, n).astype(float),
        "odd": lambda: rng.choice(odd, n),
        "single": lambda: np.ones(n),
    }[kind]()
    x[holes] = np.nan
    return x.astype(draw.choice([np.float64, np.float32])) if kind != "odd" else x


def a_learner(draw: random.Random, classes: int) -> Any:
    """Any learner with any settings, sound or not."""

    def maybe(**choices: Any) -> dict[str, Any]:
        return {name: draw.choice(of) for name, of in choices.items() if draw.random() < 0.3}

    limits = maybe(
        max_depth=[1, 3, 30],
        min_samples_leaf=[2, 5, 0.1],
        min_samples_split=[3, 0.2],
        max_leaf_nodes=[2, 7, 100],
        min_impurity_decrease=[0.0, 0.01],
        min_weight_fraction_leaf=[0.0, 0.05],
        missing=["learn", "fractional", "surrogate", "branch", "majority", "error"],
        nominal_test=["multiway", "subset", "one_vs_rest", "group"],
    )
    limits |= {"random_state": draw.getrandbits(16), "n_jobs": draw.choice([1, 2, 3])}
    if classes:
        limits |= maybe(criterion=["gini", "entropy", "scaled_entropy", "error", "sqrt"])
        limits |= maybe(class_weight=["balanced", {0: 2.5}])
    kind = draw.choice(["tree", "tree", "tree", "forest", "extra", "boost"])
    if kind == "boost" and 0 < classes <= 70:
        depth = draw.choice([1, 1, 3])
        weak = draw.choice([None, DecisionTreeClassifier(max_depth=depth)])
        return Boosted(AdaBoostClassifier(weak, n_estimators=8, n_jobs=limits["n_jobs"]))
    if kind in ("forest", "extra"):
        limits.pop("max_leaf_nodes", None)
        forests = (RandomForestClassifier, ExtraTreesClassifier)
        if not classes:
            forests = (RandomForestRegressor, ExtraTreesRegressor)
        more = maybe(max_features=[1, "sqrt", None], bootstrap=[True, False])
        return forests[kind == "extra"](draw.choice([1, 4]), **limits, **more)
    limits |= maybe(
        algorithm=["cart", "id3", "c45", "hunt", "best_first", "stump"],
        score=["gain", "gain_ratio", "gain_ratio_above_average"],
        numeric_test=["threshold", "intervals"],
        threshold=["midpoint", "observed", "round"],
        order=["depth", "breadth", "best"],
        splitter=["best", "random"],
        max_features=[1, 2, "sqrt"],
        record=[True, False],
        pruning=[*POLICIES, "none"],
    )
    return (DecisionTreeClassifier if classes else DecisionTreeRegressor)(**limits)


class Boosted:
    """AdaBoost as the others are asked; its first learner stands for the model."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self.predict, self.predict_proba = learner.predict, learner.predict_proba
        self.model_: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Boost."""
        self._learner.fit(X, y, sample_weight=sample_weight)
