"""From shares to answers: costs and cut-offs, beside the plain definition."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bosco
from bosco import DecisionTreeClassifier, RandomForestClassifier
from bosco.datasets import golf, play_tennis
from bosco.errors import ModelError, ParameterError
from bosco.pruning import CostComplexity, GeneralizationError, ReducedError
from bosco.tree.costs import cost_table, costs_of, read_costs, write_costs
from bosco.tree.decision import HEAVIEST, Cut, Decision
from bosco.tree.ties import heaviest
from tests.contract.kinds import UNEVEN, mixed

SHARES = st.integers(2, 4).flatmap(
    lambda n: st.tuples(
        st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=1, max_size=8),
        st.lists(st.lists(st.integers(1, 9), min_size=n, max_size=n), min_size=n, max_size=n),
    )
)


@given(SHARES)
def test_the_answer_costs_least(drawn: tuple[Any, Any]) -> None:
    counts, costs = np.array(drawn[0], float), np.array(drawn[1], float)
    np.fill_diagonal(costs, 0)
    table = costs_of(costs.tolist(), list(range(len(costs))))
    said = Decision(table).answers(counts)
    wrong = costs if table is not None else 1 - np.eye(len(costs))
    expected = counts @ wrong  # whole numbers: exact
    best = expected.min(axis=1)
    assert (expected[np.arange(len(said)), said] == best).all()
    ties = expected == best[:, None]
    of_equals = ties.shape[1] - 1 - ties[:, ::-1].argmax(axis=1) if len(costs) == 2 else None
    assert (said == (ties.argmax(axis=1) if of_equals is None else of_equals)).all()


@given(st.lists(st.floats(0, 1), min_size=1), st.floats(0, 1, exclude_min=True))
def test_a_cut_off_is_at_least(shares: list[float], at: float) -> None:
    shares += [at, float(np.nextafter(at, 0)), 1 - at]
    rows = np.column_stack([1 - np.array(shares), shares])
    rows = np.vstack([rows, rows[:, ::-1]])
    assert (Decision(cut=Cut(at)).answers(rows) == (rows[:, 1] >= at)).all()
    assert (Decision(cut=Cut(at, of=0)).answers(rows) == ~(rows[:, 0] >= at)).all()


@given(st.lists(st.integers(-(2**45), 2**45), min_size=1), st.integers(-(2**44), 2**44))
def test_a_lead_in_points(leads: list[int], at: int) -> None:
    rows = np.array([[7, 7 + lead] for lead in leads], np.int64)
    bar = at * 2.0**-40
    said = Decision(cut=Cut(bar, points=True)).answers(rows)
    assert said.tolist() == [int(lead >= at) for lead in leads]
    said = Decision(cut=Cut(bar, of=0, points=True)).answers(rows)
    assert said.tolist() == [int(-lead < at) for lead in leads]


def test_equal_costs_are_none() -> None:
    X, y = mixed(4)
    plain = DecisionTreeClassifier(max_depth=6).fit(X, y)
    labels = plain.classes_.tolist()
    for costs in ({}, dict.fromkeys(labels, 5), 3 * (1 - np.eye(len(labels)))):
        told = DecisionTreeClassifier(max_depth=6, costs=costs).fit(X, y)
        assert told.model_.decision == HEAVIEST
        assert str(told.model_) == str(plain.model_)
        assert told.predict(X).tolist() == plain.predict(X).tolist()


COSTS = {"Don't Play": {"Play": 4}}


def by_cost() -> Any:
    return DecisionTreeClassifier(max_depth=1, costs=COSTS).fit(*golf()).model_


def test_text_rules_and_explanation_say_so() -> None:
    model = by_cost()
    assert model.turned.any()
    leaf = int(np.flatnonzero(model.turned & (model.tree.native.test < 0))[0])
    assert f"[{leaf}]" in str(model)
    line = next(line for line in str(model).splitlines() if f"[{leaf}]" in line)
    assert "→ Don't Play, by cost" in line
    assert "its rows say Play" in line
    assert "Costs: Don't Play taken for Play 4, every other mistake 1." in str(model)
    X, _y = golf()
    at = int(np.flatnonzero(model.apply(X) == leaf)[0])
    row = {name: X[name][at] for name in X}
    said = model.explain(row)
    assert said.prediction == "Don't Play"
    assert "by cost; its rows say Play" in str(said)
    assert said.change is None or model.predict(row | said.change.values) == "Play"
    rules = model.rules()
    assert any(rule.turned == (leaf,) for rule in rules)
    assert "by cost" in str(rules)
    assert rules.predict(X).tolist() == model.predict(X).tolist()
    assert rules.simplify().predict(X).tolist() == model.predict(X).tolist()
    assert not rules.equivalent_to(replace(model, decision=HEAVIEST))
    assert "by cost" in str(model.svg())
    assert "by cost" in model.to_dot()
    assert "by cost" in model.to_python()
    assert "by cost" in model.to_pmml()
    assert any(one.by == "by cost" for one in model.leaves())


def test_shares_stay_what_they_are() -> None:
    X, y = golf()
    plain = DecisionTreeClassifier(max_depth=1).fit(X, y)
    told = DecisionTreeClassifier(max_depth=1, costs=COSTS).fit(X, y)
    assert (plain.predict_proba(X) == told.predict_proba(X)).all()
    assert plain.predict(X).tolist() != told.predict(X).tolist()


@pytest.mark.parametrize("form", ["json", "bosco"])
def test_files_keep_it(form: str, tmp_path: Any) -> None:
    X, y = golf()
    forest = RandomForestClassifier(5, random_state=0, costs=COSTS).fit(X, y).model_
    boosted = bosco.AdaBoostClassifier(n_estimators=3).fit(X, y).model_
    for model in (by_cost(), forest, by_cost().at(threshold=0.7), boosted.at(threshold=0.5)):
        path = tmp_path / f"m.{form}"
        model.save(path)
        again = bosco.load(path)
        assert again.decision == model.decision == pickle.loads(pickle.dumps(model)).decision
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert str(again) == str(model)


def test_files_are_checked(tmp_path: Any) -> None:
    path = tmp_path / "m.json"
    by_cost().save(path)
    text = path.read_text()
    assert '"version": 5' in text
    wrong = {
        "[[0.0, 4.0], [1.0, 0.0]]": ["[[0.0, -4.0], [1.0, 0.0]]", "[[0.0], [1.0, 0.0]]", "3",
                                     "[[0.0, 1.0], [1.0, 0.0]]", "[[1.0, 4.0], [1.0, 0.0]]"],
    }  # fmt: skip
    for old, news in wrong.items():
        assert old in text
        for new in news:
            path.write_text(text.replace(old, new))
            with pytest.raises(ModelError, match=r"decision|hash"):
                bosco.load(path)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"Dont Play": 5}, 'Did you mean "Don\'t Play"'),
        ({"Play": {"Plya": 5}}, "Did you mean 'Play'"),
        ({"Play": -1}, "above 0"),
        ({"Play": {"Play": 2}}, "is right, and costs 0"),
        ([[0, 1, 2]], "a matrix of 2 by 2"),
        ({"Play": float("nan")}, "above 0"),
        ({"Play": "5"}, "above 0"),
    ],
)
def test_costs_are_checked(costs: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        DecisionTreeClassifier(costs=costs).fit(*golf())


def test_what_costs_do_not_go_with() -> None:
    with pytest.raises(ParameterError, match="count twice"):
        DecisionTreeClassifier(costs=COSTS, class_weight="balanced").fit(*golf())
    with pytest.raises(ParameterError, match="Boosting weighs rows by itself"):
        bosco.AdaBoostClassifier(DecisionTreeClassifier(costs=COSTS)).fit(*golf())


def test_words_of_costs() -> None:
    costs = {"a": 5.0, "b": {"c": 2.5, "a": 1.0}}
    assert read_costs(write_costs(costs), "--costs") == costs
    assert cost_table({"1": 5}, [0, 1]) == ((0.0, 1.0), (5.0, 0.0))
    for wrong in ("a", "a=", "=5", "a=x", "a=5,"):
        with pytest.raises(ParameterError, match="--costs takes CLASS=COST"):
            read_costs([wrong], "--costs")


def test_pruning_counts_costs() -> None:
    X, y = mixed(4)
    model = DecisionTreeClassifier(max_depth=6, costs=UNEVEN).fit(X, y).model_
    subject, costs = model.subject(), np.array(UNEVEN)
    leaf = subject.native.test < 0
    said = model.predict(X)
    place = {label: k for k, label in enumerate(model.classes.tolist())}
    paid = sum(costs[place[t], place[k]] for t, k in zip(y, said.tolist(), strict=True))
    assert subject.errors[leaf].sum() == pytest.approx(paid)
    held = subject.held_out(X, y)
    assert held.errors[leaf].sum() == pytest.approx(paid)
    for policy in (
        GeneralizationError(5),
        ReducedError((X, y)),
        CostComplexity(0.01, risk="error"),
    ):
        assert model.prune(policy).n_leaves <= model.n_leaves
    assert "cost" in str(model.prune(GeneralizationError(5)).pruning_log())


@pytest.mark.parametrize("pruning", ["cost_complexity", "pessimistic", "reduced_error"])
def test_fits_prune_by_cost(pruning: str) -> None:
    X, y = mixed(4)
    tree = DecisionTreeClassifier(pruning=pruning, costs=UNEVEN, random_state=0).fit(X, y)
    assert tree.model_.decision.costs is not None
    assert tree.get_n_leaves() >= 1


def test_a_draft_decides_alike() -> None:
    X, y = golf()
    draft = bosco.draft(DecisionTreeClassifier(costs=COSTS), X, y, validation=0, test=0)
    assert draft.model.decision.costs == ((0.0, 4.0), (1.0, 0.0))


def test_many_and_tennis() -> None:
    X, y = play_tennis()
    plain = RandomForestClassifier(9, random_state=0, max_depth=1).fit(X, y)
    told = RandomForestClassifier(9, random_state=0, max_depth=1, costs={"No": 3}).fit(X, y)
    shares = plain.predict_proba(X)
    assert (told.predict_proba(X) == shares).all()
    expected = np.where(shares[:, 1] * 1.0 >= shares[:, 0] * 3.0, "Yes", "No")
    assert told.predict(X).tolist() == expected.tolist()
    assert heaviest(shares).tolist() != told.model_.decision.answers(shares).tolist()
    assert "Costs: No taken for Yes 3" in str(told.model_)
    assert "by cost" in str(told.model_.explain({k: X[k][0] for k in X}))
