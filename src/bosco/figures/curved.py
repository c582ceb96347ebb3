"""A classifier on given rows, as curves: what is counted, on which rows, and what is said of it."""

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import phrase, tr
from bosco.base.numerals import lay_out, show_figure
from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.frame import Frame
from bosco.data.schema import show_label
from bosco.errors import DataError, ParameterError
from bosco.figures.areas import Area
from bosco.figures.curves import ClassCurves, Prices, prices
from bosco.figures.figure import codes_of
from bosco.figures.intervals import Floats
from bosco.figures.onrows import whose_rows, why_no_test
from bosco.figures.scored import Confusion, Count, Scored, positive_of, scorer
from bosco.render.card import show_share, show_weight
from bosco.render.html import Shown, Table
from bosco.tree.family import AnyModel

BARS = 11
"""Bars of a table in print; `to_dict` has all."""

MOST_CLASSES = 30
"""Of more classes, the commonest have curves."""


@dataclass(frozen=True, eq=False)
class Curves(Shown):
    """What `bosco.curves` found; ``print`` it, `to_dict` has every point.

    Attributes
    ----------
    curves : tuple of ClassCurves
        One class against the other; of several, each against all others.
    seen : Seen or None
        Which of the rows given equal training rows; None: counted scores were given.
    known : tuple of ClassCurves
        Where some rows equal training rows and some do not: the same on those that do, which is no
        test. `curves` are of the others then.
    untouched : bool
        The rows were set apart before anything was learned or chosen.
    part : {"test", "validation", "training"}
        Of a draft, the part that the rows are.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = bosco.DecisionTreeClassifier(max_depth=3).fit(X[:300], y[:300])
    >>> found = bosco.curves(tree, X[300:], y[300:])
    >>> round(found[1].area.value, 3), found[1].point.rows.tolist()
    (0.922, [[64, 2], [19, 184]])
    """

    curves: tuple[ClassCurves, ...]
    seen: Seen | None = None
    known: tuple[ClassCurves, ...] = ()
    untouched: bool = False
    part: str = "test"

    @classmethod
    def of(
        cls, label: Any, scored: Scored, *, threshold: float = 0.5, costs: Prices | None = None
    ) -> Self:
        """Curves of scores that were counted already, such as those of a stream.

        Parameters
        ----------
        label : object
            The class.
        scored : Scored
            The counts; those of parts are put together by ``Scored.total``.
        threshold : float, default=0.5
            The bar at which the confusion is counted.
        costs : Prices, optional
            What a row of the class costs that is missed, and a false alarm.
        """
        if not scored.n_rows:
            raise DataError("No row was scored.")
        return cls((ClassCurves.of(label, scored, _bar(threshold), costs),))

    def __getitem__(self, label: Any) -> ClassCurves:
        """The curves of a class, by itself or by its name."""
        for one in self.curves:
            if one.label == label or one.name == show_label(label):
                return one
        names = ", ".join(one.name for one in self.curves)
        raise ParameterError(
            f"There are curves of {names}. Got {label!r}. "
            f"Hint: bosco.curves(…, positive={label!r})."
        )

    @property
    def weighted(self) -> bool:
        """Whether the rows carry weights, which all but numbers of rows go by."""
        return self.curves[0].scored.weighted

    @property
    def n_rows(self) -> int:
        """How many rows the curves are of."""
        return self.curves[0].scored.n_rows

    @property
    def whose(self) -> str:
        """Whose rows they are, in words."""
        if self.part != "test":
            return _PARTS[self.part](n=self.n_rows)
        apart, untouched = bool(self.known), self.untouched
        return whose_rows(self.n_rows, self.seen, apart=apart, untouched=untouched)

    @property
    def doubt(self) -> str:
        """Why this may be no test, in a sentence; else nothing."""
        if self.part == "validation":
            return tr("Choices looked at these rows, so that this is no test.")
        if self.part == "training":
            return tr("So this is no test: the figures flatter the model.")
        return why_no_test(self.seen, untouched=self.untouched)

    def to_dict(self) -> dict[str, list[Any]]:
        """Every bar of every class as columns."""
        table: dict[str, list[Any]] = {}
        for one in self.curves:
            n = len(one.scored.thresholds)
            columns = {
                "class": [one.label] * n,
                "threshold": one.scored.thresholds.tolist(),
                "rows_others": one.scored.rows_above[:, 0].tolist(),
                "rows_class": one.scored.rows_above[:, 1].tolist(),
                "answered": one.answered.tolist(),
                "recall": one.recall.tolist(),
                "false_alarms": one.false_alarms.tolist(),
                "precision": one.precision.tolist(),
                "lift": one.lift[1].tolist(),
                "cost": one.cost.tolist(),
            }
            for name, values in columns.items():
                table.setdefault(name, []).extend(values)
        return table

    def summary(self) -> dict[str, list[Any]]:
        """A line for every class: the areas, the Brier score, and the point that was asked for."""
        names = ["class", "rows", "rows_class"]
        names += [f"{area}{end}" for area in _AREAS for end in ("", "_low", "_high", "_idle")]
        names += ["threshold", "error", "recall", "false_alarms", "precision", "answered"]
        table: dict[str, list[Any]] = {name: [] for name in names}
        for one in self.curves:
            row: list[Any] = [one.label, one.scored.n_rows, int(one.scored.rows[:, 1].sum())]
            for name in _AREAS:
                area: Area = getattr(one, name)
                row += [area.value, area.low, area.high, area.idle]
            p = one.point
            row += [p.threshold, p.error, p.recall, p.false_alarms, p.precision, p.answered]
            for name, value in zip(names, row, strict=True):
                table[name].append(value)
        return table

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        several = len(self.curves) > 1
        found = [Table(*figures_table(self), tr("On {rows}", rows=self.whose))]
        for one in self.curves if not several else ():
            found.append(Table(*_bars(one), tr("Where the bar stands, and what it finds")))
            found.append(Table(*point_table(one), point_words(one)))
        return tuple(found)

    def to_text(self) -> str:
        """The figures, some bars, and what is mistaken for what; ``print`` shows it."""
        lines = [tr("On {rows}", rows=self.whose) + ".", *filter(None, [self.doubt])]
        if self.weighted:
            lines.append(tr("All but numbers of rows go by weight; intervals are about right."))
        head, rows = figures_table(self)
        lines += ["", *lay_out([head, *rows], "<><>")]
        if len(self.curves) == 1:
            (one,) = self.curves
            head, rows = _bars(one)
            lines += ["", *lay_out([head, *rows], ">")]
            head, rows = point_table(one)
            lines += ["", point_words(one), *lay_out([head, *rows])]
            if one.costs is not None:
                lines += ["", *wrap(say_cheapest(one), 100)]
        return "\n".join(lines)


