"""How the trees of a forest vote on one case."""

from dataclasses import asdict, dataclass
from operator import add
from typing import Any

from bosco.base.hints import how
from bosco.base.language import tr, trn
from bosco.base.numerals import lay_out, show_figure
from bosco.data.schema import show_label
from bosco.render.card import show_share, show_weight
from bosco.render.html import Table

SHOWN = 10
"""So many trees are printed, unless all are asked for."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one tree says of a case.

    Attributes
    ----------
    tree, leaf : int
        The tree, and the leaf that the case reaches.
    weight : float
        What the tree's vote counts; those of all sum to 1.
    samples : float
        The weight of the training rows in the leaf.
    says : tuple of float
        What it gives to each class, or the number.
    """

    tree: int
    leaf: int
    weight: float
    samples: float
    says: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Votes:
    """What all trees of a forest say of one case, and what that comes to; ``print`` it.

    Attributes
    ----------
    case : dict
        The case, by column name.
    prediction : object
        The class or the number predicted.
    classes : tuple
        The classes, in the order of what trees say; none of numbers.
    total : tuple of float
        The weighted sum of what the trees say.
    votes : tuple of Vote
        Tree by tree.
    statistic : str
        What leaves of numbers say of their rows, in a word: the mean, or a median; of classes
        nothing.

    Examples
    --------
    >>> from bosco import RandomForestClassifier
    >>> from bosco.datasets import play_tennis
    >>> forest = RandomForestClassifier(3, random_state=0).fit(*play_tennis())
    >>> day = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    >>> votes = forest.model_.votes(day)
    >>> len(votes.votes), votes.prediction == forest.model_.predict(day)
    (3, True)
    """

    case: dict[str, Any]
    prediction: Any
    classes: tuple[Any, ...]
    total: tuple[float, ...]
    votes: tuple[Vote, ...]
    statistic: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def _show(self, says: tuple[float, ...]) -> list[str]:
        return [show_share(x) if self.classes else show_figure(x) for x in says]

    def _head(self) -> str:
        names = [f"{show_label(label)} " for label in self.classes] or [""]
        said = ", ".join(map(add, names, self._show(self.total)))
        return trn("{n} tree: {said}", "{n} trees: {said}", len(self.votes), said=said)

    def _rows(self, n: int) -> tuple[list[str], list[list[str]]]:
        says = [show_label(label) for label in self.classes] or [self.statistic]
        header = [tr("tree"), tr("leaf"), tr("rows there"), *says]
        rows = [
            [str(v.tree), str(v.leaf), show_weight(v.samples), *self._show(v.says)]
            for v in self.votes[:n]
        ]
        return header, rows

    def to_text(self, *, all: bool = False) -> str:  # noqa: A002
        """The votes in lines.

        Parameters
        ----------
        all : bool, default=False
            Every tree; else the first ones.
        """
        n = len(self.votes) if all else SHOWN
        header, rows = self._rows(n)
        lines = [self._head(), *lay_out([header, *rows], ">")]
        more = len(self.votes) - len(rows)
        if more:
            lines.append(
                trn(
                    "… and {n} more; {how} shows all",
                    "… and {n} more; {how} shows all",
                    more,
                    how=how("to_text(all=True)"),
                )
            )
        return "\n".join([*lines, tr("so {answer}", answer=show_label(self.prediction))])

    __str__ = to_text

    def table(self) -> Table:
        """What a notebook shows of it."""
        header, rows = self._rows(SHOWN)
        return Table(header, rows, self._head())

    def _repr_html_(self) -> str:
        return self.table().to_html()
