"""Rules against brute force: small trees of every kind, and every case that could tell them apart.

The cases of a tree are all combinations of, per column, every training value, every threshold with
its two neighbours, both infinities, every level, an unknown level, and nothing at all.
"""

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.models.model import Model
from bosco.rules.ruleset import RuleSet
from tests.strategies import examples

MISSING = ("learn", "fractional", "surrogate", "branch", "majority", "error")
SIZES = ["S", "M", "L"]
POOLS = ([0.0, 1.0, 2.0, 3.0], [-math.inf, -1.5, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0)])


@dataclass(frozen=True)
class Task:
    X: pd.DataFrame
    y: np.ndarray
    settings: dict[str, Any]

    def fit(self, **changes: Any) -> Model:
        kind = DecisionTreeRegressor if self.y.dtype.kind == "f" else DecisionTreeClassifier
        return kind(**self.settings | changes).fit(self.X, self.y).model_


def columns(rng: np.random.Generator, n: int, holes: float) -> pd.DataFrame:
    pool = POOLS[rng.integers(len(POOLS))]
    frame = {
        "n": rng.choice(pool, n),
        "c": rng.choice(np.array(["a", "b", "c", "d"], dtype=object), n),
        "o": pd.Categorical(rng.choice(SIZES, n), SIZES, ordered=True),
        "m": rng.choice([0.25, 0.5, 7.0], n),
    }
    X = pd.DataFrame(frame)[list(rng.permutation(list(frame))[: rng.integers(2, 5)])]
    for name in X:
        X.loc[rng.random(n) < holes, name] = None
    if "c" in X:
        X.loc[0, "c"] = "a"  # a column without any value would be one of numbers
    return X


@st.composite
def tasks(draw: st.DrawFn, missing: tuple[str, ...] = MISSING, real: bool = False) -> Task:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 40))
    policy = draw(st.sampled_from(missing))
    binary = policy == "surrogate"
    settings = {
        "missing": policy,
        "criterion": "squared_error" if real else draw(st.sampled_from(["gini", "entropy"])),
        "nominal_test": draw(
            st.sampled_from(
                ["subset", "one_vs_rest"] if binary else ["multiway", "subset", "group"]
            )
        ),
        "numeric_test": "threshold"
        if binary
        else draw(st.sampled_from(["threshold", "intervals"])),
        "threshold": draw(st.sampled_from(["midpoint", "observed"])),
        "max_depth": draw(st.sampled_from([1, 2, 3, 4])),
    }
    X = columns(rng, n, 0.0 if policy == "error" else draw(st.sampled_from([0.0, 0.2])))
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    return Task(X, y.astype(float) if real else np.array(["no", "so", "yes"])[y], settings)


def grid(X: pd.DataFrame, *models: Model) -> pd.DataFrame:
    """Every case worth asking, as a table."""
    values: list[list[Any]] = []
    for j, name in enumerate(X):
        if name == "c":
            found: list[Any] = ["a", "b", "c", "d", "z", None]
        elif name == "o":
            found = [*SIZES, None]
        else:
            cuts = {
                float(t)
                for model in models
                for pool in (model.tree.native.tests, model.tree.native.surrogates)
                for i in np.flatnonzero((pool.kind == 1) & (pool.column == j))
                for t in pool.thresholds[pool.threshold_begin[i] : pool.threshold_begin[i + 1]]
            }
            near = {f(t) for t in cuts for f in (down, float, up)}
            found = [*sorted({-math.inf, math.inf, *near}), math.nan]
        if any(model.growth.missing == "error" for model in models):
            known = [model.schema.columns[j].levels for model in models]
            found = [v for v in found if all(v in k if k else v == v for k in known)]
        values.append(found)
    rows = list(itertools.islice(itertools.product(*values), 40_000))
    table = pd.DataFrame(rows, columns=list(X))
    if "o" in table:
        table["o"] = pd.Categorical(table["o"], SIZES, ordered=True)
    return table


def down(x: float) -> float:
    return math.nextafter(x, -math.inf)


def up(x: float) -> float:
    return math.nextafter(x, math.inf)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a == b).all())


# Rules say what the model does -------------------------------------------------------------------


@given(task=tasks())
@examples(50)
def test_rules_predict_what_the_model_predicts(task: Task) -> None:
    model = task.fit()
    cases = grid(task.X, model)
    assert same(model.rules().predict(cases), model.predict(cases))


@given(task=tasks(real=True))
@examples(60)
def test_rules_of_numbers_predict_the_same_bits(task: Task) -> None:
    model = task.fit()
    cases = grid(task.X, model)
    rules = model.rules()
    assert same(rules.predict(cases), model.predict(cases))
    assert same(rules.simplify().predict(cases), model.predict(cases))