_PARTS = {
    "validation": phrase("the {n:,} validation rows"),
    "training": phrase("the {n:,} training rows"),
}

_AREAS = ("area", "average_precision", "brier")


def figures_table(found: Curves) -> tuple[list[str], list[list[str]]]:
    """Areas and the Brier score of every class, with intervals."""
    head = [tr("class"), tr("rows"), tr("figure"), tr("value"), tr("95 % interval")]
    head.append(tr("without a score"))
    head += [tr("on rows seen in training (no test)")] * bool(found.known)
    rows = []
    for k, one in enumerate(found.curves):
        of_class = f"{int(one.scored.rows[:, 1].sum()):,}"
        for name, words in _words().items():
            area: Area = getattr(one, name)
            ends = tr("{low} to {high}", low=_said(area.low), high=_said(area.high))
            bounds = "–" if np.isnan(area.value) else ends
            row = [one.name, of_class, words, _said(area.value), bounds, _said(area.idle)]
            row += [_said(getattr(found.known[k], name).value)] if found.known else []
            rows.append(row)
    return head, rows


def point_words(one: ClassCurves) -> str:
    """At which bar the confusion is counted, in words."""
    bar = one.point.threshold
    if np.isnan(bar):
        return tr("As the model answers by itself:")
    return tr("Said to be {name} from a score of {bar} on:", name=one.name, bar=show_figure(bar))


def say_cheapest(one: ClassCurves) -> str:
    """Where the least cost lies on these rows, and that it was sought on them."""
    bar = one.cheapest
    value, low, high = one.cost_at(bar)
    never, always = float(one.cost[0]), float(one.cost[-1])
    return tr(
        "A row costs least, {value} on average ({low} to {high}), where the bar stands at {bar}; "
        "{never} if nothing is said to be {name}, {always} if all is. The bar was sought on these "
        "very rows, which flatters it.",
        value=show_figure(value),
        low=show_figure(max(low, 0.0)),
        high=show_figure(high),
        bar=show_figure(bar),
        never=show_figure(never),
        always=show_figure(always),
        name=one.name,
    )


def _words() -> dict[str, str]:
    return {
        "area": tr("area under the ROC curve"),
        "average_precision": tr("average precision"),
        "brier": tr("Brier score"),
    }


def _said(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:.3f}"


