"""Rows compared with what a model remembers: found where they differ, quiet where they do not."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bosco
from bosco.data.columns import Numbers
from bosco.data.sketch import MOST, RARE, Bins, Sketch
from bosco.drift import shifts
from bosco.errors import DataError, ModelError, ParameterError
from bosco.render.card import show_share
from tests.applicants import applicants


@pytest.fixture(scope="module")
def learned() -> Any:
    X, y = applicants(2000, np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bosco.DecisionTreeClassifier(max_depth=4).fit(X, y).model_.sketched(X)


# Found, or quiet --------------------------------------------------------------------------------


def test_quiet_on_rows_of_the_same_source() -> None:
    """A hundred times new training rows, with ten new tables each; quiet in 95 % at least."""
    loud = 0
    tree = bosco.DecisionTreeClassifier(max_depth=3, record=False, fingerprint=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(100):
            rng = np.random.default_rng(seed)
            X, y = applicants(int(rng.choice([100, 300, 1000])), rng)
            model = tree.fit(X, y).model_.sketched(X)
            for n in (50, 100, 200, 200, 300, 300, 500, 800, 1000, 2000):
                loud += not bosco.monitor(model, applicants(n, rng)[0]).quiet
    assert loud <= 50, loud


@pytest.mark.parametrize("n", [200, 1000, 20_000])
def test_a_tenth_of_the_rows_is_found(learned: Any, n: int) -> None:
    rng = np.random.default_rng(1)
    new, _ = applicants(n, rng)
    tenth = rng.random(n) < 0.1
    amounts = new.assign(amount=np.where(tenth, new.amount * 100, new.amount))
    found = bosco.monitor(learned, amounts).found
    assert {one.where for one in found} >= {"amount"}
    assert {one.where for one in found} <= {"amount", ""}
    ages = new.assign(age=np.where(tenth, new.age + 60, new.age))
    found = bosco.monitor(learned, ages).found
    assert {one.where for one in found} == {"age"}
    (outside,) = [one for one in found if one.what == "range"]
    assert outside.now == np.mean(ages.age > 79)
    assert "training lay within 18 to 79" in outside.said


def test_missing_values_and_unknown_levels_are_found(learned: Any) -> None:
    rng = np.random.default_rng(2)
    new, _ = applicants(1000, rng)
    holes = new.assign(age=new.age.where(rng.random(1000) > 0.05))
    (found,) = bosco.monitor(learned, holes).found
    assert (found.what, found.where, found.then) == ("missing", "age", 0.0)
    assert found.now == holes.age.isna().mean()
    odd = new.assign(job=np.where(rng.random(1000) < 0.03, "pilot", new.job))
    found = {one.what: one for one in bosco.monitor(learned, odd).found}
    assert found["levels"].note == "pilot"
    assert found["levels"].now == np.mean(odd.job == "pilot")


def test_one_row_is_one(learned: Any) -> None:
    one, _ = applicants(1, np.random.default_rng(3))
    line = bosco.monitor(learned, one).line
    assert line.startswith("1 row looks like the 2,000 training rows: ")


def test_the_table_shows_shares_as_percentages(learned: Any) -> None:
    rng = np.random.default_rng(2)
    new, _ = applicants(1000, rng)
    holes = new.assign(age=new.age.where(rng.random(1000) > 0.05))
    rows = {(row[0], row[1]): row[2:4] for row in bosco.monitor(learned, holes).tables()[0].rows}
    assert rows["age", "missing values"] == ["0 %", f"{100 * holes.age.isna().mean():.1f} %"]
    said = [now for (_, what), (_, now) in rows.items() if what in ("other values", "other leaves")]
    assert said
    assert all(now.startswith("PSI ") for now in said)


def test_leaves_are_compared(learned: Any) -> None:
    new, _ = applicants(2000, np.random.default_rng(3))
    (look,) = [one for one in bosco.monitor(learned, new).looks if one.what == "leaves"]
    assert not look.found
    (look,) = [
        one for one in bosco.monitor(learned, new[new.amount > 1500]).looks if one.what == "leaves"
    ]
    assert look.found


def test_the_error_by_month() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 2))
    y = X[:, 0] > 0
    model = bosco.DecisionTreeClassifier(max_depth=1).fit(X, y).model_.sketched(X)
    new = rng.normal(size=(900, 2))
    truth = new[:, 0] > 0
    truth[600:] ^= rng.random(300) < 0.2
    truth[:600] ^= rng.random(600) < 0.02
    dates = np.repeat(np.array(["2024-01-15", "2024-02-01", "2024-03-31"], "datetime64[D]"), 300)
    drift = bosco.monitor(model, new, truth, dates=dates)
    wrong = (model.predict(new) != truth).reshape(3, 300)
    assert [p.name for p in drift.periods] == ["2024-01", "2024-02", "2024-03"]
    assert [p.error for p in drift.periods] == wrong.mean(axis=1).tolist()
    for period in drift.periods:
        bounds = stats.binomtest(round(period.error * 300), 300).proportion_ci(method="wilson")
        assert (period.low, period.high) == pytest.approx((bounds.low, bounds.high))
    assert {one.where for one in drift.found if one.what == "error"} >= {"2024-03"}
    last = drift.periods[-1]
    assert f"2024-03: error {show_share(last.error)}, {show_share(last.low)} to " in str(drift)
    assert drift.tables()[1].rows[-1][2] == show_share(last.error)
    (row,) = [row for row in drift.tables()[0].rows if row[0] == "2024-03"]
    others = show_share(wrong[:2].mean())
    assert row[2:4] == ["", show_share(last.error)]  # training had no months
    assert row[5] == f"elsewhere {others}"
    assert "p below 0.01" in str(drift.tables()[0].caption)
    whole = bosco.monitor(model, new, truth)
    assert [(p.name, p.rows) for p in whole.periods] == [("", 900)]


@pytest.mark.parametrize("kind", ["text", "numbers", "booleans"])
def test_a_truth_that_is_not_known_yet_is_counted(kind: str) -> None:
    """As in a shell: what is missing, or no class of the model, is in no error."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 2))
    above = X[:, 0] > 0
    y: Any = {"text": np.where(above, "yes", "no"), "numbers": X[:, 0] * 2, "booleans": above}[kind]
    learner = bosco.DecisionTreeRegressor if kind == "numbers" else bosco.DecisionTreeClassifier
    model = learner(max_depth=2).fit(X[:200], y[:200]).model_.sketched(X[:200])
    new, late = X[200:], pd.Series(y[200:], dtype=None if kind == "numbers" else object)
    late[::4] = None
    unknown = 50
    if kind == "text":
        late[1::4], unknown = "perhaps", 100
    dates = pd.Series(pd.to_datetime("2024-01-15"), index=range(200))
    dates[:20] = pd.NaT
    drift = bosco.monitor(model, new, late, dates=dates)
    assert drift.untold == unknown
    known = late.notna() & (late != "perhaps")
    assert sum(one.rows for one in drift.periods) == known.sum()
    assert [one.name for one in drift.periods] == ["2024-01", "undated"]
    assert drift.periods[1].rows == known[:20].sum()
    assert "  without a date: error " in str(drift)
    whole = bosco.monitor(model, new[known], y[200:][known])
    (alone,) = bosco.monitor(model, new, late).periods
    assert alone == whole.periods[0]
    assert bosco.monitor(model, new, [None] * 200).untold == 200
    with pytest.raises(DataError, match="equally many"):
        bosco.monitor(model, new, late[:-1])


