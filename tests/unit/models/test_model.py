"""What was learned, asked without its learner."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_diabetes, load_wine

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor, ModelError
from bosco.datasets import golf, loans, play_tennis
from bosco.models.model import Model
from bosco.tree.conditions import Interval, Members

DAY = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}


@pytest.fixture(scope="module")
def tennis() -> Model:
    return DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_


@pytest.fixture(scope="module")
def wine() -> Model:
    X, y = load_wine(return_X_y=True, as_frame=True)
    return DecisionTreeClassifier().fit(X, y).model_


# Applying ----------------------------------------------------------------------------------------


def test_one_case_gives_one_answer(tennis: Model) -> None:
    assert tennis.predict(DAY) == "Yes"
    assert tennis.predict_proba(DAY).tolist() == [0.0, 1.0]
    assert tennis.apply(DAY) in range(tennis.tree.node_count)


def test_tables_in_many_forms(tennis: Model) -> None:
    X, y = play_tennis()
    rows = [dict(zip(X, values, strict=True)) for values in zip(*X.values(), strict=True)]
    for table in (X, rows, pd.DataFrame(X), pd.DataFrame(X)[list(X)[::-1]]):
        assert tennis.predict(table).tolist() == y


def test_a_real_target_has_no_classes() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=2).fit(X, y).model_
    assert model.classes is None
    assert model.predict(X[:2]).dtype == np.float64
    assert repr(model) == "<Model: regression tree, 4 leaves, depth 2>"


def test_unknown_levels_go_where_missing_values_go(tennis: Model) -> None:
    unknown, missing = DAY | {"Outlook": "Fog"}, DAY | {"Outlook": None}
    assert tennis.apply(unknown) == tennis.apply(missing)


def test_what_the_text_says_is_what_runs(wine: Model) -> None:
    """Every node's conditions, applied one by one, lead where `apply` leads."""
    X, _ = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    inner = np.flatnonzero(wine.tree.feature >= 0)
    X = X[rng.integers(0, len(X), 500)]
    X[rng.random(X.shape) < 0.1] = np.nan
    for row in X[100:]:  # on the cuts and just beside them
        node = rng.choice(inner)
        cut = wine.tree.threshold[node]
        row[wine.tree.feature[node]] = rng.choice([cut, np.nextafter(cut, np.inf)])
    columns = pd.DataFrame(X, columns=list(wine.schema.names))
    for row, leaf in zip(X, wine.apply(columns), strict=True):
        node = 0
        while (test := wine.tree.test(node)) is not None:
            goes = [condition.holds(row[test.column]) for condition in test.branches]
            assert sum(goes) == 1
            node = wine.tree.children(node)[goes.index(True)]
        assert node == leaf


def test_dates_and_ordered_levels_are_read_as_such() -> None:
    X = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05", "2020-01-07"] * 2),
            "size": pd.Categorical(["S", "S", "M", "L"] * 2, ["S", "M", "L"], ordered=True),
        }
    )
    by_day = DecisionTreeClassifier().fit(X[["day"]], [0, 0, 1, 1] * 2).model_
    assert "day ≤ 2020-01-04" in str(by_day)
    assert by_day.predict({"day": np.datetime64("2020-01-06")}) == 1
    by_size = DecisionTreeClassifier().fit(X[["size"]], [0, 0, 0, 1] * 2).model_
    assert "size ≤ M" in str(by_size)
    assert "size > M → 1 · 2 rows" in str(by_size)
    assert by_size.explain({"size": "L"}).prediction == 1


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table], ids=["polars", "pyarrow"])
def test_other_frames(tennis: Model, library: Any) -> None:
    X, y = play_tennis()
    assert tennis.predict(library(X)).tolist() == y
    assert DecisionTreeClassifier(algorithm="id3").fit(library(X), y).tree_ == tennis.tree


# Values ------------------------------------------------------------------------------------------


