"""Calibrating the shares of a tree: by its counts, or by rows that it was not grown on."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.fingerprint import seen_rows
from bosco.data.readers import given_to_fit
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError, require_one_of
from bosco.figures.figure import truth_of
from bosco.figures.scored import Scored
from bosco.tree.calibration import METHODS, Calibration, Floats
from bosco.tree.decision import Decision

if TYPE_CHECKING:
    from bosco.models.model import Model


def calibrated(
    model: "Model",
    X: Any = None,
    y: Any = None,
    *,
    method: str = "isotonic",
    m: float = 2.0,
    sample_weight: Any = None,
) -> "Model":
    """The same tree with shares that are less sure of themselves.

    Parameters
    ----------
    X, y, sample_weight : table, its target, and weights
        Rows that the tree was not grown on. "isotonic" is taken from them; of the others, they
        tell what it helps.
    method : {"isotonic", "laplace", "m_estimate"}, default="isotonic"
        "laplace": one row more of each class in every leaf; "m_estimate": `m` rows more, with
        the classes of the root; "isotonic", of two classes: what the rows of such leaves are,
        never falling as their share rises.
    m : float, default=2
        Of "m_estimate".

    Returns
    -------
    Model
        A bar set by `at` is one of shares as they were: it is left out. Costs stay.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"]).model_
    >>> model.calibrated(method="laplace").predict_proba({"x": 3})
    array([0.25, 0.75])
    """
    found = _calibration(model, method, X, y, sample_weight, m)
    return replace(model, decision=Decision(model.decision.costs, None, found))


def _calibration(
    model: "Model", method: str, X: Any, y: Any, sample_weight: Any, m: float
) -> Calibration:
    """What makes shares of those of the rows; see `calibrated`."""
    if model.classes is None:
        raise ParameterError("Shares are of classes, and this model predicts a number.")
    require_one_of(METHODS, "method", method)
    if isinstance(m, bool) or not isinstance(m, int | float) or not 0 < m < 1e9:
        raise ParameterError(f"m must be a number of rows above 0. Got {m!r}.")
    n = len(model.classes)
    made = Calibration("isotonic")
    if method == "laplace":
        made = Calibration("laplace", float(n), (1.0 / n,) * n)
    elif method == "m_estimate":
        made = Calibration("m_estimate", float(m), tuple(model.root_value.tolist()))
    elif n != 2 or X is None or y is None:
        need = "rows that it was not grown on, X and y" if n == 2 else "two classes"
        raise ParameterError(f"method='isotonic' needs {need}.")
    if X is None or y is None:
        return made
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    frame = model.read(X)
    truth = truth_of(model, frame, y)
    weight, keep = read_weights(sample_weight, frame.n_rows)
    if keep is not None:
        frame, truth = model.read(frame.given.take(keep)), truth[keep]
    own = replace(model, decision=replace(model.decision, calibration=None)).values_frame(frame)
    seen = seen_rows(model, frame, truth)
    n_seen = seen.n_equal if seen.known else -1
    if method == "isotonic":
        if n_seen == frame.n_rows:
            raise DataError(
                f"All {frame.n_rows:,} rows equal training rows, where shares are too sure of "
                f"themselves. Hint: rows that were held back."
            )
        edges, levels = steps(Scored.of_rows(own[:, 1], truth == 1, weight))
        made = Calibration("isotonic", edges=edges, levels=levels)
    told = replace(made, rows=frame.n_rows, seen=n_seen, before=brier(own, truth, weight))
    after = replace(model, decision=replace(model.decision, calibration=told)).values_frame(frame)
    return replace(told, after=brier(after, truth, weight))


def brier(shares: Floats, truth: NDArray[Any], weight: Floats | None) -> float:
    """The mean squared distance of shares from what is true; 0 is best.

    Of two classes that of one of them, which is that of the other, as curves have it; of more the
    sum over the classes, as Brier has it.
    """
    right = np.eye(shares.shape[1])[truth]
    off = ((shares - right) ** 2).sum(axis=1) / (2 if shares.shape[1] == 2 else 1)
    return float(np.average(off, weights=weight))


def steps(found: Scored) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The share of the class by score, never falling: where it changes, and to what."""
    from sklearn.isotonic import isotonic_regression

    scores, weight = found.scores[::-1], found.weight[::-1]
    whole = weight.sum(axis=1)
    level = np.clip(isotonic_regression(weight[:, 1] / whole, sample_weight=whole), 0.0, 1.0)
    new = np.flatnonzero(np.diff(level) > 0) + 1
    edges = (scores[new - 1] + scores[new]) / 2  # half-way, for scores that no row had
    return tuple(edges.tolist()), tuple(level[[0, *new.tolist()]].tolist())
