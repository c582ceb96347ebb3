"""Trained models as hashes: the same data give the same bits as when the file was written.

After a change that is meant to change models, write the file anew and say why in the changelog:
``python -m tests.test_golden``
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import datasets

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, loans, play_tennis
from bosco.tree.tree import Tree

GOLDEN = Path(__file__).parent / "golden" / "models.json"


def grid(n: int = 400, holes: bool = False, seed: int = 0) -> tuple[Any, Any]:
    """Numbers and levels from whole-number arithmetic alone: the same on every machine."""
    state = np.uint64(seed + 1)
    X = np.empty((n, 6))
    for i in range(n):
        for j in range(6):
            state = np.uint64((int(state) * 6364136223846793005 + 1442695040888963407) % 2**64)
            X[i, j] = (int(state) >> 40) % (3, 7, 50, 1000, 2**20, 2**24)[j] / 16
    y = ((X[:, 2] > 1.5).astype(int) + (X[:, 3] > 20) * (X[:, 0] > 0)).astype(int)
    if holes:
        X[::7, 2] = np.nan
        X[3::11, 3] = np.nan
    table: dict[str, Any] = {f"x{j}": X[:, j] for j in range(2, 6)}
    table["a"] = ["pqr"[int(v * 16)] for v in X[:, 0]]
    table["b"] = [None if i % 13 == 5 and holes else "stuvwxy"[int(v * 16)]
                  for i, v in enumerate(X[:, 1])]  # fmt: skip
    return table, y


def classifier(data: tuple[Any, Any], **settings: Any) -> Tree:
    tree: Tree = DecisionTreeClassifier(**settings).fit(*data).tree_
    return tree


def regressor(data: tuple[Any, Any], **settings: Any) -> Tree:
    tree: Tree = DecisionTreeRegressor(**settings).fit(*data).tree_
    return tree


def real(data: tuple[Any, Any]) -> tuple[Any, Any]:
    return data[0], data[1] * 2.5 + np.asarray(data[0]["x4"]) / 1024


CASES: dict[str, Callable[[], Tree]] = {
    "play_tennis id3": lambda: classifier(play_tennis(), algorithm="id3"),
    "play_tennis c45": lambda: classifier(play_tennis(), algorithm="c45"),
    "golf cart": lambda: classifier(golf()),
    "golf c45": lambda: classifier(golf(), algorithm="c45"),
    "loans stump": lambda: classifier(loans(), algorithm="stump"),
    "iris cart": lambda: classifier(datasets.load_iris(return_X_y=True)),
    "wine cart": lambda: classifier(datasets.load_wine(return_X_y=True)),
    "wine hunt": lambda: classifier(datasets.load_wine(return_X_y=True), algorithm="hunt"),
    "wine sqrt": lambda: classifier(datasets.load_wine(return_X_y=True), criterion="sqrt"),
    "breast_cancer entropy": lambda: classifier(
        datasets.load_breast_cancer(return_X_y=True), criterion="entropy"
    ),
    "digits best_first": lambda: classifier(
        datasets.load_digits(return_X_y=True), max_leaf_nodes=60
    ),
    "diabetes cart": lambda: regressor(datasets.load_diabetes(return_X_y=True)),
    "grid cart": lambda: classifier(grid()),
    "grid id3": lambda: classifier(grid(), algorithm="id3"),
    "grid c45": lambda: classifier(grid(holes=True), algorithm="c45"),
    "grid c45, unpruned": lambda: classifier(grid(holes=True), algorithm="c45", pruning="none"),
    "grid learn": lambda: classifier(grid(holes=True)),
    "grid surrogate": lambda: classifier(grid(holes=True), missing="surrogate"),
    "grid majority": lambda: classifier(grid(holes=True), missing="majority", order="breadth"),
    "grid branch": lambda: classifier(grid(holes=True), missing="branch", nominal_test="multiway"),
    "grid groups": lambda: classifier(
        grid(holes=True), numeric_test="intervals", nominal_test="group", score="gain_ratio"
    ),
    "grid round": lambda: classifier(grid(), threshold="round", nominal_test="one_vs_rest"),
    "grid random": lambda: classifier(
        grid(), splitter="random", max_features="sqrt", random_state=7
    ),
    "grid regression": lambda: regressor(real(grid(holes=True))),
    "grid poisson": lambda: regressor(real(grid(holes=True)), criterion="poisson"),
    "diabetes medians": lambda: regressor(
        datasets.load_diabetes(return_X_y=True), criterion="absolute_error", min_samples_leaf=5
    ),
    "grid deciles": lambda: regressor(
        real(grid(holes=True)), criterion="quantile", quantile=0.9, max_depth=8
    ),
    "diabetes poisson": lambda: regressor(
        datasets.load_diabetes(return_X_y=True), criterion="poisson", min_samples_leaf=5
    ),
    "grid regression, shares": lambda: regressor(real(grid(holes=True)), missing="fractional"),
    "grid monotone": lambda: regressor(real(grid()), monotonic_cst={"x2": 1, "x3": -1}),
    "grid pruned": lambda: classifier(grid(seed=3), ccp_alpha=0.01),
}


@pytest.mark.parametrize("name", CASES)
def test_models_have_not_changed(name: str) -> None:
    golden = json.loads(GOLDEN.read_text())
    assert name in golden, "a new case: write the file anew"
    tree = CASES[name]()
    found = {"nodes": tree.node_count, "leaves": tree.n_leaves, "sha256": tree.digest()}
    assert found == golden[name]


def test_the_file_holds_no_others() -> None:
    assert set(json.loads(GOLDEN.read_text())) == set(CASES)


def write() -> None:
    """Grow all cases and write their hashes."""
    trees = {name: grow() for name, grow in CASES.items()}
    hashes = {
        name: {"nodes": t.node_count, "leaves": t.n_leaves, "sha256": t.digest()}
        for name, t in trees.items()
    }
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(json.dumps(hashes, indent=2) + "\n")


if __name__ == "__main__":
    write()