def test_the_error_of_numbers_by_month() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 1))
    model = bosco.DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0]).model_.sketched(X)
    new = rng.normal(size=(400, 1))
    truth = new[:, 0] + np.repeat([0.0, 2.0], 200)
    drift = bosco.monitor(model, new, truth, dates=["2024-01-01"] * 200 + ["2024-02-01"] * 200)
    errors = np.abs(model.predict(new) - truth).reshape(2, 200)
    assert [p.error for p in drift.periods] == pytest.approx(errors.mean(axis=1).tolist())
    t = stats.t.interval(0.95, 199, errors[0].mean(), errors[0].std(ddof=1) / np.sqrt(200))
    assert (drift.periods[0].low, drift.periods[0].high) == pytest.approx(t)
    (look, _) = [one for one in drift.looks if one.what == "error"]
    assert look.p == pytest.approx(stats.ttest_ind(*errors, equal_var=False).pvalue)


def test_errors_say_which_rows_they_are_of(learned: Any) -> None:
    """Rows that were learned from are no test."""
    X, y = applicants(2000, np.random.default_rng(0))  # those of `learned`
    new, truth = applicants(300, np.random.default_rng(12))
    both = pd.concat([new, X[:40]], ignore_index=True)
    found = bosco.monitor(learned, both, np.concatenate([truth, y[:40]]))
    assert (found.untold, found.equal) == (0, 40)
    note = "40 of 340 rows equal training rows: the error there is no test."
    assert str(found).endswith(note)
    assert note in bosco.drift_page(learned, found).html
    assert bosco.monitor(learned, new, truth).notes == []


