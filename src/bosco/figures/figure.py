"""How wrong a model is on given rows, beside the constant answer; rows it was grown on apart."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import phrase, tr
from bosco.base.numerals import show_figure
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.frame import Frame
from bosco.data.target import encode_among, encode_values
from bosco.errors import DataError
from bosco.figures.constant import (
    constant_answer,
    mean_of,
    paired_wrongs,
    say_verdict,
    verdict_of,
)
from bosco.figures.costing import MeanCost, mean_cost
from bosco.figures.intervals import Floats, wilson
from bosco.figures.pricing import MeanPrice, mean_price
from bosco.render.card import show_share
from bosco.tree.family import AnyModel


@dataclass(frozen=True, slots=True)
class Figure:
    """One error with its interval, beside that of the constant answer.

    Attributes
    ----------
    metric : str
        error (the share of wrong rows), or mean absolute error.
    value, low, high : float
        The figure, and its 95 % interval.
    rows : int
        How many rows it was taken on.
    baseline : float
        The same figure of whoever always says what most training rows are, or their mean.
    says : str
        What that is.
    gain, gain_low, gain_high : float
        By how much the model's is lower, on the same rows, and the 95 % interval of that.
    weighted : bool
        Whether rows count by their weights, in every number above but `rows`. The intervals are
        approximate then: as of (Σw)² / Σw² rows of equal weight.
    how : str
        How it was taken.
    cost : MeanCost or None
        What a row costs, where answers go by costs: that is then to beat the constant answer.
    part : str
        The rows it was taken on: "test", or "training" and "validation", which are no test.
    """

    metric: str
    value: float
    low: float
    high: float
    rows: int
    baseline: float
    says: str
    gain: float
    gain_low: float
    gain_high: float
    weighted: bool = False
    how: str = ""
    cost: MeanCost | None = None
    part: Literal["test", "training", "validation"] = "test"

    @property
    def verdict(self) -> str:
        """Say "better", "no better" or "worse" than the constant answer."""
        return verdict_of(self.gain_low, self.gain_high)

    def show(self, value: float) -> str:
        """The figure, or one like it, as text."""
        return show_share(value) if self.metric == "error" else show_figure(value)

    @property
    def name(self) -> str:
        """What it is called: an error, a weighted error."""
        return _name(self.metric, "weighted" if self.weighted else "")

    @property
    def interval(self) -> str:
        """The interval in words."""
        ends = {"low": self.show(self.low), "high": self.show(self.high)}
        if self.weighted:
            return tr("95 % interval about {low} to {high}", **ends)
        return tr("95 % interval {low} to {high}", **ends)

    @property
    def constant(self) -> str:
        """The constant answer and its figure, in words."""
        return f"{tr('always saying {answer}', answer=self.says)}: {self.show(self.baseline)}"

    @property
    def measures(self) -> "tuple[Figure | MeanCost, ...]":
        """The error, and where answers go by costs what a row costs."""
        return (self,) if self.cost is None else (self, self.cost)

    @property
    def lines(self) -> list[str]:
        """The figure in words, on which rows, and where it is no better than the constant."""
        rows = f"{tr('{n:,} rows', n=self.rows)}{self.how}"
        if self.part == "test":
            return [_test(self, rows), self.against]
        on = _PARTS[self.part]()
        return [f"{x.name}: {x.show(x.value)} ({rows}, {on}); {x.constant}" for x in self.measures]

    def __str__(self) -> str:
        return "\n".join(line for line in self.lines if line)

    @property
    def against(self) -> str:
        """The comparison in a sentence, where the model is not better; else nothing.

        Nor where answers go by costs: they trade errors for them, and costs are what is compared.
        """
        if self.cost is not None:
            return ""
        unit = 100.0 if self.metric == "error" else 1.0
        bounds = (self.gain * unit, self.gain_low * unit, self.gain_high * unit)
        points = tr(" points", "percent") if self.metric == "error" else ""
        what = tr("always saying {answer}", answer=self.says)
        what += f", {tr('by weight')}" if self.weighted else ""
        return say_verdict(self.verdict, what, *bounds, points)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that JSON can hold."""
        told = (name for name in self.__slots__ if name not in ("how", "part", "cost"))
        plain = {name: getattr(self, name) for name in told}
        return plain | {"verdict": self.verdict}


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A model on given rows; ``print`` it.

    Attributes
    ----------
    seen : Seen
        Which of the rows equal training rows.
    whole : Figure
        On all rows.
    known, fresh : Figure or None
        On those that equal training rows, which is no test, and on those that equal none; None
        where there are none, or nobody can tell.
    said : ndarray
        What the model predicts for each row: numbers, or places among its classes.
    weight : ndarray or None
        What the rows weigh.
    untouched : bool
        The rows were set apart before anything was learned or chosen.
    price : MeanPrice or None
        Where answers have prices: what all the rows pay for them, on average.
    """

    seen: Seen
    whole: Figure
    known: Figure | None
    fresh: Figure | None
    said: NDArray[Any]
    weight: Floats | None = None
    untouched: bool = False
    price: MeanPrice | None = None

    @property
    def apart(self) -> bool:
        """Whether rows seen in training are told apart from the others."""
        return self.seen.mixed and not self.untouched

    @property
    def told(self) -> Figure:
        """The figure to tell first: where rows are told apart, that of rows not seen."""
        return (self.fresh if self.apart else None) or self.whole

    @property
    def cost(self) -> MeanCost | None:
        """What a row costs, where the model has costs; of the rows of the figure that is `told`."""
        return self.told.cost

    @property
    def test(self) -> Figure | None:
        """The figure that is one of a test; None if there is none."""
        fresh = self.seen.state == "fresh" and self.fresh is not None
        return self.whole if self.untouched or fresh else self.fresh

    @property
    def lines(self) -> list[str]:
        """The figures in words, a line each."""
        costs = [] if self.cost is None else [str(self.cost), self.cost.against]
        price = [] if self.price is None else [str(self.price)]
        return [line for line in [*self._errors, *costs, *price] if line]

    @property
    def against(self) -> str:
        """The comparison with the constant answer, by costs where there are some; see `Figure`."""
        return self.told.against if self.cost is None else self.cost.against

    @property
    def _errors(self) -> list[str]:
        seen, whole = self.seen, self.whole
        if self.untouched:
            return [*whole.lines, self.by_chance]
        if not seen.known:
            doubt = str(seen).removesuffix(".")
            doubt = f"{doubt[0].lower()}{doubt[1:]}, {tr('so that this may be no test')}"
            rows = tr("{n:,} rows", n=whole.rows)
            said = f"{whole.name}: {whole.show(whole.value)}, {whole.interval} ({rows}"
            return [f"{said}{whole.how}; {doubt}); {whole.constant}", whole.against]
        if self.known is None:
            none = tr("none of which equals a training row")
            if seen.sampled:
                none = tr(
                    "none of the {n:,} that can be told of equals a training row", n=seen.n_looked
                )
            rows = f"{tr('{n:,} rows', n=whole.rows)}{whole.how}"
            return [_test(whole, f"{rows}, {none}"), whole.against]
        value = tr("{figure} on those: {value} (not a test)", **_named(self.known))
        lines = [str(seen), f"{value}; {self.known.constant}"]
        if seen.sampled and self.fresh is None:
            doubt = tr(
                "{figure} on all {n:,}, of which {unknown:,} cannot be told: {value}",
                n=whole.rows,
                unknown=whole.rows - seen.n_looked,
                **_named(whole),
            )
            lines.append(f"{doubt}; {whole.constant}")
        if self.fresh is not None:
            others = tr("on the {n:,} others", n=self.fresh.rows)
            lines += [_test(self.fresh, "", others), self.fresh.against]
        return lines

    @property
    def by_chance(self) -> str:
        """The figure on untouched rows that happen to equal training rows, and on the others."""
        if self.known is None or self.fresh is None:
            return ""
        said = str(self.seen).removesuffix(".")
        fresh = f"{self.fresh.show(self.fresh.value)}, {self.fresh.interval}"
        known = tr("{figure} on those {value}", **_named(self.known))
        return f"{said}: {known}, {tr('on the {n:,} others', n=self.fresh.rows)} {fresh}."

    def __str__(self) -> str:
        return "\n".join(line for line in self.lines if line)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values: the figure on all rows, and apart."""
        parts = {
            "seen": None if self.known is None else self.known.to_dict(),
            "unseen": None if self.fresh is None else self.fresh.to_dict(),
        }
        if self.cost is not None:
            parts["cost"] = self.cost.to_dict()
        if self.price is not None:
            parts["price"] = self.price.to_dict()
        return self.whole.to_dict() | {"training_rows": self.seen.to_dict()} | parts


