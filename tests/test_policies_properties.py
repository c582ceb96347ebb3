"""Policies against brute force: small models of every kind, and every case that could matter.

The cases are all combinations of, per column, every threshold and every number of the policy with
its two neighbours, both infinities, every level, and nothing at all. Whatever the sentence says is
said here again as a plain function of columns.
"""

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

import bosco
from bosco.policies.cases import Cases
from bosco.policies.leaves import spoken
from tests.strategies import examples
from tests.test_rules_properties import MISSING, SIZES, columns, down, up

ONE_WAY = ("learn", "branch", "majority", "error")


@dataclass(frozen=True)
class Condition:
    """Some words, and what they mean of a column of raw values."""

    column: str
    words: str
    holds: Callable[[Any], bool]


def known(x: Any) -> bool:
    return x is not None and x == x


def conditions(model: Any, rng: np.random.Generator) -> Iterator[Condition]:
    """Every kind of condition on every column, with values drawn."""
    for column in model.schema.given:
        name = column.name
        yield Condition(name, f"{name} is missing", lambda x: not known(x))
        yield Condition(name, f"{name} is known", known)
        if column.kind == "numeric":
            a, b = sorted(rng.choice([-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 7.0], 2).tolist())
            yield Condition(name, f"{name} > {a}", lambda x, a=a: known(x) and x > a)
            yield Condition(name, f"{name} at least {a}", lambda x, a=a: known(x) and x >= a)
            yield Condition(name, f"{name} < {b}", lambda x, b=b: known(x) and x < b)
            yield Condition(name, f"{name} <= {b}", lambda x, b=b: known(x) and x <= b)
            yield Condition(name, f"{name} = {b}", lambda x, b=b: known(x) and x == b)
            yield Condition(name, f"{name} != {a}", lambda x, a=a: known(x) and x != a)
            yield Condition(
                name, f"{name} between {a} and {b}", lambda x, a=a, b=b: known(x) and a <= x <= b
            )
            yield Condition(
                name,
                f"{name} not in {{{a}, {b}}}",
                lambda x, a=a, b=b: known(x) and x not in (a, b),
            )
            continue
        levels = list(column.levels)
        one = levels[rng.integers(len(levels))]
        some = [level for level in levels if rng.random() < 0.5] or [one]
        listed = ", ".join(some)
        yield Condition(name, f"{name} = {one}", lambda x, one=one: x == one)
        yield Condition(name, f"{name} is not {one}", lambda x, one=one: known(x) and x != one)
        yield Condition(name, f"{name} in {{{listed}}}", lambda x, some=some: x in some)
        yield Condition(
            name, f"{name} not in {{{listed}}}", lambda x, some=some: known(x) and x not in some
        )
        if column.kind == "ordinal":
            at = SIZES.index(one)
            yield Condition(
                name, f"{name} >= {one}", lambda x, at=at: known(x) and SIZES.index(x) >= at
            )
            yield Condition(
                name, f"{name} under {one}", lambda x, at=at: known(x) and SIZES.index(x) < at
            )


class Grid:
    """Every case that could matter, as a table, and as an array with an axis for each column."""

    def __init__(self, model: Any, numbers: list[float]) -> None:
        self.model = model
        self.names = [column.name for column in model.schema.given]
        cuts: dict[int, set[float]] = {}
        for tree, _ in spoken(model):
            for pool in (tree.native.tests, tree.native.surrogates):
                for i in np.flatnonzero(pool.kind == 1):
                    begin, end = pool.threshold_begin[i], pool.threshold_begin[i + 1]
                    cuts.setdefault(int(pool.column[i]), set()).update(
                        pool.thresholds[begin:end].tolist()
                    )
        refused = model.growth.missing == "error"
        self.axes: list[list[Any]] = []
        for j, column in enumerate(model.schema.given):
            if column.levels is not None:
                axis: list[Any] = list(column.levels)
            else:
                at = {*cuts.get(j, ()), *numbers}
                near = {f(t) for t in at for f in (down, float, up)}
                axis = sorted({-math.inf, math.inf, *near})
            self.axes.append(axis + [None] * (not refused))
        self.shape = tuple(map(len, self.axes))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def table(self) -> pd.DataFrame:
        rows = list(itertools.product(*self.axes))
        table = pd.DataFrame(dict(zip(self.names, zip(*rows, strict=True), strict=True)))
        for column in self.model.schema.given:
            if column.kind == "ordinal":
                table[column.name] = pd.Categorical(table[column.name], SIZES, ordered=True)
            elif column.levels is None:
                table[column.name] = table[column.name].astype(float)
            else:
                table[column.name] = table[column.name].astype(object)
        return table

    def holds(self, where: list[Condition]) -> np.ndarray:
        inside = np.ones(self.shape, bool)
        for condition in where:
            at = self.names.index(condition.column)
            truth = np.array([condition.holds(x) for x in self.axes[at]])
            shape = [1] * len(self.shape)
            shape[at] = -1
            inside = inside & truth.reshape(shape)
        return inside

    def answers(self) -> np.ndarray:
        return self.model.predict(self.table()).reshape(self.shape)

    def broken_pair(
        self,
        where: list[Condition],
        freed: list[str],
        wrong: Callable[[Any, Any], bool],
        ordered: bool,
    ) -> bool:
        """Whether two cases that differ in freed columns only have two wrong answers."""
        axes = [self.names.index(name) for name in freed]
        said, inside = self.answers(), self.holds(where)
        for name in freed:
            inside &= self.holds([Condition(name, "", known)])
        tail = [-k - 1 for k in range(len(axes))]
        m = math.prod(self.shape[at] for at in axes)
        said = np.moveaxis(said, axes, tail[::-1]).reshape(-1, m)
        inside = np.moveaxis(inside, axes, tail[::-1]).reshape(-1, m)
        different, code = np.unique(said, return_inverse=True)
        code, answers = code.reshape(said.shape), different.tolist()
        broken = np.array([[bool(wrong(a, b)) for b in answers] for a in answers])
        for i in range(m):
            others = np.arange(i + 1, m) if ordered else np.delete(np.arange(m), i)
            both = inside[:, i, None] & inside[:, others]
            if (both & broken[code[:, i, None], code[:, others]]).any():
                return True
        return False


