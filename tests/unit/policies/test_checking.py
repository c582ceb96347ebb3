"""Policies on whole models: what is said, whom it concerns, what a large space hides."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bosco
from bosco.errors import ParameterError
from tests.commands import run
from tests.edited import ordered

POLICIES = [
    "never denied because of sex",
    "more income never lowers the answer",
    "more debt never raises the answer",
    "nobody over 65 with income > 9000 is denied",
    "job does not matter where income < 500",
    "always granted where income > 8000 and debt < 300 and years > 10",
    "never granted where income < 100 and debt > 3000",
]
BETTER = ["denied", "granted"]


def applicants(n: int, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": rng.gamma(3, 1000, n).round(),
            "debt": rng.gamma(2, 800, n).round(),
            "sex": rng.choice(["f", "m"], n),
            "job": rng.choice(list("abcdef"), n),
            "years": rng.integers(0, 40, n).astype(float),
        }
    )
    X.loc[rng.random(n) < 0.05, "years"] = np.nan
    score = X.income - 1.2 * X.debt + 20 * X.years.fillna(0) + 300 * (X.sex == "m")
    return X, np.where(score + rng.normal(0, 500, n) > 1200, "granted", "denied")


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, Any]:
    return applicants(2000)


MODELS = {
    "tree": lambda: bosco.DecisionTreeClassifier(max_depth=9),
    "fractional": lambda: bosco.DecisionTreeClassifier(algorithm="c45", max_depth=5),
    "monotone": lambda: bosco.DecisionTreeClassifier(
        monotonic_cst={"income": 1, "debt": -1}, max_depth=9
    ),
    "stumps": lambda: bosco.AdaBoostClassifier(n_estimators=60),
    "boosted": lambda: bosco.AdaBoostClassifier(
        bosco.DecisionTreeClassifier(max_depth=3), n_estimators=15
    ),
    "forest": lambda: bosco.RandomForestClassifier(n_estimators=30, random_state=0),
}


def random_rows(X: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows whose columns are drawn apart from each other, far beyond what was seen, with holes.

    Levels are codes, which are made and read without a Python object a row.
    """
    made = {}
    for name in X:
        if X[name].dtype.kind == "O" or str(X[name].dtype) in ("str", "string"):
            levels = X[name].unique()
            codes = rng.integers(-1, len(levels), n)  # -1: missing
            made[name] = pd.Categorical.from_codes(codes, levels)
            continue
        seen = X[name].dropna().to_numpy(float)
        values = rng.choice(seen, n) + rng.choice(
            [0.0, -0.5, 0.5, 1e6, -1e6], n, p=[0.6, *[0.1] * 4]
        )
        made[name] = np.where(rng.random(n) < 0.1, np.nan, values)
    return pd.DataFrame(made)


