"""Boosted trees as a table of points, in words."""

import io

import pytest
from sklearn.datasets import load_wine

import bosco
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


@pytest.mark.parametrize("algorithm", ["discrete", "samme"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_model_gives_the_shares_of_the_estimator(algorithm: str, n_classes: int) -> None:
    X, y = load_wine(return_X_y=True)
    X, y = (X[y < 2], y[y < 2]) if n_classes == 2 else (X, y)
    if n_classes > 2 and algorithm == "discrete":
        return
    boosted = AdaBoostClassifier(n_estimators=7, algorithm=algorithm).fit(X, y)
    kept = io.BytesIO()
    boosted.model_.save(kept, form="json")
    loaded = bosco.load(io.BytesIO(kept.getvalue()))
    assert (loaded.predict_proba(X) == boosted.predict_proba(X)).all()
    assert loaded.predict_proba(X).sum(axis=1) == pytest.approx(1)
