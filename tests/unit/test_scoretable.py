"""Boosted trees as a table of points, in words."""

from bosco import AdaBoostClassifier
from bosco.datasets import loans


def test_the_table_as_text() -> None:
    X, y = loans()
    table = AdaBoostClassifier(n_estimators=6).fit(X, y).model_
    text = str(table)
    assert text.startswith("4 questions from 6 rounds; safe if the points sum to 0 or more")
    assert "income = low *  -0.7332" in text
    assert table.predict({"income": "high", "reputation": "excellent", "term": "3"}) == "safe"
    assert repr(table) == "<ScoreTable: 4 questions, 2 classes>"
    three = AdaBoostClassifier(n_estimators=3).fit([[0], [1], [2]] * 3, ["a", "b", "c"] * 3)
    assert "the class with the most points" in str(three.model_)