def test_a_model_is_immutable(tennis: Model) -> None:
    with pytest.raises(AttributeError):
        tennis.classes = None
    with pytest.raises(TypeError):
        tennis.provenance["algorithm"] = "cart"
    with pytest.raises(ValueError, match="read-only"):
        tennis.tree.impurity[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        tennis.tree.native.tally[0, 0] = 1


@pytest.mark.parametrize("way", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy])
def test_copies_are_equal(wine: Model, way: Any) -> None:
    other = way(wine)
    assert other.tree == wine.tree
    assert other.schema == wine.schema
    assert other.growth == wine.growth
    assert str(other) == str(wine)
    assert dict(other.provenance) == dict(wine.provenance)


def test_trees_have_scikit_learns_names(wine: Model) -> None:
    tree = wine.tree
    inner = tree.feature >= 0
    assert (tree.children_left[inner] + 1 == tree.children_right[inner]).all()
    assert (tree.children_left[~inner] == -1).all()
    assert tree.value.shape == (tree.node_count, 1, 3)
    assert tree.value.sum(axis=2) == pytest.approx(1.0)
    assert tree.n_node_samples[0] == tree.weighted_n_node_samples[0] == 178
    assert tree.n_classes.tolist() == [3]
    assert tree.n_outputs == 1
    assert repr(tree) == f"<Tree of {tree.node_count} nodes, {tree.n_leaves} leaves, depth 5>"


def test_wide_trees_refuse_binary_names(tennis: Model) -> None:
    with pytest.raises(ModelError, match=r"node 0 has 3 children.*children\(node\)"):
        _ = tennis.tree.children_left
    assert list(tennis.tree.children(0)) == [1, 2, 3]


def test_conditions_are_values(tennis: Model) -> None:
    test = tennis.tree.test(0)
    assert test is not None
    assert test.branches[0] == Members(0, (1,), False)
    golf_tree = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_.tree
    kinds = {
        type(b) for n in range(golf_tree.node_count) if (t := golf_tree.test(n)) for b in t.branches
    }
    assert kinds == {Interval, Members}


# Why ---------------------------------------------------------------------------------------------

GAINS = {"Outlook": 0.2467, "Humidity": 0.1518, "Wind": 0.0481, "Temperature": 0.0292}
RATIOS = {"Outlook": 0.1564, "Humidity": 0.1518, "Wind": 0.0488, "Temperature": 0.0188}


def test_why_at_the_root_of_play_tennis(tennis: Model) -> None:
    why = tennis.why()
    assert {c.column: c.gain for c in why} == pytest.approx(GAINS, abs=5e-5)
    assert {c.column: c.gain_ratio for c in why} == pytest.approx(RATIOS, abs=5e-5)
    assert why.chosen.column == "Outlook"
    assert [c.column for c in why] == list(GAINS)
    assert why.chosen.margin == 0.0
    assert why.candidates[1].margin == pytest.approx(0.2467 - 0.1518, abs=1e-4)


def test_why_is_a_table(tennis: Model) -> None:
    frame = pd.DataFrame(tennis.why(0).to_dict())
    assert frame.shape == (4, 13)
    assert frame.loc[frame.chosen, "column"].tolist() == ["Outlook"]
    lines = str(tennis.why(0)).splitlines()
    assert lines[0] == "node 0, compared by gain"
    assert lines[2].split()[0] == "Outlook,"
    assert lines[2].endswith("chosen")
    assert len({line.find("0.") for line in lines[2:]}) == 1  # aligned


def test_day_wins_by_all_scores_and_is_reported() -> None:
    X, y = play_tennis(day=True)
    for score in ("gain", "gain_ratio", "gain_ratio_above_average"):
        learner = DecisionTreeClassifier(algorithm="id3", score=score)
        with pytest.warns(bosco.IdentifierWarning, match="'Day' looks like an identifier"):
            why = learner.fit(X, y).model_.why()
        assert why.chosen.column == "Day"
        assert why.chosen.gain == pytest.approx(0.9403, abs=5e-5)
        assert why.chosen.gain_ratio == pytest.approx(0.2470, abs=5e-5)


def test_candidates_below_the_average_are_out_of_the_running() -> None:
    X, y = play_tennis()
    learner = DecisionTreeClassifier(algorithm="id3", score="gain_ratio_above_average")
    why = learner.fit(X, y).model_.why()
    assert why.chosen.column == "Outlook"
    out = {c.column for c in why if math.isnan(c.score)}
    assert out == {"Wind", "Temperature"}  # the average gain is 0.119
    assert "out of the running" in str(why)


