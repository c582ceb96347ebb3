"""Rules of known tables, and the odd cases."""

import itertools
import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

import bosco
from bosco import (
    DataError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ModelError,
    ParameterError,
)
from bosco.datasets import golf, play_tennis
from bosco.models.model import Model
from bosco.rules import extract
from bosco.rules.space import Space

DATA = Path(__file__).parents[4] / "shared" / "data"


def shared(name: str) -> pd.DataFrame:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not beside the project, in ../shared/data")
    return pd.read_csv(DATA / name, dtype=str, keep_default_na=False, na_values=["?"])


def formula(text: str) -> set[frozenset[str]]:
    """A formula as a set of sets of conditions: neither has an order."""
    terms = text.split(" ∨ ")
    return {frozenset(term.removeprefix("(").removesuffix(")").split(" ∧ ")) for term in terms}


@pytest.fixture(scope="module")
def tennis() -> Model:
    return DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_


@pytest.fixture(scope="module")
def wine() -> tuple[Model, pd.DataFrame]:
    X, y = load_wine(return_X_y=True, as_frame=True)
    return DecisionTreeClassifier().fit(X, y).model_, X


# Figures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["id3", "c45"])
@pytest.mark.parametrize("use", ["as grown", "simplified", "unseen"])
def test_play_tennis_has_the_formula_of_the_textbook(algorithm: str, use: str) -> None:
    rules = DecisionTreeClassifier(algorithm=algorithm).fit(*play_tennis()).model_.rules()
    if use == "simplified":
        rules = rules.simplify() if algorithm == "id3" else rules
    if use == "unseen":
        rules = rules.simplify(use_unseen=True)
    assert formula(rules.to_dnf("Yes", missing=False)) == {
        frozenset({"Outlook = Sunny", "Humidity = Normal"}),
        frozenset({"Outlook = Overcast"}),
        frozenset({"Outlook = Rain", "Wind = Weak"}),
    }


@pytest.mark.parametrize("algorithm", ["id3", "c45"])
def test_golf_has_the_formula_of_the_textbook(algorithm: str) -> None:
    rules = DecisionTreeClassifier(algorithm=algorithm).fit(*golf()).model_.rules()
    for some in (rules, rules.simplify(use_unseen=True)):
        assert formula(some.to_dnf("Play", missing=False)) == {
            frozenset({"outlook = sunny", "humidity ≤ 77.5"}),
            frozenset({"outlook = overcast"}),
            frozenset({"outlook = rain", "windy = false"}),
        }


@pytest.fixture(scope="module")
def monks() -> Model:
    """monks-1 on its whole space of 432 rows: a1 = a2 or a5 = 1."""
    rows = list(itertools.product(*(range(1, n + 1) for n in (3, 3, 2, 3, 4, 2))))
    X = {f"a{i + 1}": [str(row[i]) for row in rows] for i in range(6)}
    y = ["yes" if row[0] == row[1] or row[4] == 1 else "no" for row in rows]
    return DecisionTreeClassifier(algorithm="id3").fit(X, y).model_


def test_monks_1_has_the_formula_of_the_textbook(monks: Model) -> None:
    wanted = {
        *(frozenset({f"a1 = {i}", f"a2 = {i}"}) for i in (1, 2, 3)),
        frozenset({"a5 = 1"}),
    }
    rules = monks.rules()
    assert len(rules) == 28
    for use_unseen in (False, True):
        short = rules.simplify(use_unseen=use_unseen)
        assert formula(short.to_dnf("yes", missing=False)) == wanted
        assert set(short.report.proved) == {"yes", "no"}


def test_monks_1_as_a_list(monks: Model) -> None:
    short = monks.rules().simplify(decision_list=True, use_unseen=True)
    assert [rule.answer for rule in short] == ["yes"] * 4
    assert short.to_text().splitlines()[-1] == "else no"
    assert short.equivalent_to(monks)
    with pytest.raises(ParameterError, match="decision list is not a formula"):
        short.to_dnf()


def test_mushroom_needs_few_terms() -> None:
    X = shared("mushroom.csv")
    y = X.pop("class")
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    assert (model.predict(X) == y).all()
    short = model.rules().simplify()
    assert len(short.of_answer("p")) <= 6
    assert (short.predict(X) == y).all()


def test_car_gets_shorter() -> None:
    X = shared("car.csv")
    y = X.pop("class")
    rules = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_.rules()
    short = rules.simplify()
    assert len(rules) == 296
    assert len(short) <= 62
    assert (short.predict(X) == y).all()


def test_a_thousand_leaves_in_ten_seconds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(6000) < 0.3)
    model = DecisionTreeClassifier(max_leaf_nodes=1000).fit(X, y).model_
    assert model.n_leaves == 1000
    begin = time.process_time()
    rules = model.rules()
    assert rules.equivalent_to(model)
    short = rules.simplify()
    assert time.process_time() - begin < 10
    assert (short.predict(X) == model.predict(X)).all()
    assert "not proved" in str(short.report)


