"""The first screen of a report: every number in its sentences, counted again from the rows."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine, make_classification

import bosco
from bosco.datasets import golf
from bosco.rules.written import written
from tests.unit.reporting.test_reporting import Reader


def short(report: Any) -> str:
    """The text of the first screen."""
    found = re.search(r'<div class="short".*?</div>', str(report), re.S)
    assert found is not None
    return Reader(re.sub(r"</(p|li|h2)>", r" </\1>", found[0])).text.replace("\u00a0", " ")


def wine() -> Any:
    data = load_wine(as_frame=True)
    y = data.target_names[data.target]
    clf = bosco.DecisionTreeClassifier(max_depth=3).fit(data.data[::2], y[::2])
    return clf.model_, data.data, y


def test_what_it_decides_and_from_how_many_rows() -> None:
    model, X, y = wine()
    text = short(model.report())
    assert "The model predicts the class of a case: class_0, class_1 or class_2." in text
    asked = {t.column for node in range(model.tree.node_count) if (t := model.tree.test(node))}
    assert f"It looks at {len(asked)} of 13 columns: " in text
    counts = pd.Series(y[::2]).value_counts()
    said = [f"{n} {label}" for label, n in counts.items()]
    assert f"It learned from 89 rows: {', '.join(said[:2])} and {said[2]}." in text
    assert f"a tree of {model.n_leaves} leaves: a case is asked 3 questions at most" in text
    assert "given no rows to judge it by" in text
    assert "Nothing on this page tells how it does on other rows." in text
    del X


def test_how_good_it_is_and_on_which_rows() -> None:
    model, X, y = wine()
    test, truth = X[1::2], y[1::2]
    text = short(model.report(test, truth, untouched=True))
    guess = model.predict(test)
    wrong, idle = 100 * np.mean(guess != truth), 100 * np.mean(truth != "class_1")
    assert f"Of the 89 rows set apart to test it, it gets {wrong:.1f} % wrong (95 % inter" in text
    assert f"Always saying class_1 would get {idle:.1f} % wrong." in text
    for label in np.unique(y):
        n = int(np.sum(truth == label))
        share = 100 * np.mean(guess[truth == label] == label)
        said = "100" if share == 100 else f"{share:.1f}"
        assert f"{said} % of the {n} that are {label}" in text
    assert "no test" not in text


def test_numbers() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    y.name = "progression"
    model = bosco.DecisionTreeRegressor(max_depth=3).fit(X[::2], y[::2]).model_
    text = short(model.report(X[1::2], y[1::2], untouched=True))
    off = np.abs(model.predict(X[1::2]) - y[1::2]).mean()
    assert f"it is {off:.2f} off on average" in text
    assert f"would be {np.abs(y[1::2] - y[::2].mean()).mean():.2f} off." in text
    assert f"whose mean is {y[::2].mean():.1f}" in text


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_strongest_rules_are_true_of_the_rows(weight: str | None) -> None:
    X, y = make_classification(400, 5, weights=[0.8], random_state=1)
    frame = pd.DataFrame(X, columns=list("abcde"))
    clf = bosco.DecisionTreeClassifier(max_depth=3, class_weight=weight).fit(frame, y)
    text = short(clf.model_.report())
    said = re.findall(r"If (.*?): (\d), as were ([\d.]+) % of ([\d,]+) rows", text)
    shares = re.findall(r"\(([\d.]+) % by weight\)", text)
    assert len(shares) == (len(said) if weight else 0)
    factor = np.where(y == 1, np.sum(y == 0) / np.sum(y == 1), 1.0)  # balanced
    assert 2 <= len(said) <= 3
    strengths = []
    for conditions, answer, share, rows in said:
        held = np.ones(len(y), bool)
        for condition in conditions.split(" and "):
            parts = condition.replace("<", " < ").replace("≤", " ≤ ").split()
            if len(parts) == 3:
                name, sign, edge = parts
                low, high = (float(edge), np.inf) if sign == ">" else (-np.inf, float(edge))
            else:
                low, _, name, _, high = parts
                low, high = float(low), float(high)
            held &= (frame[name] > low) & (frame[name] <= high)
        assert int(rows.replace(",", "")) == held.sum()
        right = y[held] == int(answer)
        assert float(share) == pytest.approx(100 * right.mean(), abs=0.051)
        if weight:
            by_weight = np.average(right, weights=factor[held])
            assert float(shares[len(strengths)]) == pytest.approx(100 * by_weight, abs=0.051)
        strengths.append(held.sum() * (right.mean() - np.mean(y == int(answer))))
    assert strengths == sorted(strengths, reverse=True)


def test_what_to_beware_of() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 9, 300), "b": rng.integers(0, 9, 300)})
    y = np.where(rng.random(300) < 0.8, "often", "seldom")
    model = bosco.DecisionTreeClassifier(max_depth=6).fit(X[:200], y[:200]).model_
    text = short(model.report(X[200:], y[200:], untouched=True))
    assert "o better than always saying often" in text or "Worse than always" in text
    assert "It misses more than half of one class" in text
    weak = len(model.leaves().weak)
    assert weak
    assert f"{weak} {'leaf' if weak == 1 else 'leaves'} of {model.n_leaves} rest" in text
    seen = short(model.report(X[:200], y[:200]))
    assert "It was judged by rows that it learned from, which is no test." in seen
    assert "of 200 rows that equal training rows" in seen.lower()


def test_near_ties_and_unsteady_questions() -> None:
    X = {"a": [0, 0, 0, 1, 1, 1] * 5, "b": [0, 0, 0, 1, 1, 1] * 5}
    y = [0, 0, 1, 1, 1, 1] * 5
    clf = bosco.DecisionTreeClassifier()
    model = clf.fit(X, y).model_
    assert "Its first question (a ≤ 0.5) was nearly another (b ≤ 0.5)" in short(model.report())
    noise = np.random.default_rng(0).random((60, 30))
    target = np.random.default_rng(2).integers(0, 2, 60)
    steady = bosco.stability(clf, noise, target, repeats=20)
    assert steady.root_same < 0.5
    text = short(bosco.report(clf.fit(noise, target), stability=steady))
    assert f"comes back in {100 * steady.root_same:.1f} % of the samples only" in text


def test_oddities_of_the_table_are_repeated(tmp_path: Any) -> None:
    path = tmp_path / "odd.csv"
    ages = [*range(20, 60)] * 5 + [455]
    path.write_text("age,kind\n" + "".join(f"{a},{'a' if a % 3 else 'b'}\n" for a in ages))
    table = bosco.tables.read_file(path)
    model = bosco.DecisionTreeClassifier(max_depth=2).fit(
        {"age": ages}, ["a" if a % 3 else "b" for a in ages]
    )
    text = short(bosco.report(model, understanding=table.understanding))
    assert "age: " in text
    assert "455" in text


def test_one_leaf_and_many_trees_have_a_first_screen_too() -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    one = bosco.DecisionTreeClassifier().fit(X, ["a"] * len(X))
    assert "It asks nothing: every case gets the same answer." in short(bosco.report(one))
    forest = bosco.RandomForestClassifier(10, random_state=0).fit(X[::2], y[::2])
    text = short(bosco.report(forest, X[1::2], y[1::2]))
    assert "It is a forest of 10 trees with " in text
    assert "learned from 89 rows" in text
    assert "points of accuracy less." in text
    boosted = bosco.AdaBoostClassifier(n_estimators=8, random_state=0).fit(X[::2], y[::2])
    text = short(bosco.report(boosted))
    assert "rounds of boosting, learned from 89 rows" in text
    assert "its answers move up to " in text


def test_a_rule_that_was_never_written_is_not_told() -> None:
    """Rules left out of the page, for being too many, are left out of its first screen."""
    X, y = make_classification(3000, 5, flip_y=0.4, random_state=0)
    model = bosco.DecisionTreeClassifier().fit(X, y).model_
    found = written(model, most=10)
    assert found.before is not None
    assert "Its strongest rules" in short(model.report(rules=found))


def test_a_weighted_judgement_says_so_and_all_of_it_is_weighted() -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = bosco.DecisionTreeRegressor(max_depth=3).fit(X[::2], y[::2]).model_
    weight = np.random.default_rng(0).random(221) ** 4 + 0.01
    found = model.judge(X[1::2], y[1::2], weight)
    page = model.report(X[1::2], y[1::2], judged=found)
    off = np.abs(model.predict(X[1::2]) - y[1::2])
    mean = np.average(off, weights=weight)
    assert f"By weight, on 221 rows that equal no training row, it is {mean:.2f} off" in short(page)
    text = Reader(str(page)).text
    assert f"weighted mean absolute error{mean:.2f}{found.whole.low:.2f} to " in text
    root = np.sqrt(np.average(off**2, weights=weight))
    assert f"weighted root of the mean squared error{root:.2f}–" in text


def test_no_better_than_a_constant_is_worth_a_warning_however_it_was_judged() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.where(rng.random(200) < 0.7, "good", "bad")
    tree = bosco.DecisionTreeClassifier(max_depth=3)
    found = bosco.evaluate(tree, X, y, method="k_fold", folds=5)
    assert found.no_better
    text = short(bosco.report(tree.fit(X, y), evaluation=found))
    assert "found anything to warn of" not in text
    assert all(line in text for line in found.no_better)
    assert f"; always saying good: {found['accuracy'].constant:.3g}" in text


@pytest.mark.parametrize("labels", [("yes", "no"), (True, False), (1.0, 0.0)])
def test_the_strongest_rules_do_not_hang_on_how_labels_are_spelled(labels: Any) -> None:
    g = np.repeat(np.arange(7.0), [40, 9, 41, 8, 42, 7, 43])
    y = np.where(g % 2 == 1, *labels)
    text = short(bosco.DecisionTreeClassifier().fit({"g": g}, y).model_.report())
    label = "1" if labels[0] == 1.0 and labels[0] is not True else str(labels[0])
    said = re.findall(r"If (\S+) < g ≤ \S+: (\w+), as were 100 % of (\d) rows", text)
    assert said == [("0.5", label, "9"), ("2.5", label, "8"), ("4.5", label, "7")]


def test_stand_ins_are_looked_at_too() -> None:
    X = {"a": [1, 2, 3, 4, 5, 6, 7, 8, None, 9] * 4, "b": [*range(1, 11)] * 4}
    y = (["n"] * 5 + ["y"] * 5) * 4
    model = bosco.DecisionTreeClassifier(missing="surrogate", max_depth=1).fit(X, y).model_
    text = short(model.report())
    assert "It looks at 2 columns: b and a." in text
    assert "a case is asked 1 question at most, and others where a value is missing." in text


def test_what_comes_back_is_the_column_of_the_first_question() -> None:
    noise = np.random.default_rng(0).random((60, 30))
    target = np.random.default_rng(2).integers(0, 2, 60)
    clf = bosco.DecisionTreeClassifier()
    steady = bosco.stability(clf, noise, target, repeats=20)
    text = short(bosco.report(clf.fit(noise, target), stability=steady))
    share = f"{100 * steady.root_same:.1f} %"
    assert f"The column of its first question comes back in {share} of the samples only" in text


def test_one_column_is_one() -> None:
    model = bosco.DecisionTreeClassifier().fit({"v": np.arange(9.0)}, [1] * 9).model_
    assert "There is 1 column to ask about." in short(model.report())


def test_how_it_decides_is_no_warning() -> None:
    """Costs are a part of what it decides; leaves that answer by them are to beware of."""
    X, y = golf()
    tree = bosco.DecisionTreeClassifier(max_depth=1, costs={"Don't Play": {"Play": 4}}).fit(X, y)
    html = tree.model_.report().html
    decides, rest = html.split("<h2>How well it does</h2>", 1)
    told = "The answer is the class of the least expected cost."
    assert told in decides
    beware = rest[rest.index("<h2>Beware</h2>") :].split("</section>", 1)[0]
    assert told not in beware
    assert "1 leaf answers by cost: another class than most of its rows are." in beware
    forest = bosco.RandomForestClassifier(3, random_state=0, costs={"Don't Play": {"Play": 4}})
    assert told in forest.fit(X, y).model_.report().html.split("<h2>How well it does</h2>", 1)[0]