def test_gains_are_net_of_the_penalty() -> None:
    """C4.5's thresholds pay log2(cuts) / rows: 2 of 3 leave two rows aside, 5 sunny days."""
    model = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    why = model.why(3)
    assert why.chosen.column == "humidity"
    assert why.chosen.penalty == pytest.approx(math.log2(2) / 5)
    assert why.chosen.gain == pytest.approx(float(model.tree.native.gain[3]) - math.log2(2) / 5)
    assert why.chosen.gain_ratio == why.chosen.score == why.chosen.gain / why.chosen.split_info
    assert {c.column: c.penalty for c in why}["windy"] == 0.0
    root = model.why(0)
    assert [c.column for c in root if c.gain < 0] == ["humidity", "temperature"]
    assert all(math.isnan(c.score) for c in root if c.gain < 0)
    assert "penalty" in str(root)
    assert "penalty" not in str(
        DecisionTreeClassifier().fit([[1], [2], [3]], [0, 1, 1]).model_.why(0)
    )


def test_a_near_tie_is_flagged() -> None:
    X = {"a": [0, 0, 0, 1, 1, 1, 0, 1], "b": [0, 0, 0, 1, 1, 1, 1, 0]}
    model = DecisionTreeClassifier().fit(X, list("nnnyyyyn")).model_
    assert model.why(0).near_tie is False
    X["a"] = X["b"]
    why = DecisionTreeClassifier().fit(X, list("nnnyyyyn")).model_.why(0)
    assert why.near_tie
    assert [c.near_tie for c in why] == [False, True]
    assert "near-tie" in str(why)


def test_why_says_what_it_cannot_say(tennis: Model) -> None:
    with pytest.raises(ModelError, match="Node 1 is a leaf: no test was chosen"):
        _ = tennis.why(1).chosen
    with pytest.raises(ModelError, match="no node 99: the tree has nodes 0 to 7"):
        tennis.why(99)
    with pytest.raises(ModelError, match=r"by its number.*Got 'Outlook'"):
        tennis.why("Outlook")
    assert tennis.why(np.int64(0)) == tennis.why(0)
    silent = DecisionTreeClassifier(record=False).fit(*play_tennis()).model_
    with pytest.raises(ModelError, match="record=True"):
        silent.why(0)


def test_candidates_survive_copies_and_pruning() -> None:
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier(ccp_alpha=0.02).fit(X, y).model_
    assert pickle.loads(pickle.dumps(model)).why(0) == model.why(0)
    full = DecisionTreeClassifier().fit(X, y).model_
    assert full.n_leaves > model.n_leaves > 1
    assert full.why(0) == model.why(0)


# Explain -----------------------------------------------------------------------------------------


def test_a_path_in_words(tennis: Model) -> None:
    explanation = tennis.explain(DAY)
    assert str(explanation).splitlines() == [
        "Outlook is 'Rain': Outlook = Rain [2]",
        "Wind is 'Weak': Wind = Weak [5]",
        "so Yes: 100 % of 3 training rows",
        "95 % interval of that share: 43.9 % to 100 %",
        "strongest rival: No, 0 %",
        "it would be No if Wind were 'Strong' (it is 'Weak')",
    ]
    assert explanation.prediction == "Yes"
    assert explanation.shares == {"No": 0.0, "Yes": 1.0}


def test_stand_ins_are_said() -> None:
    X, y = golf()
    model = DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(X, y).model_
    test, stand_in = model.tree.test(0), model.tree.surrogates(0)[0]
    assert test is not None
    primary, other = (model.schema.names[t.column] for t in (test, stand_in))
    case = {name: X[name][0] for name in X} | {primary: None}
    step = model.explain(case).steps[0]
    assert step.stand_in.startswith(other)
    assert f"{primary} is missing, but {step.stand_in}: as {primary}" in str(model.explain(case))
    nothing = dict.fromkeys(X)
    assert model.explain(nothing).steps[0].stand_in == ""
    assert model.explain(nothing).steps[0].condition.endswith("or missing")


