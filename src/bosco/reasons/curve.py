"""Why a node has its test, or what one column offers there: every cut with its score."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from bosco.base.hints import how
from bosco.base.language import ENGLISH, speaking, tr, trn
from bosco.base.numerals import lay_out
from bosco.base.visible import visible
from bosco.errors import ModelError, ParameterError, did_you_mean
from bosco.reasons.ending import AS_A_WHOLE
from bosco.reasons.held import Held
from bosco.reasons.making import Making
from bosco.reasons.recorded import held_rows, training_rows
from bosco.reasons.rooted import Subtrees, subtrees
from bosco.reasons.tried import Amount, Cuts, Levels, Tried, digits
from bosco.reasons.why import BY, Why
from bosco.reasons.why import why as why_node
from bosco.render.html import Table
from bosco.tree.tree import node_of

if TYPE_CHECKING:
    from bosco.models.model import Model

SHOWN = 20
"""So many tests are printed, unless all are asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What one column offers at a node: every cut, or every level, with what it is worth.

    Attributes
    ----------
    node : int
        The node.
    column : str
        The column.
    score : str
        What tests are compared by.
    weight, tally
        What the node holds: its rows, or their weight, in all and by class.
    best : Tried or None
        The column's best test, with its branches; None: it has none here.
    tests : Cuts, Levels or None
        Every test that was tried, as arrays; None: there is but one, or cuts are drawn.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> X, y = golf()
    >>> model = DecisionTreeClassifier(algorithm="hunt").fit(X, y).model_
    >>> curve = model.why(1, column="humidity", X=X, y=y)
    >>> len(curve.tests), curve.best.best.test
    (3, 'humidity ≤ 77.5')
    >>> print(curve)
    humidity at node 1, compared by gain
    5 rows: Don't Play 3, Play 2
    test    first branch                    gain
    ≤ 77.5  2 rows: Don't Play 0, Play 2  0.4000  best
    ≤ 87.5  3 rows: Don't Play 1, Play 2  0.2000
    ≤ 92.5  4 rows: Don't Play 2, Play 2       0
    """

    node: int
    column: str
    score: str
    weight: float
    tally: tuple[float, ...]
    best: Tried | None
    tests: Cuts | Levels | None
    amount: Amount

    def __len__(self) -> int:
        return 0 if self.tests is None else len(self.tests)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values; the tests as columns."""
        return {
            "node": self.node,
            "column": self.column,
            "score": self.score,
            "weight": self.weight,
            "tally": list(self.tally),
            "best": None if self.best is None else self.best.to_dict(self.weight),
            "tests": None if self.tests is None else self.tests.to_dict(),
        }

    def _rows(self, places: list[int]) -> list[list[Any]]:
        """Some tests: words, what goes the first way, figures, and a remark."""
        tests = self.tests
        assert tests is not None
        allowed = np.where(tests.allowed, tests.gain, -1.0)
        top = int(np.argmax(allowed)) if len(tests) and not self._more_cuts() else -1
        rows = []
        for i in places:
            remark = tr("best") if i == top else ""
            remark = remark if tests.allowed[i] else tr("not allowed")
            figures = [float(tests.gain[i])]
            if self.score != "gain":
                figures += [float(tests.split_info[i]), float(tests.gain_ratio[i])]
            rows.append([tests.test(i), self._first(i), *figures, remark])
        return rows

    def _more_cuts(self) -> bool:
        """Whether the column's best test is none of those listed."""
        return self.best is not None and self.best.several

    def _first(self, at: int) -> str:
        """What goes the first way."""
        assert self.tests is not None
        left = self.tests.left[at].tolist()
        if self.amount.classes:
            left = left[: len(self.amount.classes)]
            return self.amount.say(sum(left), tuple(left))
        return self.amount.say(left[0], (left[1],))

    def _header(self) -> list[str]:
        ratio = [] if self.score == "gain" else [tr("split information"), tr("gain ratio")]
        return [tr("test"), tr("first branch"), tr("gain"), *ratio, ""]

    def _head(self) -> str:
        return tr(
            "{column} at node {node}, compared by {score}",
            column=visible(self.column),
            node=self.node,
            score=BY[self.score](),
        )

    def table(self) -> Table:
        """What a notebook shows of it."""
        if self.tests is None:
            ways = () if self.best is None else self.best.ways
            rows = [[w.words, self.amount.say(w.weight, w.tally), w.impurity] for w in ways]
            return Table([tr("branch"), tr("rows"), tr("impurity")], rows, self._head())
        places = self.tests.best(SHOWN)
        more = len(self.tests) - len(places)
        caption = self._head()
        if more:
            caption += trn(", the best; {n} more", ", the best; {n} more", more)
        return Table(self._header(), self._rows(places), caption)

    def _repr_html_(self) -> str:
        return self.table().to_html()

    def to_text(self, *, all: bool = False) -> str:  # noqa: A002
        """The curve in lines.

        Parameters
        ----------
        all : bool, default=False
            Every test; else the best ones, in their order.

        Returns
        -------
        str
            A line per test.
        """
        lines = [self._head(), self.amount.say(self.weight, self.tally)]
        if self.tests is None:
            return "\n".join([*lines, *self._only()])
        places = list(range(len(self.tests))) if all else self.tests.best(SHOWN)
        if not places:
            return "\n".join([*lines, tr("It has no test here.")])
        cells = [
            [one if isinstance(one, str) else digits(one).replace("nan", "–") for one in row]
            for row in self._rows(places)
        ]
        sides = "<<" + ">" * (len(cells[0]) - 3) + "<"
        lines += lay_out([self._header(), *cells], sides)
        if self._more_cuts():
            lines += [tr("The best test of this column has several cuts:"), *self._only()]
        if more := len(self.tests) - len(places):
            lines.append(
                trn(
                    "… and {n} more; {how} shows all",
                    "… and {n} more; {how} shows all",
                    more,
                    how=how("to_text(all=True)"),
                )
            )
        return "\n".join(lines)

    __str__ = to_text

    def _only(self) -> list[str]:
        """The one test of a column that has no other."""
        if self.best is None:
            return [tr("It has no test here.")]
        rows = [
            [way.words, self.amount.say(way.weight, way.tally), f"E = {digits(way.impurity)}"]
            for way in self.best.ways
        ]
        sums = [f"{name} {sum_}" for name, sum_ in self.best.sums(self.weight, self.score)]
        return [*lay_out(rows, "<"), *sums]


