"""Learners that the core cannot boost: what is said of them, and what they say."""

import re
import warnings
from typing import Any

import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from bosco import AdaBoostClassifier, DataError, DecisionTreeClassifier


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"class_weight": "balanced"}, "class_weight='balanced'"),
        ({"ccp_alpha": 0.01}, "ccp_alpha=0.01"),
        ({"pruning": "cost_complexity"}, "pruning='cost_complexity'"),
        ({"algorithm": "c45", "pruning": "none"}, "missing='fractional'"),
    ],
)
def test_trees_that_make_no_table_of_points_say_why(settings: dict[str, Any], why: str) -> None:
    X, y = make_classification(200, random_state=0)
    fitted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1, **settings), n_estimators=2)
    with pytest.raises(AttributeError, match=re.escape(f"Here they have {why}.")):
        _ = fitted.fit(X, y).model_
    other = AdaBoostClassifier(GaussianNB(), n_estimators=2).fit(X, y)
    with pytest.raises(AttributeError, match=r"Here a learner is GaussianNB\."):
        _ = other.model_


def test_what_a_learner_says_of_itself_is_not_said_of_the_table() -> None:
    X, y = make_classification(60, random_state=0)
    weak = AdaBoostClassifier(LogisticRegression(penalty="l1", solver="lbfgs"), n_estimators=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DataError, match="LogisticRegression could not be fitted:") as caught:
            weak.fit(X, y)
    assert "table" not in str(caught.value)
