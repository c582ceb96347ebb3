"""Splits as reality has them: by groups, and by what came first."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score
from sklearn.model_selection import TimeSeriesSplit

import bosco
from bosco.errors import DataError, ParameterError, SharedGroupsWarning
from bosco.judge.data import read_data
from bosco.judge.shared import shared
from bosco.judge.splits import plan

N = 300
RNG = np.random.default_rng(7)
WHO = RNG.integers(0, 60, N)
DAY = np.datetime64("2024-01-01") + RNG.integers(0, 90, N)
LEVEL = RNG.normal(size=60)
FRAME = pd.DataFrame(
    {
        "patient_id": [f"P{i:02}" for i in WHO],
        "day": DAY,
        "x": LEVEL[WHO] + RNG.normal(size=N),
        "z": RNG.normal(size=N),
    }
)
Y = np.where(FRAME["x"] + RNG.normal(size=N) > 0, "ill", "well")
TREE = bosco.DecisionTreeClassifier(max_depth=3)


def quietly(judged: Any, *args: Any, **how: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharedGroupsWarning)
        return judged(*args, **how)


def test_named_groups_are_apart_and_not_learned_from() -> None:
    found = bosco.evaluate(TREE, FRAME, Y, groups="patient_id", method="k_fold", folds=4)
    values = bosco.evaluate(
        TREE, FRAME.drop(columns="patient_id"), Y, groups=WHO, method="k_fold", folds=4
    )
    assert found.scores["accuracy"].tolist() == values.scores["accuracy"].tolist()
    assert "each of its 60 values" in found.parted
    chosen = bosco.select(TREE, {"max_depth": [1, 2]}, FRAME, Y, groups="patient_id")
    assert chosen.estimator.model_.schema.names == ("day", "x", "z")
    known = np.setdiff1d(np.arange(N), chosen.test_rows)
    assert not {*WHO[known]} & {*WHO[chosen.test_rows]}
    n = len({*WHO[chosen.test_rows]})
    assert chosen.tested == f", of {n} other values of patient_id"
    assert f"({60 - n} in what was learned from and chosen on, {n} in what was tested)" in str(
        chosen.parted
    )


def test_the_future_is_tested_and_never_learned_from() -> None:
    data = read_data(FRAME, Y, "classification", time="day")
    for split in plan(data, None, folds=6):
        assert DAY[split.train].max() < DAY[split.test].min()
    moments = np.unique(DAY)
    expected = list(TimeSeriesSplit(6).split(moments))
    for split, (past, after) in zip(plan(data, "rolling", folds=6), expected, strict=True):
        assert set(DAY[split.train]) == set(moments[past])
        assert set(DAY[split.test]) == set(moments[after])
    (held,) = plan(data, "holdout", test_size=0.25)
    assert DAY[held.train].max() < DAY[held.test].min()
    assert len(held.train) + len(held.test) == N
    assert N * 0.25 - max(np.unique(DAY, return_counts=True)[1]) < len(held.test) <= N * 0.25 + 1


def test_every_window_says_what_it_was_and_its_score_is_that_of_its_rows() -> None:
    found = quietly(bosco.evaluate, TREE, FRAME, Y, time="day", folds=3, metrics="accuracy")
    assert found.method == "rolling"
    assert len(found.windows) == found.repeats == 3
    for window, score in zip(found.windows, found.scores["accuracy"], strict=True):
        past = np.datetime64(window.learned_to) >= DAY
        after = (np.datetime64(window.tested_from) <= DAY) & (
            np.datetime64(window.tested_to) >= DAY
        )
        assert (past.sum(), after.sum()) == (window.train_rows, window.test_rows)
        rest = FRAME.drop(columns="day")
        tree = bosco.DecisionTreeClassifier(max_depth=3).fit(rest[past], Y[past])
        assert score == accuracy_score(Y[after], tree.predict(rest[after]))
    text = str(found)
    assert "3 rolling windows by day" in text
    assert found.windows[1].tested_to in text
    assert found.to_dict()["learned_to"] == [w.learned_to for w in found.windows]
    assert "windows that follow one another are alike" in " ".join(found.says.split())


def test_parts_of_a_selection_follow_one_another() -> None:
    chosen = quietly(bosco.select, TREE, {"max_depth": [1, 2]}, FRAME, Y, time="day")
    known = np.setdiff1d(np.arange(N), chosen.test_rows)
    assert DAY[known].max() < DAY[chosen.test_rows].min()
    first, last = DAY[chosen.test_rows].min(), DAY[chosen.test_rows].max()
    assert chosen.tested == f", day {first} to {last}"
    assert f"tested on {len(chosen.test_rows)} rows, {first} to {last}" in chosen.parted
    assert "day" not in chosen.estimator.model_.schema.names
    assert chosen.parted.split(".")[0] in " ".join(str(chosen).split())
    rolled = quietly(
        bosco.select, TREE, {"max_depth": [1, 2]}, FRAME, Y, time="day", inner="rolling", folds=4
    )
    assert rolled.inner == "inner 4 rolling windows by day"


def test_drafts_part_time_as_judgements_do() -> None:
    """One line between past and future."""
    draft = bosco.draft(TREE, FRAME, Y, date="day", validation=0.2, test=0.2)
    chosen = quietly(bosco.select, TREE, {"max_depth": [1]}, FRAME, Y, time="day")
    assert draft.rows("training").size == chosen.sizes[0]
    locked = N - draft.rows("training").size - draft.rows("validation").size
    assert locked == chosen.sizes[2]
    latest = np.sort(DAY[chosen.test_rows])[0]
    assert DAY[draft.rows("validation")].max() < latest


def test_a_draft_does_not_learn_from_what_parts_it() -> None:
    for how in ({"groups": "patient_id"}, {"date": "day"}):
        draft = bosco.draft(TREE, FRAME, Y, **how)  # type: ignore[arg-type]
        (name,) = how.values()
        assert name not in draft.model.schema.names
        draft.grow()
        assert bosco.replay(draft.log, FRAME, Y).same
    values = bosco.draft(TREE, FRAME, Y, groups=WHO)
    assert "patient_id" in values.model.schema.names


def test_a_log_from_before_is_replayed_as_it_was() -> None:
    """Older drafts learned from the column, too; their logs say nothing of it."""
    from bosco.drafts.draft import Draft
    from bosco.drafts.ground import Ground

    how = {"validation": 0.2, "test": 0.2, "seed": 0, "groups": "patient_id", "learn_parting": True}
    old = Draft(Ground(TREE, FRAME, Y, None, **how))
    assert "patient_id" in old.model.schema.names
    assert "left_out" not in old.log[0]["parts"]
    assert bosco.replay(old.log, FRAME, Y).same


def test_a_scan_is_parted_by_its_columns(tmp_path: Any) -> None:
    table = pa.Table.from_pandas(FRAME.assign(y=Y))
    pq.write_table(table.slice(0, 170), tmp_path / "a.parquet")
    pq.write_table(table.slice(170), tmp_path / "b.parquet")
    rows = bosco.scan(str(tmp_path / "*.parquet"))
    found = quietly(bosco.evaluate, TREE, rows, "y", time="day", folds=3)
    memory = quietly(bosco.evaluate, TREE, FRAME, Y, time="day", folds=3)
    assert found.scores["accuracy"].tolist() == memory.scores["accuracy"].tolist()
    assert found.windows == memory.windows


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"time": "day", "groups": "patient_id"}, ParameterError, "Give one"),
        ({"time": "day", "method": "k_fold"}, ParameterError, "'rolling', or 'holdout'"),
        ({"method": "rolling"}, ParameterError, "goes by time, and none is given"),
        ({"time": "day", "repeats": 3}, ParameterError, "repeating it says nothing new"),
        ({"time": "day", "test_size": 0.2}, ParameterError, "each window is tested on in turn"),
        ({"time": "day", "folds": 500}, DataError, "500 rolling windows need 500 moments"),
        ({"time": [3] * N}, DataError, "all rows are of one moment, 3"),
        ({"time": [3, *[4] * (N - 1)]}, DataError, "three moments or more, and there are 2"),
        (
            {"groups": WHO % 3, "method": "k_fold", "folds": 5},
            DataError,
            "there are 3. Hint: folds=3",
        ),
        ({"groups": [1] * N}, DataError, "one group only"),
        ({"groups": [None, *WHO[1:].tolist()]}, DataError, "groups: row 0 has none"),
    ],
)
def test_what_cannot_be_parted_is_refused(how: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        quietly(bosco.evaluate, TREE, FRAME, Y, **how)


def test_few_groups_are_as_many_folds() -> None:
    found = bosco.evaluate(TREE, FRAME[["x", "z"]], Y, groups=WHO % 3, method="k_fold")
    assert found.repeats == 3


# What stands on both sides ------------------------------------------------------------------------


def test_an_identifier_on_both_sides_is_counted() -> None:
    data = read_data(FRAME, Y, "classification")
    split = next(iter(plan(data, "holdout")))
    (found,) = shared(data, split.train, split.test)
    tested, learned = set(WHO[split.test]), set(WHO[split.train])
    assert found.column == "patient_id"
    assert (found.values, found.known) == (len(tested), len(tested & learned))
    assert found.known_rows == sum(who in learned for who in WHO[split.test])
    with pytest.warns(SharedGroupsWarning, match="Hint: groups='patient_id' keeps"):
        judged = bosco.evaluate(TREE, FRAME, Y, method="holdout")
    assert judged.shared == (str(found),)


def test_what_is_no_identifier_is_left_in_peace() -> None:
    calm = pd.DataFrame(
        {
            "age": RNG.integers(18, 90, N),
            "ward": [f"w{i}" for i in RNG.integers(0, 12, N)],
            "row_id": np.arange(N),  # its own for every row: nothing is shared
            "smoker": RNG.integers(0, 2, N).astype(bool),
            "id_of_price": RNG.normal(size=N),
        }
    )
    data = read_data(calm, Y, "classification")
    split = next(iter(plan(data, "holdout")))
    assert shared(data, split.train, split.test) == ()
    by_group = read_data(FRAME, Y, "classification", groups="patient_id")
    split = next(iter(plan(by_group, "holdout")))
    assert shared(by_group, split.train, split.test) == ()


def test_a_matrix_has_no_names_to_look_at() -> None:
    data = read_data(FRAME[["x", "z"]].to_numpy(), Y, "classification")
    split = next(iter(plan(data, "holdout")))
    assert shared(data, split.train, split.test) == ()


def test_compare_has_the_windows_of_all() -> None:
    trees = {str(d): bosco.DecisionTreeClassifier(max_depth=d) for d in (1, 3)}
    found = quietly(bosco.compare, trees, FRAME, Y, time="day", folds=3)
    assert found["1"].windows == found["3"].windows
    assert "learned from all until" in str(found)
    assert "rough" in found.says
