"""How one case comes to what many trees say of it: what was added, item by item."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.base.numerals import show_number
from bosco.data.objects import is_missing
from bosco.data.schema import Schema, show_label
from bosco.reasons.given import by_name
from bosco.render.card import show_share
from bosco.render.case import markdown
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.ties import winner


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was added.

    Attributes
    ----------
    what : str
        A column and its value, or the answer to a question, in words.
    adds : float
        What it adds to the share, the points or the number.
    """

    what: str
    adds: float


@dataclass(frozen=True, slots=True)
class Account:
    """What decided one case, by how much; ``print`` it to read it.

    Attributes
    ----------
    case : dict
        The case, by column name.
    prediction : object
        The class or the number predicted.
    of : str
        What the items add up to, in words.
    unit : {"share", "points", "number"}
        What they are counted in.
    base : float
        Before anything is known of the case.
    items : tuple of Item
        The largest first.
    total : float
        ``base`` and all items together: what the model says, but for rounding.
    shares : dict
        Share, or points, of each class; empty for a real target.

    Examples
    --------
    >>> from bosco import RandomForestClassifier
    >>> from bosco.datasets import play_tennis
    >>> forest = RandomForestClassifier(25, random_state=0).fit(*play_tennis())
    >>> day = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    >>> print(forest.model_.explain(day))
    the share of Yes, the largest of all
       65.1 %  before anything is known
      +15.3 %  Wind is 'Weak'
      -12.0 %  Temperature is 'Hot'
      -11.5 %  Humidity is 'High'
       -1.0 %  Outlook is 'Rain'
       56.0 %  so Yes
    strongest rival: No, 44.0 %
    """

    case: dict[str, Any]
    prediction: Any
    of: str
    unit: str
    base: float
    items: tuple[Item, ...]
    total: float
    shares: dict[Any, float]

    def to_text(self) -> str:
        """The account as lines of text."""
        rows = self.rows()
        width = max(len(number) for number, _ in rows)
        lines = [self.of, *(f"  {number:>{width}}  {what}" for number, what in rows)]
        return "\n".join([*lines, *self.rival()])

    __str__ = to_text

    def to_markdown(self) -> str:
        """The account as Markdown: a table of what was added."""
        lines = [f"**{markdown(show_label(self.prediction))}**", "", markdown(self.of), ""]
        lines += [f"| {tr('adds')} | {tr('what')} |", "|---:|---|"]
        lines += [f"| {number} | {markdown(what)} |" for number, what in self.rows()]
        return "\n".join([*lines, *(f"\n{markdown(line)}" for line in self.rival())])

    def to_dict(self) -> dict[str, Any]:
        """The account as plain values."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str]]:
        """What there was before, every item, and what that comes to: number and words."""
        rows = [(self.show(self.base), tr("before anything is known"))] if self.base else []
        rows += [(self.show(item.adds, signed=True), item.what) for item in self.items]
        return [
            *rows,
            (self.show(self.total), tr("so {answer}", answer=show_label(self.prediction))),
        ]

    def show(self, x: float, *, signed: bool = False) -> str:
        """A number in the unit of the account."""
        if self.unit == "number":
            said = show_number(float(f"{x:.6g}"))
        elif self.unit == "share":
            said = f"-{show_share(-x)}" if x < 0 else show_share(x)
        else:
            said = f"{x:.4f}"
        return f"+{said}" if signed and not said.startswith("-") else said

    def rival(self) -> list[str]:
        """The class that came nearest, if there are shares of classes."""
        others = {k: s for k, s in self.shares.items() if k != self.prediction}
        if not others:
            return []
        label = max(others, key=lambda k: others[k])
        said = f"{show_label(label)}, {self.show(others[label])}"
        return [tr("strongest rival: {rival}", rival=said)]


def of_columns(
    schema: Schema,
    row: Any,
    prediction: Any,
    added: NDArray[np.float64],
    base: float,
    shares: dict[Any, float],
    votes: bool = False,
    decision: Decision = HEAVIEST,
    of: str = "",
) -> Account:
    """The account of a case by its columns, which added so much to what is predicted.

    `votes` says that shares are those of the votes of trees, each of which has one; `of` what a
    number is, if it is not a mean.
    """
    case = by_name(schema, row)
    order = np.argsort(-np.abs(added), kind="stable").tolist()
    items = []
    for j in (j for j in order if added[j]):
        value = case.get(schema.names[j])
        said = repr(value) if isinstance(value, str) else str(value)
        name = schema.columns[j].shown
        if is_missing(value):
            words = tr("{column} is missing", column=name)
        else:
            words = tr("{column} is {value}", column=name, value=said)
        items.append(Item(words, float(added[j])))
    return Account(
        case={name: case.get(name) for name in schema.names},
        prediction=prediction,
        of=of or _of(prediction, shares, votes, decision),
        unit="share" if shares else "number",
        base=base,
        items=tuple(items),
        total=base + float(added.sum()),
        shares=shares,
    )


def _of(
    prediction: Any, shares: dict[Any, float], votes: bool, decision: Decision = HEAVIEST
) -> str:
    """What is accounted for."""
    if not shares:
        return tr("the mean that is predicted")
    most = shares[prediction]
    equal = [show_label(label) for label, s in shares.items() if s == most and label != prediction]
    rank = tr("the largest of all")
    if most < max(shares.values()):
        rank = tr("decided {how}", how=decision.word)
    elif equal:
        rank = tr(
            "as large as that of {others}; of equals the {which}",
            others=tr(" and ").join(equal),
            which=winner(len(shares)),
        )
    said = {"answer": show_label(prediction), "rank": rank}
    if votes:
        return tr("the share of the votes for {answer}, {rank}", **said)
    return tr("the share of {answer}, {rank}", **said)