# Rules -------------------------------------------------------------------------------------------


def test_a_rule_says_what_stands_behind_it(tennis: Model) -> None:
    rules = tennis.rules()
    assert sum(rule.support or 0 for rule in rules) == 14
    for rule in rules:
        (leaf,) = rule.leaves
        assert rule.support == tennis.tree.n_node_samples[leaf]
        assert rule.confidence == tennis.tree.native.value[leaf].max()
        assert rule.value == tuple(tennis.tree.native.value[leaf])


def test_support_is_kept_for_whole_leaves_only() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "yes"]
    short = DecisionTreeClassifier(missing="error").fit(X, y).model_.rules().simplify()
    assert {rule.support for rule in short.of_answer("no")} == {1.0}
    assert None in {rule.support for rule in short.of_answer("yes")}
    counted = short.measured(X, y)
    assert sorted(rule.support for rule in counted) == [1.0, 2.0, 2.0]
    assert {rule.confidence for rule in counted} == {1.0}
    assert short.measured(X, ["no"] * 4)[0].confidence == 1.0
    with pytest.raises(DataError, match="4 rows"):
        short.measured(X, ["no"])


def test_rules_of_one_leaf() -> None:
    model = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]).model_
    rules = model.rules()
    assert rules.to_text() == "always a · 2 rows"
    assert rules.to_dnf("a") == "⊤"
    assert rules.to_latex("a") == r"\top"
    assert rules.simplify().equivalent_to(model)
    assert rules.predict([[math.nan]]).tolist() == ["a"]
    assert bosco.diff(model, model).equal


def test_numbers_have_one_rule_per_leaf() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(max_leaf_nodes=20).fit(X, y).model_
    rules = model.rules()
    assert len(rules) == 20
    assert (rules.predict(X) == model.predict(X)).all()
    assert rules.simplify().equivalent_to(model)
    assert rules[0].confidence is None
    assert rules[0].support is not None


def test_single_precision_rows_are_compared_as_doubles() -> None:
    X = np.array([[0.1], [0.3]], dtype=np.float32)
    model = DecisionTreeClassifier(threshold="observed").fit(X, [0, 1]).model_
    near = np.array([[0.1], [np.nextafter(np.float32(0.1), np.float32(1))]], dtype=np.float32)
    assert (model.rules().predict(near) == model.predict(near)).all()
    assert model.rules().predict(near).tolist() == [0, 1]


def test_missing_values_can_be_left_out() -> None:
    model = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    known = model.rules(missing=False)
    assert len(known) == 5 < len(model.rules())
    row = {"outlook": [None], "temperature": [70], "humidity": [80], "windy": [True]}
    with pytest.raises(DataError, match="outlook"):
        known.predict(row)
    assert model.rules().predict(row).tolist() == model.predict(row).tolist()
    # What one of them refuses is not compared.
    assert known.equivalent_to(model)


def test_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DecisionTreeClassifier(algorithm="c45").fit(*golf()).model_
    space = Space(model.schema, extract.conditions_of(model.tree))
    ways = extract.ways(extract.Walk(model.tree, space))
    assert ways is not None
    assert len(ways) == len(model.rules()) > 5
    assert extract.ways(extract.Walk(model.tree, space), most=5) is None
    assert extract.ways(extract.Walk(model.tree, space), steps=5) is None
    monkeypatch.setattr(extract.ways, "__defaults__", (5, 100))
    with pytest.raises(ModelError, match=r"several ways.*rules\(missing=False\)"):
        model.rules()


def test_ten_thousand_levels() -> None:
    names = [f"level {i}" for i in range(10_000)]
    y = ["even" if i % 2 == 0 else "odd" for i in range(10_000)]
    with pytest.warns(bosco.errors.IdentifierWarning):
        model = DecisionTreeClassifier(algorithm="id3").fit({"id": names}, y).model_
    rules = model.rules()
    assert len(rules) == 10_000
    merged_rules = rules.simplify()
    assert len(merged_rules) == 2
    assert merged_rules.predict({"id": ["level 3", "level 4"]}).tolist() == ["odd", "even"]


# Writing -----------------------------------------------------------------------------------------