@pytest.fixture(scope="module")
def million(table: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A million random cases, and as many to take other values from."""
    rng = np.random.default_rng(1)
    rows, other = (random_rows(table[0], 1_000_000, rng) for _ in range(2))
    return rows, other


@pytest.mark.parametrize("kind", MODELS)
def test_a_million_random_cases_do_not_break_what_is_proved(
    kind: str, table: Any, million: Any
) -> None:
    X, y = table
    model = MODELS[kind]().fit(X, y).model_
    found = bosco.check(model, POLICIES, better=BETTER)
    rng = np.random.default_rng(2)
    rows, other = million
    said = pd.Series(model.predict(rows))
    assert found.of("proved"), str(found)
    for verdict in found.of("proved"):
        p = POLICIES.index(verdict.policy)
        if p in (0, 4):
            name = ("sex", "job")[p > 0]
            changed = pd.Series(model.predict(rows.assign(**{name: other[name]})))
            speaks = rows[name].notna() & other[name].notna()
            speaks &= rows.income < 500 if p == 4 else True
            assert not (speaks & (said != changed)).any()
        elif p in (1, 2):
            name = ("income", "debt")[p - 1]
            more = rows[name] + rng.gamma(1, 2000, len(rows))
            after = pd.Series(model.predict(rows.assign(**{name: more})))
            worse = ("granted", "denied") if p == 1 else ("denied", "granted")
            assert not ((said == worse[0]) & (after == worse[1]) & rows[name].notna()).any()
        else:
            inside = [
                (rows.age > 65) & (rows.income > 9000),
                (rows.income > 8000) & (rows.debt < 300) & (rows.years > 10),
                (rows.income < 100) & (rows.debt > 3000),
            ][max(0, p - 4)]
            assert not (inside & (said == ("granted" if p == 6 else "denied"))).any()
    if kind == "monotone":
        assert all(found[p] for p in (1, 2))


@pytest.mark.parametrize("kind", ["tree", "stumps", "forest"])
def test_rows_concerned_are_those_that_break_it(kind: str, table: Any) -> None:
    X, y = table
    model = MODELS[kind]().fit(X, y).model_
    X = X[:300]
    sex, region = bosco.check(
        model, ["never denied because of sex", "never denied where income > 2000"], X
    )
    said = pd.Series(model.predict(X))
    swapped = model.predict(X.assign(sex=X.sex.map({"f": "m", "m": "f"})))
    concerned = np.flatnonzero(said != swapped)
    assert (sex.rows, sex.rows_in_all, sex.rows_exact) == (len(concerned), 300, True)
    assert sex.first_row == (concerned[0] if len(concerned) else None)
    concerned = np.flatnonzero((said == "denied") & (X.income > 2000))
    assert (region.rows, region.first_row) == (len(concerned), concerned[0])
    assert region.cases[0]["income"] == X.income[concerned[0]]


def test_rows_of_a_column_of_numbers_have_twins_with_every_value(table: Any) -> None:
    X, y = table
    model = bosco.DecisionTreeClassifier(max_depth=4).fit(X, y).model_
    X = X[:200]
    (verdict,) = bosco.check(model, "more income never turns granted into denied", X)
    (other,) = bosco.check(model, "more income never turns denied into granted", X)
    cuts = np.unique(model.tree.threshold[model.tree.feature == 1])
    values = np.concatenate([cuts, [cuts[-1] + 1]])
    said = np.array([model.predict(X.assign(income=v)) for v in values])
    mine, own = model.predict(X), np.searchsorted(cuts, X.income)
    for found, first in ((verdict, "granted"), (other, "denied")):
        broken = 0
        for i in range(len(X)):
            above, below = said[own[i] + 1 :, i], said[: own[i], i]
            broken += bool(
                ((mine[i] == first) & (above != first)).any()
                or ((mine[i] != first) & (below == first)).any()
            )
        assert found.rows == broken
    assert other.rows > 0


# Derived columns ----------------------------------------------------------------------------------


def derived(n: int = 300, seed: int = 0) -> tuple[Any, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"debt": rng.integers(1, 50, n), "income": rng.integers(1, 50, n)})
    y = np.where(X.debt / X.income > 1, "denied", "granted")
    learner = bosco.DecisionTreeClassifier(derive={"ratio": "debt / income"}, max_depth=1)
    return learner.fit(X, y).model_, X


def test_a_derived_column_moves_with_its_sources() -> None:
    model, _ = derived()
    assert model.meanings == ("ratio = debt / income",)
    found = bosco.check(
        model,
        [
            "income does not matter",
            "more income never turns denied into granted",
            "never granted where ratio > 2",
            "never granted where ratio > 0.5",
            "never granted where debt is missing and ratio > 2",
        ],
    )
    outcomes = [verdict.outcome for verdict in found]
    assert outcomes == ["breach", "breach", "proved", "breach", "proved"]
    for verdict in found.of("breach"):
        assert [model.predict(case) for case in verdict.cases] == list(verdict.answers)
    assert "ratio" not in found[0].cases[0]


def test_what_no_case_has_is_undecided_and_not_a_breach() -> None:
    """Boxes do not know that a square is not negative; no case is made up."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200)})
    learner = bosco.DecisionTreeClassifier(derive={"square": "x * x"}, max_depth=1)
    model = learner.fit(X, np.where(X.x**2 > 1, "far", "near")).model_
    (verdict,) = bosco.check(model, "never near where square < -1")
    assert (verdict.outcome, verdict.reason) == ("undecided", "derived")
    assert not verdict
    assert "no case was found" in str(verdict)


@pytest.mark.parametrize("seed", range(8))
def test_derived_columns_never_prove_what_a_case_breaks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
    y = np.where(X.a - X.b + 0.3 * X.a > rng.normal(0, 0.3, 150), "yes", "no")
    learner = bosco.DecisionTreeClassifier(derive={"gap": "a - b"}, max_depth=3)
    if seed % 2:
        learner = bosco.RandomForestClassifier(5, derive={"gap": "a - b"}, max_depth=3)
    model = learner.fit(X, y).model_
    many = pd.DataFrame(rng.normal(0, 2, (20_000, 2)), columns=["a", "b"])
    said = model.predict(many)
    more = model.predict(many.assign(a=many.a + rng.gamma(1, 1, len(many))))
    broken = {
        "never no where a > 1": (said == "no") & (many.a > 1),
        "never yes where gap < -1": (said == "yes") & (many.a - many.b < -1),
        "more a never turns yes into no": (said == "yes") & (more == "no"),
        "b does not matter": said != model.predict(many.assign(b=rng.normal(0, 2, len(many)))),
    }
    for verdict in bosco.check(model, list(broken)):
        if broken[verdict.policy].any():
            assert verdict.outcome != "proved", verdict.policy
        for case, answer in zip(verdict.cases, verdict.answers, strict=True):
            assert model.predict(case) == answer


# What is said -------------------------------------------------------------------------------------


def small() -> Any:
    X = {"age": [30, 40, 70, 80], "income": [1000, 4000, 1000, 4000], "sex": list("fmfm")}
    return bosco.DecisionTreeClassifier().fit(X, ["denied", "granted", "denied", "granted"])


def test_what_is_not_asked_for_and_where_nobody_is() -> None:
    model = small()
    unasked, empty = bosco.check(
        model, ["sex does not matter", "never denied where age > 5 and age < 4"]
    )
    assert (unasked.method, empty.method) == ("unasked", "empty")
    assert unasked
    assert empty
    assert "other columns may stand for sex" in str(unasked)
    assert "no case meets these conditions" in str(empty)


def test_declared_domains_bound_the_space() -> None:
    X = {"age": [30, 40, 70, 80], "n": [1, 2, 1, 1]}
    y = ["a", "a", "b", "b"]
    policy = "never b where age > 85"
    free = bosco.DecisionTreeClassifier().fit(X, y)
    bound = bosco.DecisionTreeClassifier(domains={"age": (18, 85)}).fit(X, y)
    assert bosco.check(free, policy)[0].outcome == "breach"
    assert bosco.check(bound, policy)[0].method == "empty"
    (verdict,) = bosco.check(bound, "never b")
    assert 18 <= verdict.cases[0]["age"] <= 85


def test_dates_are_shown_as_dates() -> None:
    days = np.array(["2020-01-01", "2020-06-01", "2021-01-01"], "datetime64[D]")
    model = bosco.DecisionTreeClassifier().fit({"day": days}, ["a", "a", "b"])
    (verdict,) = bosco.check(model, "never b where day < 2020-12-01")
    assert "day = 2020-11-30 → b" in str(verdict)


def test_orders_are_answers() -> None:
    tree = bosco.DecisionTreeClassifier().fit({"x": [1.0, 2, 3, 4]}, ["a", "a", "b", "b"])
    assert bosco.check(tree, "never b where x < 2")
    assert bosco.check(ordered(tree.model_, every=1), "never a where x < 2")


def test_work_is_counted_and_its_end_is_said(table: Any) -> None:
    X, y = table
    forest = bosco.RandomForestClassifier(20, random_state=0).fit(X, y).model_
    policy = "always granted where income > 8000 and debt < 300 and years > 10"
    (verdict,) = bosco.check(forest, policy, work=1000)
    assert (verdict.outcome, verdict.reason) == ("undecided", "work")
    assert "more work than is allowed" in str(verdict)
    again = bosco.check(forest, policy)[0]
    assert again.work == bosco.check(forest, policy)[0].work > 1000
    assert f"in {again.work:,} steps" in str(again)
    with pytest.raises(ParameterError, match="work is a number of steps"):
        bosco.check(forest, policy, work=0)


@pytest.mark.parametrize("missing", ["fractional", "surrogate"])
def test_where_missing_values_go_many_ways(missing: str) -> None:
    """All of them are too many; where values are known they are as many as leaves."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = bosco.DecisionTreeClassifier(missing=missing).fit(X, y).model_
    far = "x1 > 100 and x2 > 100 and x3 > 100"
    (known,) = bosco.check(model, f"always 1 where {far} and x0 is known")
    xs = np.linspace(-5, 5, 2000)
    said = model.predict(np.column_stack([xs, *[np.full(2000, 101.0)] * 3]))
    assert known.outcome == ("proved" if (said == 1).all() else "breach")
    (every,) = bosco.check(model, "x0 does not matter where x0 > 100", work=20_000)
    assert every.reason in ("work", None)


def test_columns_without_names() -> None:
    model = bosco.DecisionTreeClassifier().fit(np.array([[0.0, 1], [1, 1], [2, 0]]), [0, 1, 1])
    first, second = bosco.check(model, ["x0 does not matter", "never 0 where x0 > 1"], [[0.0, 1]])
    assert (first.outcome, first.rows, second.outcome) == ("breach", 1, "proved")


def test_trees_of_more_leaves_than_rules_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = applicants(500)
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    usual = bosco.check(model, POLICIES, better=BETTER)
    monkeypatch.setattr("bosco.rules.extract.MAX_RULES", 5)
    assert str(bosco.check(model, POLICIES, better=BETTER)) == str(usual)


def test_in_italian() -> None:
    with bosco.speaking("it"):
        said = str(bosco.check(small(), ["never denied where income < 100", "sex does not matter"]))
    assert "VIOLATA" in said
    assert "dimostrata" in said


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="check takes a model"):
        bosco.check(3, "never x")
    for nothing in ([], 3, None):
        with pytest.raises(ParameterError, match="policies is a sentence"):
            bosco.check(small(), nothing)


# Files and the command line -----------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    small().model_.save(path)
    (tmp_path / "rows.csv").write_text("age,income,sex\n30,1000,f\n40,4000,m\n20,50,f\n")
    return path


def written(folder: Path, text: str) -> str:
    path = folder / "policies.toml"
    path.write_text(text)
    return str(path)


def test_exit_codes(saved: Path) -> None:
    ok = written(saved.parent, 'policies = ["never denied where income > 3000"]')
    done = run("check", str(saved), ok)
    assert (done.exit_code, "proved" in done.stdout) == (0, True)
    broken = written(
        saved.parent,
        'better = ["granted", "denied"]\n[policies]\nfair = "more income never lowers the answer"',
    )
    done = run("check", str(saved), broken, "--table", str(saved.parent / "rows.csv"))
    assert done.exit_code == 1
    assert "3 of 3 rows are concerned, the first is row 0" in done.stdout
    only = "never granted where income > 3000"
    done = run("check", str(saved), only, "--table", str(saved.parent / "rows.csv"))
    assert "1 of 3 rows is concerned" in done.stdout
    done = run("check", str(saved), "never denied", "--format", "json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["proved"] is False
    assert told["policies"][0]["answers"] == ["denied"]
    done = run("check", str(saved), "never denied where income > 3000", "--work", "1")
    assert (done.exit_code, "undecided" in done.stdout) == (3, True)
    assert run("check", str(saved), "never say never").exit_code == 2
    done = run("check", str(saved), "more income never lowers the answer")
    assert "say it in a TOML file by better = […]" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("policies = 3 4", "is no TOML file"),
        ("", "has no policies"),
        ('policy = ["x"]', "Did you mean 'policies'"),
        ("policies = 3", "policies is a sentence"),
        ("policies = [3]", "A policy is a sentence"),
    ],
)
def test_files_that_say_nothing(saved: Path, text: str, said: str) -> None:
    done = run("check", str(saved), written(saved.parent, text))
    assert done.exit_code == 2
    assert said in done.stderr
    assert "There is no file" in run("check", str(saved), "none.toml").stderr


def test_files_from_python(saved: Path) -> None:
    path = Path(written(saved.parent, 'policies = ["never denied where income > 3000"]\nwork = 1'))
    assert bosco.check(small(), path)[0].outcome == "undecided"
    assert bosco.check(small(), path, work=math.inf)
