"""Pruning a tree that people changed: what they did moves with its nodes, or stands in the way."""

from dataclasses import replace

import numpy as np
import pytest

from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf
from bosco.errors import ModelError
from bosco.models.model import Model
from bosco.pruning import CostComplexity, ReducedError
from bosco.tree.edits import ByHand, Edits, Order
from tests.edited import inner, leaves, log_of, ordered


def grown() -> Model:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3) * (rng.random(200) < 0.8)
    model: Model = DecisionTreeClassifier(max_depth=4).fit(X, y).model_
    return model


def everywhere(model: Model) -> Model:
    """A note at every node that says its number, every test by hand."""
    chosen = {node: ByHand("", 0.0, str(node)) for node in inner(model)}
    notes = {node: str(node) for node in range(model.tree.node_count)}
    return replace(model, edits=Edits(chosen, {}, notes, frozenset(), log_of("open")))


@pytest.mark.parametrize("alpha", [0.0, 0.005, 0.02, 0.1, 1.0])
def test_edits_move_with_their_nodes(alpha: float) -> None:
    model = everywhere(grown())
    pruned = model.prune(CostComplexity(alpha=alpha))
    assert len(pruned.edits.notes) == pruned.tree.node_count
    for new, old in pruned.edits.notes.items():
        assert (pruned.tree.native.tally[new] == model.tree.native.tally[int(old)]).all()
    assert set(pruned.edits.chosen) == set(inner(pruned))
    for new, by in pruned.edits.chosen.items():
        assert pruned.tree.test(new) == model.tree.test(int(by.reason))
    assert pruned.edits.log == model.edits.log
    pruned.parts()


def test_an_order_that_stays_is_answered() -> None:
    model = grown()
    node = next(n for n in inner(model) if all(c in leaves(model) for c in model.tree.children(n)))
    far = next(leaf for leaf in leaves(model) if leaf not in model.tree.children(node))
    changed = replace(model, edits=Edits(orders={far: Order(2, "why")}))
    smaller = changed.collapse(node)
    (now,) = smaller.edits.orders
    assert (smaller.tree.native.tally[now] == model.tree.native.tally[far]).all()
    assert smaller.node_class[now] == 2


def test_collapsing_drops_the_orders_below() -> None:
    smaller = ordered(grown()).collapse(0)
    assert smaller.n_leaves == 1
    assert not smaller.edits.orders


def test_no_policy_undoes_an_order() -> None:
    with pytest.raises(ModelError, match="answers by order, and this pruning would cut it"):
        ordered(grown()).prune(CostComplexity(alpha=1.0))


@pytest.mark.parametrize("which", ["the node itself", "a node below"])
def test_a_locked_node_is_not_cut(which: str) -> None:
    model = grown()
    at = inner(model)[1]
    locked = at if which == "the node itself" else model.tree.children(at)[0]
    changed = replace(model, edits=Edits(locked=frozenset({locked})))
    with pytest.raises(ModelError, match=f"Node {locked} is locked"):
        changed.collapse(at)
    with pytest.raises(ModelError, match=f"Node {locked} is locked"):
        changed.prune(CostComplexity(alpha=1.0))
    elsewhere = next(n for n in inner(model)[2:] if at not in model.tree.path(n))
    assert changed.collapse(elsewhere).edits.locked


def test_what_was_ordered_is_weighed() -> None:
    """On validation rows, and in training, a leaf by order is as wrong as its answer is."""
    X, y = golf()
    model = DecisionTreeClassifier().fit(X, y).model_
    changed = ordered(model, every=1)
    errors = changed.subject().errors
    tally = model.tree.native.tally
    for leaf in leaves(model):
        assert errors[leaf] == tally[leaf].sum() - tally[leaf, changed.edits.orders[leaf].answer]
    held = changed.subject().held_out(X, y)
    wrong = int(np.count_nonzero(changed.predict(X) != np.asarray(y)))
    assert held.errors[leaves(model)].sum() == wrong > 0
    with pytest.raises(ModelError, match="by order"):
        changed.prune(ReducedError((X, y)))


def test_squared_errors_are_of_the_number_ordered() -> None:
    X, y = np.arange(12.0)[:, None], np.arange(12.0) % 5
    model = DecisionTreeRegressor(max_leaf_nodes=4).fit(X, y).model_
    changed = ordered(model)
    errors = changed.subject().errors[leaves(model)].sum()
    assert errors == pytest.approx(((changed.predict(X) - y) ** 2).sum())
    held = changed.subject().held_out(X, y).errors[leaves(model)].sum()
    assert held == pytest.approx(errors)
