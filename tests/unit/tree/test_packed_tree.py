"""Large trees are packed: they answer as they are, and unfold when their arrays are asked for."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bosco import DecisionTreeClassifier, DecisionTreeRegressor, _core
from bosco.tree.tree import Tree

ROWS = 140_000  # trees on more than 2 ** 17 rows are packed


def table(dtype: Any = np.float32) -> NDArray[Any]:
    X = np.random.default_rng(0).standard_normal((ROWS, 3)).astype(dtype)
    X[::17, 1] = np.nan
    return X


def packed(tree: Tree) -> bool:
    return tree._packed is not None


@pytest.fixture(scope="module")
def fitted() -> tuple[NDArray[Any], DecisionTreeRegressor, DecisionTreeRegressor]:
    X = table()
    y = np.nan_to_num(X).sum(axis=1) + np.random.default_rng(1).standard_normal(ROWS)
    lean = DecisionTreeRegressor(n_jobs=2, record=False).fit(X, y)
    wide = DecisionTreeRegressor(n_jobs=1, record=False).fit(X, y)
    assert packed(wide.tree_)
    assert wide.tree_.native.n_nodes == wide.tree_.node_count  # unfolds
    assert not packed(wide.tree_)
    return X, lean, wide


def test_a_packed_tree_answers_without_unfolding(fitted: Any) -> None:
    X, lean, wide = fitted
    assert packed(lean.tree_)
    assert lean.get_n_leaves() == wide.get_n_leaves()
    assert lean.tree_.node_count == wide.tree_.node_count
    assert lean.get_depth() == wide.get_depth()
    assert repr(lean.model_) == repr(wide.model_)
    for rows in (X[:5000], X[:5000].astype(np.float64), np.asfortranarray(X[:5000]), X[:3]):
        assert np.array_equal(lean.predict(rows), wide.predict(rows))
        assert np.array_equal(lean.apply(rows), wide.apply(rows))
    assert packed(lean.tree_)


def test_a_packed_tree_is_small(fitted: Any) -> None:
    tree = fitted[1].tree_
    assert packed(tree)
    assert tree._packed.n_bytes < 26 * tree.node_count


def test_unfolded_it_is_the_same_tree(fitted: Any) -> None:
    _, lean, wide = fitted
    assert Tree(lean.tree_._packed, 3) == wide.tree_


def test_pickles_unfold() -> None:
    X = table()
    grown = DecisionTreeRegressor(record=False, max_depth=9).fit(X, np.nan_to_num(X).sum(axis=1))
    assert packed(grown.tree_)
    copy = pickle.loads(pickle.dumps(grown))
    assert not packed(copy.tree_)
    assert copy.tree_ == grown.tree_


def test_columns_of_several_types_are_routed_as_it_is() -> None:
    pd = pytest.importorskip("pandas")
    X = table()
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.float64), "c": np.arange(ROWS) % 97})
    y = np.random.default_rng(2).integers(0, 3, ROWS)
    grown = DecisionTreeClassifier(record=False).fit(frame, y)
    assert packed(grown.tree_)
    assert grown.score(frame, y) == 1.0
    assert packed(grown.tree_)


def test_shares_of_classes_come_from_the_leaves() -> None:
    X = table()
    y = (X[:, 0] + np.random.default_rng(3).standard_normal(ROWS) > 0).astype(int)
    grown = DecisionTreeClassifier(record=False, min_samples_leaf=20).fit(X, y)
    shares = grown.predict_proba(X[:9000])
    assert packed(grown.tree_)
    assert np.array_equal(shares, grown.tree_.native.value[grown.apply(X[:9000])])
    assert np.array_equal(shares, grown.predict_proba(X[:9000]))
    mixed = _core.values_by_share(
        grown.tree_.native, grown.model_.read(X[:9000]).native, grown.tree_.native.value
    )
    assert np.array_equal(shares, mixed)


def test_importances_depth_and_pruning_unfold() -> None:
    X = table()
    y = np.nan_to_num(X).sum(axis=1) + np.random.default_rng(4).standard_normal(ROWS)
    pruned = DecisionTreeRegressor(record=False, max_depth=9, ccp_alpha=0.01).fit(X, y)
    plain = DecisionTreeRegressor(record=False, max_depth=9).fit(X, y)
    assert pruned.get_n_leaves() < plain.get_n_leaves() <= 512
    assert plain.get_depth() == 9
    assert plain.feature_importances_.sum() == pytest.approx(1)
