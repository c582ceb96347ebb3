"""What given rows say of every leaf: sent down the tree, and counted again.

Rows that equal training rows are counted apart, where the model remembers those.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit
from bosco.data.target import encode_among, encode_values
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError
from bosco.figures.intervals import Floats
from bosco.figures.leaves import WEAK_BELOW, Leaves, leaves_by
from bosco.tree.census import Evidence, take_census

if TYPE_CHECKING:
    from bosco.models.model import Model


def recount(
    model: "Model",
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    weights: str = "importance",
    confidence: float = 0.95,
    weak_below: float = WEAK_BELOW,
) -> Leaves:
    """What other rows say of every leaf, with intervals.

    Parameters
    ----------
    X, y, sample_weight
        Rows, as for `fit`, best ones that the tree was not grown on; every label one of the
        model's classes. Those that equal training rows are told apart, if the model remembers
        them.
    weights : {"importance", "copies"}, default="importance"
        What the weights mean, as for the estimators.
    confidence, weak_below : float
        As in `leaves`.

    Returns
    -------
    Leaves
        One row per leaf. The model is as it was.
    """
    if weights not in ("importance", "copies"):
        raise ParameterError(f"weights must be 'importance' or 'copies'. Got {weights!r}.")
    asked = (weights == "copies", confidence, weak_below)
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    frame, target = rows_given(model, X, y, sample_weight, copies=weights == "copies")
    truth = target.numbers if model.classes is None else target.codes
    labels = truth if model.classes is None else model.classes[truth]
    weight, _ = read_weights(sample_weight, target.n_rows)
    whole = _counted(model, frame, labels, weight, *asked)
    seen = seen_rows(model, frame, truth)
    parts: list[Leaves] = []
    if seen.mixed:
        known, fresh = seen.parts()
        for rows, equal in ((fresh, False), (known, True)):
            part = model.read(frame.table.take(rows))
            here = None if weight is None else weight[rows]
            counted = _counted(model, part, labels[rows], here, *asked)
            all_, these = np.ones(len(rows), bool), np.full(len(rows), equal)
            parts.append(replace(counted, seen=Seen(len(rows), all_, these)))
    return replace(whole, seen=seen, parts=tuple(parts))


def rows_given(
    model: "Model", X: Any, y: Any, sample_weight: Any, *, copies: bool
) -> tuple[Frame, Any]:
    """Rows and what is true of them, as the core sees them: those that have a weight."""
    frame, target = model.read(X), _target(model, y, sample_weight, copies)
    if frame.n_rows != target.n_rows:
        raise DataError(
            f"X has {frame.n_rows} rows and y {target.n_rows}; they must have equally many."
        )
    if target.keep is not None:
        frame = model.read(frame.given.take(target.keep))
    return frame, target


def _target(model: "Model", y: Any, weight: Any, copies: bool) -> Any:
    """What is true of rows, as the core sees it."""
    shared = model.growth.on_missing.shared
    if model.classes is None:
        return encode_values(y, weight, shared, copies=copies)
    return encode_among(y, model.classes, weight, shared, copies)


def _counted(
    model: "Model",
    frame: Frame,
    y: NDArray[Any],
    weight: Floats | None,
    copies: bool,
    confidence: float,
    weak_below: float,
) -> Leaves:
    """The leaves by rows that are read already, and all have a weight."""
    target = _target(model, y, weight, copies)
    tally = _tallies(model, frame, target)
    deviation = np.zeros(model.tree.node_count)
    if model.classes is not None:
        whole = tally.sum(axis=1)
        values = _divided(tally, whole[:, None])
    else:
        whole = tally[:, 0]
        mean = _divided(tally[:, 1], whole) / target.scale + target.center
        deviation = _deviation(model, frame, target.numbers, mean, weight, copies)
        values = mean[:, None]
    weights = whole / whole[0] * target.weight
    census = take_census(model.tree, frame, target, shared=model.growth.on_missing.shared)
    rows = weights if census is None else census.total
    if census is None or census.effective is None:
        evidence = Evidence(values, rows, "rows")
    else:
        evidence = Evidence(values, census.effective, "effective")
    weighted = census is not None
    return leaves_by(
        model, "given", rows, weights, evidence, weighted, deviation, confidence, weak_below
    )


def _deviation(
    model: "Model", frame: Frame, y: Floats, mean: Floats, weight: Floats | None, copies: bool
) -> Floats:
    """The standard deviation of y in every leaf.

    The core sums y; sums of squares are those of another target, (y − the leaf's mean)², so that
    nothing cancels; in units of the largest, so that no square leaves the range of numbers. Where
    rows go to several leaves in shares, it is y less the mean of all.
    """
    shared = model.growth.on_missing.shared
    middle = mean[0] if shared else mean[model.apply_frame(frame)]
    off = y - middle
    _, exponent = np.frexp(np.abs(off).max())
    squares = _target(model, np.ldexp(off, -exponent) ** 2, weight, copies)
    tally = _tallies(model, frame, squares)
    variance = _divided(tally[:, 1], tally[:, 0]) / squares.scale + squares.center
    if shared:
        variance -= np.ldexp(mean - middle, -exponent) ** 2
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(np.sqrt(np.maximum(variance, 0.0)), exponent), np.float64)


def _tallies(model: "Model", frame: Frame, target: Any) -> Floats:
    """Tally of every node, as counted in the core."""
    shared = model.growth.on_missing.shared
    native = model.tree.native
    tally: NDArray[np.int64] = _core.tallies(native, frame.native, target.native, shared)[0]
    return tally.astype(np.float64)


def _divided(sums: Floats, by: Floats) -> Floats:
    """A quotient, NaN where nothing is divided by nothing."""
    quotient: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, by, out=quotient, where=by > 0)
    return quotient
