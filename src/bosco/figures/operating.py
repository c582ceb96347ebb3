"""Where to set the bar of two classes: a cut-off, chosen on rows that the model was not grown on.

Every score that some row has is looked at, the highest first; the bar is one of them, so that
"at least" is what decides. Rows of one score are told apart by nobody: they come together.
"""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.data.fingerprint import seen_rows
from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit
from bosco.data.schema import show_label
from bosco.data.weights import read_weights
from bosco.errors import DataError, ParameterError
from bosco.figures.figure import truth_of
from bosco.figures.intervals import Floats, mean_interval, wilson
from bosco.figures.scored import Scored, positive_of
from bosco.tree.chosen import Chosen, Ends
from bosco.tree.costs import cost_table, costs_of
from bosco.tree.decision import POINT, Cut, Decision

if TYPE_CHECKING:
    from bosco.tree.family import AnyModel


def decision_at(
    model: "AnyModel",
    X: Any,
    y: Any,
    sample_weight: Any,
    asked: Mapping[str, Any],
    positive: Any,
) -> Decision:
    """The decision of a model with its bar where it is asked for; see `Model.at`."""
    if model.classes is None or len(model.classes) != 2:
        n = "numbers" if model.classes is None else f"{len(model.classes)} classes"
        raise ParameterError(
            f"at() sets the bar between two classes, and this model predicts {n}."
            + ("" if model.classes is None else " Hint: fit with costs, which decide among many.")
        )
    given = {name: value for name, value in asked.items() if value is not None}
    if len(given) != 1:
        raise ParameterError(
            "at() takes one of threshold=, recall=, alarms= and cost=. "
            f"Got {', '.join(given) or 'none of them'}."
        )
    ((way, value),) = given.items()
    of = positive_of(model.classes, positive)
    points = model.kind == "score_table"
    costs = model.decision.costs
    if way == "cost":
        costs = costs_of(value, model.classes.tolist())
    number = 0.0 if way == "cost" else _number(way, value, points)
    if X is None or y is None:
        if way != "threshold":
            raise ParameterError(
                f"at({way}=…) is chosen on rows that the model was not grown on: at({way}=…, X=X, "
                f"y=y)."
            )
        at = _whole(number) if points else number
        bar = Cut(at, of, points, Chosen(way, at).to_plain())
        return Decision(costs, bar, model.decision.calibration)
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    frame = model.read(X)
    truth = truth_of(model, frame, y)
    weight, keep = read_weights(sample_weight, frame.n_rows)
    if keep is not None:
        frame, truth = model.read(frame.given.take(keep)), truth[keep]
    scores = scores_of(model, frame, of)
    found = Scored.of_rows(scores, truth == of, weight)
    table = np.array(cost_table(costs if costs is not None else {}, model.classes.tolist()))
    prices = float(table[of, 1 - of]), float(table[1 - of, of])  # missed, false alarm
    label = show_label(model.classes.tolist()[of])
    at = _bar(found, way, number, prices, label, points)
    seen = seen_rows(model, frame, truth)
    n_seen = seen.n_equal if seen.known else -1
    if way != "threshold" and n_seen == frame.n_rows:
        raise DataError(
            f"All {frame.n_rows:,} rows equal training rows, where shares are too sure of "
            f"themselves: a bar is chosen on others. Hint: rows that were held back."
        )
    told = _chosen(found, at, prices)
    about = replace(told, way=way, asked=number, seen=n_seen).to_plain()
    return Decision(costs, Cut(at, of, points, about), model.decision.calibration)


def scores_of(model: "AnyModel", frame: Frame, of: int) -> Floats:
    """What a model says of one of two classes, row by row: its share, or its lead in points."""
    points = getattr(model, "points_frame", None)
    if points is None:
        return model.values_frame(frame)[:, of]
    whole: NDArray[np.int64] = points(frame)
    return np.asarray((whole[:, of] - whole[:, 1 - of]) * POINT, np.float64)


def _number(way: str, value: Any, points: bool) -> float:
    """What is asked for, checked."""
    good = type(value) is not bool and isinstance(value, Real) and np.isfinite(float(value))
    if way == "alarms":
        share = good and not isinstance(value, Integral) and 0 < float(value) < 1
        good = good and (share or (float(value) >= 1 and float(value) == int(value)))
        allowed = "a whole number of rows, 1 or more, or a share of them between 0 and 1"
    elif way == "threshold" and points:
        good, allowed = good and abs(float(value)) < 2.0**20, "a lead in points"
    else:
        good = good and 0 < float(value) <= 1
        allowed = "a share above 0, 1 at most"
    if not good:
        raise ParameterError(f"{way} must be {allowed}. Got {value!r}.")
    return float(value)


def _whole(points: float) -> float:
    """A lead as whole points over 2**40."""
    return round(points / POINT) * POINT


def _bar(
    found: Scored,
    way: str,
    asked: float,
    prices: tuple[float, float],
    label: str,
    points: bool,
) -> float:
    """The score to set the bar at."""
    if way == "threshold":
        return _whole(asked) if points else asked
    false, right = found.above[1:].T  # from the highest score on
    if right[-1] == 0 or false[-1] == 0:
        what = "none" if right[-1] == 0 else "all"
        raise DataError(
            f"A bar is chosen on rows of both classes, and {what} of these are {label}."
        )
    places = np.arange(len(found.scores))
    if way == "recall":
        # Sums of weights are rounded, in whatever order: what is equal but for that is enough.
        place = int(places[right >= asked * right[-1] * (1 - 1e-12)][0])
    elif way == "alarms":
        rows = found.rows_above[1:].sum(axis=1)
        most = asked if asked >= 1 else asked * found.n_rows
        if rows[0] > most:
            raise DataError(
                f"The highest score has {int(rows[0]):,} rows already, more than "
                f"{int(most):,}: no bar tells them apart."
            )
        place = int(places[rows <= most][-1])
    else:
        missed, alarm = prices
        cost = (right[-1] - right) * missed + false * alarm
        place = int(places[cost <= cost.min() * (1 + 1e-12)][0])  # of equals the highest bar
    at = float(found.scores[place])
    if not points and at <= 0:
        raise DataError(
            f"Rows of {label} have a share of 0, as all others have at least: only answering "
            f"{label} always would do that, which is no bar. Hint: ask for less."
        )
    return at


def _chosen(found: Scored, at: float, prices: tuple[float, float]) -> Chosen:
    """What a bar comes to on the rows."""
    said = found.confusion(at)
    w, squares = said.weight, said.squares

    def share(part: Any, whole: Any, spread: Any) -> Ends:
        if whole <= 0:
            return 0.0, 0.0, 1.0
        value = float(part / whole)
        low, high = map(float, wilson(value, float(whole**2 / spread)))
        return value, low, high

    total = w.sum()
    missed, alarm = prices
    mean = float((w[1, 0] * missed + w[0, 1] * alarm) / total)
    square = float((w[1, 0] * missed**2 + w[0, 1] * alarm**2) / total)
    n = float(total**2 / squares.sum())
    sd = np.sqrt(max(square - mean**2, 0.0) * n / max(n - 1, 1.0))
    low, high = (float(end) for end in mean_interval(mean, sd, max(n, 2.0)))
    return Chosen(
        "threshold",
        at,
        rows=int(said.rows.sum()),
        answered=share(w[:, 1].sum(), total, squares.sum()),
        recall=share(w[1, 1], w[1].sum(), squares[1].sum()),
        precision=share(w[1, 1], w[:, 1].sum(), squares[:, 1].sum()),
        cost=(mean, max(low, 0.0), high),
    )