def fitted(kind: str, rng: np.random.Generator, missing: str) -> Any:
    n = int(rng.integers(4, 30))
    X = columns(rng, n, 0.0 if missing == "error" else float(rng.choice([0.0, 0.2])))
    y = rng.integers(0, int(rng.integers(2, 4)), n)
    y[:2] = [0, 1]
    labels = np.array(["no", "so", "yes"])[y]
    seed = int(rng.integers(1000))
    shape = {"missing": missing, "max_depth": int(rng.integers(1, 4))}
    if missing == "surrogate":
        shape |= {"nominal_test": "subset", "numeric_test": "threshold"}
    if kind == "tree":
        return bosco.DecisionTreeClassifier(**shape).fit(X, labels).model_
    if kind == "numbers":
        return bosco.DecisionTreeRegressor(**shape).fit(X, y.astype(float)).model_
    many = {"n_estimators": int(rng.integers(1, 5)), "random_state": seed}
    if kind == "boost":
        base = bosco.DecisionTreeClassifier(**shape | {"max_depth": int(rng.integers(1, 3))})
        return bosco.AdaBoostClassifier(base, **many).fit(X, labels).model_
    if kind == "forest numbers":
        return bosco.RandomForestRegressor(**shape, **many).fit(X, y.astype(float)).model_
    vote = str(rng.choice(["mean", "mode"]))
    forest = bosco.RandomForestClassifier if kind == "forest" else bosco.ExtraTreesClassifier
    return forest(**shape, **many, vote=vote).fit(X, labels).model_


@st.composite
def models(draw: st.DrawFn) -> tuple[Any, np.random.Generator]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["tree", "numbers", "boost", "forest", "extra", "forest numbers"]))
    missing = draw(st.sampled_from(MISSING if kind in ("tree", "numbers") else ONE_WAY))
    try:
        return fitted(kind, rng, missing), rng
    except bosco.DataError as refused:  # rightly: a first learner that only guesses
        assume(kind != "boost" or "worse than random" not in str(refused))
        raise


def region(model: Any, rng: np.random.Generator) -> tuple[list[Condition], str]:
    offered = list(conditions(model, rng))
    chosen = [offered[i] for i in rng.permutation(len(offered))[: rng.integers(0, 3)]]
    said = " and ".join(one.words for one in chosen)
    return chosen, f" where {said}" if chosen else ""


def grid_of(model: Any) -> Grid | None:
    grid = Grid(model, [-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 7.0])
    return grid if grid.size <= 60_000 else None


def decided(model: Any, rng: np.random.Generator, words: str, **options: Any) -> Any:
    """The verdict, with cases drawn by luck or without: what follows must find everything."""
    luck = Cases.drawn if rng.random() < 0.3 else (lambda _: None)
    with mock.patch.object(Cases, "drawn", luck):
        (verdict,) = bosco.check(model, words, work=math.inf, **options)
    return verdict


def one_row(model: Any, case: dict[str, Any]) -> pd.DataFrame:
    row = pd.DataFrame({name: [value] for name, value in case.items()})
    for column in model.schema.given:
        if column.kind == "ordinal":
            row[column.name] = pd.Categorical(row[column.name], SIZES, ordered=True)
    return row


def holds_for(where: list[Condition], case: dict[str, Any]) -> bool:
    return all(condition.holds(case[condition.column]) for condition in where)