@overload
def why(model: "Model", node: int = 0, column: None = None) -> Why: ...
@overload
def why(
    model: "Model", node: int = 0, column: None = None, *, X: Any, y: Any,
    sample_weight: Any = None,
) -> Why | Subtrees: ...  # fmt: skip
@overload
def why(
    model: "Model", node: int = 0, *, column: str, X: Any = None, y: Any = None,
    sample_weight: Any = None,
) -> Curve: ...  # fmt: skip
def why(
    model: "Model",
    node: int = 0,
    column: str | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> Why | Curve | Subtrees:
    """The best test of every column at a node, with gain, ratio and margin to the winner.

    Of a leaf, the reason why it is one, and what was compared there. Of one column, every cut. Of a
    tree that algorithm="optimal" found as a whole, what each column's best subtree would cost.

    Parameters
    ----------
    node : int, default=0
        Number of a node, as the text shows it.
    column : str, optional
        A column, of which every cut (or level) at the node is told, with what it is worth.
    X, y, sample_weight
        The training rows, as they were given to `fit`: all is worked out from them. `column`, and a
        tree that was found as a whole, need them; for else a model keeps the best test of each
        column, or of a large table those that are near the best (setting `record`).

    Returns
    -------
    Why, Curve or Subtrees
        One row per column; ``print`` it, iterate, or make a dataframe of ``to_dict()``. A leaf
        has its reason in ``ended`` (a word) and ``reason`` (a sentence). With `column` its curve.
    """
    whole = model.growth.search == "optimal"
    if whole and column is not None:
        with speaking(ENGLISH):  # as all errors
            raise ModelError(
                f"{AS_A_WHOLE()} One column has no curve there. Hint: model.why({node}, X=X, y=y)."
            )
    if whole and X is not None and y is not None:
        return subtrees(model, node, training_rows(model, X, y, sample_weight))
    if column is None:
        if X is None and y is None:
            return why_node(model, node)
        node = node_of(model.tree, node)
        return Making(model, held_rows(model, X, y, sample_weight)).why(node)
    names = list(model.schema.names)
    if column not in names:
        raise ParameterError(
            f"There is no column {column!r}; the model has {', '.join(names[:20])}."
            f"{did_you_mean(column, names)}"
        )
    node = node_of(model.tree, node)
    if X is None and y is None:
        raise ModelError(
            f"A model keeps the best test of each column, not every cut. Give the training rows: "
            f"model.why({node}, column={column!r}, X=X, y=y)."
        )
    return curve_by(model, held_rows(model, X, y, sample_weight), node, column)


def curve_by(model: "Model", held: Held, node: int, column: str, most: int = 0) -> Curve:
    """The curve of a column at a node, by rows that are held already.

    Of more than `most` cuts it has the best of each stretch; 0: every one.
    """
    making = Making(model, held, most)
    tried, tests, weight, tally = making.column(node, model.schema.names.index(column))
    score = model.growth.score
    return Curve(node, column, score, weight, tally, tried, tests, making.amount)