def test_a_branch_of_missing_values_is_said_once() -> None:
    X = {"a": [1.0, 2.0, None, None]}
    model = DecisionTreeClassifier(missing="branch").fit(X, list("xyzz")).model_
    assert str(model.explain({"a": None})).splitlines()[0] == "a is missing [3]"


def test_missing_and_unknown_values_are_said(tennis: Model) -> None:
    text = str(tennis.explain(DAY | {"Outlook": None}))
    assert text.startswith("Outlook is missing: as Outlook = Rain or missing")
    text = str(tennis.explain(DAY | {"Outlook": "Fog"}))
    assert text.startswith("Outlook is 'Fog', which the model does not know: as Outlook = Rain")


def test_shares_are_said() -> None:
    model = DecisionTreeClassifier(algorithm="c45").fit(*play_tennis()).model_
    explanation = model.explain(DAY | {"Outlook": None})
    assert explanation.shared
    assert sum(explanation.shares.values()) == pytest.approx(1.0)
    assert "all are counted" in str(explanation)
    assert explanation.prediction == model.predict(DAY | {"Outlook": None})


def test_rows_in_many_forms() -> None:
    X, y = load_wine(return_X_y=True)
    model = DecisionTreeClassifier().fit(X, y).model_
    assert str(model.explain(X[0])) == str(model.explain(list(X[0])))
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)])
    named = DecisionTreeClassifier().fit(frame, y).model_
    assert named.explain(frame.iloc[0]).prediction == 0
    with pytest.raises(bosco.DataError, match=r"One case is wanted.*13 values"):
        model.explain([1.0, 2.0])


def test_a_stump_explains_loans() -> None:
    model = DecisionTreeClassifier(algorithm="stump").fit(*loans()).model_
    explanation = model.explain({"reputation": "poor", "term": "3", "income": "high"})
    assert explanation.prediction == "risky"
    assert "77.8 % of 18 training rows" in str(explanation)


def test_nodes_of_large_tables_keep_near_ties() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((26_000, 4))
    X[:, 2] = X[:, 1] + 0.002 * rng.standard_normal(len(X))
    y = X[:, 1] + X[:, 0] / 3 + rng.standard_normal(len(X)) > 0
    model = DecisionTreeClassifier(max_depth=6).fit(X, y).model_
    whole = DecisionTreeClassifier(max_depth=6, record=True).fit(X, y).model_
    assert np.array_equal(model.tree.native.tally, whole.tree.native.tally)
    large = near = 0
    for node in np.flatnonzero(model.tree.native.n_children > 0).tolist():
        found, every = model.why(node), whole.why(node)
        large += 1
        best = every.chosen.gain
        want = [c for c in every if c.gain >= 0.99 * best]
        near += len(want) > 1
        assert found.candidates == tuple(want)
        assert found.near_tie == every.near_tie
        assert "Every other column gains at least 1 % less." in str(found)
        assert f"model.why({node}, X=X, y=y)." in str(found)
        assert str(model.why(node, X=X, y=y)) == str(every)
    assert large > 4
    assert near > 0


def test_by_default_small_nodes_of_large_tables_keep_no_candidates() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((26_000, 2))
    y = X[:, 0] + rng.standard_normal(len(X))
    model = DecisionTreeRegressor().fit(X, y).model_
    whole = DecisionTreeRegressor(record=True).fit(X, y).model_
    inner = model.tree.native.n_children > 0
    kept = np.diff(model.tree.native.candidate_begin) > 0
    assert np.array_equal(
        kept, inner & (model.tree.n_node_samples >= 6)
    )  # 26,000 / 5000, rounded up
    assert np.array_equal(np.diff(whole.tree.native.candidate_begin) > 0, inner)
    assert str(model.why(0, X=X, y=y)) == str(whole.why(0)) == str(whole.why(0, X=X, y=y))
    small = int(np.flatnonzero(inner & ~kept)[0])
    with pytest.raises(ModelError, match=r"fewer than 6 samples \(record=True does\)\.$"):
        model.why(small)
    whole.why(small)
    pruned = model.collapse(int(np.flatnonzero(kept)[1]))
    assert str(pruned.why(0)) == str(model.why(0))