_NAMES = {
    ("error", ""): phrase("error"),
    ("error", "test"): phrase("test error"),
    ("error", "weighted"): phrase("weighted error"),
    ("error", "weighted test"): phrase("weighted test error"),
    ("mean absolute error", ""): phrase("mean absolute error"),
    ("mean absolute error", "test"): phrase("test mean absolute error"),
    ("mean absolute error", "weighted"): phrase("weighted mean absolute error"),
    ("mean absolute error", "weighted test"): phrase("weighted test mean absolute error"),
}

_PARTS = {
    "training": phrase("which it was grown on, so that this is no test"),
    "validation": phrase("which choices looked at, so that this is no test"),
}


def _name(metric: str, kind: str) -> str:
    """What a figure is called in words."""
    return _NAMES[metric, kind]()


def _named(figure: Figure) -> dict[str, str]:
    return {"figure": figure.name, "value": figure.show(figure.value)}


def _test(figure: Figure, where: str, on: str = "") -> str:
    """A figure that may be called one of a test."""
    head = _name(figure.metric, "weighted test" if figure.weighted else "test")
    head += f" {on}" if on else ""
    rows = f" ({where})" if where else ""
    value = f"{figure.show(figure.value)}, {figure.interval}"
    return f"{head}: {value}{rows}; {figure.constant}"