def _bars(one: ClassCurves) -> tuple[list[str], list[list[str]]]:
    """Some bars, evenly along the rows."""
    head = [tr("score from"), tr("said to be {name}", name=one.name), tr("recall")]
    head += [tr("false alarms"), tr("precision"), tr("lift")]
    head += [tr("cost of a row")] * (one.costs is not None)
    rows = []
    lift = one.lift[1]
    for k in one.thinned(BARS).tolist():
        row = [show_figure(float(one.scored.thresholds[k]))]
        shares = (one.answered, one.recall, one.false_alarms, one.precision)
        row += [show_share(float(x[k])) if not np.isnan(x[k]) else "–" for x in shares]
        row[-1] = row[-1] if one.answered[k] else "–"  # of nothing
        row.append("–" if np.isnan(lift[k]) else show_figure(float(lift[k]), 3))
        row += [show_figure(float(one.cost[k]))] * (one.costs is not None)
        rows.append(row)
    return head, rows


def point_table(one: ClassCurves) -> tuple[list[str], list[list[str]]]:
    """What is true by what is said, in rows."""
    names = [one.name, tr("not {name}", name=one.name)]
    cells = one.point.rows[::-1, ::-1].tolist()
    head = [tr("true \\ predicted"), *names]
    return head, [[name, *map(show_weight, row)] for name, row in zip(names, cells, strict=True)]


def curves_on(
    model: AnyModel,
    frame: Frame,
    truth: NDArray[Any],
    weight: Floats | None = None,
    *,
    positive: Any = None,
    threshold: float | None = None,
    costs: Any = None,
    untouched: bool = False,
    seen: Seen | None = None,
) -> Curves:
    """Curves of a model on rows that are read already, of which `truth_of` says what is true."""
    if model.classes is None:
        raise ParameterError(
            "Curves are of classes, and this model predicts a number. Hint: bosco.residuals."
        )
    seen = seen_rows(model, frame, truth) if seen is None else seen
    said = codes_of(model.predict_frame(frame), model.classes)
    count = scorer(model, frame)
    costs = model.decision.costs if costs is None and len(model.classes) == 2 else costs
    return curves_of_scores(
        count, model.classes, truth, said, weight, seen,
        positive=positive, threshold=threshold, costs=costs, untouched=untouched,
    )  # fmt: skip


def curves_of_scores(
    count: Count,
    classes: NDArray[Any],
    truth: NDArray[Any],
    said: NDArray[Any],
    weight: Floats | None,
    seen: Seen,
    *,
    positive: Any,
    threshold: float | None,
    costs: Any,
    untouched: bool = False,
) -> Curves:
    """The same where `count` counts the scores of a class: of some rows, true or not, weighed."""
    if threshold is not None and not 0 <= _bar(threshold) <= 1:
        raise ParameterError(
            f"threshold must lie between 0 and 1, as the shares do that are compared with it. "
            f"Got {threshold!r}."
        )
    labels = classes.tolist()
    places = _places(classes, positive, truth)
    priced = prices(costs, labels, places[0])

    def of(rows: Any) -> tuple[ClassCurves, ...]:
        w = None if weight is None else weight[rows]
        found = []
        for k in places:
            own, answer = truth[rows] == k, said[rows] == k
            counted = count(k, rows, own, w)
            if threshold is None:
                point = _answers(own, answer, w)
            else:
                point = counted.confusion(_bar(threshold))
            found.append(ClassCurves(labels[k], counted, point, priced))
        return tuple(found)

    if not seen.mixed or untouched:
        return Curves(of(slice(None)), seen, (), untouched)
    known, fresh = seen.parts()
    return Curves(of(fresh), seen, of(known))


def _places(classes: NDArray[Any], positive: Any, truth: NDArray[Any]) -> list[int]:
    """Which classes have curves: the one asked for, the second of two, else the commonest."""
    if positive is not None or len(classes) == 2:
        return [positive_of(classes, positive)]
    rows = np.bincount(truth, minlength=len(classes))
    return sorted(np.argsort(-rows, kind="stable")[:MOST_CLASSES].tolist())


def _answers(own: NDArray[np.bool_], said: NDArray[np.bool_], w: Floats | None) -> Confusion:
    """What is true by what a model answers by itself; there is no bar."""
    cell = 2 * own.astype(np.intp) + said

    def added(x: Any) -> Any:
        return np.bincount(cell, x, 4).reshape(2, 2)

    if w is None:
        rows = added(None)
        return Confusion(float("nan"), rows, rows.astype(np.float64), rows.astype(np.float64))
    return Confusion(float("nan"), added((w > 0) * 1.0).astype(np.int64), added(w), added(w * w))


def _bar(threshold: Any) -> float:
    if isinstance(threshold, bool) or not isinstance(threshold, float | int | np.number):
        raise ParameterError(f"threshold must be a number. Got {threshold!r}.")
    return float(threshold)
