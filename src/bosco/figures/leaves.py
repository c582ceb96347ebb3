"""How far each leaf can be trusted: its rows, its shares or mean, and an interval.

The rows that a tree was grown on flatter it, since its tests were chosen to suit them. Rows that it
has not seen do not: `Model.recount` sends them down the tree and counts again (`recount`).
Over 400 lines, so that a leaf, what is said of all of them, and their table stand in one place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bosco.base.language import tr
from bosco.base.numerals import lay_out, show_figure
from bosco.data.fingerprint import Seen
from bosco.data.schema import show_label
from bosco.errors import ParameterError
from bosco.figures.intervals import Floats, check_confidence, mean_interval, wilson
from bosco.render.card import ALL_OF, show_share, show_weight
from bosco.render.html import Shown, Table
from bosco.tree.census import Evidence, tiny, training_evidence
from bosco.tree.ties import say_tie

if TYPE_CHECKING:
    from bosco.models.model import Model

WEAK_BELOW = 5.0
"""A leaf of fewer rows has weak support. Of four rows that agree, the 95 % interval is 51 to 100 %,
so fewer than five hardly tell a leaf from a coin."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf.

    Attributes
    ----------
    node : int
        Its number, as the text of the model shows it.
    prediction : object
        What the model predicts there.
    rows : float or None
        Number of rows that reach it; None where only their weight is known.
    weight : float
        Their weight.
    number : float
        How many rows the interval counts; see `Leaves.basis`.
    values : tuple of float
        Share of each class among them; for a real target their mean. NaN: no row.
    low, high : tuple of float
        The interval of each value.
    share : float
        The value for what is predicted: the share of the predicted class, or the mean.
    share_low, share_high : float
        Its interval.
    by_weight : float
        The same by weight, as the model predicts it from its training rows.
    weak : bool
        Too few rows.
    tie : bool
        Whether another class weighed as much in training, and the order of the classes decides.
    by_order : bool
        Whether a person ordered the prediction; the share is that of what was ordered.
    by : str
        "by cost" or "by cut-off" where these decide for another class than the heaviest.
    price : float or None
        What a case has paid for answers that comes here; None where nothing has a price.
    """

    node: int
    prediction: Any
    rows: float | None
    weight: float
    number: float
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    share: float
    share_low: float
    share_high: float
    by_weight: float
    weak: bool
    tie: bool = False
    by_order: bool = False
    by: str = ""
    price: float | None = None

    @property
    def amount(self) -> float:
        """Number of rows; their weight where only that is known."""
        return self.weight if self.rows is None else self.rows

    def in_words(self, real: bool) -> list[str]:
        """The share, or the mean of a real target, and its interval, as text."""
        if not self.amount:
            return ["–", "–"]
        if real:
            bounds = f"{show_figure(self.share_low)} – {show_figure(self.share_high)}"
            return [show_figure(self.share), "–" if np.isinf(self.share_low) else bounds]
        low = show_share(self.share_low).removesuffix(" %")
        return [show_share(self.share), f"{low} – {show_share(self.share_high)}"]

    @property
    def remark(self) -> str:
        """What to know of it, in words."""
        marks = {
            tr("by order"): self.by_order,
            self.by: bool(self.by),
            tr("weak support"): self.weak,
            tr("a tie"): self.tie,
        }
        return ", ".join(words for words, holds in marks.items() if holds)


@dataclass(frozen=True, slots=True)
class Leaves(Shown):
    """The leaves of a tree with what some rows say of them; ``print`` it, iterate, or tabulate.

    A share has Wilson's interval, a mean Student's t; each stands for itself, not for all at once.

    Attributes
    ----------
    source : {"training", "given"}
        Whose rows they are.
    basis : {"rows", "effective", "weight"}
        What the shares and their intervals count. "rows": rows, whatever they weigh
        (`class_weight`, boosting). "effective": shares and means are by weight, and (Σw)² / Σw²
        rows stand behind them, as many of equal weight as would say as much. "weight": as if weight
        were rows, where nothing else is known.
    weighted : bool
        Whether the rows carry weights.
    classes : tuple or None
        The classes, in the order of `Leaf.values`; None for a real target.
    confidence, weak_below : float
        As asked.
    leaves : tuple of Leaf
        By number.
    noun : str
        What is counted: "row", or "drawn row" where the tree drew its rows.
    seen : Seen or None
        Of rows given to `Model.recount`: which of them equal training rows.
    parts : tuple of Leaves
        Where some do and some do not: by the others, and by those that do.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> print(model.leaves())
    leaf  predicts  rows  share  95 % interval
    [1]   Yes       4     100 %  51.0 – 100 %   weak support
    [4]   No        2     100 %  34.2 – 100 %   weak support
    [5]   Yes       3     100 %  43.9 – 100 %   weak support
    [6]   No        3     100 %  43.9 – 100 %   weak support
    [7]   Yes       2     100 %  34.2 – 100 %   weak support
    <BLANKLINE>
    Optimistic: these are the rows that the tree was grown on. model.recount(X, y) asks others.
    5 of 5 leaves have weak support: fewer than 5 rows.
    """

    source: str
    basis: str
    weighted: bool
    classes: tuple[Any, ...] | None
    confidence: float
    weak_below: float
    leaves: tuple[Leaf, ...]
    noun: str = "row"
    seen: Seen | None = field(default=None, compare=False)
    parts: tuple["Leaves", ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)

    @property
    def mean_price(self) -> float | None:
        """What these rows pay for answers, on average; None where nothing has a price."""
        paid = [(leaf.amount, leaf.price) for leaf in self if leaf.price is not None]
        whole = sum(amount for amount, _ in paid)
        return sum(amount * price for amount, price in paid) / whole if whole else None

    @property
    def optimistic(self) -> bool:
        """Whether the rows are, or some of them equal, those that the tree was grown on."""
        return self.source == "training" or (self.seen is not None and self.seen.n_equal > 0)

    @property
    def weak(self) -> tuple[Leaf, ...]:
        """The leaves with weak support."""
        return tuple(leaf for leaf in self.leaves if leaf.weak)

    def to_dict(self) -> dict[str, list[Any]]:
        """The leaves as columns."""
        names = ["node", "prediction", "rows", "weight", "number"]
        names += ["share", "share_low", "share_high", "by_weight"]
        said = {"share": "mean", "share_low": "low", "share_high": "high"}
        said = said if self.classes is None else {}
        table = {said.get(name, name): [getattr(leaf, name) for leaf in self] for name in names}
        for k, label in enumerate(self.classes or ()):
            for column, part in (("share", "values"), ("low", "low"), ("high", "high")):
                table[f"{column}[{label}]"] = [getattr(leaf, part)[k] for leaf in self]
        table |= {"weak": [leaf.weak for leaf in self.leaves]}
        if self.mean_price is not None:
            table["price"] = [leaf.price for leaf in self.leaves]
        for whose, leaves in zip(("unseen", "seen"), self.parts, strict=False):
            columns = ("rows", "share", "share_low", "share_high")
            table |= {f"{whose}_{x}": [getattr(leaf, x) for leaf in leaves] for x in columns}
        return table

    def _cells(self) -> list[list[str]]:
        """The header and a row per leaf, in words."""
        real = self.classes is None
        apart = self.weighted and self.basis == "rows"
        priced = any(leaf.price is not None for leaf in self)
        heads = [
            tr("leaf"),
            tr("predicts"),
            self.amount_head,
            *[tr("effective")] * (self.basis == "effective"),
            self.share_head,
            tr("{n:g} % interval", n=100 * self.confidence),
            *[tr("by weight")] * apart,
            *[tr("price")] * priced,
            "",
        ]
        rows = [heads]
        for leaf in self.leaves:
            predicts = show_figure(leaf.prediction) if real else show_label(leaf.prediction)
            row = [f"[{leaf.node}]", predicts, show_weight(leaf.amount)]
            row += [show_figure(leaf.number)] * (self.basis == "effective")
            row += leaf.in_words(real)
            row += [show_share(leaf.by_weight) if leaf.amount else "–"] * apart
            row += [show_figure(leaf.price or 0.0)] * priced
            rows.append([*row, leaf.remark])
        return rows

    @property
    def share_head(self) -> str:
        """What the column of shares or means is called."""
        real = self.classes is None
        if not self.weighted:
            return tr("mean") if real else tr("share")
        if self.basis == "rows":
            return tr("mean of rows") if real else tr("share of rows")
        return tr("weighted mean") if real else tr("weighted share")

    @property
    def amount_head(self) -> str:
        """What the column of rows, or of their weight, is called."""
        return tr("weight") if self.basis == "weight" else ALL_OF[self.noun]()

    @property
    def counting(self) -> str:
        """What the intervals count, in a sentence; empty where it is rows without weights."""
        if self.basis == "effective":
            return tr("Intervals count effective rows, (Σw)² / Σw² of the weights.")
        if self.basis == "weight":
            return tr("The number of rows is not known: intervals count weight as if it were rows.")
        return tr("Shares and intervals count rows, whatever they weigh.") if self.weighted else ""

    @property
    def weakly(self) -> str:
        """What weak support is, in words: ``fewer than 5 rows``."""
        if self.basis == "weight":
            return tr("a weight below {n:g}", n=self.weak_below)
        if self.basis == "effective":
            rows = ALL_OF[self.noun]()
            return tr("fewer than {n:g} effective {rows}", n=self.weak_below, rows=rows)
        return tr("fewer than {n:g} {rows}", n=self.weak_below, rows=ALL_OF[self.noun]())

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        if self.parts:
            return tuple(table for part in self.parts for table in part.tables())
        header, *rows = self._cells()
        return (Table(header, rows, tr("Leaves, by {rows}", rows=self.whose)),)

    @property
    def whose(self) -> str:
        """Whose rows they are, in words."""
        if self.seen is not None:
            return self.seen.whose
        return ALL_OF[self.noun.replace("row", "training row")]()

    @property
    def _whence(self) -> str:
        """What the rows are to the tree, in a sentence."""
        if self.seen is None:
            rows = tr("rows that the tree was grown on")
            if self.noun != "row":
                rows = tr("{rows}, each as often as it was drawn", rows=rows)
            said = tr("Optimistic: these are the {rows}.", rows=rows)
            return f"{said} {tr('model.recount(X, y) asks others.')}"
        whence = tr("From {rows}.", rows=self.whose)
        if not self.seen.known:
            doubt = tr("Optimistic if it was grown on any of them.")
            return f"{whence} {self.seen} {doubt}"
        if self.seen.state == "fresh":
            return whence
        if self.seen.sampled:
            return f"{whence} {tr('Optimistic if it was grown on the others, too.')}"
        return tr("Optimistic, no test: from {rows}.", rows=self.whose)

    def __str__(self) -> str:
        if self.parts:
            fresh, known = self.parts
            return f"{self.seen}\n\n{fresh}\n\n{known}"
        lines = [*lay_out(self._cells(), "<"), "", self._whence]
        if self.counting:
            lines.append(self.counting)
        if self.classes is not None and any(leaf.tie for leaf in self):
            lines.append(say_tie(len(self.classes)))
        if weak := len(self.weak):
            of = {"all": len(self), "weakly": self.weakly}
            lines.append(tr("{n} of {all} leaves have weak support: {weakly}.", n=weak, **of))
        if self.mean_price is not None:
            price = show_figure(self.mean_price)
            lines.append(tr("Asking costs these rows {price} each, on average.", price=price))
        return "\n".join(lines)


def training_leaves(
    model: "Model", *, confidence: float = 0.95, weak_below: float = WEAK_BELOW
) -> Leaves:
    """What the training rows say of every leaf, with intervals; an optimistic view.

    Parameters
    ----------
    confidence : float, default=0.95
        Of the intervals.
    weak_below : float, default=5
        Leaves of fewer rows are flagged as weakly supported.

    Returns
    -------
    Leaves
        One row per leaf; ``print`` it, iterate, or make a dataframe of ``to_dict()``.
    """
    evidence = training_evidence(model)
    census, weight = model.census, model.tree.node_weight
    # An empty leaf predicts what its parent does; nobody has seen a row there.
    values = np.where(weight[:, None] > 0, evidence.values, np.nan)
    impurity = model.tree.native.impurity
    # The spread of a real target, where it is not known.
    lost = (impurity == 0) & tiny(model.tree)
    lost |= (impurity > 0) & (not model.growth.spreads)
    found = leaves_by(
        model,
        "training",
        None if census is None else census.total,
        weight,
        evidence._replace(values=values),
        model.counted is not None,
        np.asarray(np.sqrt(np.where(lost, np.inf, impurity)), np.float64),
        confidence,
        weak_below,
    )
    return found if census is None else replace(found, noun=census.noun)


def leaves_by(
    model: "Model",
    source: str,
    rows: Floats | None,
    weight: Floats,
    evidence: Evidence,
    weighted: bool,
    deviation: Floats,
    confidence: float,
    weak_below: float,
) -> Leaves:
    """The leaves by what some rows say of every node."""
    confidence = check_confidence(confidence)
    if isinstance(weak_below, bool) or not isinstance(weak_below, float | int) or weak_below < 0:
        raise ParameterError(
            f"weak_below must be a number of rows, not negative. Got {weak_below!r}."
        )
    values, numbers, basis = evidence
    if model.classes is not None:
        low, high = wilson(values, numbers[:, None], confidence)
    else:
        with np.errstate(invalid="ignore"):  # of no rows
            spread = deviation * np.sqrt(numbers / np.maximum(numbers - 1, 1e-9))
        low, high = (b[:, None] for b in mean_interval(values[:, 0], spread, numbers, confidence))
    said, best = model.tree.native.value, model.node_class  # of numbers, the only one
    none = np.zeros(len(said), bool)
    ties, turned = (none, none) if model.classes is None else (model.ties, model.turned)
    nodes = np.flatnonzero(model.tree.native.first_child < 0).tolist()
    answers = model._answer[nodes].tolist()
    leaves = tuple(
        Leaf(
            node=node,
            prediction=answer,
            rows=None if rows is None else float(rows[node]),
            weight=float(weight[node]),
            number=float(numbers[node]),
            values=tuple(values[node].tolist()),
            low=tuple(low[node].tolist()),
            high=tuple(high[node].tolist()),
            share=float(values[node, best[node]]),
            share_low=float(low[node, best[node]]),
            share_high=float(high[node, best[node]]),
            by_weight=float(said[node, best[node]]),
            weak=bool(numbers[node] < weak_below),
            tie=bool(ties[node]),
            by_order=node in model.edits.orders,
            by=model.decision.word if turned[node] else "",
            price=None if model.prices is None else float(model.prices.of_nodes[node]),
        )
        for node, answer in zip(nodes, answers, strict=True)
    )
    classes = None if model.classes is None else tuple(model.classes.tolist())
    return Leaves(source, basis, weighted, classes, confidence, float(weak_below), leaves)