def test_text_markdown_latex_and_dict(tennis: Model) -> None:
    rules = tennis.rules()
    assert rules.to_text().splitlines()[:2] == [
        "if Outlook = Overcast then Yes · 4 rows",
        "if Outlook = Rain * and Wind = Strong then No · 2 rows",
    ]
    assert rules.to_dnf("No", ascii=True, missing=False) == (
        "(Outlook = Rain and Wind = Strong) or (Outlook = Sunny and Humidity = High)"
    )
    assert "| Outlook = Overcast | Yes | 4 | 100 % |" in rules.to_markdown()
    assert rules.to_latex("No", missing=False) == (
        r"(\text{Outlook} = \text{Rain} \land \text{Wind} = \text{Strong}) \lor "
        r"(\text{Outlook} = \text{Sunny} \land \text{Humidity} = \text{High})"
    )
    assert rules.to_latex().startswith("\\begin{aligned}")
    plain = json.loads(json.dumps(rules.to_dict()))
    assert plain["rules"][0]["conditions"] == [
        {"column": "Outlook", "missing": False, "levels": ["Overcast"]}
    ]


def test_numbers_in_latex_and_ascii() -> None:
    X = {"a_b": [1e-30, 2.0, 3.0], "ü|": ["x", "y", "y"]}
    model = DecisionTreeClassifier(threshold="observed").fit(X, ["p", "q", "r"]).model_
    rules = model.rules(missing=False)
    assert (
        r"\text{a\_b} \leq 1 \cdot 10^{-30}" in rules.to_latex()
        or r"\text{a\_b}" in rules.to_latex()
    )
    assert rules.to_text(ascii=True).isascii()
    by_level = DecisionTreeClassifier(algorithm="id3").fit({"ü|": X["ü|"]}, ["p", "q", "q"]).model_
    assert r"ü\|" in by_level.rules().to_markdown()


@pytest.mark.parametrize("bad", ["Yess", 3])
def test_unknown_answers_are_refused(tennis: Model, bad: Any) -> None:
    rules = tennis.rules()
    for call in (rules.to_dnf, rules.to_latex, rules.of_answer):
        with pytest.raises(ParameterError, match="no rules for"):
            call(bad)
    with pytest.raises(ParameterError, match="Did you mean 'Yes'"):
        rules.to_dnf("Yess")


def test_unseen_must_be_known(tennis: Model) -> None:
    rules = tennis.rules()
    with pytest.raises(ParameterError, match="Did you mean 'Wind'"):
        rules.simplify(use_unseen=["Wnd"])
    silent = replace(rules, never_missing=None)
    with pytest.raises(ParameterError, match="name the columns"):
        silent.simplify(use_unseen=True)
    named = silent.simplify(use_unseen=["Outlook", "Wind", "Humidity", "Temperature"])
    assert "missing" not in named.to_dnf()
    assert named.predict({k: [None] for k in play_tennis()[0]}).tolist() == ["Yes"]


def test_wine_rules_on_boundaries(wine: tuple[Model, pd.DataFrame]) -> None:
    model, X = wine
    rng = np.random.default_rng(0)
    rows = X.sample(500, replace=True, random_state=0).to_numpy().copy()
    inner = np.flatnonzero(model.tree.feature >= 0)
    for row in rows:
        node = rng.choice(inner)
        cut = model.tree.threshold[node]
        row[model.tree.feature[node]] = rng.choice([cut, np.nextafter(cut, np.inf), np.nan, np.inf])
    table = pd.DataFrame(rows, columns=X.columns)
    rules = model.rules()
    assert (rules.predict(table) == model.predict(table)).all()
    assert (rules.simplify().predict(table) == model.predict(table)).all()


def test_a_rule_claims_no_rows_that_came_in_shares() -> None:
    """Of a leaf into which rows with a missing value came in shares, the rule holds for others."""
    rng = np.random.default_rng(4)
    u = rng.integers(0, 5, 60).astype(float)
    X = {"u": np.where(rng.random(60) < 0.2, np.nan, u), "v": rng.integers(0, 3, 60).astype(float)}
    y = np.where((u > 2) ^ (rng.random(60) < 0.2), "a", "b")
    model = DecisionTreeClassifier(missing="fractional", max_depth=3).fit(X, y).model_
    rules = model.rules()
    assert any(rule.support is None for rule in rules)
    for said, found in zip(rules, rules.measured(X, y), strict=True):
        assert said.support in (None, found.support)
    assert {rule.support for rule in model.rules(missing=False)} == {None}
    whole = DecisionTreeClassifier(missing="fractional").fit({"v": X["v"]}, y).model_
    assert all(rule.support is not None for rule in whole.rules(missing=False))


def test_a_table_says_why_a_rule_has_no_figures() -> None:
    model = DecisionTreeClassifier().fit([[0, 0], [0, 1], [1, 0], [1, 1]], list("nnny")).model_
    said = "Of a rule without figures only rows can tell how many it holds for."
    before, after = (found.tables()[0] for found in (model.rules(), model.rules().simplify()))
    assert not str(before.caption).endswith(said)
    assert [row[2] for row in after.rows] == ["2", "", "1"]
    assert str(after.caption).endswith(f"training had none in x0, x1. {said}")