def judge(
    model: AnyModel,
    frame: Frame,
    truth: NDArray[Any],
    weight: Floats | None = None,
    *,
    untouched: bool = False,
    how: str = "",
) -> Judged:
    """Judge a model by rows, of which `truth_of` says what is true.

    Shares of wrong rows have Wilson's interval, mean absolute errors Student's; weighted rows count
    as (Σw)² / Σw² rows, which is an approximation. Rows that are `untouched`, set apart before
    anything was learned or chosen, are a test. `how` the figure was taken is told after their
    number.
    """
    seen = seen_rows(model, frame, truth)
    answer, says = constant_answer(model, truth)
    said: NDArray[Any] = model.predict_frame(frame)
    if model.classes is not None:
        said = codes_of(said, model.classes)
    w = np.ones(len(truth)) if weight is None else np.asarray(weight, np.float64)

    def figure(rows: Any, part: str = "") -> Figure:
        own = None if weight is None else w[rows]
        return figure_of(
            said[rows],
            truth[rows],
            (answer, says),
            own,
            classes=model.classes is not None,
            how=how,
            cost=mean_cost(model, truth[rows], said[rows], own, part),
        )

    known, fresh = (
        figure(rows, part) if w[rows].any() else None
        for rows, part in zip(seen.parts(), ("", tr("equal to no training row")), strict=True)
    )
    price = mean_price(model, frame, weight)
    return Judged(seen, figure(slice(None)), known, fresh, said, weight, untouched, price)


def figure_of(
    said: NDArray[Any],
    truth: NDArray[Any],
    constant: tuple[Any, str],
    weight: Floats | None = None,
    *,
    classes: bool,
    times: Floats | None = None,
    how: str = "",
    cost: MeanCost | None = None,
) -> Figure:
    """The figure of what was said of rows: places of classes, or numbers.

    `constant` is the constant answer, and in words. Of classes, each row may stand for several:
    `times`.
    """
    answer, says = constant
    w = np.ones(len(truth)) if weight is None else np.asarray(weight, np.float64)
    if classes:
        v = w if times is None else w * times  # what they weigh together
        off, idle, metric = said != truth, truth != answer, "error"
        value = float(np.average(off, weights=v))
        low, high = map(float, wilson(value, float(v.sum() ** 2 / (v @ w))))
        gain = paired_wrongs(off, idle, w, times)
        n, baseline = int(np.count_nonzero(v)), float(np.average(idle, weights=v))
        if times is not None:
            n = int(times[w > 0].sum())
    else:
        off, idle, metric = np.abs(said - truth), np.abs(truth - answer), "mean absolute error"
        value, low, high = mean_of(off, w)
        low, gain = max(low, 0.0), mean_of(idle - off, w)
        n, baseline = int(np.count_nonzero(w)), float(np.average(idle, weights=w))
    ends = (value, low, high, n, baseline, says, *gain)
    return Figure(metric, *ends, weighted=weight is not None, how=how, cost=cost)


def truth_of(model: AnyModel, frame: Frame, y: Any) -> NDArray[Any]:
    """What is true of rows: numbers, or places among the classes of the model; checked."""
    if model.classes is None:
        truth: NDArray[Any] = encode_values(y, None, False).numbers
    else:
        truth = encode_among(y, model.classes, None, False).codes
    if frame.n_rows != len(truth):
        raise DataError(
            f"X has {frame.n_rows} rows and y {len(truth)}; they must have equally many."
        )
    return truth


def codes_of(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """The place of each predicted label among the classes."""
    place = {label: k for k, label in enumerate(classes.tolist())}
    found, codes = np.unique(labels, return_inverse=True)
    at: NDArray[np.intp] = np.array([place[label] for label in found.tolist()])[codes.reshape(-1)]
    return at
