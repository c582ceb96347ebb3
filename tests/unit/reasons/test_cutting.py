"""A trace of pruning: both sides of every comparison again from the tree and its rows."""

import re
from typing import Any

import numpy as np
import pytest

import bosco
from bosco import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.datasets import golf, loans, play_tennis
from bosco.errors import ModelError
from bosco.pruning import (
    CostComplexity,
    CriticalValue,
    GeneralizationError,
    MinimumDescriptionLength,
    Pessimistic,
    ReducedError,
    SameAnswer,
)


def value(sum_: str) -> float:
    """What the terms of a sum come to, apart from what is said of it."""
    terms = sum_.partition(" = ")[0].replace(",", "").replace("·", "*")
    assert re.fullmatch(r"[-\d.e* +]+", terms)
    return float(eval(terms))


def test_the_days_with_a_price_of_two() -> None:
    """The worked figures of docs/method/choosing.md."""
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    trace = model.trace_pruning(GeneralizationError(alpha=2))
    sums = [tuple(said for _, said in one.sides) for one in trace]
    assert sums == [("0 + 2·2 = 4", "2 + 1·2 = 4")] * 2 + [("4 + 3·2 = 10", "5 + 1·2 = 7")]
    assert trace[-1].verdict == "7 < 10: it becomes a leaf and says Yes."
    assert [one.node for one in trace] == [3, 2, 0]
    dear = model.trace_pruning(GeneralizationError(alpha=1))
    assert dear[-1].verdict == "6 > 5: it keeps its branches."
    assert dear.after.n_leaves == 5


@pytest.mark.parametrize(
    "policy",
    [GeneralizationError(1), CostComplexity(0.02), MinimumDescriptionLength(), SameAnswer(),
     CriticalValue(0.05), ReducedError(validation=loans()), Pessimistic(raising=False)],
    ids=lambda policy: policy.name,
)  # fmt: skip
def test_every_policy(policy: Any) -> None:
    """What is told is what the log of the pruning has; sums come to what they say."""
    model = DecisionTreeClassifier().fit(*loans()).model_
    trace = model.trace_pruning(policy)
    after = model.prune(policy)
    assert trace.after.tree == after.tree
    by_node = {entry.node: entry for entry in after.log}
    assert {one.node for one in trace} == set(by_node)
    for one in trace:
        entry = by_node[one.node]
        assert (one.kept, one.pruned, one.action) == (entry.kept, entry.pruned, entry.action)
        assert one.weight == model.tree.node_weight[one.node]
        for (_, said), number in zip(one.sides, (one.kept, one.pruned), strict=True):
            assert value(said) == pytest.approx(number, rel=2e-3, abs=1e-9)
        assert ("becomes a leaf" in one.verdict) == (entry.action == "collapsed")
    assert policy.rule() in str(trace)
    assert len(trace.to_dict()["comparisons"]) == len(trace)


def test_errors_are_those_of_the_rows() -> None:
    """As a leaf, a node costs the rows that its majority has wrong, and the price."""
    X, y = loans()
    clf = DecisionTreeClassifier().fit(X, y)
    leaf, label = clf.apply(X), np.array(y)
    for one in clf.model_.trace_pruning(GeneralizationError(0.5)):
        here = label[[one.node in clf.tree_.path(k) for k in leaf.tolist()]]
        wrong = len(here) - np.unique(here, return_counts=True)[1].max()
        assert one.pruned == wrong + 0.5


def test_raised_branches_and_numbers() -> None:
    X, y = golf()
    told = DecisionTreeClassifier(algorithm="c45", pruning="none").fit(X, y).model_
    trace = told.trace_pruning("pessimistic", X, y)
    assert trace.after.tree == told.prune("pessimistic", X, y).tree
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(60, 2)), rng.normal(size=60)
    numbers = DecisionTreeRegressor(max_depth=3).fit(A, b).model_
    for one in numbers.trace_pruning(CostComplexity(0.05)):
        assert value(one.sides[0][1]) == pytest.approx(one.kept, rel=2e-3)


def test_the_log_of_a_pruned_tree() -> None:
    model = DecisionTreeClassifier(pruning=GeneralizationError(2)).fit(*golf()).model_
    trace = model.trace_pruning()
    assert "pruning='none'" in trace.note
    assert [(one.kept, one.pruned) for one in trace][-1] == (9, 7)
    assert trace[-1].sides == (("kept", "9"), ("pruned", "7"))
    assert "7 < 9: it becomes a leaf and says Play." in str(trace)
    grown = DecisionTreeClassifier().fit(*golf()).model_
    with pytest.raises(ModelError, match=r"trace_pruning\(policy\)"):
        grown.trace_pruning()
    rows = grown.prune(ReducedError(validation=golf()))
    assert "reduced error (validation 14 rows)" in str(rows.pruning_log())


def test_a_log_is_in_english_whatever_is_spoken() -> None:
    """It goes into the file of the model; what people read does not."""
    model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    with bosco.speaking("it"):
        trace = model.trace_pruning(GeneralizationError(alpha=2))
        assert "righe sbagliate in addestramento + 2 per foglia" in str(trace)
        assert trace[-1].verdict == "7 < 10: diventa una foglia e dice Yes."
    assert trace.after.log.steps[0].measure == "wrong rows in training + 2 per leaf"
    assert trace.after.tree == model.prune(GeneralizationError(alpha=2)).tree
