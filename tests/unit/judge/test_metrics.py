"""Metrics by the names that people use, against scikit-learn's functions."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import f1_score, log_loss, precision_score, recall_score, roc_auc_score

from bosco import DecisionTreeClassifier, ParameterError, evaluate, select
from bosco.judge.data import read_data
from bosco.judge.metrics import Metrics
from bosco.judge.runs import inner_edges, run_all
from bosco.judge.selecting import standard_error
from bosco.judge.splits import plan

X, Y = load_breast_cancer(return_X_y=True)
LABELS = np.where(Y == 1, "fine", "ill")
W = np.random.default_rng(0).random(len(Y)) + 0.5
TREE = DecisionTreeClassifier(max_depth=3).fit(X[::2], LABELS[::2])
TEST = (X[1::2], LABELS[1::2])


def score(name: str, weights: Any = None) -> float:
    metrics = Metrics(name, "classification", TREE.classes_)
    return metrics.score(TREE, *TEST, weights, "here")[metrics.names[0]]


@pytest.mark.parametrize("weights", [None, W[1::2]])
def test_by_scikit_learn(weights: Any) -> None:
    said, shares, w = TREE.predict(TEST[0]), TREE.predict_proba(TEST[0]), {"sample_weight": weights}
    truth = TEST[1]
    for name, function in (
        ("f1", f1_score),
        ("recall", recall_score),
        ("precision", precision_score),
    ):
        for label in ("ill", "fine"):
            assert score(f"{name}:{label}", weights) == function(truth, said, pos_label=label, **w)
    assert score("AUC", weights) == roc_auc_score(truth == "ill", shares[:, 1], **w)
    assert score("log loss", weights) == -log_loss(truth, shares, **w)
    missed = np.average((truth == "ill") & (said == "fine"), weights=weights)
    false = np.average((truth == "fine") & (said == "ill"), weights=weights)
    assert score("cost:ill=5", weights) == pytest.approx(-(5 * missed + false))
    assert score("cost:ill=5,fine=2", weights) == pytest.approx(-(5 * missed + 2 * false))


def test_names() -> None:
    names = ["balanced accuracy", "balanced-accuracy", "Accuracy", "log_loss", "auc"]
    assert Metrics(names, "classification", ["a", "b"]).names == (
        "balanced_accuracy",
        "accuracy",
        "neg_log_loss",
        "roc_auc",
    )
    assert Metrics(["mse", "rmse", "mae", "r2"], "regression").names == (
        "neg_mean_squared_error",
        "neg_root_mean_squared_error",
        "neg_mean_absolute_error",
        "r2",
    )
    assert Metrics("auc", "classification", [0, 1, 2]).names == ("roc_auc_ovr",)
    assert Metrics({"mine": "recall:1"}, "classification", [0, 1]).names == ("mine",)
    assert Metrics("f1", "classification", [0, 1]).names == ("f1",)


def test_evaluate_and_select_take_them() -> None:
    wine, y = load_wine(return_X_y=True)
    found = evaluate(TREE, wine, y, repeats=3, metrics=["auc", "recall:2", "cost:1=3"])
    assert list(found.scores) == ["roc_auc_ovr", "recall:2", "neg_cost:1=3"]
    chosen = select(TREE, {"max_depth": [1, 2]}, wine, y, metrics="f1:0")
    assert chosen.metric == "f1:0"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f1", "say which, such as f1:fine"),
        ("recall:il", "Did you mean 'ill'"),
        ("cost", "such as cost:CLASS=5"),
        ("cost:ill=much", "a number, 0 or more"),
        ("cost:ill=-1", "a number, 0 or more"),
        ("cost:il=1", "there are 'fine', 'ill'"),
        ("acuracy", "Did you mean 'accuracy'"),
    ],
)
def test_names_at_fault(name: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        score(name)
    with pytest.raises(ParameterError, match="the target is a number"):
        Metrics("recall:a", "regression")


@pytest.mark.parametrize("groups", [None, np.arange(len(Y)) // 2])
def test_the_standard_error_of_one_part(groups: Any) -> None:
    """Of an accuracy it is about that of a share, whichever rows the blocks happen to hold."""
    data = read_data(X, LABELS, "classification", groups=groups)
    metrics = Metrics("accuracy", "classification", data.classes)
    found = []
    for seed in range(8):
        made = plan(data, "holdout", test_size=0.5, seed=seed)
        runs, _ = run_all([TREE], made, metrics, n_jobs=1, what="", edges=inner_edges(data))
        error = standard_error(TREE, made, metrics, runs[0])
        p, n = runs[0][0].scores["accuracy"], runs[0][0].test_rows
        found.append(error / np.sqrt(p * (1 - p) / n))
        assert error == standard_error(TREE, made, metrics, runs[0])
    assert 0.75 < np.mean(found) < 1.3
