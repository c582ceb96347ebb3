"""Why a tree that was found as a whole asks what it asks: against the search at every node."""

import numpy as np
import pytest

import bosco
from bosco import DataError, DecisionTreeClassifier, ModelError
from tests.test_optimal import mixed


def test_what_others_cost_is_what_their_best_tree_costs() -> None:
    X, y = mixed(120, 3)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=3, alpha=0.5).fit(X, y).model_
    leaf = model.apply(X)
    for node in range(model.tree.node_count):
        found = model.why(node, X=X, y=y)
        inside = np.array([node in model.tree.path(one) for one in leaf])
        own = (model.predict(X) != y)[inside].sum()
        assert found.wrong == own
        assert found.objective == own + 0.5 * found.leaves
        if found.ended:
            assert not found.candidates
            continue
        first = found.candidates[0]
        assert first.chosen
        assert first.margin == 0
        here = {name: np.asarray(column)[inside] for name, column in X.items()}
        depth = 3 - int(model.tree.depth[node])
        settings = {"algorithm": "optimal", "max_depth": depth, "alpha": 0.5}
        # Of these rows alone the best tree is the best subtree: no column has more than 7 levels.
        if len(set(y[inside])) > 1:
            best = DecisionTreeClassifier(**settings).fit(here, y[inside]).model_.certificate
            assert min(one.objective for one in found) == best.objective == found.objective
        for one in found:
            assert one.proved
            assert one.margin >= 0


def test_in_words_and_as_a_trace() -> None:
    X, y = mixed(120, 3)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    trace = model.trace(X, y)
    assert len(trace) == model.tree.node_count
    assert trace.note.startswith("No node chose its test alone")
    for step in trace:
        found = model.why(step.node, X=X, y=y)
        assert (found.sentence in step.verdict) or found.ended
        assert step.weight == len(step.rows) == model.tree.n_node_samples[step.node]
    assert "asked here" in str(model.why(0, X=X, y=y))
    assert "<table" in model.why(0, X=X, y=y)._repr_html_()
    assert "<html" in str(bosco.trace_page(trace))


def test_levels_are_parted_as_in_the_whole_table() -> None:
    """A column of nine levels is parted one against the rest, also where a node has three."""
    draw = np.random.default_rng(0)
    X = {"level": draw.choice(list("abcdefghi"), 90), "x": draw.normal(size=90)}
    y = draw.integers(0, 2, 90)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=3).fit(X, y).model_
    for node in range(model.tree.node_count):
        found = model.why(node, X=X, y=y)
        assert all(one.margin >= 0 for one in found)


def test_weights_are_meant() -> None:
    X, y = mixed(80, 5)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y, weights).model_
    found = model.why(0, X=X, y=y, sample_weight=weights)
    assert found.weighted
    assert found.wrong == pytest.approx(weights[model.predict(X) != y].sum())
    with pytest.raises(DataError, match="not the rows that the tree was grown on"):
        model.why(0, X=X, y=y)


def test_a_tree_that_was_changed_is_refused() -> None:
    X, y = mixed(120, 3)
    model = DecisionTreeClassifier(algorithm="optimal", max_depth=3).fit(X, y).model_
    smaller = model.collapse(1)
    with pytest.raises(ModelError, match="pruned or edited"):
        smaller.why(0, X=X, y=y)
    with pytest.raises(ModelError, match="pruned or edited"):
        smaller.trace(X, y)


def test_rows_without_their_weights_are_refused() -> None:
    X, y = {"x": [True, True, False]}, [0, 1, 0]
    for weights, least in (([1, 5, 5], 5), ([3, 5, 3], 3)):
        clf = DecisionTreeClassifier(algorithm="optimal", max_depth=2, min_samples_leaf=least)
        model = clf.fit(X, y, sample_weight=weights).model_
        assert model.n_leaves == 2
        with pytest.raises(DataError, match="not the rows that the tree was grown on"):
            model.why(0, X=X, y=y)
        assert "No node chose its test alone" in str(model.report(X, y))