def test_the_cost_by_month() -> None:
    """Beside the error, where mistakes have costs."""
    X, y = applicants(800, np.random.default_rng(13))
    tree = bosco.DecisionTreeClassifier(max_depth=3, costs={"bad": {"good": 7}})
    model = tree.fit(X.drop(columns="city"), y).model_.sketched(X.drop(columns="city"))
    new, truth = applicants(400, np.random.default_rng(14))
    new = new.drop(columns="city")
    said_of = model.predict(new)
    cost = np.where(truth == said_of, 0.0, np.where(truth == "bad", 7.0, 1.0))
    dates = np.array(["2024-01-05", "2024-02-05"] * 200, "M8[D]")
    found = bosco.monitor(model, new, truth, dates=dates)
    for k, month in enumerate(found.periods):
        own = cost[k::2]
        reach = stats.t.ppf(0.975, 199) * own.std(ddof=1) / np.sqrt(200)
        ends = (own.mean(), max(own.mean() - reach, 0), own.mean() + reach)
        assert month.cost == pytest.approx(ends)
        assert f"; cost of a row {ends[0]:.4g}, " in month.said
    assert "cost of a row" in bosco.drift_page(model, found).html
    one = bosco.monitor(model, new[:1], truth[:1])
    assert json.loads(json.dumps(one.to_dict(), allow_nan=False))["periods"][0]["cost"][2] is None


def test_many_trees_are_watched_too() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] > 0
    for learner in (bosco.RandomForestClassifier(5), bosco.AdaBoostClassifier(n_estimators=5)):
        model = learner.fit(X, y).model_.sketched(X)
        assert bosco.monitor(model, rng.normal(size=(400, 3))).quiet
        assert not bosco.monitor(model, rng.normal(size=(400, 3)) + 1).quiet


def test_chunks_add_up(learned: Any) -> None:
    from bosco.drift.drifting import compared
    from bosco.drift.watching import Watch, sketch_of

    new, y = applicants(1000, np.random.default_rng(7))
    truth = (y == "good").astype(int)
    whole, parts = (Watch(learned, sketch_of(learned)) for _ in range(2))
    whole.add(learned.read(new), truth)
    for at in range(0, 1000, 300):
        parts.add(learned.read(new[at : at + 300]), truth[at : at + 300])
    assert compared(whole).to_dict() == compared(parts).to_dict()


# The tests --------------------------------------------------------------------------------------


def test_figures_are_those_of_others() -> None:
    then, now = np.array([50, 30, 20]), np.array([60, 30, 30])
    expected = stats.chi2_contingency([then, now], correction=False).pvalue
    assert shifts.same_shares(then, now) == pytest.approx(expected)
    # rows that are too few for a cell are put together: 2 + 1 against 20 is one
    few = shifts.same_shares(np.array([50, 30, 20, 2]), np.array([60, 30, 30, 1]))
    united = stats.chi2_contingency([[50, 30, 22], [60, 30, 31]], correction=False).pvalue
    assert few == pytest.approx(united)
    assert shifts.same_shares(np.array([3]), np.array([4])) == 1.0
    assert shifts.same_shares(np.array([3, 0]), np.array([0, 0])) == 1.0
    fisher = stats.fisher_exact([[3, 97], [9, 41]]).pvalue
    assert shifts.same_share(3, 100, 9, 50) == pytest.approx(fisher)
    # of 5 rows, 2 of them new, the 2 largest are the new ones once in ten
    assert shifts.beyond(2, 3, 2) == pytest.approx(0.1)
    p, q = then / then.sum(), now / now.sum()
    assert shifts.psi(then, now) == pytest.approx(np.sum((q - p) * np.log(q / p)), rel=0.05)


# What is remembered -----------------------------------------------------------------------------


def test_nothing_of_a_single_row_is_kept() -> None:
    rng = np.random.default_rng(8)
    x = np.exp(rng.normal(7, 1, 3000))
    bins = Bins.of(Numbers(x))
    assert len(bins.rows) <= MOST
    assert bins.rows.min() >= 5
    assert bins.rows.sum() == 3000
    assert not np.isin([*bins.edges, bins.low, bins.high], x).any()
    assert bins.low <= x.min()
    assert bins.high >= x.max()
    assert len(f"{bins.high:g}".strip("0")) <= 2 + 1
    X, _ = applicants(2000, rng)
    sketch = Sketch.of(
        bosco.DecisionTreeClassifier(max_depth=1)
        .fit(X.drop(columns="city"), X.sex)
        .model_.read(X.drop(columns="city"), all_columns=True)
    )
    for bins in sketch.columns:
        own = bins.rows[:-1] if bins.levels is not None else bins.rows
        assert (own >= (RARE if bins.levels is not None else 5)).all()
    assert len(json.dumps(sketch.to_plain())) < 4000


