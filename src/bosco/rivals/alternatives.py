"""The trees as good as one that was found, as a value: printed, as tables, as JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf
from textwrap import wrap
from typing import Any

from bosco.base.hints import how
from bosco.base.language import tr, trn
from bosco.base.numerals import lay_out, show_figure
from bosco.base.visible import visible
from bosco.reasons.rooted import missed_cells, missed_heads, say_margin, sides
from bosco.render.card import count, show_share
from bosco.render.html import Shown, Table, fill
from bosco.rivals.values import Agreement, Alternative, Elsewhere
from bosco.tree.missed import say_cost

MAX_SHOWN = 20
"""Columns that are printed, the best ones; all are in `Alternatives.columns`."""


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives(Shown):
    """The trees as good as the best one known; ``print`` it.

    Iterating gives an `Alternative` for each column, the cheapest first.

    Attributes
    ----------
    family : str
        Which trees are meant.
    own_family : bool
        Whether the model was chosen among these trees; else they are those of its size.
    within : float
        How much more a good tree may cost than the best one known, as a share of the rows.
    rows, weight, weighted : int, float, bool
        The rows; their weight; whether weight is the unit of what is wrong.
    alpha : float
        The price of a leaf.
    seen : str
        What the rows are to the model, in words.
    own : float
        What the model itself gets wrong.
    best, bound : float
        What the best tree costs that is known, and what none costs less than.
    columns : tuple of Alternative
        One for each column.
    trees, exact : int, bool
        How many good trees there are; if not exact, so many at least.
    agreement : Agreement
        What the good trees say of the rows, the best one of each first column.
    elsewhere : Elsewhere or None
        What they get wrong on other rows.
    interrupted : bool
        Whether Ctrl-C left something out.
    work_limit : int or None
        What each search was allowed.
    own_cost : float or None
        What the rows that the model gets wrong cost, where mistakes have costs: then `alpha`,
        `best` and `bound` are costs, and `within` is one for each row.

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.golf()
    >>> model = bosco.DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(X, y).model_
    >>> found = bosco.alternatives(model, X, y)
    >>> found.proved, [one.column for one in found if one.good], found.needed
    (True, ['outlook', 'humidity'], ('outlook', 'humidity'))
    """

    family: str
    own_family: bool
    within: float
    rows: int
    weight: float
    weighted: bool
    alpha: float
    seen: str
    own: float
    best: float
    bound: float
    columns: tuple[Alternative, ...]
    trees: int
    exact: bool
    agreement: Agreement
    elsewhere: Elsewhere | None
    interrupted: bool
    work_limit: int | None
    own_cost: float | None = None

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, column: str) -> Alternative:
        for one in self.columns:
            if one.column == column:
                return one
        raise KeyError(column)

    @property
    def proved(self) -> bool:
        """Whether no tree costs less than the best one known."""
        return self.bound >= self.best

    @property
    def costly(self) -> bool:
        """Whether costs of mistakes are compared, and not their number."""
        return self.own_cost is not None

    @property
    def good(self) -> tuple[str, ...]:
        """The columns that could stand at the root of a tree as good."""
        return tuple(one.column for one in self.columns if one.good)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns of which the search ended before that was known."""
        return tuple(one.column for one in self.columns if one.good is None)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that every good tree asks somewhere."""
        return tuple(one.column for one in self.columns if one.needed)

    @property
    def never(self) -> tuple[str, ...]:
        """The columns that no good tree asks."""
        return tuple(one.column for one in self.columns if one.never)

    @property
    def headline(self) -> str:
        """How many columns could stand at the root, in a sentence."""
        n = len(self.good)
        said = trn(
            "{n} of {all} columns could stand at the root of a tree as good",
            "{n} of {all} columns could stand at the root of a tree as good",
            n,
            all=len(self.columns),
        )
        if self.undecided:
            said += tr("; of {n} it is not known", n=len(self.undecided))
        return f"{said}."

    @property
    def sentences(self) -> list[str]:
        """What was found, as people read it."""
        said = [self.headline, self._as_good(), self._many()]
        said += self._asked()
        said += [self._agreed()] * (self.agreement.trees > 1)
        said.append(self._on())
        if self.elsewhere is not None:
            said.append(self._say_elsewhere(self.elsewhere))
        if self.interrupted:
            said.append(tr("INTERRUPTED: what was not done is not known."))
        return said

    def _as_good(self) -> str:
        """What as good means."""
        best = show_figure(self.best)
        cost = tr("weight wrong") if self.weighted else tr("rows wrong")
        if self.costly:
            cost = tr("what mistakes cost")
        if self.alpha:
            cost += " " + tr("and {alpha} for each leaf", alpha=show_figure(self.alpha))
        more = show_figure(self.within * self.weight)
        said = tr(
            "As good is a tree that costs at most {more} more than the best one known, {best} "
            "({cost}; {share} of the rows)",
            more=more,
            best=best,
            cost=cost,
            share=show_share(self.within),
        )
        if self.costly:
            said = tr(
                "As good is a tree that costs at most {more} more than the best one known, {best} "
                "({cost}; {each} for each row)",
                more=more,
                best=best,
                cost=cost,
                each=show_figure(self.within),
            )
        if self.proved:
            return tr("{said}; none costs less.", said=said)
        return tr("{said}; that none costs less than {bound} is proved.", said=said,
                  bound=show_figure(self.bound))  # fmt: skip

    def _many(self) -> str:
        """How many good trees there are."""
        n = f"{self.trees:,}"
        if self.exact:
            return trn("There is {n} such tree, counted exactly.",
                       "There are {n} such trees, counted exactly.", n)  # fmt: skip
        return trn("There is {n} such tree at least: not all were counted.",
                   "There are {n} such trees at least: not all were counted.", n)  # fmt: skip

    def _asked(self) -> list[str]:
        """Which columns all of them ask, and which none."""
        every, none = self.needed, self.never
        said = []
        if every:
            said.append(tr("Every one of them asks {columns}.", columns=_names(every)))
        elif all(one.needed is False for one in self.columns):
            said.append(tr("No column is needed by all of them."))
        if none:
            said.append(tr("None of them asks {columns}.", columns=_names(none)))
        open_ = [one.column for one in self.columns if one.needed is None or one.never is None]
        if open_:
            said.append(
                tr("Whether all or none of them ask {columns} is not known.", columns=_names(open_))
            )
        return said

    def _agreed(self) -> str:
        """On how many rows they say the same."""
        found = self.agreement
        same = found.rows - found.apart
        said = tr(
            "The best {n} of them, one for each first column, say the same of {same} of {rows} "
            "({share}).",
            n=found.trees,
            same=f"{same:,}",
            rows=count(f"{found.rows:,}", "row"),
            share=show_share(found.share),
        )
        if not found.apart:
            return said
        named = ", ".join(str(row) for row, _ in found.first)
        more = found.apart - len(found.first)
        rest = "" if not more else " " + tr("and {n} more", n=f"{more:,}")
        return said + " " + tr(
            "They differ on rows {rows}{rest} (of these, counted from 0).", rows=named, rest=rest
        )  # fmt: skip

    def _on(self) -> str:
        """Which trees, on which rows."""
        trees = tr("The trees are all those of: {family}.", family=self.family)
        if not self.own_family:
            trees = tr(
                "The tree was not searched for; it is compared with all those of its size: "
                "{family}.",
                family=self.family,
            )
        own = show_figure(self.own)
        wrong = tr("it gets weight {n} wrong", n=own) if self.weighted else trn(
            "it gets {n} wrong", "it gets {n} wrong", own
        )  # fmt: skip
        if self.own_cost is not None:
            wrong = say_cost(wrong, self.own_cost)
        return f"{trees} " + tr(
            "All figures are of {rows}, on which the trees were searched for: no test. Of the "
            "model itself, {wrong}.",
            rows=self.seen,
            wrong=wrong,
        )

    def _say_elsewhere(self, other: Elsewhere) -> str:
        """What other rows say."""
        rows = count(f"{other.rows:,}", "row")
        said = tr("Of {rows} elsewhere the model gets {n} wrong", rows=rows, n=f"{other.own:,}")
        if other.wrong:
            low, high = min(other.wrong.values()), max(other.wrong.values())
            said += tr(", the good trees {low} to {high}", low=f"{low:,}", high=f"{high:,}")
        kind = {
            "learned": tr("they equal rows that the model was grown on: no test"),
            "mixed": tr("some of them equal rows that the model was grown on"),
        }.get(other.seen)
        return f"{said}; {kind}." if kind else f"{said}."

    def _heads(self) -> list[str]:
        elsewhere = [] if self.elsewhere is None else [tr("wrong elsewhere")]
        return [
            *missed_heads(self.weighted, self.costly),
            tr("costs more"),
            tr("trees"),
            *elsewhere,
            "",
        ]

    def _rows(self, most: int | None = None) -> list[list[str]]:
        rows = []
        for one in self.columns[:most]:
            trees = "–"
            if one.trees is not None:
                trees = f"{one.trees:,}" if one.exact else tr("{n} or more", n=f"{one.trees:,}")
            there = []
            if self.elsewhere is not None:
                wrong = self.elsewhere.wrong.get(one.column)
                there = ["" if wrong is None else f"{wrong:,}"]
            rows.append(
                [
                    *missed_cells(one, self.costly),
                    ""
                    if isinf(one.bound)
                    else say_margin(one.objective - self.best, self.best, one),
                    trees,
                    *there,
                    _remark(one),
                ]
            )
        return rows

    def to_text(self) -> str:
        """The report; ``print`` shows it."""
        lines = [self.headline, ""]
        others = ">>" + ">" * (self.elsewhere is not None) + "<"
        shown = [self._heads(), *self._rows(MAX_SHOWN)]
        lines += lay_out(shown, sides(self.costly, others))
        if len(self.columns) > MAX_SHOWN:
            more = len(self.columns) - MAX_SHOWN
            lines.append(tr("… and {n} more columns: {how} has all.", n=more, how=how("to_dict()")))
        lines.append("")
        for sentence in self.sentences[1:]:
            lines += wrap(sentence, 100, break_on_hyphens=False)
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        bold = [i for i, one in enumerate(self.columns) if one.objective == self.best]
        first = Table(self._heads(), self._rows(), self.headline, bold)
        if not self.agreement.first:
            return (first,)
        rows = [
            [row, ", ".join(f"{visible(label)} {n}" for label, n in said.items())]
            for row, said in self.agreement.first
        ]
        caption = tr("Rows on which the good trees differ, the first {n} of {all}",
                     n=len(rows), all=f"{self.agreement.apart:,}")  # fmt: skip
        return (first, Table([tr("row, from 0"), tr("what how many trees say")], rows, caption))

    def _repr_html_(self) -> str:
        said = fill("sentences", {"sentences": self.sentences[1:]})
        return "\n".join([*(one.to_html() for one in self.tables()), said])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        found = self.agreement
        return {
            "says": self.sentences,
            "family": self.family,
            "within": self.within,
            "rows": self.rows,
            "weighted": self.weighted,
            "alpha": self.alpha,
            "own_wrong": self.own,
            **({"own_cost": self.own_cost} if self.costly else {}),
            "best": self.best,
            "bound": self.bound,
            "trees": self.trees,
            "exact": self.exact,
            "good": list(self.good),
            "undecided": list(self.undecided),
            "needed": list(self.needed),
            "never": list(self.never),
            "columns": [one.to_dict() for one in self.columns],
            "agreement": {
                "trees": found.trees,
                "same": found.rows - found.apart,
                "apart": found.apart,
                "first": [{"row": row, "says": said} for row, said in found.first],
            },
            "elsewhere": None
            if self.elsewhere is None
            else {
                "rows": self.elsewhere.rows,
                "own_wrong": self.elsewhere.own,
                "wrong": dict(self.elsewhere.wrong),
                "seen": self.elsewhere.seen,
            },
            "interrupted": self.interrupted,
            "work_limit": self.work_limit,
        }


def _names(columns: tuple[str, ...] | list[str]) -> str:
    """Some columns; of many the first ones."""
    named = ", ".join(map(visible, columns[:MAX_SHOWN]))
    more = len(columns) - MAX_SHOWN
    return named if more <= 0 else tr("{columns} and {n} more", columns=named, n=more)


def _remark(one: Alternative) -> str:
    if isinf(one.bound):
        return tr("cannot be asked")
    if one.good:
        return tr("as good")
    if not isinf(one.objective) and not one.standing:
        return tr("changes no answer")
    return tr("not known") if one.good is None else ""