@given(task=tasks())
@examples(60)
def test_every_case_has_one_rule(task: Task) -> None:
    model = task.fit()
    cases = grid(task.X, model)
    rules = model.rules()
    with_rule = sum(
        RuleSet((rule,), rules.schema, rules.classes, default="none", missing=rules.missing)
        .measured(cases, np.zeros(len(cases)))[0]
        .support
        for rule in rules
    )
    assert with_rule == len(cases)


# Shorter, and the same ---------------------------------------------------------------------------


@given(task=tasks(), decision_list=st.booleans(), exact=st.sampled_from([20, 0]))
@examples(50)
def test_simplified_rules_predict_the_same(task: Task, decision_list: bool, exact: int) -> None:
    model = task.fit()
    cases = grid(task.X, model)
    rules = model.rules()
    short = rules.simplify(decision_list=decision_list, exact=exact)
    assert same(short.predict(cases), model.predict(cases))
    assert len(short) <= len(rules)
    assert short.equivalent_to(model)
    assert model.rules().equivalent_to(short)
    again = short.simplify()
    assert same(again.predict(cases), model.predict(cases))


@given(task=tasks(missing=("learn", "fractional", "majority", "branch")))
@examples(40)
def test_what_is_left_open_is_only_what_was_never_seen(task: Task) -> None:
    model = task.fit()
    short = model.rules().simplify(use_unseen=True)
    seen = grid(task.X, model)
    full = [name for name in task.X if not task.X[name].isna().any()]
    assert set(short.unseen) == set(full)
    seen = seen[~seen[full].isna().any(axis=1)]
    if "c" in full:
        known = set(task.X["c"])
        seen = seen[seen["c"].isin(known)]
    assert same(short.predict(seen), model.predict(seen))
    assert len(short) <= len(model.rules().simplify())