def test_bins_of_odd_columns() -> None:
    for x in ([], [np.nan] * 50, [3.0] * 50, [np.inf] * 30 + [-np.inf] * 30, [0.0, 1.0] * 30):
        bins = Bins.of(Numbers(np.array(x)))
        assert bins.rows.sum() + bins.missing == len(x)
        again = Bins.read(json.loads(json.dumps(bins.to_plain())), None)
        assert again.to_plain() == bins.to_plain()
    tiny = Bins.of(Numbers(np.linspace(1e-300, 2e-300, 100)))
    assert tiny.low <= 1e-300
    assert tiny.high >= 2e-300
    dates = np.arange(18_000.0, 19_000.0)
    assert Bins.of(Numbers(dates, "date")).high >= 18_999


def test_the_sketch_is_in_the_file(learned: Any, tmp_path: Path) -> None:
    learned.save(tmp_path / "m.json")
    again = bosco.load(tmp_path / "m.json")
    new, _ = applicants(300, np.random.default_rng(9))
    assert str(bosco.monitor(again, new)) == str(bosco.monitor(learned, new))


def unsound(change: Any) -> dict[str, Any]:
    plain = {
        "rows": 40,
        "columns": [{"rows": [20, 20], "missing": 0, "edges": [1.0], "range": [0.0, 2.0]}],
    }
    return plain | change if isinstance(change, dict) else change


@pytest.mark.parametrize(
    "said",
    [
        3,
        {"rows": 0},
        {"rows": "many"},
        {"columns": []},
        {"columns": [3]},
        {"columns": [{"rows": [1], "missing": 0, "edges": [1.0], "range": [0.0, 2.0]}]},
        {"columns": [{"rows": [1, -1], "missing": 0, "edges": [1.0], "range": [0.0, 2.0]}]},
        {"columns": [{"rows": [1, 1], "missing": -1, "edges": [1.0], "range": [0.0, 2.0]}]},
        {"columns": [{"rows": [1, 1], "missing": 0, "edges": ["a"], "range": [0.0, 2.0]}]},
        {"columns": [{"rows": [1] * 3, "missing": 0, "edges": [1.0, 1.0], "range": [0.0, 2.0]}]},
        {"columns": [{"rows": [1, 1], "missing": 0, "edges": [1.0], "range": [0.0]}]},
        {"columns": [{"rows": [1, 1], "missing": 0, "levels": [0], "once": 0}]},
    ],
)
def test_an_unsound_sketch_is_refused(said: Any) -> None:
    from dataclasses import replace

    model = bosco.DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 1]).model_
    assert Sketch.read(unsound({}), model.schema).n_rows == 40
    odd = replace(model, provenance={**model.provenance, "sketch": unsound(said)})
    with pytest.raises(ModelError, match=r"provenance\.sketch"):
        bosco.monitor(odd, [[0.0]])


def test_refusals(learned: Any) -> None:
    new, y = applicants(10, np.random.default_rng(0))
    with pytest.raises(ModelError, match="remembers nothing"):
        bosco.monitor(bosco.DecisionTreeClassifier().fit([[0], [1]], [0, 1]), [[0]])
    with pytest.raises(DataError, match="0 sample"):
        bosco.monitor(learned, new[:0])
    with pytest.raises(ParameterError, match="needs y"):
        bosco.monitor(learned, new, dates=["2024-01-01"] * 10)
    with pytest.raises(DataError, match="2024-03-31"):
        bosco.monitor(learned, new, y, dates=["soon"] * 10)
    with pytest.raises(DataError, match="the shape"):
        bosco.monitor(learned, new, y, dates=["2024-01-01"])
    for alpha in (0.0, 1.0, "no"):
        with pytest.raises(ParameterError, match="alpha must lie"):
            bosco.monitor(learned, new, alpha=alpha)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="monitor takes a model"):
        bosco.monitor(3, new)


def test_in_italian(learned: Any) -> None:
    new, _ = applicants(500, np.random.default_rng(11))
    with bosco.speaking("it"):
        text = str(bosco.monitor(learned, new.assign(age=new.age + 60)))
        page = bosco.drift_page(learned, bosco.monitor(learned, new)).html
    assert "fuori intervallo" in text
    assert "righe di addestramento" in page
