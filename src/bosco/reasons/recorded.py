"""The making of a tree, as a model is asked for it: from its rows, or from what it recorded."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import ENGLISH, speaking, tr
from bosco.data.readers import given_to_fit
from bosco.data.schema import show_label
from bosco.errors import ModelError, ParameterError
from bosco.reasons.ending import AS_A_WHOLE, FARTHER
from bosco.reasons.held import Held
from bosco.reasons.listed import Listed
from bosco.reasons.making import Making, chosen_by_hand, stays, verdict
from bosco.reasons.order import as_grown, led_by
from bosco.reasons.rooted import below, subtrees
from bosco.reasons.trace import Step, Trace
from bosco.reasons.tried import Amount, Tried, Way
from bosco.reasons.why import Candidate, Why, why
from bosco.render.card import say, statistic

if TYPE_CHECKING:
    from bosco.models.model import Model
    from bosco.pruning.subject import Training


def trace(model: "Model", X: Any = None, y: Any = None, sample_weight: Any = None) -> Trace:
    """The making of the tree, step by step.

    Parameters
    ----------
    X, y, sample_weight
        The training rows, as they were given to `fit`; all is worked out from them, and weights of
        classes follow from what the tree holds. Without rows, what was recorded is told: the best
        test of each column. Trees of a forest and of AdaBoost are traced by their estimator, which
        knows what they drew.

    Returns
    -------
    Trace
        One step per node, in the order in which the tree was grown: ``print`` a step to see what
        was tried with its arithmetic, or take ``to_dict()``.
    """
    if model.growth.search == "optimal":
        if model.classes is None:
            with speaking(ENGLISH):
                raise ModelError(
                    f"{AS_A_WHOLE()} There are no steps to tell: see model.certificate."
                )
        if X is None or y is None:
            with speaking(ENGLISH):  # as all errors
                raise ModelError(
                    f"{AS_A_WHOLE()} What the others cost is told by the training rows: "
                    "model.trace(X, y)."
                )
        return _as_a_whole(model, training_rows(model, X, y, sample_weight))
    if not model.growth.alone:
        with speaking(ENGLISH):
            raise ModelError(f"{FARTHER()} There are no steps to tell: see model.polished.")
    if X is None and y is None:
        if sample_weight is not None:
            raise ParameterError("sample_weight is of rows: give X and y too.")
        return _recorded(model)
    made = Making(model, held_rows(model, X, y, sample_weight))
    return Trace(tuple(made.steps()), model, made.listed)


def held_rows(model: "Model", X: Any, y: Any, sample_weight: Any) -> Held:
    """Training rows as they were given to `fit`, kept together node by node."""
    training = training_rows(model, X, y, sample_weight)
    return Held(training.frame, training.target, model.growth)


def training_rows(model: "Model", X: Any, y: Any, sample_weight: Any) -> "Training":
    """Training rows as they were given to `fit`, with the weights of classes that the tree had."""
    if X is None or y is None:
        given, absent = ("X", "y") if y is None else ("y", "X")
        raise ParameterError(f"Rows are X and y together. Got {given} without {absent}.")
    training = model.subject().trained_on(*given_to_fit(X, y, sample_weight)).training
    assert training is not None
    return training


def _as_a_whole(model: "Model", training: "Training") -> Trace:
    """Of a tree that was found as a whole: what each node's subtree costs, and what others would.

    Nothing was tried node by node, so steps have no columns: the sentence says it.
    """
    reached = model.apply_frame(training.frame)
    steps = []
    for number, node in enumerate(as_grown(model), 1):
        found = subtrees(model, node, training)
        said = stays(model, node, found.reason) if found.ended else found.sentence
        rows = np.flatnonzero(below(model.tree, node)[reached])
        impurity = float(model.tree.native.impurity[node])
        about = (number, node, led_by(model, node), *_held(model, node), impurity)
        why_ = Why(node, model.growth.score, (), found.ended, found.reason)
        amount = Amount(
            () if model.classes is None else tuple(map(show_label, model.classes)), found.weighted
        )
        steps.append(Step(*about, (), why_, said, amount, rows))
    return Trace(tuple(steps), model, Listed(training.frame, training.target), AS_A_WHOLE())


def _recorded(model: "Model") -> Trace:
    """What is known without rows: of each column its best test, where that was kept."""
    native = model.tree.native
    if not len(native.candidate_gain) and (native.test >= 0).any():
        raise ModelError(
            "Nothing was recorded when this tree was grown, so a trace needs the training rows: "
            "model.trace(X, y). Hint: a tree grown with record=True keeps the best test of each "
            "column."
        )
    steps = tuple(_step(model, *at) for at in enumerate(as_grown(model), 1))
    note = tr(
        "From what was recorded: the best test of each column. With the training rows, "
        "model.trace(X, y), every cut and every branch is told."
    )
    if model.growth.medians:  # whose nodes are not made again
        note = tr("From what was recorded: the best test of each column.")
    return Trace(steps, model, None, note)


def _step(model: "Model", number: int, node: int) -> Step:
    native, census = model.tree.native, model.census
    try:
        found = why(model, node)
    except ModelError as error:  # an inner node whose candidates were not kept
        found, said = Why(node, model.growth.score, ()), str(error)
    else:
        said = _said(model, found)
    classes = () if model.classes is None else tuple(map(show_label, model.classes))
    word = statistic(model.growth) if model.growth.medians else ""
    amount = Amount(classes, census is None or model.counted is not None, word)
    impurity = float(native.impurity[node])
    columns = tuple(
        Tried(candidate, impurity, _ways(model, node, candidate)) for candidate in found.candidates
    )
    about = (number, node, led_by(model, node), *_held(model, node), impurity)
    return Step(*about, columns, found, said, amount)


def _said(model: "Model", found: Why) -> str:
    """What came of a node."""
    if found.ended:
        return stays(model, found.node, found.reason)
    by_hand = model.edits.chosen.get(found.node)
    return verdict(found) if by_hand is None else chosen_by_hand(found, by_hand)


def _held(model: "Model", node: int) -> tuple[float, tuple[float, ...]]:
    """The weight of a node's rows, and their tally."""
    native, weight = model.tree.native, float(model.tree.node_weight[node])
    if model.classes is not None:
        return weight, tuple((native.tally[node] / native.weight_scale).tolist())
    return weight, (float(native.value[node, 0]) * weight,)


def _ways(model: "Model", node: int, candidate: Candidate) -> tuple[Way, ...]:
    """The branches of the test that was chosen: the tree has them; of others nothing was kept."""
    test, policy = model.tree.test(node), model.growth.on_missing
    if not candidate.chosen or test is None:
        return ()
    if (policy.shared or policy.stand_ins) and test.column not in model.never_missing:
        return ()  # judged by the rows whose value is known, which the tree does not count
    return tuple(
        Way(
            say(model.schema, condition, missing=False),
            *_held(model, child),
            float(model.tree.native.impurity[child]),
        )
        for condition, child in zip(test.branches, model.tree.children(node), strict=True)
    )