@given(made=models())
@examples(150)
def test_forbidden_answers_are_found_wherever_they_are(made: Any) -> None:
    model, rng = made
    grid = grid_of(model)
    if grid is None:
        return
    where, said = region(model, rng)
    answers = grid.answers()
    if model.classes is None:
        at = float(rng.choice(np.unique(answers)))
        words, wrong = [
            (f"never over {at!r}{said}", lambda y: y > at),
            (f"never at least {at!r}{said}", lambda y: y >= at),
            (f"always at most {at!r}{said}", lambda y: y > at),
            (f"never below {at!r}{said}", lambda y: y < at),
        ][rng.integers(4)]
    else:
        label = str(rng.choice(model.classes))
        asked = said.removeprefix(" where ")
        words, wrong = [
            (f"never {label}{said}", lambda y: y == label),
            (f"always {label}{said}", lambda y: y != label),
            (f"nobody with {asked} is {label}" if asked else f"nobody is {label}",
             lambda y: y == label),
        ][rng.integers(3)]  # fmt: skip
    expected = any(map(wrong, np.unique(answers[grid.holds(where)]).tolist()))
    verdict = decided(model, rng, words)
    assert verdict.outcome == ("breach" if expected else "proved"), words
    if expected:
        (case,) = verdict.cases
        assert holds_for(where, case)
        assert wrong(model.predict(one_row(model, case))[0])
        assert verdict.answers == (model.predict(one_row(model, case)).tolist()[0],)


@given(made=models())
@examples(150)
def test_columns_that_matter_are_found_wherever_they_do(made: Any) -> None:
    model, rng = made
    grid = grid_of(model)
    if grid is None:
        return
    where, said = region(model, rng)
    freed = [str(n) for n in rng.permutation(grid.names)[: rng.integers(1, 3)]]
    words = f"{' and '.join(freed)} do not matter{said}"
    wrong: Callable[[Any, Any], bool] = operator.ne
    if model.classes is not None and rng.random() < 0.5:
        label = str(rng.choice(model.classes))
        words = f"never {label} because of {', '.join(freed)}{said}"
        wrong = one_only(label)
    expected = grid.broken_pair(where, freed, wrong, ordered=False)
    verdict = decided(model, rng, words)
    assert verdict.outcome == ("breach" if expected else "proved"), words
    if expected:
        pair_is_real(model, verdict, where, freed, wrong)


@given(made=models())
@examples(150)
def test_answers_that_go_the_wrong_way_are_found(made: Any) -> None:
    model, rng = made
    grid = grid_of(model)
    ordered = [c.name for c in model.schema.given if c.kind != "nominal"]
    if grid is None or not ordered:
        return
    where, said = region(model, rng)
    name = str(rng.choice(ordered))
    more = bool(rng.random() < 0.5)
    better = None
    if model.classes is None:
        lowers = bool(rng.random() < 0.5)
        falls = (lambda a, b: b < a) if lowers else (lambda a, b: b > a)
        what = f"{'lowers' if lowers else 'raises'} the answer"
    elif rng.random() < 0.5:
        better = rng.permutation(model.classes).tolist()
        lowers = bool(rng.random() < 0.5)
        rank = better.index
        falls = (lambda a, b: rank(b) < rank(a)) if lowers else (lambda a, b: rank(b) > rank(a))
        what = f"{'lowers' if lowers else 'raises'} the answer"
    else:
        first, second = rng.permutation(model.classes)[:2].tolist()
        falls = turns(first, second)
        what = f"turns {first} into {second}"
    words = f"{'more' if more else 'less'} {name} never {what}{said}"
    wrong = falls if more else (lambda a, b: falls(b, a))
    expected = grid.broken_pair(where, [name], wrong, ordered=True)
    verdict = decided(model, rng, words, better=better)
    assert verdict.outcome == ("breach" if expected else "proved"), words
    if expected:
        pair_is_real(model, verdict, where, [name], wrong)
        low, high = (case[name] for case in verdict.cases)
        assert SIZES.index(low) < SIZES.index(high) if isinstance(low, str) else low < high


def one_only(label: str) -> Callable[[Any, Any], bool]:
    """One answer of a pair is this one, and not the other."""
    return lambda a, b: (a == label) != (b == label)


def turns(first: Any, second: Any) -> Callable[[Any, Any], bool]:
    """A pair of answers is this pair."""
    return lambda a, b: (a, b) == (first, second)


def pair_is_real(
    model: Any, verdict: Any, where: list[Condition], freed: list[str], wrong: Any
) -> None:
    first, second = verdict.cases
    assert all(first[name] == second[name] for name in first if name not in freed)
    assert all(known(case[name]) for case in verdict.cases for name in freed)
    assert holds_for(where, first)
    assert holds_for(where, second)
    said = [model.predict(one_row(model, case)).tolist()[0] for case in verdict.cases]
    assert wrong(*said)
    assert list(verdict.answers) == said
