"""The order of rows, copies of rows and threads change no model, whatever the options."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from bosco import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ParameterError,
    RandomForestClassifier,
)
from bosco.errors import BoscoError
from bosco.pruning import (
    CostComplexity,
    CriticalValue,
    GeneralizationError,
    MinimumDescriptionLength,
    Pessimistic,
    Policy,
    ReducedError,
    SameAnswer,
)
from bosco.settings.settings import ALGORITHMS
from tests.strategies import examples

PRESETS = ALGORITHMS
MISSING = (None, "learn", "fractional", "surrogate", "branch", "majority")
PARTING: list[Policy] = [CostComplexity(cv=3), ReducedError(0.3)]
"""Policies that deal rows out one by one: there a row of weight 2 is not that row twice."""
POLICIES: list[Policy | str | None] = [
    None,
    "none",
    Pessimistic(),
    Pessimistic(raising=False, confidence=0.1),
    GeneralizationError(0.5),
    CostComplexity(alpha=0.01),
    MinimumDescriptionLength(),
    CriticalValue(0.1),
    SameAnswer(),
]
OF_NUMBERS = (GeneralizationError, CostComplexity, CriticalValue, SameAnswer, ReducedError)
CLASS_WEIGHTS: list[Any] = [None, None, "balanced", {0: 1.0, 1: 2.5}, {1: 0.3}]


@dataclass(frozen=True)
class Design:
    """Options of a fit, and the rows to try them on."""

    algorithm: str
    missing: str | None
    pruning: Policy | str | None
    class_weight: Any
    weights: str
    real: bool
    seed: int
    n: int

    def learner(self, **more: Any) -> Any:
        options = {"algorithm": self.algorithm, "missing": self.missing, "pruning": self.pruning}
        options |= {"random_state": 0} | more
        if self.real:
            return DecisionTreeRegressor(**options)
        return DecisionTreeClassifier(class_weight=self.class_weight, **options)

    def rows(self, width: int = 1) -> tuple[dict[str, Any], Any, Any]:
        """Noise with some sense in it, and holes; weights as asked for."""
        random, n = np.random.default_rng(self.seed), self.n
        X: dict[str, Any] = {}
        for j in range(width):
            X[f"few{j}"] = random.integers(0, 9, n).astype(float)
            X[f"many{j}"] = np.round(random.normal(size=n), 2)
            X[f"text{j}"] = random.choice(list("abcd"), n).astype(object)
        noise = random.random(n) < 0.35
        y = np.where(noise, random.integers(0, 2, n), X["few0"] + (X["text0"] == "a") > 4)
        if self.seed % 3 == 0:
            y = y + (X["many0"] > 0.5)
        if self.seed % 2:
            for name in X:
                X[name][random.random(n) < 0.1] = None if name.startswith("text") else np.nan
        weight = {
            "none": None,
            "whole": random.integers(1, 5, n),
            "quarters": random.integers(1, 9, n) / 4,
            "real": random.random(n) + 0.01,
        }[self.weights]
        return X, (y + np.nan_to_num(X["many0"]) if self.real else y), weight

    def fitted(self, X: Any, y: Any, weight: Any, rows: Any, **more: Any) -> Any:
        """What is learned from some of the rows: all numbers, and the log of pruning."""
        some = {name: column[rows] for name, column in X.items()}
        try:
            fit = self.learner(**more).fit(
                some, y[rows], sample_weight=None if weight is None else weight[rows]
            )
        except (ParameterError, BoscoError) as error:
            return type(error)
        log = [(e.node, e.action, e.kept, e.pruned) for e in fit.model_.pruning_log()]
        return fit.tree_.digest(), log, [str(c) for c in getattr(fit, "classes_", ())]


@st.composite
def designs(draw: st.DrawFn, policies: Any, n: Any, **fixed: Any) -> Design:
    """Any options that go together."""
    real = draw(st.booleans())
    pick = {
        "algorithm": PRESETS,
        "missing": MISSING,
        "pruning": policies,
        "class_weight": [None] if real else CLASS_WEIGHTS,
        "weights": ("none", "whole", "quarters", "real"),
    }
    chosen = {
        name: fixed[name] if name in fixed else draw(st.sampled_from(list(values)))
        for name, values in pick.items()
    }
    policy = chosen["pruning"]
    assume(not real or policy in (None, "none") or isinstance(policy, OF_NUMBERS))
    return Design(real=real, seed=draw(st.integers(0, 2**32 - 1)), n=draw(n), **chosen)


def same(design: Design, first: Any, second: Any) -> None:
    event("refused" if isinstance(first, type) else "grown")
    assert first == second, design


SMALL = st.integers(8, 160)


@examples(60)
@given(design=designs(POLICIES + PARTING, SMALL))
def test_any_order_of_rows(design: Design) -> None:
    X, y, weight = design.rows()
    plain = design.fitted(X, y, weight, np.arange(design.n))
    for order in (np.arange(design.n)[::-1], np.random.default_rng(1).permutation(design.n)):
        same(design, plain, design.fitted(X, y, weight, order))


@examples(60)
@given(design=designs(POLICIES, SMALL, weights="whole", class_weight=None))
def test_weights_are_copies(design: Design) -> None:
    copies_are_weights(design)


@examples(60)
@given(
    design=designs(POLICIES, SMALL, weights="whole"),
    class_weight=st.sampled_from(CLASS_WEIGHTS[2:]),
)
def test_weights_are_copies_with_weights_of_classes(design: Design, class_weight: Any) -> None:
    assume(not design.real)
    copies_are_weights(Design(**(vars(design) | {"class_weight": class_weight})))


def copies_are_weights(design: Design) -> None:
    X, y, weight = design.rows()
    repeated = np.repeat(np.arange(design.n), weight)
    weighted = design.fitted(X, y, weight, np.arange(design.n))
    same(design, weighted, design.fitted(X, y, None, repeated))
    # Some rows in copies, the others by weight.
    half = np.where(np.arange(design.n) % 2, weight, 1)
    some = np.repeat(np.arange(design.n), half)
    same(design, weighted, design.fitted(X, y, weight // half, some))


@examples(12)
@given(design=designs(POLICIES + PARTING, st.integers(1000, 3000)))
def test_any_number_of_threads(design: Design) -> None:
    X, y, weight = design.rows(width=17)  # so many cells that threads share the work
    rows = np.arange(design.n)
    one = design.fitted(X, y, weight, rows, n_jobs=1)
    same(design, one, design.fitted(X, y, weight, rows[::-1], n_jobs=3))


@examples(6)
@given(seed=st.integers(0, 2**32 - 1), weights=st.sampled_from(["none", "whole", "real"]))
@pytest.mark.parametrize("early", [False, True])
def test_boosting_in_any_order(early: bool, seed: int, weights: str) -> None:
    design = Design("cart", None, None, None, weights, False, seed, 120)
    X, y, weight = design.rows()
    order = np.random.default_rng(1).permutation(design.n)
    said = []
    for rows in (np.arange(design.n), order):
        some = {name: column[rows] for name, column in X.items()}
        boosted = AdaBoostClassifier(n_estimators=15, early_stopping=early, random_state=0)
        try:
            boosted.fit(some, y[rows], sample_weight=None if weight is None else weight[rows])
        except BoscoError as error:
            said.append([str(error)])
            continue
        said.append([boosted.history_[what].tolist() for what in ("error", "coefficient")])
    assert said[0] == said[1]


@examples(6)
@given(seed=st.integers(0, 2**32 - 1), weights=st.sampled_from(["none", "whole", "quarters"]))
def test_forests_in_any_order_of_rows_with_keys(seed: int, weights: str) -> None:
    design = Design("cart", None, None, None, weights, False, seed, 120)
    X, y, weight = design.rows()
    order = np.random.default_rng(1).permutation(design.n)
    said = []
    for rows, n_jobs in ((np.arange(design.n), 1), (order, 3)):
        some = {name: column[rows] for name, column in X.items()}
        forest = RandomForestClassifier(8, random_state=0, n_jobs=n_jobs)
        given_weight = None if weight is None else weight[rows]
        forest.fit(some, y[rows], sample_weight=given_weight, row_keys=rows)
        said.append(forest.predict_proba(X).tolist())
    assert said[0] == said[1]
