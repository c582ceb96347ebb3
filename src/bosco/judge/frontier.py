"""`frontier`: the error of trees against the price of what they ask, on rows held out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.base import clone

from bosco.base.language import phrase, tr
from bosco.base.numerals import lay_out, show_figure, show_number
from bosco.errors import ParameterError
from bosco.judge.data import task_of
from bosco.judge.evaluating import evaluations
from bosco.judge.evaluation import Evaluation
from bosco.judge.metrics import cost_of_rows
from bosco.judge.report import say_rows
from bosco.render.html import Shown, Table


@dataclass(frozen=True, slots=True)
class Point:
    """Trees that were grown with one weight of prices.

    Attributes
    ----------
    weight : float
        How much prices weighed (`ask_weight`).
    error, low, high : float
        Its mean on held-out rows over the splits, and the confidence interval.
    price : float
        What held-out rows pay for answers, on average.
    leaves : float
        Leaves of the trees, on average.
    beaten : bool
        Whether another point has no larger error and no higher price, and one of them lower.
    """

    weight: float
    error: float
    low: float
    high: float
    price: float
    leaves: float
    beaten: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Frontier(Shown):
    """What `frontier` found; ``print`` it, iterate, or draw it by `bosco.plot.frontier`.

    Attributes
    ----------
    measure : {"error", "cost", "mean absolute error"}
        What the error is: the share of wrong rows, the mean cost of a row, or of numbers the mean
        absolute error.
    points : tuple of Point
        By ascending weight.
    confidence : float
        Of the intervals.
    how : str
        Which rows, in words.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import golf
    >>> tree = bosco.DecisionTreeClassifier(ask_costs={"outlook": 1, "humidity": 7}, max_depth=2)
    >>> found = bosco.frontier(tree, *golf(), weights=(0, 4), folds=3)
    >>> found.measure, len(found)
    ('error', 2)
    """

    measure: str
    points: tuple[Point, ...]
    confidence: float
    how: str

    def __iter__(self) -> Any:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_dict(self) -> dict[str, list[Any]]:
        """The points as columns."""
        rows = [asdict(point) for point in self.points]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _cells(self) -> list[list[str]]:
        share = tr("{n:g} % interval", n=100 * self.confidence)
        heads = [tr("weight of prices"), MEASURES[self.measure](), share]
        rows = [[*heads, tr("price a case"), tr("leaves"), ""]]
        for p in self.points:
            interval = tr("{low} to {high}", low=show_figure(p.low), high=show_figure(p.high))
            cells = [show_number(p.weight), show_figure(p.error), interval, show_figure(p.price)]
            rows.append([*cells, f"{p.leaves:.1f}", tr("beaten by another") if p.beaten else ""])
        return rows

    def tables(self) -> tuple[Table, ...]:
        """What a notebook shows of it."""
        header, *rows = self._cells()
        return (Table(header, rows, self.how),)

    def to_text(self) -> str:
        """The points as text."""
        return "\n".join([self.how, "", *lay_out(self._cells(), ">>>>><")])


MEASURES = {
    "error": phrase("error"),
    "cost": phrase("cost of a row"),
    "mean absolute error": phrase("mean absolute error"),
}
"""What errors are, in words."""


def frontier(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    weights: Sequence[float] = (0, 0.25, 0.5, 1, 2, 4),
    method: str | None = "k_fold",
    repeats: int | None = None,
    test_size: float | None = None,
    folds: int | None = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Frontier:
    """The error of trees against the price of what they ask, as prices weigh more and more.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
        With `ask_costs`. Its `ask_weight` is set to each of the weights.
    X, y : table, array-like of shape (n_rows,)
        As for `fit`.
    weights : sequence of float, default=(0, 0.25, 0.5, 1, 2, 4)
        The weights of prices that are tried; 0 grows without regard to them.
    method, repeats, test_size, folds, groups, time, sample_weight, confidence, n_jobs, random_state
        The splits, the same for all points, as for `evaluate`.

    Returns
    -------
    Frontier
        A `Point` per weight; ``print`` it.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import golf
    >>> tree = bosco.DecisionTreeClassifier(ask_costs={"outlook": 1, "humidity": 7})
    >>> found = bosco.frontier(tree, *golf(), weights=(0, 2), folds=4)
    >>> [point.weight for point in found], found.points[0].price > found.points[1].price
    ([0.0, 2.0], True)
    """
    if getattr(estimator, "ask_costs", None) is None:
        raise ParameterError(
            "frontier shows errors against prices, and nothing has a price. Hint: an estimator of "
            "one tree with ask_costs={name: price}."
        )
    chosen = [float(weight) for weight in weights]
    if not chosen:
        raise ParameterError("weights must be one number or more, such as (0, 1, 2). Got none.")
    measure, metric = _measure(estimator)
    found = evaluations(
        [clone(estimator).set_params(ask_weight=weight) for weight in chosen],
        X,
        y,
        {"groups": groups, "time": time},
        sample_weight,
        {
            "method": method,
            "repeats": repeats,
            "test_size": test_size,
            "folds": folds,
            "stratify": True,
            "seed": random_state,
        },
        [metric, "price"],
        confidence,
        n_jobs,
    )
    points = [_point(weight, one, measure) for weight, one in zip(chosen, found, strict=True)]
    how = f"{say_rows(found[0])} · {found[0].plan} · {tr('the same splits for all')}"
    return Frontier(measure, tuple(map(_against(points), points)), found[0].confidence, how)


def _measure(estimator: Any) -> tuple[str, Any]:
    """What the error of an estimator is, and the metric that says so."""
    if task_of(estimator) == "regression":
        return "mean absolute error", "mae"
    if getattr(estimator, "costs", None) is not None:
        return "cost", cost_of_rows(estimator.costs)
    return "error", "accuracy"


def _point(weight: float, found: Evaluation, measure: str) -> Point:
    scored, priced = found.summaries
    ends = (scored.mean, *scored.interval)
    error, high, low = (1 - x if measure == "error" else -x for x in ends)
    leaves = float("nan") if found.leaves is None else float(found.leaves.mean())
    return Point(weight, error, max(low, 0.0), high, -priced.mean, leaves)


def _against(points: Sequence[Point]) -> Any:
    """Who says of a point whether another beats it."""

    def told(one: Point) -> Point:
        beaten = any(
            p.error <= one.error
            and p.price <= one.price
            and (p.error, p.price) != (one.error, one.price)
            for p in points
        )
        return Point(**asdict(one) | {"beaten": beaten})

    return told