@given(seed=st.integers(0, 2**32 - 1))
@examples(25)
def test_the_least_number_of_terms_is_the_least(seed: int) -> None:
    """All sets of boxes over a domain of 2 × 3 values, tried by size, against the simplifier."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(itertools.product("ab", "xyz"), columns=["u", "v"])
    y = rng.choice(["no", "yes"], len(X))
    if len(set(y)) < 2:
        return
    model = DecisionTreeClassifier(algorithm="id3", missing="error").fit(X, y).model_
    short = model.rules().simplify()
    assert set(short.report.proved) == set(short.answers())
    parts = [
        [set(s) for r in range(1, len(levels) + 1) for s in itertools.combinations(levels, r)]
        for levels in ("ab", "xyz")
    ]
    for answer in short.answers():
        target = frozenset(np.flatnonzero(y == answer).tolist())
        boxes = set()
        for u, v in itertools.product(*parts):
            inside = frozenset(np.flatnonzero(X["u"].isin(u) & X["v"].isin(v)).tolist())
            if inside <= target:
                boxes.add(inside)
        least = next(
            k
            for k in range(1, 7)
            if any(frozenset().union(*some) == target for some in itertools.combinations(boxes, k))
        )
        assert len(short.of_answer(answer)) == least


# Two of them -------------------------------------------------------------------------------------


@given(task=tasks(), depth=st.integers(1, 4), some_rows=st.booleans())
@examples(80)
def test_equivalence_and_difference_agree_with_every_case(
    task: Task, depth: int, some_rows: bool
) -> None:
    a = task.fit()
    step = 2 if some_rows else 1  # fewer rows, perhaps fewer levels
    part = Task(task.X.iloc[::step], task.y[::step], task.settings)
    b = part.fit(max_depth=depth, threshold="observed")
    cases = grid(task.X, a, b)
    differ = a.predict(cases) != b.predict(cases)
    verdict = a.rules().equivalent_to(b)
    if verdict:
        assert not differ.any()
    else:
        assert a.predict(verdict.point) == verdict.answers[0]
        assert b.predict(verdict.point) == verdict.answers[1]
        assert verdict.answers[0] != verdict.answers[1]
    if len(cases) < 40_000:
        assert bool(verdict) == (not differ.any())
    found = bosco.diff(a, b, cases)
    assert found.equal == bool(verdict)
    assert found.rows == (differ.sum() if found.regions else found.rows)
    for region in found:
        assert a.predict(region.point) == region.first
        assert b.predict(region.point) == region.second


@given(task=tasks(), data=st.data())
@examples(30)
def test_a_rule_less_is_a_difference(task: Task, data: st.DataObject) -> None:
    model = task.fit()
    rules = model.rules()
    lost = data.draw(st.integers(0, len(rules) - 1))
    fewer = replace(rules, rules=rules.rules[:lost] + rules.rules[lost + 1 :], complete=False)
    for one, other in ((rules, fewer), (fewer, rules)):
        verdict = one.equivalent_to(other)
        assert not verdict
        assert None in verdict.answers
        assert rules[lost].answer in verdict.answers
        assert model.predict(verdict.point) == rules[lost].answer
    assert fewer.equivalent_to(fewer)


@given(task=tasks(missing=("learn", "fractional", "surrogate")))
@examples(40)
def test_class_shares_are_compared_too(task: Task) -> None:
    model = task.fit()
    rules = RuleSet.of(model, values=True)
    assert rules.equivalent_to(rules, values=True)
    cases = grid(task.X, model)
    shares = np.array([rule.value for rule in rules])[rules.matching(cases)]
    assert same(shares, model.predict_proba(cases))


# One case ----------------------------------------------------------------------------------------


def reachable(case: dict[str, Any], cases: pd.DataFrame, allow: dict[str, str]) -> np.ndarray:
    """Which cases the allowed changes lead to."""
    ok = np.ones(len(cases), dtype=bool)
    for name, old in case.items():
        new = cases[name].astype(object)
        stays = new.isna() if pd.isna(old) else (new == old)
        moves = np.zeros(len(cases), dtype=bool)
        if name in allow:
            moves = ~new.isna().to_numpy() & (new != "z").to_numpy()
            if allow[name] != "any" and not pd.isna(old):
                rank = (lambda v: SIZES.index(v)) if name == "o" else float
                sign = 1 if allow[name] == "up" else -1
                moves &= np.array(
                    [not pd.isna(v) and sign * (rank(v) - rank(old)) >= 0 for v in new]
                )
        ok &= stays.to_numpy() | moves
    return ok


@given(task=tasks(), seed=st.integers(0, 2**16))
@examples(50)
def test_the_smallest_change_is_the_smallest(task: Task, seed: int) -> None:
    model = task.fit()
    cases = grid(task.X, model)
    rng = np.random.default_rng(seed)
    row = cases.iloc[int(rng.integers(len(cases)))]
    case = {name: None if pd.isna(v) else v for name, v in row.items()}
    allow = {
        name: "any" if name == "c" else str(rng.choice(["any", "up", "down"]))
        for name in case
        if rng.random() < 0.8
    }
    said = model.explain(case, allow=allow)
    assert said.prediction == model.predict(case)
    can = reachable(case, cases, allow) & (model.predict(cases) != said.prediction)
    if said.change is None:
        assert not can.any()
        return
    new = case | said.change.values
    assert model.predict(new) == said.change.prediction != said.prediction
    assert set(said.change.values) <= set(allow)
    if can.any():
        near = cases[can]
        moves = [moved(model, name, old, near[name]) for name, old in case.items()]
        changed = sum(np.isfinite(move) & (move >= 0) for move in moves)
        assert len(said.change.values) == changed.min()
        lengths = sum(np.maximum(move, 0.0) for move in moves)
        assert said.change.distance <= lengths[changed == changed.min()].min() * (1 + 1e-12)


def moved(model: Model, name: str, old: Any, new: pd.Series) -> np.ndarray:
    """How far each new value is from the old one, by the written rule; -1 where it is the same."""
    if name == "c" or old is None:
        same_as = new.isna() if old is None else new.astype(object) == old
        return np.where(same_as, -1.0, 1.0)
    if name == "o":
        steps = np.array([abs(SIZES.index(v) - SIZES.index(old)) for v in new.astype(object)])
        return np.where(steps == 0, -1.0, steps / 2)
    pool, j = model.tree.native.tests, model.schema.names.index(name)
    pools = (pool, model.tree.native.surrogates)
    cuts = [
        t
        for p in pools
        for i in np.flatnonzero((p.kind == 1) & (p.column == j))
        for t in p.thresholds[p.threshold_begin[i] : p.threshold_begin[i + 1]]
        if math.isfinite(t)
    ]
    span = (max(cuts) - min(cuts) or abs(cuts[0]) or 1.0) if cuts else 1.0
    x = new.to_numpy(dtype=float)
    with np.errstate(invalid="ignore", over="ignore"):
        far = np.minimum(np.abs(x - old) / span, 1e300)
    return np.where(x == old, -1.0, far)


@pytest.mark.parametrize("policy", MISSING)
def test_every_policy_was_compared(policy: str) -> None:
    """A tree of some size for each policy, so that the tests above cannot pass on stumps alone."""
    rng = np.random.default_rng(5)
    X = columns(rng, 120, 0.0 if policy == "error" else 0.15)
    y = rng.choice(["no", "so", "yes"], len(X))
    settings = {"missing": policy, "nominal_test": "subset", "max_depth": 4}
    model = Task(X, y, settings).fit()
    cases = grid(X, model)
    rules = model.rules()
    short = rules.simplify()
    assert model.n_leaves > 8
    assert same(rules.predict(cases), model.predict(cases))
    assert same(short.predict(cases), model.predict(cases))
