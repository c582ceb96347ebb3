"""Many trees that learn several targets at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.multiclass import type_of_target

from bosco import _core
from bosco.base.progress import progress
from bosco.data.outputs import Outputs
from bosco.data.several import balanced
from bosco.errors import DataError, ParameterError
from bosco.estimators.about import about_rows
from bosco.estimators.bagging import Draws, warn_of_few
from bosco.estimators.several import model_of_several, refuse_for_several
from bosco.models.several import SeveralModel, answers
from bosco.tree.tree import Tree


def learn_forest(
    estimator: Any, rows: Any, draws: Draws, before: SeveralModel | None, bagged: bool
) -> None:
    """Grow the trees and keep them, with what they say out of the bag."""
    _refuse(estimator, rows, draws, bagged)
    if before is not None and not _alike(before.outputs, rows.outputs):
        raise DataError(
            "warm_start adds trees to a forest of other outputs, or of other classes. "
            "Hint: fit with warm_start=False."
        )
    made = _grown(estimator, rows, draws, before)
    about = about_rows(type(estimator).__name__, rows, None) | {"missing": rows.missing}
    if draws.sample is not None:
        about["drawn"] = draws.sample
    trees = made if before is None else (*before.trees, *made)
    bag = None
    if bagged:
        known = None if before is None else estimator._bag
        bag = _bagged(trees if known is None else made, rows, draws, known)
    estimator._keep(model_of_several(trees, rows, draws.growth, about))
    estimator._draws, estimator._bag, estimator._leaf_rows = draws, bag, None
    estimator._forget_bag()
    if bag is not None:
        _keep_bag(estimator, bag, rows)


def _refuse(estimator: Any, rows: Any, draws: Draws, bagged: bool) -> None:
    """Refuse what makes sense for one target only."""
    refuse_for_several(estimator, draws.growth)
    if estimator.vote != "mean":
        raise ParameterError("vote='mode' is of one output. Of several use vote='mean'.")
    if not (isinstance(estimator.tree_weights, str) and estimator.tree_weights == "uniform"):
        raise ParameterError("tree_weights are of one output. Of several all trees count the same.")
    if estimator.leaf_rows:
        raise ParameterError(
            "leaf_rows=True is for quantiles, which are of one output. Hint: fit one forest for "
            "each output."
        )
    if bagged and rows.outputs.of_classes and not callable(estimator.oob_score):
        kind = type_of_target(rows.target.truth)
        if kind != "multilabel-indicator":
            raise DataError(
                "The type of target cannot be used to compute OOB estimates. Got "
                f"{kind} while only the following are supported: binary, multiclass, "
                "multilabel-indicator, continuous, continuous-multioutput. Hint: oob_score=False, "
                "or a function of the true and the predicted classes."
            )


def _alike(a: Outputs, b: Outputs) -> bool:
    same = a.begin == b.begin and a.of_classes == b.of_classes
    return same and all(map(np.array_equal, a.classes, b.classes))


def _grown(
    estimator: Any, rows: Any, draws: Draws, before: SeveralModel | None
) -> tuple[Tree, ...]:
    """The new trees, as many as there are to be."""
    done = 0 if before is None else before.n_trees
    rows.frame.native.encode(rows.n_threads)
    settings = draws.growth.for_core() | {"record": False}
    with progress(estimator.n_estimators, "trees", bool(estimator.verbose)) as tell:

        def grow(target: Any, n_trees: int, first: int) -> list[Any]:
            return _core.grow_trees(
                rows.frame.native,
                target,
                settings,
                n_trees,
                first=first,
                sample=draws.sample,
                replace=draws.replace,
                order=draws.order,
                ccp_alpha=float(estimator.ccp_alpha),
                n_threads=rows.n_threads,
                grown=None if tell is None else lambda n: (tell(first + n), True)[1],
            )

        new = range(done, estimator.n_estimators)
        if estimator._balances_samples():  # each tree has weights of its own
            natives = [grow(balanced(rows.target, draws.times(t)), 1, t)[0] for t in new]
        else:
            natives = grow(rows.target.native, len(new), done)
    return tuple(Tree(native, len(rows.schema.columns)) for native in natives)


def _bagged(
    trees: tuple[Tree, ...], rows: Any, draws: Draws, before: dict[str, Any] | None
) -> dict[str, Any]:
    """The sum of what trees say of the rows that they have not seen, and how many have not."""
    n, first = rows.n_rows, 0 if before is None else before["n_trees"]
    total = np.zeros((n, rows.outputs.n_sums)) if before is None else before["sum"]
    seen_by = np.zeros(n, np.int64) if before is None else before["trees"]
    for t, tree in enumerate(trees, first):
        unseen = np.flatnonzero(draws.times(t) == 0)
        leaves = tree.leaves_of(rows.frame.native, rows.n_threads)[unseen]
        total[unseen] += tree.leaf_value[leaves]
        seen_by[unseen] += 1
    return {"sum": total, "trees": seen_by, "n_trees": first + len(trees)}


def _keep_bag(estimator: Any, bag: dict[str, Any], rows: Any) -> None:
    """Set out-of-bag figures, in the shapes of scikit-learn."""
    outputs, truth, seen = rows.outputs, rows.target.truth, bag["trees"] > 0
    if not seen.all():
        warn_of_few(stacklevel=7)
    with np.errstate(invalid="ignore"):
        said = bag["sum"] / bag["trees"][:, None] + outputs.centers
    score = estimator.oob_score if callable(estimator.oob_score) else None
    guess = answers(outputs, said[seen])
    if outputs.of_classes:
        estimator.oob_decision_function_ = _stacked(outputs, said)
        labels = [classes[codes] for classes, codes in zip(outputs.classes, truth.T, strict=True)]
        truth = answers_like(guess, labels)
    else:
        estimator.oob_prediction_ = said
    if seen.any():
        judge = score or (accuracy_score if outputs.of_classes else r2_score)
        estimator.oob_score_ = judge(truth[seen], guess)


def answers_like(guess: NDArray[Any], labels: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns side by side, in the type of what was answered."""
    table = np.empty((len(labels[0]), len(labels)), guess.dtype)
    for j, own in enumerate(labels):
        table[:, j] = own
    return table


def _stacked(outputs: Outputs, said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shape (n_rows, most classes, n_outputs); 0 where an output has fewer classes."""
    parts = outputs.parted(said)
    stacked = np.zeros((len(said), max(own.shape[1] for own in parts), len(parts)))
    for j, own in enumerate(parts):
        stacked[:, : own.shape[1], j] = own
    return stacked
